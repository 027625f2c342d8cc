"""Keeps what was found in a session in one file inside the session's folder, so that deletion takes it along.

An export leaves it out, and an import never takes one over. It counts as long as the session's database is the file it
was made from and the rules and thresholds are the same; anything odd about it means that it is made anew. What names
controls is in it only where the session itself names them.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from daemon.diagnosis.episodes import SessionDiagnosis, thresholds_of
from detectors.need_threshold import need_threshold
from storage.errors import BadFile
from storage.paths import PRIVATE_FILE
from storage.plain_file import open_regular
from storage.records import SessionStart
from storage.session.heartbeat import is_recording
from storage.session.log import DATABASE, DIAGNOSIS

RULES = 1
"""Version of the rules of `episodes`; changes whenever they would find something else in the same rows."""

MAX_BYTES = 32 << 20
_PARTIAL = f".{DIAGNOSIS}.part"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cached:
    rules: int
    files: tuple[tuple[int, int], ...]
    detector: str
    detector_version: str
    base_rate: float | None
    thresholds: Mapping[str, float]
    found: SessionDiagnosis


_DECODER = msgspec.json.Decoder(_Cached)


def read_cache(folder: Path) -> SessionDiagnosis | None:
    """Return what was found in a session before; None if nothing that still counts."""
    try:
        with open_regular(folder / DIAGNOSIS) as file:
            raw = file.read(MAX_BYTES + 1)
        cached = _DECODER.decode(raw) if len(raw) <= MAX_BYTES else None
    except (BadFile, OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    if cached is None or cached.rules != RULES or cached.files != _files(folder) or not cached.files:
        return None
    thresholds = need_threshold(cached.detector, cached.detector_version, cached.base_rate).by_ending
    if thresholds != cached.thresholds or cached.found.session != folder.name:
        return None
    return cached.found


def write_cache(folder: Path, start: SessionStart, found: SessionDiagnosis, files: tuple[tuple[int, int], ...]) -> None:
    """Keep what was found in a session, unless it is being recorded, changed meanwhile, or cannot be written to."""
    if not files or is_recording(folder) or files != _files(folder):
        return
    base_rate = start.settings.get("detector", {}).get("base_rate")
    cached = _Cached(
        rules=RULES,
        files=files,
        detector=start.detector,
        detector_version=start.detector_version,
        base_rate=float(base_rate) if isinstance(base_rate, (int, float)) else None,
        thresholds=thresholds_of(start).by_ending,
        found=found,
    )
    partial = folder / _PARTIAL
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(partial, flags, PRIVATE_FILE), "wb") as file:
            file.write(msgspec.json.encode(cached))
        written_ns = (folder / DATABASE).stat().st_mtime_ns
        os.utime(partial, ns=(written_ns, written_ns))  # by its files' times others see how old a session is
        partial.replace(folder / DIAGNOSIS)
    except OSError:  # a full disk, a folder of somebody else, or one that was deleted meanwhile: not ours to mend
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def files_of(folder: Path) -> tuple[tuple[int, int], ...]:
    """Return size and time of the files that a session's rows are in, to be taken before they are read."""
    return _files(folder)


def _files(folder: Path) -> tuple[tuple[int, int], ...]:
    found = []
    for name in (DATABASE, f"{DATABASE}-wal"):
        try:
            about = (folder / name).stat(follow_symlinks=False)
        except OSError:
            continue
        found.append((about.st_size, about.st_mtime_ns))
    return tuple(found)
