"""Finds what is to go: reads every session, cuts those that span the beginning, and names what cannot be read."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from daemon.purge.intent import ALL, PurgePlan, SavedState, SessionCut
from daemon.purge.rows import stored
from daemon.purge.span import PurgeSpan, first_inside, shown_from, wall_at
from daemon.replay.replay import end_early
from policies.arms import ALIASES, NAMES
from policies.chain import ChainPolicy
from policies.memory import muted_topics, put_back, with_mutes, without_learned
from storage.clock import NS_PER_MS, SystemClock, boot_mark
from storage.errors import BadFile, EnvironmentFault, os_words
from storage.records import (
    Anchor,
    EarlierReport,
    Estimate,
    Feedback,
    Frame,
    HelpAnswer,
    ModelAnswer,
    NeedReport,
    Offer,
    Record,
    SessionEnd,
    SessionStart,
    Sound,
    StudyStart,
)
from storage.session.log import SessionReader, list_sessions
from storage.session.retention import started_wall_ns
from storage.session.sound import BLOCK_MS
from storage.session.video import split_ref
from storage.state.store import StateStore
from storage.translation import translatable


@dataclass(frozen=True, slots=True, kw_only=True)
class Began:
    """What a session began with; `before` is what is put back if it is the first of those that go, None if it stays."""

    start: SessionStart
    memory: str
    before: SavedState | None

    @property
    def saved(self) -> Mapping[str, object]:
        """The policy's state in its first row."""
        saved = self.start.policy_state.get("saved")
        return saved if isinstance(saved, dict) else {}


def saved_before(start: SessionStart) -> SavedState:
    """Return what was saved before a session began, and when that was."""
    saved, elapsed_ns = start.policy_state.get("saved"), start.policy_state.get("elapsed_ns")
    return SavedState(
        saved=saved if isinstance(saved, dict) else {},
        wall_ns=max(0, start.wall_ns - (elapsed_ns if isinstance(elapsed_ns, int) else 0)),
    )


def states_before(
    now: Mapping[str, tuple[Mapping[str, object], int]], sessions: Sequence[Began]
) -> dict[str, SavedState]:
    """Return what is put back, by memory; nothing for a memory that no session of the span has.

    Args:
        now: what is saved now, by memory.
        sessions: those that go, whole or in part, and those that began after the span, in the order of time.
    """
    return {
        memory: found
        for memory, (saved, wall_ns) in now.items()
        if (found := _before(memory, saved, wall_ns, [session for session in sessions if session.memory == memory]))
        is not None
    }


def _before(memory: str, now: Mapping[str, object], wall_ns: int, sessions: Sequence[Began]) -> SavedState | None:
    own = [session for session in sessions if session.start.imported_from is None]
    first = next((began.before for began in own if began.before is not None), None)
    if first is None:
        return None
    doubtful = any(began.before is not None and began.saved.get("seed") != now.get("seed") for began in own)
    if memory != ChainPolicy.memory:
        return SavedState(saved={}, wall_ns=wall_ns) if doubtful else first
    try:
        if doubtful:
            return SavedState(saved={**without_learned(now, mutes=True), "said": []}, wall_ns=wall_ns)
        after = next((began.saved for began in own if began.before is None), None)
        muted_after = () if after is None else set(muted_topics(now)) - set(muted_topics(after))
        back = put_back(first.saved, [*(began.saved for began in own if began.before is not first), now])
        return SavedState(saved=with_mutes(back, muted_after) if muted_after else back, wall_ns=first.wall_ns)
    except TypeError:
        return SavedState(saved={}, wall_ns=wall_ns)


PURGED = "purged"
"""The reason in the last row of a session whose end was forgotten."""

TEACHING = (Estimate.KIND, Feedback.KIND, NeedReport.KIND, EarlierReport.KIND, Offer.KIND)
"""Rows that change what policies remember; estimates tell which program was used, and for how long."""


