"""The adapter for AT-SPI, the accessibility bus of Linux desktops. Only this package knows its names and numbers.

`source` listens to all programs and `listener` to one, whose `keyboard`, `pointer`, `messages`, `outputs` and `browser`
are beside it. `program` asks it, `connection` keeps questions short and few, `switch` is the desktop's own switch.
"""

__all__ = ["budget", "protocol", "source", "switch"]
