"""Looks at the windows of an X11 display: which there are, where, which one is active, and waits for one to appear.

A window may vanish between two questions; such windows count as not there. `place`, `activate`, `maximise` and `close`
ask the window manager to change one; nothing else changes anything.
"""

import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from Xlib import X, Xutil
from Xlib.display import Display
from Xlib.error import BadDrawable, BadMatch, BadWindow
from Xlib.protocol import request
from Xlib.protocol.event import ClientMessage

from storage.clock import NS_PER_S, SystemClock
from storage.errors import EnvironmentFault
from storage.ports import CARD_TITLE, SPOTLIGHT_TITLE
from storage.records import Box

CARD_CLASS = "kairos"
_STRIP = 7
_INSET = 9  # pixels from the outer edge of the ring to the control: a strip, and a gap
RINGED_S = 12.0
"""Longest time a person looks for the ring; it comes some seconds later where a window may not be read at once."""

_POLL_S = (0.02, 0.1)
"""Least and most seconds between two looks. In between a tenth of the time waited: each look is some requests."""

_DESCRIBED = ("WM_CLASS", "_NET_WM_NAME", "WM_NAME", "_NET_WM_PID")
_LONGEST = 1024
_FROM_PAGER = 2
_GONE = (BadWindow, BadDrawable, BadMatch)
_environment_lock = threading.RLock()

T = TypeVar("T")


Point = tuple[int, int]  # a pixel of the desktop, or of a window


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowInfo:
    """One top-level window as the X server and the window manager describe it; the box is without decorations."""

    xid: int
    app: str
    title: str
    pid: int
    box: Box
    popup: bool


@contextmanager
def environment(values: Mapping[str, str]) -> Iterator[None]:
    """Give this process the environment `values`, alone, and put the old one back afterwards."""
    with _environment_lock:
        before = dict(os.environ)
        os.environ.clear()
        os.environ.update(values)
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


def open_display(values: Mapping[str, str]) -> Display:
    """Connect to the display that an environment names; python-xlib finds the cookie only by `XAUTHORITY`."""
    with environment(values):
        display = Display()
    # One table for all displays of a process, though another server numbers its extensions otherwise: keep this one's.
    display.display.extension_major_opcodes = dict(display.display.extension_major_opcodes)
    return display


def poll(check: Callable[[], T | None], *, what: str, timeout_s: float = 30.0, remedy: str = "") -> T:
    """Ask until the answer is neither None nor False, and return it.

    Raises:
        EnvironmentFault: there was no answer within `timeout_s`.
    """
    clock = SystemClock()
    began_ns = clock.now_ns()
    least_s, most_s = _POLL_S
    while True:
        answer = check()
        if answer is not None and answer is not False:
            return answer
        waited_s = (clock.now_ns() - began_ns) / NS_PER_S
        if waited_s > timeout_s:
            raise EnvironmentFault(f"{what} did not happen within {timeout_s:g} s", remedy=remedy)
        clock.sleep_s(min(max(waited_s / 10, least_s), most_s))


def listens(path: Path) -> bool:
    """Return whether a service takes connections; its socket is there a moment earlier."""
    if sys.platform == "win32":  # no desktop of ours is there
        raise NotImplementedError
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(str(path)) == 0


