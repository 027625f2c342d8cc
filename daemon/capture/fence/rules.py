"""The rules of the fence: which windows may be seen, and which parts of the screen and of the input are closed.

Pure: it takes the states that the desktop passed through and a time, and knows no backend, pixels or threads. It errs
on the side of covering: a window not yet known to be harmless is covered, and what was closed stays closed for a
moment after its window is gone, because the pixels under it are painted over late.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import TypeVar

from daemon.capture.fence.builtin_lists import (
    EXCLUDED_APPS,
    LOCK_SCREENS,
    MARKED_BROWSERS,
    NORMAL_TABS,
    PRIVATE_TITLES,
    UNMARKED_BROWSERS,
    VAULT_TITLES,
)
from daemon.capture.scene import DesktopWindow, Scene, intersection
from storage.clock import NS_PER_S
from storage.records import Box
from storage.settings import FenceSettings

OWN_APP = "kairos"
LINGER_NS = NS_PER_S // 2
_MAX_PIECES = 256
_TAB_ENDS = (" - ", " — ", " \N{EN DASH} ")

K = TypeVar("K")


class Visibility(StrEnum):
    """How the fence treats a window."""

    ALLOWED = "allowed"
    OWN = "own"
    COVERED = "covered"
    UNSETTLED = "unsettled"


_CLOSED = (Visibility.COVERED, Visibility.UNSETTLED)


class KeyAccess(IntEnum):
    """How keys are treated; the largest value counts where several states were passed through."""

    OPEN = 0
    OWN = 1
    UNKNOWN = 2
    CLOSED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Zones:
    """What is closed: `covered` rectangles, `own` visible parts of our windows, and the keys."""

    covered: frozenset[Box] = field(default_factory=frozenset)
    own: frozenset[Box] = field(default_factory=frozenset)
    keys: KeyAccess = KeyAccess.OPEN

    def __or__(self, other: "Zones") -> "Zones":
        """Return what is closed in either."""
        if self == other:
            return self
        return Zones(covered=self.covered | other.covered, own=self.own | other.own, keys=max(self.keys, other.keys))

    def same_boxes(self, other: "Zones") -> bool:
        """Return whether both close the same parts of the screen."""
        return (self.covered, self.own) == (other.covered, other.own)


class Fence:
    """Classifies windows and computes what is closed; remembers which browser windows are normal or private."""

    def __init__(self, settings: FenceSettings, own_pid: int) -> None:
        """Take the user's additions to the built-in lists, and the process whose windows are our own."""
        self._apps = EXCLUDED_APPS | LOCK_SCREENS | {app.lower() for app in settings.excluded_apps}
        self._titles = tuple(part.lower() for part in settings.excluded_titles if part)
        self._settle_ns = round(settings.settle_s * NS_PER_S)
        self._cover_unknown = settings.cover_unknown_browsers
        self._own_pid = own_pid
        self._normal: set[int] = set()
        self._private: set[int] = set()
        self._fresh = Zones()
        self._lingering: dict[Box, int] = {}
        self._lingering_own: dict[Box, int] = {}
        self._lingering_keys: dict[KeyAccess, int] = {}
        self.scene = Scene(t_ns=0)
        """The newest state."""
        self.zones = Zones()
        """What is closed now."""
        self.next_ns: int | None = None
        """When `zones` will change by time alone, and `update` should be called again."""
        self._has_scene = False
        self._visibilities: Mapping[int, Visibility] = {}

    @property
    def titles_matter(self) -> bool:
        """Whether a change of title alone may close a window that is open now."""
        return bool(self._titles) or any(
            is_browser(window)
            for window in self.scene.windows
            if self._visibilities[window.client] is Visibility.ALLOWED
        )

    @property
    def locked(self) -> bool:
        """Whether a lock screen is up."""
        return any(_names(window) & LOCK_SCREENS for window in self.scene.windows)

    def visibility(self, client: int) -> Visibility | None:
        """Return how a window of the newest state is treated; None if it is not there."""
        return self._visibilities.get(client)

    def update(self, scenes: Sequence[Scene], now_ns: int) -> Zones:
        """Take in states, oldest first, up to now; return what was closed in any of them."""
        if not scenes and (self.next_ns is None or now_ns < self.next_ns):
            return self.zones
        passed = self.zones
        for scene in scenes:
            self.scene = scene
            passed |= self._apply(scene.t_ns)
        return passed | self._apply(now_ns)

    def _apply(self, now_ns: int) -> Zones:
        scene = self.scene
        states = {window.client: self._classify(window, now_ns) for window in scene.windows}
        closed_groups = {window.group for window in scene.windows if states[window.client] in _CLOSED}
        own_groups = {window.group for window in scene.windows if states[window.client] is Visibility.OWN}
        for window in scene.windows:
            states[window.client] = _inherited(window, states, closed_groups, own_groups)
        existing = scene.hidden | states.keys()
        self._normal &= existing
        self._private &= existing
        new = states.keys() - self._visibilities.keys() if self._has_scene else set()
        self._visibilities, self._has_scene = states, True
        covered, own = _closed_boxes(scene, states)
        keys = _key_state(scene, states, covered, new)
        return self._linger(Zones(covered=covered, own=own, keys=keys), now_ns)

    def _classify(self, window: DesktopWindow, now_ns: int) -> Visibility:
        if window.app is None:
            return Visibility.UNSETTLED
        if window.pid == self._own_pid and window.app.lower() == OWN_APP:
            return Visibility.OWN
        title = window.title.lower()
        if _names(window) & self._apps or any(part in title for part in self._titles):
            return Visibility.COVERED
        if not is_browser(window):
            return Visibility.ALLOWED
        if any(part in title for part in VAULT_TITLES):
            return Visibility.COVERED
        marked = any(part in title for part in PRIVATE_TITLES)
        if _begins(window, MARKED_BROWSERS):
            young = now_ns < window.since_ns + self._settle_ns
            return Visibility.COVERED if marked else Visibility.UNSETTLED if young else Visibility.ALLOWED
        return self._unmarked_visibility(window, title, marked=marked)

    def _unmarked_visibility(self, window: DesktopWindow, title: str, *, marked: bool) -> Visibility:
        """Classify a browser window whose title does not always say "private"."""
        if not marked and any(title.startswith(tab + end) for tab in NORMAL_TABS for end in _TAB_ENDS):
            self._normal.add(window.client)
            self._private.discard(window.client)
        elif marked and window.client not in self._normal:
            self._private.add(window.client)
        if marked or window.client in self._private:
            return Visibility.COVERED
        return Visibility.UNSETTLED if self._cover_unknown and window.client not in self._normal else Visibility.ALLOWED

    def _linger(self, fresh: Zones, now_ns: int) -> Zones:
        """Keep what was closed until now closed for `LINGER_NS`."""
        before, self._fresh = self._fresh, fresh
        closed = [keys for keys in (before.keys, fresh.keys) if keys is KeyAccess.CLOSED]
        self._lingering = _extended(self._lingering, before.covered | fresh.covered, now_ns)
        self._lingering_own = _extended(self._lingering_own, before.own | fresh.own, now_ns)
        self._lingering_keys = _extended(self._lingering_keys, closed, now_ns)
        self.zones = Zones(
            covered=frozenset(self._lingering),
            own=frozenset(self._lingering_own),
            keys=max(fresh.keys, *self._lingering_keys) if self._lingering_keys else fresh.keys,
        )
        ends = [t for box, t in self._lingering.items() if box not in fresh.covered]
        ends += [t for box, t in self._lingering_own.items() if box not in fresh.own]
        ends += [t for keys, t in self._lingering_keys.items() if keys > fresh.keys]
        ends += [
            window.since_ns + self._settle_ns
            for window in self.scene.windows
            if self._visibilities[window.client] is Visibility.UNSETTLED and _begins(window, MARKED_BROWSERS)
        ]
        self.next_ns = min(ends, default=None)
        return self.zones


