"""Carries out a planned purge, in an order that can be repeated from any point until all of it is done.

First what was sent and what was learned, then whole sessions, then those that are cut. Each file is replaced or removed
in one step. What cannot be read is named and stays; a fault of the disk ends it, and the next start goes on.
"""

import datetime as dt
import logging
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from subprocess import DEVNULL

from daemon.purge.intent import ALL, PurgeIntent, PurgePlan, SessionCut
from daemon.purge.rows import last_row, replace_rows, shorten, stored
from daemon.purge.span import PurgeSpan
from daemon.purge.videos import shorten_videos
from storage.db.connection import databases_aside
from storage.errors import BadFile, EnvironmentFault, UsageError, os_words
from storage.files import LOG_NAME, cache_folder, open_file, partial_name, sent_file, sync_folder
from storage.records import EarlierReport, Record, SegmentLabel, SessionStart, without_proposals
from storage.sent.log import SentLog, open_existing_sent_log
from storage.session.derived import DERIVED
from storage.session.heartbeat import HEARTBEAT_FILE, is_recording
from storage.session.labels import LABELS, change_labels
from storage.session.log import DATABASE, MODEL_ANSWERS, DamagedSession, SessionReader, list_sessions
from storage.session.retention import remove_session, sweep_removed, sweep_staging_folders
from storage.session.transcript import TRANSCRIPT, forget_words
from storage.session.transfer.changed_rows import change_sources
from storage.state.store import Helped, StateStore
from storage.translation import translatable

logger = logging.getLogger(__name__)

OUTBOXES = "studies/[!.]*/outbox.db"
STUDY_S = 60
_STUDY_WAITS = translatable(
    "What waits to be sent in your study could not be looked at; what is gone here is taken out before anything goes"
)

KEPT_OF_POLICY = ("seed", "drawn", "shown_age_ns")
"""What stays of a policy's state in the first row of a session that began with what was learned in the span."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeCounts:
    """What was deleted now, without what was deleted before a kill; `problems` is what stays, and why."""

    requests: int
    problems: tuple[str, ...]


def carry_out(intent: PurgeIntent, plan: PurgePlan, state_file: Path) -> PurgeCounts:
    """Delete what the plan says.

    Raises:
        EnvironmentFault: something cannot be written or removed now; repeat it later, with the same plan.
        BadFile: the database of what outlives sessions is damaged.
    """
    sessions_dir = Path(intent.sessions_dir)
    problems = list(plan.problems)
    requests = _forget_sent(intent, plan, problems)
    _forget_learned(intent, plan, state_file)
    _forget_set_aside(intent, state_file.parent, problems)
    _forget_logged(intent, plan, state_file.parent)
    _forget_cached(intent)
    for folder in (sessions_dir, state_file.parent):
        sweep_staging_folders(folder)  # of imports and of exports
    try:
        sweep_removed(sessions_dir)
    except EnvironmentFault as error:  # what was deleted before and cannot go now keeps nothing else from going
        problems.append(error.what)
    for name in reversed(plan.deleted):
        with _named(problems):
            _delete(sessions_dir / name, sessions_dir)
    _sync(sessions_dir)
    for name, cut in plan.cut.items():
        with _named(problems):
            _cut(sessions_dir / name, cut, problems)
    said_in_span = partial(_is_in, intent, plan)
    for folder in list_sessions(sessions_dir):
        with _named(problems):
            _forget_labels(folder, lambda label: said_in_span(label.at_wall_ns), problems, said_in_span)
    for name in plan.began_after:
        with _named(problems):
            _forget_in_later(sessions_dir / name, {*plan.deleted, *plan.cut})
    if any(state_file.parent.glob(OUTBOXES)) and not _take_out_of_studies():
        problems.append(_STUDY_WAITS)
    return PurgeCounts(requests=requests, problems=tuple(problems))


def _take_out_of_studies() -> bool:
    """Have labels and words that are gone taken out of what waits in a study; tell whether that was done.

    Its outbox is of a layer above, so its own command does that.
    """
    command = (sys.executable, "-P", "-m", "daemon.cli.main", "study", "work", "--take-out")
    try:
        done = subprocess.run(  # our own interpreter
            command, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, cwd="/", timeout=STUDY_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


@contextmanager
def _named(problems: list[str]) -> Iterator[None]:
    """Add to the problems what one session's file has wrong, and go on with the next."""
    try:
        yield
    except BadFile as error:
        problems.append(error.what)


def _forget_sent(intent: PurgeIntent, plan: PurgePlan, problems: list[str]) -> int:
    try:
        log = open_existing_sent_log()
        if log is None:
            _remove_rest_of(sent_file())
            return 0
        with log:
            count = log.forget_all() if intent.scope == ALL else _forget_planned(log, intent, plan)
            log.compact()
            return count
    except BadFile as error:
        if intent.scope != ALL:
            problems.append(error.what)
            return 0
    sent_file().unlink(missing_ok=True)  # nothing of a damaged one can be shown either
    _remove_rest_of(sent_file())
    return 0


