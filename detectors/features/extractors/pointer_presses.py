"""Button presses and the wheel: where, whether again at the same place, and how the wheel is turned."""

from collections import OrderedDict
from math import hypot, log1p

from detectors.acts import DOUBLE_NS
from detectors.features.extractor import OUTSIDE, SIDE, TOP, ActiveWindow, FeatureExtractor, defined
from detectors.features.fading import PRIOR, Fade, log_age, mean, remember, scaled
from storage.clock import NS_PER_S

AGAIN_NS = 60 * NS_PER_S
NEAR = 0.012  # heights; nobody hits the same pixel twice
DRAG = 0.012  # heights
CELL = 1.0 / 30.0  # heights; a button
MAX_CELLS = 128
BURST_NS = 3 * NS_PER_S // 5  # scroll steps closer than this are one turn of the wheel, with its notches
_PRESSES, _SAME, _UP, _DOWN, _BOTH = range(5)
_AT = 0  # by part
_AGAIN, _JUMPS, _WAYS, _DRAGS, _RIGHT, _DOUBLE, _BURSTS, _RESTS, _REST_LOGS, _STEP_LOGS, _TURNS, _SIZE = range(4, 16)


class PointerPresses(FeatureExtractor):
    """Follows presses and scroll steps."""

    table = defined("pointer_presses")

    def __init__(self, fade: Fade, window: ActiveWindow) -> None:
        super().__init__(fade, window)
        self._sums = fade.sums(_BOTH)
        self._long = fade.long_sums(_SIZE)
        self._press_ns: int | None = None
        self._at = (0.0, 0.0)
        self._drawn = True
        self._cells: OrderedDict[tuple[int, int], int] = OrderedDict()
        self._wheel_ns: int | None = None
        self._steps = 0
        self._sign = 0

    def on_press(self, x: int, y: int, button: str | None, t_ns: int) -> None:
        totals, window, weights = self._long, self._window, self._fade.weights_at(t_ns)
        weight = weights[2]
        here = x / window.height, y / window.height
        self._sums.add(_PRESSES, 1.0, weights)
        totals[_AT + window.part(x, y)] += weight
        if button != "left":
            totals[_RIGHT] += weight
        cell = (int(here[0] / CELL), int(here[1] / CELL))
        if self._press_ns is not None:
            way = hypot(here[0] - self._at[0], here[1] - self._at[1])
            if way > NEAR:
                totals[_JUMPS] += weight
                totals[_WAYS] += log1p(10.0 * way) * weight
                if t_ns - self._cells.get(cell, t_ns - AGAIN_NS - 1) <= AGAIN_NS:
                    totals[_AGAIN] += weight
            elif t_ns - self._press_ns > DOUBLE_NS:
                self._sums.add(_SAME, 1.0, weights)
            else:
                totals[_DOUBLE] += weight
        remember(self._cells, cell, t_ns, MAX_CELLS)
        self._at, self._press_ns, self._drawn = here, t_ns, False

    def on_release(self, x: int, y: int, t_ns: int) -> None:
        """Take a release in: far from its press it was a drag."""
        height = self._window.height
        if not self._drawn and hypot(x / height - self._at[0], y / height - self._at[1]) > DRAG:
            self._long[_DRAGS] += self._fade.weights_at(t_ns)[2]
        self._drawn = True

    def on_scroll(self, dy: int, count: int, t_ns: int) -> None:
        """Take scroll steps in; those to the side have no direction here."""
        totals, weights = self._long, self._fade.weights_at(t_ns)
        weight = weights[2]
        sign = (dy > 0) - (dy < 0)
        if self._wheel_ns is None or t_ns - self._wheel_ns > BURST_NS or sign == -self._sign != 0:
            totals[_BURSTS] += weight
            if self._wheel_ns is not None:
                totals[_RESTS] += weight
                totals[_REST_LOGS] += log_age(self._wheel_ns, t_ns) * weight
                totals[_STEP_LOGS] += log1p(self._steps) * weight
                if sign == -self._sign != 0:
                    totals[_TURNS] += weight
            self._steps = 0
        if sign:
            self._sums.add(_UP if sign > 0 else _DOWN, count, weights)
        self._steps += count
        self._sign = sign or self._sign
        self._wheel_ns = t_ns if self._wheel_ns is None else max(self._wheel_ns, t_ns)

    def forget(self) -> None:
        self._press_ns = self._wheel_ns = None
        self._drawn = True
        self._sign = 0

    def values(self, now_ns: int) -> dict[str, float]:
        factors = self._fade.factors(now_ns)
        middle, whole = self._sums.read(factors)
        long = scaled(self._long, factors[2])
        presses, bursts = whole[_PRESSES] + PRIOR, long[_BURSTS] + PRIOR
        return {
            "press_top": long[_AT + TOP] / presses,
            "press_side": long[_AT + SIDE] / presses,
            "press_outside": long[_AT + OUTSIDE] / presses,
            "press_again": long[_AGAIN] / presses,
            "press_same": whole[_SAME] / presses,
            "press_same_6s": middle[_SAME] / (middle[_PRESSES] + PRIOR),
            "press_way": mean(long[_JUMPS], long[_WAYS]),
            "press_drag": long[_DRAGS] / presses,
            "press_right": long[_RIGHT] / presses,
            "press_double": long[_DOUBLE] / presses,
            "wheel_rest": mean(long[_RESTS], long[_REST_LOGS]),
            "wheel_steps": mean(long[_RESTS], long[_STEP_LOGS]),
            "wheel_back": long[_TURNS] / bursts,
            "wheel_way_6s": abs(middle[_UP] - middle[_DOWN]) / (middle[_UP] + middle[_DOWN] + PRIOR),
            "wheel_way_8s": abs(whole[_UP] - whole[_DOWN]) / (whole[_UP] + whole[_DOWN] + PRIOR),
        }
