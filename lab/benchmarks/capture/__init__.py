"""What watching costs, and whether it misses a change: Kairos and common alternatives on virtual desktops."""

__all__ = ["command"]
