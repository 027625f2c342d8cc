"""What was judged, of all programs together: now, and in the person's own earlier minutes."""

from collections import deque
from collections.abc import Iterable, Sequence
from math import exp2, log
from typing import NamedTuple

from detectors.features.states.judging import Outcome
from storage.clock import NS_PER_S

MAX_OUTCOMES = 192
HALF_LIFE_NS = 20 * NS_PER_S
EARLIER_NS = 60 * NS_PER_S
"""Acts older than this are the earlier minutes."""

LONGEST_NS = 600 * NS_PER_S
MAX_QUIET_S = 8.0
"""Quiet after a return counts up to this: who does nothing for longer reads, or is away."""

EFFECT_S = 1.5
"""Quiet begins this long after an act."""

RELIEF = 0.85
"""What remains of earlier acts after one that showed something new: work that goes on ends what was before."""

_LEVEL_S = HALF_LIFE_NS / NS_PER_S / log(2.0)


class Levels(NamedTuple):
    """Faded sums: returns, acts without anything new, seconds of quiet after returns, attempts that ended alike."""

    returned: float
    stale: float
    quiet: float
    same: float


class Tally:
    """The last acts that were judged."""

    def __init__(self) -> None:
        """Begin with none."""
        self.outcomes: deque[Outcome] = deque(maxlen=MAX_OUTCOMES)

    def forget(self, app: str) -> None:
        """Forget the acts in a program."""
        left = [one for one in self.outcomes if one.app != app]
        self.outcomes.clear()
        self.outcomes.extend(left)

    def levels(self, last: Outcome | None, now_ns: int) -> tuple[Levels, Levels]:
        """Return what acts came to recently, and what the rates of the earlier minutes would come to.

        Args:
            last: an act that is over and not yet kept.
            now_ns: the present moment.
        """
        outcomes = [*self.outcomes, last] if last is not None else list(self.outcomes)
        recent = [0.0] * 4
        before = [0.0] * 4
        first_ns = now_ns
        relief = 1.0
        for one, quiet in zip(reversed(outcomes), reversed(list(_quiet_s(outcomes, now_ns))), strict=True):
            age_ns = now_ns - one.start_ns
            amounts = (one.returned, one.stale, quiet, one.same)
            if age_ns > LONGEST_NS:
                continue
            first_ns = min(first_ns, one.start_ns)
            if age_ns > EARLIER_NS:
                for at, amount in enumerate(amounts):
                    before[at] += amount
                continue
            fading = relief * exp2(-max(0, age_ns) / HALF_LIFE_NS)
            if one.fresh:
                relief *= RELIEF
            for at, amount in enumerate(amounts):
                recent[at] += amount * fading
        earlier_s = (now_ns - EARLIER_NS - first_ns) / NS_PER_S
        scale = _LEVEL_S / max(earlier_s, 30.0)
        return Levels(*recent), Levels(*(amount * scale for amount in before))


def _quiet_s(outcomes: Sequence[Outcome], now_ns: int) -> Iterable[float]:
    """Yield for each act how long nothing was done after it, if it was a return."""
    for at, one in enumerate(outcomes):
        if not one.returned:
            yield 0.0
            continue
        until_ns = outcomes[at + 1].start_ns if at + 1 < len(outcomes) else now_ns
        yield one.returned * min(MAX_QUIET_S, max(0.0, (until_ns - one.last_ns) / NS_PER_S - EFFECT_S))