def _inherited(
    window: DesktopWindow, states: Mapping[int, Visibility], closed_groups: set[int], own_groups: set[int]
) -> Visibility:
    """Treat menus, tool tips and dialogs like the window of their application or their parent."""
    state = states[window.client]
    if state in (Visibility.COVERED, Visibility.OWN):
        return state
    if window.group in own_groups:
        return Visibility.OWN
    parent = states.get(window.transient_for)
    orphan = parent is None and (window.popup or window.dialog)
    return Visibility.COVERED if parent in _CLOSED or (orphan and window.group in closed_groups) else state


def _closed_boxes(scene: Scene, states: Mapping[int, Visibility]) -> tuple[frozenset[Box], frozenset[Box]]:
    """Return what is covered, and the visible parts of our own windows."""
    covered: set[Box] = set()
    own: set[Box] = set()
    above: list[Box] = []
    for window in reversed(scene.windows):
        state = states[window.client]
        if state is not Visibility.ALLOWED:
            pieces = remainder(window.box, above)
            if pieces and state is Visibility.OWN:
                own.update(pieces)
            elif pieces:
                covered.add(window.box)
        if window.opaque and (not scene.compositor or window.client == scene.active):
            above.append(window.box)
    return frozenset(covered), frozenset(own)


def _key_state(scene: Scene, states: Mapping[int, Visibility], covered: frozenset[Box], new: set[int]) -> KeyAccess:
    """Return how keys are treated; a `new` window may have held them and lost them before it was reported."""
    holders = scene.focused | ({scene.active} if scene.active else set())
    if any(states.get(client) in _CLOSED for client in holders | new):
        return KeyAccess.CLOSED
    if any(window.popup and states[window.client] in _CLOSED and window.box in covered for window in scene.windows):
        return KeyAccess.CLOSED  # prompts without a frame take the keyboard to themselves
    if any(states.get(client) is Visibility.OWN for client in holders):
        return KeyAccess.OWN
    if scene.managed and scene.active == 0 and not any(client in states for client in holders):
        return KeyAccess.UNKNOWN
    return KeyAccess.OPEN


