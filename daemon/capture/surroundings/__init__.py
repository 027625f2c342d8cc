"""What input and windows do not show: locked screen, do-not-disturb, calls, battery. Start with `source` and `thread`.

Each source is one class with the Protocol `source.Source`, listed in `thread.default_sources`. D-Bus loads with it.
"""

__all__ = ["devices", "source", "streams", "thread"]
