"""The session log: whole steps or nothing, whatever happens to the writer, and nothing foreign is believed."""

import os
import shutil
import sqlite3
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.errors import BadFile, UsageError
from storage.records import FORMAT_VERSION, Decision, Record, SessionEnd, Tick, Verdict
from storage.session.log import (
    CACHE_KIB,
    DATABASE,
    SESSION_NAME,
    SessionReader,
    SessionWriter,
    create_session,
    find_session,
    list_sessions,
)
from tests.fakes.detectors.strategies import records
from tests.fakes.sessions.rows import WALL_NS, rows_in, session, start, step


def write(folder: Path, steps: list[list[Record]]) -> list[Record]:
    writer = SessionWriter(folder)
    for rows in steps:
        writer.append(rows)
    writer.close()
    return [row for rows in steps for row in rows]


def test_a_session_is_read_as_it_was_written(tmp_path: Path) -> None:
    rows = write(tmp_path, session(5))
    assert rows_in(tmp_path) == rows_in(tmp_path / DATABASE) == rows
    with SessionReader(tmp_path) as reader:
        assert reader.first() == rows[0]
        assert reader.last() == rows[-1]
        assert "session_end" in reader.counts()
        assert reader.counts() == {"decision": 5, "frame": 5, "session_end": 1, "session_start": 1}
        assert list(reader.rows({"session_end", "session_start"})) == [rows[0], rows[-1]]
        assert list(reader.rows({"offer"})) == []


@settings(max_examples=25)
@given(written=st.lists(records(), max_size=8))
def test_any_list_of_records_survives_the_log(written: list[Record], tmp_path_factory: pytest.TempPathFactory) -> None:
    rows = [replace(record, seq=seq, at_ns=10 * seq) for seq, record in enumerate(written, start=1)]
    folder = tmp_path_factory.mktemp("log")
    assert write(folder, [rows]) == rows_in(folder)


def test_little_of_what_was_written_stays_in_memory(tmp_path: Path) -> None:
    """SQLite keeps 2 MB of a file that grows, unless it is told."""
    writer = SessionWriter(tmp_path)
    assert writer._database.conn.execute("PRAGMA cache_size").fetchone() == (-CACHE_KIB,)
    writer.close()


