"""How late the scripted hands were: a loaded machine must show in the figures, not in the data alone."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.demo.judge import percentile


@dataclass(frozen=True, slots=True, kw_only=True)
class Lateness:
    """By how many milliseconds acts came after the moment at which they were due."""

    acts: int
    p50_ms: float
    p95_ms: float
    max_ms: float


def lateness_of(lines: Iterable[Mapping[str, Any]]) -> Lateness:
    """Return the lateness of all acts in a script's log."""
    return summed_up(float(line["late_ms"]) for line in lines if "late_ms" in line)


def summed_up(late: Iterable[float]) -> Lateness:
    """Return median, 95th percentile and maximum; all 0 where nothing was done."""
    late = sorted(late)
    return Lateness(
        acts=len(late),
        p50_ms=round(percentile(late, 0.5), 1),
        p95_ms=round(percentile(late, 0.95), 1),
        max_ms=round(late[-1], 1) if late else 0.0,
    )
