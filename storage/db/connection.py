"""Opens SQLite databases: our own for writing, any of them read-only.

Exactly one connection writes and checkpoints a session's database; all others open it read-only. No mmap (some SQLite
versions in the field have a WAL race with it); what is deleted is overwritten; a read-only database is not trusted: its
schema may not call functions with side effects, and rows are limited in length.
"""

import errno
import logging
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from storage.errors import BadFile, EnvironmentFault, os_words
from storage.files import private_file, private_folder
from storage.translation import translatable

logger = logging.getLogger(__name__)

FORMAT = 1
"""`PRAGMA user_version` of our databases: the version of their tables and of what stands in them."""

MAX_BODY_BYTES = 2 << 20
"""Longest row that is read or written; the changed boxes of a wall of screens need about a tenth of it."""

BUSY_S = 5.0
"""How long a statement waits for a lock of another process; a transaction of ours takes milliseconds."""

_ASIDE = ".aside-"
"""What the name of a database of another format gets, before a number."""

_BESIDE = ("-wal", "-shm", "-journal")
"""Files that SQLite opens beside a database; at a pipe it would wait for ever."""


class OtherFormat(BadFile):
    """A file of ours in the format of another version of Kairos, an earlier or a newer one."""


def check_format(path: object, found: object, ours: int = FORMAT, *, remedy: str = "") -> None:
    """Check the number of a format; one that is no number of ours counts as that of an earlier Kairos.

    Raises:
        OtherFormat: it is another one.
    """
    if found == ours and not isinstance(found, bool):
        return
    if isinstance(found, int) and found > ours:
        raise OtherFormat(
            translatable("{path} was written by a newer Kairos", path=path), remedy=translatable("update Kairos")
        )
    raise OtherFormat(
        translatable("{path} was written by an earlier Kairos, whose files this one does not read", path=path),
        remedy=remedy or translatable("delete it, or look at it with the Kairos that wrote it"),
    )


class ClosedAtEnd(ABC):
    """The base of what must be closed: closes it at the end of a `with` block."""

    def __enter__(self) -> Self:
        """Return this object."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Close it."""


class Database(ClosedAtEnd):
    """A connection whose statements are committed one by one, unless a transaction is open."""

    def __init__(self, conn: sqlite3.Connection) -> None:
        """Wrap a connection, which is closed with this."""
        self.conn = conn
        conn.execute("PRAGMA recursive_triggers = ON")  # what REPLACE deletes counts as deleted

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Execute a statement; return its cursor."""
        idle = not self.conn.in_transaction
        try:
            cursor = self.conn.execute(sql, parameters)
        except BaseException:
            if idle:
                self.conn.rollback()  # of the transaction that the module has begun for it
            raise
        if idle and not sql.startswith("BEGIN"):
            self.conn.commit()
        return cursor

    @contextmanager
    def atomic(self) -> Iterator[None]:
        """Run a block as one transaction."""
        self.conn.execute("BEGIN")
        try:
            yield
            self.conn.execute("COMMIT")
        except BaseException:
            self.conn.rollback()
            raise

    def close(self) -> None:
        """Close the connection."""
        self.conn.close()


Schema = Callable[[sqlite3.Connection], object]
"""Creates the tables of a new database, within a transaction."""


class DatabaseUser(ClosedAtEnd):
    """The base of what holds an open database."""

    _database: Database

    def close(self) -> None:
        """Close the database."""
        self._database.close()


def open_writable(
    path: Path,
    schema: Schema,
    *,
    wal: bool,
    shrinks: bool = False,
    sets_aside: bool = False,
    busy_s: float = BUSY_S,
) -> Database:
    """Open or create one of our databases for writing and bring its schema up to date.

    The connection may be handed to another thread, as long as one thread at a time uses it.

    Args:
        path: the database; its folder is made private.
        schema: creates its tables; called where there is none yet.
        wal: whether others read while it is written; without it the database is always a single file.
        shrinks: whether the file shrinks when something is deleted, at the price of moving the rest.
        sets_aside: whether one of another format is renamed, and a new one begun in its place.
        busy_s: how long each statement waits for a lock of somebody else.

    Raises:
        OtherFormat: another version of Kairos wrote it.
        EnvironmentFault: it cannot be opened or written.
    """
    private_folder(path.parent)
    connection = _connect(path, busy_s=busy_s)
    try:
        found = format_of(connection)
        if found not in (None, FORMAT):
            if not sets_aside:
                check_format(path, found)
            _set_aside(path, connection)
            connection.close()
            connection = _connect(path, busy_s=busy_s)
        database = Database(connection)
        _set_up(connection)
        if shrinks:
            connection.execute("PRAGMA auto_vacuum = FULL")  # counts only before the first table
        if wal:
            connection.execute("PRAGMA journal_mode = WAL")
        if found != FORMAT:
            _create(connection, schema)
    except (BadFile, OSError, sqlite3.Error) as error:
        connection.close()
        if isinstance(error, BadFile):
            raise
        raise _unusable(path, error) from error
    return database


def _create(connection: sqlite3.Connection, schema: Schema) -> None:
    """Create the tables together with the number of their format, unless another process has."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if format_of(connection) is None:
            schema(connection)
            connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise


