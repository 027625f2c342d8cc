"""Packing: journals on a disk become parcels in the outbox, each row once."""

import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from participant.delivery import writer as chain
from participant.delivery.outbox import BUNDLE, PACKED, WITHDRAWAL, NewParcel, Outbox, ParcelState
from participant.delivery.review import leave_out, start_review
from participant.documents.parcel import write_parcel
from participant.documents.plan import Sent
from participant.documents.rows import AnswerRow, DayRow, PointRow, Row, TooManyRowsError, decode_rows
from participant.membership.consent import agreement, answered_again, encode_consent, open_writer, read_consent_file
from participant.membership.folder import ParticipantFolder
from participant.pack import pack, packer
from participant.pack.fold import RowFold
from participant.pack.packer import sends_since
from storage.errors import BadFile
from storage.records import Feedback, FeedbackKind, Record
from study.rehearsal.compare import rows_of_sessions
from tests.fakes.studies import documents as studies
from tests.fakes.studies.participants import opened, rows_shown
from tests.fakes.studies.session import (
    WHO,
    RunningSession,
    S,
    StudySession,
    join,
    local_wall_ns,
    session_name,
    write_session,
)


def packed_rows(folder: ParticipantFolder) -> list[Row]:
    """Return the rows of all parcels behind the first, once the chain was checked from its beginning."""
    parcels = opened(folder)
    assert [row for rows in parcels for row in rows] == rows_shown(folder)
    return [row for rows in parcels[1:] for row in rows]


def day_of_records(day: int, *, seed: int = 0, hours: float = 8.0) -> list[Record]:
    chance = random.Random(f"{seed} {day}")
    session = StudySession(day=day, minute=540.0)
    at_s = 10.0
    while at_s < hours * 3600:
        at_s += chance.uniform(5, 60)
        kind = chance.randrange(6)
        if kind == 0:
            seq = session.offer(at_s)
            at_s += 5.0
            if chance.random() < 0.8:
                session.add(at_s, Feedback(offer_id=f"o{seq}", kind=FeedbackKind.ACCEPTED))
        elif kind == 1:
            session.decide(at_s, "arm", "withheld", propensity=0.5)
        elif kind == 2:
            session.decide(at_s, "budget", "cooldown")
        else:
            session.key(at_s)
    return session.end(at_s + 1).rows


def write_days(base: Path, days: Sequence[int], **fields: float) -> list[list[Record]]:
    made = [day_of_records(day, **fields) for day in days]  # type: ignore[arg-type]  # hours
    for day, rows in zip(days, made, strict=True):
        write_session(base / session_name(day), rows)
    return made


def expected(sessions: Sequence[Sequence[Record]], now_wall_ns: int) -> list[Row]:
    return [timed.row for timed in rows_of_sessions(sessions, WHO, now_wall_ns)]


def test_what_was_recorded_is_packed_once_and_held(tmp_path: Path) -> None:
    folder, base = join(tmp_path / "sheets"), tmp_path / "sessions"
    sessions = write_days(base, (1, 2), hours=1.0)
    now_ns = local_wall_ns(3, 60)
    result = pack(folder, now_ns, base)
    rows = expected(sessions, now_ns)
    assert result == len(rows)
    assert packed_rows(folder) == rows
    assert len([row for row in rows if isinstance(row, PointRow)]) > 50
    assert [row.day for row in rows if isinstance(row, DayRow)] == [1, 2]
    with Outbox(folder.outbox) as outbox:
        assert [parcel.state for parcel in outbox.parcels()] == [ParcelState.READY, ParcelState.HELD]
    assert pack(folder, now_ns + 60 * S, base) == 0
    assert pack(folder, now_ns + 60 * S, base, at_once=True) == 0
    assert pack(folder, now_ns + 3600 * S + 60 * S, base) == 0
    assert packed_rows(folder) == rows


