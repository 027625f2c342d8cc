"""Collects what was sent to models, what lies on the disk and how long it stays, and what was learned. Reads only."""

import shutil
from pathlib import Path

from daemon.history.learned import learned_sentences
from policies import registry
from policies.memory import export_memory, muted_topics
from storage.errors import BadFile, EnvironmentFault
from storage.files import library_file
from storage.sent.log import open_existing_sent_log
from storage.sent.reader import SentEntry, SentLogReader
from storage.session.log import list_sessions
from storage.session.retention import started_wall_ns
from storage.settings import Settings
from storage.state.store import StateStore
from storage.timeline import SentRow, StoredFacts, TimelineFacts
from storage.translation import current_language, translatable

MAX_SENT = 500
"""Requests that are listed, the newest."""

DAMAGED_SENT = translatable("What was sent to models cannot be read. See: kairos models sent")
DAMAGED_LEARNED = translatable("What was learned cannot be read. To forget it: kairos why --forget all")

_VIDEO = ".mp4"


def read_facts(sessions_dir: Path, state_file: Path, settings: Settings, now_wall_ns: int) -> TimelineFacts:
    """Return all of it; what cannot be read is named in `problems`."""
    problems: list[str] = []
    sent: list[SentRow] = []
    count = size = sent_bytes = 0
    try:
        log = open_existing_sent_log()
        if log is not None:
            with log:
                count, sent_bytes, size = log.count_spans([(0, None)]), sum(log.sizes().values()), log.file_bytes()
                sent = [_sent_row(entry) for entry in SentLogReader(log).newest(MAX_SENT)]
    except (BadFile, EnvironmentFault):
        problems.append(DAMAGED_SENT)
    learned: tuple[str, ...] = ()
    muted: tuple[str, ...] = ()
    joined = False
    try:
        learned, muted, joined = _learned(state_file, settings, now_wall_ns)
    except (BadFile, EnvironmentFault, TypeError, ValueError, KeyError):
        problems.append(DAMAGED_LEARNED)
    return TimelineFacts(
        stored=_stored(sessions_dir, state_file, settings, sent_bytes=size),
        sent=tuple(sent),
        sent_count=count,
        sent_bytes=sent_bytes,
        learned=learned,
        muted=muted,
        joined_study=joined,
        problems=tuple(problems),
    )


def _sent_row(entry: SentEntry) -> SentRow:
    return SentRow(
        number=entry.number,
        at_wall_ns=entry.at_wall_ns,
        address=entry.address,
        model=entry.model,
        purpose=entry.purpose,
        size=entry.size,
        pictures=entry.pictures,
        outcome=entry.outcome or "",
        dollars=entry.dollars,
    )


def _learned(state_file: Path, settings: Settings, now_wall_ns: int) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    if not state_file.exists():
        return (), (), False
    with StateStore(state_file) as state:
        joined = state.enrolment() is not None
        saved, wall_ns = state.policy_state(
            registry.memory_of(registry.load(settings.policy, settings.detector.base_rate))
        )
        helped = state.helped().by_program()
    facts = {**export_memory(saved, max(0, now_wall_ns - wall_ns) if saved else 0, settings.policy), "helped": helped}
    return tuple(learned_sentences(facts, current_language())), muted_topics(saved), joined


def _stored(sessions_dir: Path, state_file: Path, settings: Settings, *, sent_bytes: int) -> StoredFacts:
    rows = pictures = 0
    folders = list_sessions(sessions_dir)
    for folder in folders:
        try:
            files = [(entry.suffix, entry.stat(follow_symlinks=False).st_size) for entry in folder.iterdir()]
        except OSError:  # it is being deleted
            continue
        pictures += sum(size for suffix, size in files if suffix == _VIDEO)
        rows += sum(size for suffix, size in files if suffix != _VIDEO)
    return StoredFacts(
        folder=str(sessions_dir),
        sessions=len(folders),
        oldest_wall_ns=_oldest(folders),
        rows=rows,
        pictures=pictures,
        sent=sent_bytes,
        learned=_size(state_file),
        library=_size(library_file()),
        free=_free(sessions_dir),
        keep_days=settings.storage.keep_days,
        keep_gb=settings.storage.keep_gb,
    )


def _oldest(folders: list[Path]) -> int:
    for folder in folders:
        try:
            found = started_wall_ns(folder)
        except OSError:
            continue
        if found is not None:
            return found
    return 0


def _size(path: Path) -> int:
    files = (path.with_name(path.name + ending) for ending in ("", "-wal"))
    return sum(file.stat().st_size for file in files if file.is_file())


def _free(folder: Path) -> int | None:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None
