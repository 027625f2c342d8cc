"""What watching costs, and whether it misses a change: Kairos and its capture thread alone, on virtual desktops."""
