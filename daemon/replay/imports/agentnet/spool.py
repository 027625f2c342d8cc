"""Sorts a recording's records by time on disk, because a recording may hold more of them than fit into memory."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Self

from storage.db.codec import decode_row, encode
from storage.errors import EnvironmentFault
from storage.records import Record


class RecordSpool:
    """A file of records, read in the order of time; those of one time in the order of their groups, then as added.

    The file is private to one import and worth nothing after it, so it has no journal.
    """

    def __init__(self, path: Path) -> None:
        """Create the file.

        Raises:
            EnvironmentFault: it cannot be written.
        """
        self._path = path
        self._added = 0
        try:
            self._database = sqlite3.connect(path, isolation_level=None)
            for pragma in ("journal_mode = OFF", "synchronous = OFF", "mmap_size = 0", "temp_store = MEMORY"):
                self._database.execute(f"PRAGMA {pragma}")
            self._database.execute(
                "CREATE TABLE spool (t_ns INTEGER, part INTEGER, number INTEGER, kind TEXT, body BLOB,"
                " PRIMARY KEY (t_ns, part, number)) WITHOUT ROWID"
            )
        except sqlite3.Error as error:
            raise self._fault(error) from error

    def __enter__(self) -> Self:
        """Return this spool."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close and remove the file."""
        self._database.close()
        self._path.unlink(missing_ok=True)

    def add(self, group: int, timed: Iterable[tuple[int, Record]]) -> None:
        """Add records with their times (ns) to a group.

        Raises:
            EnvironmentFault: they cannot be written.
        """
        try:
            self._database.execute("BEGIN")  # one transaction for all is quicker; it has no journal to grow
            self._database.executemany("INSERT INTO spool VALUES (?, ?, ?, ?, ?)", self._numbered(group, timed))
            self._database.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._fault(error) from error

    def read(self) -> Iterator[tuple[int, Record]]:
        """Yield all records with their times.

        Raises:
            EnvironmentFault: they cannot be read.
        """
        order = "SELECT t_ns, kind, body FROM spool ORDER BY t_ns, part, number"
        try:
            with closing(self._database.execute(order)) as found:
                for t_ns, kind, body in found:
                    yield t_ns, decode_row(0, 0, kind, body)
        except sqlite3.Error as error:
            raise self._fault(error) from error

    def _numbered(self, group: int, timed: Iterable[tuple[int, Record]]) -> Iterator[tuple[int, int, int, str, bytes]]:
        for t_ns, record in timed:
            self._added += 1
            yield t_ns, group, self._added, record.KIND, encode(record)

    def _fault(self, error: sqlite3.Error) -> EnvironmentFault:
        return EnvironmentFault(f"{self._path} cannot be written: {error}", remedy="check the free space")
