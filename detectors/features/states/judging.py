"""Acts made of input, and what came of each: what was there before, anything new, or the same as the last try.

An act is a burst of keys (Enter ends it), a click, a drag, a burst of scrolling or of arrow keys. The definitions and
most numbers come from an untrained formula that was tried on live scenes; none was fitted to the sessions that come
with the source.
"""

from collections import OrderedDict, deque
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import islice
from typing import NamedTuple

from detectors.acts import ANSWER_NS, DOUBLE_NS, Act
from detectors.features.fading import remember
from detectors.features.states.places import PlaceMemory, Sight
from detectors.features.states.views import PAUSE_NS, Looked, View
from storage.clock import NS_PER_S
from storage.records.tiles import Place

GAP_NS = 4 * NS_PER_S // 5  # a pause longer than this ends a burst of keys; a guess
LONGEST_NS = 4 * NS_PER_S
ENTRY_ROWS = 6
"""An entry of one line is in at most so many rows of tiles, with its frame and a second view of it (a formula bar)."""

CELL = (48, 24)  # pixels; presses within such a part of the window are at the same target


class BurstKind(IntEnum):
    """Kinds of acts as far as this memory tells them apart."""

    TYPED = 0
    PRESSED = 1
    SCROLLED = 2
    UNDO = 3


KIND_OF = {
    Act.TEXT: BurstKind.TYPED,
    Act.ERASE: BurstKind.TYPED,
    Act.COMMIT: BurstKind.TYPED,
    Act.STEP: BurstKind.SCROLLED,
    Act.CLIP: BurstKind.TYPED,
    Act.COMMAND: BurstKind.TYPED,
    Act.ESCAPE: BurstKind.TYPED,
    Act.UNDO: BurstKind.UNDO,
    Act.REDO: BurstKind.UNDO,
    Act.PRESS: BurstKind.PRESSED,
    Act.SCROLL: BurstKind.SCROLLED,
}

Target = tuple[object, ...]


@dataclass(slots=True)
class Burst:
    """An act in progress.

    `target` is None where attempts at it cannot be told apart. `first` and `values` say what stood at a place before
    it, and what stands there since. `rows` and `responses` count digests and changes seen. `typed_rows` are tops of
    tiles that changed while the last entry was typed. `switched` means that it led to another program, `new_title` to
    a window or dialog never seen before; one that comes back was left at `left_ns`. `view` is where scrolling led to,
    None where no patches tell.
    """

    kind: BurstKind
    start_ns: int
    last_ns: int
    app: str
    target: Target | None = None
    ended: bool = False
    edits: bool = False
    first: dict[Place, int | None] = field(default_factory=dict)
    values: dict[Place, int] = field(default_factory=dict)
    rows: int = 0
    typed_rows: set[int] = field(default_factory=set)
    responses: int = 0
    switched: bool = False
    new_title: bool = False
    left_ns: int | None = None
    view: View | None = None

    def goes_on(self, kind: BurstKind, t_ns: int) -> bool:
        """Return whether another event of a kind belongs to it."""
        if kind is not self.kind or self.ended:
            return False
        gap_ns = t_ns - self.last_ns
        if kind is BurstKind.PRESSED:
            return gap_ns < DOUBLE_NS
        return gap_ns <= GAP_NS and t_ns - self.start_ns <= LONGEST_NS

    @property
    def entry_rows(self) -> AbstractSet[int] | None:
        """The rows of the last entry: None where they are not known, none where typing changed more than an entry."""
        rows = self.typed_rows
        return (rows if len(rows) <= ENTRY_ROWS else frozenset()) if rows else None

    def net_changes(self) -> dict[Place, int]:
        """Return what stands where something else stood before it."""
        first = self.first
        return {place: value for place, value in self.values.items() if value != first[place]}

    def is_over(self, now_ns: int) -> bool:
        """Return whether nothing that changes now belongs to it."""
        return now_ns - self.last_ns > ANSWER_NS


VIEW_ROWS = 6
"""From so many changed rows of tiles on, looking around has shown another view, and not only moved a selection."""

