"""The session log: one append-only stream of rows in one SQLite database, one folder a session.

The rows of one step of the engine are committed together. A log that was cut off opens to its last whole transaction;
one that ended in order is a single plain file. Rows are always read in `seq` order.
"""

import re
import secrets
import shlex
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

from storage.clock import NS_PER_S
from storage.db.codec import decode_part, decode_row, encode
from storage.db.connection import (
    DatabaseUser,
    check_format,
    check_whole,
    error_words,
    is_damage,
    open_readonly,
    open_writable,
)
from storage.db.schemas import APPLICATION_ID, SESSION
from storage.errors import BadFile, EnvironmentFault, UsageError, os_words
from storage.files import make_folder, sessions_folder
from storage.records import FORMAT_VERSION, Record, SessionStart
from storage.translation.sentences import translatable

DATABASE = "session.db"
DIAGNOSIS = "diagnosis.json"
"""What was found in the rows, beside them, so that it goes when they do."""

MODEL_ANSWERS = "model_answers.db"
"""What models answered about the session; beside the rows, too."""

GOALS = "goals.json"
"""The goals that a model read off the session; beside the rows, too."""

SESSION_NAME = re.compile(r"\d{8}-\d{6}-[0-9a-f]{4}")

MAX_WALL_NS = 4_102_444_800 * NS_PER_S
"""The year 2100: a start time beyond it is a mistake, or not ours."""

CACHE_KIB = 256
"""Pages of the file that SQLite keeps in memory: nothing but its end is read again while rows are appended, and with
the usual 2 MB so much more is held after a quarter of an hour, in no less time."""

_CLOSE_WAIT_MS = 500


class SessionWriter:
    """Appends rows to a session's database; used by one thread at a time."""

    def __init__(self, folder: Path) -> None:
        """Open the database in `folder`; both are created if missing.

        Raises:
            EnvironmentFault: it cannot be written.
        """
        self._path = folder / DATABASE
        self._database = open_writable(self._path, SESSION, wal=True)
        self._database.conn.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        self._places = {path: _place(path) for path in (self._path, folder / f"{DATABASE}-wal")}
        self._first: tuple[int, str] | None = None

    def append(self, rows: Sequence[Record]) -> None:
        """Commit rows in one transaction: all of them or none.

        Raises:
            sqlite3.Error: they could not be written; nothing of them was.
            ValueError: a row could not be read again.
        """
        bodies = [(row.seq, row.at_ns, row.KIND, encode(row).decode()) for row in rows]
        with self._database.atomic():
            self._database.conn.executemany("INSERT INTO records VALUES (?, ?, ?, ?)", bodies)
        if self._first is None and bodies:
            self._first = bodies[0][0], bodies[0][3]
        self._places.update({path: _place(path) for path, place in self._places.items() if place is None})

    def is_in_place(self) -> bool:
        """Tell whether rows still go where a reader looks for them: SQLite writes on into files that were removed."""
        return all(place is None or _place(path) == place for path, place in self._places.items())

    def is_intact(self) -> bool:
        """Tell whether a reader finds the first row that was written: the file may have been overwritten in place."""
        if not self.is_in_place():
            return False
        if self._first is None:
            return True
        seq, body = self._first
        try:
            with closing(open_readonly(self._path)) as database:
                found = database.execute("SELECT body FROM records WHERE seq = ?", (seq,)).fetchone()
        except (BadFile, sqlite3.Error) as error:
            cause = error.__cause__ if isinstance(error, BadFile) else error
            return isinstance(cause, sqlite3.OperationalError)  # locked, or no memory: that proves nothing
        return bool(found == (body,))

    def close(self) -> None:
        """Close; this leaves one plain file, unless somebody is reading or the disk is full."""
        connection = self._database.conn
        try:
            connection.execute(f"PRAGMA busy_timeout = {_CLOSE_WAIT_MS}")
            connection.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.DatabaseError:
            pass  # the write-ahead log stays beside it and is read with it; or somebody overwrote the file
        finally:
            self._database.close()


def _place(path: Path) -> tuple[int, int] | None:
    """Return which file a path leads to; None if to none that can be seen."""
    try:
        found = path.stat(follow_symlinks=False)
    except OSError:
        return None
    return found.st_dev, found.st_ino


