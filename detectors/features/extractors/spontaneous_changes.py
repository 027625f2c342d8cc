"""Spontaneous changes of the screen: what waiting looks like, and carets, clocks and films.

A change is spontaneous more than `QUIET_NS` after the last act, unless it is a highlight under a moving pointer.
Background counts here, unlike in `screen_responses`: a progress bar is background.
"""

from math import hypot, log1p

from detectors.features.extractor import ActiveWindow, FeatureExtractor, defined
from detectors.features.fading import PRIOR, Fade, log_age, mean, scaled, spread
from detectors.features.screen import ChangeSummary, ScreenStates
from storage.clock import NS_PER_S
from storage.records import Focus

HOVER_NS = 2 * NS_PER_S  # a tool tip comes up to a second after the pointer rests, and is seen a moment later
NEAR = 0.15  # heights
SAME = 0.03  # heights
_SMALL, _GAPS, _LOGS, _SQUARES, _AREAS, _SAME, _FOCUS, _SIZE = range(8)
_OWN, _FRESH, _BOTH = range(3)


class SpontaneousChanges(FeatureExtractor):
    """Follows frames after which nothing was done."""

    table = defined("spontaneous_changes")

    def __init__(self, fade: Fade, window: ActiveWindow) -> None:
        super().__init__(fade, window)
        self._sums = fade.sums(_BOTH)
        self._long = fade.long_sums(_SIZE)
        self._last = (0.0, 0.0)
        self._last_ns: int | None = None
        self._pointer = (0, 0)
        self._pointer_ns: int | None = None

    def on_motion(self, x: int, y: int, path: int, t_ns: int) -> None:  # noqa: ARG002  # a hook
        self._pointer = (x, y)
        self._pointer_ns = t_ns

    def on_spontaneous_focus(self, focus: Focus) -> None:
        """Take a change of focus or title in."""
        self._long[_FOCUS] += self._fade.weights_at(focus.t_ns)[2]

    def on_spontaneous_change(self, t_ns: int, change: ChangeSummary, screen: ScreenStates) -> None:
        """Take in a change; a caret brings a known picture back, a progress bar never does."""
        totals, weights, height = self._long, self._fade.weights_at(t_ns), self._window.height
        weight = weights[2]
        if self._pointer_ns is not None and t_ns - self._pointer_ns <= HOVER_NS:
            x, y = self._pointer
            if hypot(change.x - x, change.y - y) < NEAR * height:
                return
        if not screen.known:
            self._sums.add(_FRESH, 1.0, weights)
        if not change.wide:
            totals[_SMALL] += weight
            return
        self._sums.add(_OWN, 1.0, weights)
        totals[_AREAS] += log1p(100.0 * min(1.0, change.area / self._window.area)) * weight
        if self._last_ns is not None:
            gap = log_age(self._last_ns, t_ns)
            totals[_GAPS] += weight
            totals[_LOGS] += gap * weight
            totals[_SQUARES] += gap * gap * weight
            if hypot(change.x - self._last[0], change.y - self._last[1]) < SAME * height:
                totals[_SAME] += weight
        self._last, self._last_ns = (change.x, change.y), t_ns

    def forget(self) -> None:
        self._last_ns = None

    def values(self, now_ns: int) -> dict[str, float]:
        factors = self._fade.factors(now_ns)
        middle, whole = self._sums.read(factors)
        long = scaled(self._long, factors[2])
        observed = self._fade.observed_s(now_ns)
        return {
            "own_rate_6s": middle[_OWN] / observed[1],
            "own_rate_8s": whole[_OWN] / observed[2],
            "own_fresh_6s": middle[_FRESH] / observed[1],
            "own_fresh_8s": whole[_FRESH] / observed[2],
            "own_focus_rate": long[_FOCUS] / observed[2],
            "own_small_rate": long[_SMALL] / observed[2],
            "own_gap": mean(long[_GAPS], long[_LOGS]),
            "own_unevenness": spread(long[_GAPS], long[_LOGS], long[_SQUARES]),
            "own_area": mean(whole[_OWN], long[_AREAS]),
            "own_same_place": long[_SAME] / (long[_GAPS] + PRIOR),
        }
