"""Exports a session as one portable file, or as canonical lines of JSON.

The database goes through SQLite's own backup, so that a session that is still being recorded, or was cut off, comes out
whole and as a single file. An export that fails leaves no file. What a replay does not need and says who somebody is
does not leave, nor do names of models; what its person excluded only where they agreed to full titles.
"""

import io
import json
import os
import sqlite3
import sys
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, TextIO

import msgspec

from storage.db.codec import canonical, encode
from storage.errors import BadFile, EnvironmentFault, UsageError, os_words
from storage.files import PRIVATE_FILE, create_file, open_regular, private_folder, state_folder, writing_remedy
from storage.records import HelpAnswer, ModelAnswer, Record, SegmentLabel, SessionStart, without_proposals
from storage.session.heartbeat import HEARTBEAT_FILE
from storage.session.labels import LABELS, encode_labels, read_labels
from storage.session.log import DATABASE, SessionReader
from storage.session.transcript import TRANSCRIPT, read_transcript
from storage.session.transfer.archive import (
    EXPORT_FORMAT,
    EXPORT_VERSION,
    MANIFEST_NAME,
    MEDIA_NAME,
    RECORD_LIST_NAME,
    copy_stream,
    size_limit,
    staging_folder,
)
from storage.session.transfer.changed_rows import change_sources
from storage.session.video_sandbox import SOUND
from storage.settings import WITHHELD, recorded_settings


def export_session(
    folder: Path,
    target: Path,
    *,
    video: bool = True,
    labels: bool = False,
    speech: bool = False,
    proposals: bool = False,
) -> int:
    """Write a session into one file that `kairos sessions import` takes; return its size in bytes.

    The file holds the database, the same rows as canonical JSON Lines, the video files, and a manifest with size and
    SHA-256 of each.

    Args:
        folder: the session.
        target: the file; it must not exist yet.
        video: whether to include the pictures.
        labels: whether to include what people said of it.
        speech: whether to include what was said meanwhile, as sound and as words.
        proposals: whether to include what is to be verified, and what nobody has said of it; it takes `speech`.

    Raises:
        BadFile: the session cannot be read, or has a file that is larger than such a file may be, or no plain one.
        UsageError: the file exists.
        EnvironmentFault: it cannot be written.
    """
    if target.exists():
        raise UsageError(f"{target} exists already", remedy="choose another file name")
    with staging_folder(private_folder(state_folder())) as scratch:
        try:
            chosen = _labels(folder, labels=labels, speech=speech, proposals=proposals)
            _write_export(folder, target, scratch, chosen, video=video, speech=speech)
        except zipfile.LargeZipFile as error:
            raise EnvironmentFault(f"{folder} is too large for one file", remedy="export it without video") from error
        except (OSError, sqlite3.Error) as error:
            why = os_words(error) if isinstance(error, OSError) else str(error)
            remedy = writing_remedy(error) if isinstance(error, OSError) else "check the free space"
            raise EnvironmentFault(f"{target} cannot be written: {why}", remedy=remedy) from error
    return target.stat().st_size


def _write_export(
    folder: Path, target: Path, scratch: Path, labels: Sequence[SegmentLabel], *, video: bool, speech: bool
) -> None:
    with SessionReader(folder) as reader:
        session_id = reader.first().session_id
        database, rows = scratch / DATABASE, scratch / RECORD_LIST_NAME
        _back_up(folder / DATABASE, database)
        _withhold(database, folder)
        with SessionReader(database, copied_from=folder) as copy, rows.open("w", encoding="utf-8") as out:
            write_lines(copy, out)
        members = {DATABASE: database, RECORD_LIST_NAME: rows}
        if (folder / HEARTBEAT_FILE).is_file():
            members[HEARTBEAT_FILE] = folder / HEARTBEAT_FILE
        if labels:
            members[LABELS] = scratch / LABELS
            members[LABELS].write_bytes(encode_labels(labels))
        if speech and read_transcript(folder) is not None:
            members[TRANSCRIPT] = folder / TRANSCRIPT
        media = (path for path in sorted(folder.iterdir()) if MEDIA_NAME.fullmatch(path.name))
        members |= {path.name: path for path in media if (speech if path.name.startswith(SOUND) else video)}
        with _new_file(target) as archive:
            _fill(archive, members, session_id)


def _labels(folder: Path, *, labels: bool, speech: bool, proposals: bool) -> Sequence[SegmentLabel]:
    """Return what people said; what was proposed may quote what was said meanwhile, and leaves with that."""
    if not (labels or proposals):
        return ()
    found = read_labels(folder) if speech else without_proposals(read_labels(folder))
    return found if labels else [label for label in found if label.proposed]


