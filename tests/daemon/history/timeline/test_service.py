"""The service of the timeline window: answers in its own thread, follows the running session, and lets go of it all."""

import datetime as dt
import queue
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from daemon.history.timeline import reader as reader_module
from daemon.history.timeline.reader import TimelineReader
from daemon.history.timeline.service import NOT_RUNNING, TimelineService
from daemon.history.timeline.sources import TimelineSources
from daemon.purge.purge import begin, finish
from daemon.purge.span import PurgeSpan, everything
from demo.virtual_desktop.windows import poll
from storage.clock import NS_PER_S, SystemClock
from storage.files import sessions_folder, state_file
from storage.records import EarlierReport, Estimate, NeedReport, Record, Tick
from storage.session.log import SessionWriter, create_session, list_sessions
from storage.settings import Settings, StorageSettings
from storage.timeline import (
    FORGET_LAST_S,
    ForgetReport,
    ForgetScope,
    FullPicture,
    MomentKind,
    MomentsChanged,
    Thumbnail,
    TimelineDay,
    TimelineFacts,
    TimelineReply,
    TimelineTrouble,
)
from tests.fakes.accessibility.remembered import Remembered
from tests.fakes.mllm.sent_requests import picture
from tests.fakes.narrowing import present
from tests.fakes.sessions.derived_session import rows_of_here
from tests.fakes.ui.requests import forget_report

T = TypeVar("T", bound=TimelineReply)


class View:
    """A window that only notes what it gets."""

    def __init__(self) -> None:
        self.replies: queue.SimpleQueue[TimelineReply] = queue.SimpleQueue()
        self.threads: set[str] = set()
        self.opened = 0

    def show_reply(self, reply: TimelineReply) -> None:
        self.threads.add(threading.current_thread().name)
        self.replies.put(reply)

    def open_window(self) -> None:
        self.opened += 1

    def next(self, kind: type[T]) -> T:
        reply = self.replies.get(timeout=20)
        assert isinstance(reply, kind), reply
        return reply


class NoonClock(SystemClock):
    """The real clock, but for the time of day: no session of today begins yesterday, as it starts after noon."""

    def __init__(self) -> None:
        super().__init__()
        now_ns = super().wall_ns()
        noon = dt.datetime.fromtimestamp(now_ns / NS_PER_S).astimezone().replace(hour=12)
        self._offset_ns = round(noon.timestamp()) * NS_PER_S - now_ns

    def wall_ns(self) -> int:
        return super().wall_ns() + self._offset_ns


CLOCK = NoonClock()


class Stage:
    """The service between a view and a core of lists."""

    def __init__(self) -> None:
        self.reports: list[EarlierReport] = []
        self.spans: list[PurgeSpan] = []
        self.service = TimelineService(
            TimelineSources(
                sessions_dir=sessions_folder(),
                state_file=state_file(),
                settings=Settings(storage=StorageSettings(flush_s=0.0)),
                clock=CLOCK,
                submit_report=self.reports.append,
                begin_purge=self.spans.append,
            )
        )
        self.view = View()
        self.service.attach(self.view)

    def day(self, day: dt.date | None = None) -> TimelineDay:
        self.service.request_day(day)
        return self.view.next(TimelineDay)


def iter_replies(view: View) -> Iterator[TimelineReply]:
    while not view.replies.empty():
        yield view.replies.get()


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    monkeypatch.setattr(reader_module, "SETTLE_S", 0.02)
    made = Stage()
    made.service.open()
    yield made
    made.service.close()


def running(count: int) -> tuple[SessionWriter, Path, list[Record]]:
    """Begin a session of now with its first rows; return its writer, its folder and all rows that it is to have."""
    wall_ns = CLOCK.wall_ns() - 200 * NS_PER_S
    folder = create_session(sessions_folder(), wall_ns)
    rows = rows_of_here(session_id=folder.name, wall_ns=wall_ns)
    writer = SessionWriter(folder)
    writer.append(rows[:count])
    return writer, folder, rows


def timeline_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "timeline"]


def test_a_day_is_read_in_a_thread_that_ends_with_the_window(stage: Stage) -> None:
    writer, folder, rows = running(10_000)
    writer.close()
    day = stage.day()
    assert {moment.session for moment in day.moments} == {folder.name}
    assert day.day == day.today
    assert stage.view.threads == {"timeline"}
    assert len(timeline_threads()) == 1
    stage.service.close()
    poll(lambda: not timeline_threads(), what="the end of the reader")
    stage.service.request_day(None)
    stage.service.observe(rows[:2])
    assert stage.view.replies.empty()


