"""Undo patterns: how soon after an act, how many steps, how fast, and what comes next.

Who compares waits long before and after and redoes what was undone; who is angry undoes at once, much and fast. Only
undo and redo keys are read here, not undo through menus or by erasing.
"""

from math import log1p

from detectors.acts import Act
from detectors.features.extractor import ActiveWindow, FeatureExtractor, defined
from detectors.features.fading import PRIOR, Fade, log_age, mean, scaled

_DELAYS, _DELAY_LOGS, _GAPS, _GAP_LOGS, _ENDS, _AFTER_LOGS, _STEP_LOGS, _UNDOS, _REDOS, _SIZE = range(10)


class UndoPatterns(FeatureExtractor):
    """Follows undo and redo among other acts."""

    table = defined("undo_patterns")

    def __init__(self, fade: Fade, window: ActiveWindow) -> None:
        super().__init__(fade, window)
        self._long = fade.long_sums(_SIZE)
        self._last_ns: int | None = None
        self._steps = 0

    def on_act(self, act: Act, count: int, t_ns: int) -> None:
        last_ns = self._last_ns
        self._last_ns = t_ns if last_ns is None else max(last_ns, t_ns)
        mends = act is Act.UNDO or act is Act.REDO
        if not mends and not self._steps:
            return
        totals, weight = self._long, self._fade.weights_at(t_ns)[2]
        gap = log_age(last_ns, t_ns)
        if not mends:
            totals[_ENDS] += weight
            totals[_AFTER_LOGS] += gap * weight
            totals[_STEP_LOGS] += log1p(self._steps) * weight
            self._steps = 0
            return
        totals[_UNDOS if act is Act.UNDO else _REDOS] += count * weight
        if self._steps:
            totals[_GAPS] += weight
            totals[_GAP_LOGS] += gap * weight
        elif last_ns is not None:
            totals[_DELAYS] += weight
            totals[_DELAY_LOGS] += gap * weight
        self._steps += count

    def forget(self) -> None:
        self._last_ns = None
        self._steps = 0

    def values(self, now_ns: int) -> dict[str, float]:
        long = scaled(self._long, self._fade.factors(now_ns)[2])
        ends, steps = long[_ENDS], long[_STEP_LOGS]
        if self._steps:
            ends, steps = ends + 1.0, steps + log1p(self._steps)
        return {
            "mend_delay": mean(long[_DELAYS], long[_DELAY_LOGS]),
            "mend_gap": mean(long[_GAPS], long[_GAP_LOGS]),
            "mend_steps": mean(ends, steps),
            "mend_after": mean(long[_ENDS], long[_AFTER_LOGS]),
            "mend_redone": long[_REDOS] / (long[_UNDOS] + long[_REDOS] + PRIOR),
        }
