"""Bars with a direction, and how they and figures are told; a figure is compared before it is rounded."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.measure.metrics import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptanceCriterion:
    """One figure with its limit; `ok` tells whether it is held."""

    name: str
    value: float
    limit: float
    unit: str
    ok: bool


def at_least(name: str, value: float, limit: float, unit: str) -> AcceptanceCriterion:
    """Return a bar that is held from its limit on."""
    return AcceptanceCriterion(
        name=name, value=round(value, 3), limit=limit, unit=f"{unit}, at least", ok=value >= limit
    )


def at_most(name: str, value: float, limit: float, unit: str) -> AcceptanceCriterion:
    """Return a bar that is held up to its limit."""
    return AcceptanceCriterion(
        name=name, value=round(value, 3), limit=limit, unit=f"{unit}, at most", ok=value <= limit
    )


def with_interval(figure: Interval) -> str:
    """Write a figure with the interval of its draws."""
    return f"{figure.value:.3f} ({figure.low:.2f}..{figure.high:.2f})"


def without_nan(value: Any) -> Any:
    """Return plain values as JSON can tell them: a figure that there is none of is null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(item) for item in value]
    return value


def print_bars(bars: Sequence[AcceptanceCriterion]) -> None:
    """Print one bar a line."""
    wide = max(len(bar.name) for bar in bars)
    for bar in bars:
        verdict = "held  " if bar.ok else "missed"
        print(f"{verdict} {bar.name:<{wide}} {bar.value:>7.3f} ({bar.unit} {bar.limit:g})")
