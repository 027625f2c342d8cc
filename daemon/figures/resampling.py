"""Intervals by resampling: whole sessions drawn with replacement, since windows of one session resemble each other."""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from daemon.figures.intervals import Interval

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

DRAWS = 1000
_SEED = 20261121
_SEED_OF_GROUPS = 7
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


def bootstrap(
    sessions: Ints, figure: Callable[[Ints], float], *, rng: np.random.Generator, draws: int = DRAWS
) -> Interval:
    """Return a figure with its interval from drawing whole sessions with replacement.

    Windows of one session resemble each other, so drawing windows would make intervals too narrow. `figure` takes row
    numbers; comparing two detectors inside it makes the comparison paired. Draws in which it is no number are left
    out.
    """
    rows = [np.flatnonzero(sessions == session) for session in np.unique(sessions)]
    found = []
    for _ in range(draws):
        drawn = rng.integers(0, len(rows), len(rows))
        value = figure(np.concatenate([rows[place] for place in drawn]))
        if np.isfinite(value):
            found.append(value)
    low, high = np.quantile(found, (0.025, 0.975)) if found else (np.nan, np.nan)
    return Interval(value=figure(np.arange(len(sessions))), low=float(low), high=float(high))


def interval_of_sums(groups: Sequence[str], columns: Floats, figure: Callable[[Floats], Floats]) -> Interval:
    """Return a figure of summed columns with the middle 95 % of draws of whole groups; NaN ends for a single group.

    Faster than `bootstrap`, for figures that need sums alone. The last axis of what `figure` takes are the columns.
    """
    names, numbers = np.unique(np.array(groups), return_inverse=True)
    sums = np.zeros((len(names), columns.shape[1]))
    np.add.at(sums, numbers, columns)
    value = float(figure(sums.sum(axis=0)))
    if len(names) == 1:
        return Interval(value=value, low=math.nan, high=math.nan)
    drawn = np.random.default_rng(_SEED_OF_GROUPS).integers(0, len(names), (DRAWS, len(names)))
    return interval_of(value, figure(sums[drawn].sum(axis=1)))


def share_of(yes: Sequence[bool], groups: Sequence[str]) -> Interval:
    """Return a share with the middle 95 % of draws of whole groups; NaN where there is nothing."""
    if not yes:
        return Interval(value=math.nan, low=math.nan, high=math.nan)
    return interval_of_sums(
        groups, np.array([(answer, 1.0) for answer in yes]), lambda sums: sums[..., 0] / sums[..., 1]
    )


def interval_of(value: float, draws: Floats) -> Interval:
    """Return a value with the middle 95 % of the draws that are numbers; NaN ends where nothing is one."""
    known = draws[np.isfinite(draws)]
    if not len(known) or math.isnan(value):
        return Interval(value=float(value), low=math.nan, high=math.nan)
    low, high = np.quantile(known, (0.025, 0.975))
    return Interval(value=float(value), low=float(low), high=float(high))
