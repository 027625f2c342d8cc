"""Packed sessions: one small file each, with labels and what was sensed.

`NAME.jsonl.xz` holds a head line and then the source rows in canonical form; nothing derived, no titles, no pictures.
Times are those of the recording. Digests only show whether two things are equal, so they are numbered in the order
in which they appear, which packs tighter. The same session gives the same bytes. Files may come from elsewhere: reading
is strict, and bounded whatever they unpack to.
"""

import hashlib
import lzma
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import msgspec

from demo.judge import percentile
from lab.simulation.persona import Split
from lab.simulation.recording.labels import Label
from storage.db.codec import canonical, decode
from storage.errors import BadFile
from storage.files import open_regular
from storage.records import (
    ControlAct,
    DialogSeen,
    DocumentLoaded,
    Elements,
    Focus,
    Frame,
    MessageSeen,
    Record,
    SessionStart,
    UndoLabel,
    is_derived,
)
from storage.session.transfer.import_session import check_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Lateness:
    """By how many milliseconds acts came after the moment at which they were due."""

    acts: int
    p50_ms: float
    p95_ms: float
    max_ms: float


def lateness_of(lines: Iterable[Mapping[str, Any]]) -> Lateness:
    """Return the lateness of all acts in a script's log."""
    return summarize_lateness(float(line["late_ms"]) for line in lines if "late_ms" in line)


def summarize_lateness(late: Iterable[float]) -> Lateness:
    """Return median, 95th percentile and maximum; all 0 where nothing was done."""
    late = sorted(late)
    return Lateness(
        acts=len(late),
        p50_ms=round(percentile(late, 0.5), 1),
        p95_ms=round(percentile(late, 0.95), 1),
        max_ms=round(late[-1], 1) if late else 0.0,
    )


SUFFIX = ".jsonl.xz"
MANIFEST = "manifest.json"
PACK_VERSION = 1

