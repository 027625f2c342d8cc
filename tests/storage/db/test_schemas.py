"""Schemas: each migration runs once, together with the note that it ran."""

import re
import sqlite3
from pathlib import Path

import pytest
from sqlite_utils import Database, Migrations

from storage.db import schemas
from storage.db.codec import KINDS
from storage.db.connection import open_readonly, open_writable, quick_check
from storage.db.schemas import SESSION
from storage.errors import BadFile, EnvironmentFault
from storage.records import Record
from storage.session.log import DATABASE, SessionReader, SessionWriter
from tests.fakes.sessions.rows import session, start, step


def noted(path: Path) -> list[str]:
    connection = sqlite3.connect(path)
    names = [row[0] for row in connection.execute("SELECT name FROM _sqlite_migrations ORDER BY id")]
    connection.close()
    return names


def test_a_session_is_migrated_once(tmp_path: Path) -> None:
    for rows in ([start()], step(2, 3)):
        writer = SessionWriter(tmp_path)
        writer.append(rows)
        writer.close()
    assert noted(tmp_path / DATABASE) == ["001_records"]
    with SessionReader(tmp_path) as reader:
        assert len(list(reader)) == 3


def test_a_migration_that_fails_leaves_nothing_and_is_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    ready = False
    migrations = Migrations("test")

    @migrations()
    def first(db: Database) -> None:
        db.execute("CREATE TABLE one (a)")

    @migrations()
    def second(db: Database) -> None:
        db.execute("CREATE TABLE two (a)")
        if not ready:
            db.execute("INSERT INTO nowhere VALUES (1)")

    with pytest.raises(EnvironmentFault, match="cannot be read or written"):
        open_writable(path, lambda: migrations, wal=False)
    assert open_readonly(path).execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
    ready = True
    open_writable(path, lambda: migrations, wal=False).close()
    assert noted(path) == ["first", "second"]


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
