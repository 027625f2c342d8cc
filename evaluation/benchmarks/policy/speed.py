"""How long policies take to decide, in CPU time: each decision, and ten hours through all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluation.benchmarks.policy.replay import play
from evaluation.benchmarks.policy.trace import Trace, one_long
from policies.protocol import Policy
from storage.clock import NS_PER_S, SystemClock

LONG_HOURS = 10.0
_PASSES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """CPU time: p99 of one decision, in all and per pass; of all estimates; of ten hours through all arms."""

    decide_p99_us: float
    passes_p99_us: Sequence[float]
    estimates_s: float
    long_s: float
    long_hours: float
    decisions: int


def speed_of(traces: Sequence[Trace], arms: Sequence[Policy[Any]], ours: int, estimates_s: float) -> Speed:
    """Time every decision of our policy, the shortest of a few passes, and all arms on one session of ten hours."""
    clock = SystemClock()
    long = one_long(traces, LONG_HOURS)
    passes = [play(long, arms[ours], cpu_ns=clock.cpu_ns).decide_ns for _ in range(_PASSES)]
    begun_ns = clock.cpu_ns()
    for arm in arms:
        play(long, arm)
    return Speed(
        decide_p99_us=_p99_us(list(map(min, *passes))),
        passes_p99_us=[_p99_us(one) for one in passes],
        estimates_s=round(estimates_s, 1),
        long_s=round((clock.cpu_ns() - begun_ns) / NS_PER_S, 2),
        long_hours=round(long.hours, 2),
        decisions=len(passes[0]),
    )


def _p99_us(times_ns: Sequence[int]) -> float:
    return round(float(np.quantile(times_ns, 0.99)) / 1000.0, 1)
