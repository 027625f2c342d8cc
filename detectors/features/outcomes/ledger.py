"""What counts and fades: sums of the last half minute or so, and what they are beyond the person's own earlier minutes.

All programs count together, so that two windows worked in turn are one task; those of a program can be forgotten.
"""

from collections import deque
from collections.abc import Iterable
from math import exp2, log

from storage.clock import NS_PER_S

MAX_ENTRIES = 256
HALF_LIFE_NS = 30 * NS_PER_S
"""A person who is stuck and quiet tries again every 5 to 20 s."""

EARLIER_NS = 60 * NS_PER_S
"""What is older belongs to the earlier minutes."""

LONGEST_NS = 600 * NS_PER_S
SHORTEST_S = 30.0
"""Earlier minutes count as at least this long."""

MOST = 8.0
"""No sum is larger."""

_LEVEL_S = HALF_LIFE_NS / NS_PER_S / log(2.0)


class Ledger:
    """Faded sums, by index."""

    def __init__(self, size: int) -> None:
        """Begin with nothing in any of `size` sums."""
        self._size = size
        self._entries: deque[tuple[int, str, int, float]] = deque(maxlen=MAX_ENTRIES)

    def add(self, which: int, app: str, t_ns: int, amount: float = 1.0) -> None:
        """Count an amount in a program."""
        self._entries.append((t_ns, app, which, amount))

    def forget(self, app: str) -> None:
        """Forget what was counted in a program."""
        left = [one for one in self._entries if one[1] != app]
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
        for t_ns, _, which, amount in reversed(self._entries):
            age_ns = now_ns - t_ns
            if age_ns > LONGEST_NS:
                break
            if age_ns > EARLIER_NS:
                before[which] += amount
            recent[which] += amount * exp2(-max(0, age_ns) / HALF_LIFE_NS)
        for t_ns, which, amount in pending:
            recent[which] += amount * exp2(-max(0, now_ns - t_ns) / HALF_LIFE_NS)
        first_ns = now_ns if start_ns is None else max(start_ns, now_ns - LONGEST_NS)
        scale = _LEVEL_S / max((now_ns - EARLIER_NS - first_ns) / NS_PER_S, SHORTEST_S)
        more = [min(MOST, max(0.0, now - then * scale)) for now, then in zip(recent, before, strict=True)]
        return [min(MOST, now) for now in recent], more
