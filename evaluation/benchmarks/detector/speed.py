"""How long a detector takes: a prefix with all its features, one record, and loading the model, in CPU time.

Prefixes and records of several sessions are timed more than once each. A bar is held against what is left when tries
that took longer than others are left out, since that was the machine's doing; what all tries came to stands beside it.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from daemon.engine.engine import NoImages
from detectors.embedded import EmbeddedDetector, load_model
from detectors.features.tracker import FeatureTracker
from evaluation.benchmarks.detector.feature_timing import PASSES, time_features
from storage.clock import SystemClock
from storage.records import Prefix, Record

MAX_SESSIONS = 20
WINDOW = 256
"""Records from one window's start to the next; a prefix is timed at each quarter."""

TRIES = 15
LOADS = 7
_PREFIX = Prefix(
    prefix_id="w1/100",
    window_id=1,
    fraction=1.0,
    start_ns=0,
    end_ns=0,
    slots=(),
    features={},
    truncated=False,
    app="",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """CPU time.

    Attributes:
        sessions: how many were timed.
        prefixes: of how many prefixes `prefix_p99_ms` is, all features and the estimate, each the median of `TRIES`.
        records: of how many records `step_p99_us` is, each the least of `PASSES`.
        load_ms: median of loading the model.
    """

    sessions: int
    prefixes: int
    records: int
    prefix_p99_ms: float
    prefix_p99_untrimmed_ms: float
    step_p99_us: float
    step_p99_untrimmed_us: float
    load_ms: float
    model_mb: float

    @property
    def prefix_words(self) -> str:
        """How prefixes were timed."""
        return f"p99 of {self.prefixes} prefixes of {self.sessions} sessions, median of {TRIES} tries each"

    @property
    def step_words(self) -> str:
        """How records were timed."""
        return f"p99 of {self.records} records of {self.sessions} sessions, least of {PASSES} passes each"


def time_detector(detector: EmbeddedDetector, sessions: Sequence[Sequence[Record]], model: Path) -> Speed:
    """Return what the detector costs on the rows of sessions, `MAX_SESSIONS` of them from first to last."""
    many = min(MAX_SESSIONS, len(sessions))
    chosen = [sessions[number * len(sessions) // many] for number in range(many)]
    clock = SystemClock()
    loads = []
    for _ in range(LOADS):
        begun_ns = clock.cpu_ns()
        load_model(model)
        loads.append(clock.cpu_ns() - begun_ns)
    tries = [one for rows in chosen for one in _prefix_times_ns(detector, rows)]
    steps = time_features(chosen)
    return Speed(
        sessions=many,
        prefixes=len(tries),
        records=steps.records,
        prefix_p99_ms=_p99_ms([statistics.median_low(one) for one in tries]),
        prefix_p99_untrimmed_ms=_p99_ms([ns for one in tries for ns in one]),
        step_p99_us=steps.step_p99_us,
        step_p99_untrimmed_us=steps.step_p99_untrimmed_us,
        load_ms=round(float(np.median(loads)) / 1e6, 2),
        model_mb=round(model.stat().st_size / 1e6, 3),
    )


def _p99_ms(times_ns: Sequence[int]) -> float:
    return round(float(np.quantile(times_ns, 0.99)) / 1e6, 3)


def _prefix_times_ns(detector: EmbeddedDetector, rows: Sequence[Record]) -> list[list[int]]:
    """Return the CPU time of each try at features and estimate of each prefix.

    The moment moves on by a nanosecond a try: what is read twice at one moment is worked out once.
    """
    clock = SystemClock()
    tracker = FeatureTracker()
    times = []
    for number, row in enumerate(rows):
        if number % WINDOW == 0:
            tracker.open_window(row.at_ns)
        tracker.take(row)
        if number % (WINDOW // 4) == WINDOW // 4 - 1:
            tries = []
            for later_ns in range(TRIES):
                begun_ns = clock.cpu_ns()
                features = tracker.values(row.at_ns + later_ns)
                detector.estimate(replace(_PREFIX, features=features), NoImages(), row.at_ns)
                tries.append(clock.cpu_ns() - begun_ns)
            times.append(tries)
    return times