class Windows:
    """The windows of one display, over a connection of its own. One thread at a time."""

    def __init__(self, display: Display) -> None:
        """Look through `display`, which the caller closes."""
        self._display = display
        self._root = display.screen().root
        self._atoms: dict[str, int] = {}

    def list_all(self) -> list[WindowInfo]:
        """Return all mapped top-level windows, bottom first: managed ones, then menus and other popups."""
        order = self._request_property(self._root.id, "_NET_CLIENT_LIST_STACKING")
        tree = _reply(self._request(request.QueryTree, window=self._root.id))
        managed = [int(xid) for xid in _value(_reply(order)) or ()]
        others = [child.id for child in tree.children if child.id not in managed]
        requests = [self._request(request.GetWindowAttributes, window=xid) for xid in others]
        popups = [
            xid
            for xid, is_one in zip(others, [_reply(question) for question in requests], strict=True)
            if is_one is not None and is_one.override_redirect and is_one.map_state == X.IsViewable
        ]
        return self._described(managed, popups)

    def refresh(self, window: WindowInfo) -> WindowInfo | None:
        """Return a window as it is now; None if it is not on the screen any more."""
        return self._describe(window.xid, popup=window.popup)

    def describe(self, xids: Sequence[int]) -> list[WindowInfo]:
        """Return those of some windows that are on the screen, wherever they are in others: one round trip."""
        return self._described(xids, [])

    def find(self, app: str | None = None, title: str | None = None) -> WindowInfo | None:
        """Return the topmost window whose class equals `app` and whose title contains `title`, both without case."""
        for window in reversed(self.list_all()):
            if app is not None and window.app.lower() != app.lower():
                continue
            if title is not None and title.lower() not in window.title.lower():
                continue
            return window
        return None

    def wait(self, app: str | None = None, title: str | None = None, *, timeout_s: float = 30.0) -> WindowInfo:
        """Wait for a window of `find` and return it.

        Raises:
            EnvironmentFault: no such window within `timeout_s`.
        """
        name = title or app
        return poll(lambda: self.find(app, title), what=f'opening a window "{name}"', timeout_s=timeout_s)

    def wait_gone(self, app: str | None = None, title: str | None = None, *, timeout_s: float = 30.0) -> None:
        """Wait until `find` finds nothing.

        Raises:
            EnvironmentFault: there still is one after `timeout_s`.
        """
        name = title or app
        poll(lambda: self.find(app, title) is None, what=f'closing the window "{name}"', timeout_s=timeout_s)

    def active(self) -> WindowInfo | None:
        """Return the window that has the keyboard according to the window manager."""
        value = self._property(self._root, "_NET_ACTIVE_WINDOW")
        return self._describe(int(value[0]), popup=False) if value is not None and len(value) and value[0] else None

    def is_active(self, window: WindowInfo) -> bool:
        """Return whether a window has the keyboard according to the window manager."""
        active = self.active()
        return active is not None and active.xid == window.xid

    def card(self) -> WindowInfo | None:
        """Return the offer card of Kairos, if it is on the screen."""
        return self.find(CARD_CLASS, CARD_TITLE)

    def popups(self) -> list[WindowInfo]:
        """Return open menus, tool tips and the like of the applications."""
        return [window for window in self.list_all() if window.popup and window.box.w > 1 and window.box.h > 1]

    def place(self, window: WindowInfo, box: Box) -> WindowInfo:
        """Have the window manager put a window's frame at a place and give it a size; return it as it came out."""
        own_gravity, x_y_w_h, from_pager = 0, 0xF << 8, 2 << 12
        self._ask_manager(window, "_NET_MOVERESIZE_WINDOW", own_gravity | x_y_w_h | from_pager, *box)

        def placed() -> WindowInfo | None:
            now = self._describe(window.xid, popup=False)
            if now is None or (now.box.w, now.box.h) != (box.w, box.h):
                return None
            return now if now.box != window.box or window.box == box else None  # one that keeps its size moves, too

        return poll(placed, what="placing a window")

    def activate(self, window: WindowInfo) -> None:
        """Have the window manager raise a window and give it the keyboard, as a task bar does."""
        self._ask_manager(window, "_NET_ACTIVE_WINDOW", _FROM_PAGER, X.CurrentTime, 0, 0, 0)

    def maximise(self, window: WindowInfo) -> None:
        """Have the window manager let a window fill the screen."""
        add, both = 1, ("_NET_WM_STATE_MAXIMIZED_VERT", "_NET_WM_STATE_MAXIMIZED_HORZ")
        self._ask_manager(window, "_NET_WM_STATE", add, *map(self._atom, both), _FROM_PAGER, 0)

    def close(self, window: WindowInfo) -> None:
        """Ask a window to close, as the button in its title bar does; it may put a question first."""
        self._ask_manager(window, "_NET_CLOSE_WINDOW", X.CurrentTime, _FROM_PAGER, 0, 0, 0)

    def unmaximise(self, window: WindowInfo) -> None:
        """Have the window manager give a maximised window a size and place of its own again."""
        remove = 0
        both = self._atom("_NET_WM_STATE_MAXIMIZED_HORZ"), self._atom("_NET_WM_STATE_MAXIMIZED_VERT")
        self._ask_manager(window, "_NET_WM_STATE", remove, *both, _FROM_PAGER, 0)

    def owns_selection(self, name: str) -> bool:
        """Return whether a client owns an X selection: a compositor, a tray host."""
        return bool(self._display.get_selection_owner(self._atom(name)))

    def has_window_manager(self) -> bool:
        """Return whether a window manager runs."""
        check = self._property(self._root, "_NET_SUPPORTING_WM_CHECK")
        return bool(check is not None and len(check) and self._property(self._window(check[0]), "_NET_WM_NAME"))

    def wait_managed(self, *, timeout_s: float = 30.0) -> None:
        """Wait until the window manager takes in a window that comes; one that is just starting forgets it.

        Raises:
            EnvironmentFault: it still does not after `timeout_s`.
        """
        window = self._root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
        window.set_wm_hints(flags=Xutil.InputHint, input=False)

        def taken() -> bool:
            window.map()
            return self._property(window, "WM_STATE") is not None

        try:
            poll(taken, what="starting the window manager", timeout_s=timeout_s)
        finally:
            window.destroy()
            self._display.sync()

    def _ask_manager(self, window: WindowInfo, what: str, *numbers: int) -> None:
        message = ClientMessage(window=self._window(window.xid), client_type=self._atom(what), data=(32, [*numbers]))
        self._root.send_event(message, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
        self._display.sync()

    def _window(self, xid: int) -> Any:
        return self._display.create_resource_object("window", xid)

    def _atom(self, name: str) -> int:
        if name not in self._atoms:
            self._atoms[name] = self._display.intern_atom(name)
        return self._atoms[name]

    def _property(self, window: Any, name: str) -> Any:
        try:
            answer = window.get_full_property(self._atom(name), X.AnyPropertyType)
        except _GONE:
            return None
        return None if answer is None else answer.value

    def _describe(self, xid: int, *, popup: bool) -> WindowInfo | None:
        found = self._described([], [xid]) if popup else self._described([xid], [])
        return found[0] if found else None

    def _described(self, managed: Sequence[int], popups: Sequence[int]) -> list[WindowInfo]:
        """Describe the mapped ones of some windows.

        All questions are sent before the first answer is awaited: on a busy machine each way there and back costs
        milliseconds, during which a script's hands would stand still.
        """
        requests = [
            (
                self._request(request.GetGeometry, drawable=xid),
                self._request(request.TranslateCoords, src_wid=xid, dst_wid=self._root.id, src_x=0, src_y=0),
                self._request(request.GetWindowAttributes, window=xid),
                [self._request_property(xid, name) for name in _DESCRIBED],
            )
            for xid in (*managed, *popups)
        ]
        found = []
        for number, (xid, questions) in enumerate(zip((*managed, *popups), requests, strict=True)):
            geometry, place, attributes = (_reply(question) for question in questions[:3])
            app, title, old_title, pid = (_value(_reply(question)) for question in questions[3])
            if geometry is None or place is None or attributes is None or attributes.map_state != X.IsViewable:
                continue
            found.append(
                WindowInfo(
                    xid=xid,
                    app=_text(app).split("\0")[1] if _text(app).count("\0") else "",
                    title=_text(title or old_title),
                    pid=int(pid[0]) if pid is not None and len(pid) else 0,
                    box=Box(place.x, place.y, geometry.width, geometry.height),
                    popup=number >= len(managed),
                )
            )
        return found

    def _request(self, question: Any, **facts: Any) -> Any:
        return question(display=self._display.display, defer=True, **facts)

    def _request_property(self, xid: int, name: str) -> Any:
        return self._request(
            request.GetProperty,
            delete=False,
            window=xid,
            property=self._atom(name),
            type=X.AnyPropertyType,
            long_offset=0,
            long_length=_LONGEST,
        )


def _reply(question: Any) -> Any:
    try:
        question.reply()
    except _GONE:
        return None
    return question


def _value(answer: Any) -> Any:
    return None if answer is None or not answer.property_type else answer.value[1]


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value or "")


def inside(box: Box, x: int, y: int) -> Point:
    """Return the desktop pixel of a place in a box; negative numbers count from its right or bottom edge."""
    return box.x + (x if x >= 0 else box.w + x), box.y + (y if y >= 0 else box.h + y)


def wait_for_ring(windows: Windows) -> None:
    """Wait until there is a ring, for as long as a person would look for it; there may be nothing to ring."""
    with suppress(EnvironmentFault):
        poll(lambda: ringed(windows), what="the ring", timeout_s=RINGED_S)


def ringed(windows: Windows) -> Box | None:
    """Return the box that is ringed; None without a ring."""
    strips = [
        window.box for window in windows.list_all() if window.title == SPOTLIGHT_TITLE and _STRIP in window.box[2:]
    ]
    if not strips:
        return None
    left, top = min(strip.x for strip in strips) + _INSET, min(strip.y for strip in strips) + _INSET
    right = max(strip.x + strip.w for strip in strips) - _INSET
    bottom = max(strip.y + strip.h for strip in strips) - _INSET
    return Box(left, top, max(right - left, 1), max(bottom - top, 1))
