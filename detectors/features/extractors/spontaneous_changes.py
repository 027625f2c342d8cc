"""Changes of the screen that nobody asked for: what waiting looks like, and carets, clocks and films.

A change is unasked more than `QUIET_NS` after the last act, unless it lit up under a moving pointer. Background counts
here, other than in `detectors.features.extractors.answers`: a bar that fills is nothing else.
"""

from collections.abc import Mapping
from math import hypot, log1p

from detectors.features.fading import PRIOR, Fade, log_age, mean, scaled, spread
from detectors.features.front import Front
from detectors.features.screen import Measured
from storage.clock import NS_PER_S
from storage.records import Focus

HOVER_NS = 2 * NS_PER_S  # a tool tip comes up to a second after the pointer rests, and is seen a moment later
NEAR = 0.15  # heights
SAME = 0.03  # heights
_SMALL, _GAPS, _LOGS, _SQUARES, _AREAS, _SAME, _FOCUS, _SIZE = range(8)
_OWN, _FRESH, _BOTH = range(3)

TABLE: Mapping[str, tuple[str, str]] = {
    "own_rate_6s": ("1/s", "changes larger than a clock that nobody asked for, a second; half-life 6s"),
    "own_rate_8s": ("1/s", "changes larger than a clock that nobody asked for, a second; half-life 8s"),
    "own_fresh_6s": (
        "1/s",
        "changes of any size, to pictures never seen, that nobody asked for, a second; half-life 6s",
    ),
    "own_fresh_8s": (
        "1/s",
        "changes of any size, to pictures never seen, that nobody asked for, a second; half-life 8s",
    ),
    "own_small_rate": ("1/s", "carets and clocks: small changes nobody asked for, a second; half-life 8s"),
    "own_focus_rate": ("1/s", "titles and windows in front that changed without an act, a second; half-life 8s"),
    "own_gap": ("ln s", "time between changes nobody asked for, as ln(1 + 10 s), typically; half-life 8s"),
    "own_unevenness": ("ln s", "spread of the logarithms of these times; half-life 8s"),
    "own_area": ("ln %", "area of changes nobody asked for, as ln(1 + %), typically; half-life 8s"),
    "own_same_place": ("1", "share of changes nobody asked for that are where the last one was; half-life 8s"),
}


class SpontaneousChanges:
    """Follows frames after which nothing was done."""

    __slots__ = ("_fade", "_front", "_last", "_last_ns", "_pointer", "_pointer_ns", "_slow", "_sums")

    def __init__(self, fade: Fade, front: Front) -> None:
        """Know of no frame."""
        self._fade = fade
        self._front = front
        self._sums = fade.sums(_BOTH)
        self._slow = fade.slow(_SIZE)
        self._last = (0.0, 0.0)
        self._last_ns: int | None = None
        self._pointer = (0, 0)
        self._pointer_ns: int | None = None

    def move(self, x: int, y: int, t_ns: int) -> None:
        """Take motion in."""
        self._pointer = (x, y)
        self._pointer_ns = t_ns

    def focus(self, focus: Focus) -> None:
        """Take a change of focus or title in that no act came before."""
        self._slow[_FOCUS] += self._fade.at(focus.t_ns)[2]

    def frame(self, t_ns: int, found: Measured, *, known: bool) -> None:
        """Take a change in that no act came before; a caret brings a `known` picture back, a bar never does."""
        slow, weights, height = self._slow, self._fade.at(t_ns), self._front.height
        weight = weights[2]
        if self._pointer_ns is not None and t_ns - self._pointer_ns <= HOVER_NS:
            x, y = self._pointer
            if hypot(found.x - x, found.y - y) < NEAR * height:
                return
        if not known:
            self._sums.add(_FRESH, 1.0, weights)
        if not found.wide:
            slow[_SMALL] += weight
            return
        self._sums.add(_OWN, 1.0, weights)
        slow[_AREAS] += log1p(100.0 * min(1.0, found.area / self._front.area)) * weight
        if self._last_ns is not None:
            gap = log_age(self._last_ns, t_ns)
            slow[_GAPS] += weight
            slow[_LOGS] += gap * weight
            slow[_SQUARES] += gap * gap * weight
            if hypot(found.x - self._last[0], found.y - self._last[1]) < SAME * height:
                slow[_SAME] += weight
        self._last, self._last_ns = (found.x, found.y), t_ns

    def forget(self) -> None:
        """Break off: nobody watches for a while."""
        self._last_ns = None

    def values(self, now_ns: int) -> dict[str, float]:
        """Return the features of `TABLE`."""
        worth = self._fade.worth(now_ns)
        usual, whole = self._sums.read(worth)
        long = scaled(self._slow, worth[2])
        seen = self._fade.seen(now_ns)
        return {
            "own_rate_6s": usual[_OWN] / seen[1],
            "own_rate_8s": whole[_OWN] / seen[2],
            "own_fresh_6s": usual[_FRESH] / seen[1],
            "own_fresh_8s": whole[_FRESH] / seen[2],
            "own_focus_rate": long[_FOCUS] / seen[2],
            "own_small_rate": long[_SMALL] / seen[2],
            "own_gap": mean(long[_GAPS], long[_LOGS]),
            "own_unevenness": spread(long[_GAPS], long[_LOGS], long[_SQUARES]),
            "own_area": mean(whole[_OWN], long[_AREAS]),
            "own_same_place": long[_SAME] / (long[_GAPS] + PRIOR),
        }
