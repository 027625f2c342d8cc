"""Reads many sessions, each by itself, so that memory stays flat; one that cannot be read is named and left out."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import msgspec

from daemon.diagnosis.episodes import KINDS, SessionDiagnosis, diagnose_rows, thresholds_of
from daemon.replay.parallel.pool import map_in_order
from detectors.need_threshold import need_threshold
from storage.errors import BadFile, EnvironmentFault
from storage.records import SessionStart
from storage.session.derived import read_derived, write_derived
from storage.session.log import DATABASE, DIAGNOSIS, SessionReader, list_sessions

RULES = 2
"""Version of the rules of `episodes`; changes whenever they would find something else in the same rows."""

MAX_BYTES = 32 << 20


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
    raw = read_derived(folder, DIAGNOSIS, MAX_BYTES)
    try:
        cached = _DECODER.decode(raw) if raw is not None else None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    if cached is None or cached.rules != RULES or cached.files != _files(folder) or not cached.files:
        return None
    thresholds = need_threshold(cached.detector, cached.detector_version, cached.base_rate).by_ending
    if thresholds != cached.thresholds or cached.found.session != folder.name:
        return None
    return cached.found


def write_cache(folder: Path, start: SessionStart, found: SessionDiagnosis, files: tuple[tuple[int, int], ...]) -> None:
    """Keep what was found in a session, unless it is being recorded, changed meanwhile, or cannot be written to."""
    if not files or files != _files(folder):
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
    write_derived(folder, DIAGNOSIS, msgspec.json.encode(cached))


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


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableSession:
    """A session that was left out, and why."""

    session: str
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Unread:
    """A session of which nothing is stored; `cached` says whether what is found may be."""

    folder: str
    cached: bool

    def __str__(self) -> str:
        return Path(self.folder).name


@dataclass(frozen=True, slots=True, kw_only=True)
class _Result:
    """What came of reading a session: one of the two."""

    found: SessionDiagnosis | None = None
    problem: str = ""


def diagnose_sessions(
    folders: Iterable[Path],
    base: Path,
    *,
    since: float = 0.0,
    imported: bool = True,
    report: Callable[[str], None] = lambda _: None,
) -> Iterator[SessionDiagnosis | UnreadableSession]:
    """Yield what each session holds, in the order given; many that nobody read before are read in several processes.

    Args:
        folders: the sessions.
        base: the folder of all sessions; only in sessions right below it a cache is read and left.
        since: sessions that had ended by then are left out, in seconds since the epoch.
        imported: whether to include sessions that are not from this machine.
        report: prints what a person should know meanwhile.
    """
    ours = {folder.absolute() for folder in list_sessions(base)}
    wanted = [folder for folder in folders if _last_write_s(folder) >= since]
    stored = {folder: read_cache(folder) for folder in wanted if folder.absolute() in ours}
    unread = [
        _Unread(folder=str(folder.absolute()), cached=folder in stored) for folder in wanted if not stored.get(folder)
    ]
    with closing(map_in_order(_diagnose, unread, scheduler=None, workers=0, report=report)) as results:
        for folder in wanted:
            result = _Result(found=stored.get(folder))
            if result.found is None:
                result = next(results)
            if result.found is None:
                yield UnreadableSession(session=folder.name, problem=result.problem)
            elif result.found.ended >= since and (imported or not result.found.imported):
                yield result.found


def _diagnose(one: _Unread) -> _Result:
    folder = Path(one.folder)
    try:
        files = files_of(folder)
        with SessionReader(folder) as reader:
            start = reader.first()
            found = diagnose_rows(start, reader.rows(KINDS), folder.name)
            reader.check_rows()
        if one.cached:
            write_cache(folder, start, found, files)
    except (BadFile, EnvironmentFault) as error:
        return _Result(problem=str(error.what))
    except OSError as error:
        return _Result(problem=error.strerror or "its folder is unreadable")
    return _Result(found=found)


def _last_write_s(folder: Path) -> float:
    """Return when a session's rows were last written; of one that cannot be looked at, that it must be opened."""
    times = []
    for name in (DATABASE, f"{DATABASE}-wal"):
        try:
            times.append((folder / name).stat().st_mtime)
        except OSError:
            continue
    return max(times, default=float("inf"))
