"""Bars with a direction, and how they and intervals are printed; the figure is compared before it is rounded."""

from collections.abc import Sequence

from evaluation.bench_capture import Bar
from evaluation.metrics import Interval


def at_least(name: str, value: float, limit: float, unit: str) -> Bar:
    """Return a bar that is held from its limit on."""
    return Bar(name=name, value=round(value, 3), limit=limit, unit=f"{unit}, at least", ok=value >= limit)


def at_most(name: str, value: float, limit: float, unit: str) -> Bar:
    """Return a bar that is held up to its limit."""
    return Bar(name=name, value=round(value, 3), limit=limit, unit=f"{unit}, at most", ok=value <= limit)


def with_interval(figure: Interval) -> str:
    """Write a figure with the interval of its draws."""
    return f"{figure.value:.3f} ({figure.low:.2f}..{figure.high:.2f})"


def print_bars(bars: Sequence[Bar]) -> None:
    """Print one bar a line."""
    wide = max(len(bar.name) for bar in bars)
    for bar in bars:
        verdict = "held  " if bar.ok else "missed"
        print(f"{verdict} {bar.name:<{wide}} {bar.value:>7.3f} ({bar.unit} {bar.limit:g})")
