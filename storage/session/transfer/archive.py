"""Unpacks files from outside safely: plain files with our own names, sizes and types, into a private folder only.

Members of an export are checked one by one and never unpacked in place; the folder is removed at the end.
"""

import os
import re
import shutil
import stat
import struct
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import IO, BinaryIO

import msgspec

from storage.db.connection import check_format
from storage.errors import BadFile, EnvironmentFault
from storage.files import create_file, list_entries, lock, make_folder, open_file, open_regular
from storage.session.heartbeat import HEARTBEAT_FILE
from storage.session.labels import LABELS
from storage.session.labels import MAX_BYTES as MAX_LABEL_BYTES
from storage.session.log import DATABASE
from storage.session.retention import STAGING, sweep_staging_folders
from storage.session.transcript import MAX_BYTES as MAX_TRANSCRIPT_BYTES
from storage.session.transcript import TRANSCRIPT

RECORD_LIST_NAME = "records.jsonl"
MANIFEST_NAME = "manifest.json"
EXPORT_FORMAT = "kairos-export"
EXPORT_VERSION = 1
MEDIA_NAME = re.compile(r"(?:screen|sound)-\d{3,6}\.mp4")
"""Of videos, and of what somebody said."""

MAX_MEMBERS = 1_000
MAX_TOTAL_BYTES = 8 << 30
MAX_RATIO = 200
"""Largest allowed compression: neither rows nor pictures ever shrink this much; a zip bomb does."""


_LIMITS = {
    DATABASE: 4 << 30,
    f"{DATABASE}-wal": 1 << 30,
    RECORD_LIST_NAME: 4 << 30,
    MANIFEST_NAME: 1 << 20,
    HEARTBEAT_FILE: 64,
    LABELS: MAX_LABEL_BYTES,
    TRANSCRIPT: MAX_TRANSCRIPT_BYTES,
}
_VIDEO_LIMIT = 4 << 30
_DIRECTORY_LIMIT = 1 << 20
_SMALL = 1 << 20
_CHUNK = 1 << 20
_END = b"PK\x05\x06"
_END_BYTES = 22
_LOCAL = b"PK\x03\x04"
_LOCAL_BYTES = 30
_PLAIN_OR_DEFLATED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1


class Member(msgspec.Struct):
    """Size and digest of one file of an export."""

    size: int
    sha256: str


class Manifest(msgspec.Struct):
    """The list of contents of an export, with which it can be checked without Kairos."""

    format: str
    version: int
    session_id: str
    files: dict[str, Member]


def size_limit(name: str) -> int | None:
    """Return the most bytes a session's file of this name may have; None if no session has such a file."""
    return _VIDEO_LIMIT if MEDIA_NAME.fullmatch(name) else _LIMITS.get(name)


@contextmanager
def staging_folder(sessions_dir: Path) -> Iterator[Path]:
    """Yield an empty folder that only this user can enter, on the disk of the sessions; it is removed at the end.

    While it is in use it is locked, so that those of killed imports can be swept.

    Raises:
        EnvironmentFault: it cannot be created, or writing into it failed.
    """
    sweep_staging_folders(sessions_dir)
    try:
        make_folder(sessions_dir)
        folder, descriptor = _new_staging_folder(sessions_dir)
    except OSError as error:
        raise EnvironmentFault(f"{sessions_dir} cannot be written: {error.strerror}") from error
    try:
        yield folder
    except OSError as error:
        raise EnvironmentFault(f"importing into {sessions_dir} failed: {error.strerror}") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


def _new_staging_folder(sessions_dir: Path) -> tuple[Path, int]:
    """Create a staging folder and lock it; a sweep may be quicker, then another one is created."""
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
    while True:
        folder = Path(tempfile.mkdtemp(prefix=STAGING, dir=sessions_dir))
        try:
            descriptor = open_file(folder, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            continue
        lock(descriptor, waits=True)
        if folder.exists():
            return folder, descriptor
        os.close(descriptor)


def unpack_export(path: Path, into: Path) -> None:
    """Unpack an export of ours into an empty folder, member by member.

    Raises:
        BadFile: a member's name, type, size or content is not what an export of ours holds.
    """
    with open_regular(path) as file:
        _check_end(file, path.name)
        try:
            with zipfile.ZipFile(file) as archive:
                members = archive.infolist()
                _check_members(members, path.name)
                _check_overlap(file, members, path.name)
                found = {member.filename: _unpack_member(archive, member, into, path.name) for member in members}
        except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, struct.error) as error:
            raise BadFile(f"{path.name} is damaged: {error}") from error
    _check_manifest(into / MANIFEST_NAME, found, path.name)


def copy_session(folder: Path, into: Path) -> None:
    """Copy the files of a session folder from elsewhere into an empty folder; other files are left out.

    A rollback journal is not copied, because SQLite would act on a file name written in it.

    Raises:
        BadFile: a file is a link or anything else but plain, or too large; or there are too many.
    """
    total = 0
    for entry in list_entries(folder, most=MAX_MEMBERS):
        limit = size_limit(entry.name)
        if limit is None or entry.name in (RECORD_LIST_NAME, MANIFEST_NAME):
            continue
        name, most = f"{folder.name}/{entry.name}", min(limit, MAX_TOTAL_BYTES - total)
        with open_regular(entry) as file:
            if os.fstat(file.fileno()).st_size > most:  # gigabytes of a hole are nothing on disk, a copy of them is
                raise BadFile(f"{name} is larger than it may be; nothing of it was copied")
            member = _copy(file, into / entry.name, most, name)
        total += member.size


