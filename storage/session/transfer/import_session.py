"""Imports an export or a session folder from outside: its rows are read one by one into a new database.

Only rows that decode and follow on are taken, and only videos that can be decoded. The session appears by one rename,
or not at all, under an id of our own: nothing that outlives it may be keyed by what somebody else wrote.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path

import msgspec

from storage.clock import NS_PER_S, SystemClock
from storage.db.codec import decode, decode_row
from storage.db.connection import check_format
from storage.errors import BadFile
from storage.files import read_lines
from storage.records import FORMAT_VERSION, Frame, InputEvent, Record, SessionStart, Sound
from storage.session.heartbeat import HEARTBEAT_FILE, read_heartbeat
from storage.session.labels import LABELS, read_labels
from storage.session.log import DATABASE, MAX_WALL_NS, NO_BEGINNING, DamagedSession, SessionWriter, create_session
from storage.session.transcript import TRANSCRIPT, read_transcript
from storage.session.transfer.archive import MEDIA_NAME, copy_session, staging_folder, unpack_export
from storage.session.transfer.changed_rows import change_sources
from storage.session.transfer.foreign_database import read_foreign_rows
from storage.session.video import split_ref
from storage.session.video_sandbox import probe_video

MAX_SESSION_NS = 100 * 365 * 86_400 * NS_PER_S
"""Session time counts from a start of the machine."""

TIME_SLACK_NS = NS_PER_S
"""A row this much ahead of the time when it was taken in is an error of nobody's clock."""

MAX_COUNT = 1 << 31
"""Events merged into one row, and pixels of their way; sums of them stay within 64 bits."""

MAX_LINE_BYTES = 4 << 20
_BATCH = 1_000
_BATCH_BYTES = 4 << 20


class _Line(msgspec.Struct):
    record: str


def import_session(path: Path, sessions_dir: Path) -> Path:
    """Import an export file or a session folder; return the new session's folder.

    Raises:
        BadFile: anything in it is not what a session holds.
        EnvironmentFault: the new session cannot be written.
    """
    with staging_folder(sessions_dir) as staging:
        raw, new = staging / "raw", staging / "new"
        raw.mkdir(mode=0o700)
        new.mkdir(mode=0o700)
        if path.is_dir():
            copy_session(path, raw)
        else:
            unpack_export(path, raw)
        rows = check_rows(_decoded(raw / DATABASE, path), path.name)
        videos = usable_videos(raw)
        for video in videos:
            (raw / video).rename(new / video)
        if read_heartbeat(raw) is not None:
            (raw / HEARTBEAT_FILE).rename(new / HEARTBEAT_FILE)
        if read_labels(raw, copied_from=path):
            (raw / LABELS).rename(new / LABELS)
        if read_transcript(raw, copied_from=path) is not None:
            (raw / TRANSCRIPT).rename(new / TRANSCRIPT)
        return publish_session(rows, videos, new, sessions_dir)


def publish_session(rows: Iterable[Record], videos: frozenset[str], new: Path, sessions_dir: Path) -> Path:
    """Write the checked rows of a session into the folder `new`, and rename it to a session's; return that.

    The first row gets the id of the new folder, and only frames in `videos` keep the reference to their picture.

    Raises:
        BadFile: the rows do not begin a session.
    """
    rest = iter(rows)
    start = next(rest, None)
    if not isinstance(start, SessionStart):
        raise BadFile("there is no first row of a session")
    with reserved_folder(sessions_dir, start.wall_ns) as target:

        def change(row: Record) -> Record:
            if row is start:
                return replace(start, session_id=target.name)
            return _without_lost_picture(row, videos)

        write_rows(change_sources(chain([start], rest), change), new)
        new.rename(target)  # onto the empty folder, in one step
    return target


def write_rows(rows: Iterable[Record], folder: Path) -> None:
    """Write numbered rows into a new database in `folder`."""
    batch: list[Record] = []
    size = 0
    writer = SessionWriter(folder)
    try:
        for row in rows:
            batch.append(row)
            size += len(msgspec.json.encode(row))
            if len(batch) >= _BATCH or size >= _BATCH_BYTES:
                writer.append(batch)
                batch.clear()
                size = 0
        writer.append(batch)
    finally:
        writer.close()


@contextmanager
def reserved_folder(sessions_dir: Path, wall_ns: int, *, now_wall_ns: int | None = None) -> Iterator[Path]:
    """Yield the empty folder of a new session, to rename a finished one onto; it is removed if it stays empty.

    Args:
        sessions_dir: the folder of all sessions.
        wall_ns: when the session began, as somebody else says; a time that cannot be true gives way to now.
        now_wall_ns: the wall-clock time; None to read it.
    """
    now_wall_ns = SystemClock().wall_ns() if now_wall_ns is None else now_wall_ns
    target = create_session(sessions_dir, wall_ns if 0 <= wall_ns <= now_wall_ns else now_wall_ns)
    try:
        yield target
    finally:
        with suppress(OSError):
            target.rmdir()  # fails, as it should, once it holds a session