@dataclass(slots=True)
class _Found:
    """What was found in the sessions so far."""

    span: PurgeSpan
    derives: bool
    deleted: list[str] = field(default_factory=list)
    cut: dict[str, SessionCut] = field(default_factory=dict)
    began: list[Began] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    taught: bool = False
    shown: list[tuple[int, int]] = field(default_factory=list)
    questions: tuple[str, SavedState] | None = None

    def look_at(self, folder: Path) -> None:
        """Decide on one session.

        Raises:
            BadFile: it is damaged.
        """
        with SessionReader(folder) as reader:
            start = reader.first()
            last_ns = reader.last_at_ns() or start.at_ns
            anchors = [row for row in reader.rows((Anchor.KIND,)) if isinstance(row, Anchor)]
            entry_ns = first_inside(self.span, start, anchors, last_ns, _ahead_ns(start))
            if entry_ns is None:
                self._stays(folder, start, reader)
                return
            if start.imported_from is None:
                self.shown += shown_from(entry_ns, start, anchors, last_ns)
            if entry_ns <= start.at_ns:
                self._goes(folder, start, reader)
            else:
                self._is_cut(folder, reader, anchors, entry_ns)

    def _stays(self, folder: Path, start: SessionStart, reader: SessionReader) -> None:
        if self.span.end_wall_ns is not None and start.wall_ns >= self.span.end_wall_ns:
            self.began.append(Began(start=start, memory=memory_named(start.policy), before=None))
            self.after.append(folder.name)
            gone = {*self.deleted, *self.cut}
            reports = reader.rows((EarlierReport.KIND,)) if gone else ()
            if any(isinstance(row, EarlierReport) and row.session in gone for row in reports):
                self.taught = True

    def _goes(self, folder: Path, start: SessionStart, reader: SessionReader) -> None:
        self.deleted.append(folder.name)
        self.began.append(Began(start=start, memory=memory_named(start.policy), before=saved_before(start)))
        try:
            self._note(reader.rows((*TEACHING, StudyStart.KIND)))
        except BadFile:  # it goes all the same
            self.taught = True

    def _note(self, gone: Iterable[Record]) -> None:
        """Note what rows that go have taught and asked."""
        for row in gone:
            self.taught = self.taught or row.KIND in TEACHING
            if isinstance(row, StudyStart):
                self._put_back_questions(row, None, self.began[-1].start)

    def _put_back_questions(self, study: StudyStart, at_cut: SavedState | None, start: SessionStart) -> None:
        """Note how far the questions of a study were before the span; the first session that has some counts."""
        if self.questions is None and start.imported_from is None:
            before = SavedState(saved=study.sampling_state, wall_ns=max(0, start.wall_ns - study.elapsed_ns))
            self.questions = (study.study, at_cut or before)

    def _is_cut(self, folder: Path, reader: SessionReader, anchors: Sequence[Anchor], entry_ns: int) -> None:
        """Cut a session before the first step inside: rows of one step share their time, so no step is cut."""
        kept: list[Record] = []
        gone: list[Record] = []
        try:
            for row in reader:
                (kept if row.at_ns < entry_ns else gone).append(row)
        except BadFile:
            if not gone:
                raise
            self.taught = True  # damaged behind the cut: it goes all the same
        if not gone:
            return
        start = kept[0]
        assert isinstance(start, SessionStart)  # noqa: S101  # `first` has seen it
        if not self.derives:
            self.taught = self.taught or any(row.KIND in TEACHING for row in gone)
            self.began.append(Began(start=start, memory=memory_named(start.policy), before=saved_before(start)))
            self.cut[folder.name] = SessionCut(first_gone=gone[0].seq, ending=(), requests=_requests_named(gone))
            return
        ended = end_early(folder, kept, SessionEnd(reason=PURGED))
        wall_ns = wall_at(kept[-1].at_ns, start, anchors)
        before = SavedState(saved=ended.policy, wall_ns=wall_ns) if ended.reason is None else saved_before(start)
        memory = ended.memory if ended.reason is None else memory_named(start.policy)
        self.began.append(Began(start=start, memory=memory, before=before))
        study = next((row for row in kept if isinstance(row, StudyStart)), None)
        if study is not None:
            asked = None if ended.questions is None else SavedState(saved=ended.questions, wall_ns=wall_ns)
            self._put_back_questions(study, asked, start)
        self._note(gone)
        self.cut[folder.name] = SessionCut(
            first_gone=gone[0].seq,
            ending=tuple(map(stored, ended.rows)),
            pictures={**_last_pictures(kept), **_last_sounds(kept, entry_ns)},
            requests=_requests_named(gone),
        )

    def look_at_unreadable(self, folder: Path, why: str) -> None:
        """Decide on a session that cannot be read: it goes if it began inside, and is named if it may hold more."""
        try:
            began_ns = started_wall_ns(folder)
            changed_ns = max((file.stat().st_mtime_ns for file in folder.iterdir()), default=0)
        except OSError as error:
            self.problems.append(
                translatable("{folder} cannot be read, and stays: {why}", folder=folder, why=os_words(error))
            )
            return
        if began_ns is not None and self.span.holds(began_ns):
            self.deleted.append(folder.name)
            self.taught = True
        elif changed_ns >= self.span.begin_wall_ns and (
            began_ns is None or self.span.end_wall_ns is None or began_ns < self.span.end_wall_ns
        ):
            self.problems.append(
                translatable(
                    "{why}; it stays, and may hold something of that time. To delete it: kairos sessions delete {name}",
                    why=why,
                    name=folder.name,
                )
            )


