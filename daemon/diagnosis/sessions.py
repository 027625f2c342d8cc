"""Reads many sessions one after the other, so that memory stays flat; one that cannot be read is named and left out."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from daemon.diagnosis.cache import files_of, read_cache, write_cache
from daemon.diagnosis.episodes import KINDS, SessionDiagnosis, diagnose_rows
from storage.errors import BadFile, EnvironmentFault
from storage.session.log import DATABASE, SessionReader, list_sessions


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableSession:
    """A session that was left out, and why."""

    session: str
    problem: str


def diagnose_sessions(
    folders: Iterable[Path], base: Path, *, since: float = 0.0, imported: bool = True
) -> Iterator[SessionDiagnosis | UnreadableSession]:
    """Yield what each session holds, in the order given.

    Args:
        folders: the sessions.
        base: the folder of all sessions; only in sessions right below it a cache is read and left.
        since: sessions that had ended by then are left out, in seconds since the epoch.
        imported: whether to include sessions that are not from this machine.
    """
    ours = {folder.absolute() for folder in list_sessions(base)}
    for folder in folders:
        if _last_write_s(folder) < since:
            continue
        try:
            found = _diagnose(folder, cached=folder.absolute() in ours)
        except (BadFile, EnvironmentFault) as error:
            yield UnreadableSession(session=folder.name, problem=error.what)
            continue
        except OSError as error:
            yield UnreadableSession(session=folder.name, problem=error.strerror or "its folder is unreadable")
            continue
        if found.ended >= since and (imported or not found.imported):
            yield found


def _diagnose(folder: Path, *, cached: bool) -> SessionDiagnosis:
    """Return what a session holds.

    Raises:
        BadFile: it cannot be read.
    """
    if cached:
        found = read_cache(folder)
        if found is not None:
            return found
    files = files_of(folder)
    with SessionReader(folder) as reader:
        start = reader.first()
        found = diagnose_rows(start, reader.rows(KINDS), folder.name)
    if cached:
        write_cache(folder, start, found, files)
    return found


def _last_write_s(folder: Path) -> float:
    """Return when a session's rows were last written; of one that cannot be looked at, that it must be opened."""
    times = []
    for name in (DATABASE, f"{DATABASE}-wal"):
        try:
            times.append((folder / name).stat().st_mtime)
        except OSError:
            continue
    return max(times, default=float("inf"))
