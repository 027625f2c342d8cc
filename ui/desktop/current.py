"""Chooses the desktop that the interface is on; what knows X11 is loaded on Linux alone, where it is installed."""

import sys

from storage.errors import EnvironmentFault
from ui.desktop.protocol import Desktop

_OTHER = Desktop()


def current_desktop() -> Desktop:
    """Return the desktop that Qt is connected to; one that cannot tell where it is none that we know."""
    if sys.platform == "linux":
        from ui.desktop.x11.desktop import speaks_wayland, x11_desktop

        if speaks_wayland():
            from ui.desktop.layers import WaylandDesktop

            return WaylandDesktop()
        return x11_desktop() or _OTHER
    return _OTHER


def check_display() -> None:
    """Look whether there is a display to show anything on: Qt would end the whole process instead of telling.

    Raises:
        EnvironmentFault: there is none, or it does not let us in.
    """
    if sys.platform != "linux":
        return
    from ui.desktop.x11.desktop import server_answers

    fault = server_answers()
    if fault:
        raise EnvironmentFault(
            fault,
            remedy="start Kairos on a desktop, or without one: kairos run --headless, kairos demo",
            code="no_display",
        )
