"""The thread that reads for the window: requests first, then rows that are due, then pictures."""

import datetime as dt
import logging
import queue
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace

from daemon.history.decisions import masked_studies
from daemon.history.program_names import program_name
from daemon.history.timeline.days import belongs, needs_between, read_day, read_on, read_picture
from daemon.history.timeline.facts import read_facts
from daemon.history.timeline.moments import MomentFold
from daemon.history.timeline.sources import TimelineSources
from daemon.purge.purge import KEPT, PurgeReport, is_pending, preview
from daemon.purge.span import LAST, PurgeSpan, everything, last, of_day
from storage.clock import NS_PER_S, local_time
from storage.errors import KairosError, UsageError
from storage.records import EarlierReport
from storage.session.log import SessionReader
from storage.timeline import (
    FORGET_LAST_S,
    ForgetReport,
    ForgetScope,
    FullPicture,
    Moment,
    MomentsChanged,
    Thumbnail,
    TimelineReply,
    TimelineTrouble,
)
from storage.translation import translatable

logger = logging.getLogger(__name__)

BEING_FORGOTTEN = translatable("Something is being forgotten just now")
TRY_AGAIN = translatable("Try again in a moment.")
WENT_WRONG = translatable("Something went wrong here")
SEE_DOCTOR = translatable("See: kairos doctor")

SETTLE_S = 0.3
"""How much longer than the recorder takes to store rows to wait before they are read."""

TRIES = 5
"""How often rows that were noted and are not stored yet are looked for: a full disk stores none."""

THUMBNAIL_WIDTH, FULL_WIDTH = 320, 16_384
HOUR_S = 3600.0


@dataclass(slots=True)
class _Shown:
    """What the reader's thread knows of the day that is shown."""

    span: PurgeSpan | None = None
    folds: dict[str, MomentFold] = field(default_factory=dict)
    studies: Collection[str] = ()
    due_ns: int | None = None
    tries: int = 0
    wanted: list[Moment] = field(default_factory=list)


