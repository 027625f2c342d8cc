"""Pointing at a window under X11: a cross for the pointer until one click, which no program gets; Escape cancels.

Pointer and keyboard are grabbed on a connection of our own, and only until then. What comes back is the class of the
window's program, which the program chose: plain text of limited length.
"""

import os

from PySide6.QtCore import QSocketNotifier, QTimer
from Xlib import XK, X
from Xlib.display import Display
from Xlib.error import ConnectionClosedError, DisplayError, XError
from Xlib.protocol.event import ButtonPress, ButtonRelease, KeyPress
from Xlib.xobject.drawable import Window
from Xlib.xobject.fontable import Font

from storage.plain_text import plain
from storage.translation import tr
from ui.desktop.protocol import WindowPicker
from ui.views.settings import NAME_LIMIT, POINT_FAILED, POINT_NOWHERE, POINT_OURS, POINT_UNNAMED

_FAULTS = (DisplayError, ConnectionClosedError, XError, OSError)
_CROSS = 34  # glyph of a cross in the font of cursors
TRIES = 20
RETRY_MS = 50  # a menu that is still closing may hold the pointer for a moment
_DEPTH = 8


class X11WindowPicker(WindowPicker):
    """Waits for one click on a window, with pointer and keyboard grabbed."""

    def __init__(self) -> None:
        """Prepare; nothing is grabbed yet."""
        super().__init__()
        self._display: Display | None = None
        self._notifier: QSocketNotifier | None = None
        self._tries = 0
        self._target: Window | None = None

    def start(self) -> None:
        """Grab pointer and keyboard, as soon as they are free."""
        if self._display is not None:
            return
        self._tries, self._target = TRIES, None
        try:
            self._display = Display()
        except _FAULTS:
            self.failed.emit(tr(POINT_FAILED))
            return
        self._try()

    def cancel(self) -> None:
        """Give everything back."""
        display, self._display = self._display, None
        if self._notifier is not None:
            self._notifier.setEnabled(False)
            self._notifier = None
        if display is None:
            return
        try:
            display.close()  # the server ends both grabs with the connection
        except _FAULTS:
            return

    def _try(self) -> None:
        display = self._display
        if display is None:
            return
        try:
            if self._grab(display):
                self._notifier = QSocketNotifier(display.fileno(), QSocketNotifier.Type.Read)
                self._notifier.activated.connect(self._read)
                QTimer.singleShot(0, self, self._read)  # what came along with an answer wakes nobody
                return
            display.ungrab_pointer(X.CurrentTime)
            display.ungrab_keyboard(X.CurrentTime)
            display.sync()
        except _FAULTS:
            self._end(tr(POINT_FAILED))
            return
        self._tries -= 1
        if self._tries:
            QTimer.singleShot(RETRY_MS, self, self._try)
        else:
            self._end(tr(POINT_FAILED))

    def _grab(self, display: Display) -> bool:
        root = display.screen().root
        font = display.open_font("cursor")
        if not isinstance(font, Font):
            return False
        cursor = font.create_glyph_cursor(font, _CROSS, _CROSS + 1, (0, 0, 0), (65535, 65535, 65535))
        events = X.ButtonPressMask | X.ButtonReleaseMask
        way = X.GrabModeAsync
        pointer = root.grab_pointer(False, events, way, way, X.NONE, cursor, X.CurrentTime)
        keyboard = root.grab_keyboard(False, way, way, X.CurrentTime)
        font.close()
        return bool(pointer == X.GrabSuccess and keyboard == X.GrabSuccess)

    def _read(self) -> None:
        try:
            while self._display is not None and self._display.pending_events():
                self._on_event(self._display, self._display.next_event())
        except _FAULTS:
            self._end(tr(POINT_FAILED))

    def _on_event(self, display: Display, event: object) -> None:
        if isinstance(event, KeyPress):
            if event.detail == _escape(display):
                self._end("")
        elif isinstance(event, ButtonPress):
            self._target = event.child if event.child != X.NONE else None
            if event.detail != X.Button1:
                self._end("")
        elif isinstance(event, ButtonRelease):  # not at the press, so that no program gets half a click
            self._take(display)

    def _take(self, display: Display) -> None:
        client = _client(self._target, display.intern_atom("WM_STATE"), _DEPTH) if self._target is not None else None
        if client is None:
            self._end(tr(POINT_NOWHERE))
            return
        pid = client.get_full_property(display.intern_atom("_NET_WM_PID"), X.AnyPropertyType)
        names = client.get_wm_class() or ("", "")
        name = plain(names[1] or names[0], NAME_LIMIT).strip()
        if pid is not None and pid.value and int(pid.value[0]) == os.getpid():
            self._end(tr(POINT_OURS))
        elif not name:
            self._end(tr(POINT_UNNAMED))
        else:
            self.cancel()
            self.picked.emit(name)

    def _end(self, why: str) -> None:
        self.cancel()
        self.failed.emit(why)


def _escape(display: Display) -> int:
    return int(display.keysym_to_keycode(XK.string_to_keysym("Escape")))


def _client(window: Window, state: int, depth: int) -> Window | None:
    """Return the window of a program in a window manager's frame; without a manager the window itself."""
    found = _with_state(window, state, depth)
    return found if found is not None else window if window.get_wm_class() else None


def _with_state(window: Window, state: int, depth: int) -> Window | None:
    if window.get_full_property(state, X.AnyPropertyType) is not None:
        return window
    if not depth:
        return None
    found = (_with_state(child, state, depth - 1) for child in reversed(window.query_tree().children))
    return next((client for client in found if client is not None), None)
