"""The adapter for AT-SPI, the accessibility bus of Linux desktops. Only this package knows its names and numbers.

`source` listens and translates, `queries` asks a program, `connection` keeps questions short and few, `switch` is the
desktop's own switch. Imports `daemon.capture.accessibility` and `storage`.
"""