@pytest.mark.parametrize("seed", range(3))
def test_rows_are_the_same_read_at_once_or_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(packer, "PART", (3, 7, 2000)[seed])
    chance = random.Random(seed)
    folder, base = join(tmp_path / "sheets"), tmp_path / "sessions"
    sessions = [day_of_records(day, seed=seed, hours=0.8) for day in (1, 2)]
    calls = 0
    for day, rows in zip((1, 2), sessions, strict=True):
        running = RunningSession(base, (), day)
        first, offset_ns = 0, local_wall_ns(day, 540) - rows[0].at_ns
        while first < len(rows):
            count = chance.choice((1, 1, 2, 5, 20))
            running.writer.append(rows[first : first + count])
            first += count
            if chance.random() < 0.6:
                calls += 1
                pack(folder, rows[min(first, len(rows)) - 1].at_ns + offset_ns, base, at_once=True)
        running.close(in_order=seed != 1)
    now_ns = local_wall_ns(4, 0)
    assert calls > 15
    pack(folder, now_ns, base, at_once=True)
    rows_packed, rows_expected = packed_rows(folder), expected(sessions, now_ns)
    assert rows_packed == rows_expected
    assert len(rows_expected) > 30
    with Outbox(folder.outbox) as outbox:
        assert outbox.chain()[0] >= 8  # in many parcels


def _small_parcels(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    def write(rows: Sequence[Row], *rest: object) -> bytes:
        if len(rows) > most:
            raise TooManyRowsError("too many")
        return write_parcel(rows, *rest)  # type: ignore[arg-type]  # as they came

    monkeypatch.setattr(chain, "write_parcel", write)


def test_rows_that_are_too_many_are_divided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _small_parcels(monkeypatch, 10)
    folder, base = join(tmp_path / "sheets"), tmp_path / "sessions"
    sessions, now_ns = write_days(base, (1,), hours=1.0), local_wall_ns(3, 0)
    result = pack(folder, now_ns, base)
    rows = expected(sessions, now_ns)
    assert packed_rows(folder) == rows
    assert result == len(rows) > 40
    with Outbox(folder.outbox) as outbox:
        assert {len(decode_rows(parcel.rows)) <= 10 for parcel in outbox.parcels()} == {True}
        assert len(outbox.parcels()) > 5


class _Killed(Outbox):
    """An outbox whose process is killed before its n-th statement."""

    statements_left = 10**9

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._database.set_trace_callback(self._count)

    def _count(self, _: str) -> None:
        _Killed.statements_left -= 1
        if _Killed.statements_left < 0:
            os._exit(9)


class _InTwoSteps(_Killed):
    """The control: how far journals were read is stored apart from the parcels."""

    def add(self, parcels: Sequence[NewParcel], **fields: object) -> None:
        self.save_fact(PACKED, fields["packed"])  # type: ignore[arg-type]  # bytes
        super().add(parcels, **fields)  # type: ignore[arg-type]  # as they came


def _killed_at_every_statement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type[_Killed]
) -> list[tuple[list[Row], list[Row]]]:
    _small_parcels(monkeypatch, 10)
    base = tmp_path / "sessions"
    sessions, now_ns = write_days(base, (1,), hours=0.5), local_wall_ns(3, 0)
    rows = expected(sessions, now_ns)
    monkeypatch.setattr(packer, "Outbox", kind)
    found: list[tuple[list[Row], list[Row]]] = []
    status = 9
    while status:
        folder = join(tmp_path / f"{len(found)}" / "sheets")
        _Killed.statements_left = 10**9
        child = os.fork()
        if not child:
            try:
                _Killed.statements_left = len(found)
                pack(folder, now_ns, base)
                os._exit(0)
            finally:
                os._exit(1)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert status in (0, 9)
        pack(folder, now_ns, base, at_once=True)
        found.append((packed_rows(folder), rows))
    return found


def test_killed_anywhere_every_row_is_packed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = _killed_at_every_statement(tmp_path, monkeypatch, _Killed)
    assert len(found) > 10
    assert all(rows == whole for rows, whole in found)


