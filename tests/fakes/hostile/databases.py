"""Session databases that are damaged where it hurts: rows, schema, header, pages and cells."""

import contextlib
import random
import sqlite3
import struct
import tempfile
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

from tests.fakes.hostile.values import TEXTS, changed, damaged, dump, load
from tests.fakes.sessions.derived_session import stuck_rows, write_session

_SQL_NUMBERS = (0, -1, 1, 2**31, 2**63 - 1, -(2**63), 1e308, None)
_TABLE = "CREATE TABLE records (seq INTEGER PRIMARY KEY, at_ns INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL"
_ENDLESS = (
    "DROP TABLE records; CREATE VIEW records AS WITH RECURSIVE n(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n)"
    " SELECT seq, seq AS at_ns, 'tick' AS kind, '{}' AS body FROM n"
)
_SCHEMAS = (
    "CREATE TABLE other (x)",
    "CREATE VIEW seen AS SELECT * FROM records, records, records, records",
    "CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM records; END",
    "CREATE INDEX i ON records (json_extract(body, '$.x'))",
    "CREATE VIRTUAL TABLE v USING fts5(x)",
    "CREATE VIRTUAL TABLE v USING rtree(a, b, c)",
    "ALTER TABLE records ADD COLUMN extra TEXT DEFAULT 'x'",
    "ALTER TABLE records ADD COLUMN g TEXT GENERATED ALWAYS AS (body || body) VIRTUAL",
    "ALTER TABLE records RENAME TO former",
    "ALTER TABLE records RENAME COLUMN body TO text",
    "DROP TABLE records",
    f"DROP TABLE records; {_TABLE}) WITHOUT ROWID",
    f"DROP TABLE records; {_TABLE}, CHECK (length(body) > 5))",
    _ENDLESS,
)
_PRAGMAS = (
    "application_id = 1", "user_version = 99", "user_version = -1", "page_size = 512; VACUUM",
    "page_size = 65536; VACUUM", "auto_vacuum = FULL; VACUUM", "journal_mode = WAL",
)  # fmt: skip


@cache
def database() -> bytes:
    with tempfile.TemporaryDirectory() as scratch:
        return (write_session(stuck_rows(), Path(scratch)) / "session.db").read_bytes()


def damaged_database(rng: random.Random, raw: bytes, scratch: Path) -> bytes:
    for _ in range(rng.choice((1, 1, 2))):
        match rng.randrange(8):
            case 0 | 1 | 2 | 3:
                raw = _by_sql(rng, raw, scratch)
            case 4:
                raw = damaged(rng, raw)
            case 5:
                raw = _with_header(rng, raw)
            case _:
                raw = _with_page(rng, raw)
    return raw


def _by_sql(rng: random.Random, raw: bytes, scratch: Path) -> bytes:
    path = scratch / "scratch.db"
    path.write_bytes(raw)
    change: Callable[[random.Random, sqlite3.Connection], None] = rng.choice((_row, _row, _row, _schema, _pragma))
    # what is damaged already may refuse it
    with (
        closing(sqlite3.connect(path, isolation_level=None)) as connection,
        contextlib.suppress(sqlite3.Error, ValueError),
    ):
        change(rng, connection)
    raw = path.read_bytes()
    for left in scratch.glob("scratch.db*"):
        left.unlink()
    return raw


