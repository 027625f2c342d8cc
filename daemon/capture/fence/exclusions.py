"""What a person excludes while Kairos runs: only ever more, and in force before the next look at the screen."""

import threading
from collections.abc import Callable
from dataclasses import replace

from storage.settings import FenceSettings


class Exclusions:
    """The lists of excluded programs and titles in force. Safe from any thread.

    The capture thread reads `fence` before each look, so what is excluded counts once `tighten` has returned and the
    look in progress is over. Nothing is ever taken off a list: that is left to the next start, because a mistake in a
    file must not open what was closed.
    """

    def __init__(self, fence: FenceSettings) -> None:
        self._lock = threading.Lock()
        self._fence = fence
        self._changed: Callable[[], None] = lambda: None

    def watch(self, changed: Callable[[], None]) -> None:
        """Have `changed` called after each `tighten` that excludes more, in its thread; in place of any before."""
        self._changed = changed

    def unwatch(self, changed: Callable[[], None]) -> None:
        """Call and keep `changed` no longer."""
        if self._changed == changed:
            self._changed = lambda: None

    @property
    def fence(self) -> FenceSettings:
        """What is in force; the same object until it changes."""
        return self._fence

    def tighten(self, more: FenceSettings) -> bool:
        """Exclude what `more` excludes besides; return whether that is anything new."""
        with self._lock:
            apps, titles = self._fence.excluded_apps, self._fence.excluded_titles
            more_apps = tuple(app for app in more.excluded_apps if app not in apps)
            more_titles = tuple(title for title in more.excluded_titles if title not in titles)
            if not more_apps and not more_titles:
                return False
            self._fence = replace(self._fence, excluded_apps=apps + more_apps, excluded_titles=titles + more_titles)
        self._changed()
        return True
