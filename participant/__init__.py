"""What a study does on a participant's machine: join, pack, review, send, leave.

`folder` is where a joined study lies, `outbox` its parcels, `documents` what both sides exchange. Nothing here needs
the researcher's packages, and only `send` opens a socket. The daemon starts `kairos study work` as a child. Begin with
`folder`.
"""

__all__ = ["answers", "documents", "files", "folder", "joining", "outbox", "pack", "review", "work"]
