"""Days: calm work of hours with a few episodes of need in it, so that false offers an hour mean something."""
