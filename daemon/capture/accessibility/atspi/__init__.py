"""The adapter for AT-SPI, the accessibility bus of Linux desktops. Only this package knows its names and numbers.

`source` listens to all programs and `listener` to one, whose `dialogs`, `messages` and `browser_windows` are beside it;
`queries` asks it, `connection` keeps questions short and few, `switch` is the desktop's own switch.
Imports `daemon.capture.accessibility` and `storage`.
"""

__all__ = ["source", "switch"]