_MAX_BYTES = 16 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A packed session as the manifest lists it."""

    name: str
    seed: str
    person: int
    program: str
    split: Split
    planned_s: float
    recorded_s: float
    labelled_s: float
    late_p95_ms: float
    ended: str | None
    broken: int
    bytes: int
    sha256: str

    def path(self, folder: Path) -> Path:
        """Return where the file is, given the manifest's folder."""
        return folder / f"{self.name}{SUFFIX}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """All packed sessions of a folder, by name."""

    sessions: tuple[Entry, ...] = ()
    version: int = PACK_VERSION
    simulated: bool = True

    def with_entry(self, entry: Entry) -> Self:
        """Return a manifest with one more entry, or another one of the same name."""
        others = [other for other in self.sessions if other.name != entry.name]
        return replace(self, sessions=tuple(sorted([*others, entry], key=lambda one: one.name)))


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write a folder's manifest, whole or not at all."""
    write_atomically(folder / MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file by one rename: whole or not at all."""
    beside = path.with_name(f".{path.name}.part")
    beside.write_bytes(data)
    beside.replace(path)


def read_manifest(folder: Path, *, check: bool = True) -> Manifest:
    """Read a folder's manifest and, unless `check` is off, compare every file it names with its hash.

    Raises:
        BadFile: there is none, it cannot be read, or a file is missing or differs.
    """
    path = folder / MANIFEST
    if not os.path.lexists(path):
        what = f"has no {MANIFEST}: it holds no simulated sessions" if folder.is_dir() else "is not a folder"
        raise BadFile(f"{folder} {what}", remedy=f"make some with: kairos simulate --out {shlex.quote(str(folder))}")
    try:
        with open_regular(path) as file:
            manifest = msgspec.json.decode(file.read(_MAX_BYTES), type=Manifest)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        raise BadFile(f"{path} is not a manifest of packed sessions", remedy=_AGAIN) from None
    if manifest.version != PACK_VERSION:
        raise BadFile(f"{path} is of version {manifest.version}; this Kairos reads {PACK_VERSION}")
    for entry in manifest.sessions:
        if Path(entry.name).name != entry.name:
            raise BadFile(f"{path} names a file outside its folder")
        if check:
            with open_regular(entry.path(folder)) as file:
                if hashlib.sha256(file.read(entry.bytes + 1)).hexdigest() != entry.sha256:
                    raise BadFile(f"{entry.path(folder)} differs from what {MANIFEST} says", remedy=_AGAIN)
    return manifest


MAX_PACKED_BYTES = 8 << 20
MAX_BYTES = 64 << 20
"""Most that a file may hold, and unpack to; ten minutes take about 100 kB, and 2 MB."""

_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 8 << 20}]
_MEMORY = 32 << 20
_CHUNK = 1 << 16
_AGAIN = "simulate the session again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A behavior that could not be acted out to its end, and therefore has no label."""

    behavior: str
    at_ns: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The first line: where a session comes from, and its labels. Simulated, always.

    Attributes:
        name: the session's name, also the file's.
        seed: from which story, documents and hands were drawn.
        planned_s: how long the story was to last.
        ended: why the session ended before its story did; None where it did not.
        settings: what was changed for the recording.
        versions: of the Debian packages that bring the program.
        lateness: of the scripted hands.
        broken: what has no label because it went wrong.
        catalogue: the hash of the code that planned and acted the session; None in sessions from before it was stored.
        rows: how many lines follow.
    """

    name: str
    seed: str
    person: int
    program: str
    split: Split
    planned_s: float
    ended: str | None
    settings: Mapping[str, str]
    versions: Mapping[str, str]
    lateness: Lateness
    broken: tuple[Broken, ...]
    labels: tuple[Label, ...]
    catalogue: str | None = None
    rows: int = 0
    packed: int = PACK_VERSION
    simulated: bool = True


@dataclass(frozen=True, slots=True)
class Packed:
    """What a packed file holds."""

    head: Head
    rows: tuple[Record, ...]

    @property
    def labels(self) -> tuple[Label, ...]:
        """What the script was doing when."""
        return self.head.labels

    @property
    def name(self) -> str:
        """The session's name."""
        return self.head.name

    @property
    def program(self) -> str:
        """The program's name."""
        return self.head.program

    @property
    def person(self) -> int:
        """The persona's number."""
        return self.head.person

    @property
    def split(self) -> Split:
        """What the session is for."""
        return self.head.split


def write_packed(folder: Path, head: Head, records: Iterable[Record]) -> Entry:
    """Write a session into `folder` and return its entry for the manifest.

    Raises:
        BadFile: the records are not those of one session, or hold titles or names from the screen.
    """
    rows = [row for row in check_rows(_numbered(records), head.name) if not is_derived(row)]
    head = replace(head, rows=len(rows))
    _check_labels(head)
    lines = [msgspec.json.encode(head, order="sorted"), *(canonical(row).encode() for row in rows)]
    data = lzma.compress(b"\n".join(lines) + b"\n", lzma.FORMAT_XZ, lzma.CHECK_CRC64, filters=_FILTERS)
    entry = Entry(
        name=head.name,
        seed=head.seed,
        person=head.person,
        program=head.program,
        split=head.split,
        planned_s=head.planned_s,
        recorded_s=round((rows[-1].at_ns - rows[0].at_ns) / 1e9, 1),
        labelled_s=round(sum(label.end_ns - label.start_ns for label in head.labels) / 1e9, 1),
        late_p95_ms=head.lateness.p95_ms,
        ended=head.ended,
        broken=len(head.broken),
        bytes=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
    )
    write_atomically(entry.path(folder), data)
    return entry


def _numbered(records: Iterable[Record]) -> Iterator[Record]:
    """Number digests in the order of their first appearance; leave out where the session was stored."""
    frames: dict[str, str] = {}
    titles: dict[str, str] = {"": ""}
    for record in records:
        _check_silent(record)
        if isinstance(record, Frame):
            yield replace(record, digest=frames.setdefault(record.digest, str(len(frames) + 1)))
        elif isinstance(record, Focus):
            yield replace(record, title_digest=titles.setdefault(record.title_digest, str(len(titles))))
        else:
            yield without_folder(record)


def without_folder(record: Record) -> Record:
    """Return a record as it is, but a session's first row without the folder in which it was stored."""
    if not isinstance(record, SessionStart):
        return record
    storage = {**record.settings.get("storage", {}), "sessions_dir": ""}
    return replace(record, settings={**record.settings, "storage": storage})


def read_packed(path: Path) -> Packed:
    """Read what `write_packed` wrote.

    Raises:
        BadFile: it is cut off, damaged, or no packed session of this version.
    """
    head, lines = _head_and_lines(path)
    return Packed(head, tuple(check_rows(_decoded(lines, path), str(path))))


def read_head(path: Path) -> Head:
    """Read where a packed session comes from and its labels, without decoding its rows.

    Raises:
        BadFile: it is cut off or damaged, its head is, or it is no packed session of this version.
    """
    return _head_and_lines(path)[0]


def _head_and_lines(path: Path) -> tuple[Head, Sequence[bytes]]:
    lines = _unpacked(path).split(b"\n")
    if lines.pop():
        raise BadFile(f"{path} is cut off", remedy=_AGAIN)
    try:
        version = msgspec.json.decode(lines[0], type=_Version).packed if lines else None
        if version is not None and version != PACK_VERSION:
            raise BadFile(f"{path} is packed in version {version}; this Kairos reads {PACK_VERSION}")
        head = msgspec.json.decode(lines[0] if lines else b"", type=Head)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        raise BadFile(f"{path} does not begin with the head of a packed session", remedy=_AGAIN) from None
    if head.rows != len(lines) - 1 or not head.simulated:
        raise BadFile(f"{path} holds {len(lines) - 1} rows, its head says {head.rows}", remedy=_AGAIN)
    _check_labels(head)
    return head, lines[1:]


class _Version(msgspec.Struct):
    packed: int


def _unpacked(path: Path) -> bytes:
    """Return the content of one xz stream, of bounded size."""
    with open_regular(path) as file:
        data = file.read(MAX_PACKED_BYTES + 1)
    decoder = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY)
    try:
        content = decoder.decompress(data, MAX_BYTES + 1)
    except (lzma.LZMAError, EOFError) as error:
        raise BadFile(f"{path} is no xz file, or is damaged", remedy=_AGAIN) from error
    if len(data) > MAX_PACKED_BYTES or len(content) > MAX_BYTES:
        raise BadFile(f"{path} is larger than a packed session may be")
    if not decoder.eof or decoder.unused_data:
        raise BadFile(f"{path} is cut off, or something follows its end", remedy=_AGAIN)
    return content


