"""Intervals of benchmarks by resampling: whole sessions, people or videos drawn with replacement."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from daemon.figures.intervals import Interval
from daemon.figures.resampling import DRAWS, Floats, Ints

SEED_OF_GROUPS = 7


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
    drawn = np.random.default_rng(SEED_OF_GROUPS).integers(0, len(names), (DRAWS, len(names)))
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