def _row(rng: random.Random, connection: sqlite3.Connection) -> None:
    (rows,) = connection.execute("SELECT coalesce(max(seq), 1) FROM records").fetchone()
    seq = 1 if rng.random() < 0.3 else rng.randint(1, rows)  # the first row holds the most
    match rng.randrange(7):
        case 0 | 1 | 2:
            found = connection.execute("SELECT body FROM records WHERE seq = ?", (seq,)).fetchone()
            if found is None:  # removed by an earlier change
                return
            facts: Any = changed(rng, load(str(found[0])))
            text = dump(facts) if rng.random() < 0.8 else damaged(rng, str(found[0]).encode())  # some are no JSON
            connection.execute("UPDATE records SET body = ? WHERE seq = ?", (text, seq))
        case 3:
            column = rng.choice(("seq", "at_ns", "kind", "body"))
            odd = rng.choice((*_SQL_NUMBERS, b"\0\xff", "", "[[[", "é"))
            odd = min(odd, 2**63 - 1) if isinstance(odd, int) else odd
            connection.execute(f"UPDATE records SET {column} = ? WHERE seq = ?", (odd, seq))  # noqa: S608  # as above
        case 4:
            connection.execute("DELETE FROM records WHERE seq = ?", (seq,))
        case 5:
            size = rng.choice((1 << 16, 1 << 20, 3 << 20))
            connection.execute("UPDATE records SET body = replace(body, '\"', ?) WHERE seq = ?", ('"' + "x" * 99, seq))
            connection.execute("UPDATE records SET body = printf('%.*c', ?, '[') WHERE seq = ?", (size, seq + 1))
        case _:
            odd_text = "CAST(x'7b22ff22' AS TEXT)"
            connection.execute(f"UPDATE records SET body = {odd_text} WHERE seq = ?", (seq,))  # noqa: S608  # a constant


def _schema(rng: random.Random, connection: sqlite3.Connection) -> None:
    if rng.random() < 0.7:  # mostly what SQLite itself allows
        connection.executescript(rng.choice(_SCHEMAS))
        return
    connection.execute("PRAGMA writable_schema = ON")
    column, odd = rng.choice((("rootpage", 0), ("rootpage", 999), ("sql", "CREATE"), ("type", "view"), ("name", "x")))
    odd = rng.choice((odd, rng.choice(TEXTS).replace("\ud800", "?")))
    connection.execute(f"UPDATE sqlite_master SET {column} = ?", (odd,))  # noqa: S608  # one of those above


def _pragma(rng: random.Random, connection: sqlite3.Connection) -> None:
    connection.executescript(f"PRAGMA {rng.choice(_PRAGMAS)}")


def _with_header(rng: random.Random, raw: bytes) -> bytes:
    """Return the file with one field of its header changed (the first 100 bytes, see sqlite.org/fileformat2.html)."""
    data = bytearray(raw)
    at, size = rng.choice(((16, 2), (18, 1), (19, 1), (20, 1), *((at, 4) for at in range(24, 96, 4))))
    data[at : at + size] = rng.choice((0, 1, 2, 255, rng.randrange(256))).to_bytes(size, "big")
    return bytes(data[: rng.choice((len(data), len(data), len(data) // 2, 4096, 100))])


def _with_page(rng: random.Random, raw: bytes) -> bytes:
    data = bytearray(raw)
    page_bytes = struct.unpack_from(">H", data, 16)[0] or 4096
    page = rng.randrange(max(1, len(data) // page_bytes))
    at = page * page_bytes + (100 if page == 0 else 0)
    match rng.randrange(4):
        case 0:  # kind, first free block, number of cells, begin of the cells, fragments, right-most child
            at += rng.choice((0, 1, 3, 5, 7, 8))
        case 1:  # a cell pointer
            at += 8 + 2 * rng.randrange(8)
        case 2:  # a cell, wherever a pointer leads
            at = page * page_bytes + struct.unpack_from(">H", data, min(at + 8, len(data) - 2))[0] + rng.randrange(8)
        case _:
            at += rng.randrange(page_bytes)
    data[at : at + 2] = rng.choice((b"\0\0", b"\xff\xff", b"\x80\x80", b"\x0f\xff", data[:2]))[: max(0, len(data) - at)]
    if rng.random() < 0.2:  # a page stands for another
        other = rng.randrange(max(1, len(data) // page_bytes)) * page_bytes
        data[page * page_bytes : (page + 1) * page_bytes] = data[other : other + page_bytes]
    return bytes(data)
