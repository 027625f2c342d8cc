"""Motion of the pointer: straight to a click, from place to place without one, or back and forth.

Lengths are in heights of the screen. A trip is motion without a rest of `REST_NS`; a stop is a rest between two trips
without an act, so probably a look at something.
"""

from collections import OrderedDict
from math import hypot, log1p

from detectors.acts import Act
from detectors.features.extractor import MIDDLE, OUTSIDE, SIDE, TOP, ActiveWindow, FeatureExtractor, defined
from detectors.features.fading import FAINT, PRIOR, Fade, log_age, mean, remember, scaled, scatter
from storage.clock import NS_PER_S

REST_NS = 2 * NS_PER_S // 5  # motion is recorded ten times a second while it lasts
AIMED_NS = NS_PER_S  # a press this soon after a trip is what the trip was for
GOES_ON_NS = 3 * NS_PER_S // 10
AGAIN_NS = 60 * NS_PER_S
STEP = 0.005  # heights; shorter steps have no direction
WIDE_STEP = 0.03  # heights in a tenth of a second; shaking, not aiming
CELL = 1.0 / 24.0  # heights; a place
MAX_CELLS = 128
_AT = 0  # by part
_PATH, _POINTS, _STOPS, _STEPS, _TURNS, _SHAKES, _WAY, _SPEEDS, _X, _Y, _XX, _YY, _BOTH = range(4, 17)
_PLACES = (_POINTS, _X, _XX, _Y, _YY)
_TRIPS, _LENGTHS, _STRAIGHT, _AIMED, _STOP_LOGS, _STOPS_AGAIN, _STOPS_TOP, _STOPS_MIDDLE, _SIZE = range(9)


