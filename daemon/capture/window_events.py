"""Turns window changes into records: the active window, windows that opened or closed, the state of the desktop.

Excluded windows leave no record but that the fence is on; of a browser's window that may be private there are program
and place, no title. Titles leave this module only as keyed digests, unless the user agreed to a recording.
"""

import hashlib
from collections.abc import Callable
from dataclasses import replace

from daemon.capture.accessibility.digests import ControlWords
from daemon.capture.fence.rules import OWN_APP, Fence, Visibility
from daemon.capture.scene import DesktopWindow, Scene
from storage.clock import NS_PER_S
from storage.records import Box, Environment, Focus, Record, Switch, SwitchName, WindowEvent

DETAIL_NS = NS_PER_S
"""A new title or position of the same window is reported at most this often."""

YOUNG_NS = 2 * NS_PER_S
"""How long a window of unknown kind does not turn the fence on: most are known after a moment."""

MAX_TITLE = 512
"""Longer titles are cut; the fence has seen them whole."""

_NO_BOX = Box(0, 0, 0, 0)
_REPORTED = (Visibility.ALLOWED, Visibility.UNKNOWN)


class WindowEventEmitter:
    """Compares each state of the desktop with what was reported last."""

    def __init__(self, key: bytes, *, record_titles: bool, words: ControlWords | None = None) -> None:
        """Take the session's key, whether titles may be stored, and where their words are for a while."""
        self._words = words
        self._key = key
        self._record_titles = record_titles
        self._numbers: dict[int, int] = {}
        self._last_number = 0
        self._focus: Focus | None = None
        self._focus_ns = 0
        self._open: dict[int, DesktopWindow] | None = None
        self._excluded = False
        self._environment: Environment | None = None
        self.due_ns: int | None = None
        """When a change that was held back should be reported."""

    def emit(self, fence: Fence, environment: Callable[[Scene], Environment], now_ns: int) -> list[Record]:
        """Return the records of all changes since the last call."""
        self.due_ns = None
        scene = fence.scene
        active = active_window(scene)
        existing = scene.clients  # a closed window's id may be reused
        self._numbers = {client: number for client, number in self._numbers.items() if client in existing}
        records: list[Record] = [*self._window_records(fence, scene, now_ns)]
        records += self._switch_records(fence, now_ns)
        records += self._focus_records(fence, active, now_ns)
        state = environment(scene)
        if state != self._environment:
            self._environment = state
            records.append(state)
        return records

    def forget_focus(self) -> None:
        """Report the active window again the next time: the gate was closed, and what its title says was forgotten."""
        self._focus = None

    def closing_records(self) -> list[Record]:
        """Return the records for a desktop that is gone: nothing excluded is on it any more."""
        was_excluded, self._excluded = self._excluded, False
        return [Switch(name=SwitchName.EXCLUDED, on=False, by="system")] if was_excluded else []

    def _window_records(self, fence: Fence, scene: Scene, now_ns: int) -> list[Record]:
        before = self._open
        allowed = {w.xid: w for w in scene.windows if fence.visibility(w.client) in _REPORTED}
        self._open = allowed
        if before is None:
            return []
        present = {window.xid for window in scene.windows}
        gone = [window for xid, window in before.items() if xid not in present]
        new = [window for xid, window in allowed.items() if xid not in before]
        return [
            WindowEvent(t_ns=now_ns, app=window.app or "", popup=window.popup, gone=is_gone, geometry=window.box)
            for windows, is_gone in ((gone, True), (new, False))
            for window in windows
        ]

    def _switch_records(self, fence: Fence, now_ns: int) -> list[Record]:
        on, since_ns = fence.excludes_keys, fence.unsettled_since_ns
        if not on and since_ns is not None:
            on = now_ns >= since_ns + YOUNG_NS
            if not on:
                self._wake_at(since_ns + YOUNG_NS)
        if on == self._excluded:
            return []
        self._excluded = on
        return [Switch(name=SwitchName.EXCLUDED, on=on, by="fence")]

    def _focus_records(self, fence: Fence, active: DesktopWindow | None, now_ns: int) -> list[Record]:
        visibility = fence.visibility(active.client) if active is not None else None
        if active is None or visibility not in (*_REPORTED, Visibility.OWN):
            fresh = Focus(t_ns=now_ns, app="", window=0, title_digest="", geometry=_NO_BOX)
        elif visibility is Visibility.OWN:
            fresh = Focus(t_ns=now_ns, app=OWN_APP, window=0, title_digest="", geometry=active.box, own=True)
        else:
            shows_title = visibility is Visibility.ALLOWED
            title = active.title[:MAX_TITLE]
            fresh = Focus(
                t_ns=now_ns,
                app=active.app or "",
                window=self._number(active.client),
                title_digest=self._digest(title) if shows_title else "",
                geometry=active.box,
                dialog=active.dialog,
                title=title if shows_title and self._record_titles else None,
            )
        last = self._focus
        if last is not None and replace(last, t_ns=fresh.t_ns, title=fresh.title) == fresh:
            return []
        if last is not None and last.window == fresh.window and last.own == fresh.own:
            due_ns = self._focus_ns + DETAIL_NS
            if now_ns < due_ns:
                self._wake_at(due_ns)
                return []
        self._focus, self._focus_ns = fresh, now_ns
        if self._words is not None and active is not None and fresh.title_digest:
            self._words.remember(fresh.title_digest, active.title, now_ns)
        return [fresh]

    def _wake_at(self, due_ns: int) -> None:
        self.due_ns = due_ns if self.due_ns is None else min(self.due_ns, due_ns)

    def _digest(self, title: str) -> str:
        return hashlib.blake2b(title.encode(), key=self._key, digest_size=8).hexdigest()

    def _number(self, client: int) -> int:
        if client not in self._numbers:
            self._last_number += 1
            self._numbers[client] = self._last_number
        return self._numbers[client]


def fills_screen(scene: Scene) -> bool:
    """Return whether the active program fills a whole screen, if only with another of its windows.

    Presentations with notes on a second screen, and a dialog over a full-screen window, look like that. While no window
    is active, or one that is not on the screen yet, any full-screen window counts.
    """
    active = active_window(scene)
    return any(w.full_screen and (active is None or w.group == active.group) for w in scene.windows)


def active_window(scene: Scene) -> DesktopWindow | None:
    """Return the active window; without a window manager the topmost one that holds the keyboard."""
    for window in reversed(scene.windows):
        clients = {window.client, *(part.client for part in window.embedded)}
        if scene.active in clients or (not scene.managed and clients & scene.focused):
            return window
    return None
