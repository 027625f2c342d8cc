"""The rules of the fence: which windows may be seen, and what of the screen and of the input is closed for them.

Pure: it takes the states the desktop passed through and a time, and knows nothing of X11, pixels or threads. It errs
on the side of covering: what is not yet known to be harmless is treated as if it were not, and what was closed stays
so for a moment after its window has gone, because the pixels under it are painted over late.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import TypeVar

from daemon.capture.backend import DesktopWindow, Scene, intersection
from daemon.capture.fence.seeds import (
    EXCLUDED_APPS,
    LOCK_SCREENS,
    MARKED_BROWSERS,
    NORMAL_TABS,
    PRIVATE_TITLES,
    UNMARKED_BROWSERS,
    VAULT_TITLES,
)
from storage.clock import NS_PER_S
from storage.records import Box
from storage.settings import FenceSettings

OWN_APP = "kairos"
LINGER_NS = NS_PER_S // 2
_MAX_PIECES = 256
_TAB_ENDS = (" - ", " — ", " \N{EN DASH} ")

K = TypeVar("K")


class Visibility(StrEnum):
    """What the fence makes of a window."""

    ALLOWED = "allowed"
    OWN = "own"
    COVERED = "covered"
    UNSETTLED = "unsettled"


class Keys(IntEnum):
    """What becomes of keys; the larger value wins where several states were passed through."""

    OPEN = 0
    OWN = 1
    UNKNOWN = 2
    CLOSED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Zones:
    """What is closed: `covered` rectangles, `own` visible parts of our windows, and the keys."""

    covered: frozenset[Box] = field(default_factory=frozenset)
    own: frozenset[Box] = field(default_factory=frozenset)
    keys: Keys = Keys.OPEN

    def __or__(self, other: "Zones") -> "Zones":
        """Return what is closed in either."""
        if self == other:
            return self
        return Zones(covered=self.covered | other.covered, own=self.own | other.own, keys=max(self.keys, other.keys))


class Fence:
    """Judges windows and says what is closed. It remembers which browser windows have shown what they are."""

    def __init__(self, settings: FenceSettings, own_pid: int) -> None:
        """Take the person's additions to the seeded lists, and the process whose windows are our own."""
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
        self._lingering_keys: dict[Keys, int] = {}
        self._scene = Scene(t_ns=0)
        self._looked = False
        self._sights: Mapping[int, Visibility] = {}
        self._zones = Zones()
        self._next_ns: int | None = None

    @property
    def scene(self) -> Scene:
        """The newest state seen."""
        return self._scene

    @property
    def zones(self) -> Zones:
        """What is closed now."""
        return self._zones

    @property
    def next_ns(self) -> int | None:
        """When `zones` will change by the passing of time alone, and `see` should be called again."""
        return self._next_ns

    @property
    def titles_matter(self) -> bool:
        """Whether a change of title alone may close a window that is open now."""
        return bool(self._titles) or any(
            is_browser(window) for window in self._scene.windows if self._sights[window.client] is Visibility.ALLOWED
        )

    @property
    def locked(self) -> bool:
        """Whether a lock screen is up."""
        return any(_names(window) & LOCK_SCREENS for window in self._scene.windows)

    def sight(self, client: int) -> Visibility | None:
        """Return what was made of a window of the newest state; None if it is not there."""
        return self._sights.get(client)

    def see(self, scenes: Sequence[Scene], now_ns: int) -> Zones:
        """Pass through states, oldest first, up to now; return what was closed in any of them."""
        if not scenes and (self._next_ns is None or now_ns < self._next_ns):
            return self._zones
        passed = self._zones
        for scene in scenes:
            self._scene = scene
            passed |= self._judge(scene.t_ns)
        return passed | self._judge(now_ns)

    # ------------------------------------------------------------ windows

    def _judge(self, now_ns: int) -> Zones:
        scene = self._scene
        sights = {window.client: self._sight(window, now_ns) for window in scene.windows}
        shut_groups = {
            window.group
            for window in scene.windows
            if sights[window.client] in (Visibility.COVERED, Visibility.UNSETTLED)
        }
        own_groups = {window.group for window in scene.windows if sights[window.client] is Visibility.OWN}
        for window in scene.windows:
            sights[window.client] = self._inherited(window, sights, shut_groups, own_groups)
        alive = scene.hidden | sights.keys()
        self._normal &= alive
        self._private &= alive
        new = sights.keys() - self._sights.keys() if self._looked else set()
        self._sights, self._looked = sights, True
        covered, own = self._visible(scene, sights)
        keys = self._key_state(scene, sights, covered, new)
        return self._with_linger(Zones(covered=covered, own=own, keys=keys), now_ns)

    def _sight(self, window: DesktopWindow, now_ns: int) -> Visibility:
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
        return self._unmarked_sight(window, title, marked=marked)

    def _unmarked_sight(self, window: DesktopWindow, title: str, *, marked: bool) -> Visibility:
        """Judge a browser window whose title does not say "private" all the time."""
        if not marked and any(title.startswith(tab + end) for tab in NORMAL_TABS for end in _TAB_ENDS):
            self._normal.add(window.client)
            self._private.discard(window.client)
        elif marked and window.client not in self._normal:
            self._private.add(window.client)
        if marked or window.client in self._private:
            return Visibility.COVERED
        return Visibility.UNSETTLED if self._cover_unknown and window.client not in self._normal else Visibility.ALLOWED

    def _inherited(
        self, window: DesktopWindow, sights: Mapping[int, Visibility], shut_groups: set[int], own_groups: set[int]
    ) -> Visibility:
        """Give menus, tool tips and dialogs what their application's or their parent's window has."""
        sight = sights[window.client]
        if sight is Visibility.COVERED or sight is Visibility.OWN:
            return sight
        if window.group in own_groups:
            return Visibility.OWN
        parent = sights.get(window.transient_for)
        if parent in (Visibility.COVERED, Visibility.UNSETTLED):
            return Visibility.COVERED
        if parent is None and (window.popup or window.dialog) and window.group in shut_groups:
            return Visibility.COVERED
        return sight

    # ------------------------------------------------------------ rectangles and keys

    def _visible(self, scene: Scene, sights: Mapping[int, Visibility]) -> tuple[frozenset[Box], frozenset[Box]]:
        covered: set[Box] = set()
        own: set[Box] = set()
        above: list[Box] = []
        for window in reversed(scene.windows):
            sight = sights[window.client]
            if sight is not Visibility.ALLOWED:
                pieces = remainder(window.box, above)
                if pieces and sight is Visibility.OWN:
                    own.update(pieces)
                elif pieces:
                    covered.add(window.box)
            if window.opaque and (not scene.compositor or window.client == scene.active):
                above.append(window.box)
        return frozenset(covered), frozenset(own)

    def _key_state(
        self, scene: Scene, sights: Mapping[int, Visibility], covered: frozenset[Box], new: set[int]
    ) -> Keys:
        """Judge the keys; a window that is `new` may have held them and lost them before anybody could be told."""
        holders = scene.focused | ({scene.active} if scene.active else set())
        shut = (Visibility.COVERED, Visibility.UNSETTLED)
        if any(sights.get(client) in shut for client in holders | new):
            return Keys.CLOSED
        if any(window.popup and sights[window.client] in shut and window.box in covered for window in scene.windows):
            return Keys.CLOSED  # prompts without a frame take the keyboard to themselves
        if any(sights.get(client) is Visibility.OWN for client in holders):
            return Keys.OWN
        if scene.managed and scene.active == 0 and not any(client in sights for client in holders):
            return Keys.UNKNOWN
        return Keys.OPEN

    def _with_linger(self, fresh: Zones, now_ns: int) -> Zones:
        """Keep closed for a moment what was closed until now."""
        before, self._fresh = self._fresh, fresh
        shut = [keys for keys in (before.keys, fresh.keys) if keys is Keys.CLOSED]
        self._lingering = _aged(self._lingering, before.covered | fresh.covered, now_ns)
        self._lingering_own = _aged(self._lingering_own, before.own | fresh.own, now_ns)
        self._lingering_keys = _aged(self._lingering_keys, shut, now_ns)
        self._zones = Zones(
            covered=frozenset(self._lingering),
            own=frozenset(self._lingering_own),
            keys=max(fresh.keys, *self._lingering_keys) if self._lingering_keys else fresh.keys,
        )
        ends = [t for box, t in self._lingering.items() if box not in fresh.covered]
        ends += [t for box, t in self._lingering_own.items() if box not in fresh.own]
        ends += [t for keys, t in self._lingering_keys.items() if keys > fresh.keys]
        ends += [
            window.since_ns + self._settle_ns
            for window in self._scene.windows
            if self._sights[window.client] is Visibility.UNSETTLED and _begins(window, MARKED_BROWSERS)
        ]
        self._next_ns = min(ends, default=None)
        return self._zones