def _remove_rest_of(database: Path) -> None:
    """Delete what SQLite kept beside a database that is gone: nothing reads it any more."""
    for ending in ("-journal", "-wal", "-shm"):
        database.with_name(database.name + ending).unlink(missing_ok=True)


def _forget_planned(log: SentLog, intent: PurgeIntent, plan: PurgePlan) -> int:
    count = log.forget_span(intent.begin_wall_ns, intent.end_wall_ns)
    count += sum(log.forget_span(begin_ns, end_ns) for begin_ns, end_ns in plan.shown)
    for name, cut in plan.cut.items():
        count += sum(log.forget_of_session(number, name) for number in cut.requests)
    return count + sum(log.forget_session(Path(intent.sessions_dir) / name) for name in plan.deleted)


def _forget_learned(intent: PurgeIntent, plan: PurgePlan, state_file: Path) -> None:
    if not state_file.exists():
        _remove_rest_of(state_file)
        return
    with StateStore(state_file) as state:
        if intent.scope == ALL:
            state.forget_learned()
        else:
            for memory, before in plan.policies.items():
                state.save_policy_state(memory, before.saved, before.wall_ns)
            if plan.questions is not None:
                state.save_sampling_state(plan.study, plan.questions.saved, plan.questions.wall_ns)
            helped = state.helped()
            kept = _without_spans(helped, [(intent.begin_wall_ns, intent.end_wall_ns), *plan.shown])
            if kept != helped:
                state.save_helped(kept)
            announced = state.announced_deletions()
            if announced.keys() & set(plan.deleted):
                state.save_announced_deletions({k: v for k, v in announced.items() if k not in plan.deleted})
        state.compact()


def _without_spans(helped: Helped, spans: Sequence[tuple[int, int | None]]) -> Helped:
    """Return what helped first before or after all spans."""
    return replace(
        helped,
        answers=tuple(
            row
            for row in helped.answers
            if not any(begin_ns <= row[2] and (end_ns is None or row[2] < end_ns) for begin_ns, end_ns in spans)
        ),
    )


def _forget_set_aside(intent: PurgeIntent, folder: Path, problems: list[str]) -> None:
    """Delete what other versions of Kairos kept, as a whole or not at all: nothing here reads it."""
    for path in databases_aside(folder):
        if intent.scope == ALL:
            path.unlink(missing_ok=True)
        elif path.stat().st_mtime_ns >= intent.begin_wall_ns:
            problems.append(
                translatable(
                    "{path} was written by an earlier Kairos; it stays, and may hold something of that time. To delete"
                    " it: kairos forget --all",
                    path=path,
                )
            )


def _forget_cached(intent: PurgeIntent) -> None:
    """Delete what can be computed again and was written in the span or later, as answers about files of sessions."""
    try:
        for folder, _, names in os.walk(cache_folder()):  # follows no link
            for path in (Path(folder, name) for name in names):
                if intent.scope == ALL or path.lstat().st_mtime_ns >= intent.begin_wall_ns:
                    path.unlink()
    except OSError as error:
        raise EnvironmentFault(
            translatable("{path} cannot be removed: {why}", path=error.filename, why=os_words(error)),
            remedy=translatable("check who owns it"),
        ) from error


def _forget_logged(intent: PurgeIntent, plan: PurgePlan, folder: Path) -> None:
    """Delete the lines of the span from the daemon's own log; one without a time belongs to the line before.

    In place: the running daemon goes on appending to it.
    """
    spans = [
        PurgeSpan(scope=intent.scope, begin_wall_ns=begin_ns, end_wall_ns=end_ns)
        for begin_ns, end_ns in ((intent.begin_wall_ns, intent.end_wall_ns), *plan.shown)
    ]
    for path in sorted(folder.glob(f"{LOG_NAME}*")):
        try:
            with os.fdopen(open_file(path, os.O_RDWR), "r+", encoding="utf-8", errors="replace") as file:
                kept, keeps = [], intent.scope != ALL
                for line in file:
                    at_ns = _logged_at(line)
                    keeps = keeps if at_ns is None else not any(span.holds(at_ns) for span in spans)
                    kept.append(line if keeps else "")
                file.seek(0)
                file.truncate()
                file.writelines(kept)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise EnvironmentFault(
                translatable("{path} cannot be written: {why}", path=path, why=os_words(error)),
                remedy=translatable("check its disk"),
                code="storage_failed",
            ) from error


def _logged_at(line: str) -> int | None:
    """Return the end of the millisecond that a line of the log was written in; None if it names none.

    Lines of earlier builds name no offset from UTC.
    """
    try:
        at = dt.datetime.fromisoformat(line[:29] if line[23:24] in ("+", "-") else line[:23]).astimezone()
    except ValueError:
        return None
    return (round(at.timestamp() * 1000) + 1) * 1_000_000 - 1


def _sync(sessions_dir: Path) -> None:
    """Return once deleted sessions stay deleted, whatever happens to the power."""
    try:
        if sessions_dir.is_dir():
            sync_folder(sessions_dir)
    except OSError as error:
        raise EnvironmentFault(
            translatable("{path} cannot be written: {why}", path=sessions_dir, why=os_words(error)),
            remedy=translatable("check its disk"),
            code="storage_failed",
        ) from error