def test_what_ended_in_order_is_one_private_file(tmp_path: Path) -> None:
    folder = create_session(tmp_path / "sessions", WALL_NS)
    write(folder, session(2))
    assert [entry.name for entry in folder.iterdir()] == [DATABASE]
    assert stat.S_IMODE((folder / DATABASE).stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == stat.S_IMODE((tmp_path / "sessions").stat().st_mode) == 0o700


def test_the_files_of_an_open_session_are_private_too(tmp_path: Path) -> None:
    writer = SessionWriter(tmp_path)
    writer.append([start()])
    modes = {entry.name: stat.S_IMODE(entry.stat().st_mode) for entry in tmp_path.iterdir()}
    writer.close()
    assert modes == {DATABASE: 0o600, f"{DATABASE}-wal": 0o600, f"{DATABASE}-shm": 0o600}


def test_a_step_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    writer = SessionWriter(tmp_path)
    writer.append([start()])
    bad = Decision(seq=3, verdict=Verdict.HOLD, gate="x", reason="x", propensity=float("nan"))
    with pytest.raises(ValueError):
        writer.append([Tick(seq=2), bad])
    with pytest.raises(sqlite3.IntegrityError):
        writer.append([Tick(seq=2), Tick(seq=1)])
    writer.append([Tick(seq=2), Tick(seq=3)])
    writer.close()
    assert [row.seq for row in rows_in(tmp_path)] == [1, 2, 3]


def test_a_session_is_read_while_it_is_written(tmp_path: Path) -> None:
    writer = SessionWriter(tmp_path)
    writer.append([start()])
    with SessionReader(tmp_path) as reader:
        assert [row.seq for row in reader] == [1]
        assert "session_end" not in reader.counts()
        writer.append(step(2, 5))
        assert [row.seq for row in reader] == [1, 2, 3]
        rows = iter(reader)
        next(rows)
        writer.append([SessionEnd(seq=4, at_ns=9, reason="stop")])
        writer.close()
        assert [row.seq for row in rows] == [2, 3]
    assert rows_in(tmp_path)[-1].seq == 4


def test_a_truncated_log_opens_to_its_last_whole_step(tmp_path: Path) -> None:
    writer = SessionWriter(tmp_path / "whole")
    steps: list[list[Record]] = [[start()], *(step(2 + 2 * n, n + 2) for n in range(30))]
    for rows in steps:
        writer.append(rows)
    written = [row for rows in steps for row in rows]
    log = f"{DATABASE}-wal"
    size = (tmp_path / "whole" / log).stat().st_size
    found: set[int] = set()
    for cut in [*range(size // 2, size, 3001), size - 1, size]:
        folder = tmp_path / f"cut-{cut}"
        folder.mkdir()
        shutil.copy(tmp_path / "whole" / DATABASE, folder)
        shutil.copy(tmp_path / "whole" / log, folder)
        os.truncate(folder / log, cut)
        rows = rows_in(folder)
        assert rows == written[: len(rows)]
        assert len(rows) % 2 == 1
        found.add(len(rows))
    writer.close()
    assert max(found) == len(written)
    assert len(found) > 5


def foreign(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    for statement in (*statements, "PRAGMA user_version = 1"):
        connection.execute(statement)
    connection.commit()
    connection.close()


KAIR = "PRAGMA application_id = 0x4B414952"
TABLE = "CREATE TABLE records (seq INTEGER PRIMARY KEY, at_ns INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL)"


@pytest.mark.parametrize(
    "statements",
    [
        ["CREATE TABLE other (a)"],
        [TABLE],
        [KAIR, "CREATE TABLE records (a, b, c, d)"],
        [KAIR, "CREATE VIEW records AS SELECT 1 AS seq, 1 AS at_ns, 'tick' AS kind, '{}' AS body"],
        [KAIR, "CREATE VIRTUAL TABLE records USING fts4(seq, at_ns, kind, body)"],
    ],
)
def test_a_foreign_database_is_refused(tmp_path: Path, statements: list[str]) -> None:
    foreign(tmp_path / DATABASE, *statements)
    with pytest.raises(BadFile, match="not a Kairos session") as caught:
        rows_in(tmp_path)
    assert caught.value.exit_code == 4


def test_the_same_database_with_our_table_is_read(tmp_path: Path) -> None:
    """The control: what is refused above is refused for its schema."""
    foreign(tmp_path / DATABASE, KAIR, TABLE)
    assert rows_in(tmp_path) == []


def test_a_missing_database_is_refused_with_its_path(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("not a database, but long enough to look at " * 30)
    (tmp_path / "empty").mkdir()
    write(tmp_path / "real", session(1))
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / DATABASE).symlink_to(tmp_path / "real" / DATABASE)
    for name in ("missing", "text.db", "empty", "link"):
        with pytest.raises(BadFile, match=name):
            rows_in(tmp_path / name)


def test_a_session_of_a_newer_kairos_says_so(tmp_path: Path) -> None:
    write(tmp_path, [[start(format_version=FORMAT_VERSION + 1)]])
    with SessionReader(tmp_path) as reader, pytest.raises(BadFile, match="update Kairos"):
        reader.first()


def test_a_session_that_does_not_begin_is_refused(tmp_path: Path) -> None:
    """A log without its first row cannot be replayed."""
    write(tmp_path, [[Tick(seq=2)]])
    with SessionReader(tmp_path) as reader, pytest.raises(BadFile, match="does not begin"):
        reader.first()


def test_folders_are_named_by_local_time_and_never_collide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digits = iter(["aaaa", "aaaa", "bbbb"])
    monkeypatch.setattr("secrets.token_hex", lambda size: next(digits))
    first, second = create_session(tmp_path, WALL_NS), create_session(tmp_path, WALL_NS)
    assert (first.name[-4:], second.name[-4:]) == ("aaaa", "bbbb")
    assert SESSION_NAME.fullmatch(first.name)
    assert list_sessions(tmp_path) == [first, second]


def test_sessions_are_found_by_path_name_and_beginning(tmp_path: Path) -> None:
    names = ["20261120-090000-aaaa", "20261121-090000-bbbb", "20261121-100000-cccc"]
    for name in names:
        write(tmp_path / name, session(1))
    (tmp_path / "notes").mkdir()
    (tmp_path / "20261121-110000-dddd").symlink_to(tmp_path / names[0])
    assert [folder.name for folder in list_sessions(tmp_path)] == names
    assert find_session(names[1], tmp_path) == tmp_path / names[1]
    assert find_session("20261120", tmp_path) == tmp_path / names[0]
    assert find_session(str(tmp_path / names[2])) == tmp_path / names[2]
    assert find_session(str(tmp_path / names[2] / DATABASE)) == tmp_path / names[2]
    with pytest.raises(UsageError, match="2 sessions begin"):
        find_session("20261121", tmp_path)
    for name in ("2025", "", "notes"):
        with pytest.raises(BadFile, match="there is no session"):
            find_session(name, tmp_path)
    with pytest.raises(BadFile, match=f"notes is no session: it holds no {DATABASE}"):
        find_session(str(tmp_path / "notes"), tmp_path)
    assert list_sessions(tmp_path / "nowhere") == []


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
def test_a_pipe_beside_a_database_is_refused(tmp_path: Path, ending: str) -> None:
    """SQLite opens these files too, and would wait for ever for somebody to write; so would `sessions list`."""
    folder = create_session(tmp_path, WALL_NS)
    write(folder, session(2))
    pipe = folder / f"session.db{ending}"
    os.mkfifo(pipe)
    held = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)  # so that without the check this test fails instead of hanging
    try:
        with pytest.raises(BadFile, match=f"session.db{ending} is not a file"):
            SessionReader(folder)
    finally:
        os.close(held)


def test_an_existing_folder_keeps_its_permissions(tmp_path: Path) -> None:
    """Only folders of ours are made private; the one sessions are put into may be anything, even /tmp."""
    tmp_path.chmod(0o755)
    create_session(tmp_path, WALL_NS)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ("(1, 1, 'tick', x'7b7d')", "not text"),
        ("(1, 1, 'tick', '{\"seq\":2,\"at_ns\":1}')", "contradicts"),
        ("(1, 1, 'tick', '{\"seq\":1,\"at_ns\":2}')", "contradicts"),
        ("(1, 1, 'secret', '{}')", "row 1 is of a kind"),
        ("(1, 1, 'tick', '{\"seq\":\"secret\"}')", "not a valid tick"),
        ("(1, 1, 'tick', printf('%.*c', 5000000, 'x'))", "damaged"),
    ],
)
def test_an_inconsistent_row_is_refused(tmp_path: Path, values: str, reason: str) -> None:
    foreign(tmp_path / DATABASE, KAIR, TABLE, f"INSERT INTO records VALUES {values}")  # noqa: S608  # ours
    with pytest.raises(BadFile, match=reason) as caught:
        rows_in(tmp_path)
    assert "secret" not in str(caught.value)
