"""Reads the journals of a study on from where it stopped, whatever became of them meanwhile.

A session that was deleted, damaged or recorded in another study is left out and counted, and ends nothing. One that is
being recorded is read in short steps, each a lock of some milliseconds at most, which the daemon need not wait for.
"""

import datetime as dt
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec

from participant.documents.plan import Sent
from participant.pack.fold import KINDS, OPENING_KINDS, RowFold
from participant.pack.state import FoldState, Participation, TimedRow
from storage.clock import NS_PER_S, local_time
from storage.errors import BadFile
from storage.records import SessionStart, StudyStart
from storage.session.heartbeat import is_recording
from storage.session.log import SessionReader, list_sessions

PART = 2_000
"""Records that are read in one go: some ten milliseconds."""

SESSION_DELETED = "session_deleted"
SESSION_DAMAGED = "session_damaged"
SESSION_FOREIGN = "session_foreign"
"""Problems of reading, counted in the day row: of ours, so never anything that a person named."""

_NEW_NS = 60 * NS_PER_S
_UNREADABLE_NS = 24 * 3600 * NS_PER_S

Sends = Callable[[int], frozenset[Sent]]
"""Gives the switches for a session that began at a wall-clock time; empty: nothing of it may be sent."""


class Progress(msgspec.Struct, kw_only=True):
    """How far journals were read.

    `session` is the one being read and `seq` its last row read. `done` are the names of those read to their end, and of
    those left out. They stay there when they are no longer listed: a disk may be away and come back.
    """

    fold: FoldState
    session: str = ""
    seq: int = 0
    done: set[str] = set()


class JournalReader:
    """Reads on; `progress` is changed in place."""

    def __init__(
        self, sessions_dir: Path, who: Participation, sends: Sends, progress: Progress, *, joined_wall_ns: int
    ) -> None:
        """Take where sessions are, whose rows, what may be sent of a session, how far it was read, and since when."""
        self._sessions_dir = sessions_dir
        self._who = who
        self._sends = sends
        self._progress = progress
        self._fold = RowFold(who, progress.fold)
        self._first_name = f"{local_time(joined_wall_ns) - dt.timedelta(days=1):%Y%m%d}"

    def read(self, now_wall_ns: int) -> list[TimedRow]:
        """Return the rows that were finished since the last time, and note how far that was."""
        progress = self._progress
        folders = {folder.name: folder for folder in list_sessions(self._sessions_dir)}
        if progress.session and progress.session not in folders:
            self._fold.note_problem(SESSION_DELETED)
            self._end_session()
        new = [folders[name] for name in folders if name >= self._first_name and name not in progress.done]
        for folder in self._in_order(new, now_wall_ns):
            if not self._read_session(folder, now_wall_ns):
                break
        self._fold.finish(now_wall_ns)
        return self._fold.taken()

    def _in_order(self, folders: list[Path], now_wall_ns: int) -> list[Path]:
        """Return sessions in the order in which they began: names follow local time, which may be set back."""
        begun: list[tuple[int, Path]] = []
        for folder in folders:
            try:
                with SessionReader(folder) as reader:
                    begun.append((reader.first().wall_ns, folder))
            except BadFile as error:
                self._leave_out_damaged(folder, error, now_wall_ns)
        return [folder for _, folder in sorted(begun)]

    def _leave_out_damaged(self, folder: Path, error: BadFile, now_wall_ns: int) -> bool:
        """Leave a session out that will not get better; tell whether it was: another is locked, or just being made."""
        age_ns = now_wall_ns - _changed_wall_ns(folder)
        is_locked = isinstance(error.__cause__, sqlite3.OperationalError)
        if is_recording(folder) or 0 <= age_ns < (_UNREADABLE_NS if is_locked else _NEW_NS):
            return False
        self._fold.note_problem(SESSION_DAMAGED)
        self._leave_out(folder)
        return True

    def _leave_out(self, folder: Path) -> None:
        if self._progress.session == folder.name:
            self._end_session()
        self._progress.done.add(folder.name)

    def _end_session(self) -> None:
        self._fold.end()
        self._progress.session, self._progress.seq = "", 0

    def _read_session(self, folder: Path, now_wall_ns: int) -> bool:
        """Read a session on; tell whether it is over, so that the next one may follow."""
        is_over = not is_recording(folder)  # asked first: what is written until then is all that will be
        try:
            with SessionReader(folder) as reader:
                if self._progress.session == folder.name or self._begin(reader, folder):
                    self._read_on(reader)
                elif is_over:
                    self._progress.done.add(folder.name)
        except BadFile as error:
            return self._leave_out_damaged(folder, error, now_wall_ns)
        if is_over and self._progress.session == folder.name:
            self._leave_out(folder)
        return is_over

    def _begin(self, reader: SessionReader, folder: Path) -> bool:
        """Begin a session if anything of it may be sent."""
        opening = list(reader.rows_behind(0, OPENING_KINDS, 2))
        if len(opening) < len(OPENING_KINDS):
            return False
        start, study = opening
        if not (isinstance(start, SessionStart) and isinstance(study, StudyStart) and study.seq == start.seq + 1):
            return False
        if not self._who.owns(start, study):
            if start.imported_from is None:
                self._fold.note_problem(SESSION_FOREIGN)
            return False
        sends = self._sends(start.wall_ns)
        if not sends:
            return False
        self._fold.who = replace(self._who, sends=sends)
        self._fold.begin(start, study)
        self._progress.session, self._progress.seq = folder.name, study.seq
        return True

    def _read_on(self, reader: SessionReader) -> None:
        progress = self._progress
        self._fold.who = replace(self._who, sends=self._sends(reader.first().wall_ns))
        while True:
            count = 0
            for record in reader.rows_behind(progress.seq, KINDS, PART):
                self._fold.take(record)
                progress.seq, count = record.seq, count + 1
            if count < PART:
                return


def _changed_wall_ns(folder: Path) -> int:
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return 0