def test_the_running_session_is_followed_as_its_rows_are_stored(stage: Stage) -> None:
    writer, _, rows = running(1)
    stage.service.observe(rows[:1])
    assert stage.day().moments == ()
    at = next(number for number, row in enumerate(rows) if isinstance(row, Estimate)) + 1
    stage.service.observe(rows[1:at])
    writer.append(rows[1:at])
    changed = stage.view.next(MomentsChanged)
    assert [(moment.kind, moment.estimates) for moment in changed.moments] == [(MomentKind.WORK, 1)]
    writer.append(rows[at:])
    stage.service.observe([Tick(seq=9999)])
    stage.service.observe(rows[at:])
    everything = {moment.moment_id: moment for moment in stage.view.next(MomentsChanged).moments}
    assert any(moment.kind is MomentKind.OFFER for moment in everything.values())
    writer.close()
    assert stage.view.replies.empty()


def test_a_session_that_begins_while_the_window_is_open_is_followed_too(stage: Stage) -> None:
    """As after a cut; the day was read without it."""
    assert stage.day().moments == ()
    writer, folder, rows = running(10_000)
    stage.service.observe(rows)
    assert {moment.session for moment in stage.view.next(MomentsChanged).moments} == {folder.name}
    writer.close()


def test_what_is_said_of_a_stretch_goes_to_the_core_with_what_was_estimated(stage: Stage) -> None:
    writer, folder, rows = running(10_000)
    stage.service.observe(rows[:1])
    day = stage.day()
    work = max((moment for moment in day.moments if moment.help_need), key=lambda one: one.help_need or 0.0)
    stage.service.report(folder.name, work.start_ns + 1, work.end_ns - 1, needed=True)
    (report,) = poll(lambda: stage.reports or None, what="the report")
    assert (report.session, report.needed) == (folder.name, True)
    assert dict(report.needs) == {work.app: pytest.approx(work.help_need)}
    said = NeedReport(
        seq=rows[-1].seq + 1, at_ns=rows[-1].at_ns, start_ns=report.start_ns, end_ns=report.end_ns, needed=True
    )
    writer.append([said])
    stage.service.observe([said])
    assert [moment.needed for moment in stage.view.next(MomentsChanged).moments] == [True]
    stage.service.not_reported()
    assert stage.view.next(TimelineTrouble) == NOT_RUNNING
    writer.close()


def day_of(remembered: Remembered, stage: Stage) -> TimelineDay:
    today = stage.day()
    assert today.earlier is not None
    assert remembered.inside.name.startswith(f"{today.earlier:%Y%m%d}")
    return stage.day(today.earlier)


def test_pictures_are_small_and_only_of_moments_that_have_one(stage: Stage, remembered: Remembered) -> None:
    day = day_of(remembered, stage)
    shown = [moment for moment in day.moments if moment.frame]
    assert shown
    stage.service.request_thumbnails([shown[0], *(moment for moment in day.moments if not moment.frame)])
    found = stage.view.next(Thumbnail)
    assert found.moment_id == shown[0].moment_id
    assert len(found.rgb) == 3 * found.width * found.height > 0
    stage.service.request_picture(shown[0])
    full = stage.view.next(FullPicture)
    assert (full.moment_id, len(full.rgb)) == (found.moment_id, 3 * full.width * full.height)
    assert full.width >= found.width
    for video in (sessions_folder() / shown[0].session).glob("*.mp4"):
        video.unlink()
    stage.service.request_picture(shown[0])
    assert stage.view.next(FullPicture) == FullPicture(moment_id=shown[0].moment_id)
    stage.service.request_thumbnails([shown[0]])
    assert stage.view.next(Thumbnail) == Thumbnail(moment_id=shown[0].moment_id)
    assert stage.view.replies.empty()


