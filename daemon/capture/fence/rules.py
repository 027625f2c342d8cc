"""The rules of the fence: which windows may be seen, and which parts of the screen and of the input are closed.

Pure: it takes the states that the desktop passed through and a time, and knows no backend, pixels or threads. It errs
on the side of covering: a window not yet known to be harmless is covered. What was closed stays closed for a moment
after its window is gone, and its pixels until they were painted over.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import TypeVar

from daemon.capture.fence.ledger import ProgramLedger
from daemon.capture.fence.stale import StaleAreas
from daemon.capture.fence.traits import (
    TraitReader,
    WindowTraits,
    as_part_of_browser,
    as_part_of_program,
    is_lock_screen,
)
from daemon.capture.scene import DesktopWindow, Scene, WindowKind, around, intersection, remainder
from storage.clock import NS_PER_S
from storage.records import Box
from storage.settings import FenceSettings

OWN_APP = "kairos"
LINGER_NS = NS_PER_S // 2
GHOST_NS = NS_PER_S
"""The same on a monitor that is closed whole: sway shows a window that it no longer lists until the others have drawn
themselves anew, or for twice .2 s of its own; .33 s were seen on a busy machine."""

NEW_NS = 300_000_000
"""How long the first window of a program, or of a class in it, is covered: some set class and title late."""

LISTED_NS = 2 * NS_PER_S
"""How much longer panels and switchers are covered: they paint a moment after what they listed has gone."""

_MAX_PARENTS = 8

K = TypeVar("K")


class Visibility(StrEnum):
    """How the fence treats a window.

    An `UNKNOWN` one may show what is private or excluded: a browser's window that did not tell, or one that lists
    windows and messages of others. Its pixels and title are covered, its input counts and where it changes.
    """

    ALLOWED = "allowed"
    OWN = "own"
    UNKNOWN = "unknown"
    UNSETTLED = "unsettled"
    COVERED = "covered"


_CLOSED = (Visibility.COVERED, Visibility.UNSETTLED)
_HARMLESS = (Visibility.ALLOWED, Visibility.OWN, Visibility.UNKNOWN)
_SEEN = (Visibility.ALLOWED, Visibility.OWN)
_STRICTNESS = {visibility: number for number, visibility in enumerate(Visibility)}


class Proof(StrEnum):
    """What another sense has proven of a browser's window, for as long as it exists."""

    ORDINARY = "ordinary"
    PRIVATE = "private"


class KeyAccess(IntEnum):
    """How keys are treated; the largest value counts where several states were passed through."""

    OPEN = 0
    OWN = 1
    UNKNOWN = 2
    CLOSED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Zones:
    """What is closed: `covered` rectangles, `veiled` ones whose input counts, `own` parts of our windows, the keys."""

    covered: frozenset[Box] = frozenset()
    veiled: frozenset[Box] = frozenset()
    own: frozenset[Box] = frozenset()
    keys: KeyAccess = KeyAccess.OPEN

    @property
    def hidden(self) -> frozenset[Box]:
        """The rectangles whose pixels are never kept."""
        return self.covered | self.veiled if self.veiled else self.covered

    def __or__(self, other: "Zones") -> "Zones":
        """Return what is closed in either."""
        if self is other or self == other:
            return self
        return Zones(
            covered=self.covered | other.covered,
            veiled=self.veiled | other.veiled,
            own=self.own | other.own,
            keys=max(self.keys, other.keys),
        )

    def same_boxes(self, other: "Zones") -> bool:
        """Return whether both close the same parts of the screen."""
        return (self.covered, self.veiled, self.own) == (other.covered, other.veiled, other.own)


