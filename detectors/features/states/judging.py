"""What came of an act: whether it brought back what was there, showed anything new, or ended as the last try did.

The definitions and most numbers come from an untrained formula that was tried on live scenes; none was fitted to the
sessions that come with the source.
"""

from collections import OrderedDict, deque
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import NamedTuple

from detectors.features.bounded import remember
from detectors.features.states.bursts import EFFECT_NS, Burst, BurstKind, Target
from detectors.features.states.places import PlaceMemory
from detectors.features.states.views import PAUSE_NS, Looked
from storage.clock import NS_PER_S
from storage.tiles import Place

VIEW_ROWS = 6
"""From so many changed rows of tiles on, looking around has shown another view, and not only moved a selection."""

SAME = 0.8
"""Share of the changed tiles that must show what stood there together at an earlier moment."""

NEW = 0.25
"""From this share of changed tiles with never-seen content on, an act shows something new."""

VOLATILE = 0.7
"""A tile that this share of recent acts changed, to several values, is a read-out and left out."""

VOLATILE_VALUES = 6
RECENT_ACTS = 24
FEWEST_ACTS = 8
MAX_TARGETS = 64
ATTEMPT_NS = 120 * NS_PER_S
"""Attempts at a target further apart than this are none at the same thing."""

OPTIONS = 3
"""So many presses in a row, each at a new target and with something new, try all of a list."""

FIRST_RETURN = 0.25
"""What a view counts that is looked at for the second time: a text may be read twice. From the third time on, 1."""

WORK_KEPT = 0.7
"""By how much a return counts less where work was done since that stands elsewhere: success, not trouble."""

_WORK_TILES = 2
NOTHING: Mapping[Place, int] = {}


class Outcome(NamedTuple):
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


class Attempt(NamedTuple):
    """The last attempt at a target: what it changed, and when."""

    t_ns: int
    after: Mapping[Place, int]
    title: tuple[str, str, bool] | None


class Judge:
    """Judges acts by what is remembered, and remembers them."""

    def __init__(self) -> None:
        """Begin before the first act."""
        self._attempts: OrderedDict[Target, Attempt] = OrderedDict()
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
        burst: Burst,
        after: Mapping[Place, int],
        places: PlaceMemory,
        earlier: deque[Outcome],
        title: tuple[str, str, bool] | None,
        *,
        sees_tiles: bool,
        looked: Looked | None = None,
    ) -> Outcome:
        """Return what came of an act, changing nothing.

        Args:
            burst: the act.
            after: what it changed, as `effect` gives it.
            places: the memory of its program.
            earlier: the acts before it.
            title: what has the focus.
            sees_tiles: whether the session has digests at all; where not, only titles tell what comes back.
            looked: the view that scrolling led to, where patches tell.
        """
        attempt = self._attempts.get(burst.target) if burst.target is not None else None
        returned = stale = same = 0.0
        new_there = bool(after) and places.has_new(after, burst.start_ns, NEW * len(after))
        fresh = burst.new_title or new_there
        known = sees_tiles and (burst.rows > 0 or burst.responses == 0)
        if not burst.switched:
            if burst.left_ns is not None:
                returned = _without_work(places, burst.left_ns)
            if after and not new_there:  # so much that is new leaves less than `SAME` that can have stood there before
                returned = max(returned, self._returned(burst, after, places, earlier))
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
        return Outcome(
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
            new_rows=_new_rows(burst, after, places),
            revisited=0.0 if fresh or looked is not None or burst.switched else _revisited(burst, after, places),
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
            remember(self._attempts, burst.target, Attempt(burst.last_ns, after, title), MAX_TARGETS)
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
        self, burst: Burst, after: Mapping[Place, int], places: PlaceMemory, earlier: deque[Outcome]
    ) -> float:
        """Return how much an act counts as a return: not at all by scrolling, or where it undid no work."""
        if burst.kind is BurstKind.SCROLLED:
            return 0.0
        if burst.kind is BurstKind.PRESSED and _tried_all(earlier):
            return 0.0
        stood_ns = places.stood_at(after, burst.start_ns - PAUSE_NS, SAME)
        if stood_ns is None:
            return 0.0
        if burst.kind is BurstKind.MENDED and not any(
            one.edits and one.last_ns + EFFECT_NS >= stood_ns for one in reversed(earlier)
        ):
            return 0.0  # undo and redo in turn, or undoing what was undone before: a comparison
        return _without_work(places, stood_ns)

    def _stale(self, burst: Burst, after: Mapping[Place, int], attempt: Attempt | None) -> float:
        if not after:  # nothing happened: of presses and Enter something was expected
            return float(burst.target is not None)
        if burst.kind is BurstKind.PRESSED and attempt is None:
            return 0.0  # a target never tried before
        return 0.0 if burst.kind is BurstKind.SCROLLED else 1.0


def _new_rows(burst: Burst, after: Mapping[Place, int], places: PlaceMemory) -> int:
    aside = burst.entry_rows
    if not after or aside is None or not (burst.ended or burst.kind is BurstKind.PRESSED):
        return 0
    return places.new_rows(after, burst.start_ns, aside)


def _revisited(burst: Burst, after: Mapping[Place, int], places: PlaceMemory) -> float:
    if burst.kind is not BurstKind.SCROLLED or len({top for _, top in after}) < VIEW_ROWS:
        return 0.0
    return float(places.stood_at(after, burst.start_ns - PAUSE_NS, SAME) is not None)


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


def _tried_all(earlier: deque[Outcome]) -> bool:
    """Whether the last presses each tried another target and showed something new."""
    last = list(islice(reversed(earlier), OPTIONS))
    return len(last) == OPTIONS and all(one.kind is BurstKind.PRESSED and one.fresh and one.new_target for one in last)
