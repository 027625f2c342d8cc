"""The timing of features: every record counts, and all values are read as often as prefixes end."""

from dataclasses import replace

from lab.benchmarks.detector.speed import time_features
from tests.fakes.sessions.desk import Desk
from tests.fakes.sessions.people import work


def test_each_record_and_each_reading_is_timed() -> None:
    """Percentiles are in order, and reading everything costs more than taking one record in."""
    desk = Desk(1)
    work(desk, 40.0)
    records = [replace(record, at_ns=record.t_ns) for record in desk.records]  # type: ignore[attr-defined]  # all do
    timing = time_features([records, records[: len(records) // 2]], passes=2)
    assert timing.records == len(records) + len(records) // 2
    assert 0.0 < timing.step_p50_us <= timing.step_p99_us < timing.values_p99_us
    assert timing.step_p99_us <= timing.step_p99_untrimmed_us
    assert 0.0 < timing.values_p50_us <= timing.values_p99_us


def test_an_empty_log_takes_no_time() -> None:
    """Nothing in, nothing out."""
    assert time_features([[]]).step_p99_us == time_features([]).step_p99_untrimmed_us == 0.0
