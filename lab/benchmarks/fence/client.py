"""A plain X program that paints windows in one colour each, as told line by line on its standard input.

Run as `python -m lab.benchmarks.fence.client CLASS`. Each line is a JSON object with `do` and what belongs to
it; each is answered by a line. Windows are painted when the server reports them exposed, as most programs do it, so a
program that hangs leaves what was there before. It counts the keys that reach it.
"""

import json
import os
import select
import sys
from typing import Any

from Xlib import XK, X, Xatom, Xutil
from Xlib.display import Display
from Xlib.protocol import request

from storage.clock import SystemClock

MARKER_KEY = "F8"
"""Pressed in excluded windows alone, so that its class tells where a key went."""

KEYBOARD = "Onboard"
"""The program whose windows are a keyboard on the screen."""

_MARK = 96, 64
_MARK_COLOUR = 0xFFFFFF
_WITHDRAW_S = 2.0
_ICON = 48
"""Side of the icon of each window, in its colour, by which panels and switchers that show it are found."""


class PaintingProgram:
    """The windows of one program, by the names that the campaign gives them."""

    def __init__(self, app: str) -> None:
        """Connect; all windows have the class `app`."""
        self.display = Display()
        self._root = self.display.screen().root
        self._app = app
        self._windows: dict[str, Any] = {}
        self._colours: dict[int, int] = {}
        self._marked: set[int] = set()
        self._clock = SystemClock()
        self._marker_code = self.display.keysym_to_keycode(XK.string_to_keysym(MARKER_KEY))
        self._keys = {"marker": 0, "other": 0}

    def do(self, order: dict[str, Any]) -> dict[str, Any]:
        """Carry out one order and return the answer."""
        return getattr(self, f"_do_{order.pop('do')}")(**order) or {}

    def handle_events(self) -> None:
        """Paint what was exposed and count keys."""
        while self.display.pending_events():
            event = self.display.next_event()
            if event.type == X.Expose and event.count == 0:
                self._paint(event.window)
            elif event.type == X.KeyPress:
                self._keys["marker" if event.detail == self._marker_code else "other"] += 1
        self.display.flush()

    def _do_open(
        self,
        *,
        name: str,
        box: list[int],
        colour: int,
        title: str,
        parent: str = "",
        popup: bool = False,
        late_s: float = 0.0,
    ) -> dict[str, Any]:
        """Show a window; with `late_s` it gets class and title only so long after."""
        window = self._root.create_window(
            *box, 0, X.CopyFromParent, override_redirect=popup, event_mask=X.ExposureMask | X.KeyPressMask
        )
        self._windows[name], self._colours[window.id] = window, colour
        if not late_s:
            self._name(window, title)
        icon = [_ICON, _ICON, *[0xFF000000 | colour] * _ICON * _ICON]
        window.change_property(self.display.intern_atom("_NET_WM_ICON"), Xatom.CARDINAL, 32, icon)
        window.set_wm_normal_hints(flags=Xutil.USPosition | Xutil.PSize, x=box[0], y=box[1])
        window.set_wm_protocols([self.display.intern_atom("WM_DELETE_WINDOW")])
        pid = self.display.intern_atom("_NET_WM_PID")
        window.change_property(pid, Xatom.CARDINAL, 32, [os.getpid()])
        if self._app == KEYBOARD:  # no list shows one, as people's do not
            state = [self.display.intern_atom(f"_NET_WM_STATE_SKIP_{name}") for name in ("TASKBAR", "PAGER")]
            window.change_property(self.display.intern_atom("_NET_WM_STATE"), Xatom.ATOM, 32, state)
        if parent:
            window.set_wm_transient_for(self._windows[parent])
            kind = "_NET_WM_WINDOW_TYPE_POPUP_MENU" if popup else "_NET_WM_WINDOW_TYPE_DIALOG"
            window.change_property(
                self.display.intern_atom("_NET_WM_WINDOW_TYPE"), Xatom.ATOM, 32, [self.display.intern_atom(kind)]
            )
        window.map()
        self.display.flush()
        if late_s:
            self._clock.sleep_s(late_s)
            self._name(window, title)
        return {"xid": window.id}

    def _name(self, window: Any, title: str) -> None:
        window.set_wm_class(self._app.lower(), self._app)
        self._set_title(window, title)

    def _set_title(self, window: Any, title: str) -> None:
        window.set_wm_name(title)
        utf8 = self.display.intern_atom("UTF8_STRING")
        window.change_property(self.display.intern_atom("_NET_WM_NAME"), utf8, 8, title.encode())
        self.display.flush()

    def _do_close(self, name: str) -> None:
        window = self._windows.pop(name)
        self._colours.pop(window.id)
        # Its number is not given to another window: a window manager that is late would take that one away, too.
        request.DestroyWindow(display=window.display, window=window.id)

    def _do_retitle(self, name: str, title: str) -> None:
        self._set_title(self._windows[name], title)

    def _do_turn(self, name: str, colour: int, title: str, first: str, wait_s: float) -> None:
        """Show something else under another title; `first` says which of both comes first."""
        window = self._windows[name]
        self._colours[window.id] = colour
        if first == "title":
            self._set_title(window, title)
            self.display.sync()
            self._clock.sleep_s(wait_s)
        self._paint(window)
        self.display.sync()
        if first != "title":
            self._clock.sleep_s(wait_s)
            self._set_title(window, title)

    def _do_fade(self, name: str, opacity: float) -> None:
        atom = self.display.intern_atom("_NET_WM_WINDOW_OPACITY")
        window = self._windows[name]
        if opacity < 1:
            window.change_property(atom, Xatom.CARDINAL, 32, [int(opacity * 0xFFFFFFFF)])
        else:
            window.delete_property(atom)

    def _do_mark(self, name: str) -> None:
        """Paint or erase a mark, so that something changes in the window."""
        window = self._windows[name]
        self._marked ^= {window.id}
        self._paint(window)

    def _do_embed(self, name: str, host: int) -> None:
        """Put a window into that of another program, once the window manager has let go of it."""
        window = self._windows[name]
        state = self.display.intern_atom("WM_STATE")
        window.unmap()
        end_ns = self._clock.now_ns() + int(_WITHDRAW_S * 1e9)
        while self._clock.now_ns() < end_ns:
            found = window.get_full_property(state, state)
            if found is None or found.value[0] == Xutil.WithdrawnState:
                break
            self._clock.sleep_s(0.01)
        window.reparent(self.display.create_resource_object("window", host), 12, 12)
        window.map()

    def _do_free(self, name: str, box: list[int]) -> None:
        """Take a window out of another program's again."""
        window = self._windows[name]
        window.unmap()
        window.reparent(self._root, box[0], box[1])
        window.map()

    def _do_keys(self) -> dict[str, Any]:
        return dict(self._keys)

    def _paint(self, window: Any) -> None:
        colour = self._colours.get(window.id)
        if colour is None:
            return
        context = window.create_gc(foreground=colour)
        window.fill_rectangle(context, 0, 0, 5000, 5000)
        if window.id in self._marked:
            context.change(foreground=_MARK_COLOUR)
            window.fill_rectangle(context, 24, 24, *_MARK)
        context.free()


def main(app: str) -> None:
    """Follow orders until standard input ends."""
    program = PaintingProgram(app)
    program.display.set_error_handler(lambda *_: None)  # a window may be gone by the time an order arrives
    waiting = b""
    while True:
        program.handle_events()
        ready, _, _ = select.select([program.display.fileno(), 0], [], [])
        if 0 not in ready:
            continue
        chunk = os.read(0, 65536)
        if not chunk:
            return
        *lines, waiting = (waiting + chunk).split(b"\n")
        for line in lines:
            try:
                answer = program.do(json.loads(line))
                program.display.sync()
            except Exception as error:  # noqa: BLE001  # the campaign counts what could not be done and goes on
                answer = {"error": type(error).__name__}
            program.handle_events()
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