class TimelineReader:
    """The thread of one opening of the window, or of one preview.

    All but `put`, `note`, `finish`, `is_running` and `end` runs in it.
    """

    def __init__(
        self,
        sources: TimelineSources,
        reply: Callable[[TimelineReply], None],
        newest: Callable[[], tuple[str, int]],
        on_end: Callable[[], object] = lambda: None,
    ) -> None:
        """Start the thread.

        Args:
            sources: where it reads, and what it asks of the core.
            reply: takes what it finds.
            newest: gives the id of the running session, and the number of its newest row that is shown.
            on_end: is called when the thread has let go of what it read.
        """
        self._sources = sources
        self._show = reply
        self._newest = newest
        self._on_end = on_end
        self._actions: queue.SimpleQueue[Action | None] = queue.SimpleQueue()
        self._noted = False
        self._ended = False
        self._forgetting = False
        self._shown = _Shown()
        self._thread = threading.Thread(target=self._run, name="timeline", daemon=True)
        self._thread.start()

    # ------------------------------------------------------------ from any thread

    def put(self, action: "Action") -> None:
        """Have something done in the thread."""
        self._actions.put(action)

    def note(self) -> None:
        """Have the running session read on a moment from now; notes until then are one."""
        if not self._noted:
            self._noted = True
            self._actions.put(TimelineReader._await_rows)

    def finish(self) -> None:
        """End the thread once all that it was given is done."""
        self._actions.put(None)

    @property
    def is_running(self) -> bool:
        """Whether it still works."""
        return self._thread.is_alive()

    def end(self) -> None:
        """End the thread as soon as it has done what it is doing."""
        self._ended = True
        self._actions.put(None)

    # ------------------------------------------------------------ the loop

    def _run(self) -> None:
        while not self._ended:
            try:
                action = self._next()
            except queue.Empty:
                action = TimelineReader._read_on
            if action is None:
                break
            try:
                action(self)
            except KairosError as error:
                self._reply(TimelineTrouble(what=error.what, remedy=error.remedy))
            except Exception as error:  # noqa: BLE001  # a bug here must not leave a window that no longer answers
                logger.error("the timeline failed with %s", type(error).__name__)  # noqa: TRY400  # may quote the screen
                self._reply(TimelineTrouble(what=WENT_WRONG, remedy=SEE_DOCTOR))
        self._shown = _Shown()
        self._on_end()

    def _next(self) -> "Action | None":
        """Return what is to be done next: requests, then rows that are due, then pictures.

        Raises:
            queue.Empty: rows are due.
        """
        due_ns = self._shown.due_ns
        if due_ns is not None and self._sources.clock.now_ns() >= due_ns:
            raise queue.Empty
        if self._shown.wanted and not self._forgetting:
            try:
                return self._actions.get_nowait()
            except queue.Empty:
                return TimelineReader._read_thumbnail
        return self._actions.get(
            timeout=None if due_ns is None else max(0, due_ns - self._sources.clock.now_ns()) / NS_PER_S
        )

    def _reply(self, reply: TimelineReply) -> None:
        if not self._ended:
            self._show(reply)

    # ------------------------------------------------------------ a day

    def read_day(self, day: dt.date | None) -> None:
        """Read a day and show it."""
        sources = self._sources
        if self._forgetting:
            return  # it is read again afterwards
        now_wall_ns = sources.clock.wall_ns()
        day = day or local_time(now_wall_ns).date()
        studies = masked_studies(sources.state_file)
        found, folds = read_day(
            sources.sessions_dir, day, studies=studies, now_s=now_wall_ns / NS_PER_S, name_of=program_name
        )
        self._shown = _Shown(span=of_day(day), folds=folds, studies=studies)
        self._reply(found)
        self._await_rows()

    def _await_rows(self) -> None:
        self._noted = False
        if self._shown.due_ns is None:
            self._shown.due_ns = self._in(self._sources.settings.storage.flush_s + SETTLE_S)
            self._shown.tries = 0

    def _read_on(self) -> None:
        """Read what the running session has stored since."""
        shown, sources = self._shown, self._sources
        shown.due_ns = None
        session, seq = self._newest()
        if shown.span is None or not session or self._forgetting:
            return
        now_wall_ns = sources.clock.wall_ns()
        fold = shown.folds.get(session)
        if fold is None:
            if not shown.span.holds(now_wall_ns):
                return  # another day is shown
            fold = self._fold_of(session, now_wall_ns)
            shown.folds[session] = fold
        changed = read_on(sources.sessions_dir, fold)
        elsewhere = [
            shown.folds[moment.session].report_of(session, moment, moment.seq)
            for moment in fold.take_earlier()
            if moment.session in shown.folds
        ]
        day = local_time(shown.span.begin_wall_ns).date()
        found = tuple(moment for moment in (*changed, *elsewhere) if belongs(moment, shown.span, day))
        if found:
            self._reply(MomentsChanged(day=day, moments=found))
        if fold.seq < seq and shown.tries < TRIES:
            shown.tries += 1
            shown.due_ns = self._in(SETTLE_S)

    def _in(self, seconds: float) -> int:
        return self._sources.clock.now_ns() + round(seconds * NS_PER_S)

    def _fold_of(self, session: str, now_wall_ns: int) -> MomentFold:
        with SessionReader(self._sources.sessions_dir / session) as reader:
            start = reader.first()
        return MomentFold(start, studies=self._shown.studies, now_s=now_wall_ns / NS_PER_S, name_of=program_name)

    # ------------------------------------------------------------ pictures and facts

    def want(self, moments: list[Moment]) -> None:
        """Take note of which pictures are wanted."""
        self._shown.wanted = moments

    def _read_thumbnail(self) -> None:
        self._reply(self._read_picture(self._shown.wanted.pop(0), Thumbnail, THUMBNAIL_WIDTH))

    def read_picture(self, moment: Moment) -> None:
        """Read the picture of a moment in its full size."""
        if not self._forgetting:
            self._reply(self._read_picture(moment, FullPicture, FULL_WIDTH))

    def _read_picture(self, moment: Moment, kind: type[Thumbnail], most: int) -> Thumbnail:
        width, height, rgb = read_picture(self._sources.sessions_dir, moment, most) or (0, 0, b"")
        return kind(moment_id=moment.moment_id, width=width, height=height, rgb=rgb)

    def read_facts(self) -> None:
        """Read what was sent, stored and learned."""
        sources = self._sources
        if not self._forgetting:
            self._reply(read_facts(sources.sessions_dir, sources.state_file, sources.settings, sources.clock.wall_ns()))

    # ------------------------------------------------------------ what a person said

    def report(self, session: str, start_ns: int, end_ns: int, *, needed: bool) -> None:
        """Hand over what a person said of a stretch, with what was estimated then."""
        needs = needs_between(self._sources.sessions_dir, session, start_ns, end_ns)
        self._sources.submit_report(
            EarlierReport(session=session, start_ns=start_ns, end_ns=end_ns, needed=needed, needs=needs)
        )

    # ------------------------------------------------------------ forgetting

    def preview(self, scope: ForgetScope, day: dt.date | None) -> None:
        """Say what would be deleted.

        Raises:
            UsageError: something is being deleted.
        """
        sources = self._sources
        if is_pending(sources.state_file):
            raise UsageError(BEING_FORGOTTEN, remedy=TRY_AGAIN)
        span = span_of(scope, day, sources.clock.wall_ns())
        report = forget_report(preview(span, sources.sessions_dir, sources.state_file))
        self._reply(replace(report, scope=scope))

    def let_go(self) -> None:
        """Let go of everything that was read, and read nothing until `read_again`."""
        self._forgetting = True
        self._shown = _Shown()

    def read_again(self) -> None:
        """Read again when something is requested."""
        self._forgetting = False


Action = Callable[[TimelineReader], None]
"""Something to do in the thread."""


def span_of(scope: ForgetScope, day: dt.date | None, now_wall_ns: int) -> PurgeSpan:
    """Return what a scope means now; without a day it is today."""
    if scope is ForgetScope.ALL:
        return everything()
    if scope is ForgetScope.DAY:
        return of_day(day or local_time(now_wall_ns).date())
    return last(HOUR_S if scope is ForgetScope.HOUR else FORGET_LAST_S, now_wall_ns)


def shown_span(report: ForgetReport) -> PurgeSpan:
    """Return the span that a report is about, whatever the time is now."""
    scope = LAST if report.scope is ForgetScope.HOUR else report.scope.value
    return PurgeSpan(scope=scope, begin_wall_ns=report.begin_wall_ns, end_wall_ns=report.end_wall_ns)


def forget_report(report: PurgeReport) -> ForgetReport:
    """Return what a purge did, or would do, as the interface gets it."""
    span = report.span
    return ForgetReport(
        scope=ForgetScope(span.scope),
        begin_wall_ns=span.begin_wall_ns,
        end_wall_ns=span.end_wall_ns,
        done=not report.dry_run,
        sessions=len(report.deleted),
        cut=len(report.cut),
        requests=report.requests,
        learned=report.learned,
        began_after=len(report.began_after),
        problems=report.problems,
        out_of_reach=report.not_reached,
        kept=KEPT,
    )