SAME = 0.8  # share of the changed tiles that must show what stood there together at an earlier moment
NEW = 0.25  # from this share of changed tiles with never-seen content on, an act shows something new
VOLATILE = 0.7  # a tile that this share of recent acts changed, to several values, is a read-out and left out
VOLATILE_VALUES = 6
RECENT_ACTS = 24
FEWEST_ACTS = 8
MAX_TARGETS = 64
ATTEMPT_NS = 120 * NS_PER_S  # attempts at a target further apart than this are none at the same thing
OPTIONS = 3  # presses in a row, each at a new target and with something new, that try all of a list
FIRST_RETURN = 0.25
"""What a view counts that is looked at for the second time: a text may be read twice. From the third time on, 1."""

WORK_KEPT = 0.7
"""By how much a return counts less where work was done since that stands elsewhere: success, not trouble."""

_WORK_TILES = 2
NOTHING: Mapping[Place, int] = {}


class ActOutcome(NamedTuple):
    """What came of an act; `returned`, `stale`, `same`, `revisited` and `again` are weights from 0 to 1.

    `revisited` and `again` are of scrolling, arrow and page keys, which are no returns: whether they led back to a
    view. `again` is judged by patches, wherever the view stands now; `revisited` by places, where patches do not tell.
    `new_view` says whether they showed something never seen; None where patches do not tell. `fresh` is by places
    alone, since models have learned from sessions without patches.
    `changed` says whether anything changed, carets and read-outs aside; None where there are no digests to tell.
    `new_rows` counts, for a press or Enter, rows of tiles with never-seen content, those of the last entry aside; 0
    where its rows are not known.
    """

    start_ns: int
    last_ns: int
    app: str
    kind: BurstKind
    edits: bool
    returned: float
    stale: float
    same: float
    fresh: bool
    new_target: bool
    changed: bool | None = None
    new_rows: int = 0
    revisited: float = 0.0
    again: float = 0.0
    new_view: bool | None = None


class LastAttempt(NamedTuple):
    """The last attempt at a target: what it changed, and when."""

    t_ns: int
    after: Mapping[Place, int]
    title: tuple[str, str, bool] | None