def _delete(folder: Path, sessions_dir: Path) -> None:
    if not folder.is_dir():
        return  # deleted before this was cut off
    try:
        remove_session(folder, sessions_dir)
    except UsageError as error:
        raise EnvironmentFault(
            error.what, remedy=translatable("try again in a moment"), code="storage_failed"
        ) from error


_BESIDE_ROWS = (
    HEARTBEAT_FILE,
    *(file for name in DERIVED for file in (name, partial_name(name))),
    *(MODEL_ANSWERS, f"{MODEL_ANSWERS}-journal"),
)
"""What was made of a session's rows, or says that they are being written."""


def _cut(folder: Path, cut: SessionCut, problems: list[str]) -> None:
    """Shorten one session: what lies beside its rows first, since they say whether it was done."""
    if not folder.is_dir():
        return
    end_ns = cut.ending[-1].at_ns
    if not _is_cut(folder, cut):
        if is_recording(folder):
            raise EnvironmentFault(
                translatable("{folder} is being recorded", folder=folder.name),
                remedy=translatable("try again"),
                code="storage_failed",
            )
        for name in _BESIDE_ROWS:
            _unlink(folder / name)
        _forget_labels(folder, lambda label: label.end_ns > end_ns, problems, is_cut=True)
        _forget_words(folder, end_ns, problems)
        unreadable = shorten_videos(folder, cut.pictures)
        problems += [
            translatable("{folder}/{name} could not be read and was deleted whole", folder=folder.name, name=name)
            for name in unreadable
        ]
        shorten(folder, cut.first_gone, cut.ending)
    # Again for what was said meanwhile: behind the end that the session has now, none is taken any more.
    _forget_labels(folder, lambda label: label.end_ns > end_ns, problems, is_cut=True)
    _forget_words(folder, end_ns, problems)


def _forget_words(folder: Path, end_ns: int, problems: list[str]) -> None:
    """Delete what was said after a time; a file that cannot be read goes whole."""
    _unlink(folder / partial_name(TRANSCRIPT))
    try:
        forget_words(folder, lambda word: word.end_ns > end_ns)
    except BadFile:
        _unlink(folder / TRANSCRIPT)
        name = f"{folder.name}/{TRANSCRIPT}"
        problems.append(translatable("{name} could not be read and was deleted whole", name=name))


def _unlink(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise EnvironmentFault(
            translatable("{path} cannot be removed: {why}", path=path, why=os_words(error)),
            remedy=translatable("check who owns it"),
        ) from error


def _is_in(intent: PurgeIntent, plan: PurgePlan, wall_ns: int) -> bool:
    spans = ((intent.begin_wall_ns, intent.end_wall_ns), *plan.shown)
    return any(begin_ns <= wall_ns and (end_ns is None or wall_ns < end_ns) for begin_ns, end_ns in spans)


def _forget_labels(
    folder: Path,
    goes: Callable[[SegmentLabel], bool],
    problems: list[str],
    goes_whole: Callable[[int], bool] = lambda _: True,
    *,
    is_cut: bool = False,
) -> None:
    """Delete what was said of a session, where it goes; of one that `is_cut` what was proposed, as it tells of more.

    A file that cannot be read goes whole where that is to be for one last written at that time; else it is named.
    """
    path = folder / LABELS
    _unlink(folder / partial_name(LABELS))
    if not os.path.lexists(path):
        return
    try:
        change_labels(
            folder,
            lambda labels: [kept for kept in (without_proposals(labels) if is_cut else labels) if not goes(kept)],
        )
    except BadFile as error:
        if not goes_whole(path.lstat().st_ctime_ns):  # it has the other time of the rows beside it
            problems.append(error.what)
            return
        _unlink(path)
        name = f"{folder.name}/{LABELS}"
        problems.append(translatable("{name} could not be read and was deleted whole", name=name))


def _is_cut(folder: Path, cut: SessionCut) -> bool:
    """Tell whether a session ends as it should already."""
    return not (folder / f"{DATABASE}-wal").exists() and last_row(folder) == cut.ending[-1]


def _forget_in_later(folder: Path, gone: Collection[str]) -> None:
    """Take out of a later session what was learned in the span, and what it says of sessions that go or are cut."""

    def change(row: Record) -> Record:
        if isinstance(row, EarlierReport) and row.session in gone:
            return replace(row, session="", start_ns=0, end_ns=0, needs={})
        if not isinstance(row, SessionStart):
            return row
        saved = row.policy_state.get("saved")
        kept = {name: saved[name] for name in KEPT_OF_POLICY if name in saved} if isinstance(saved, dict) else {}
        return replace(row, policy_state={**row.policy_state, "saved": kept})

    if not folder.is_dir():
        return
    try:
        with SessionReader(folder) as reader:
            replace_rows(folder, map(stored, change_sources(reader, change)))
    except sqlite3.Error as error:
        raise DamagedSession(folder, error) from error
