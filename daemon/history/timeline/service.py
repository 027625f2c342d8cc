"""The facade of the timeline: requests of the window, notes of the running session, and calls of the core.

There is no periodic look: the running session notes that it has rows to show, and a moment later, when they are stored,
they are read. So the window shows what a replay would find, and costs nothing while nothing happens. While something is
being forgotten nothing is read, because that needs every session to itself. What the tray has forgotten takes the same
way: without a window there is a thread for the preview alone.
"""

import contextlib
import datetime as dt
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from daemon.history.timeline.sources import TimelineSources
from daemon.purge.purge import PurgeReport, is_pending
from daemon.purge.span import PurgeSpan
from storage.records import (
    Decision,
    EarlierReport,
    Estimate,
    Feedback,
    NeedReport,
    Offer,
    Record,
    SessionStart,
    Switch,
    Window,
    Withdrawal,
)
from storage.timeline import ForgetReport, ForgetScope, Moment, TimelineReply, TimelineTrouble, TimelineView
from storage.translation import translatable

if TYPE_CHECKING:
    from daemon.history.timeline.reader import Action, TimelineReader

SHOWN = (Estimate, Decision, Window, Offer, Feedback, Withdrawal, Switch, NeedReport, EarlierReport)
"""Rows that change what the window shows."""

NOT_RUNNING = TimelineTrouble(
    what=translatable("Kairos is between two sessions, so this could not be noted"),
    remedy=translatable("Try again in a moment."),
)


class TimelineService:
    """Implements `storage.timeline.TimelineRequests`, and observes the rows of the running session."""

    def __init__(self, sources: TimelineSources, on_end: Callable[[], object] = lambda: None) -> None:
        """Prepare; nothing runs before `open`. After `begin_purge` `purged` or `not_purged` is to follow.

        `on_end` is called, in its thread, when a reader has ended: what was for the window is about to go.
        """
        self._sources = sources
        self._on_end = on_end
        self._view: TimelineView | None = None
        self._reader: TimelineReader | None = None
        self._recording: tuple[str, int] = ("", 0)
        self._preview: TimelineReader | None = None
        self._confirmed: deque[PurgeSpan] = deque()
        self._forgetting = False
        self._awaited = False
        self._trouble: TimelineTrouble | None = None

    # ------------------------------------------------------------ requests of the window

    def attach(self, view: TimelineView) -> None:
        """Name the view."""
        self._view = view

    def show(self) -> bool:
        """Bring the window up; False where there is no interface."""
        if self._view is None:
            return False
        self._view.open_window()
        return True

    def open(self) -> None:
        """Start the reader's thread."""
        if self._reader is None:
            self._reader = self._start_reader()
            if self._forgetting:
                self._reader.put(lambda reader: reader.let_go())

    def close(self) -> None:
        """End it; what it holds goes with it."""
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.end()
            self._begin_purge()  # it may not have got to it

    def request_day(self, day: dt.date | None) -> None:
        """Request a day; None is today."""
        self._do(lambda reader: reader.read_day(day))

    def request_thumbnails(self, moments: Sequence[Moment]) -> None:
        """Request pictures, in place of all before."""
        wanted = [moment for moment in moments if moment.frame]
        self._do(lambda reader: reader.want(wanted))

    def request_picture(self, moment: Moment) -> None:
        """Request one picture in its full size."""
        self._do(lambda reader: reader.read_picture(moment))

    def request_facts(self) -> None:
        """Request what was sent, stored and learned."""
        self._do(lambda reader: reader.read_facts())

    def report(self, session: str, start_ns: int, end_ns: int, *, needed: bool) -> None:
        """Note what a person said of a stretch."""
        self._do(lambda reader: reader.report(session, start_ns, end_ns, needed=needed))

    def forget_learned(self) -> None:
        """Forget what answers have taught; the core has the facts read again when it is done."""
        self._sources.forget_learned()

    def unmute(self, topic: str) -> None:
        """Allow offers about a topic again; the core has the facts read again when it is done."""
        self._sources.unmute(topic)

    def preview_forget(self, scope: ForgetScope, day: dt.date | None) -> None:
        """Request what forgetting would delete."""
        reader = self._reader
        if reader is not None:
            reader.put(lambda reader: reader.preview(scope, day))
        elif self._preview is None or not self._preview.is_running:  # or else what it finds comes in a moment
            self._preview = self._start_reader()
            self._preview.put(lambda reader: reader.preview(scope, day))
            self._preview.finish()

    def forget(self, report: ForgetReport) -> None:
        """Delete what was shown, once the reader has let go of it."""
        if self._forgetting:
            return
        self._forgetting = self._awaited = True
        from daemon.history.timeline.reader import shown_span

        self._confirmed.append(shown_span(report))
        if self._reader is None:
            self._begin_purge()
        else:
            self._reader.put(self._let_go_and_begin)

    def _let_go_and_begin(self, reader: "TimelineReader") -> None:
        reader.let_go()
        self._begin_purge()

    def _begin_purge(self) -> None:
        """Begin what was confirmed, unless it is begun."""
        with contextlib.suppress(IndexError):
            self._sources.begin_purge(self._confirmed.pop())

    def _start_reader(self) -> "TimelineReader":
        from daemon.history.timeline.reader import TimelineReader

        return TimelineReader(self._sources, self._reply, lambda: self._recording, self._on_end)

    def _do(self, action: "Action") -> None:
        if self._reader is not None:
            self._reader.put(action)

    # ------------------------------------------------------------ calls of the core, in its thread

    def observe(self, rows: Sequence[Record]) -> None:
        """Note that the running session has rows to show."""
        if isinstance(rows[0], SessionStart):
            self._recording = rows[0].session_id, 0
        reader = self._reader
        if reader is None:
            return
        shown = [row.seq for row in rows if isinstance(row, SHOWN)]
        if shown:
            self._recording = self._recording[0], shown[-1]
            reader.note()

    def purged(self, report: PurgeReport) -> None:
        """Say what was forgotten, if somebody here requested it or is looking at what is left."""
        is_for_us = self._awaited or self._reader is not None
        self._forgetting = self._awaited = False
        self._trouble = None
        self._do(lambda reader: reader.read_again())
        if is_for_us:
            from daemon.history.timeline.reader import forget_report

            self._reply(forget_report(report))

    def not_purged(self, what: str, remedy: str = "") -> None:
        """Say that nothing was forgotten, or not all of it yet; once, however often the core tries."""
        trouble = TimelineTrouble(what=what, remedy=remedy)
        is_for_us = self._awaited or self._reader is not None
        is_new = trouble != self._trouble or self._forgetting
        self._forgetting = False
        self._awaited = self._awaited and is_pending(self._sources.state_file)
        self._trouble = trouble
        self._do(lambda reader: reader.read_again())
        if is_for_us and is_new:
            self._reply(trouble)

    def not_reported(self) -> None:
        """Say that what a person said could not be noted."""
        self._reply(NOT_RUNNING)

    def _reply(self, reply: TimelineReply) -> None:
        if self._view is not None:
            self._view.show_reply(reply)