def format_of(connection: sqlite3.Connection) -> int | None:
    """Return the number of a database's format; None where there is no table yet."""
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    return int(found) if tables else None


def _set_aside(path: Path, connection: sqlite3.Connection) -> None:
    """Rename a database of another format; of several processes that find it, one does."""
    connection.execute("BEGIN IMMEDIATE")
    with closing(sqlite3.connect(path)) as found:
        if format_of(found) in (None, FORMAT):  # another process was first
            return
    number = 1
    while (aside := path.with_name(f"{path.name}{_ASIDE}{number}")).exists():
        number += 1
    path.rename(aside)
    logger.warning("%s is of another version of Kairos; it is kept as %s and not read", path, aside.name)


def databases_aside(folder: Path) -> list[Path]:
    """Return the databases of other versions of Kairos that were set aside in a data folder."""
    return sorted(folder.glob(f"*.db{_ASIDE}*"))


def open_existing(path: Path, *, busy_s: float = BUSY_S) -> sqlite3.Connection:
    """Open one of our databases for writing as it is: its schema is up to date.

    Raises:
        BadFile: there is none.
        EnvironmentFault: it cannot be opened or written.
    """
    if path.is_symlink() or not path.is_file():
        raise BadFile(translatable("{path} is not a file", path=path))
    connection = _connect(path, busy_s=busy_s)
    try:
        _set_up(connection)
    except sqlite3.Error as error:
        connection.close()
        raise _unusable(path, error) from error
    return connection


def _connect(path: Path, *, busy_s: float) -> sqlite3.Connection:
    try:
        private_file(path)
        return sqlite3.connect(path, timeout=busy_s, check_same_thread=False)
    except (OSError, sqlite3.Error) as error:
        raise _unusable(path, error) from error


def _set_up(connection: sqlite3.Connection) -> None:
    for pragma in ("secure_delete = ON", "mmap_size = 0", "trusted_schema = OFF", "synchronous = NORMAL"):
        connection.execute(f"PRAGMA {pragma}")


def open_readonly(path: Path, *, one_thread: bool = True, busy_s: float = BUSY_S) -> Database:
    """Open any database for reading, without trusting it.

    Without `one_thread` threads may use it in turn; whoever opens it sees to that. Each statement waits `busy_s` for a
    lock of somebody else.

    Raises:
        BadFile: there is none, or it is not an SQLite database, or what lies beside it is no plain file.
    """
    try:
        found = path.is_file()
        files = [path, *(path.with_name(path.name + ending) for ending in _BESIDE)]
        odd = [file for file in files if file.is_symlink() or (file.exists() and not file.is_file())]
    except OSError as error:  # a folder that may not be entered
        raise BadFile(
            translatable("{path} cannot be read: {why}", path=path, why=os_words(error)),
            remedy=translatable("check who owns it"),
        ) from error
    if odd or not found:
        raise BadFile(translatable("{path} is not a file", path=(odd or [path])[0]))
    try:
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=busy_s, check_same_thread=one_thread
        )
    except sqlite3.Error as error:
        raise BadFile(translatable("{path} cannot be opened: {why}", path=path, why=error_words(error))) from error
    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 2 * MAX_BODY_BYTES)
        for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0", "query_only = ON"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        return Database(connection)
    except sqlite3.Error as error:
        connection.close()
        raise BadFile(
            translatable("{path} is not a usable database: {why}", path=path, why=error_words(error)),
            remedy=translatable("put a whole copy in its place, or delete it"),
        ) from error


