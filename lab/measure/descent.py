"""Fits weights by following a slope."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[Any]


def descend(
    slope: Callable[[Floats], Floats],
    start: Floats,
    *,
    steps: int,
    rate: float | Floats,
    allowed: Callable[[Floats], Floats] = lambda weights: weights,
    tiny: float = 1e-8,
) -> Floats:
    """Return where a function of weights is least, by Adam with fixed steps.

    Args:
        slope: its gradient.
        start: where to begin.
        steps: how many there are.
        rate: how far one goes at most, or nearly, all together or each.
        allowed: moves weights to where they may be, after each step.
        tiny: slopes as small as this are hardly followed.
    """
    weights: Floats = start
    first, second = np.zeros_like(start), np.zeros_like(start)
    for step in range(1, steps + 1):
        change = slope(weights)
        first, second = 0.9 * first + 0.1 * change, 0.99 * second + 0.01 * change**2
        move = (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + tiny)
        weights = allowed(weights - rate * move)
    return weights
