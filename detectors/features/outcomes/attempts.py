"""Attempts: an act on a target, and what came of it; and the ledger in which they count and fade.

An attempt is a press, an Enter or a shortcut. Its target is the control that was named for it, else the place in the
window or what has the focus. It stays open until the next one, so that an answer may be late; nothing after
`EFFECT_NS` is an answer too. In vain are attempts without an effect, refused, in error, undone, or that ended as the
last one there did. Success of the same shape (batch work, a spin button) is none of these.
"""

from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from math import exp2, log
from typing import NamedTuple

from detectors.acts import DOUBLE_NS
from detectors.features.fading import remember
from detectors.features.states.judging import ActOutcome
from storage.clock import NS_PER_S
from storage.records import ControlAct, ControlRole, ControlState

MAX_ENTRIES = 256
HALF_LIFE_NS = 30 * NS_PER_S  # a person who is stuck and quiet tries again every 5 to 20 s
EARLIER_NS = 60 * NS_PER_S  # what is older belongs to the earlier minutes
LONGEST_NS = 600 * NS_PER_S
SHORTEST_S = 30.0  # earlier minutes count as at least this long
MOST = 8.0  # no sum is larger
_LEVEL_S = HALF_LIFE_NS / NS_PER_S / log(2.0)


class AttemptLedger:
    """Faded sums by index, and what they are beyond the person's own earlier minutes.

    All programs count together, so that two windows worked in turn are one task; those of one can be forgotten.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._entries: deque[tuple[int, str, int, float]] = deque(maxlen=MAX_ENTRIES)

    def add(self, which: int, app: str, t_ns: int, amount: float = 1.0) -> None:
        """Count an amount in a program."""
        self._entries.append((t_ns, app, which, amount))

    def forget(self, app: str) -> None:
        """Forget what was counted in a program."""
        left = [entry for entry in self._entries if entry[1] != app]
        self._entries.clear()
        self._entries.extend(left)

    def read(
        self, now_ns: int, start_ns: int | None, pending: Iterable[tuple[int, int, float]] = ()
    ) -> tuple[list[float], list[float]]:
        """Return each sum, and by how much it is more than the rate of the earlier minutes would come to.

        Args:
            now_ns: the present moment.
            start_ns: when observation began; None if it did not.
            pending: moment, index and amount of what is not yet counted.
        """
        recent, before = [0.0] * self._size, [0.0] * self._size
        last_ns, weight = 0, 0.0
        for t_ns, _, which, amount in reversed(self._entries):
            age_ns = now_ns - t_ns
            if age_ns > LONGEST_NS:
                break
            if age_ns > EARLIER_NS:
                before[which] += amount
            if t_ns != last_ns:  # several of one attempt
                last_ns, weight = t_ns, exp2(-age_ns / HALF_LIFE_NS) if age_ns > 0 else 1.0
            recent[which] += amount * weight
        for t_ns, which, amount in pending:
            recent[which] += amount * exp2(-max(0, now_ns - t_ns) / HALF_LIFE_NS)
        first_ns = now_ns if start_ns is None else max(start_ns, now_ns - LONGEST_NS)
        scale = _LEVEL_S / max((now_ns - EARLIER_NS - first_ns) / NS_PER_S, SHORTEST_S)
        more = [min(MOST, max(0.0, now - then * scale)) for now, then in zip(recent, before, strict=True)]
        return [min(MOST, now) for now in recent], more


EFFECT_NS = 8 * NS_PER_S // 5  # after this long without a change an attempt had no effect
LATE_NS = 8 * NS_PER_S  # what comes later is no answer to it
SHORTEST_NS = 3 * NS_PER_S // 5
"""An attempt that another one follows sooner, and without an answer until then, is none that can be judged."""

AGAIN_NS = 120 * NS_PER_S  # attempts at a target further apart are none at the same thing
UNDO_NS = 15 * NS_PER_S
LIKELY = 0.5  # from here on a weight of the memory of states counts
MAX_TARGETS = 64
TURNS = 3  # attempts that make a turn: one target, another, the first again
QUIET_NS = 8 * NS_PER_S
PRIOR = 1.0
IN_VAIN, AGAIN, TURNED, SUCCEEDED, TRIED, AFTER_HELP = range(6)
SUMS = 6

Target = tuple[object, ...]

CHOOSES_A_PLACE = frozenset(
    {
        *(ControlRole.ENTRY, ControlRole.PASSWORD, ControlRole.TEXT, ControlRole.DOCUMENT, ControlRole.TERMINAL),
        *(ControlRole.CELL, ControlRole.WINDOW, ControlRole.DIALOG, ControlRole.LABEL, ControlRole.OTHER),
    }
)
"""A press on one of these only says where; that nothing else happens is no failure."""


class Result(IntEnum):
    """What came of an attempt."""

    CHANGED = 0
    UNDONE = 1
    REFUSED = 2
    NOTHING = 3
    ERROR = 4
    BROUGHT_BACK = 5
    """The same picture as the last time at this target."""

    LOOKED = 6
    """Neither: something known was shown, or a place chosen."""


@dataclass(slots=True)
class Attempt:
    """An attempt in progress: what is known of its answer."""

    t_ns: int
    app: str
    target: Target
    after_help: bool = False
    place_only: bool = False
    grey: bool = False
    error: bool = False
    refused: bool = False
    shown: bool = False
    changed: bool = False
    responded: bool = False
    undone: bool = False
    edited: bool = False
    judged: ActOutcome | None = None

    def result(self, now_ns: int, *, by_tiles: bool, over_ns: int) -> Result | None:
        """Return what came of it; None while that is open.

        Args:
            now_ns: the present moment.
            by_tiles: whether what comes back on the screen is a failure.
            over_ns: after how long without an answer nothing came of it.
        """
        if self.undone:
            return Result.UNDONE
        if self.error:
            return Result.ERROR
        if self.refused or self.grey:
            return Result.REFUSED
        if now_ns - self.t_ns < over_ns:
            return None
        if self.shown:
            return Result.CHANGED
        judged = self.judged
        if not (self.responded or self.changed or (judged is not None and judged.changed)):
            return Result.LOOKED if self.place_only else Result.NOTHING
        if by_tiles and judged is not None and judged.same >= LIKELY:
            return Result.BROUGHT_BACK
        if self.place_only or (judged is not None and judged.changed is not None and not judged.fresh):
            return Result.LOOKED
        return Result.CHANGED


_IN_VAIN = frozenset({Result.UNDONE, Result.REFUSED, Result.NOTHING, Result.ERROR, Result.BROUGHT_BACK})


class Ended(NamedTuple):
    """An attempt that is over."""

    t_ns: int
    target: Target
    result: Result

    @property
    def in_vain(self) -> bool:
        """Whether it failed."""
        return self.result in _IN_VAIN


class AttemptSums(NamedTuple):
    """What the attempts come to: sums by index, the same beyond the earlier minutes, and the rest after a failure."""

    recent: list[float]
    more: list[float]
    share: float
    quiet: float


class Attempts:
    """Follows attempts; bounded."""

    def __init__(self, *, by_tiles: bool) -> None:
        self._by_tiles = by_tiles
        self._ledger = AttemptLedger(SUMS)
        self._last: OrderedDict[Target, Ended] = OrderedDict()
        self._sequence: deque[Ended] = deque(maxlen=TURNS)
        self._helped_ns: int | None = None
        self.open: Attempt | None = None
        self.count = 0
        self._resolved_ns: int | None = None

    # ------------------------------------------------------------ what happens

    def begin(self, app: str, target: Target, t_ns: int, *, place_only: bool = False) -> None:
        """Begin an attempt; a double click is one. `place_only`: that nothing is seen to happen is no failure."""
        before = self.open
        if before is not None and before.target == target and t_ns - before.t_ns < DOUBLE_NS:
            return
        self.close(t_ns)
        self.open = Attempt(t_ns, app, target, after_help=self._is_after_help(target), place_only=place_only)
        self.count += 1

    def name(self, act: ControlAct) -> None:
        """Take in which control was pressed."""
        one = self.open
        if one is None or abs(act.t_ns - one.t_ns) > DOUBLE_NS:
            return
        place_only = act.role in CHOOSES_A_PLACE
        where: Target = (act.name_digest,) if act.name_digest and not place_only else (act.box,)
        target = (one.app, act.role, *where)
        one.target, one.place_only = target, place_only
        one.grey, one.after_help = act.state is ControlState.DISABLED, self._is_after_help(target)

    def _is_after_help(self, target: Target) -> bool:
        last = self._last.get(target)
        return self._helped_ns is not None and last is not None and last.t_ns < self._helped_ns and last.in_vain

    def note(
        self,
        t_ns: int,
        *,
        error: bool = False,
        refused: bool = False,
        shown: bool = False,
        changed: bool = False,
        responded: bool = False,
    ) -> None:
        """Take in an answer: an error, a refusal, something new that is shown, a control that changed, any response."""
        one = self.open
        if one is None or not 0 <= t_ns - one.t_ns <= LATE_NS:
            return
        if responded and t_ns - one.t_ns > EFFECT_NS:
            return
        one.error |= error
        one.refused |= refused
        one.shown |= shown
        one.changed |= changed
        one.responded |= responded or changed

    def judge(self, outcome: ActOutcome) -> None:
        """Take in what the memory of states says of an act."""
        one = self.open
        if one is not None and outcome.start_ns <= one.t_ns <= outcome.last_ns:
            one.judged = outcome

    def edit(self) -> None:
        """Take in that something was typed or erased: an undo takes that back."""
        if self.open is not None:
            self.open.edited = True
        self.count += 1

    def undo(self, t_ns: int) -> None:
        """Take in an undo: what was tried last is undone."""
        one = self.open
        if one is not None and not one.edited and t_ns - one.t_ns <= UNDO_NS:
            one.undone = True
        self.close(t_ns)
        self.count += 1

    def look_up(self, t_ns: int) -> None:
        """Take in that help is looked at."""
        self._helped_ns = t_ns

    def forget(self, app: str) -> None:
        """Forget a program."""
        self._ledger.forget(app)
        for target in [target for target in self._last if target and target[0] == app]:
            del self._last[target]

    def drop(self) -> None:
        """Drop what is in progress: observation stops."""
        self.open = None

    # ------------------------------------------------------------ what it comes to

    def close(self, now_ns: int) -> None:
        """End the attempt in progress."""
        one, self.open = self.open, None
        if one is None:
            return
        ended = self._ended(one, now_ns, SHORTEST_NS)
        if ended is None:
            return
        for which, amount in self._amounts(one, ended):
            self._ledger.add(which, one.app, one.t_ns, amount)
        if not ended.in_vain and self._resolves(one, ended):
            self._resolved_ns = one.t_ns
        remember(self._last, one.target, ended, MAX_TARGETS)
        self._sequence.append(ended)

    def _resolves(self, one: Attempt, ended: Ended) -> bool:
        """Whether what was refused at this target before is done now, or something else was shown instead."""
        last = self._last.get(ended.target)
        refused = last is not None and last.result in (Result.ERROR, Result.REFUSED)
        return one.shown or (ended.result is Result.CHANGED and refused)

    def resolved_ns(self, now_ns: int) -> int | None:
        """Return when a target that had refused was last tried with success; None if never."""
        one = self.open
        ended = None if one is None else self._ended(one, now_ns)
        if one is not None and ended is not None and not ended.in_vain and self._resolves(one, ended):
            return one.t_ns
        return self._resolved_ns

    def _ended(self, one: Attempt, now_ns: int, over_ns: int = EFFECT_NS) -> Ended | None:
        result = one.result(now_ns, by_tiles=self._by_tiles, over_ns=over_ns)
        return None if result is None else Ended(one.t_ns, one.target, result)

    def _amounts(self, one: Attempt, ended: Ended) -> Iterator[tuple[int, float]]:
        if ended.result is Result.LOOKED:
            return
        yield TRIED, 1.0
        if ended.result is Result.CHANGED:
            yield SUCCEEDED, 1.0
        if not ended.in_vain:
            return
        yield IN_VAIN, 1.0
        last = self._last.get(ended.target)
        if last is not None and last.in_vain and ended.t_ns - last.t_ns <= AGAIN_NS:
            yield AGAIN, 1.0
        if one.after_help:
            yield AFTER_HELP, 1.0
        if len(self._sequence) >= TURNS - 1:
            first, second = list(self._sequence)[1 - TURNS :]
            if first.target == ended.target != second.target and first.in_vain and second.in_vain:
                yield TURNED, 1.0

    def standing(self, now_ns: int, start_ns: int | None) -> AttemptSums:
        """Return what the attempts come to now; this changes nothing."""
        one = self.open
        ended = None if one is None else self._ended(one, now_ns)
        pending: list[tuple[int, int, float]] = []
        rest_ns = 0
        if one is not None and ended is not None:
            pending = [(one.t_ns, which, amount) for which, amount in self._amounts(one, ended)]
            rest_ns = now_ns - one.t_ns - EFFECT_NS if ended.in_vain else 0
        recent, more = self._ledger.read(now_ns, start_ns, pending)
        return AttemptSums(
            recent=recent,
            more=more,
            share=(recent[SUCCEEDED] + 0.5 * PRIOR) / (max(recent[TRIED], recent[SUCCEEDED]) + PRIOR),
            quiet=min(1.0, max(0, rest_ns) / QUIET_NS) * min(1.0, recent[AGAIN]),
        )
