"""Ten hours of work by manual clock: memory stays flat."""

import gc
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace

import pytest

from storage.clock import NS_PER_S
from storage.records import Record
from tests.fakes.detectors.fake_detectors import START_NS, make_engine
from tests.fakes.sessions.desk import Desk
from tests.fakes.sessions.people import work

LIMIT_BYTES_PER_HOUR = 100_000


def work_of(seconds: int) -> list[Record]:
    desk = Desk(1)
    work(desk, seconds)
    return desk.records


def shifted(records: list[Record], by_ns: int) -> Iterator[tuple[int, Record]]:
    for record in records:
        t_ns = getattr(record, "t_ns", 0) + by_ns
        yield t_ns, replace(record, t_ns=t_ns)  # type: ignore[call-arg]  # all that a desk makes have one


@pytest.mark.parametrize(("turns", "seconds"), [(2, 1200), pytest.param(10, 3600, marks=pytest.mark.slow)])
def test_memory_is_flat_over_hours(turns: int, seconds: int) -> None:
    """Memory grows by less than 100 kB an hour; what was estimated is remembered for a day, some 33 kB an hour."""
    engine = make_engine()
    records = work_of(seconds)
    sizes = []
    tracemalloc.start()
    try:
        for turn in range(turns):
            for at_ns, record in shifted(records, START_NS + turn * seconds * NS_PER_S):
                for _ in engine.take_with_ticks(record, at_ns):
                    pass
            gc.collect()
            sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert sizes[-1] - sizes[0] < LIMIT_BYTES_PER_HOUR * (turns - 1) * seconds / 3600