def export_lines(folder: Path, target: Path) -> int:
    """Write every row of a session into a file, as canonical lines of JSON; return its size in bytes.

    Raises:
        BadFile: the session cannot be read.
        UsageError: the file exists.
        EnvironmentFault: it cannot be written.
    """
    if target.exists():
        raise UsageError(f"{target} exists already", remedy="choose another file name")
    with SessionReader(folder) as reader:
        try:
            with _unnamed(target) as file:
                out = io.TextIOWrapper(file, encoding="utf-8")
                write_lines(reader, out)
                out.flush()
                out.detach()  # or it would close the file, which has no name yet
        except OSError as error:
            raise EnvironmentFault(f"{target} cannot be written: {error.strerror}") from error
    return target.stat().st_size


def write_lines(reader: SessionReader, out: TextIO) -> int:
    """Write every row as one canonical line of JSON; return how many.

    Raises:
        BadFile: they do not begin with the first one, or one is damaged.
    """
    reader.first()
    count = 0
    for row in _portable_rows(reader):
        out.write(canonical(row) + "\n")
        count += 1
    return count


@contextmanager
def _new_file(path: Path) -> Iterator[zipfile.ZipFile]:
    """Yield a new archive, without ZIP64, which our import refuses."""
    with _unnamed(path) as file, zipfile.ZipFile(file, "w", allowZip64=False) as archive:
        yield archive


@contextmanager
def _unnamed(path: Path) -> Iterator[BinaryIO]:
    """Yield a new file that only this user can read.

    It has no name until it is whole, so nothing is left of it after a kill, where the file system has that (most do).
    """
    try:
        if sys.platform != "linux":  # nothing else has files without a name
            raise OSError  # noqa: TRY301  # one way to the other kind
        file: BinaryIO = os.fdopen(os.open(path.parent, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, PRIVATE_FILE), "w+b")
    except OSError:
        with create_file(path) as file:
            try:
                yield file
            except BaseException:
                path.unlink(missing_ok=True)
                raise
        return
    with file:
        yield file
        file.flush()
        number = file.fileno()
        os.link(f"/proc/self/fd/{number}", path, src_dir_fd=number)  # with a folder, Python follows the first link


def _back_up(source: Path, target: Path) -> None:
    """Copy a database while it may be written to, into one plain file."""
    with (
        closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as old,
        closing(sqlite3.connect(target)) as new,
    ):
        old.backup(new)
        new.execute("PRAGMA journal_mode = DELETE")


def _portable_rows(reader: SessionReader) -> Iterator[Record]:
    """Yield the rows of a session as they may leave, each with the same number as before."""
    return change_sources(reader, _portable)


def _portable(row: Record) -> Record:
    """Return a source row as it may leave; earlier builds stored more in the first one."""
    if isinstance(row, ModelAnswer | HelpAnswer):
        return replace(row, model=WITHHELD)
    if not isinstance(row, SessionStart):
        return row
    agreed = row.recording and row.imported_from is None
    return replace(
        row,
        settings=recorded_settings(row.settings, exclusions=agreed),
        platform=row.platform.partition(" ")[0],
        boot="",
        imported_from=row.imported_from and row.imported_from.partition(" ")[0],  # without the name of a file
    )


def _withhold(database: Path, folder: Path) -> None:
    """Rewrite our copy of a database as it may leave, and let nothing of the former rows remain."""
    with SessionReader(database, copied_from=folder) as reader:
        changed = [
            (encode(new).decode(), new.seq)
            for old, new in zip(reader, _portable_rows(reader), strict=True)
            if new != old
        ]
    if not changed:
        return
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("BEGIN")
        connection.executemany("UPDATE records SET body = ? WHERE seq = ?", changed)
        connection.execute("COMMIT")
        connection.execute("VACUUM")


def _fill(archive: zipfile.ZipFile, members: dict[str, Path], session_id: str) -> None:
    files: dict[str, dict[str, object]] = {}
    for name, path in members.items():
        info = _undated(name)
        # videos do not shrink any further
        info.compress_type = zipfile.ZIP_STORED if MEDIA_NAME.fullmatch(name) else zipfile.ZIP_DEFLATED
        with open_regular(path) as source:
            info.file_size = os.fstat(source.fileno()).st_size  # says at once whether it fits, not after gigabytes
            limit = size_limit(name) or 0
            if info.file_size > limit:
                raise BadFile(f"{name} is larger than a session's file may be", remedy="export without video")
            with archive.open(info, "w") as out:
                files[name] = msgspec.to_builtins(copy_stream(source, out, limit, name))
    manifest = {"format": EXPORT_FORMAT, "version": EXPORT_VERSION, "session_id": session_id, "files": files}
    archive.writestr(_undated(MANIFEST_NAME), json.dumps(manifest, indent=1, sort_keys=True))


def _undated(name: str) -> zipfile.ZipInfo:
    """Return a member that only this user can read, without the moment of export: a name alone would bring that in."""
    info = zipfile.ZipInfo(name)
    info.external_attr = 0o600 << 16
    return info
