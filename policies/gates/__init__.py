"""Gates."""