def is_browser(window: DesktopWindow) -> bool:
    """Return whether a window belongs to a browser; its web applications (`crx_`) have no private windows."""
    if window.instance is not None and window.instance.lower().startswith("crx_"):
        return False
    return _begins(window, MARKED_BROWSERS) or _begins(window, UNMARKED_BROWSERS)


def remainder(box: Box, above: Iterable[Box]) -> list[Box]:
    """Return the parts of `box` not hidden by any box of `above`; the whole box where there are too many parts."""
    pieces = [box] if box.w > 0 and box.h > 0 else []
    for cover in above:
        pieces = [part for piece in pieces for part in _without(piece, cover)]
        if len(pieces) > _MAX_PIECES:
            return [box]
    return pieces


def contains(boxes: Iterable[Box], x: int, y: int) -> bool:
    """Return whether a point lies in any of the boxes."""
    return any(box.x <= x < box.x + box.w and box.y <= y < box.y + box.h for box in boxes)


def _without(piece: Box, cover: Box) -> list[Box]:
    shared = intersection(piece, cover)
    if shared is None:
        return [piece]
    right, bottom = piece.x + piece.w, piece.y + piece.h
    shared_right, shared_bottom = shared.x + shared.w, shared.y + shared.h
    parts = (
        Box(piece.x, piece.y, piece.w, shared.y - piece.y),
        Box(piece.x, shared_bottom, piece.w, bottom - shared_bottom),
        Box(piece.x, shared.y, shared.x - piece.x, shared.h),
        Box(shared_right, shared.y, right - shared_right, shared.h),
    )
    return [part for part in parts if part.w > 0 and part.h > 0]


def _extended(until: dict[K, int], present: Iterable[K], now_ns: int) -> dict[K, int]:
    """Return what is present with a new end, and what else has not reached its end."""
    left = {key: end_ns for key, end_ns in until.items() if end_ns > now_ns}
    return left | dict.fromkeys(present, now_ns + LINGER_NS)


def _names(window: DesktopWindow) -> set[str]:
    return {name.lower() for name in (window.app, window.instance) if name}


def _begins(window: DesktopWindow, beginnings: tuple[str, ...]) -> bool:
    return any(name.startswith(beginnings) for name in _names(window))
