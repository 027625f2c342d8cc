"""The programs in which scenes are played."""
