"""Changes of the screen that nobody asked for: what waiting looks like, and carets, clocks and films.

A change is unasked more than `QUIET_NS` after the last act, unless it lit up under a moving pointer. Background counts
here, other than in `detectors.answers`: a bar that fills is nothing else.
"""

from collections.abc import Mapping
from math import hypot, log1p

from detectors.fading import PRIOR, Fade, mean, spread
from detectors.front import Front
from detectors.screen import Measured
from storage.clock import NS_PER_S

HOVER_NS = NS_PER_S
NEAR = 0.15  # heights
SAME = 0.03  # heights
_OWN, _SMALL, _GAPS, _LOGS, _SQUARES, _AREAS, _SAME, _SIZE = range(8)

TABLE: Mapping[str, tuple[str, str]] = {
    "own_rate_3s": ("1/s", "changes larger than a clock that nobody asked for, a second; half-life 3s"),
    "own_rate_10s": ("1/s", "changes larger than a clock that nobody asked for, a second; half-life 10s"),
    "own_rate_30s": ("1/s", "changes larger than a clock that nobody asked for, a second; half-life 30s"),
    "own_small_rate": ("1/s", "carets and clocks: small changes nobody asked for, a second; half-life 30s"),
    "own_gap": ("ln s", "time between changes nobody asked for, as ln(1 + 10 s), typically; half-life 30s"),
    "own_unevenness": ("ln s", "spread of the logarithms of these times; half-life 30s"),
    "own_area": ("ln %", "area of changes nobody asked for, as ln(1 + %), typically; half-life 30s"),
    "own_same_place": ("1", "share of changes nobody asked for that are where the last one was; half-life 30s"),
}


class Unasked:
    """Follows frames after which nothing was done."""

    __slots__ = ("_fade", "_front", "_last", "_last_ns", "_pointer", "_pointer_ns", "_sums")

    def __init__(self, fade: Fade, front: Front) -> None:
        """Know of no frame."""
        self._fade = fade
        self._front = front
        self._sums = fade.sums(_SIZE)
        self._last = (0.0, 0.0)
        self._last_ns: int | None = None
        self._pointer = (0, 0)
        self._pointer_ns: int | None = None

    def move(self, x: int, y: int, t_ns: int) -> None:
        """Take motion in."""
        self._pointer = (x, y)
        self._pointer_ns = t_ns

    def frame(self, t_ns: int, found: Measured) -> None:
        """Take a change in that no act came before."""
        sums, weights, height = self._sums, self._fade.at(t_ns), self._front.height
        if not found.wide:
            sums.add(_SMALL, 1.0, weights)
            return
        if self._pointer_ns is not None and t_ns - self._pointer_ns <= HOVER_NS:
            x, y = self._pointer
            if hypot(found.x - x, found.y - y) < NEAR * height:
                return
        sums.add(_OWN, 1.0, weights)
        sums.add(_AREAS, log1p(100.0 * min(1.0, found.area / self._front.area)), weights)
        if self._last_ns is not None:
            gap = log1p(max(0, t_ns - self._last_ns) * 1e-8)
            sums.add(_GAPS, 1.0, weights)
            sums.add(_LOGS, gap, weights)
            sums.add(_SQUARES, gap * gap, weights)
            if hypot(found.x - self._last[0], found.y - self._last[1]) < SAME * height:
                sums.add(_SAME, 1.0, weights)
        self._last, self._last_ns = (found.x, found.y), t_ns

    def forget(self) -> None:
        """Break off: nobody watches for a while."""
        self._last_ns = None

    def values(self, now_ns: int) -> dict[str, float]:
        """Return the features of `TABLE`."""
        short, middle, long = self._sums.read(self._fade.worth(now_ns))
        seen = self._fade.seen(now_ns)
        return {
            "own_rate_3s": short[_OWN] / seen[0],
            "own_rate_10s": middle[_OWN] / seen[1],
            "own_rate_30s": long[_OWN] / seen[2],
            "own_small_rate": long[_SMALL] / seen[2],
            "own_gap": mean(long[_GAPS], long[_LOGS]),
            "own_unevenness": spread(long[_GAPS], long[_LOGS], long[_SQUARES]),
            "own_area": mean(long[_OWN], long[_AREAS]),
            "own_same_place": long[_SAME] / (long[_GAPS] + PRIOR),
        }