class Judge:
    """Judges acts by what is remembered, and remembers them."""

    def __init__(self) -> None:
        self._attempts: OrderedDict[Target, LastAttempt] = OrderedDict()
        self._changed: deque[tuple[Place, ...]] = deque(maxlen=RECENT_ACTS)
        self._times: dict[Place, int] = {}

    def effect(
        self, changes: dict[Place, int], first: Mapping[Place, int | None], places: PlaceMemory
    ) -> Mapping[Place, int]:
        """Return what an act changed, and to what; carets and read-outs left out."""
        if not changes:
            return NOTHING
        many = len(self._changed)
        often = VOLATILE * many if many >= FEWEST_ACTS else many
        times = self._times
        after = places.settled(changes, first)
        for place in [place for place in after if times.get(place, 0) > often]:
            if places.distinct(place) >= VOLATILE_VALUES:
                del after[place]
        return after

    def outcome(
        self,
        burst: Burst,  # the act
        after: Mapping[Place, int],  # what it changed, as `effect` gives it
        places: PlaceMemory,  # the memory of its program
        earlier: deque[ActOutcome],  # the acts before it
        title: tuple[str, str, bool] | None,  # what has the focus
        *,
        sees_tiles: bool,  # whether the session has digests at all; where not, only titles tell what comes back
        looked: Looked | None = None,  # the view that scrolling led to, where patches tell
    ) -> ActOutcome:
        """Return what came of an act, changing nothing."""
        attempt = self._attempts.get(burst.target) if burst.target is not None else None
        returned = stale = same = 0.0
        sights = places.sights(after)
        new_there = bool(after) and sum([seen_ns >= burst.start_ns for _, seen_ns, _, _ in sights]) >= NEW * len(after)
        fresh = burst.new_title or new_there
        known = sees_tiles and (burst.rows > 0 or burst.responses == 0)
        if not burst.switched:
            if burst.left_ns is not None:
                returned = _without_work(places, burst.left_ns)
            if after and not new_there:  # so much that is new leaves less than `SAME` that can have stood there before
                returned = max(returned, self._returned(burst, sights, places, earlier))
            if known and not fresh:
                stale = self._stale(burst, after, attempt)
            if (
                attempt is not None
                and (known or burst.left_ns is not None)
                and burst.start_ns - attempt.t_ns <= ATTEMPT_NS
            ):
                same = float(_are_alike(after, attempt.after) and title == attempt.title)
                if same and after and places.kept_work(attempt.t_ns, _WORK_TILES) == _WORK_TILES:
                    same = 1.0 - WORK_KEPT
        return ActOutcome(
            start_ns=burst.start_ns,
            last_ns=burst.last_ns,
            app=burst.app,
            kind=burst.kind,
            edits=burst.edits,
            returned=returned,
            stale=stale,
            same=same,
            fresh=fresh,
            new_target=burst.target is not None and attempt is None,
            changed=bool(after) or burst.switched or burst.new_title or burst.left_ns is not None if known else None,
            new_rows=_new_rows(burst, sights),
            revisited=0.0 if fresh or looked is not None or burst.switched else _revisited(burst, sights, places),
            again=0.0 if looked is None or burst.new_title or burst.switched else _again(looked),
            new_view=None if looked is None else looked.new >= NEW,
        )

    def keep(
        self,
        burst: Burst,
        changes: Iterable[Place],
        after: Mapping[Place, int],
        title: tuple[str, str, bool] | None,
    ) -> None:
        """Remember an act that is over: what it changed, and of that what is neither caret nor read-out."""
        if burst.target is not None:
            remember(self._attempts, burst.target, LastAttempt(burst.last_ns, after, title), MAX_TARGETS)
        if not burst.values:
            return
        times = self._times
        if len(self._changed) == RECENT_ACTS:
            for place in self._changed[0]:
                left = times[place] - 1
                if left:
                    times[place] = left
                else:
                    del times[place]
        self._changed.append(tuple(changes))
        for place in changes:
            times[place] = times.get(place, 0) + 1

    def _returned(
        self, burst: Burst, sights: Sequence[Sight], places: PlaceMemory, earlier: deque[ActOutcome]
    ) -> float:
        """Return how much an act counts as a return: not at all by scrolling, or where it undid no work."""
        if burst.kind is BurstKind.SCROLLED:
            return 0.0
        if burst.kind is BurstKind.PRESSED and _tried_all(earlier):
            return 0.0
        stood_ns = places.stood_at(sights, burst.start_ns - PAUSE_NS, SAME)
        if stood_ns is None:
            return 0.0
        if burst.kind is BurstKind.UNDO and not any(
            outcome.edits and outcome.last_ns + ANSWER_NS >= stood_ns for outcome in reversed(earlier)
        ):
            return 0.0  # undo and redo in turn, or undoing what was undone before: a comparison
        return _without_work(places, stood_ns)

    def _stale(self, burst: Burst, after: Mapping[Place, int], attempt: LastAttempt | None) -> float:
        if not after:  # nothing happened: of presses and Enter something was expected
            return float(burst.target is not None)
        if burst.kind is BurstKind.PRESSED and attempt is None:
            return 0.0  # a target never tried before
        return 0.0 if burst.kind is BurstKind.SCROLLED else 1.0


def _new_rows(burst: Burst, sights: Sequence[Sight]) -> int:
    aside = burst.entry_rows
    if not sights or aside is None or not (burst.ended or burst.kind is BurstKind.PRESSED):
        return 0
    return len({top for top, seen_ns, _, _ in sights if seen_ns >= burst.start_ns}.difference(aside))


def _revisited(burst: Burst, sights: Sequence[Sight], places: PlaceMemory) -> float:
    if burst.kind is not BurstKind.SCROLLED or len({sight[0] for sight in sights}) < VIEW_ROWS:
        return 0.0
    return float(places.stood_at(sights, burst.start_ns - PAUSE_NS, SAME) is not None)


def _again(looked: Looked) -> float:
    if 1.0 - looked.new < SAME:
        return 0.0
    return 1.0 if looked.times > 1 else FIRST_RETURN


def _without_work(places: PlaceMemory, since_ns: int) -> float:
    """Return 1, or less where work was done since a moment that stands."""
    return 1.0 - WORK_KEPT * places.kept_work(since_ns, _WORK_TILES) / _WORK_TILES


def _are_alike(one: Mapping[Place, int], other: Mapping[Place, int]) -> bool:
    if not one and not other:
        return True
    equal = sum([other.get(place) == value for place, value in one.items()])
    return equal >= SAME * max(len(one), len(other))


def _tried_all(earlier: deque[ActOutcome]) -> bool:
    """Whether the last presses each tried another target and showed something new."""
    last = list(islice(reversed(earlier), OPTIONS))
    return len(last) == OPTIONS and all(
        outcome.kind is BurstKind.PRESSED and outcome.fresh and outcome.new_target for outcome in last
    )
