"""The researcher's side of a study: its folder, and the commands that create, check and sign it and invite people.

Nothing here runs on a participant's machine. Begin with `folder`, which says what lies where; `allocation` decides who
gets which arm; `command` holds the actions of `kairos study`.
"""

__all__ = ["allocation", "folder"]