NO_BEGINNING = translatable("it does not begin with the first row of a session")


class DamagedSession(BadFile):
    """A session that cannot be read whole; `why` quotes nothing of its rows."""

    def __init__(self, folder: Path, why: object) -> None:
        """Name the session and what can be done."""
        super().__init__(
            translatable("{path} is damaged: {why}", path=folder / DATABASE, why=error_words(why)),
            remedy=translatable(
                "copy what can be read of it: kairos sessions recover {folder}", folder=shlex.quote(str(folder))
            ),
        )
        self.why = str(error_words(why))


class SessionReader(DatabaseUser):
    """Reads a session, also while it is being written; iterates its records in `seq` order.

    Reading raises `BadFile` where a row is damaged or does not fit its kind.
    """

    def __init__(self, path: Path, *, copied_from: Path | None = None) -> None:
        """Open a session's folder, or its database; messages name the folder that it was `copied_from`.

        Raises:
            BadFile: it is no session, is damaged, or was written by another version of Kairos.
        """
        self.path = path / DATABASE if path.is_dir() else path
        self._folder = copied_from or self.path.parent
        try:
            self._database = open_readonly(self.path)
        except BadFile as error:
            if is_damage(error.__cause__) and self.path.name == DATABASE:
                raise DamagedSession(self._folder, error.__cause__) from error
            raise
        try:
            self._check()
        except BaseException:
            self._database.close()
            raise

    def __iter__(self) -> Iterator[Record]:
        """Yield every record in `seq` order."""
        return self.rows()

    def rows(self, kinds: Collection[str] = (), *, parts: Collection[type[Record]] = ()) -> Iterator[Record]:
        """Yield the records of some kinds (of all, if none are named) in `seq` order.

        Those of the kinds of `parts` have the fields of these alone, which takes a third of the time.
        """
        where = f"WHERE kind IN ({', '.join('?' * len(kinds))})" if kinds else ""
        return self._records(f"{where} ORDER BY seq", tuple(kinds), parts={part.KIND: part for part in parts})

    def rows_behind(self, seq: int, kinds: Collection[str], most: int) -> Iterator[Record]:
        """Return the next records of some kinds behind a row, at most so many, in `seq` order.

        All of them are fetched before the first is decoded, so a session that is being written is not held for longer.
        """
        names = ", ".join("?" * len(kinds))
        where = f"WHERE seq > ? AND kind IN ({names}) ORDER BY seq LIMIT ?"
        return self._records(where, (seq, *kinds, most), at_once=True)

    def first(self) -> SessionStart:
        """Return the first row.

        Raises:
            BadFile: it is missing, or not the beginning of a session of this format.
        """
        record = next(self._records("ORDER BY seq LIMIT 1"), None)
        if not isinstance(record, SessionStart):
            raise DamagedSession(self._folder, NO_BEGINNING)
        check_format(self.path, record.format_version, FORMAT_VERSION)
        return record

    def last(self) -> Record | None:
        """Return the last row; None if there is none at all."""
        return next(self._records("ORDER BY seq DESC LIMIT 1"), None)

    def last_at_ns(self) -> int | None:
        """Return the time of the last row, also of one that cannot be read; None if there is none at all."""
        try:
            found = self._database.execute("SELECT at_ns FROM records ORDER BY seq DESC LIMIT 1").fetchone()
        except sqlite3.Error as error:
            raise DamagedSession(self._folder, error) from error
        return found[0] if found is not None and isinstance(found[0], int) else None

    def check_rows(self) -> None:
        """Raise `DamagedSession` at a row that is no JSON, of any kind: who reads some kinds alone meets it nowhere."""
        for _ in self._records("WHERE typeof(body) != 'text' OR NOT json_valid(body) ORDER BY seq LIMIT 1"):
            pass

    def counts(self) -> dict[str, int]:
        """Return the number of rows of each kind."""
        try:
            return dict(self._database.execute("SELECT kind, count(*) FROM records GROUP BY kind ORDER BY kind"))
        except sqlite3.Error as error:
            raise DamagedSession(self._folder, error) from error

    def _records(
        self,
        order: str,
        parameters: tuple[str | int, ...] = (),
        *,
        at_once: bool = False,
        parts: Mapping[str, type[Record]] = MappingProxyType({}),
    ) -> Iterator[Record]:
        try:
            found = self._database.execute(
                f"SELECT seq, at_ns, kind, body FROM records {order}",  # noqa: S608  # made of constants above
                parameters,
            )
            for seq, at_ns, kind, body in found.fetchall() if at_once else found:
                if not isinstance(kind, str) or not isinstance(body, str):
                    raise DamagedSession(self._folder, translatable("row {seq} is not text", seq=seq))
                try:
                    if kind in parts:
                        yield decode_part(parts[kind], seq, at_ns, body)
                    else:
                        yield decode_row(seq, at_ns, kind, body)
                except BadFile as error:
                    raise DamagedSession(self._folder, error.what) from None
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise DamagedSession(self._folder, error) from error

    def _check(self) -> None:
        """Refuse another program's database, or one whose `records` is no plain table (a view, say)."""
        try:
            (marked,) = self._database.execute("PRAGMA application_id").fetchone()
            (version,) = self._database.execute("PRAGMA user_version").fetchone()
            found = self._database.execute("SELECT type, rootpage FROM sqlite_master WHERE name = 'records'").fetchall()
            columns = [(row[1], row[5]) for row in self._database.execute("PRAGMA table_info(records)")]
        except sqlite3.Error as error:
            raise DamagedSession(self._folder, error) from error
        is_table = len(found) == 1 and found[0][0] == "table" and found[0][1] != 0  # a virtual one has no root page
        if marked != APPLICATION_ID or not is_table or columns != [("seq", 1), ("at_ns", 0), ("kind", 0), ("body", 0)]:
            if not found and not marked:
                check_whole(self.path, self.path)
            raise BadFile(translatable("{path} is not a Kairos session", path=self.path))
        check_format(self.path, version)


