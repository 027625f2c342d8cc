"""Records, clock, settings and words (the bottom layer), and session storage."""