def _ahead_ns(start: SessionStart) -> int | None:
    """Return how far the wall clock is ahead of a session's time now; None where that is of another start."""
    if not start.boot or start.boot != boot_mark(start.session_id):
        return None
    clock = SystemClock()
    return clock.wall_ns() - clock.now_ns()


def plan_purge(span: PurgeSpan, sessions_dir: Path, state_file: Path, *, derives: bool = True) -> PurgePlan:
    """Return what is to go; reads only.

    Without `derives` no session is replayed, which takes seconds for a long one: what is put back, and how sessions
    that are cut end, is then left open.

    Raises:
        EnvironmentFault: a database is locked for long, or cannot be read.
        BadFile: the database of what outlives sessions is damaged.
    """
    folders = list_sessions(sessions_dir)
    if span.scope == ALL:
        return PurgePlan(deleted=tuple(folder.name for folder in folders))
    found = _Found(span, derives)
    for folder in folders:
        try:
            found.look_at(folder)
        except BadFile as error:
            if isinstance(error.__cause__, sqlite3.OperationalError) and "locked" in str(error.__cause__):
                raise EnvironmentFault(
                    error.what, remedy=translatable("end what holds it, then delete again")
                ) from error
            found.look_at_unreadable(folder, error.what)
    questions = None if found.after else found.questions  # how far later days are is nothing of the span
    return PurgePlan(
        deleted=tuple(found.deleted),
        cut=found.cut,
        began_after=tuple(found.after) if found.taught else (),
        policies=_states_before(found, state_file),
        study=questions[0] if questions is not None else "",
        questions=questions[1] if questions is not None else None,
        shown=tuple(found.shown),
        problems=tuple(found.problems),
    )


def _states_before(found: _Found, state_file: Path) -> Mapping[str, SavedState]:
    """Return what is put back; where nothing was estimated, nothing was learned either."""
    if not found.taught or not state_file.exists():
        return {}
    with StateStore(state_file) as state:
        now = state.policy_states()
    return states_before(now, sorted(found.began, key=lambda one: one.start.wall_ns))


def memory_named(policy: str) -> str:
    """Return under which name a recorded policy keeps what it saves; no code that only a session names is loaded."""
    return ChainPolicy.memory if policy in (*NAMES, *ALIASES) else policy


def _requests_named(gone: Iterable[Record]) -> tuple[int, ...]:
    named = (number for row in gone if isinstance(row, ModelAnswer | HelpAnswer) for number in row.sent)
    return tuple(sorted({int(number) for number in named if number.isascii() and number.isdecimal()}))


def _last_sounds(kept: Iterable[Record], end_ns: int) -> dict[str, int]:
    """Return for each sound that is left the last millisecond at which a block may begin that ended before `end_ns`."""
    last_ms: dict[str, int] = {}
    for row in kept:
        if isinstance(row, Sound) and row.sound_ref is not None:
            file, ms = split_ref(row.sound_ref)
            last_ms[file] = ms + (end_ns - row.t_ns) // NS_PER_MS - 2 * BLOCK_MS  # one more: places are rounded
    return last_ms


def _last_pictures(kept: Iterable[Record]) -> dict[str, int]:
    """Return for each video that is left the millisecond of its last picture."""
    last_ms: dict[str, int] = {}
    for row in kept:
        if isinstance(row, Frame) and row.image_ref is not None:
            file, ms = split_ref(row.image_ref)
            last_ms[file] = max(ms, last_ms.get(file, 0))
    return last_ms
