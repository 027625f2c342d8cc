"""Packs what happened since the last time: reads journals, seals rows in parcels, and stores both ends in one step.

Parcels and how far the journals were read are one transaction, so that every row is packed exactly once, wherever the
process is killed. All parcels are held: the person's mode of looking at them decides when they go. The lock of the
studies is held by whoever calls.

A session that was deleted, damaged or recorded in another study is left out and counted, and ends nothing. One that is
being recorded is read in short steps, each a lock of some milliseconds at most, which the daemon need not wait for.
"""

import datetime as dt
import sqlite3
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec

from participant.delivery.outbox import AGREED, BUNDLE, PACKED, WITHDRAWAL, NewParcel, Outbox, ParcelState
from participant.delivery.review import rows_left_out
from participant.delivery.writer import Writer
from participant.documents.names import digest_of
from participant.documents.plan import Sent
from participant.documents.rows import DayRow, Row, TooManyRowsError
from participant.membership.consent import ConsentFile, open_writer, read_consent_file
from participant.membership.folder import ParticipantFolder
from participant.pack.fold import KINDS, OPENING_KINDS, RowFold
from participant.pack.labels import CurrentLabels, PackedLabel, current_labels, new_rows, take_out
from participant.pack.state import FoldState, Participation, TimedRow
from storage.clock import NS_PER_S, local_time
from storage.errors import BadFile
from storage.files import sessions_folder
from storage.records import SessionStart, StudyStart
from storage.session.heartbeat import is_recording
from storage.session.log import SessionReader, list_sessions
from storage.settings_file import load_settings

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
    labels: dict[str, PackedLabel] = {}


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


EVERY_S = 3600
"""Packing more often tells more exactly when somebody worked."""

MAX_LEFT_OUT = 10_000_000


class _Packed(msgspec.Struct, kw_only=True):
    """The fact `PACKED`: when, how far, and how many rows left out in review day rows have told of so far."""

    version: int = 1
    at_wall_ns: int
    progress: Progress
    left_out: int = 0


def pack(
    folder: ParticipantFolder, now_wall_ns: int, sessions_dir: Path | None = None, *, at_once: bool = False
) -> int:
    """Pack the rows of a joined study that are finished; they are held. Return how many, 0 where none may be packed.

    Nothing is packed before parcel 0, after leaving, and while a newer version of the study waits for an answer.

    `sessions_dir`: the folder of all sessions; None: the one in the settings. `at_once`: pack although the last time
    was less than an hour ago.
    """
    if not folder.outbox.exists():
        return 0
    with Outbox(folder.outbox) as outbox:
        packed = _packed(outbox)
        since_ns = EVERY_S * NS_PER_S if packed is None else now_wall_ns - packed.at_wall_ns
        if (0 <= since_ns < EVERY_S * NS_PER_S and not at_once) or not _may_pack(folder, outbox):
            return 0
        consent, writer, who = _who_packs(folder)
        if sessions_dir is None:
            sessions_dir = sessions_folder(load_settings().storage.sessions_dir)
        labels = _step_labels(outbox, consent, writer, who, sessions_dir)
        first, previous = outbox.chain()  # before what was packed: if another process packs in between, adding fails
        packed = _packed(outbox)
        progress = Progress(fold=FoldState()) if packed is None else packed.progress
        reader = JournalReader(
            sessions_dir,
            who,
            lambda start_wall_ns: sends_since(consent, start_wall_ns),
            progress,
            joined_wall_ns=consent.answers[0].at_wall_ns,
        )
        rows = [*(timed.row for timed in reader.read(now_wall_ns)), *new_rows(labels, progress.labels)]
        told = 0 if packed is None else packed.left_out
        rows, told = _with_left_out(rows, told, rows_left_out(outbox))
        parcels = _write(writer, rows, first=first, previous=previous)
        after = _Packed(at_wall_ns=now_wall_ns, progress=progress, left_out=told)
        outbox.add(
            parcels, first=first, state=ParcelState.HELD, now_wall_ns=now_wall_ns, packed=msgspec.msgpack.encode(after)
        )
    return len(rows)


