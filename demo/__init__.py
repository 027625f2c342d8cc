"""`kairos demo`: a scripted person works, gets stuck and is helped by the real Kairos on a virtual desktop.

May import what commands of the daemon read of a session; nothing in the product imports it. Begin with `command`, then
`user` and `judge`; the script's own log judges. What hands do in a program is in `data`, played by `acts`.
`virtual_desktop` is what it runs on.
"""

__all__ = ["acts", "command", "judge", "programs", "user", "virtual_desktop"]
