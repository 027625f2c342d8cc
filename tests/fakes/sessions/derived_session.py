"""Sessions derived from a simulated person who gets stuck, with every row; and a folder to write them to."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from daemon.replay.imports.derive import derive_rows
from storage import testing
from storage.clock import NS_PER_S
from storage.records import Record
from storage.session.log import create_session
from storage.settings import DetectorSettings, PolicySettings, Settings
from tests.fakes.sessions.desk import Desk
from tests.fakes.sessions.people import undo_loop, work

SETTINGS = Settings(policy=PolicySettings(quiet_start_s=0.0), detector=DetectorSettings(name="evidence"))


def stuck_rows(seed: int = 1, *first: Record, others: Iterable[Record] = ()) -> list[Record]:
    """Return every row of a simulated session: a minute of work, then undo after undo.

    `first` come before all that, `others` at their times.
    """
    desk = Desk(seed)
    work(desk, 60)
    undo_loop(desk)
    desk.wait(40)
    sources = [(0, record) for record in first]
    timed = [*((record.at_ns or getattr(record, "t_ns", 0), record) for record in desk.records)]
    sources += sorted([*timed, *((record.at_ns, record) for record in others)], key=lambda source: source[0])
    return list(
        derive_rows(
            sources,
            settings=SETTINGS,
            session_id="20260101-000000-abcd",
            wall_ns=1_700_000_000 * NS_PER_S,
            recording=False,
            imported_from="a test",
        )
    )


@cache
def simulated() -> tuple[Record, ...]:
    return tuple(stuck_rows())


def rows_of_here(**first: Any) -> list[Record]:
    begin, *rows = simulated()
    return [replace(begin, imported_from=None, **first), *rows]  # type: ignore[call-arg]  # a first row has it


def write_session(rows: Iterable[Record], base: Path) -> Path:
    return testing.write_session(create_session(base, 1_700_000_000 * NS_PER_S), list(rows))


def number_anew(rows: list[Record]) -> list[Record]:
    return [replace(row, seq=seq) for seq, row in enumerate(rows, start=1)]