def take_out_deleted(folder: ParticipantFolder, sessions_dir: Path | None = None) -> None:
    """Take out of what waits, before it is shown or sent, labels and words that were deleted or changed here."""
    if not folder.outbox.exists():
        return
    with Outbox(folder.outbox) as outbox:
        if _may_pack(folder, outbox):
            if sessions_dir is None:
                sessions_dir = sessions_folder(load_settings().storage.sessions_dir)
            _step_labels(outbox, *_who_packs(folder), sessions_dir)


def _who_packs(folder: ParticipantFolder) -> tuple[ConsentFile, Writer, Participation]:
    consent, writer = read_consent_file(folder.consent), open_writer(folder)
    who = Participation(
        study=writer.invited.invitation.study,
        participant=writer.invited.invitation.participant,
        arm=writer.invited.arm,
        sends=consent.current.in_force,
    )
    return consent, writer, who


def _step_labels(
    outbox: Outbox, consent: ConsentFile, writer: Writer, who: Participation, sessions_dir: Path
) -> CurrentLabels:
    """Bring what waits of labels in step with what is there; return what is there."""
    if not any(Sent.LABELS in answer.sends for answer in consent.answers):
        return CurrentLabels()
    packed = _packed(outbox)
    before = {} if packed is None else packed.progress.labels
    labels = current_labels(sessions_dir, who, lambda start_wall_ns: sends_since(consent, start_wall_ns), before)
    if packed is not None:
        take_out(outbox, writer, labels, before, lambda: msgspec.msgpack.encode(packed))
    return labels


def sends_since(consent: ConsentFile, start_wall_ns: int) -> frozenset[Sent]:
    """Return what may be sent of a session that began at a time: what every answer in force since then permits."""
    before = [answer for answer in consent.answers if answer.at_wall_ns <= start_wall_ns]
    if not before:
        return frozenset()
    later = [answer for answer in consent.answers if answer.at_wall_ns > start_wall_ns]
    return frozenset.intersection(*(answer.in_force for answer in (before[-1], *later)))


def _packed(outbox: Outbox) -> _Packed | None:
    raw = outbox.fact(PACKED)
    if not raw:
        return None
    try:
        return msgspec.msgpack.decode(raw, type=_Packed)
    except msgspec.MsgspecError:
        raise BadFile(
            "how far the journals of a study were packed is damaged", remedy="leave the study: kairos study leave"
        ) from None


def _may_pack(folder: ParticipantFolder, outbox: Outbox) -> bool:
    left = outbox.statement(WITHDRAWAL) is not None or not folder.key.exists()
    joined = outbox.chain()[0] > 0 and folder.consent.exists()
    return joined and not left and outbox.fact(BUNDLE) == outbox.fact(AGREED)


def _write(writer: Writer, rows: list[Row], *, first: int, previous: bytes) -> list[NewParcel]:
    """Return parcels of all rows in their order; rows that are too many for one are halved."""
    made: list[NewParcel] = []
    waiting = deque([rows] if rows else [])
    while waiting:
        part = waiting.popleft()
        try:
            made.append(writer.write(part, n=first + len(made), previous=previous))
        except TooManyRowsError:
            half = len(part) // 2
            waiting.extendleft((part[half:], part[:half]))
            continue
        previous = digest_of(made[-1].raw)
    return made


def _with_left_out(rows: list[Row], told: int, total: int) -> tuple[list[Row], int]:
    """Let the first day row tell how many rows were left out since the last one that told; return how many in all."""
    for at, row in enumerate(rows):
        if isinstance(row, DayRow) and total > told:
            row_with = msgspec.structs.replace(row, left_out=min(total - told, MAX_LEFT_OUT))
            return [*rows[:at], row_with, *rows[at + 1 :]], total
    return rows, told
