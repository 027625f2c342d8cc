"""Schemas come whole or not at all; statements and blocks are committed."""

import re
import sqlite3
from pathlib import Path

import pytest

from storage.db import schemas
from storage.db.codec import KINDS
from storage.db.connection import Database, open_readonly, open_writable, quick_check
from storage.db.schemas import SESSION
from storage.errors import BadFile, EnvironmentFault
from storage.records import Record
from storage.session.log import DATABASE, SessionWriter
from tests.fakes.sessions.rows import session


def test_a_schema_that_fails_leaves_nothing_and_is_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    tables = ["one", "two", "one"]

    def schema(connection: sqlite3.Connection) -> None:
        for name in tables:
            connection.execute(f"CREATE TABLE {name} (a)")

    with pytest.raises(EnvironmentFault, match="cannot be read or written"):
        open_writable(path, schema, wal=False)
    assert open_readonly(path).execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
    tables.pop()
    open_writable(path, schema, wal=False).close()
    assert open_readonly(path).execute("SELECT name FROM sqlite_master").fetchall() == [("one",), ("two",)]


def test_a_statement_is_committed_and_a_block_as_a_whole(tmp_path: Path) -> None:
    """What fails leaves no transaction behind that would take later statements in."""

    def rows() -> int:
        with open_readonly(path) as other:
            return int(other.execute("SELECT count(*) FROM one").fetchone()[0])

    def put_both(database: Database) -> None:
        with database.atomic():
            for value in (2, 1):
                database.execute("INSERT INTO one VALUES (?)", (value,))

    path = tmp_path / "a.db"
    with open_writable(path, lambda connection: connection.execute("CREATE TABLE one (a UNIQUE)"), wal=False) as one:
        one.execute("INSERT INTO one VALUES (?)", (1,))
        assert rows() == 1
        with pytest.raises(sqlite3.IntegrityError):
            one.execute("INSERT INTO one VALUES (1)")
        with pytest.raises(sqlite3.IntegrityError):
            put_both(one)
        assert not one.conn.in_transaction
        assert rows() == 1
        with one.atomic():
            one.execute("INSERT INTO one VALUES (2)")
            assert rows() == 1
        assert rows() == 2


def test_views_answer_questions_in_sql(tmp_path: Path) -> None:
    rows: list[Record] = [row for rows in session(3) for row in rows]
    writer = SessionWriter(tmp_path)
    writer.append(rows)
    writer.close()
    connection = sqlite3.connect(tmp_path / DATABASE)
    assert connection.execute("SELECT count(*), min(monitor), min(t_ns) FROM frames").fetchone() == (
        3,
        "screen",
        10**9 + 1,
    )
    assert connection.execute("SELECT DISTINCT verdict, gate, reason FROM decisions").fetchall() == [
        ("hold", "evidence", "too_little")
    ]
    views = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'view'")]
    for view in views:
        connection.execute(f"SELECT * FROM {view}").fetchall()  # noqa: S608  # names of our own views
    connection.close()
    assert {"frames", "inputs", "focus", "estimates", "decisions", "offers", "feedback"} <= set(views)


def test_views_name_only_fields_that_exist() -> None:
    """A renamed field of a record would leave a view of nothing."""
    script = Path(schemas.__file__).parent / "data/session.sql"
    views = [view for view in script.read_text(encoding="utf-8").split(";") if "CREATE VIEW" in view]
    assert len(views) == 9
    for view in views:
        (kind,) = re.findall(r"records\.kind = '(\w+)'", view)
        assert set(re.findall(r"'\$\.(\w+)'\) AS \1\b", view)) <= set(KINDS[kind].__dataclass_fields__)
        assert view.count("json_extract") == len(re.findall(r"'\$\.(\w+)'\)\s+AS\s+\1\b", view))


def test_what_is_deleted_is_overwritten_and_nothing_is_mapped(tmp_path: Path) -> None:
    """The settings that protect what is stored are in force on the connection that writes."""
    database = open_writable(tmp_path / "a.db", SESSION, wal=True)
    pragmas = {
        name: database.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("secure_delete", "mmap_size", "trusted_schema", "journal_mode", "synchronous")
    }
    database.close()
    assert pragmas == {"secure_delete": 1, "mmap_size": 0, "trusted_schema": 0, "journal_mode": "wal", "synchronous": 1}


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    open_writable(tmp_path / "a.db", SESSION, wal=False).close()
    database = open_readonly(tmp_path / "a.db")
    with pytest.raises(sqlite3.OperationalError):
        database.conn.execute("DELETE FROM records")
    assert quick_check(database) == []
    database.close()
    raw = bytearray((tmp_path / "a.db").read_bytes())
    raw[5000:9000] = b"\xaa" * 4000
    (tmp_path / "a.db").write_bytes(raw)
    try:
        damaged = open_readonly(tmp_path / "a.db")
    except BadFile:
        return
    assert quick_check(damaged)
    damaged.close()
