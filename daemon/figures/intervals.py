"""Figures with the interval that they are known to: any, rates of counted events, and shares.

Standard library alone: commands that need no numpy do not load it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

LEVEL = 0.95
_Z = 1.959963984540054
_STEPS = 80
_NEGLIGIBLE = 1e-18


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        """Return the figure with its interval."""
        return f"{self.value:.3f} ({self.low:.2f}..{self.high:.2f})"


def poisson_rate(count: int, exposure: float) -> Interval:
    """Return events per unit of exposure with their exact interval, as of a Poisson process (Garwood 1936)."""
    tail = (1.0 - LEVEL) / 2
    low = poisson_lower(count, tail)
    return Interval(value=count / exposure, low=low / exposure, high=poisson_upper(count, tail) / exposure)


def poisson_upper(count: int, alpha: float) -> float:
    """Return the exact one-sided upper bound of a Poisson mean, after `count` events."""
    return _mean_where(lambda mean: _at_most(count, mean) > alpha, count)


def poisson_lower(count: int, alpha: float) -> float:
    """Return the exact one-sided lower bound of a Poisson mean, after `count` events."""
    return 0.0 if count == 0 else _mean_where(lambda mean: _at_most(count - 1, mean) > 1.0 - alpha, count)


def wilson(count: int, total: int) -> Interval:
    """Return a share with its interval after Wilson (1927)."""
    share, square = count / total, _Z * _Z / total
    middle = (share + square / 2) / (1 + square)
    reach = _Z / (1 + square) * math.sqrt(share * (1 - share) / total + square / total / 4)
    low, high = min(share, middle - reach), max(share, middle + reach)  # rounding must not exclude the share
    return Interval(value=share, low=max(0.0, low), high=min(1.0, high))


def _mean_where(below: Callable[[float], bool], count: int) -> float:
    """Return the mean at which `below` turns false, by halving."""
    low, high = 0.0, 2.0 * count + 10.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return high


def _at_most(count: int, mean: float) -> float:
    """Return the chance of at most `count` events; terms that no longer count are left out."""
    if mean <= 0.0:
        return 1.0
    top = min(count, math.floor(mean))  # the largest of the terms
    largest = math.exp(top * math.log(mean) - mean - math.lgamma(top + 1))
    total = term = largest
    for k in range(top, 0, -1):
        term *= k / mean
        total += term
        if term < _NEGLIGIBLE * total:
            break
    term = largest
    for k in range(top + 1, count + 1):
        term *= mean / k
        total += term
        if term < _NEGLIGIBLE * total:
            break
    return min(1.0, total)
