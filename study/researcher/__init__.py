"""The researcher's side of a study: its folder, in which it is created, checked and signed and people are invited.

Nothing here runs on a participant's machine. Begin with `folder`, which says what lies where; `allocation` decides who
gets which arm.
"""

__all__ = ["allocation", "documents", "folder", "participants"]
