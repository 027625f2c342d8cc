"""What a collector has: sealed parcels and signed statements, in one SQLite file. No key that opens one is near it.

One row a participant: the key they joined with, and, once they left, the withdrawal and the receipt of the deletion,
which stay as a tombstone. One row a parcel. What is deleted is overwritten, and the write-ahead log is emptied with it.

The collector alone writes; `studies.opening` and the monitor read.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlite_utils import Database, Migrations

from storage.db import database_errors, open_readonly

SCHEMA = Migrations("kairos.collector")


@SCHEMA(name="001_parcels")
def _parcels(db: Database) -> None:
    """Create participants and parcels."""
    db.execute(
        "CREATE TABLE participants (participant TEXT PRIMARY KEY, key BLOB, first_wall_ns INTEGER,"
        " last_wall_ns INTEGER, withdrawal BLOB, withdrawn_wall_ns INTEGER, deletion BLOB,"
        " deleted_wall_ns INTEGER) WITHOUT ROWID"
    )
    db.execute(
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


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectedParticipant:
    """What is known of somebody who joined.

    `key` signs their parcels, None before parcel 0 came. `withdrawal` and `deletion` are signed statements
    (`studies.statements`), None unless they left and were deleted.
    """

    participant: str
    key: bytes | None
    first_wall_ns: int | None
    last_wall_ns: int | None
    withdrawal: bytes | None
    withdrawn_wall_ns: int | None
    deletion: bytes | None
    deleted_wall_ns: int | None


class CollectorReader:
    """A collector's file, opened for reading."""

    def __init__(self, path: Path) -> None:
        """Open it.

        Raises:
            BadFile: there is none, or it is none of a collector.
        """
        self._path = path
        self._database = open_readonly(path)

    def close(self) -> None:
        """Close it."""
        self._database.close()

    def participants(self) -> list[CollectedParticipant]:
        """Return everybody who joined, by id."""
        columns = tuple(CollectedParticipant.__dataclass_fields__)
        with database_errors(self._path, if_damaged=_LOST):
            rows = self._database.execute(
                f"SELECT {', '.join(columns)} FROM participants ORDER BY participant"  # noqa: S608  # constants
            ).fetchall()
        return [CollectedParticipant(**dict(zip(columns, row, strict=True))) for row in rows]

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


_LOST = "participants send again what is missing in a backup that takes its place"