def read_record_list(path: Path) -> Iterator[Record]:
    """Yield records from canonical lines of JSON, as `kairos sessions export --jsonl` writes them.

    Raises:
        BadFile: a line is no record; a session begins twice; there are none.
    """
    empty = True
    for number, line in enumerate(read_lines(path, longest=MAX_LINE_BYTES), start=1):
        if not line.strip():
            continue
        try:
            kind = msgspec.json.decode(line, type=_Line).record
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            raise BadFile(f"{path.name}, line {number} is not a record") from error
        try:
            row = decode(kind, line, seq=number)
        except BadFile as error:
            raise BadFile(f"{path.name}, line {number}: {error.what}") from None
        if isinstance(row, SessionStart) and not empty:
            raise BadFile(f"{path.name}, line {number}: a session begins in the middle")
        empty = False
        yield row
    if empty:
        raise BadFile(f"{path.name} holds no records")


def _decoded(database: Path, folder: Path) -> Iterator[Record]:
    last: Record | None = None
    for row in read_foreign_rows(database, folder):
        try:
            found = decode_row(*row)
        except BadFile as error:
            raise DamagedSession(folder, error.what) from None
        if last is None and not isinstance(found, SessionStart):
            break
        yield (last := found)
    if last is None:
        raise DamagedSession(folder, NO_BEGINNING)


def check_rows(rows: Iterable[Record], name: str) -> Iterator[Record]:
    """Yield rows as long as they are those of one session, in order; gaps are allowed (rows lost on a full disk).

    Raises:
        BadFile: they are not.
    """
    last: Record | None = None
    for row in rows:
        if last is None:
            if not isinstance(row, SessionStart):
                raise BadFile(f"{name} does not begin with the first row of a session")
            check_format(name, row.format_version, FORMAT_VERSION)
            if not 0 <= row.wall_ns < MAX_WALL_NS:
                raise BadFile(f"{name} says that it began at an impossible time")
        elif isinstance(row, SessionStart) or row.seq <= last.seq or row.at_ns < last.at_ns:
            raise BadFile(f"{name}: row {row.seq} does not follow on the row before it")
        check_row(row, row.at_ns, name)
        last = row
        yield row
    if last is None:
        raise BadFile(f"{name} holds no rows")


def check_row(row: Record, now_ns: int, name: str) -> None:
    """Check what features rely on: times that can be, of nothing still to come, and no negative counts and sizes.

    Raises:
        BadFile: the row is not so.
    """
    if not 0 <= now_ns <= MAX_SESSION_NS or getattr(row, "t_ns", 0) < 0:
        raise BadFile(f"{name}: row {row.seq} is of an impossible time")
    if isinstance(row, Frame):
        boxes = (*row.changed, *row.own, *row.covered)
        if min(row.size) < 1 or any(box.w < 0 or box.h < 0 for box in boxes):
            raise BadFile(f"{name}: row {row.seq} is of a screen without a size")
    if isinstance(row, InputEvent) and not (0 <= row.count <= MAX_COUNT and 0 <= row.path <= MAX_COUNT):
        raise BadFile(f"{name}: row {row.seq} has an impossible count")
    if getattr(row, "t_ns", now_ns) > now_ns + TIME_SLACK_NS:
        raise BadFile(f"{name}: row {row.seq} is of a time that had not come")


def usable_videos(raw: Path, *, skips_damaged: bool = False) -> frozenset[str]:
    """Return the names of the videos that hold pictures; a kill can leave one without any.

    Raises:
        BadFile: one is damaged, unless it `skips_damaged` ones.
    """
    found = set()
    for path in sorted(raw.iterdir()):
        if MEDIA_NAME.fullmatch(path.name) and path.stat().st_size:
            try:
                found |= {path.name} if probe_video(path).times_ms else set()
            except BadFile:
                if not skips_damaged:
                    raise
    return frozenset(found)


def without_lost_pictures(rows: Iterable[Record], videos: frozenset[str]) -> Iterator[Record]:
    """Yield rows; a frame whose video is missing loses the reference to its picture."""
    for row in rows:
        yield _without_lost_picture(row, videos)


def _without_lost_picture(row: Record, videos: frozenset[str]) -> Record:
    if isinstance(row, Frame) and row.image_ref is not None and split_ref(row.image_ref)[0] not in videos:
        return replace(row, image_ref=None)
    if isinstance(row, Sound) and row.sound_ref is not None and split_ref(row.sound_ref)[0] not in videos:
        return replace(row, sound_ref=None)
    return row