def is_browser(window: DesktopWindow) -> bool:
    """Tell whether a window belongs to a browser; its web applications (`crx_`) have no private windows."""
    if window.instance is not None and window.instance.lower().startswith("crx_"):
        return False
    return _begins(window, MARKED_BROWSERS) or _begins(window, UNMARKED_BROWSERS)


def remainder(box: Box, above: Iterable[Box]) -> list[Box]:
    """Return the parts of `box` that no rectangle of `above` hides; the whole box where that gets too intricate."""
    pieces = [box] if box.w > 0 and box.h > 0 else []
    for cover in above:
        pieces = [part for piece in pieces for part in _without(piece, cover)]
        if len(pieces) > _MAX_PIECES:
            return [box]
    return pieces


def holds(boxes: Iterable[Box], x: int, y: int) -> bool:
    """Tell whether a point lies in any of the boxes."""
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


def _aged(until: dict[K, int], present: Iterable[K], now_ns: int) -> dict[K, int]:
    """Return what is present with a new end, and of the rest what has not come to its end."""
    left = {key: end_ns for key, end_ns in until.items() if end_ns > now_ns}
    return left | dict.fromkeys(present, now_ns + LINGER_NS)


def _names(window: DesktopWindow) -> set[str]:
    return {name.lower() for name in (window.app, window.instance) if name}


def _begins(window: DesktopWindow, beginnings: tuple[str, ...]) -> bool:
    return any(name.startswith(beginnings) for name in _names(window))
