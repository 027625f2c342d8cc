"""Ten hours of work by manual clock: memory stays flat."""

import gc
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace

import pytest

from storage.clock import NS_PER_S
from storage.records import Record
from tests.fakes.desk import Desk
from tests.fakes.engine_minds import START_NS, make_engine
from tests.fakes.people import work

HOUR_NS = 3600 * NS_PER_S


def hour_of_work(seed: int) -> list[Record]:
    """Return an hour of simulated input, frames and focus."""
    desk = Desk(seed)
    work(desk, 3600)
    return desk.records


def shifted(records: list[Record], by_ns: int) -> Iterator[tuple[int, Record]]:
    """Yield the records later."""
    for record in records:
        t_ns = getattr(record, "t_ns", 0) + by_ns
        yield t_ns, replace(record, t_ns=t_ns)  # type: ignore[call-arg]  # all that a desk makes have one


@pytest.mark.parametrize("hours", [2, pytest.param(10, marks=pytest.mark.slow)])
def test_memory_is_flat_over_hours(hours: int) -> None:
    """Memory after the last hour is that after the first, within 100 kB."""
    engine = make_engine()
    records = hour_of_work(1)
    sizes = []
    tracemalloc.start()
    try:
        for hour in range(hours):
            for at_ns, record in shifted(records, START_NS + hour * HOUR_NS):
                for _ in engine.take_with_ticks(record, at_ns):
                    pass
            gc.collect()
            sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert sizes[-1] - sizes[0] < 100_000