def test_facts_say_what_was_sent_stored_and_learned(stage: Stage, remembered: Remembered) -> None:
    stage.service.request_facts()
    facts = stage.view.next(TimelineFacts)
    assert (facts.sent_count, len(facts.sent), facts.problems) == (4, 4, ())
    assert facts.sent[0].pictures == 1
    assert facts.sent[0].size > len(picture(7).jpeg)
    videos = sum(path.stat().st_size for path in sessions_folder().glob("*/*.mp4"))
    assert (facts.stored.sessions, facts.stored.pictures) == (len(list_sessions(sessions_folder())), videos)
    assert facts.learned
    assert remembered.inside.is_dir()
    (state_file().parent / "sent.db").write_bytes(b"no database")
    stage.service.request_facts()
    damaged = stage.view.next(TimelineFacts)
    assert (damaged.sent, len(damaged.problems)) == ((), 1)


def test_forgetting_asks_first_then_waits_for_the_core_and_says_what_is_gone(
    stage: Stage, remembered: Remembered
) -> None:
    day = day_of(remembered, stage).day
    stage.service.preview_forget(ForgetScope.DAY, day)
    asked = stage.view.next(ForgetReport)
    assert (asked.done, asked.sessions, asked.requests, asked.learned) == (False, 3, 4, True)
    assert len(asked.out_of_reach) >= 3
    assert len(list_sessions(sessions_folder())) == 3
    stage.service.forget(asked)
    stage.service.forget(asked)
    span = poll(lambda: stage.spans or None, what="the purge")[0]
    stage.service.request_day(day)
    stage.service.request_facts()
    begin(span, sessions_folder(), state_file())
    report = present(finish(state_file()))
    assert stage.view.replies.empty()
    stage.service.purged(report)
    done = stage.view.next(ForgetReport)
    assert done == replace(asked, done=True)
    assert len(stage.spans) == 1
    assert stage.day(day).moments == ()
    stage.service.forget(asked)
    stage.service.not_purged("the disk is full", "free some")
    assert stage.view.next(TimelineTrouble) == TimelineTrouble(what="the disk is full", remedy="free some")
    stage.day(day)


def test_what_was_shown_is_what_goes_however_late_the_yes_comes() -> None:
    made = Stage()
    before_ns = CLOCK.wall_ns()
    for _ in range(2):
        made.service.preview_forget(ForgetScope.LAST, None)
    asked = made.view.next(ForgetReport)
    assert before_ns <= asked.begin_wall_ns + round(FORGET_LAST_S * NS_PER_S) <= CLOCK.wall_ns()
    assert made.view.threads == {"timeline"}
    looked = present(made.service._preview)
    poll(lambda: not looked.is_running, what="the end of the thread")
    assert made.view.replies.empty()
    late = replace(asked, begin_wall_ns=asked.begin_wall_ns - 3600 * NS_PER_S)  # as if it was shown an hour ago
    made.service.forget(late)
    assert made.spans == [PurgeSpan(scope="last", begin_wall_ns=late.begin_wall_ns, end_wall_ns=None)]


def test_what_is_confirmed_goes_though_the_window_is_closed_at_once(stage: Stage) -> None:
    block = threading.Event()

    def wait(_: TimelineReader) -> None:
        block.wait(20)

    stage.service._do(wait)
    stage.service.forget(forget_report())
    assert stage.spans == []
    stage.service.close()
    assert len(stage.spans) == 1
    block.set()
    stage.service.open()
    stage.service.request_day(None)
    stage.service.report("none", 0, 1, needed=True)
    poll(lambda: stage.reports or not stage.view.replies.empty(), what="what comes after the day")
    assert not [reply for reply in iter_replies(stage.view) if isinstance(reply, TimelineDay)]
    assert len(stage.spans) == 1


def test_a_session_that_is_gone_is_said_and_the_service_goes_on(stage: Stage) -> None:
    stage.service.report("20200101-000000-abcd", 0, 1, needed=True)
    assert "20200101-000000-abcd" in stage.view.next(TimelineTrouble).what
    stage.day()


def test_nothing_is_looked_for_while_something_is_being_forgotten(stage: Stage) -> None:
    begin(everything(), sessions_folder(), state_file())
    stage.service.preview_forget(ForgetScope.LAST, None)
    assert "being forgotten" in stage.view.next(TimelineTrouble).what
    report = present(finish(state_file()))
    stage.service.close()
    stage.service.purged(report)
    assert stage.view.replies.empty()


def test_a_window_is_opened_from_outside_only_where_there_is_an_interface() -> None:
    made = Stage()
    assert made.service.show()
    assert made.view.opened == 1
    headless = TimelineService(made.service._sources)
    assert not headless.show()
