"""Reports of each rectangle that is painted: on the screen, and by windows into themselves.

The reports of a window hold what it paints with all in it: where it has a picture of its own, all of that; else what is
visible of it. The server's copies are reported like painting when a window moves or changes its size, after the event
that says so: then the window gets new reports. Its copies into a picture that is new are not reported.
"""

import logging
from collections.abc import Iterable
from typing import Any

from Xlib.display import Display
from Xlib.ext import damage
from Xlib.protocol import request

from daemon.capture.x11.windows import WindowTable, is_at_or_after
from storage.clock import NS_PER_S, Clock
from storage.records import Box

logger = logging.getLogger(__name__)

MAX_REPORTS = 2000
"""How many painted rectangles are followed between two looks; where there are more, none for `PAUSE_NS`."""

PAUSE_NS = 5 * NS_PER_S
_MORE = 0x80
"""Set in the level of a damage event whose report goes on with the next one."""


class PaintReports:
    """Tells a table of windows what is painted; used by the thread that owns the connection."""

    def __init__(self, display: Display, clock: Clock, table: WindowTable) -> None:
        self._display = display
        self._root = display.screen().root
        self._clock = clock
        self._table = table
        self._on_screen = 0
        self._by_window: dict[int, int] = {}
        self._windows: dict[int, int] = {}
        self._counted_from: dict[int, int] = {}
        """By number of reports the serial from which on events tell of painting; dropped with the first of them."""
        self._parts: list[Box] = []
        self._count = 0
        self._pause_until_ns = 0

    def watch(self, *, on: bool, inside: frozenset[int]) -> None:
        """Report what is painted on the screen, if `on`, and what these windows paint, children of the root."""
        if on == bool(self._on_screen) and inside == self._by_window.keys():
            return
        may_begin = self._clock.now_ns() >= self._pause_until_ns
        self._end(on_screen=not on, inside=self._by_window.keys() - inside)
        if may_begin and on and not self._on_screen:
            self._on_screen = self._create(self._root)
        if may_begin:
            self._begin_inside(inside - self._by_window.keys())
        self._display.flush()

    def note_look(self) -> None:
        """Note that what was reported has been looked at."""
        self._count = 0

    def take(self, event: Any) -> None:
        """Process a damage event; one of reports that have ended changes nothing."""
        number = event.damage
        first = self._counted_from.get(number)
        if first is not None:
            if not is_at_or_after(event.sequence_number, first):
                return
            del self._counted_from[number]
        self._parts.append(event.area)
        if event.level & _MORE:
            return
        parts, self._parts = self._parts, []
        if number == self._on_screen:
            for part in parts:
                self._table.note_painted(part)
        elif number in self._windows:
            self._table.note_painted_inside(self._windows[number], parts)
        else:
            return
        self._count += len(parts)
        if self._count > MAX_REPORTS:
            logger.debug("too much is painted to be followed")
            self._pause_until_ns = self._clock.now_ns() + PAUSE_NS
            self._end(on_screen=True, inside=tuple(self._by_window))
            self._display.flush()

    def renew(self, event: Any) -> None:
        """Leave out the server's copies where a window, or one in it, gets another place or size by an event."""
        top = self._table.moved_top(event) if self._by_window else 0
        if top in self._by_window:
            self._end(inside=(top,))
            self._begin_inside((top,))
            self._display.flush()

    def _create(self, window: Any) -> int:
        """Begin reports, and tell them from what comes first: everything visible, which nobody painted.

        The number may be that of reports that have just ended; events of those may be on their way.
        """
        number: int = window.damage_create(damage.DamageReportRawRectangles)
        self._counted_from[number] = self._display.display.request_serial  # that of the next request
        request.NoOperation(display=self._display.display)
        return number

    def _begin_inside(self, xids: Iterable[int]) -> None:
        for xid in xids:
            number = self._create(self._display.create_resource_object("window", xid))
            self._by_window[xid], self._windows[number] = number, xid

    def _end(self, *, on_screen: bool = False, inside: Iterable[int] = ()) -> None:
        ended = [self._on_screen] if on_screen and self._on_screen else []
        for xid in inside:
            ended.append(self._by_window.pop(xid))
            del self._windows[ended[-1]]
        if on_screen:
            self._on_screen = 0
        for number in ended:
            self._display.damage_destroy(number)  # an error where it went with its window
            self._counted_from.pop(number, None)
