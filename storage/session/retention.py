"""Deletes old sessions, by age and by total size, at least a day after a notice; what they sent to models goes along.

What is of them in exports that can be rewritten goes as well. No link is followed, and a session being recorded stays.
What was sent counts to its session's size, and goes by its own age a day after a notice too. Requests of no session
(trials, benchmarks) make room first, without a notice. A folder that cannot be read is named in the log and left out.
"""

import logging
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from storage.clock import DAY_NS, NS_PER_S
from storage.db.connection import databases_aside
from storage.errors import BadFile, EnvironmentFault, UsageError, os_words
from storage.files import hold_lock, sent_file
from storage.sent.log import SentLog, open_existing_sent_log
from storage.session.derived import take_out_of_copies
from storage.session.heartbeat import is_recording
from storage.session.log import DATABASE, MAX_WALL_NS, SESSION_NAME, SessionReader, list_sessions
from storage.settings import StorageSettings
from storage.translation.sentences import translatable

logger = logging.getLogger(__name__)

STAGING = ".import-"
"""Begins the name of a folder in which an import is put together."""

_EXPORTING = ".export-"
"""What earlier builds named so held half of an export."""

NOTICE_NS = DAY_NS
GB = 1_000_000_000

_REMOVED = ".deleted-"
"""How the name of a folder begins that is being removed."""

