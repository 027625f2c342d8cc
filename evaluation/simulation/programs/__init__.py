"""Real programs, each with what a scripted person can do in it."""