class Fence:
    """Classifies windows and computes what is closed; remembers of each program what its windows were."""

    def __init__(self, settings: FenceSettings, own_pid: int) -> None:
        """Take the user's additions to the built-in lists, and the process whose windows are our own."""
        self._settings = settings
        self._reader = TraitReader(settings.excluded_apps, settings.excluded_titles)
        self._ledger = ProgramLedger()
        self._settle_ns = round(settings.settle_s * NS_PER_S)
        self._cover_unknown = settings.cover_unknown_browsers
        self._own_pid = own_pid
        self._fresh = Zones()
        self._fresh_boxes: dict[int, tuple[Box, Visibility]] = {}
        self._fresh_closers: dict[int, Visibility] = {}
        self._lingering: dict[Box, int] = {}
        self._lingering_veiled: dict[Box, int] = {}
        self._lingering_own: dict[Box, int] = {}
        self._lingering_closers: dict[int, tuple[int, Visibility]] = {}
        self._settling_ns: list[int] = []
        self._has_hidden, self._listed_until_ns = False, 0
        self._keyboards: frozenset[int] = frozenset()
        self._stale = StaleAreas()
        self.scene = Scene(t_ns=0)
        """The newest state."""
        self.zones = Zones()
        """What is closed now."""
        self.next_ns: int | None = None
        """When `zones` will change by time alone, and `update` should be called again."""
        self.excludes_keys = False
        """Whether keys are closed because of a window that is excluded for sure."""
        self._classified: Scene | None = None
        self.visibilities: Mapping[int, Visibility] = {}
        """How the windows of the newest state are treated."""
        self.proofs: Mapping[int, Proof] = {}
        """What is proven of windows; given to `prove`."""
        self.has_shown_excluded = False
        """Whether the screen was locked or showed what is excluded in any of the states taken in last."""
        self.processes: Mapping[int, frozenset[Visibility]] = {}
        """How the windows of each process are treated, hidden ones too, by its number."""

    @property
    def titles_matter(self) -> bool:
        """Whether a change of title alone may close a window that is open now."""
        return bool(self._reader.titles) or any(
            self._reader.traits(window).browser
            for window in self.scene.windows
            if self.visibilities[window.client] is Visibility.ALLOWED
        )

    @property
    def locked(self) -> bool:
        """Whether a lock screen is up."""
        return any(is_lock_screen(window) for window in self.scene.windows)

    @property
    def shows_excluded(self) -> bool:
        """Whether something on the screen is excluded, or was until just now, has the keyboard, or may be for long."""
        is_doubted = self._settle_ns > NS_PER_S and Visibility.UNSETTLED in self.visibilities.values()
        return is_doubted or bool(self._lingering) or self.excludes_keys

    def visibility(self, client: int) -> Visibility | None:
        """Return how a window of the newest state is treated; None if it is not there."""
        return self.visibilities.get(client)

    @property
    def unsettled_since_ns(self) -> int | None:
        """When the oldest window appeared that closes the keys only because it is not known yet; None without one."""
        doubtful = {client for client, state in self._fresh_closers.items() if state is Visibility.UNSETTLED}
        return min((window.since_ns for window in self.scene.windows if window.client in doubtful), default=None)

    @property
    def needs_painting(self) -> bool:
        """Whether the states must say what was painted, because it decides how long something stays closed."""
        return self._stale.needs_painting

    @property
    def needs_painting_inside(self) -> frozenset[int]:
        """The windows (`xid`) of which the states must say what they paint into themselves."""
        return self._stale.needs_painting_inside

    def prove(self, proofs: Mapping[int, Proof]) -> None:
        """Take in what is proven of windows: it may open one that is unknown, never one that is private or excluded."""
        if proofs != self.proofs:
            self.proofs = dict(proofs)
            self._settling_ns, self.next_ns = [0], 0  # classified anew at the next update

    def exclude(self, settings: FenceSettings) -> None:
        """Take in longer lists of excluded programs and titles; they count from the next `update` on."""
        if settings is self._settings:
            return
        self._settings = settings
        self._reader = TraitReader(settings.excluded_apps, settings.excluded_titles)
        self._settling_ns, self.next_ns = [0], 0  # classified anew at the next update

    def update(self, scenes: Sequence[Scene], now_ns: int) -> Zones:
        """Take in states, oldest first, up to now; return what was closed in any of them."""
        passed, is_due = self.zones, self.next_ns is not None and now_ns >= self.next_ns
        self.has_shown_excluded = False
        for scene in scenes:
            is_due |= self._stale.paint(scene.painted, scene.t_ns)
            self._stale.paint_inside(scene.painted_inside, scene.t_ns)
            if not scene.repeats:
                self.scene, is_due = scene, True
                passed |= self._apply(scene.t_ns)
                self.has_shown_excluded |= self.shows_excluded or self.locked
        return passed | self._apply(now_ns) if is_due else passed

    def _apply(self, now_ns: int) -> Zones:
        scene = self.scene
        states, new = self.visibilities, set[int]()
        if scene is not self._classified or any(due_ns <= now_ns for due_ns in self._settling_ns):
            states = self._states(scene, now_ns)
            new = states.keys() - self.visibilities.keys() if self._classified is not None else new
            self.visibilities, self._classified = states, scene
        boxes, shown, own = _closed_boxes(scene, states)
        if scene.outputs:  # a compositor leaves nothing of a window that is gone
            boxes, shown = {client: _outputs_under(scene.outputs, box) for client, box in boxes.items()}, {}
        self._stale.show(
            scene,
            shown,
            harmless={client for client, state in states.items() if state in _SEEN},
            excluded=[client for client in shown if states[client] is Visibility.COVERED],
        )
        closers = _key_closers(scene, states, boxes, new, self._keyboards)
        keys = KeyAccess.CLOSED if closers else _key_state(scene, states)
        return self._linger(boxes, own, closers, keys, now_ns)

    # ------------------------------------------------------------ windows

    def _states(self, scene: Scene, now_ns: int) -> dict[int, Visibility]:
        """Return how each window on the screen is treated, and each one embedded in it."""
        present = (*scene.windows, *scene.hidden)
        parts = [part for window in present for part in (window, *window.embedded)]
        traits = {part.client: self._reader.traits(part) for part in parts}
        browsers = {part.group for part in parts if traits[part.client].browser}
        programs = {part.group for part in parts if part.app and not traits[part.client].satellite}
        for part in parts:
            if part.group in browsers:
                traits[part.client] = as_part_of_browser(part, traits[part.client])
            elif part.group in programs:
                traits[part.client] = as_part_of_program(part, traits[part.client])
        clients = frozenset(traits)
        self._reader.forget_all_but(clients)
        self._ledger.note([(part, traits[part.client]) for part in parts], clients)
        keyboards = {self._ledger.program(client) for client, found in traits.items() if found.keyboard}
        self._keyboards = frozenset(client for client in traits if self._ledger.program(client) in keyboards)
        self._settling_ns = []
        shown = {window.client for window in scene.windows}
        states: dict[int, Visibility] = {}
        for window in present:
            states[window.client] = max(
                (
                    self._classify(part, traits[part.client], now_ns, on_screen=window.client in shown)
                    for part in (window, *window.embedded)
                ),
                key=_STRICTNESS.__getitem__,
            )
        self._veil(present, traits, states, now_ns)
        program_states: dict[int, Visibility] = {}
        own_groups = {window.group for window in present if states[window.client] is Visibility.OWN}
        for window in present:
            state = states[window.client]
            counts = state is Visibility.COVERED or not traits[window.client].satellite
            if counts and state is not Visibility.OWN:
                program = self._ledger.program(window.client)
                program_states[program] = _stricter(program_states.get(program), state)
        by_client = {window.client: window for window in present}
        result: dict[int, Visibility] = {}
        for window in scene.windows:
            state = states[window.client]
            if traits[window.client].satellite:
                state = self._inherited(window, traits, states, program_states, by_client)
            if window.group in own_groups and state is not Visibility.COVERED:
                state = Visibility.OWN
            result[window.client] = state
            result.update((part.client, state) for part in window.embedded)
        found: dict[int, set[Visibility]] = {}
        for part in parts:
            if part.pid and part.program:  # in a sandbox such a number names no process here
                found.setdefault(part.pid, set()).add(
                    result.get(part.client, states.get(part.client, Visibility.COVERED))
                )
        self.processes = {pid: frozenset(seen) for pid, seen in found.items()}
        return result

    def _veil(
        self,
        present: Sequence[DesktopWindow],
        traits: Mapping[int, WindowTraits],
        states: dict[int, Visibility],
        now_ns: int,
    ) -> None:
        """Cover what shows messages, and what lists windows while there is one, or was just now, that is not seen."""
        groups = {window.group for window in present if traits[window.client].lister}
        satellites = {
            window.client
            for window in present
            if window.group in groups and traits[window.client].satellite and window.kind is not WindowKind.DESKTOP
        }
        listers = {
            window.client
            for window in present
            if not window.outline and (traits[window.client].lister or window.client in satellites)
        }
        notifiers = {window.client for window in present if traits[window.client].notifier}
        listed = states.keys() - listers - notifiers - self._keyboards
        unseen = {states[client] for client in listed}.difference(_SEEN)
        had_hidden, self._has_hidden = self._has_hidden, not unseen.issubset({Visibility.UNSETTLED})
        if had_hidden or self._has_hidden:
            self._listed_until_ns = now_ns + LISTED_NS
        if listers and not unseen and now_ns < self._listed_until_ns:
            self._settling_ns.append(self._listed_until_ns)
        veiled = notifiers | (listers if unseen or now_ns < self._listed_until_ns else set())
        for client in veiled:
            if states[client] is not Visibility.OWN:
                states[client] = _stricter(states[client], Visibility.UNKNOWN)

    def _classify(self, window: DesktopWindow, traits: WindowTraits, now_ns: int, *, on_screen: bool) -> Visibility:
        """Return how a window is treated for itself, whatever its parent is."""
        if window.pid == self._own_pid and (window.app or "").lower() == OWN_APP:
            return Visibility.OWN
        if traits.titled or traits.private or self._ledger.is_named(window.client):
            return Visibility.COVERED
        proof = self.proofs.get(window.client)
        if self._ledger.is_private(window.client) or proof is Proof.PRIVATE:
            return Visibility.COVERED
        if on_screen and (not traits.known or self._is_young(window, traits, now_ns)):
            return Visibility.UNSETTLED
        is_proven = traits.ordinary or not traits.browser or proof is Proof.ORDINARY
        return Visibility.ALLOWED if is_proven or not self._cover_unknown else Visibility.UNKNOWN

    def _is_young(self, window: DesktopWindow, traits: WindowTraits, now_ns: int) -> bool:
        until_ns = window.since_ns + NEW_NS if window.since_ns else 0
        if self._ledger.is_settled(window) and (window.popup or not (traits.browser or self._reader.titles)):
            until_ns = 0  # a menu has nothing of its own to tell, and is as closed as its parent or program
        elif traits.browser:  # whether it is private never changes, so it tells that once
            until_ns = 0 if self._ledger.has_settled(window) else window.since_ns + self._settle_ns
        if now_ns < until_ns:
            self._settling_ns.append(until_ns)
            return True
        self._ledger.settle(window)
        return False

    def _inherited(
        self,
        window: DesktopWindow,
        traits: Mapping[int, WindowTraits],
        states: Mapping[int, Visibility],
        programs: Mapping[int, Visibility],
        by_client: Mapping[int, DesktopWindow],
    ) -> Visibility:
        """Treat dialogs, menus and panels like their parent, or like the strictest window of their program."""
        state = states[window.client]
        parent = by_client.get(window.transient_for)
        for _ in range(_MAX_PARENTS):
            if parent is None:
                break
            if states[parent.client] is not Visibility.OWN:
                state = _stricter(state, states[parent.client])
            if not traits[parent.client].satellite:
                return state
            parent = by_client.get(parent.transient_for)
        return _stricter(state, programs.get(self._ledger.program(window.client)))

    # ------------------------------------------------------------ what stays closed for a moment

    def _linger(
        self, boxes: Mapping[int, Box], own: frozenset[Box], closers: frozenset[int], keys: KeyAccess, now_ns: int
    ) -> Zones:
        """Keep what was closed until now closed for `LINGER_NS`, but for what turned out to be harmless."""
        states = self.visibilities
        before, self._fresh_boxes = self._fresh_boxes, {client: (box, states[client]) for client, box in boxes.items()}
        closed_before, self._fresh_closers = self._fresh_closers, {client: states[client] for client in closers}
        fresh = Zones(
            covered=frozenset(box for client, box in boxes.items() if states[client] in _CLOSED),
            veiled=frozenset(box for client, box in boxes.items() if states[client] is Visibility.UNKNOWN),
            own=own,
            keys=keys,
        )
        own_before, self._fresh = self._fresh.own, fresh
        closed_now = {box for client, box in boxes.items() if states[client] is Visibility.COVERED}
        veiled_now: set[Box] = set()
        for client, (box, state) in before.items():
            if state is Visibility.COVERED or (boxes.get(client) != box and states.get(client) not in _HARMLESS):
                (veiled_now if state is Visibility.UNKNOWN else closed_now).add(box)
        linger_ns = GHOST_NS if self.scene.outputs else LINGER_NS
        self._lingering = _extended(self._lingering, closed_now, now_ns, linger_ns)
        self._lingering_veiled = _extended(self._lingering_veiled, veiled_now, now_ns, linger_ns)
        self._lingering_own = _extended(self._lingering_own, own_before | own, now_ns)
        self._linger_keys(closed_before, now_ns)
        covered = fresh.covered.union(self._lingering)
        veiled = fresh.veiled.union(self._lingering_veiled)
        hidden = covered | veiled
        self.zones = Zones(
            covered=covered,
            veiled=veiled.union(*(remainder(box, hidden) for box in self._stale.boxes)),
            own=frozenset(self._lingering_own),
            keys=KeyAccess.CLOSED if self._lingering_closers else fresh.keys,
        )
        ends = [t for box, t in self._lingering.items() if box not in fresh.covered]
        ends += [t for box, t in self._lingering_veiled.items() if box not in fresh.veiled]
        ends += [t for box, t in self._lingering_own.items() if box not in fresh.own]
        ends += [t for client, (t, _) in self._lingering_closers.items() if client not in closers]
        self.next_ns = min((*ends, *self._settling_ns), default=None)
        return self.zones

    def _linger_keys(self, before: Mapping[int, Visibility], now_ns: int) -> None:
        """Keep the keys closed for those that closed them, but for windows that turned out to be harmless."""
        states, closers = self.visibilities, self._fresh_closers
        kept = {
            client: (end_ns, state)
            for client, (end_ns, state) in self._lingering_closers.items()
            if end_ns > now_ns and (state is Visibility.COVERED or states.get(client) not in _HARMLESS)
        }
        for client, state in (*before.items(), *closers.items()):
            lost = client not in closers and states.get(client) not in _HARMLESS
            if state is Visibility.COVERED or lost:
                kept[client] = (now_ns + LINGER_NS, state)
        self._lingering_closers = kept
        self.excludes_keys = Visibility.COVERED in (*closers.values(), *(state for _, state in kept.values()))


