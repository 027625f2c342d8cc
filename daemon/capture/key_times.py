"""Rounds the times of keys: no exact one leaves capture, because the rhythm of typing tells who types.

A key has the time at which its cell of `GRID_NS` began, and equal neighbors in a cell are one record with a count.
Times are rounded down: a record of a time that has not come would be invalid. Only keys are rounded; what comes before
what is decided by exact times. So a key may follow a record of a later `t_ns`, by less than a cell. Imported recordings
are rounded by the same function (`daemon.replay.imports.derive`), because features must not depend on where a session
comes from.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from storage.records import EventKind, InputEvent, Record

GRID_NS = 50_000_000
"""Estimates and offers hardly notice it; a coarser one moves features of rhythm (lab/docs/decisions.md)."""


def cell_start(t_ns: int) -> int:
    """Return when the cell began that a time lies in."""
    return t_ns - t_ns % GRID_NS


def cell_end(t_ns: int) -> int:
    """Return when the next cell begins."""
    return cell_start(t_ns) + GRID_NS


def with_coarse_keys(records: Iterable[Record]) -> Iterator[Record]:
    """Yield the records in their order, with the times of keys rounded and equal neighbors in a cell merged.

    A merged record has the `at_ns` of its last key, if any: it was not there before.
    """
    run: InputEvent | None = None
    for record in records:
        if not isinstance(record, InputEvent) or record.kind is not EventKind.KEY:
            if run is not None:
                yield run
                run = None
            yield record
            continue
        key = replace(record, t_ns=cell_start(record.t_ns))
        if run is None:
            run = key
        elif (run.t_ns, run.key_class, run.own) == (key.t_ns, key.key_class, key.own):
            run = replace(key, count=run.count + key.count)
        else:
            yield run
            run = key
    if run is not None:
        yield run
