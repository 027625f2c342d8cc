"""How long the features take: each record, and each reading of all of them, with what else the machine does left out.

Every record is timed in several passes over the same log and its shortest time taken: what is longer in one pass only
was somebody else's. So the percentiles are over records, which differ in what they cost, not over luck; over all passes
they are told beside. `python -m evaluation.benchmarks.detector.feature_timing SESSION...` prints them for recorded
sessions or packed logs.
"""

import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path

from detectors.features.tracker import FeatureTracker
from evaluation.simulation.recording.pack import read_packed
from storage.clock import NS_PER_S
from storage.records import Record, is_derived
from storage.session.log import SessionReader

PASSES = 5
EVERY_NS = 6 * NS_PER_S
"""How often prefixes end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureTiming:
    """Microseconds of CPU time for a record (`step`) and for all values (`values`); untrimmed: of all passes."""

    records: int
    step_p50_us: float
    step_p99_us: float
    step_p99_untrimmed_us: float
    values_p50_us: float
    values_p99_us: float


def time_features(sessions: Sequence[Sequence[Record]], passes: int = PASSES) -> FeatureTiming:
    """Feed each session's source records to fresh trackers, `passes` times, and time each step and each reading."""
    steps: list[int] = []
    readings: list[int] = []
    untrimmed: list[int] = []
    for records in sessions:
        taken, read = zip(*(_one_pass(records) for _ in range(passes)), strict=True)
        steps += map(min, zip(*taken, strict=True))
        readings += map(min, zip(*read, strict=True))
        untrimmed += chain.from_iterable(taken)
    return FeatureTiming(
        records=len(steps),
        step_p50_us=_percentile(steps, 0.5),
        step_p99_us=_percentile(steps, 0.99),
        step_p99_untrimmed_us=_percentile(untrimmed, 0.99),
        values_p50_us=_percentile(readings, 0.5),
        values_p99_us=_percentile(readings, 0.99),
    )


def _one_pass(records: Sequence[Record]) -> tuple[list[int], list[int]]:
    now_ns = time.thread_time_ns  # a clock of this thread's work, not of the day
    tracker = FeatureTracker()
    taken: list[int] = []
    read: list[int] = []
    due_ns = records[0].at_ns + EVERY_NS if records else 0
    for record in records:
        if record.at_ns >= due_ns:
            begun_ns = now_ns()
            tracker.values(record.at_ns)
            read.append(now_ns() - begun_ns)
            due_ns += EVERY_NS
        begun_ns = now_ns()
        tracker.take(record)
        taken.append(now_ns() - begun_ns)
    return taken, read


def _percentile(times_ns: Sequence[int], share: float) -> float:
    ordered = sorted(times_ns)
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))] / 1000.0, 1) if ordered else 0.0


def read_sources(path: Path) -> list[Record]:
    """Return the source records of a packed log or of a session's folder."""
    if path.is_dir():
        with SessionReader(path) as reader:
            return [row for row in reader if not is_derived(row)]
    return list(read_packed(path).rows)


if __name__ == "__main__":
    print(asdict(time_features([read_sources(Path(path)) for path in sys.argv[1:]])))
