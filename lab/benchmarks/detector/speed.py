"""How long a detector takes: a prefix with all its features, one record, and loading the model, in CPU time.

Prefixes and records of several sessions are timed more than once each, and the median or least time is taken: what is
longer in one pass only was the machine's doing. So percentiles are over records and prefixes, which differ in what they
cost; those over all passes stand beside as "untrimmed".
"""

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np

from daemon.engine.engine import NoImages
from detectors.embedded import EmbeddedDetector, load_model
from detectors.features.tracker import FeatureTracker
from storage.clock import NS_PER_S, SystemClock
from storage.records import Prefix, Record

MAX_SESSIONS = 20
WINDOW = 256
"""Records from one window's start to the next; a prefix is timed at each quarter."""

TRIES = 15
LOADS = 7
PASSES = 5
FEATURES_EVERY_NS = 6 * NS_PER_S
"""How often prefixes end while features are timed."""

_PREFIX = Prefix(
    prefix_id="w1/100", window_id=1, fraction=1.0, start_ns=0, end_ns=0, slots=(), features={}, truncated=False, app=""
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorSpeed:
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


def time_detector(detector: EmbeddedDetector, sessions: Sequence[Sequence[Record]], model: Path) -> DetectorSpeed:
    """Return what the detector costs on the rows of sessions, `MAX_SESSIONS` of them from first to last."""
    many = min(MAX_SESSIONS, len(sessions))
    chosen = [sessions[number * len(sessions) // many] for number in range(many)]
    clock = SystemClock()
    loads = []
    for _ in range(LOADS):
        begun_ns = clock.cpu_ns()
        load_model(model)
        loads.append(clock.cpu_ns() - begun_ns)
    tries = [at_ns for rows in chosen for at_ns in _prefix_times_ns(detector, rows)]
    steps = step_times_ns(chosen)
    return DetectorSpeed(
        sessions=many,
        prefixes=len(tries),
        records=len(steps),
        prefix_p99_ms=_p99_ms([statistics.median_low(attempt) for attempt in tries]),
        prefix_p99_untrimmed_ms=_p99_ms([ns for attempt in tries for ns in attempt]),
        step_p99_us=_p99_us([min(times) for times in steps]),
        step_p99_untrimmed_us=_p99_us(list(chain.from_iterable(steps))),
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


def step_times_ns(sessions: Sequence[Sequence[Record]], passes: int = PASSES) -> list[tuple[int, ...]]:
    """Feed each session's source records to fresh trackers, `passes` times; return the times of each record."""
    return [times for records in sessions for times in zip(*(_one_pass(records) for _ in range(passes)), strict=True)]


def _one_pass(records: Sequence[Record]) -> list[int]:
    now_ns = time.thread_time_ns  # a clock of this thread's work, not of the day
    tracker = FeatureTracker()
    taken: list[int] = []
    due_ns = records[0].at_ns + FEATURES_EVERY_NS if records else 0
    for record in records:
        if record.at_ns >= due_ns:
            tracker.values(record.at_ns)
            due_ns += FEATURES_EVERY_NS
        begun_ns = now_ns()
        tracker.take(record)
        taken.append(now_ns() - begun_ns)
    return taken


def _p99_us(times_ns: Sequence[int]) -> float:
    ordered = sorted(times_ns)
    return round(ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))] / 1000.0, 1) if ordered else 0.0