def _stricter(first: Visibility | None, second: Visibility | None) -> Visibility:
    """Return the stricter of two; none is not strict at all."""
    return max(first or Visibility.ALLOWED, second or Visibility.ALLOWED, key=_STRICTNESS.__getitem__)


def _closed_boxes(
    scene: Scene, states: Mapping[int, Visibility]
) -> tuple[dict[int, Box], dict[int, list[Box]], frozenset[Box]]:
    """Return by client the windows whose pixels are not kept and their visible parts; and the visible parts of ours."""
    closed: dict[int, Box] = {}
    shown: dict[int, list[Box]] = {}
    own: set[Box] = set()
    above: list[Box] = []
    for window in reversed(scene.windows):
        state = states[window.client]
        if state is not Visibility.ALLOWED:
            pieces = remainder(window.box, above)
            if pieces and state is Visibility.OWN:
                own.update(pieces)
            elif pieces:
                closed[window.client], shown[window.client] = window.box, pieces
        is_drawn_whole = scene.draws_active_whole and window.client == scene.active
        if (is_drawn_whole or not (scene.compositor or scene.outputs)) and window.hiding is not None:
            above.append(window.hiding)
    return closed, shown, frozenset(own)


def _outputs_under(outputs: Sequence[Box], box: Box) -> Box:
    """Return the monitors that a window is on, all of them where it is on none: it may be shown by an effect."""
    return around([output for output in outputs if intersection(output, box) is not None] or outputs)


