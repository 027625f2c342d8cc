"""The command lists of the newest windows, in memory alone, forgotten at a pause; from any thread."""

import threading
from collections import OrderedDict
from collections.abc import Collection

from daemon.capture.control_source import FrontWindow
from storage.clock import NS_PER_S
from storage.ports import CommandList

MAX_WINDOWS = 6
FRESH_NS = 4 * NS_PER_S
"""For how long a list is as good as a new one: what is greyed and checked follows what is selected."""


class CommandStore:
    """Lists by window."""

    def __init__(self) -> None:
        self._lists: OrderedDict[tuple[int, int], CommandList] = OrderedDict()
        self._changed: set[tuple[int, int]] = set()
        self._lock = threading.Lock()

    def keep(self, window: FrontWindow, found: CommandList) -> None:
        """Keep the list of a window; that of the oldest goes."""
        key = window.pid, window.client
        with self._lock:
            self._changed.discard(key)
            self._lists[key] = found
            self._lists.move_to_end(key)
            while len(self._lists) > MAX_WINDOWS:
                self._changed.discard(self._lists.popitem(last=False)[0])

    def find(self, window: FrontWindow) -> CommandList | None:
        """Return the list of a window, however old."""
        with self._lock:
            return self._lists.get((window.pid, window.client))

    def is_fresh(self, window: FrontWindow, now_ns: int) -> bool:
        """Return whether the whole list of a window was read a moment ago, and none of its menus was opened since."""
        found = self.find(window)
        changed = (window.pid, window.client) in self._changed
        return found is not None and found.complete and not changed and now_ns - found.read_ns < FRESH_NS

    def note_opened(self, window: FrontWindow) -> None:
        """Note that a menu of a window was opened, which may have filled or changed it."""
        with self._lock:
            if (window.pid, window.client) in self._lists:
                self._changed.add((window.pid, window.client))

    def forget_all_but(self, pids: Collection[int]) -> None:
        """Forget the lists of all other programs."""
        with self._lock:
            for key in [key for key in self._lists if key[0] not in pids]:
                del self._lists[key]
                self._changed.discard(key)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._lists.clear()
            self._changed.clear()
