"""Makes a session of what can still be read of a damaged one, which stays as it is."""

import os
import sqlite3
from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from storage.db.codec import decode_row
from storage.errors import BadFile
from storage.records import Record, SessionStart
from storage.session.labels import LABELS, read_labels
from storage.session.log import DATABASE, DamagedSession, SessionWriter
from storage.session.transcript import TRANSCRIPT, read_transcript
from storage.session.transfer.archive import copy_session, size_limit, staging_folder
from storage.session.transfer.foreign_database import open_foreign
from storage.session.transfer.import_session import check_rows, publish_session, usable_videos

_PAGE = 4096
"""Bytes of a page, of which the first says what the others are."""

_UNREADABLE = (BadFile, TypeError, sqlite3.Error, UnicodeDecodeError)

LEAST_ROW_BYTES = 20
"""A row takes more: so many rows a damaged database may hold that does not say where its last one is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """The new session, how many rows it has, how many numbers between them are missing, and files that were damaged."""

    folder: Path
    rows: int
    missing: int
    left: tuple[str, ...]


def recover_session(folder: Path, sessions_dir: Path) -> Recovered:
    """Copy every row of a session that can be read, every video and what was said of it, into a new session.

    Raises:
        BadFile: nothing of it can be read, its first row among others.
        EnvironmentFault: the new session cannot be written.
    """
    numbers: list[int] = []

    def noted(rows: Iterator[Record]) -> Iterator[Record]:
        for row in rows:
            numbers.append(row.seq)
            yield replace(row, imported_from=f"recovered {folder.name}") if isinstance(row, SessionStart) else row

    with staging_folder(sessions_dir) as staging:
        raw, new = staging / "raw", staging / "new"
        raw.mkdir(mode=0o700)
        new.mkdir(mode=0o700)
        copy_session(folder, raw)
        videos = usable_videos(raw, skips_damaged=True)
        with closing(_sound_rows(raw / DATABASE, folder)) as rows:  # or a fault would leave the database open
            try:
                _mend(raw / DATABASE, folder, new)
                made = publish_session(check_rows(noted(rows), folder.name), videos, new, sessions_dir)
            except BadFile as error:
                remedy = f"nothing of it can be recovered; to delete it: kairos sessions delete {folder.name}"
                raise BadFile(error.what, remedy=remedy) from error
        for video in videos:
            (raw / video).rename(made / video)
        with suppress(BadFile):
            if read_labels(raw):
                (raw / LABELS).rename(made / LABELS)
        with suppress(BadFile):
            if read_transcript(raw) is not None:
                (raw / TRANSCRIPT).rename(made / TRANSCRIPT)
        said = {LABELS, TRANSCRIPT}
        left = tuple(sorted(path.name for path in raw.iterdir() if path.suffix == ".mp4" or path.name in said))
    return Recovered(folder=made, rows=len(numbers), missing=numbers[-1] - len(numbers), left=left)


def _mend(path: Path, folder: Path, scratch: Path) -> None:
    """Give a database the length that it names, and where SQLite opens it in no way, the first page of a new one.

    SQLite reads none that was cut off. Every session's first page says the same, but for its length.
    """
    with path.open("r+b") as file:
        head = file.read(32)
        size = int.from_bytes(head[16:18], "big") * int.from_bytes(head[28:32], "big")
        length = file.seek(0, os.SEEK_END)
        if length < size <= (size_limit(DATABASE) or 0):
            file.truncate(size)
    try:
        with open_foreign(path, folder, is_whole=False):
            return
    except DamagedSession:
        SessionWriter(scratch).close()
        fresh = scratch / DATABASE
        with closing(sqlite3.connect(fresh)) as connection:  # without the views it needs no other page
            for (view,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall():
                connection.execute(f"DROP VIEW {view}")
        first, pages = bytearray(fresh.read_bytes()[:_PAGE]), -(-length // _PAGE)
        fresh.unlink()
        first[28:32] = pages.to_bytes(4, "big")
        with path.open("r+b") as file:
            file.write(first)
            file.truncate(max(pages, 1) * _PAGE)


def _sound_rows(path: Path, folder: Path) -> Generator[Record]:
    with open_foreign(path, folder, is_whole=False) as connection:
        yield from _readable(connection, path.stat().st_size)


def _readable(connection: sqlite3.Connection, size: int) -> Iterator[Record]:
    """Yield the rows that can be read and follow on, in order; a page that is damaged takes some of them along."""
    try:
        found = connection.execute("SELECT seq, at_ns, kind, body FROM records ORDER BY seq DESC LIMIT 1").fetchone()
        last = decode_row(*found).seq if found else 0
    except _UNREADABLE:
        last = size // LEAST_ROW_BYTES
    seq, at_ns = 0, 0
    while seq < last:
        try:
            for found in connection.execute(
                "SELECT seq, at_ns, kind, body FROM records WHERE seq > ? ORDER BY seq", (seq,)
            ):
                row = decode_row(*found)
                if row.seq > seq and row.at_ns >= at_ns:
                    seq, at_ns = row.seq, row.at_ns
                    yield row
        except _UNREADABLE:
            seq += 1  # a page that lost its end may name any number, also an earlier one
        else:
            return