SENT_NOTICE = "sent.db"
"""The name under which the notice of old requests stands among those of sessions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInfo:
    """What retention needs to know of a session."""

    folder: Path
    started_wall_ns: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DueSession:
    """A session that is to be deleted, and why: `age` or `size`."""

    session: SessionInfo
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionResult:
    """Sessions deleted now, and what must be announced now: sessions, and whether old requests are due too."""

    deleted: tuple[DueSession, ...]
    to_announce: tuple[DueSession, ...]
    announce_sent: bool = False

    @property
    def must_announce(self) -> bool:
        """Whether there is anything to announce."""
        return bool(self.to_announce) or self.announce_sent


def session_infos(sessions_dir: Path, sent: Mapping[str, int] | None = None) -> list[SessionInfo]:
    """Return all sessions but those being recorded, in the order of their names; unreadable ones are logged.

    Args:
        sessions_dir: where they are.
        sent: the bytes of what each sent to models, by its id; they count to its size.
    """
    infos = []
    for folder in list_sessions(sessions_dir):
        try:
            info = _session_info(folder, sent or {})
        except OSError as error:
            logger.warning("%s is neither counted nor deleted, it cannot be read: %s", folder, error.strerror)
            continue
        if info is not None:
            infos.append(info)
    return infos


def _session_info(folder: Path, sent: Mapping[str, int]) -> SessionInfo | None:
    """Return what is known of a session; None while it is being recorded, and for a folder that is none.

    Raises:
        OSError: it cannot be read.
    """
    started_ns = started_wall_ns(folder)
    if started_ns is None or is_recording(folder):
        return None
    size = sum(entry.stat(follow_symlinks=False).st_size for entry in folder.iterdir())
    size += sent.get(folder.name, 0)
    return SessionInfo(folder=folder, started_wall_ns=started_ns, size=size)


def started_wall_ns(folder: Path) -> int | None:
    """Return when a session began: by its name (local time), else when its rows were last written.

    Anybody may rename a folder, so a name may be no time at all, or one that no clock shows. A folder with such a name
    and without rows is no session: None.

    Raises:
        OSError: it cannot be read.
    """
    try:
        named = datetime.strptime(folder.name[:15], "%Y%m%d-%H%M%S").astimezone()
        named_ns = int(named.timestamp()) * NS_PER_S
    except (ValueError, OverflowError, OSError):  # the year 0000, or 9999 west of Greenwich
        named_ns = -1
    if 0 <= named_ns < MAX_WALL_NS:
        return named_ns
    try:
        return (folder / DATABASE).stat(follow_symlinks=False).st_mtime_ns
    except FileNotFoundError:
        return None


def plan_deletions(sessions: Sequence[SessionInfo], settings: StorageSettings, now_wall_ns: int) -> list[DueSession]:
    """Return what is to be deleted, oldest first: what is too old, then the oldest until the rest is small enough."""
    oldest_ns = now_wall_ns - settings.keep_days * DAY_NS
    total = sum(session.size for session in sessions)
    due: list[DueSession] = []
    for session in sorted(sessions, key=lambda session: session.started_wall_ns):
        if session.started_wall_ns < oldest_ns:
            due.append(DueSession(session=session, reason="age"))
        elif total > settings.keep_gb * GB:
            due.append(DueSession(session=session, reason="size"))
        else:
            break
        total -= session.size
    return due


class Announced(Protocol):
    """Remembers which deletions were announced, and when, in wall-clock time."""

    def announced_deletions(self) -> Mapping[str, int]:
        """Return them."""

    def save_announced_deletions(self, announced: Mapping[str, int]) -> None:
        """Store them."""


def delete_due_sessions(
    sessions_dir: Path, settings: StorageSettings, state: Announced, now_wall_ns: int
) -> RetentionResult:
    """Delete sessions that are due and were announced at least a day ago; note the other due ones as announced now.

    What killed imports left behind goes at once, and what another version of Kairos kept, when it is too old. The
    caller must give the notice if the result says so. A session that could not be deleted is logged and tried again
    next time.
    """
    sweep_staging_folders(sessions_dir)
    try:
        sweep_removed(sessions_dir)
    except EnvironmentFault as error:
        logger.warning("%s", error.what)
    for path in databases_aside(sent_file().parent):
        if path.stat().st_mtime_ns < now_wall_ns - settings.keep_days * DAY_NS:
            path.unlink(missing_ok=True)
    announced = state.announced_deletions()
    sent, sent_announced_ns = _clean_sent_log(sessions_dir, settings, announced.get(SENT_NOTICE), now_wall_ns)
    deleted: list[DueSession] = []
    to_announce: list[DueSession] = []
    remembered: dict[str, int] = {}
    if sent_announced_ns is not None:
        remembered[SENT_NOTICE] = sent_announced_ns
    for due in plan_deletions(session_infos(sessions_dir, sent), settings, now_wall_ns):
        name = due.session.folder.name
        announced_ns = announced.get(name)
        if announced_ns is None or announced_ns > now_wall_ns:  # after the wall clock was set back: announce again
            to_announce.append(due)
            remembered[name] = now_wall_ns
        elif now_wall_ns - announced_ns < NOTICE_NS:
            remembered[name] = announced_ns
        else:
            try:
                if left := take_out_of_copies([due.session.folder])[1]:
                    logger.info("copies of a session that is deleted stay: %d", len(left))
                delete_session(due.session.folder, sessions_dir)
                deleted.append(due)
            except (BadFile, EnvironmentFault) as error:
                logger.warning("%s", error.what)
                remembered[name] = announced_ns
    state.save_announced_deletions(remembered)
    return RetentionResult(
        deleted=tuple(deleted), to_announce=tuple(to_announce), announce_sent=sent_announced_ns == now_wall_ns
    )


def delete_session(folder: Path, sessions_dir: Path) -> None:
    """Delete a session for good, and what it sent to models.

    Raises:
        BadFile: it is no session's folder inside `sessions_dir`, or a link; or the log of what was sent is damaged,
            and may still hold some of it: the session itself is gone.
        UsageError: it is being recorded.
        EnvironmentFault: it cannot be deleted.
    """
    check_removable(folder, sessions_dir)
    try:
        log = open_existing_sent_log()
        if log is not None:
            with log:
                log.forget_session(folder, *_recorded_ids(folder, sessions_dir))
    finally:
        remove_session(folder, sessions_dir)


def remove_session(folder: Path, sessions_dir: Path) -> None:
    """Remove the folder of a session: under another name first, so that a kill leaves no half of it in the list.

    Raises:
        BadFile: it is no session's folder inside `sessions_dir`, or a link.
        UsageError: it is being recorded.
        EnvironmentFault: it cannot be removed.
    """
    check_removable(folder, sessions_dir)
    gone = folder.with_name(f"{_REMOVED}{folder.name}")
    try:
        folder.rename(gone)
        shutil.rmtree(gone)  # unlinks links, never follows them
    except OSError as error:
        with suppress(OSError):  # what is still there stays in the list, to be deleted once it can be
            gone.rename(folder)
        raise EnvironmentFault(
            translatable("{path} cannot be deleted: {why}", path=folder, why=os_words(error)),
            remedy=translatable("check who owns it"),
        ) from error


def sweep_removed(sessions_dir: Path) -> None:
    """Remove what is left of sessions whose removal was cut off.

    Raises:
        EnvironmentFault: one cannot be removed.
    """
    for folder in sessions_dir.glob(f"{_REMOVED}*") if sessions_dir.is_dir() else ():
        try:
            shutil.rmtree(folder)
        except OSError as error:
            raise EnvironmentFault(
                translatable("{path} cannot be deleted: {why}", path=folder, why=os_words(error)),
                remedy=translatable("check who owns it"),
            ) from error


def check_removable(folder: Path, sessions_dir: Path) -> None:
    """Check that a session can be deleted.

    Raises:
        BadFile: it is no session's folder inside `sessions_dir`, or a link.
        UsageError: it is being recorded.
    """
    inside = folder.absolute().parent.resolve() == sessions_dir.resolve()
    if not inside or not SESSION_NAME.fullmatch(folder.name) or folder.is_symlink() or not folder.is_dir():
        raise BadFile(
            translatable(
                "{folder} is not a session in {sessions_dir}; nothing was deleted",
                folder=folder,
                sessions_dir=sessions_dir,
            )
        )
    if is_recording(folder):
        raise UsageError(
            translatable("{folder} is being recorded", folder=folder.name),
            remedy=translatable("end it first: kairos quit"),
        )


def _clean_sent_log(
    sessions_dir: Path, settings: StorageSettings, announced_ns: int | None, now_wall_ns: int
) -> tuple[Mapping[str, int], int | None]:
    """Delete from the sent log what is too old, too large, or of a deleted session.

    Returns:
        The sizes of the rest by session; and when the deletion of old requests was announced, which is now if it must
        be announced now, None if none are due.
    """
    try:
        log = open_existing_sent_log()
        if log is None:
            return {}, None
        with log:
            announced_ns = _forget_announced(log, settings, announced_ns, now_wall_ns)
            for session in _removed_sessions([Path(name) for name in log.sizes() if name], sessions_dir):
                log.forget_session(session)
            kept = sum(info.size for info in session_infos(sessions_dir, _by_id(log.sizes())))
            log.forget_without_session(max(0, round(settings.keep_gb * GB) - kept))
            return _by_id(log.sizes()), announced_ns
    except (BadFile, EnvironmentFault) as error:
        logger.warning("the log of what was sent to models is not cleaned: %s", error.what)
        return {}, announced_ns


def _forget_announced(
    log: SentLog, settings: StorageSettings, announced_ns: int | None, now_wall_ns: int
) -> int | None:
    """Delete the requests that were too old when that was announced, a day ago; return the time of the notice."""

    def cutoff_ns(wall_ns: int) -> int:
        return max(0, wall_ns - settings.keep_days * DAY_NS)  # SQLite's integers have an end

    if announced_ns is not None and announced_ns + NOTICE_NS <= now_wall_ns:
        log.forget_before(cutoff_ns(announced_ns))
        announced_ns = None
    if not log.has_before(cutoff_ns(now_wall_ns)):
        return None
    if announced_ns is None or announced_ns > now_wall_ns:  # after the wall clock was set back: announce again
        return now_wall_ns
    return announced_ns


def _recorded_ids(folder: Path, sessions_dir: Path) -> set[str]:
    """Return the id in a session's first row, if it is not that of another folder here, of which this one is a copy."""
    try:
        with SessionReader(folder) as reader:
            session_id = reader.first().session_id
    except BadFile:
        return set()
    known = SESSION_NAME.fullmatch(session_id) and not (sessions_dir / session_id).exists()
    return {session_id} if known else set()