def test_control_stored_in_two_steps_rows_are_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same trial sees what the one transaction is for."""
    found = _killed_at_every_statement(tmp_path, monkeypatch, _InTwoSteps)
    lost = [rows for rows, whole in found if rows != whole]
    assert lost
    assert all(rows == [] for rows in lost)


# ---------------------------------------------------------------- when nothing is packed


def test_nothing_is_packed_before_joining_after_leaving_or_while_a_new_version_waits(tmp_path: Path) -> None:
    """And as soon as it may be, all of it is."""
    base, now_ns = tmp_path / "sessions", local_wall_ns(3, 0)
    write_days(base, (1,), hours=0.2)
    assert pack(ParticipantFolder(tmp_path / "none"), now_ns, base) == 0
    assert not (tmp_path / "none").exists()

    folder = join(tmp_path / "left" / "sheets")
    with Outbox(folder.outbox) as outbox:
        outbox.save_statement(WITHDRAWAL, b"signed")
    assert pack(folder, now_ns, base) == 0
    folder = join(tmp_path / "keyless" / "sheets")
    folder.key.unlink()
    assert pack(folder, now_ns, base) == 0
    folder = join(tmp_path / "pending" / "sheets")
    with Outbox(folder.outbox) as outbox:
        outbox.save_fact(BUNDLE, b"a newer one")
    assert pack(folder, now_ns, base) == 0
    assert packed_rows(folder) == []
    with Outbox(folder.outbox) as outbox:
        outbox.save_fact(BUNDLE, studies.bundle_bytes())
    assert pack(folder, now_ns, base) > 0


def test_nothing_from_before_the_consent_is_packed(tmp_path: Path) -> None:
    base = tmp_path / "sessions"
    sessions = write_days(base, (1, 2), hours=0.2)
    folder = join(tmp_path / "sheets", at_wall_ns=local_wall_ns(1, 541))
    now_ns = local_wall_ns(4, 0)
    pack(folder, now_ns, base)
    assert packed_rows(folder) == expected(sessions[1:], now_ns) != []


def test_what_may_be_sent_of_a_session_is_what_every_answer_since_permits(tmp_path: Path) -> None:
    folder = join(tmp_path / "sheets", sends=(Sent.AGGREGATES, Sent.CATEGORIES), at_wall_ns=100)
    consent = read_consent_file(folder.consent)
    again = agreement(studies.bundle(), (Sent.AGGREGATES, Sent.QUESTIONS), "en", 200)
    consent = answered_again(consent, studies.bundle(), again)
    assert sends_since(consent, 99) == frozenset()
    assert sends_since(consent, 100) == {Sent.AGGREGATES}
    assert sends_since(consent, 199) == {Sent.AGGREGATES}
    assert sends_since(consent, 200) == {Sent.AGGREGATES, Sent.QUESTIONS}


def test_switches_of_the_consent_count(tmp_path: Path) -> None:
    base, now_ns = tmp_path / "sessions", local_wall_ns(3, 0)
    write_days(base, (1,), hours=0.5)
    for sends, kinds, categories in (
        ((Sent.AGGREGATES,), {PointRow, DayRow}, {None}),
        ((Sent.AGGREGATES, Sent.CATEGORIES), {PointRow, DayRow}, {"sheets"}),
        ((Sent.QUESTIONS,), set(), set()),
    ):
        folder = join(tmp_path / "-".join(sends) / "sheets", sends=sends)
        pack(folder, now_ns, base)
        rows = packed_rows(folder)
        assert {type(row) for row in rows} == kinds
        assert {row.category for row in rows if isinstance(row, PointRow)} == categories
        assert not [row for row in rows if isinstance(row, AnswerRow)]


def test_a_new_answer_counts_in_the_session_that_runs(tmp_path: Path) -> None:
    folder, base = join(tmp_path / "sheets"), tmp_path / "sessions"
    write_days(base, (1,), hours=0.5)
    consent = read_consent_file(folder.consent)
    again = agreement(studies.bundle(), (Sent.QUESTIONS,), "en", local_wall_ns(1, 545))
    folder.consent.unlink()
    folder.consent.write_bytes(encode_consent(answered_again(consent, studies.bundle(), again)))
    folder.consent.chmod(0o600)
    assert pack(folder, local_wall_ns(3, 0), base) == 0


# ---------------------------------------------------------------- journals that are not there, or not ours


def _days(folder: ParticipantFolder) -> dict[int, dict[str, int]]:
    return {row.day: dict(row.problems) for row in packed_rows(folder) if isinstance(row, DayRow)}


def test_damaged_and_foreign_sessions_are_left_out_and_counted(tmp_path: Path) -> None:
    folder, base = join(tmp_path / "sheets"), tmp_path / "sessions"
    write_days(base, (1, 3), hours=0.2)
    garbage = base / session_name(2)
    garbage.mkdir()
    (garbage / "session.db").write_bytes(b"SQLite format 3\0" + bytes(5000))
    empty = base / session_name(2, 1)
    empty.mkdir()
    for number, changes in (
        (2, {"study": {"participant": "bcdefghij2345672"}}),
        (3, {"start": {"imported_from": "x"}}),
    ):
        session = StudySession(day=2, **changes)  # type: ignore[arg-type]  # fields of the first two rows
        session.offer(10.0)
        write_session(base / session_name(2, number), session.end(900.0).rows)
    no_study = [row for row in StudySession(day=2).rows if row.KIND != "study"]
    write_session(base / session_name(2, 4), no_study)
    for place in (garbage, empty):
        os.utime(place, (0, 0))
    pack(folder, local_wall_ns(4, 0), base)
    found = _days(folder)
    assert found == {1: {"session_damaged": 2, "session_foreign": 1}, 3: {}}
    rows = packed_rows(folder)
    assert pack(folder, local_wall_ns(5, 0), base) == 0
    assert packed_rows(folder) == rows


def test_a_session_deleted_while_it_was_read_ends_there(tmp_path: Path) -> None:
    """What was read of it stays; what was open in it ends as if it had been cut off."""
    folder, base = join(tmp_path / "sheets"), tmp_path / "sessions"
    session = StudySession(day=1)
    session.decide(60.0, "arm", "withheld", propensity=0.5)
    session.decide(700.0, "arm", "withheld", propensity=0.5)
    session.key(760.0)
    running = RunningSession(base, session.rows)
    pack(folder, local_wall_ns(1, 615), base)
    assert [row.outcomes.watched_s for row in packed_rows(folder) if isinstance(row, PointRow)] == [300]
    running.close()
    shutil.rmtree(running.place)
    pack(folder, local_wall_ns(2, 0), base)
    assert [row.outcomes.watched_s for row in packed_rows(folder) if isinstance(row, PointRow)] == [300, 60]
    assert _days(folder) == {1: {"session_deleted": 1}}
    assert pack(folder, local_wall_ns(3, 0), base) == 0


def test_a_session_that_is_damaged_behind_some_rows_counts_until_there(tmp_path: Path) -> None:
    """A row that cannot be read ends it, with the rest of the journal unread."""
    folder, base = join(tmp_path / "sheets"), tmp_path / "sessions"
    session = StudySession(day=1)
    session.decide(60.0, "arm", "withheld", propensity=0.5)
    session.key(100.0)
    seq = session.decide(700.0, "arm", "withheld", propensity=0.5)
    place = write_session(base / session_name(1), session.end(2000.0).rows)
    with closing(sqlite3.connect(place / "session.db")) as database, database:
        database.execute("UPDATE records SET body = '{}' WHERE seq = ?", (seq,))
    os.utime(place, (0, 0))
    pack(folder, local_wall_ns(2, 0), base)
    assert [row.minute for row in packed_rows(folder) if isinstance(row, PointRow)] == [601]
    assert _days(folder) == {1: {"session_damaged": 1}}


def test_a_session_being_made_or_locked_is_read_later(tmp_path: Path) -> None:
    """Neither is damaged: the next time it is read as if nothing had been."""
    folder, base = join(tmp_path / "sheets"), tmp_path / "sessions"
    place = base / session_name(1)
    place.mkdir(parents=True)
    made_ns = place.stat().st_mtime_ns
    assert pack(folder, made_ns + 10 * S, base) == 0  # no database in it yet
    (rows,) = write_days(base, (1,), hours=0.2)
    lock = sqlite3.connect(place / "session.db", timeout=0, isolation_level=None)
    lock.execute("BEGIN EXCLUSIVE")
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("storage.db.connection.BUSY_S", 0.0)
            assert pack(folder, place.stat().st_mtime_ns + 90 * S, base, at_once=True) == 0
    finally:
        lock.close()
    now_ns = max(local_wall_ns(2, 0), place.stat().st_mtime_ns)
    pack(folder, now_ns, base, at_once=True)
    assert packed_rows(folder) == expected([rows], now_ns) != []


def test_reading_a_session_does_not_hold_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two records the daemon can write, move its log into the file, and close; all of it is one plain file."""
    folder, base = join(tmp_path / "sheets"), tmp_path / "sessions"
    rows = day_of_records(1, hours=0.2)
    running = RunningSession(base, rows[:-1])
    steps: list[tuple[int, int, int]] = []
    take = RowFold.take

    def taken(fold: RowFold, record: Record) -> None:
        if not steps:
            running.writer.append(rows[-1:])
            database = running.writer._database.conn
            steps.append(database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone())
        take(fold, record)

    monkeypatch.setattr(RowFold, "take", taken)
    pack(folder, local_wall_ns(2, 0), base)
    assert steps == [(0, 0, 0)]  # not busy, nothing left
    running.close()
    assert [file.name for file in running.place.iterdir()] == ["session.db"]
    pack(folder, local_wall_ns(3, 0), base)
    assert packed_rows(folder) == expected([rows], local_wall_ns(3, 0))


