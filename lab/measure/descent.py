"""Fits a few weights by following a slope; the same on every machine."""

from collections.abc import Callable

import numpy as np

from daemon.figures.resampling import Floats


def descend(
    slope: Callable[[Floats], Floats],
    start: Floats,
    *,
    steps: int,
    rate: float,
    allowed: Callable[[Floats], Floats] = lambda weights: weights,
) -> Floats:
    """Return where a function of a few weights is least, by Adam with fixed steps.

    Args:
        slope: its gradient.
        start: where to begin.
        steps: how many there are.
        rate: how far one goes at most, or nearly.
        allowed: moves weights to where they may be, after each step.
    """
    weights: Floats = start
    first, second = np.zeros_like(start), np.zeros_like(start)
    for step in range(1, steps + 1):
        change = slope(weights)
        first, second = 0.9 * first + 0.1 * change, 0.99 * second + 0.01 * change**2
        move = (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
        weights = allowed(weights - rate * move)
    return weights
