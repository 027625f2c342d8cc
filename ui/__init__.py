"""The Qt interface: tray, card, notices and the consent window.

Only this room and `daemon.runtime.run` import PySide6. It imports the bottom of `storage`, never `daemon`: the core
reaches it through `bridge`, and it reaches the core through `storage.ports.CoreCommands`. Begin with `app`; `views`
says what each surface shows, and only `x11` knows the platform.
"""

__all__ = ["app"]
