"""Intervals by resampling: whole sessions drawn with replacement, since windows of one session resemble each other."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from daemon.figures.intervals import Interval

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

DRAWS = 1000
_SEED = 20261121
_HALF = 0.5
_ALPHA = 0.05


class Draws:
    """Sessions drawn with replacement, many times over: how often each session is in each draw."""

    def __init__(self, sessions: int) -> None:
        """Draw."""
        rng = np.random.default_rng(_SEED)
        self.weights: Floats = rng.multinomial(sessions, np.full(sessions, 1.0 / sessions), DRAWS).astype(np.float64)

    def ratio(self, above: Sequence[float], below: Sequence[float]) -> Interval:
        """Return the ratio of two sums over sessions; NaN where there is nothing to divide by."""
        over, under = np.array(above, np.float64), np.array(below, np.float64)
        drawn_under = self.weights @ under
        drawn = (self.weights @ over)[drawn_under > 0] / drawn_under[drawn_under > 0]
        whole = float(over.sum() / under.sum()) if under.sum() > 0 else math.nan
        return _interval(whole, drawn)

    def upper(self, above: Sequence[float], below: Sequence[float]) -> float:
        """Return what the ratio stays below in 95 of 100 draws."""
        return float(np.quantile((self.weights @ np.array(above)) / (self.weights @ np.array(below)), 1.0 - _ALPHA))

    def median(self, values: Sequence[float], sessions: Sequence[int]) -> Interval:
        """Return the median of values that belong to sessions; values may be infinite, NaN where there are none."""
        if not values:
            return Interval(value=math.nan, low=math.nan, high=math.nan)
        order = np.argsort(values, kind="stable")
        ranked = np.array(values, np.float64)[order]
        weights = self.weights[:, np.array(sessions)[order]]
        known = weights[weights.sum(axis=1) > 0]
        reached = np.cumsum(known, axis=1) >= known.sum(axis=1, keepdims=True) * _HALF
        drawn = ranked[reached.argmax(axis=1)]
        return _interval(float(ranked[(len(ranked) - 1) // 2]), drawn)


def _interval(value: float, drawn: Floats) -> Interval:
    if not len(drawn):
        return Interval(value=value, low=math.nan, high=math.nan)
    ranked = np.sort(drawn)
    low, high = ranked[int(0.025 * (len(ranked) - 1))], ranked[math.ceil(0.975 * (len(ranked) - 1))]
    return Interval(value=value, low=float(low), high=float(high))
