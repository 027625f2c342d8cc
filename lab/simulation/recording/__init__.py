"""Plays sessions in child processes and stores what they recorded, with labels.

Begin with `session`, which plays one, then `workers`, which play many, and `pack`, the file format.
"""

__all__ = ["demos", "labels", "pack", "session", "workers"]
