"""What the interface needs of a desktop beyond Qt: its state, the keyboard, global shortcuts, pointing at a window.

Imports the bottom of `storage` and words of `ui.views`. Begin with `protocol`; `current` chooses the desktop, `x11` is
for X11 and XWayland, `layers` and `wayland` for a desktop without. Another one is one line in `current`.
"""

__all__ = ["current", "protocol"]