def _decoded(lines: Sequence[bytes], path: Path) -> Iterator[Record]:
    for number, line in enumerate(lines, start=2):
        try:
            row = decode(msgspec.json.decode(line, type=_Kind).record, line, seq=number)
            _check_silent(row)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            raise BadFile(f"{path}, line {number} is not a record") from None
        except BadFile as error:
            raise BadFile(f"{path}, line {number}: {error.what}") from None
        if is_derived(row):
            raise BadFile(f"{path}, line {number} is derived; only what was sensed is packed")
        yield row


class _Kind(msgspec.Struct):
    record: str


def _check_silent(record: Record) -> None:
    """Refuse what a journal never holds: titles, names of controls, pictures."""
    kept: Any = None
    if isinstance(record, Focus):
        kept = record.title
    elif isinstance(record, Elements):
        kept = next((element.name for element in record.elements if element.name is not None), None)
    elif isinstance(record, ControlAct):
        kept = record.name
    elif isinstance(record, DialogSeen):
        kept = record.title or record.text
    elif isinstance(record, MessageSeen):
        kept = record.text
    elif isinstance(record, DocumentLoaded):
        kept = record.title
    elif isinstance(record, UndoLabel):
        kept = record.label
    elif isinstance(record, Frame):
        kept = record.image_ref
    elif isinstance(record, SessionStart):
        kept = record.recording or None
    if kept is not None:
        raise BadFile("a session with titles or pictures is never packed", remedy="record the journal alone")


def _check_labels(head: Head) -> None:
    for label in head.labels:
        if label.end_ns < label.start_ns:
            raise BadFile(f"{head.name}: a label ends before it begins", remedy=_AGAIN)
    for before, after in pairwise(head.labels):
        if after.start_ns < before.end_ns:
            raise BadFile(f"{head.name}: labels overlap", remedy=_AGAIN)