def test_a_day_row_tells_how_many_rows_were_left_out_in_review(tmp_path: Path) -> None:
    """Each is told of once: in a day row that is held, or in the next one that is packed."""
    folder, base = join(tmp_path / "sheets"), tmp_path / "sessions"
    write_days(base, (1,), hours=0.2)
    with Outbox(folder.outbox) as outbox:
        start_review(outbox, local_wall_ns(0, 0), None)
    pack(folder, local_wall_ns(1, 1000), base)
    with Outbox(folder.outbox) as outbox:
        assert leave_out(outbox, open_writer(folder), {(1, 1), (1, 2)}) == 2
    points = len(packed_rows(folder))
    write_days(base, (2, 3), hours=0.2)
    pack(folder, local_wall_ns(4, 1000), base)
    assert [row.left_out for row in packed_rows(folder) if isinstance(row, DayRow)] == [2, 0, 0]
    assert len(packed_rows(folder)) > points


def test_a_clock_that_was_wrong_hides_no_session_and_packs_none_twice(tmp_path: Path) -> None:
    folder, base = join(tmp_path / "sheets"), tmp_path / "sessions"
    first = write_days(base, (1,), hours=0.2)
    pack(folder, local_wall_ns(3000, 0), base)
    second = write_days(base, (2,), hours=0.2)
    assert pack(folder, local_wall_ns(3, 0), base) > 0  # an hour is counted from either side
    assert packed_rows(folder) == expected([*first, *second], local_wall_ns(3, 0))