class PointerMotion(FeatureExtractor):
    """Follows motion."""

    table = defined("pointer_motion")

    def __init__(self, fade: Fade, window: ActiveWindow) -> None:
        super().__init__(fade, window)
        self._sums = fade.sums(_BOTH)
        self._long = fade.long_sums(_SIZE)
        self._x = self._y = self._dx = self._dy = 0.0
        self._from = (0.0, 0.0)
        self._ns: int | None = None
        self._trip = 0.0
        self._part = MIDDLE
        self._acted = False
        self._cells: OrderedDict[tuple[int, int], int] = OrderedDict()

    def on_motion(self, x: int, y: int, path: int, t_ns: int) -> None:
        unit = 1.0 / self._window.height
        here_x, here_y, length = x * unit, y * unit, path * unit
        last_ns, known = self._ns, self._ns is not None
        gap_ns = t_ns - last_ns if last_ns is not None else 0
        sums, weights = self._sums, self._fade.weights_at(t_ns)
        if gap_ns > REST_NS and last_ns is not None:
            if not self._acted:
                self._stop(gap_ns, t_ns)
            self._end_trip(last_ns, aimed=False)
        if self._trip == 0.0:
            self._from = (self._x, self._y) if known else (here_x, here_y)
        dx, dy = (here_x - self._x, here_y - self._y) if known else (0.0, 0.0)
        step = hypot(dx, dy)
        self._trip += max(length, step)
        sums.add(_PATH, length, weights)
        sums.add(_POINTS, 1.0, weights)
        self._part = self._window.part(x, y)
        sums.add(_AT + self._part, 1.0, weights)
        sums.add(_X, here_x, weights)
        sums.add(_Y, here_y, weights)
        sums.add(_XX, here_x * here_x, weights)
        sums.add(_YY, here_y * here_y, weights)
        if known and step > STEP:
            sums.add(_WAY, min(step, length), weights)
            if 0 < gap_ns <= GOES_ON_NS:
                sums.add(_STEPS, 1.0, weights)
                sums.add(_SPEEDS, log1p(length * NS_PER_S / gap_ns), weights)
                if dx * self._dx + dy * self._dy < 0.0:
                    sums.add(_TURNS, 1.0, weights)
                    if step > WIDE_STEP and hypot(self._dx, self._dy) > WIDE_STEP:
                        sums.add(_SHAKES, 1.0, weights)
            self._dx, self._dy = dx, dy
        self._x, self._y = here_x, here_y
        self._ns = t_ns if last_ns is None else max(last_ns, t_ns)
        self._acted = False

    def on_act(self, act: Act, count: int, t_ns: int) -> None:  # noqa: ARG002  # a hook
        """Take an act in that is no motion: a trip before it is over."""
        if self._ns is not None and self._trip:
            self._end_trip(self._ns, aimed=act is Act.PRESS and t_ns - self._ns <= AIMED_NS)
        self._acted = True

    def _end_trip(self, t_ns: int, *, aimed: bool) -> None:
        path, self._trip = self._trip, 0.0
        if path <= STEP:
            return
        totals, weight = self._long, self._fade.weights_at(t_ns)[2]
        way = hypot(self._x - self._from[0], self._y - self._from[1])
        totals[_TRIPS] += weight
        totals[_LENGTHS] += log1p(10.0 * path) * weight
        totals[_STRAIGHT] += min(1.0, way / path) * weight
        if aimed:
            totals[_AIMED] += weight

    def _stop(self, length_ns: int, t_ns: int) -> None:
        """Count the rest that has just ended."""
        totals, weights = self._long, self._fade.weights_at(t_ns)
        weight = weights[2]
        self._sums.add(_STOPS, 1.0, weights)
        totals[_STOP_LOGS] += log1p(length_ns * 1e-8) * weight
        cell = (int(self._x / CELL), int(self._y / CELL))
        before_ns = self._cells.get(cell)
        if before_ns is not None and t_ns - before_ns <= AGAIN_NS:
            totals[_STOPS_AGAIN] += weight
        remember(self._cells, cell, t_ns, MAX_CELLS)
        if self._part == TOP:
            totals[_STOPS_TOP] += weight
        elif self._part == MIDDLE:
            totals[_STOPS_MIDDLE] += weight

    def forget(self) -> None:
        self._ns = None
        self._trip = 0.0

    def values(self, now_ns: int) -> dict[str, float]:
        factors, observed = self._fade.factors(now_ns), self._fade.observed_s(now_ns)
        middle, whole = self._sums.read(factors)
        long = scaled(self._long, factors[2])
        stops, points = whole[_STOPS] + PRIOR, middle[_POINTS] + PRIOR
        return {
            "path_rate_6s": middle[_PATH] / observed[1],
            "path_rate_8s": whole[_PATH] / observed[2],
            "trip_rate": long[_TRIPS] / observed[2],
            "trip_length": mean(long[_TRIPS], long[_LENGTHS]),
            "trip_straightness": mean(long[_TRIPS], long[_STRAIGHT]),
            "aimed_share": long[_AIMED] / (long[_TRIPS] + PRIOR),
            "stop_rate_6s": middle[_STOPS] / observed[1],
            "stop_rate_8s": whole[_STOPS] / observed[2],
            "stop_length": mean(whole[_STOPS], long[_STOP_LOGS]),
            "stop_again": long[_STOPS_AGAIN] / stops,
            "stop_top": long[_STOPS_TOP] / stops,
            "stop_middle": long[_STOPS_MIDDLE] / stops,
            "stop_now": log_age(self._ns, now_ns) if not self._acted else 0.0,
            "turn_share": middle[_TURNS] / (middle[_STEPS] + PRIOR),
            "shake_rate": middle[_SHAKES] / observed[1],
            "directness": middle[_WAY] / middle[_PATH] if middle[_PATH] > FAINT else 0.0,
            "pointer_speed": mean(middle[_STEPS], middle[_SPEEDS]),
            "pointer_spread_6s": scatter(*(middle[at] for at in _PLACES)),
            "pointer_spread_8s": scatter(*(whole[at] for at in _PLACES)),
            "pointing_top": middle[_AT + TOP] / points,
            "pointing_side": middle[_AT + SIDE] / points,
            "pointing_outside": middle[_AT + OUTSIDE] / points,
        }
