"""The few questions that Qt does not answer about an X11 desktop.

Each one opens a connection, asks and closes it again: a few milliseconds, only when a window of ours is about to
appear. On any other platform, and when the server does not answer, the answer is "cannot tell".
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtGui import QGuiApplication
from Xlib import X
from Xlib.display import Display
from Xlib.error import ConnectionClosedError, DisplayError, XError

from storage.errors import EnvironmentFault

_SCREENLESS = ("offscreen", "minimal")
_FAULTS = (DisplayError, ConnectionClosedError, XError, OSError)


def has_owner(selection: str) -> bool:
    """Tell whether a manager of this kind runs on the default screen (`_NET_WM_CM_S`, `_NET_SYSTEM_TRAY_S`)."""
    with _connection() as display:
        if display is None:
            return False
        try:
            atom = display.intern_atom(f"{selection}{display.get_default_screen()}")
            return bool(display.get_selection_owner(atom) != X.NONE)
        except _FAULTS:
            return False


def check_display() -> None:
    """Look whether there is a display to show anything on: Qt would end the whole process instead of telling.

    Raises:
        EnvironmentFault: there is none, or it does not let us in.
    """
    if os.environ.get("QT_QPA_PLATFORM") in _SCREENLESS or os.environ.get("WAYLAND_DISPLAY") or sys.platform != "linux":
        return
    name = os.environ.get("DISPLAY", "")
    if name:
        try:
            Display(name).close()
        except _FAULTS:
            pass
        else:
            return
    raise EnvironmentFault(
        f"the display {name} does not answer" if name else "there is no display",
        remedy="start Kairos on a desktop, or without one: kairos run --headless, kairos demo",
        code="no_display",
    )


def active_window_centre() -> tuple[int, int] | None:
    """Return the middle of the active window in desktop pixels, or None where there is none."""
    with _connection() as display:
        if display is None:
            return None
        try:
            root = display.screen().root
            active = root.get_full_property(display.intern_atom("_NET_ACTIVE_WINDOW"), X.AnyPropertyType)
            if active is None or not active.value or not active.value[0]:
                return None
            window = display.create_resource_object("window", active.value[0])
            geometry = window.get_geometry()
            origin = root.translate_coords(window, geometry.width // 2, geometry.height // 2)
        except _FAULTS:
            return None
        return int(origin.x), int(origin.y)


@contextmanager
def _connection() -> Iterator[Display | None]:
    """Open a connection for one question; None where this is no X11 desktop."""
    if QGuiApplication.platformName() != "xcb":
        yield None
        return
    try:
        display = Display()
    except _FAULTS:
        yield None
        return
    try:
        yield display
    finally:
        display.close()