def _check_end(file: BinaryIO, name: str) -> None:
    """Check the end of the archive before `zipfile` reads its whole directory into memory."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _END_BYTES))
    end = file.read(_END_BYTES)
    file.seek(0)
    if len(end) < _END_BYTES or not end.startswith(_END) or end[-2:] != b"\0\0":
        raise BadFile(f"{name} is not an export of Kairos, or was cut off")
    members = int.from_bytes(end[10:12], "little")
    directory_bytes = int.from_bytes(end[12:16], "little")
    if members > MAX_MEMBERS or directory_bytes > _DIRECTORY_LIMIT:
        raise BadFile(f"{name} lists more files than an export of Kairos has")


def _check_members(members: Sequence[zipfile.ZipInfo], name: str) -> None:
    """Check every member's name, type and stated size before any of them is read."""
    names = [member.filename for member in members]
    if len(names) > MAX_MEMBERS or len(set(names)) != len(names):
        raise BadFile(f"{name} holds too many files, or one of them twice")
    total = 0
    for member in members:
        limit = size_limit(member.filename)
        shown = ascii(member.filename[:80])
        if limit is None or member.filename != member.orig_filename:
            raise BadFile(f"{name} holds {shown}, which no export of Kairos has; nothing was unpacked")
        mode = member.external_attr >> 16
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            raise BadFile(f"{name} holds {shown} as a link or special file; nothing was unpacked")
        if member.flag_bits & _ENCRYPTED or member.compress_type not in _PLAIN_OR_DEFLATED:
            raise BadFile(f"{name} holds {shown} packed in a way that Kairos does not use")
        if member.file_size > limit:
            raise BadFile(f"{name}: {shown} is larger than it may be")
        if member.file_size > _SMALL and member.file_size > MAX_RATIO * member.compress_size:
            raise BadFile(f"{name}: {shown} would unpack to more than {MAX_RATIO} times its size")
        total += member.file_size
    packed = sum(member.compress_size for member in members)
    if total > _SMALL + MAX_RATIO * packed:
        raise BadFile(f"{name} would unpack to more than {MAX_RATIO} times its size")
    if total > MAX_TOTAL_BYTES:
        raise BadFile(f"{name} would unpack to more than {MAX_TOTAL_BYTES >> 30} GiB")
    if not {DATABASE, MANIFEST_NAME} <= set(names):
        raise BadFile(f"{name} is not an export of Kairos: {DATABASE} or {MANIFEST_NAME} is missing")


def _check_overlap(file: BinaryIO, members: Sequence[zipfile.ZipInfo], name: str) -> None:
    """Check that no two members share bytes, by which a small file would become any number of large ones."""
    spans = sorted(_span(file, member, name) for member in members)
    if any(end > begin for (_, end), (begin, _) in pairwise(spans)):
        raise BadFile(f"{name} holds files that share their bytes; nothing was unpacked")


def _span(file: BinaryIO, member: zipfile.ZipInfo, name: str) -> tuple[int, int]:
    """Return where a member begins and ends in the file, its local header included."""
    file.seek(member.header_offset)
    header = file.read(_LOCAL_BYTES)
    if len(header) < _LOCAL_BYTES or not header.startswith(_LOCAL):
        raise BadFile(f"{name} is damaged: a file in it is not where the list of contents says")
    lengths = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
    return member.header_offset, member.header_offset + _LOCAL_BYTES + lengths + member.compress_size


def _unpack_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, into: Path, name: str) -> Member:
    with archive.open(member) as file:
        return _copy(file, into / member.filename, member.file_size, f"{name}: {member.filename}")


def _copy(source: IO[bytes], target: Path, limit: int, name: str) -> Member:
    """Copy at most `limit` bytes into a new file of ours; return its size and digest."""
    with create_file(target) as out:
        return copy_stream(source, out, limit, name)


def copy_stream(source: IO[bytes], out: IO[bytes], limit: int, name: str) -> Member:
    """Copy a stream and return its size and digest.

    Raises:
        BadFile: it has more than `limit` bytes.
    """
    digest, size = sha256(), 0
    while chunk := source.read(_CHUNK):
        size += len(chunk)
        if size > limit:
            raise BadFile(f"{name} is larger than it says or may be")
        digest.update(chunk)
        out.write(chunk)
    return Member(size=size, sha256=digest.hexdigest())


def _check_manifest(path: Path, found: dict[str, Member], name: str) -> None:
    try:
        manifest = msgspec.json.decode(path.read_bytes(), type=Manifest)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise BadFile(f"{name}: {MANIFEST_NAME} cannot be read: {error}") from error
    if manifest.format != EXPORT_FORMAT:
        raise BadFile(f"{name} is not an export of Kairos")
    check_format(name, manifest.version, EXPORT_VERSION)
    differing = {key for key in found.keys() | manifest.files.keys() if found.get(key) != manifest.files.get(key)}
    if differing - {MANIFEST_NAME}:
        raise BadFile(f"{name} is damaged: its files are not those that {MANIFEST_NAME} lists")