def check_whole(path: Path, name: object) -> None:
    """Check that what a database without tables holds was not left in the file that is written ahead of it.

    A copy of the one file of a session that was killed or is running looks like an empty database.

    Raises:
        BadFile: it was; `name` is that of the database in the message.
    """
    with path.open("rb") as file:
        writes_ahead = file.read(20)[18:] == b"\2\2"
    ahead = path.with_name(f"{path.name}-wal")
    if writes_ahead and not (ahead.exists() and ahead.stat().st_size):  # opening it makes an empty one
        raise BadFile(
            translatable(
                "{path} holds nothing yet: its rows are in {wal}, which is missing", path=name, wal=f"{path.name}-wal"
            ),
            remedy=translatable("copy the whole folder of the session, not this file alone"),
        )


def error_words(error: object) -> object:
    """Return what an error of SQLite says, without the text of the row that it would quote."""
    return str(error).partition(" with text ")[0] if isinstance(error, Exception) else error


def is_damage(error: object) -> bool:
    """Tell whether an error of SQLite says that a database is damaged: SQLite takes one without its head for none."""
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    damaged = code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or "decode" in str(error)
    return isinstance(error, sqlite3.Error) and damaged


def quick_check(database: "Database") -> list[str]:
    """Return what SQLite finds wrong with a database."""
    try:
        found = [str(row[0]).rpartition("\n")[2] for row in database.execute("PRAGMA quick_check(20)")]  # a head goes
    except sqlite3.Error as error:
        return [str(error)]
    return [] if found == ["ok"] else found


@contextmanager
def database_errors(path: Path, *, if_damaged: str) -> Iterator[None]:
    """Turn errors of one of our databases into errors that say whose fault they are.

    Args:
        path: the database.
        if_damaged: what it means to remove it.

    Raises:
        BadFile: it is damaged.
        EnvironmentFault: it cannot be read or written.
    """
    try:
        yield
    except EnvironmentFault as fault:
        cause = fault.__cause__
        if isinstance(cause, sqlite3.DatabaseError) and not isinstance(cause, sqlite3.OperationalError):
            raise BadFile(
                translatable("{path} is damaged: {why}", path=path, why=error_words(cause)),
                remedy=translatable("remove {path}; {if_damaged}", path=path, if_damaged=if_damaged),
            ) from fault
        raise
    except sqlite3.OperationalError as error:
        raise _unusable(path, error) from error
    except sqlite3.DatabaseError as error:
        raise BadFile(
            translatable("{path} is damaged: {why}", path=path, why=error_words(error)),
            remedy=translatable("remove {path}; {if_damaged}", path=path, if_damaged=if_damaged),
        ) from error


def _unusable(path: Path, error: Exception) -> EnvironmentFault:
    what = translatable("{path} cannot be read or written: {why}", path=path, why=error_words(error))
    return disk_fault(what, error, remedy=translatable("check who owns the folder and its file system"))


def disk_fault(what: str, error: Exception, *, remedy: str) -> EnvironmentFault:
    """Return the fault that a disk did not take something: because it is full, else with a remedy."""
    if is_disk_full(error):
        return EnvironmentFault(what, remedy=translatable("free some disk space"), code="disk_full")
    return EnvironmentFault(what, remedy=remedy, code="storage_failed")


def is_disk_full(error: BaseException) -> bool:
    """Return whether an error says that the disk (or a quota, or a file size limit) is full."""
    if isinstance(error, sqlite3.Error):
        return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
    return isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
