"""Packing: journals on a disk become parcels in the outbox, each row once."""

import hashlib
import os
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from storage.records import Record, SessionEnd
from storage.session.heartbeat import Heartbeat
from storage.session.log import SessionWriter
from studies.keys import ReaderKey
from studies.parcel import FIRST, digest_of, open_parcel, read_parcel
from studies.participant.folder import ParticipantFolder
from studies.participant.outbox import PACKED, Outbox, ParcelState
from studies.participant.pack import Outcome, PackResult, pack, packer
from studies.participant.pack.fold import rows_of_sessions
from studies.plan import Sent
from studies.rows import DayRow, PointRow, Row, decode_rows
from tests.fakes import studies
from tests.fakes.study_session import WHO, S, StudySession, join, local_wall_ns, session_name, write_session


def packed_rows(folder: ParticipantFolder) -> list[Row]:
    """Return the rows of all parcels behind the first, once the chain was checked from its beginning."""
    previous, rows = FIRST, list[Row]()
    with Outbox(folder.outbox) as outbox:
        for parcel in outbox.parcels():
            sender = studies.sender(joined=parcel.n > 0)
            read, _ = read_parcel(parcel.raw, sender)
            assert (read.header.n, read.header.previous) == (parcel.n, previous)
            assert open_parcel(read, ReaderKey(b"P" * 32)) == decode_rows(parcel.rows)
            previous = digest_of(parcel.raw)
            rows += decode_rows(parcel.rows) if parcel.n else ()
    return rows


def day_of_records(day: int, *, seed: int = 0, hours: float = 8.0) -> list[Record]:
    """Return a working day: estimates, decisions, offers, keys."""
    chance = random.Random(f"{seed} {day}")
    session = StudySession(day=day, minute=540.0)
    at_s = 10.0
    while at_s < hours * 3600:
        at_s += chance.uniform(5, 60)
        kind = chance.randrange(6)
        if kind == 0:
            session.offer(at_s)
        elif kind == 1:
            session.decide(at_s, "arm", "withheld", propensity=0.5)
        elif kind == 2:
            session.decide(at_s, "budget", "cooldown")
        else:
            session.key(at_s)
    return session.end(at_s + 1).rows


def write_days(base: Path, days: Sequence[int], **fields: float) -> list[list[Record]]:
    """Write a session for each day; return their records."""
    made = [day_of_records(day, **fields) for day in days]  # type: ignore[arg-type]  # hours
    for day, rows in zip(days, made, strict=True):
        write_session(base / session_name(day), rows)
    return made


def expected(sessions: Sequence[Sequence[Record]], now_wall_ns: int) -> list[Row]:
    """Return the rows that the pure part makes of the same records."""
    return [one.row for one in rows_of_sessions(sessions, WHO, now_wall_ns)]


def test_what_was_recorded_is_packed_once_and_held(tmp_path: Path) -> None:
    """The rows are those of the pure part; a second time there is nothing."""
    folder, base = join(tmp_path / "sheets"), tmp_path / "sessions"
    sessions = write_days(base, (1, 2), hours=1.0)
    now_ns = local_wall_ns(3, 60)
    result = pack(folder, now_ns, base)
    rows = expected(sessions, now_ns)
    assert result == PackResult(outcome=Outcome.PACKED, parcels=1, rows=len(rows))
    assert packed_rows(folder) == rows
    assert len([row for row in rows if isinstance(row, PointRow)]) > 50
    assert [row.day for row in rows if isinstance(row, DayRow)] == [1, 2]
    with Outbox(folder.outbox) as outbox:
        assert [parcel.state for parcel in outbox.parcels()] == [ParcelState.READY, ParcelState.HELD]
    assert pack(folder, now_ns + 60 * S, base) == PackResult(outcome=Outcome.TOO_SOON)
    assert pack(folder, now_ns + 60 * S, base, at_once=True) == PackResult(outcome=Outcome.NOTHING)
    assert pack(folder, now_ns + 3600 * S + 60 * S, base) == PackResult(outcome=Outcome.NOTHING)
    assert packed_rows(folder) == rows
