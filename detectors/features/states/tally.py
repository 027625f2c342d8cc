"""What was judged, of all programs together: now, and in the person's own earlier minutes."""

from collections import deque
from itertools import chain
from math import exp2, log
from typing import NamedTuple

from detectors.acts import ANSWER_NS
from detectors.features.states.judging import ActOutcome
from storage.clock import NS_PER_S

MAX_OUTCOMES = 192
HALF_LIFE_NS = 20 * NS_PER_S
EARLIER_NS = 60 * NS_PER_S  # acts older than this are the earlier minutes
LONGEST_NS = 600 * NS_PER_S
SHORTEST_S = 30.0  # earlier minutes count as at least this long
MAX_QUIET_S = 8.0  # quiet after a return counts up to this: who does nothing for longer reads, or is away
RELIEF = 0.85
"""What remains of earlier acts after one that showed something new: work that goes on ends what was before."""

FRUITLESS_HALF_LIFE_NS = 30 * NS_PER_S
FRUITLESS_RELIEF = 0.3
FRUITLESS_SHORTEST_S = 120.0  # these three as those above, for `OutcomeTally.fruitless`
_LEVEL_S = HALF_LIFE_NS / NS_PER_S / log(2.0)


class Levels(NamedTuple):
    """Faded sums: returns, stale acts, seconds of quiet after returns, attempts that ended alike, views seen again."""

    returned: float
    stale: float
    quiet: float
    same: float
    revisited: float


class OutcomeTally:
    """The last acts that were judged."""

    def __init__(self) -> None:
        self.outcomes: deque[ActOutcome] = deque(maxlen=MAX_OUTCOMES)
        self._views: deque[ActOutcome] = deque(maxlen=MAX_OUTCOMES)
        """Those that led to a view which patches tell of."""

    def add(self, outcome: ActOutcome) -> None:
        """Take in an act that was judged."""
        self.outcomes.append(outcome)
        if outcome.new_view is not None:
            self._views.append(outcome)

    def forget(self, app: str) -> None:
        """Forget the acts in a program."""
        for kept in (self.outcomes, self._views):
            left = [outcome for outcome in kept if outcome.app != app]
            kept.clear()
            kept.extend(left)

    def levels(self, last: ActOutcome | None, now_ns: int) -> tuple[Levels, Levels]:
        """Return what acts came to recently, and what the rates of the earlier minutes would come to.

        Args:
            last: an act that is over and not yet kept.
            now_ns: the present moment.
        """
        recent, before = [0.0] * 5, [0.0] * 5
        relief, first_ns, next_ns = 1.0, now_ns, now_ns
        for outcome in chain(() if last is None else (last,), reversed(self.outcomes)):
            start_ns = outcome.start_ns
            age_ns = now_ns - start_ns
            if age_ns > LONGEST_NS:
                break
            if outcome.returned or outcome.stale or outcome.same or outcome.revisited:
                is_earlier = age_ns > EARLIER_NS
                sums = before if is_earlier else recent
                weight = 1.0 if is_earlier else relief * exp2(-max(0, age_ns) / HALF_LIFE_NS)
                returned = outcome.returned
                if returned:
                    sums[0] += returned * weight
                    sums[2] += returned * _quiet_s(outcome, next_ns) * weight
                sums[1] += outcome.stale * weight
                sums[3] += outcome.same * weight
                sums[4] += outcome.revisited * weight
            if outcome.fresh:
                relief *= RELIEF
            next_ns = start_ns
            if start_ns < first_ns:  # noqa: PLR1730  # min() takes longer than the rest, at each prefix
                first_ns = start_ns
        scale = _LEVEL_S / max((now_ns - EARLIER_NS - first_ns) / NS_PER_S, SHORTEST_S)
        return Levels(*recent), Levels(*(amount * scale for amount in before))

    def fruitless(self, last: ActOutcome | None, now_ns: int) -> float:
        """Return acts that brought nothing: those that brought back what stood there, or ended as the last try did.

        Arguments are those of `levels`. Half-life is longer than there, since who is stuck and quiet tries every 5 to
        20 s, and an act that showed something new leaves little of those before: who gets on is not stuck. What the
        earlier minutes would come to is taken off, so that work which always looks so says nothing.
        """
        recent = before = 0.0
        relief, first_ns = 1.0, now_ns
        for outcome in chain(() if last is None else (last,), reversed(self.outcomes)):
            start_ns = outcome.start_ns
            age_ns = now_ns - start_ns
            if age_ns > LONGEST_NS:
                break
            amount = outcome.returned or outcome.same
            if amount:
                amount = max(amount, outcome.same)
                if age_ns > EARLIER_NS:
                    before += amount
                else:
                    recent += relief * amount * exp2(-max(0, age_ns) / FRUITLESS_HALF_LIFE_NS)
            if outcome.fresh:
                relief *= FRUITLESS_RELIEF
            if start_ns < first_ns:  # noqa: PLR1730  # as above
                first_ns = start_ns
        earlier_s = max((now_ns - EARLIER_NS - first_ns) / NS_PER_S, FRUITLESS_SHORTEST_S)
        return max(0.0, recent - before * FRUITLESS_HALF_LIFE_NS / NS_PER_S / log(2.0) / earlier_s)

    def views_again(self, last: ActOutcome | None, now_ns: int, start_ns: int | None) -> float:
        """Return views that were looked at again, as patches tell, beyond what the earlier minutes would come to.

        Half-life and relief are those of `levels`; only a view that is new relieves.

        Args:
            last: an act that is over and not yet kept.
            now_ns: the present moment.
            start_ns: when observation began; None if it did not.
        """
        recent = before = 0.0
        relief = 1.0
        pending = () if last is None or last.new_view is None else (last,)
        for outcome in chain(pending, reversed(self._views)):
            age_ns = now_ns - outcome.start_ns
            if age_ns > LONGEST_NS:
                break
            if age_ns > EARLIER_NS:
                before += outcome.again
            else:
                recent += relief * outcome.again * exp2(-max(0, age_ns) / HALF_LIFE_NS)
            if outcome.new_view:
                relief *= RELIEF
        if not before:
            return recent
        first_ns = now_ns if start_ns is None else max(start_ns, now_ns - LONGEST_NS)
        earlier_s = max((now_ns - EARLIER_NS - first_ns) / NS_PER_S, SHORTEST_S)
        return max(0.0, recent - before * _LEVEL_S / earlier_s)


def _quiet_s(outcome: ActOutcome, next_ns: int) -> float:
    """Return how long nothing was done after an act, until the next one."""
    return min(MAX_QUIET_S, max(0.0, (next_ns - outcome.last_ns) / NS_PER_S - ANSWER_NS / NS_PER_S))