def _holders(scene: Scene) -> frozenset[int]:
    return scene.focused | ({scene.active} if scene.active else set())


def _key_closers(
    scene: Scene, states: Mapping[int, Visibility], boxes: Mapping[int, Box], new: set[int], keyboards: frozenset[int]
) -> frozenset[int]:
    """Return the windows that close the keys; a `new` one may have held them and lost them before it was reported.

    Keyboards on the screen send keys to other windows and take none.
    """
    may_hold = {client for client in _holders(scene) | (new - keyboards) if states.get(client) in _CLOSED}
    prompts = {  # without a frame they take the keyboard to themselves
        window.client
        for window in scene.windows
        if window.popup and states[window.client] in _CLOSED and window.client in boxes.keys() - keyboards
    }
    return frozenset(may_hold | prompts)


def _key_state(scene: Scene, states: Mapping[int, Visibility]) -> KeyAccess:
    """Return how keys are treated where no window closes them."""
    holders = _holders(scene)
    if any(states.get(client) is Visibility.OWN for client in holders):
        return KeyAccess.OWN
    if scene.managed and scene.active == 0 and not any(client in states for client in holders):
        return KeyAccess.UNKNOWN
    return KeyAccess.OPEN


def _extended(until: dict[K, int], present: Iterable[K], now_ns: int, linger_ns: int = LINGER_NS) -> dict[K, int]:
    """Return what is present with a new end, and what else has not reached its end."""
    left = {key: end_ns for key, end_ns in until.items() if end_ns > now_ns}
    return left | dict.fromkeys(present, now_ns + linger_ns)
