"""How often a window may be walked: by the time since the last walks, and by what all walks have cost. Pure."""

from collections import deque
from dataclasses import dataclass, field

from storage.clock import MINUTE_NS, NS_PER_S

WALK_GAP_NS = 5 * NS_PER_S
WALKS_PER_MINUTE = 10
WALK_BURST_NS = 2 * NS_PER_S
"""How much CPU time walks may take beyond their share, here and in the programs each: some 25 walks of a full sheet."""

WALKS_KEPT, WALK_KEPT_NS = 3, NS_PER_S // 2
"""How many walks of a minute, and how much of that CPU time, are kept for what a person asks for: some six walks of a
full sheet."""

OUR_WALK_SHARE, THEIR_WALK_SHARE = 0.008, 0.007
"""Shares of a core for all walks. With the burst they stay below 1 % over an hour; the rest is for what is not counted:
the bus, and who takes the answer."""


@dataclass(slots=True)
class _Allowance:
    """CPU time that fills up steadily to a burst, and may be overdrawn by the walk that is under way."""

    share: float
    burst_ns: float
    left_ns: float = field(init=False)
    at_ns: int = 0

    def __post_init__(self) -> None:
        self.left_ns = self.burst_ns

    def left(self, now_ns: int) -> float:
        self.left_ns = min(self.burst_ns, self.left_ns + self.share * max(0, now_ns - self.at_ns))
        self.at_ns = max(self.at_ns, now_ns)
        return self.left_ns


class WalkRate:
    """Allows walks, or refuses them.

    What nobody asked for, such as looking at a menu that was opened, leaves some of both to what a person asks for.
    """

    def __init__(
        self,
        gap_ns: int = WALK_GAP_NS,
        per_minute: int = WALKS_PER_MINUTE,
        burst_ns: int = WALK_BURST_NS,
        *,
        kept: tuple[int, int] = (WALKS_KEPT, WALK_KEPT_NS),
    ) -> None:
        """Start without any walk; `kept` is what is left to a person: walks a minute, and CPU time."""
        self._gap_ns = gap_ns
        self._per_minute = per_minute
        self._kept, self._kept_ns = kept
        self._walks: deque[int] = deque(maxlen=per_minute)
        self._ours = _Allowance(OUR_WALK_SHARE, burst_ns)
        self._theirs = _Allowance(THEIR_WALK_SHARE, burst_ns)
        self.refused = 0
        """Walks that were refused because those before had cost too much."""

        self.counted_ns = (0, 0)
        """CPU time of all walks so far, here and in the programs."""

    def spend(self, ours_ns: int, theirs_ns: int) -> None:
        """Count the CPU time of a walk, in this thread and in the program's."""
        self._ours.left_ns -= ours_ns
        self._theirs.left_ns -= theirs_ns
        self.counted_ns = self.counted_ns[0] + ours_ns, self.counted_ns[1] + theirs_ns

    def allows(self, now_ns: int, *, asked: bool = False) -> bool:
        """Return whether a walk may begin now, and count it; `asked` is whether a person asked for what it is for."""
        walks = self._walks
        if walks and now_ns < walks[-1] + self._gap_ns:
            return False
        lately = sum(began_ns > now_ns - MINUTE_NS for began_ns in walks)
        if lately >= self._per_minute - (0 if asked else self._kept):
            return False
        kept_ns = 0 if asked else self._kept_ns
        if min(self._ours.left(now_ns), self._theirs.left(now_ns)) <= kept_ns:
            self.refused += 1
            return False
        walks.append(now_ns)
        return True
