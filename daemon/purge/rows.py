"""Replaces the database of a recorded session by one with fewer rows: a new file beside it, then one rename.

Deleting rows in place would leave bytes of them in free pages and in the write-ahead log. The new file never held them.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path

from daemon.purge.intent import StoredRow
from storage.db.codec import encode
from storage.db.connection import disk_fault, open_existing, open_readonly, open_writable
from storage.db.schemas import SESSION
from storage.errors import BadFile, EnvironmentFault
from storage.files import put_in_place
from storage.records import Record
from storage.session.log import DATABASE, DamagedSession
from storage.translation import translatable

NEW = ".new"
"""The ending of a file that is still being written; one that a kill left behind goes with the next purge."""


def stored(row: Record) -> StoredRow:
    """Return a record as a row of the table.

    Raises:
        ValueError: it could not be read again.
    """
    return StoredRow(row.seq, row.at_ns, row.KIND, encode(row).decode())


def replace_rows(folder: Path, rows: Iterable[StoredRow]) -> None:
    """Put a database with these rows in the place of a session's; a kill leaves the old one or the new one.

    The write-ahead log of a session that was cut off is folded in before, because it would be applied to the new file.

    Raises:
        BadFile: the old one is damaged.
        EnvironmentFault: the new one cannot be written, or somebody holds the old one open for writing or reading.
    """
    path = folder / DATABASE
    new = path.with_name(DATABASE + NEW)
    try:
        remove_unfinished(new)
        _fold_wal(path)
        with closing(open_writable(new, SESSION, wal=False)) as database, database.atomic():
            database.conn.executemany("INSERT INTO records VALUES (?, ?, ?, ?)", rows)
        for ending in ("-wal", "-shm"):  # empty, of reading the old one
            path.with_name(path.name + ending).unlink(missing_ok=True)
        put_in_place(new, path)
    except (OSError, sqlite3.Error) as error:
        raise _fault(path, error) from error
    finally:
        remove_unfinished(new)


def rows_before(folder: Path, seq: int) -> Iterator[StoredRow]:
    """Yield the rows before a number, byte for byte as they were written.

    Raises:
        BadFile: the database is damaged.
    """
    path = folder / DATABASE
    with closing(open_readonly(path)) as database:
        try:
            found = database.execute("SELECT seq, at_ns, kind, body FROM records WHERE seq < ? ORDER BY seq", (seq,))
            for row in found:
                yield StoredRow(*row)
        except sqlite3.Error as error:
            raise DamagedSession(folder, error) from error


def last_row(folder: Path) -> StoredRow | None:
    """Return the last row as it is stored, also one that is damaged; None if there is none.

    Raises:
        BadFile: the database is damaged.
    """
    path = folder / DATABASE
    with closing(open_readonly(path)) as database:
        try:
            found = database.execute("SELECT seq, at_ns, kind, body FROM records ORDER BY seq DESC LIMIT 1").fetchone()
        except sqlite3.Error as error:
            raise DamagedSession(folder, error) from error
    return None if found is None else StoredRow(*found)


def shorten(folder: Path, first_gone: int, ending: Iterable[StoredRow]) -> None:
    """Take the rows of a session from a number on away, and end it with others.

    Raises:
        BadFile: it is damaged.
        EnvironmentFault: it cannot be written.
    """
    replace_rows(folder, chain(rows_before(folder, first_gone), ending))


def remove_unfinished(new: Path) -> None:
    """Remove a file that was not finished, with what SQLite keeps beside it."""
    for ending in ("", "-journal", "-wal", "-shm"):
        new.with_name(new.name + ending).unlink(missing_ok=True)


def _fold_wal(path: Path) -> None:
    """Fold the log in. The journal mode stays: a kill while it changes leaves what only a writer can open."""
    with closing(open_existing(path)) as connection:
        (is_busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if is_busy or path.with_name(f"{path.name}-wal").exists():  # the last to close it removes it
        raise EnvironmentFault(
            translatable("{path} is open elsewhere", path=path),
            remedy=translatable("end what reads it, then delete again"),
        )


def _fault(path: Path, error: Exception) -> EnvironmentFault | BadFile:
    if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
        return DamagedSession(path.parent, error)
    what = translatable("{path} cannot be written anew: {why}", path=path, why=error)
    return disk_fault(what, error, remedy=translatable("check who owns the folder, and end what reads it"))
