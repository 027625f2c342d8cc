"""What a collector has: sealed parcels and signed statements, in one SQLite file. No key that opens one is near it.

One row a participant: the key they joined with, and, once they left, the withdrawal and the receipt of the deletion,
which stay as a tombstone. One row a parcel. What is deleted is overwritten, and the write-ahead log is emptied with it.

The collector alone writes; `study.opening` and the monitor read. Several collectors may write one file side by side,
as processes of one machine: the write-ahead log needs shared memory, so the file must not lie on a network drive.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from storage.db.connection import BUSY_S, DatabaseUser, database_errors, open_readonly, open_writable
from storage.errors import BadFile, EnvironmentFault
from storage.files import lock, open_file, private_folder

FILE = "collector.db"
"""The name of the file in the collector's data folder."""


def create_tables(connection: sqlite3.Connection) -> None:
    """Create participants and parcels."""
    connection.execute(
        "CREATE TABLE participants (participant TEXT PRIMARY KEY, key BLOB, first_wall_ns INTEGER,"
        " last_wall_ns INTEGER, withdrawal BLOB, withdrawn_wall_ns INTEGER, deletion BLOB,"
        " deleted_wall_ns INTEGER) WITHOUT ROWID"
    )
    connection.execute(
        "CREATE TABLE parcels (participant TEXT NOT NULL, n INTEGER NOT NULL, digest BLOB NOT NULL, raw BLOB NOT NULL,"
        " arrived_wall_ns INTEGER NOT NULL, PRIMARY KEY (participant, n))"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectedParcel:
    """A parcel as it came; its signature was checked when it was stored."""

    participant: str
    n: int
    raw: bytes
    digest: bytes
    arrived_wall_ns: int


@dataclass(frozen=True, slots=True)
class CollectedParticipant:
    """What is known of somebody who joined.

    `key` signs their parcels, None before parcel 0 came. `withdrawal` and `deletion` are signed statements
    (`statements`), None unless they left and were deleted. The deletion is complete, its receipt sent, from
    `deleted_wall_ns` on; it can have been cut off before.
    """

    participant: str
    key: bytes | None
    first_wall_ns: int | None
    last_wall_ns: int | None
    withdrawal: bytes | None
    withdrawn_wall_ns: int | None
    deletion: bytes | None
    deleted_wall_ns: int | None


_PARTICIPANTS = (
    "SELECT participant, key, first_wall_ns, last_wall_ns, withdrawal, withdrawn_wall_ns, deletion, deleted_wall_ns"
    " FROM participants"
)
"""In the order of the fields of `CollectedParticipant`."""


class CollectorReader:
    """A collector's file, opened for reading."""

    def __init__(self, path: Path) -> None:
        """Open it.

        Raises:
            BadFile: there is none, or it is none of a collector.
        """
        self._path = path
        try:
            self._database = open_readonly(path)
        except BadFile:
            raise _foreign(path) from None
        with self._errors():
            tables = {str(name) for (name,) in self._database.execute("SELECT name FROM sqlite_master")}
        if not {"participants", "parcels"} <= tables:
            self._database.close()
            raise _foreign(path)

    def close(self) -> None:
        """Close it."""
        self._database.close()

    def participants(self) -> list[CollectedParticipant]:
        """Return everybody who joined, by id."""
        with self._errors():
            rows = self._database.execute(_PARTICIPANTS + " ORDER BY participant").fetchall()
        return [CollectedParticipant(*row) for row in rows]

    def numbers(self) -> list[tuple[str, int]]:
        """Return participant and number of all parcels, in order."""
        with self._errors():
            rows = self._database.execute("SELECT participant, n FROM parcels ORDER BY participant, n").fetchall()
        return [(str(participant), int(n)) for participant, n in rows]

    def parcels(self, participant: str | None = None) -> Iterator[CollectedParcel]:
        """Yield parcels by participant and number, of everybody or of one."""
        columns = tuple(CollectedParcel.__dataclass_fields__)
        with self._errors():
            rows = self._database.execute(
                f"SELECT {', '.join(columns)} FROM parcels WHERE ? IS NULL OR participant = ?"  # noqa: S608  # constants
                " ORDER BY participant, n",
                (participant, participant),
            )
            for row in rows:
                yield CollectedParcel(**dict(zip(columns, row, strict=True)))

    @contextmanager
    def _errors(self) -> Iterator[None]:
        with database_errors(self._path, if_damaged=_LOST):
            yield


class CollectorStore(DatabaseUser):
    """A collector's file, opened for writing; used by one thread at a time, several processes may have it open.

    A change is on the disk when the `writing` block around it is left. Every method raises `BadFile` where the file is
    damaged, and `EnvironmentFault` where it cannot be read or written.
    """

    def __init__(self, path: Path, *, busy_s: float = BUSY_S) -> None:
        """Open or create it."""
        self._path = path
        with database_errors(path, if_damaged=_LOST):
            self._database = open_writable(path, create_tables, wal=True, busy_s=busy_s)
            self._database.execute("PRAGMA synchronous = FULL")  # a receipt is signed only for what survives

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Change several things, all of them or none; no other collector writes meanwhile."""
        with self._errors():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.conn.in_transaction:
                    self._database.execute("ROLLBACK")
                raise

    # ------------------------------------------------------------ reading

    def participant(self, participant: str) -> CollectedParticipant | None:
        """Return what is known of somebody; None before anything came."""
        row = self._one(_PARTICIPANTS + " WHERE participant = ?", participant)
        return None if row is None else CollectedParticipant(*row)

    def undeleted(self) -> list[CollectedParticipant]:
        """Return those who left and whose deletion is not complete."""
        with self._errors():
            rows = self._database.execute(
                _PARTICIPANTS + " WHERE withdrawal IS NOT NULL AND deleted_wall_ns IS NULL ORDER BY participant"
            ).fetchall()
        return [CollectedParticipant(*row) for row in rows]

    def digest(self, participant: str, n: int) -> bytes | None:
        """Return the digest of a parcel; None if it is not there."""
        row = self._one("SELECT digest FROM parcels WHERE participant = ? AND n = ?", participant, n)
        return None if row is None else bytes(row[0])

    def lacks_parcels(self, participant: str) -> bool:
        """Return whether a number below somebody's highest is missing."""
        row = self._one("SELECT max(n) + 1 > count(*) FROM parcels WHERE participant = ?", participant)
        return row is not None and bool(row[0])

    def numbers(self, participant: str) -> list[int]:
        """Return the numbers of somebody's parcels, in order."""
        with self._errors():
            rows = self._database.execute(
                "SELECT n FROM parcels WHERE participant = ? ORDER BY n", (participant,)
            ).fetchall()
        return [int(row[0]) for row in rows]

    def bytes_since(self, participant: str, since_wall_ns: int) -> int:
        """Return how many bytes of somebody's parcels came since a time."""
        row = self._one(
            "SELECT sum(length(raw)) FROM parcels WHERE participant = ? AND arrived_wall_ns >= ?",
            participant,
            since_wall_ns,
        )
        return 0 if row is None or row[0] is None else int(row[0])

    # ------------------------------------------------------------ writing, inside a `writing` block

    def join(self, participant: str, key: bytes, now_wall_ns: int) -> None:
        """Store the key that somebody joined with, unless there is one."""
        self._database.execute(
            "INSERT INTO participants (participant, key, first_wall_ns, last_wall_ns) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (participant) DO NOTHING",
            (participant, key, now_wall_ns, now_wall_ns),
        )

    def add(self, one: CollectedParcel) -> bool:
        """Store a parcel; False, and nothing changes, where one of this number is there already."""
        done = self._database.execute(
            "INSERT INTO parcels (participant, n, digest, raw, arrived_wall_ns) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (participant, n) DO NOTHING",
            (one.participant, one.n, one.digest, one.raw, one.arrived_wall_ns),
        )
        return done.rowcount == 1

    def note_arrival(self, participants: Iterable[str], now_wall_ns: int) -> None:
        """Store that parcels of people arrived now."""
        for participant in participants:
            self._database.execute(
                "UPDATE participants SET last_wall_ns = max(last_wall_ns, ?) WHERE participant = ?",
                (now_wall_ns, participant),
            )

    def withdraw(self, participant: str, withdrawal: bytes, now_wall_ns: int) -> None:
        """Store that somebody left; from now on nothing of theirs is taken."""
        self._database.execute(
            "UPDATE participants SET withdrawal = ?, withdrawn_wall_ns = coalesce(withdrawn_wall_ns, ?),"
            " deletion = NULL, deleted_wall_ns = NULL WHERE participant = ?",
            (withdrawal, now_wall_ns, participant),
        )

    def answer(self, participant: str, deletion: bytes) -> None:
        """Store the signed answer to somebody's withdrawal, together with the deletion that it is about."""
        self._database.execute("UPDATE participants SET deletion = ? WHERE participant = ?", (deletion, participant))

    def finish_deletion(self, participant: str, now_wall_ns: int) -> None:
        """Store that nothing is left of what was deleted."""
        self._database.execute(
            "UPDATE participants SET deleted_wall_ns = ? WHERE participant = ?", (now_wall_ns, participant)
        )

    def delete_parcels(self, participant: str) -> None:
        """Delete somebody's parcels; they are gone from the disk only after `empty_log`."""
        self._database.execute("DELETE FROM parcels WHERE participant = ?", (participant,))

    # ------------------------------------------------------------ outside of one

    def empty_log(self) -> bool:
        """Move the write-ahead log into the file and cut it to nothing; return whether that was possible now.

        Somebody who is reading, such as a backup, can keep old pages in it; then try again later.
        """
        row = self._one("PRAGMA wal_checkpoint(TRUNCATE)")
        return row is not None and row[0] == 0

    def _one(self, sql: str, *values: object) -> tuple[Any, ...] | None:
        with self._errors():
            row: tuple[Any, ...] | None = self._database.execute(sql, values).fetchone()
        return row

    @contextmanager
    def _errors(self) -> Iterator[None]:
        with database_errors(self._path, if_damaged=_LOST):
            yield


def _foreign(path: Path) -> BadFile:
    return BadFile(
        f"{path} is not what a collector has written, or is damaged",
        remedy="name the folder or the file of `kairos study collect` with --data; of a damaged one a backup",
    )


_LOST = "participants send again what is missing in a backup that takes its place"


_HAS_SESSION = b"session\n"
"""What a lock file holds while the broker may keep a session of that name, with a share of what arrives."""


@contextmanager
def abandoned_place(data: Path, *, most: int) -> Iterator[int | None]:
    """Hold the lowest number whose collector is gone and whose session nobody has ended; None if there is none.

    Once the block is left without an error, that session counts as ended.

    Raises:
        EnvironmentFault: a lock file cannot be read.
    """
    for number in range(1, most + 1):
        path = data / f"collector-{number}.lock"
        try:
            descriptor = open_file(path, os.O_RDWR)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise EnvironmentFault(f"{path} cannot be read: {error.strerror}", remedy="see who may read it") from error
        try:
            if _is_left(descriptor):
                yield number
                os.ftruncate(descriptor, 0)
                return
        finally:
            os.close(descriptor)
    yield None


def _is_left(descriptor: int) -> bool:
    """Lock a file; return whether that is possible, and a session stands in it."""
    return lock(descriptor) and bool(os.pread(descriptor, len(_HAS_SESSION), 0))


@contextmanager
def take_place(data: Path, *, most: int) -> Iterator[int]:
    """Hold the lowest number from 1 on that no other collector of this folder holds; a killed one's is free at once.

    Raises:
        EnvironmentFault: `most` collectors are running, or the folder cannot be used.
    """
    private_folder(data)
    for number in range(1, most + 1):
        try:
            descriptor = open_file(data / f"collector-{number}.lock", os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise EnvironmentFault(
                f"{data} cannot be used: {error.strerror}", remedy="see who may write there"
            ) from error
        try:
            if lock(descriptor):
                os.pwrite(descriptor, _HAS_SESSION, 0)
                yield number
                return
        finally:
            os.close(descriptor)
    raise EnvironmentFault(f"{most} collectors are running on {data}", remedy="end one of them")
