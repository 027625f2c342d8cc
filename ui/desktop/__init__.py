"""What the interface needs of a desktop beyond Qt: its state, the keyboard, global shortcuts, pointing at a window.

Imports the bottom of `storage` and words of `ui.views`. Begin with `protocol`; `current` chooses the desktop, `x11` is
the one there is. Another desktop is a package beside `x11` and one line in `current`.
"""

__all__ = ["current"]