def create_session(base: Path, wall_ns: int) -> Path:
    """Create the folder of a new session, named by its local start time and four random digits.

    Raises:
        EnvironmentFault: it cannot be created.
    """
    started = datetime.fromtimestamp(wall_ns / NS_PER_S, tz=UTC).astimezone()
    make_folder(base)
    while True:
        folder = base / f"{started:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
        try:
            folder.mkdir(mode=0o700)
        except FileExistsError:
            continue
        except OSError as error:
            raise EnvironmentFault(
                translatable("{path} cannot be created: {why}", path=folder, why=os_words(error)),
                remedy=translatable("check the free space and who owns the folder"),
            ) from error
        return folder


def list_sessions(base: Path) -> list[Path]:
    """Return the folders of all sessions, oldest first; links and anything else are left out."""
    if not base.is_dir():
        return []
    return sorted(
        entry
        for entry in base.iterdir()
        if SESSION_NAME.fullmatch(entry.name) and entry.is_dir() and not entry.is_symlink()
    )


def find_session(name: str, base: Path | None = None) -> Path:
    """Return the folder of a session named by its path, its id, or the beginning of its id.

    Args:
        name: a path of a session's folder or database, an id, or its beginning.
        base: the folder of all sessions; None for the default one.

    Raises:
        BadFile: there is no such session.
        UsageError: several begin so.
    """
    path = Path(name)
    try:
        if path.name == DATABASE and path.is_file():
            return path.parent
        if (path / DATABASE).is_file():
            return path
    except OSError as error:
        raise BadFile(
            translatable("{path} cannot be read: {why}", path=path, why=os_words(error)),
            remedy=translatable("check who owns it"),
        ) from error
    base = sessions_folder() if base is None else base
    found = [folder for folder in list_sessions(base) if name and folder.name.startswith(name)]
    if not found and name and path.exists():
        raise BadFile(
            translatable("{path} is no session: it holds no {database}", path=path, database=DATABASE),
            remedy=translatable("see: kairos sessions list"),
        )
    if not found:
        raise BadFile(
            translatable("there is no session {name}", name=repr(name))
            if len(path.parts) > 1
            else translatable("there is no session {name} in {folder}", name=repr(name), folder=base),
            remedy=translatable("see: kairos sessions list"),
        )
    if len(found) > 1:
        raise UsageError(
            translatable("{found} sessions begin with {name}", found=len(found), name=repr(name)),
            remedy=translatable("give more of its name"),
        )
    return found[0]
