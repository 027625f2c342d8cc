"""Has the commands of a window read when it comes to the front for the first time, once nobody has typed for a moment.

So they are there when somebody asks. What was read is kept where it was read, and forgotten there.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence

from daemon.help.commands.command import RequestCommands
from storage.clock import NS_PER_S, Clock
from storage.ports import CommandList
from storage.records import Focus, InputEvent, Record

FIRST_NS, IDLE_NS = NS_PER_S // 2, 3 * NS_PER_S // 2
"""For how long there must have been no input, and the window have been in front: at first, and at each further try."""

MAX_TRIES = 3
MAX_WINDOWS = 50


class CommandPrefetch:
    """Observes the rows of a session, in the core's thread."""

    def __init__(self, request_commands: RequestCommands, clock: Clock) -> None:
        self._request = request_commands
        self._clock = clock
        self._tries: OrderedDict[tuple[str, int], int] = OrderedDict()
        self._front: tuple[str, int] | None = None
        self._window: tuple[str, int] | None = None
        """The window in front, while it is to be read."""

        self._quiet_since_ns = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin; `loop` is the core's."""
        self._loop = loop

    def stop(self) -> None:
        """End, and have nothing read any more."""
        self._loop = None
        if self._timer is not None:
            self._timer.cancel()

    def observe(self, rows: Sequence[Record]) -> None:
        """Look at the rows of one step."""
        for row in rows:
            if isinstance(row, Focus):
                has_menus = row.app and not row.own and not row.dialog
                self._front = (row.app, row.window) if has_menus else None
                self._want_front()
                self._quiet_since_ns = self._clock.now_ns()
            elif isinstance(row, InputEvent):
                self._quiet_since_ns = self._clock.now_ns()
        self._wait()

    def _want_front(self) -> None:
        """Want the window in front read, if it may be tried."""
        self._window = self._front if self._front and self._tries.get(self._front, 0) < MAX_TRIES else None

    def _wait(self) -> None:
        if self._window is not None and self._timer is None and self._loop is not None:
            self._timer = self._loop.call_later(max(0, self._left_ns(self._window)) / NS_PER_S, self._look)

    def _left_ns(self, key: tuple[str, int]) -> int:
        return self._quiet_since_ns + (IDLE_NS if key in self._tries else FIRST_NS) - self._clock.now_ns()

    def _look(self) -> None:
        self._timer = None
        if self._window is None:
            return
        if self._left_ns(self._window) > 0:
            self._wait()
            return
        key, self._window = self._window, None
        self._tries[key] = self._tries.pop(key, 0) + 1
        if len(self._tries) > MAX_WINDOWS:
            self._tries.popitem(last=False)
        self._request(lambda found: self._take(key, found), key[0])

    def _take(self, key: tuple[str, int], found: CommandList | None) -> None:
        """Note that a whole list was read; else it is tried again, at the next quiet moment of the window in front."""
        loop = self._loop
        if found is not None and found.complete:
            if key in self._tries:
                self._tries[key] = MAX_TRIES
        elif loop is not None:
            loop.call_soon_threadsafe(self._try_again, key)

    def _try_again(self, key: tuple[str, int]) -> None:
        if key == self._front:
            self._quiet_since_ns = self._clock.now_ns()
            self._want_front()
            self._wait()
