"""Foreign databases: nothing of their own runs, and only rows that fit come in."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from storage.db.schemas import APPLICATION_ID
from storage.errors import BadFile
from storage.session.transfer.foreign_database import read_foreign_rows
from storage.session.transfer.import_session import import_session
from storage.session.verify import verify
from tests.fakes.sessions.session_sample import listing, write_session

Spoil = Callable[[sqlite3.Connection], object]


def spoiled(tmp_path: Path, spoil: Spoil) -> Path:
    folder = write_session(tmp_path / "foreign", pictures=0)
    with closing(sqlite3.connect(folder / "session.db", isolation_level=None)) as connection:
        spoil(connection)
    return folder


def refusal(folder: Path, tmp_path: Path) -> str:
    sessions = tmp_path / "sessions"
    sessions.mkdir(mode=0o700, exist_ok=True)
    before = listing(tmp_path)
    with pytest.raises(BadFile) as caught:
        import_session(folder, sessions)
    assert listing(tmp_path) == before
    return caught.value.what


def change(seq: int, **fields: object) -> Spoil:

    def spoil(connection: sqlite3.Connection) -> None:
        body = json.loads(connection.execute("SELECT body FROM records WHERE seq = ?", (seq,)).fetchone()[0])
        body |= fields
        place = {key: body[key] for key in ("seq", "at_ns")}
        connection.execute(
            "UPDATE records SET body = ?, at_ns = ? WHERE seq = ?", (json.dumps(body), place["at_ns"], seq)
        )

    return spoil


def as_view(connection: sqlite3.Connection) -> None:
    """Put a view in place of the table; it makes up rows for ever."""
    connection.execute("ALTER TABLE records RENAME TO real")
    connection.execute(
        "CREATE VIEW records AS WITH RECURSIVE n(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n) "
        "SELECT seq, 0 AS at_ns, 'tick' AS kind, '{}' AS body FROM n"
    )


def with_trigger(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE log (x)")
    connection.execute("CREATE TRIGGER t AFTER INSERT ON records BEGIN INSERT INTO log VALUES (1); END")


def as_virtual_table(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE records RENAME TO real")
    connection.execute("CREATE VIRTUAL TABLE records USING fts5(seq, at_ns, kind, body)")


def with_computed_column(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE records RENAME TO real")
    connection.execute(
        "CREATE TABLE records (seq INTEGER PRIMARY KEY, at_ns INTEGER, kind TEXT, "
        "body TEXT GENERATED ALWAYS AS (upper(kind)) VIRTUAL)"
    )


HOSTILE_SCHEMAS = {
    "a view in place of the table": as_view,
    "a trigger": with_trigger,
    "a virtual table": as_virtual_table,
    "a computed column": with_computed_column,
    "another program's mark": lambda connection: connection.execute("PRAGMA application_id = 1"),
    "no table": lambda connection: connection.execute("DROP TABLE records"),
}

HOSTILE_ROWS: dict[str, Spoil] = {
    "there are no rows": lambda connection: connection.execute("DELETE FROM records"),
    "the first row is no beginning": lambda connection: connection.execute("DELETE FROM records WHERE seq = 1"),
    "time runs backwards": change(6, at_ns=1),
    "an unknown kind": lambda connection: connection.execute("UPDATE records SET kind = 'spell' WHERE seq = 3"),
    "another kind": lambda connection: connection.execute("UPDATE records SET kind = 'frame' WHERE seq = 3"),
    "a body that is no text": lambda connection: connection.execute("UPDATE records SET body = x'ff00' WHERE seq = 3"),
    "a time that is text": lambda connection: connection.execute("UPDATE records SET at_ns = 'now' WHERE seq = 3"),
    "a body that is none": lambda connection: connection.execute("UPDATE records SET body = 7 WHERE seq = 3"),
    "a field of another type": change(2, window="1"),
    "a number beyond 64 bits": change(2, window=10**30),
    "a row too long": change(2, app="x" * (5 << 20)),
    "a row far too deep": lambda connection: connection.execute(
        "UPDATE records SET body = ? WHERE seq = 2", ('{"settings":' + "[" * 100_000,)
    ),
    "a picture outside the session": change(4, image_ref="../../secret.mp4@0"),
    "a picture with an absolute name": change(4, image_ref="/etc/passwd@0"),
    "a newer format": change(1, format_version=99),
    "a beginning in another age": change(1, wall_ns=2**62),
    "a second beginning": lambda connection: connection.execute(
        "UPDATE records SET kind = 'session_start', body = (SELECT replace(body, '\"seq\":1,\"at_ns\":100000000000', "
        '\'"seq":2,"at_ns":100000000000\') FROM records WHERE seq = 1) WHERE seq = 2'
    ),
}


@pytest.mark.parametrize("what", HOSTILE_SCHEMAS)
def test_a_database_with_a_schema_that_is_not_ours_is_refused(tmp_path: Path, what: str) -> None:
    assert "session" in refusal(spoiled(tmp_path, HOSTILE_SCHEMAS[what]), tmp_path)


@pytest.mark.parametrize("what", HOSTILE_ROWS)
def test_a_row_that_does_not_fit_refuses_the_whole(tmp_path: Path, what: str) -> None:
    assert refusal(spoiled(tmp_path, HOSTILE_ROWS[what]), tmp_path)


def test_an_untouched_database_imports(tmp_path: Path) -> None:
    """Control of the two tests above."""
    folder = spoiled(tmp_path, lambda connection: connection.execute("SELECT 1"))
    assert verify(import_session(folder, tmp_path / "sessions")).ok


def test_a_gap_comes_in_and_stays_a_problem(tmp_path: Path) -> None:
    """Rows that a full disk lost do not make the rest worthless, but the session is not called sound."""
    folder = spoiled(tmp_path, lambda connection: connection.execute("DELETE FROM records WHERE seq = 5"))
    report = verify(import_session(folder, tmp_path / "sessions"))
    assert (report.ok, report.problems) == (False, ("rows 5 to 5 are missing",))


def test_opened_as_any_database_the_hostile_parts_would_run(tmp_path: Path) -> None:
    """Control: a plain reader is fed by the view, and a plain writer fires the trigger."""
    folder = spoiled(tmp_path, as_view)
    with closing(sqlite3.connect(folder / "session.db")) as connection:
        assert len(connection.execute("SELECT seq, body FROM records LIMIT 10000").fetchall()) == 10_000
    folder = spoiled(tmp_path, with_trigger)
    with closing(sqlite3.connect(folder / "session.db")) as connection:
        connection.execute("INSERT INTO records VALUES (99, 0, 'tick', '{}')")
        assert connection.execute("SELECT count(*) FROM log").fetchone() == (1,)


def test_a_hostile_side_view_is_never_read(tmp_path: Path) -> None:
    """Ours has views too, so others may be there; the import does not even look at them, and they do not come along."""
    folder = spoiled(
        tmp_path, lambda connection: connection.execute("CREATE VIEW trap AS SELECT load_extension('evil')")
    )
    back = import_session(folder, tmp_path / "sessions")
    with closing(sqlite3.connect(back / "session.db")) as connection:
        assert connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'trap'").fetchone() == (0,)


def test_a_database_cut_off_anywhere_is_refused_or_whole(tmp_path: Path) -> None:
    folder = write_session(tmp_path / "foreign", pictures=0)
    path = folder / "session.db"
    data = path.read_bytes()
    for length in range(0, len(data), 2_048):
        path.write_bytes(data[:length])
        assert refusal(folder, tmp_path)


def test_a_database_overwritten_with_noise_never_crashes_the_import(tmp_path: Path) -> None:
    folder = write_session(tmp_path / "foreign", pictures=0)
    path = folder / "session.db"
    data = path.read_bytes()
    refused = 0
    for place in range(0, len(data), 499):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :])
        try:
            import_session(folder, tmp_path / "sessions")
        except BadFile:
            refused += 1
    assert refused > 0


def test_work_on_a_hostile_database_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "large.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 1")
        connection.execute("CREATE TABLE records (seq INTEGER PRIMARY KEY, at_ns INTEGER, kind TEXT, body TEXT)")
        connection.executemany("INSERT INTO records VALUES (?, 0, 'tick', '{}')", ((n,) for n in range(20_000)))
        connection.commit()
    assert sum(1 for _ in read_foreign_rows(path, Path("large"))) == 20_000
    monkeypatch.setattr("storage.session.transfer.foreign_database.MAX_STEPS", 2)
    with pytest.raises(BadFile, match="interrupted"):
        sum(1 for _ in read_foreign_rows(path, Path("large")))