def test_sessions_are_read_in_the_order_in_which_they_began(tmp_path: Path) -> None:
    """Their names follow local time, which may be set back."""
    folder, base = join(tmp_path / "sheets"), tmp_path / "sessions"
    early, late = day_of_records(1, hours=0.1), day_of_records(2, hours=0.1)
    write_session(base / session_name(2, 7), early)
    write_session(base / session_name(2, 3), late)
    now_ns = local_wall_ns(4, 0)
    pack(folder, now_ns, base)
    assert packed_rows(folder) == expected([early, late], now_ns)


def test_damaged_progress_is_no_guess(tmp_path: Path) -> None:
    """Packing from the beginning would pack everything twice."""
    folder, base = join(tmp_path / "sheets"), tmp_path / "sessions"
    write_days(base, (1,), hours=0.1)
    pack(folder, local_wall_ns(3, 0), base)
    with Outbox(folder.outbox) as outbox:
        outbox.save_fact(PACKED, (outbox.fact(PACKED) or b"")[:-3])
    with pytest.raises(BadFile, match="packed is damaged"):
        pack(folder, local_wall_ns(4, 0), base)


_NO_NETWORK = """
import sys
from pathlib import Path
opened = []
starts = {"subprocess.Popen", "os.exec", "os.posix_spawn", "os.fork"}
def hook(event, _):
    if event.startswith(("socket.", "ssl.")) or event in starts:
        opened.append(event)
sys.addaudithook(hook)
from participant.membership.folder import ParticipantFolder
from participant.pack import pack
print(pack(ParticipantFolder(Path(sys.argv[1])), int(sys.argv[2]), Path(sys.argv[3])) > 0)
import socket
print(len(opened), sorted({"aiomqtt", "paho", "httpx2", "duckdb", "scipy", "lab"} & sys.modules.keys()))
socket.socket().close()
print(len(opened))
"""


def test_packing_knows_no_network(tmp_path: Path) -> None:
    """It opens no socket, starts no process and loads nothing that could send; one opened by hand would be seen."""
    folder, base = join(tmp_path / "sheets"), tmp_path / "sessions"
    write_days(base, (1,), hours=0.1)
    command = [sys.executable, "-c", _NO_NETWORK, str(folder.path), str(local_wall_ns(3, 0)), str(base)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split("\n") == ["True", "0 []", "1", ""]