def _removed_sessions(logged: Sequence[Path], sessions_dir: Path) -> list[Path]:
    """Return those of some sessions that are gone for good: here under no name, and not on a disk that is absent."""
    folders = list_sessions(sessions_dir)
    names = {folder.name for folder in folders}
    missing = [session for session in logged if session.name not in names and _is_removed(session)]
    if not missing:
        return []
    renamed = {session_id for folder in folders for session_id in _recorded_ids(folder, sessions_dir)}
    return [session for session in missing if session.name not in renamed]


def _is_removed(session: Path) -> bool:
    try:
        return session.parent.is_dir() and not session.exists()
    except OSError:  # it may not be looked at
        return False


def _by_id(sizes: Mapping[str, int]) -> Mapping[str, int]:
    """Return sizes by the id of a session instead of its folder; a moved session may have been in several."""
    found: Counter[str] = Counter()
    for session, size in sizes.items():
        found[Path(session).name] += size
    return found


def sweep_staging_folders(sessions_dir: Path) -> None:
    """Remove what killed imports and exports left behind in their folder; one that is running is left alone."""
    try:
        found = [entry for entry in sessions_dir.iterdir() if entry.name.startswith((STAGING, _EXPORTING))]
    except OSError:  # there are no sessions yet; whoever needs them will say what is wrong
        return
    for folder in found:
        with suppress(OSError), hold_lock(folder, folder=True) as held:  # no folder, or gone by now
            if held is not None:
                shutil.rmtree(folder, ignore_errors=True)
        if folder.name.startswith(_EXPORTING) and not folder.is_dir():
            with suppress(OSError):
                folder.unlink()
