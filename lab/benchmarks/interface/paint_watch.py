"""Tells when windows of Kairos came up, as the X server saw it: when each was mapped, and when it had been painted.

A window counts as painted once what was drawn in it since it was mapped covers it. Times are those at which this
process read the server's event, so they are late rather than early.
"""

import select
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from Xlib import X
from Xlib.error import BadWindow
from Xlib.ext import damage

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import CARD_CLASS, open_display, poll
from storage.clock import SystemClock

COVERED = 0.99
"""This much of a window must have been drawn; where it has round corners they never are."""

_WAIT_S = 0.5


@dataclass(slots=True)
class Appearance:
    """One window: its title, when it was mapped and first wholly drawn, and what was drawn of it, in pixels by time.

    A time is 0 until it has come.
    """

    xid: int
    title: str = ""
    mapped_ns: int = 0
    painted_ns: int = 0
    drawn: list[tuple[int, int]] = field(default_factory=list)
    _seen: NDArray[np.bool_] | None = None

    def draw(self, at_ns: int, area: tuple[int, int, int, int], size: tuple[int, int]) -> None:
        """Take in that a rectangle of a window of this size was drawn."""
        x, y, width, height = area
        if self._seen is None or self._seen.shape != (size[1], size[0]):
            self._seen = np.zeros((size[1], size[0]), np.bool_)
        self._seen[max(0, y) : max(0, y + height), max(0, x) : max(0, x + width)] = True
        self.drawn.append((at_ns, width * height))
        if not self.painted_ns and self._seen.mean() >= COVERED:
            self.painted_ns = at_ns

    def settled_ns(self, pixels: int) -> int:
        """Return when at least so many pixels were drawn at once for the last time; 0 if never."""
        return max((at_ns for at_ns, drawn in self.drawn if drawn >= pixels), default=0)


class PaintWatch:
    """Watches a desktop in a thread of its own, over a connection of its own, from `with` to its end."""

    def __init__(self, desktop: VirtualDesktop, app: str = CARD_CLASS) -> None:
        """Watch windows of this class."""
        self._app = app
        self._clock = SystemClock()
        self._display: Any = open_display(desktop.env)
        self._display.set_error_handler(_ignore)  # a window has gone again, or takes no picture
        self._root = self._display.screen().root
        self._windows: dict[int, Appearance] = {}
        self._of_app: list[Appearance] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="paint-watch")

    def __enter__(self) -> Self:
        """Begin to watch; what is already there is not watched."""
        self._display.damage_query_version()
        self._root.change_attributes(event_mask=X.SubstructureNotifyMask)
        self._display.sync()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End."""
        self._ended.set()
        self._thread.join()
        self._display.close()

    def found(self, title: str = "") -> list[Appearance]:
        """Return the windows that were mapped so far, first come first, whose title contains this."""
        return [appearance for appearance in list(self._of_app) if title in appearance.title]

    def wait(self, title: str, *, timeout_s: float = 20.0) -> Appearance:
        """Wait until the newest window of this title has been painted, and return it.

        Raises:
            EnvironmentFault: there is none within `timeout_s`.
        """
        return poll(self._painted(title), what=f'painting a window "{title}"', timeout_s=timeout_s)

    def _painted(self, title: str) -> Callable[[], Appearance | None]:
        def newest() -> Appearance | None:
            windows = self.found(title)
            return windows[-1] if windows and windows[-1].painted_ns else None

        return newest

    def _run(self) -> None:
        while not self._ended.is_set():
            while self._display.pending_events():
                self._take(self._display.next_event(), self._clock.now_ns())
            self._display.flush()
            select.select([self._display.fileno()], [], [], _WAIT_S)

    def _take(self, event: Any, now_ns: int) -> None:
        if event.type == self._display.extension_event.DamageNotify:
            window = self._windows.get(getattr(event.drawable, "id", event.drawable))
            if window is not None and window.mapped_ns:
                area, whole = event.area, event.drawable_geometry
                window.draw(now_ns, (area.x, area.y, area.width, area.height), (whole.width, whole.height))
        elif event.type == X.CreateNotify:
            window_id = event.window.id
            self._windows[window_id] = Appearance(window_id)
            event.window.change_attributes(event_mask=X.StructureNotifyMask)
            event.window.damage_create(damage.DamageReportRawRectangles)
        elif event.type == X.MapNotify:
            self._map(event.window, now_ns)

    def _map(self, window: Any, now_ns: int) -> None:
        appearance = self._windows.get(window.id)
        if appearance is None or appearance.mapped_ns:
            return
        try:
            classes = window.get_wm_class()
            title = window.get_full_text_property(self._display.intern_atom("_NET_WM_NAME"))
        except BadWindow:
            return
        if classes is not None and self._app in classes:
            appearance.title, appearance.mapped_ns = str(title or ""), now_ns
            self._of_app.append(appearance)


def _ignore(*_: object) -> None:
    """Take an error about a window that cannot be watched."""
