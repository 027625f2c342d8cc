"""Chooses the desktop that the interface is on."""

from storage.errors import EnvironmentFault
from ui.desktop.protocol import Desktop
from ui.desktop.x11.desktop import server_answers, x11_desktop

_OTHER = Desktop()


def current_desktop() -> Desktop:
    """Return the desktop that Qt is connected to; one that cannot tell where it is none that we know."""
    return x11_desktop() or _OTHER


def check_display() -> None:
    """Look whether there is a display to show anything on: Qt would end the whole process instead of telling.

    Raises:
        EnvironmentFault: there is none, or it does not let us in.
    """
    fault = server_answers()
    if fault:
        raise EnvironmentFault(
            fault,
            remedy="start Kairos on a desktop, or without one: kairos run --headless, kairos demo",
            code="no_display",
        )
