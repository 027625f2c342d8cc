"""Reads the rows of a session database that came from outside, without trusting anything in it.

The file must be a private copy, because SQLite writes there to apply a write-ahead log beside it. Nothing of the file's
own runs: no view, trigger, virtual table or function, and never a migration. A rollback journal must not be beside it
(SQLite would follow a file name written in it).
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from storage.db.connection import MAX_BODY_BYTES, check_format, check_whole, error_words, is_damage
from storage.db.schemas import APPLICATION_ID
from storage.errors import BadFile
from storage.files import open_regular
from storage.session.log import DATABASE, DamagedSession

MAX_ROWS = 5_000_000
MAX_STEPS = 400_000
"""Calls of the progress handler, one each 10,000 steps of SQLite's machine, before reading is given up."""

_MAGIC = b"SQLite format 3\0"
_STEPS_A_CALL = 10_000
_COLUMNS = {"seq", "at_ns", "kind", "body"}
Row = tuple[int, int, str, bytes]
"""seq, at_ns, kind, body"""


def read_foreign_rows(path: Path, folder: Path) -> Iterator[Row]:
    """Yield the rows of a foreign database as they are stored, checked for type and length only.

    Args:
        path: our private copy of the database.
        folder: where it is from, for messages.

    Raises:
        BadFile: it is no SQLite database, is damaged, holds what a session never does, or a row does not fit.
    """
    with open_foreign(path, folder, is_whole=True) as connection:
        yield from _rows(connection, folder)


@contextmanager
def open_foreign(path: Path, folder: Path, *, is_whole: bool) -> Iterator[sqlite3.Connection]:
    """Yield a connection to a foreign database that can read the four columns of its rows, and nothing else.

    Raises:
        BadFile: as `read_foreign_rows`; damage only where it is to be whole.
    """
    name = folder / DATABASE
    with open_regular(path) as file:
        head = file.read(16)
        if len(head) == len(_MAGIC) and head != _MAGIC:
            raise DamagedSession(folder, "file is not a database")
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            _disarm(connection)
            if connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
                check_whole(path, name)
            _check_schema(connection, name)
            if is_whole and connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                raise DamagedSession(folder, "SQLite's check says so")
            connection.set_authorizer(_only_rows)
            yield connection
    except (sqlite3.Error, OverflowError, UnicodeDecodeError) as error:
        if is_damage(error):
            raise DamagedSession(folder, error) from error
        raise BadFile(f"{name} cannot be read as a session database: {error_words(error)}") from error


def _disarm(connection: sqlite3.Connection) -> None:
    """Disable whatever a hostile schema could use, and bound the work of the connection."""
    left = MAX_STEPS

    def step() -> int:
        nonlocal left
        left -= 1
        return int(left < 0)

    connection.set_progress_handler(step, _STEPS_A_CALL)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_BODY_BYTES + 1024)
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, 100_000)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.setlimit(sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 100)
    for pragma in ("trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0", "query_only=ON", "temp_store=MEMORY"):
        connection.execute(f"PRAGMA {pragma}")


def _check_schema(connection: sqlite3.Connection, name: Path) -> None:
    """Refuse another program's database, a trigger, a virtual table, and any `records` but our plain table.

    Views may be there (ours has some, for questions in SQL): nothing here ever reads one.
    """
    if connection.execute("PRAGMA application_id").fetchone() != (APPLICATION_ID,):
        raise BadFile(f"{name} is not a Kairos session")
    check_format(name, connection.execute("PRAGMA user_version").fetchone()[0])
    for kind, what, root in connection.execute("SELECT type, name, rootpage FROM sqlite_master"):
        virtual = kind == "table" and not root
        if kind == "trigger" or virtual or (what == "records" and kind != "table"):
            raise BadFile(f"{name} holds a {kind} that no session has; it was not read")
    columns = {column: hidden for _, column, *_, hidden in connection.execute("PRAGMA table_xinfo(records)")}
    if columns != dict.fromkeys(_COLUMNS, 0):
        raise BadFile(f"{name} is not a Kairos session: its table of records is not ours")


def _only_rows(action: int, table: str | None, column: str | None, _db: str | None, inside: str | None) -> int:
    """Allow reading the four columns of `records` and nothing else; `inside` names a view or trigger at work."""
    if inside is None and action == sqlite3.SQLITE_SELECT:
        return sqlite3.SQLITE_OK
    if inside is None and action == sqlite3.SQLITE_READ and table == "records" and column in _COLUMNS:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _rows(connection: sqlite3.Connection, folder: Path) -> Iterator[Row]:
    for number, (seq, at_ns, kind, body) in enumerate(
        connection.execute("SELECT seq, at_ns, kind, body FROM records"), start=1
    ):
        if number > MAX_ROWS:
            raise BadFile(f"{folder / DATABASE} has more than {MAX_ROWS} rows")
        fits = isinstance(seq, int) and isinstance(at_ns, int) and isinstance(kind, str)
        data = body.encode() if isinstance(body, str) else body
        if not fits or not isinstance(data, bytes) or len(data) > MAX_BODY_BYTES:
            raise DamagedSession(folder, f"row {number} is not a record")
        yield seq, at_ns, kind, data
