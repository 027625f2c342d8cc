"""What a study does on a participant's machine: join, pack, review, send, leave.

`membership` is where a joined study lies and how somebody joins and leaves, `pack` makes rows of journals, `delivery`
holds them until the collector has signed for them, `documents` is what both sides exchange. Nothing here needs the
researcher's packages, and only `delivery.sender` opens a socket. The daemon starts `kairos study work` as a child.
Begin with `membership.folder`.
"""

__all__ = ["delivery", "documents", "membership", "pack", "work"]
