"""An X11 desktop, over connections of our own beside Qt's: nothing outside of this package knows of X11.

`desktop` answers questions and hands the keyboard over, `shortcuts` grabs keys, `pick` lets a person point at a window.
"""

__all__ = ["desktop"]
