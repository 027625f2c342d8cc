"""The manifest of a folder of packed sessions: it names and hashes every file, so that a copy can be trusted.

Written whole or not at all, by one process at a time.
"""

import hashlib
import os
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import msgspec

from evaluation.simulation.story import Split
from storage.errors import BadFile
from storage.plain_file import open_regular

SUFFIX = ".jsonl.xz"
MANIFEST = "manifest.json"
PACK_VERSION = 1

_MAX_BYTES = 16 << 20
_AGAIN = "simulate the sessions again"


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
        """Return where the file lies, given the manifest's folder."""
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
    write_whole(folder / MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")


def write_whole(path: Path, data: bytes) -> None:
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
