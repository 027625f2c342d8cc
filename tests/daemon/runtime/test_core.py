"""The core without a desktop: the gate obeys the last request, sessions follow one another, faults are reported."""

import asyncio
import contextlib
import datetime as dt
import gc
import shutil
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from weakref import ref

import pytest

from daemon.capture.accessibility.choice import with_recording
from daemon.capture.gate import Gate
from daemon.capture.thread import CaptureThread
from daemon.history.timeline.service import NOT_RUNNING
from daemon.purge.purge import begin, finish
from daemon.purge.span import everything
from daemon.runtime import core as core_module
from daemon.runtime import purging as purging_module
from daemon.runtime import sensing as sensing_module
from daemon.runtime.commands import Commands
from daemon.runtime.core import Core, release_memory
from daemon.runtime.headless import HeadlessDisplay
from daemon.runtime.quiet_day import next_hour_wall_ns
from daemon.runtime.sensing import Reason
from daemon.runtime.session import LiveSession
from demo.virtual_desktop.windows import poll
from policies.gates import SUPPRESSING_GATES
from storage.clock import DAY_NS, NS_PER_S, ManualClock, local_time
from storage.enrolment import Enrolment, QuestionItem, QuestionPlan, StudyTask
from storage.errors import EnvironmentFault, UsageError
from storage.files import config_file
from storage.ports import (
    CandidateKind,
    CandidateNote,
    HelpCandidate,
    HelpCandidates,
    HelpContent,
    QuietDaySummary,
    RunState,
    Status,
    StudyProgress,
    StudyReply,
    StudyRequest,
)
from storage.records import (
    Answer,
    AnswerKind,
    Box,
    Decision,
    EarlierReport,
    FeedbackKind,
    NeedReport,
    Offer,
    Problem,
    Record,
    Switch,
    SwitchName,
    TaskMark,
    TaskStep,
    Verdict,
)
from storage.settings import CaptureSettings, HelpSettings, Settings
from storage.state.store import Consent, StateStore
from storage.testing import plain
from storage.timeline import ForgetReport, ForgetScope, TimelineTrouble
from tests.fakes.detectors.fake_detectors import offer_about
from tests.fakes.detectors.questions import enrolment
from tests.fakes.help.help_library import FREEZE, FakeLibrary
from tests.fakes.narrowing import present
from tests.fakes.sessions.session_sample import write_session
from tests.fakes.ui.requests import NotedView, forget_report

WALL_NS = 1_790_000_000 * NS_PER_S
CONSENT = Consent(journal=True, recording=False, given_at_wall_ns=1)


class FakeSession:
    """A session that stores what it gets; a test can make the next ones fail, or hold one between two others."""

    made: list["FakeSession"]
    faults: list[Exception]
    hold: threading.Event
    controls, looks_for_answers = None, True
    typing: Box | None = None

    def __init__(self, *, settings: Settings, cut_wall_ns: int, restrictions: object = None, **parts: Any) -> None:
        if self.faults:
            raise self.faults.pop()
        self.restrictions = restrictions
        self.policy, self.cut_wall_ns = settings.policy.name, cut_wall_ns
        self.how_often, self.records = settings.policy.how_often, parts["consent"].recording
        self.folder = Path(f"session-{len(self.made)}")
        self.sink, self.gate = parts["sink"], parts["gate"]
        self.cut, self.fail = parts["on_cut"], parts["on_failure"]
        self.rows: list[Record] = []
        self.prices: list[object] = []
        self.carried: dict[SwitchName, bool] = {}
        self.ended = ""
        self.asked: list[str] = []
        self.asked_how: list[tuple[str, dict[str, object]]] = []
        self.searches = True
        self.sees_soon = False
        self.closed_help: list[str] = []
        self.model_calls: list[tuple[str, str]] = []
        self.made.append(self)

    async def start(self, _: object, switches: Mapping[SwitchName, bool]) -> None:
        self.carried = dict(switches)

    def submit(self, records: Sequence[Record]) -> None:
        self.rows.extend(records)
        for record in records:
            if isinstance(record, Switch):
                self.sink.changed(record)

    def drain(self) -> None: ...

    def names_for(self, offer: Offer) -> Mapping[str, str]:
        return {"control": f"the control of {offer.offer_id}"}

    def content_of(self, offer: Offer) -> HelpContent | None:
        return HelpContent(page=FREEZE) if offer.page_id == FREEZE.page_id else None

    @property
    def help(self) -> "FakeSession":
        return self

    @property
    def answers(self) -> SimpleNamespace:
        return SimpleNamespace(
            ask=lambda *asked: self.model_calls.append(asked),
            stop_answer=lambda offer_id: self.model_calls.append((offer_id, "stop")),
            close_card=self.closed_help.append,
        )

    def ask(self, words: str, page_id: str = "", **how: object) -> bool:
        self.asked.append(words)
        self.asked_how.append((page_id, how))
        return self.searches

    @property
    def answers_found(self) -> HelpCandidates | None:
        command = HelpCandidate(page=FREEZE, kind=CandidateKind.COMMAND, score=0.9, keys="F5", greyed=True)
        pages = (command, HelpCandidate(page=FREEZE, kind=CandidateKind.PAGE, score=0.5))
        notes = (CandidateNote.READING,)
        found = HelpCandidates(words="", app="mousepad", candidates=pages, unmatched=("the",), notes=notes)
        return found if len(self.asked) > 1 else None

    def find(self, words: str, take: Callable[[HelpCandidates], None]) -> None:
        take(HelpCandidates(words=words, app="mousepad"))

    def choose(self, offer_id: str, page_id: str) -> None:
        self.closed_help.append(f"{offer_id} {page_id}")

    def end_pointing(self, offer_id: str) -> None:
        self.closed_help.append(offer_id)

    async def stop(self, reason: str) -> None:
        await asyncio.to_thread(self.hold.wait, 5)
        self.ended = reason

    def switches(self, name: SwitchName) -> list[bool]:
        return [row.on for row in self.rows if isinstance(row, Switch) and row.name is name]


class FakeDisplay(HeadlessDisplay):
    """A display that stores what it is to show."""

    def __init__(self) -> None:
        self.states: list[RunState] = []
        self.problems: list[tuple[str, bool]] = []
        self.days: list[QuietDaySummary] = []
        self.offers: list[tuple[str, dict[str, str]]] = []
        self.contents: list[HelpContent | None] = []
        self.candidates: list[HelpCandidates] = []
        self.questions: list[tuple[str, tuple[str, ...]]] = []
        self.replies: list[StudyReply] = []
        self.studies: list[StudyProgress | None] = []
        self.ends = 0

    def show_status(self, status: Status) -> None:
        self.states.append(status.state)
        self.studies.append(status.study)

    def show_offer(self, offer: Offer, names: Mapping[str, str], content: HelpContent | None = None) -> None:
        self.offers.append((offer.offer_id, dict(names)))
        self.contents.append(content)

    def show_candidates(self, found: HelpCandidates) -> None:
        self.candidates.append(found)

    def show_question(self, question_id: str, items: Sequence[QuestionItem]) -> None:
        self.questions.append((question_id, tuple(item.code for item in items)))

    def close_question(self, question_id: str) -> None:
        self.questions.append((question_id, ()))

    def show_study_reply(self, reply: StudyReply) -> None:
        self.replies.append(reply)

    def notify_problem(self, problem: Problem) -> None:
        self.problems.append((problem.code, problem.over))

    def show_quiet_day_summary(self, day: QuietDaySummary) -> None:
        self.days.append(day)

    def end(self) -> None:
        self.ends += 1


class Stage:
    """A running core with fake sessions."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.monkeypatch = folder, monkeypatch
        self.state_file = folder / "state.db"
        self.core = self.make_core()
        self.display = FakeDisplay()

    def make_core(self, settings: Settings | None = None, **more: Any) -> Core:
        sessions_dir = self.folder / "sessions"
        return Core(settings=settings or Settings(), sessions_dir=sessions_dir, state_file=self.state_file, **more)

    @property
    def commands(self) -> Commands:
        return Commands(self.core)

    @property
    def gate(self) -> Gate:
        return self.core.sensing.gate

    @property
    def sessions(self) -> list[FakeSession]:
        return FakeSession.made

    def start(self, consent: Consent = CONSENT) -> None:
        self.commands.start(consent, self.display)
        self.until(lambda: self.core.failure is not None or self.gate.is_open, "a session")

    def start_agreed(self) -> None:
        with StateStore(self.state_file) as state:
            state.save_consent(CONSENT)
        self.start()

    def start_closed(self) -> None:
        """Start, where something keeps the gate closed although a session runs."""
        self.commands.start(CONSENT, self.display)
        self.until(lambda: not self.core.sensing.is_closed_for(Reason.STARTING), "a session")

    def restart(self) -> None:
        """End, and make another core that was not started, as after a kill: the old one ends without a resume."""
        self.core.quit()
        self.core.join()
        self.core = self.make_core()

    def enrol(self, study: Enrolment | None) -> None:
        with StateStore(self.state_file) as state:
            state.save_enrolment(study)

    def has_consent(self) -> bool:
        with StateStore(self.state_file) as state:
            consent = present(state.consent())
        return consent.journal

    def make_outbox(self) -> Path:
        """Make the outbox of the study, as one that nobody can read; return it."""
        outbox = self.folder / "studies" / "s1" / "outbox.db"
        outbox.parent.mkdir(parents=True)
        outbox.write_bytes(b"no database")
        return outbox

    def wait_for(self, count: int) -> None:
        self.until(lambda: len(self.sessions) == count and self.gate.is_open, f"session {count}")

    def until(self, check: Callable[[], bool], what: str) -> None:
        poll(lambda: check() or None, what=what, timeout_s=30)

    def settle(self) -> None:
        done = threading.Event()
        self.core.call(done.set)
        assert done.wait(10)

    def do(self, action: Callable[[], object]) -> None:
        self.core.call(action)
        self.settle()

    def follow_study(self) -> None:
        self.core.call(lambda: self.commands.handle("study", {}))

    @contextmanager
    def between_sessions(self) -> Iterator[None]:
        """Cut the session, and open the desktop for the next one only afterwards."""
        waiting, go = threading.Event(), threading.Event()

        def open_slowly(_: object) -> threading.Semaphore:
            waiting.set()
            go.wait(10)
            return threading.Semaphore()

        self.monkeypatch.setattr(core_module, "open_backend", open_slowly)
        self.core.call(lambda: self.sessions[0].cut("midnight"))
        assert waiting.wait(10)
        yield
        go.set()
        self.wait_for(2)

    def use_clock(self, wall_ns: int) -> ManualClock:
        self.core._clock = clock = ManualClock(0, wall_ns)  # type: ignore[assignment]  # sessions need more: fakes
        return clock

    def see(self) -> "SeenView":
        view = SeenView()
        self.core.timeline.attach(view)
        return view

    def purged(self) -> Mapping[str, Any]:
        answer: Mapping[str, Any] = self.commands.handle("purged", {})["purge"]
        return answer

    def while_busy(self, *actions: Callable[[], object]) -> None:
        busy, go = threading.Event(), threading.Event()
        self.core.call(busy.set)
        self.core.call(lambda: go.wait(10))
        assert busy.wait(10)
        for action in actions:
            action()
        go.set()
        self.settle()


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    hold = threading.Event()
    hold.set()
    monkeypatch.setattr(FakeSession, "made", [], raising=False)
    monkeypatch.setattr(FakeSession, "faults", [], raising=False)
    monkeypatch.setattr(FakeSession, "hold", hold, raising=False)
    monkeypatch.setattr(core_module, "LiveSession", FakeSession)
    monkeypatch.setattr(core_module, "STOP_LIMIT_S", 3600.0)
    monkeypatch.setattr(core_module, "FIRST_WAIT_S", 0.01)
    monkeypatch.setattr(core_module, "release_memory", lambda: None)  # it would search all modules and tests again
    monkeypatch.setattr(core_module, "socket_file", lambda: tmp_path / "s")
    monkeypatch.setattr(core_module, "open_backend", lambda _: threading.Semaphore())
    monkeypatch.setattr(threading.Semaphore, "close", lambda _: None, raising=False)
    made = Stage(tmp_path, monkeypatch)
    yield made
    hold.set()
    made.core.quit()
    if made.core._thread.ident is not None:
        made.core.join()


@pytest.fixture
def live(stage: Stage) -> Stage:
    stage.start()
    return stage


def test_a_pause_requested_after_a_resume_holds(live: Stage) -> None:
    """Resume and pause in one breath, before the core can follow: nothing may be captured afterwards."""
    live.commands.pause(None)
    live.settle()
    live.while_busy(live.commands.resume, lambda: live.commands.pause(None))
    assert not live.gate.is_open
    assert live.core.sink.status().state is RunState.PAUSED


def test_private_time_requested_again_holds(live: Stage) -> None:
    live.commands.set_private(True)
    live.settle()
    live.while_busy(lambda: live.commands.set_private(False), lambda: live.commands.set_private(True))
    assert not live.gate.is_open
    assert live.core.sink.status().state is RunState.PRIVATE


@pytest.mark.parametrize("closed_by", ["pause", "private", "cut"])
def test_a_gate_that_was_closed_meanwhile_is_recognized(live: Stage, closed_by: str) -> None:
    epoch = live.gate.epoch
    assert live.gate.passed(epoch)
    match closed_by:
        case "pause":
            live.commands.pause(None)
            live.commands.resume()
        case "private":
            live.commands.set_private(True)
            live.commands.set_private(False)
        case "cut":
            live.core.call(lambda: live.sessions[0].cut("midnight"))
            live.until(lambda: len(live.sessions) == 2, "the next session")
    live.until(lambda: live.gate.is_open, "the end of it")
    assert not live.gate.passed(epoch)


def test_what_a_session_leaves_behind_is_given_back_also_where_it_was_frozen(
    live: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each cut held 26 MB for good: what knows itself, and was there when everything that stays was frozen."""
    monkeypatch.setattr(core_module, "release_memory", release_memory)

    class Knot:
        itself: object

    knot = Knot()
    knot.itself = knot
    left = ref(knot)
    gc.freeze()
    del knot
    live.core.call(lambda: live.sessions[0].cut("midnight"))
    live.until(lambda: len(live.sessions) == 2, "the next session")
    assert left() is None


def test_a_timer_does_not_end_a_later_pause(live: Stage) -> None:
    """The first pause runs out while the second one is on its way to the core."""
    live.commands.pause(0.001)
    live.while_busy(lambda: threading.Event().wait(0.05), lambda: live.commands.pause(3600))
    assert not live.gate.is_open
    assert live.core.sink.status().state is RunState.PAUSED


def test_a_pause_that_runs_out_opens_the_gate_but_not_in_private_time(live: Stage) -> None:
    live.commands.pause(0.001)
    live.until(lambda: live.gate.is_open, "the end of the pause")
    live.commands.set_private(True)
    live.commands.pause(0.001)
    live.until(lambda: live.sessions[0].switches(SwitchName.PAUSED) == [True, False] * 2, "the end of the other")
    assert not live.gate.is_open
    live.commands.set_private(False)
    live.until(lambda: live.gate.is_open, "the end of private time")


@pytest.mark.parametrize("paused", [True, False])
def test_a_request_between_two_sessions_holds_in_the_next(live: Stage, *, paused: bool) -> None:
    if not paused:
        live.commands.pause(None)
        live.settle()
    FakeSession.hold.clear()
    live.core.call(lambda: live.sessions[0].cut("midnight"))
    live.until(lambda: live.core.session is None, "the cut")
    if paused:
        live.commands.pause(None)
    else:
        live.commands.resume()
    live.settle()
    FakeSession.hold.set()
    live.until(lambda: len(live.sessions) == 2 and live.core.session is not None, "the next session")
    live.until(lambda: not live.core.sensing.is_closed_for(Reason.STARTING), "its start")
    assert live.gate.is_open is not paused
    assert live.sessions[1].carried[SwitchName.PAUSED] is paused
    assert live.core.sink.status().state is (RunState.PAUSED if paused else RunState.WATCHING)


def test_the_fence_and_the_problems_of_a_session_end_with_it(live: Stage) -> None:
    """The next session's own capture and recorder tell what still holds; nothing stays in the tray for ever."""
    first = live.sessions[0]
    live.core.call(lambda: live.core.sink.changed(Switch(name=SwitchName.EXCLUDED, on=True, by="fence")))
    live.core.call(lambda: live.core.sink.changed(Problem(code="disk_full")))
    live.core.call(lambda: live.core.sink.changed(Problem(code="display_gone")))
    live.do(lambda: live.core.sink.changed(Problem(code="display_gone", over=True)))
    assert live.core.sink.status().problem == "disk_full"
    live.core.call(lambda: (first.cut("wake"), first.cut("midnight")))
    live.wait_for(2)
    assert live.display.problems[-1] == ("disk_full", True)
    assert not live.sessions[1].carried[SwitchName.EXCLUDED]
    assert live.core.sink.status() == Status(state=RunState.WATCHING)
    assert len(live.sessions) == 2


def test_an_offer_is_shown_with_what_its_session_holds_for_it(live: Stage) -> None:
    """Names, page and the place where somebody types; also where it brings no page, the card keeps clear of that."""
    with_page = replace(offer_about(), page_id=FREEZE.page_id)
    for place in (None, Box(300, 200, 12, 20)):
        live.sessions[0].typing = place
        live.core.sink.show(with_page)
        live.core.sink.show(offer_about())
        assert live.display.contents[-2] == HelpContent(page=FREEZE, typing=place)
        assert live.display.contents[-1] == (None if place is None else HelpContent(typing=place))
    assert live.display.offers == [("o1", {"control": "the control of o1"})] * 4


def test_somebody_who_asks_is_heard_only_while_kairos_watches(live: Stage) -> None:
    session = live.sessions[0]
    refused: list[str] = []

    def ask(words: object) -> None:
        try:
            live.commands.handle("ask", {"words": words})
        except UsageError as error:
            refused.append(error.what)

    def orders() -> None:
        ask("freeze rows")
        ask(["no", "text"])
        ask("x" * 501)
        session.searches = False
        ask("again")
        live.core.sink.changed(Switch(name=SwitchName.EXCLUDED, on=True, by="fence"))
        ask("excluded")
        live.core.sink.changed(Switch(name=SwitchName.EXCLUDED, on=False, by="fence"))
        live.commands.pause(None)
        ask("paused")

    live.do(orders)
    assert session.asked == ["freeze rows", "again"]
    for reason, part in zip(refused, ("500", "500", "library is off", "excluded", "not watching"), strict=True):
        assert part in reason


def test_who_asks_in_a_terminal_before_any_window_is_told_to_wait(live: Stage) -> None:
    session = live.sessions[0]
    answers: list[Any] = []

    def orders() -> None:
        session.sees_soon = True
        asked = {"words": "undo", "patient": True}
        ways = (asked, {**asked, "app": "mousepad"}, {"words": "undo"})
        answers.extend(live.commands.handle("ask", way).get("waits") for way in ways)
        live.core.sensing.close(Reason.STARTING)
        answers.append(live.commands.handle("ask", ways[1]).get("waits"))

    live.do(orders)
    assert answers == [True, None, None, True]
    assert len(session.asked) == 2


def test_who_asks_in_a_terminal_gets_what_answers_over_the_socket(live: Stage) -> None:
    """Never the words themselves; those who ask in the window get them back there."""
    session = live.sessions[0]
    answers: list[Any] = []

    def orders() -> None:
        live.commands.handle("ask", {"words": "freeze"})
        answers.append(live.commands.handle("asked", {}))
        live.commands.handle("ask", {"words": "freeze", "app": "mousepad"})
        answers.append(live.commands.handle("asked", {}))
        with pytest.raises(UsageError, match="--app"):
            live.commands.handle("ask", {"words": "freeze", "app": 7})

    live.do(orders)
    assert session.asked_how == [
        ("", {"app": "", "in_terminal": True, "rings": True}),
        ("", {"app": "mousepad", "in_terminal": True, "rings": True}),
    ]
    assert answers[0] == {"answers": None, "looks": True}
    command, page = answers[1]["answers"].pop("candidates")
    assert answers[1]["answers"] == {"app": "mousepad", "unmatched": ["the"], "notes": ["reading"], "language": ""} | {
        "unsearched": ""
    }
    assert (command["kind"], command["path"], command["keys"], command["greyed"]) == ("command", [], "F5", True)
    assert (page["kind"], page["path"], page["title"], page["score"]) == ("page", [], FREEZE.title, 0.5)
    assert "words" not in str(answers)


def test_what_is_typed_in_the_window_is_looked_for_and_what_is_chosen_there_shown(live: Stage) -> None:
    live.commands.find_help("fre" + "x" * 900)
    live.commands.ask_help("freeze", "p1", ring=False)
    live.commands.choose_help("o7", "p2")
    live.settle()
    assert [found.words for found in live.display.candidates] == [("fre" + "x" * 900)[:500]]
    session = live.sessions[0]
    assert (session.asked, session.closed_help) == (["freeze"], ["o7 p2"])
    assert session.asked_how == [("p1", {"app": "", "in_terminal": False, "rings": False})]
    live.do(lambda: live.core.sink.changed(Switch(name=SwitchName.EXCLUDED, on=True, by="fence")))
    live.commands.find_help("again")
    live.settle()
    assert len(live.display.candidates) == 1


def test_the_tray_asks_without_words_and_says_which_card_was_closed(live: Stage) -> None:
    live.commands.ask_help()
    live.commands.close_help("o7")
    live.commands.ask_model("o7", "why?" + "x" * 900)
    live.commands.stop_model("o7")
    live.settle()
    live.commands.pause(None)
    live.commands.ask_help()
    live.settle()
    assert (live.sessions[0].asked, live.sessions[0].closed_help) == ([""], ["o7", "o7"])
    assert live.sessions[0].model_calls == [("o7", ("why?" + "x" * 900)[:500]), ("o7", "stop")]
    assert live.core.failure is None


def test_a_fault_between_two_sessions_is_waited_out(live: Stage) -> None:
    FakeSession.faults += [EnvironmentFault("full", code="disk_full") for _ in range(3)]
    live.core.call(lambda: live.sessions[0].cut("midnight"))
    live.wait_for(2)
    assert live.display.problems == [("disk_full", False), ("disk_full", True)]
    assert live.core.failure is None


def test_a_fault_at_the_first_session_ends_the_core(stage: Stage) -> None:
    FakeSession.faults.append(EnvironmentFault("full", code="disk_full"))
    stage.start()
    stage.core.join()
    assert isinstance(stage.core.failure, EnvironmentFault)
    assert stage.display.ends == 1


def test_a_bug_ends_the_core_in_order(live: Stage) -> None:
    bug = ZeroDivisionError()
    live.core.call(lambda: live.sessions[0].fail(bug))
    live.core.join()
    assert live.core.failure is bug
    assert live.sessions[0].ended == "quit"
    assert live.display.ends == 1
    assert not live.gate.is_open


@pytest.mark.parametrize("locked", [True, False])
def test_taking_consent_back_is_stored_before_anything_is_stopped(stage: Stage, *, locked: bool) -> None:
    """A stop that hangs is cut short by the watchdog, and a locked database stays locked: neither loses it."""
    stage.start_agreed()
    FakeSession.hold.clear()
    other = sqlite3.connect(stage.state_file)
    if locked:
        other.execute("BEGIN EXCLUSIVE")
    stage.commands.revoke()
    other.close()
    assert not stage.gate.is_open
    assert stage.sessions[0].ended == ""
    assert not stage.has_consent()
    FakeSession.hold.set()
    stage.core.join()
    assert stage.core.failure is None
    assert stage.sessions[0].switches(SwitchName.CONSENT) == [False]


def test_a_refusal_that_cannot_be_stored_ends_with_an_error(live: Stage) -> None:
    live.monkeypatch.setattr(live.core, "_state_file", Path("/dev/null/state.db"))
    live.commands.revoke()
    assert not live.gate.is_open
    live.core.join()
    assert isinstance(live.core.failure, EnvironmentFault)
    assert live.sessions[0].ended == "quit"


@pytest.mark.parametrize(
    ("name", "stop", "resume"),
    [
        (SwitchName.PAUSED, lambda commands: commands.pause(None), lambda commands: commands.resume()),
        (SwitchName.PAUSED, lambda commands: commands.pause(3600), lambda commands: commands.resume()),
        (SwitchName.PRIVATE, lambda commands: commands.set_private(True), lambda commands: commands.set_private(False)),
        (SwitchName.PRIVATE, lambda commands: commands.set_private(True), lambda commands: commands.resume()),
    ],
)
def test_a_pause_holds_over_a_restart_until_it_is_ended(
    stage: Stage, name: SwitchName, stop: Callable[[Commands], None], resume: Callable[[Commands], None]
) -> None:
    stage.start()
    stop(stage.commands)
    until_ns = stage.core.sensing._markers[Reason[name.name]].wall_ns()  # stored when the call has returned
    assert until_ns is not None
    stage.restart()
    stage.start_closed()
    assert not stage.gate.is_open
    assert stage.sessions[-1].carried[name]
    if stage.core.sink.status().paused_until_wall_ns is not None:
        assert stage.core.sink.status().paused_until_wall_ns == until_ns
    resume(stage.commands)
    stage.until(lambda: stage.gate.is_open, "the end of it")
    stage.restart()
    stage.start()
    assert not stage.sessions[-1].carried[name]


def test_a_pause_that_ended_while_nothing_ran_is_over(stage: Stage) -> None:
    stage.commands.pause(0.001)
    stage.until(lambda: stage.core._clock.wall_ns() > (stage.folder / "paused").stat().st_mtime_ns, "its end")
    stage.start()
    assert not (stage.folder / "paused").exists()


def test_a_pause_ends_by_the_wall_clock_as_announced(stage: Stage) -> None:
    """Timers stand still through a suspend; after it the pause is over if the time it was announced for has passed."""
    clock = ManualClock(0, WALL_NS)
    stage.core.sensing._clock = clock
    stage.monkeypatch.setattr(sensing_module, "PAUSE_CHECK_S", 0.01)
    stage.start()
    stage.commands.pause(3600)
    stage.settle()
    assert stage.core.sink.status().paused_until_wall_ns == WALL_NS + 3600 * NS_PER_S
    clock.advance(3599 * NS_PER_S)
    stage.settle()
    assert not stage.gate.is_open
    clock.advance(NS_PER_S)
    stage.until(lambda: stage.gate.is_open, "the end of the pause")


def test_old_sessions_are_announced_and_deleted_while_kairos_runs_on(stage: Stage) -> None:
    """A daemon that stays up for months keeps to the days of the settings; it also cuts a session that stands still."""
    clock = stage.use_clock(WALL_NS)
    stage.monkeypatch.setattr(core_module, "DAILY_CHECK_S", 0.01)
    old = stage.folder / "sessions" / "20260901-120000-abcd"
    old.mkdir(parents=True)
    stage.start()
    assert stage.display.problems == []
    clock.advance(30 * DAY_NS)
    stage.until(lambda: ("deletion_due", False) in stage.display.problems, "the notice")
    stage.wait_for(2)
    assert old.exists()
    clock.advance(2 * DAY_NS)
    stage.until(lambda: not old.exists(), "the deletion")


def test_a_quiet_first_day_is_silent_and_then_summed_up_once(stage: Stage) -> None:
    consent = Consent(journal=True, recording=False, given_at_wall_ns=WALL_NS, quiet_first_day=True)
    clock = stage.use_clock(WALL_NS + DAY_NS - 1)
    stage.start(consent)
    (first,) = stage.sessions
    assert (first.policy, first.cut_wall_ns) == ("silent", WALL_NS + DAY_NS)
    assert stage.core.sink.status().silent_until_wall_ns == WALL_NS + DAY_NS
    stage.core.call(lambda: first.sink.decided(spoken("evidence")))
    clock.advance(1)
    stage.core.call(lambda: first.cut("time"))
    stage.wait_for(2)
    second = stage.sessions[1]
    assert (second.policy, stage.core.sink.status().silent_until_wall_ns) == ("utility", None)
    stage.do(lambda: second.sink.decided(spoken("manners")))
    assert stage.display.days == []
    stage.core.call(lambda: (second.sink.decided(spoken("evidence")), second.sink.decided(spoken("budget"))))
    stage.settle()
    assert stage.display.days == [QuietDaySummary(decisions=0, offers=())]
    stage.core.call(lambda: second.cut("time"))
    stage.wait_for(3)
    stage.do(lambda: stage.sessions[2].sink.decided(spoken("evidence")))
    assert len(stage.display.days) == 1


@pytest.mark.parametrize("name", ["silent", "utility"])
def test_the_first_day_is_not_summed_up_in_a_study_that_hides_its_lots(stage: Stage, name: str) -> None:
    """Whether a summary comes would tell of the arm; nor does one come when the study is over, in any arm."""
    consent = Consent(journal=True, recording=False, given_at_wall_ns=WALL_NS, quiet_first_day=True)
    clock = stage.use_clock(WALL_NS + DAY_NS)
    stage.enrol(enrolment(local_time(clock.wall_ns()).date(), 1, settings={"policy.name": name}))
    stage.start(consent)
    clock.advance(2 * DAY_NS)
    for count in (2, 3):
        session = stage.sessions[-1]
        stage.do(partial(session.sink.decided, spoken("evidence")))
        assert stage.display.days == []
        stage.core.call(partial(session.cut, "time"))
        stage.wait_for(count)
    assert [session.policy for session in stage.sessions] == [name, "utility", "utility"]
    with StateStore(stage.state_file) as state:
        assert state.summarized_day() == WALL_NS


FORGET, FORGET_ALL = ("forget", {"mutes": False}), ("forget", {"mutes": True})
UNMUTE = ("unmute", {"topic": "undo_bursts"})


@pytest.mark.parametrize(
    ("requests", "remaining"),
    [
        ([FORGET], {"muted": ["undo_bursts"]}),
        ([FORGET_ALL], {}),
        ([UNMUTE, FORGET], {"muted": []}),  # one does not take the place of the other
    ],
)
def test_what_was_learned_is_forgotten_between_two_sessions(
    live: Stage, requests: list[tuple[str, dict[str, object]]], remaining: dict[str, object]
) -> None:
    """The session that runs saves what it knows when it ends; only after that nothing writes it again."""
    saved = {"learned": {}, "muted": ["undo_bursts"], "seed": 7}
    FakeSession.hold.clear()
    live.core.call(lambda: [live.commands.handle(*request) for request in requests])
    live.until(lambda: live.core.session is None, "the cut")
    with StateStore(live.state_file) as state:
        state.save_policy_state("default", saved, 5)
    FakeSession.hold.set()
    live.wait_for(2)
    with StateStore(live.state_file) as state:
        left, wall_ns = state.policy_state("default")
    assert (dict(left), wall_ns) == ({"seed": 7} | remaining, 5)


def test_what_was_learned_is_forgotten_before_the_session_that_begins_next(live: Stage) -> None:
    seen: list[Mapping[str, object]] = []

    async def start(session: FakeSession, _: object, switches: Mapping[SwitchName, bool]) -> None:
        with StateStore(live.state_file) as state:
            seen.append(state.policy_state("default")[0])

    live.monkeypatch.setattr(FakeSession, "start", start)
    with StateStore(live.state_file) as state:
        state.save_policy_state("default", {"learned": {}, "muted": ["undo_bursts"]}, 5)
        state.save_policy_state("another", {"learned": {}}, 5)
    with live.between_sessions():
        live.do(lambda: live.commands.handle(*FORGET))
    assert seen == [{"muted": ["undo_bursts"]}]
    with StateStore(live.state_file) as state:
        assert state.policy_state("another")[0] == {}


EVERYTHING: dict[str, object] = {"scope": "all", "begin_ns": 0, "end_ns": None}


def request_purge(stage: Stage, **changes: object) -> Mapping[str, Any]:
    answers: list[Mapping[str, Any]] = []
    request = EVERYTHING | {"sessions_dir": str(stage.folder / "sessions")} | changes
    stage.do(lambda: answers.append(stage.commands.handle("purge", request)))
    return answers[0]["purge"] if answers else {}


@pytest.mark.parametrize("paused", [True, False])
def test_a_purge_is_carried_out_between_two_sessions(live: Stage, *, paused: bool) -> None:
    if paused:
        live.commands.pause(None)
        live.settle()
    recorded = write_session(live.folder / "sessions", pictures=0)
    seen: list[tuple[bool, str, bool, int]] = []
    real = finish

    def look(state_file: Path) -> object:
        seen.append((live.gate.is_open, live.sessions[0].ended, recorded.exists(), len(live.sessions)))
        assert dropped == [True]  # the window for labels holds nothing any more that it could write back
        return real(state_file)

    dropped: list[bool] = []
    live.monkeypatch.setattr(live.core.labels, "drop", lambda: dropped.append(True))
    live.monkeypatch.setattr(purging_module, "finish", look)
    FakeSession.hold.clear()
    forgotten: list[bool] = []
    live.monkeypatch.setattr(live.core.sink.review, "forget", lambda: forgotten.append(live.gate.is_open))
    assert request_purge(live) == {"number": 1, "report": None, "error": None, "remedy": None}
    assert forgotten == [False]  # nobody is asked about what goes
    assert not live.gate.is_open
    assert (live.folder / "purge").exists()
    assert recorded.exists()
    FakeSession.hold.set()
    live.until(lambda: len(live.sessions) == 2 and live.core.session is not None, "the next session")
    live.until(lambda: not live.core.sensing.is_closed_for(Reason.STARTING), "its start")
    assert seen == [(False, "cut", True, 1)]
    assert not recorded.exists()
    assert not (live.folder / "purge").exists()
    assert live.gate.is_open is not paused
    assert live.purged()["report"]["deleted"] == [recorded.name]


def test_quiet_that_somebody_asked_for_shows_until_when_and_no_longer(stage: Stage) -> None:
    sink = stage.core.sink
    sink._clock = ManualClock(0, WALL_NS)
    decision = plain(Decision, gate="budget", reason="snoozed", numbers={"left_s": 600.0})
    shown = []
    for each in (decision, replace(decision, numbers={"left_s": 599.0}), replace(decision, numbers={"left_s": 3600.0})):
        sink.decided(each)
        shown.append(sink.status().quiet_until_wall_ns)
    assert shown == [WALL_NS + 600 * NS_PER_S, WALL_NS + 600 * NS_PER_S, WALL_NS + 3600 * NS_PER_S]
    sink.decided(replace(decision, reason="not_enough", numbers={}))
    assert sink.status().quiet_until_wall_ns is None


def test_a_model_that_cannot_be_asked_shows_in_the_status(live: Stage) -> None:
    for over in (False, True):
        live.do(partial(live.core.sink.changed, Problem(code="model_gone", over=over)))
        status = live.core.sink.status()
        assert (status.state, status.model_off) == (RunState.WATCHING, not over)


class SeenView(NotedView):
    """A window, as the core sees it: the timeline, or the settings."""

    def reports(self) -> list[ForgetReport]:
        return [reply for reply in self.replies if isinstance(reply, ForgetReport)]

    def troubles(self) -> list[str]:
        return [reply.what for reply in self.replies if isinstance(reply, TimelineTrouble)]


def test_the_last_minutes_are_forgotten_as_shown_and_need_no_window(stage: Stage) -> None:
    view = stage.see()
    stage.start()
    recorded = write_session(stage.folder / "sessions", pictures=0)
    stage.core.timeline.preview_forget(ForgetScope.ALL, None)
    stage.until(lambda: len(view.reports()) == 1, "the preview")
    (shown,) = view.reports()
    assert (shown.done, shown.sessions) == (False, 1)
    assert shown.out_of_reach
    assert recorded.exists()
    begin_ns = shown.begin_wall_ns + 7
    FakeSession.hold.clear()
    for _ in range(2):
        stage.core.timeline.forget(replace(shown, scope=ForgetScope.LAST, begin_wall_ns=begin_ns))
    stage.until((stage.folder / "purge").exists, "the note of the purge")
    assert not stage.gate.is_open
    stage.core.call(lambda: stage.core.purging.request_from_window(everything()))
    stage.until(lambda: view.troubles() == ["a purge is under way"], "the refusal of another")
    FakeSession.hold.set()
    stage.until(lambda: len(view.reports()) == 2, "the outcome")
    gone = view.reports()[1]
    assert (gone.done, gone.sessions, gone.scope, gone.begin_wall_ns) == (True, 1, ForgetScope.LAST, begin_ns)
    assert not recorded.exists()
    stage.until(lambda: stage.gate.is_open, "the next session")
    request_purge(stage)
    stage.wait_for(3)
    assert len(view.replies) == 3


def test_why_something_is_not_forgotten_is_said_once_however_often_it_is_tried(stage: Stage) -> None:
    view = stage.see()
    stage.start()
    report = forget_report(scope=ForgetScope.ALL, begin_wall_ns=0)
    tries: list[int] = []

    def fail(*_: object) -> None:
        tries.append(1)
        raise EnvironmentFault("the disk is full")

    real = finish
    with stage.monkeypatch.context() as patch:
        patch.setattr(purging_module, "begin", fail)
        stage.core.timeline.forget(report)
        stage.until(lambda: view.troubles() == ["nothing was deleted: the disk is full"], "the refusal")
        assert stage.gate.is_open
    tries.clear()
    stage.monkeypatch.setattr(purging_module, "finish", fail)
    stage.core.timeline.forget(report)
    stage.until(lambda: len(tries) >= 2, "a second try")
    assert view.troubles()[1:] == ["the disk is full"]
    stage.monkeypatch.setattr(purging_module, "finish", real)
    stage.until(lambda: bool(view.reports()), "the end of it")
    assert view.reports()[0].done
    assert len(view.replies) == 3


def test_what_is_said_in_the_timeline_goes_into_the_running_session(stage: Stage) -> None:
    view = SeenView()
    said = EarlierReport(session="session-0", start_ns=1, end_ns=2, needed=True, needs={"a": 0.5})
    stage.core.timeline.attach(view)
    stage.start()
    stage.core.call(lambda: stage.core._report_need(said))
    stage.do(lambda: stage.core._report_need(replace(said, session="another")))
    assert [row for row in stage.sessions[0].rows if not isinstance(row, Switch)] == [
        NeedReport(start_ns=1, end_ns=2, needed=True),
        replace(said, session="another"),
    ]
    stage.core.sink.session = None
    stage.core._report_need(said)
    assert view.replies == [NOT_RUNNING]


def test_the_evening_review_is_looked_for_only_at_breaks_of_a_person_who_chose_it(stage: Stage) -> None:
    looked: list[bool] = []
    stage.start()
    stage.monkeypatch.setattr(stage.core.sink.review, "look", lambda *_: looked.append(True))
    session = stage.sessions[0]

    def decide(gate: str, *, at_break: bool) -> None:
        stage.monkeypatch.setattr(session, "at_break", at_break, raising=False)
        stage.do(lambda: stage.core.sink.decided(spoken(gate)))

    decide("evidence", at_break=True)
    assert looked == []
    stage.monkeypatch.setattr(stage.core.sink, "_evening_review", True)
    decide(SUPPRESSING_GATES[0], at_break=True)
    decide("evidence", at_break=False)
    assert looked == []
    decide("evidence", at_break=True)
    assert looked == [True]
    stage.commands.answer_question("review/2026-09-21", AnswerKind.ANSWERED, {})
    stage.commands.answer_question("of a study", AnswerKind.NOT_NOW, {})
    stage.settle()
    assert [row.question_id for row in session.rows if isinstance(row, Answer)] == ["of a study"]


@pytest.mark.parametrize("command", ["seen", "settings"])
def test_a_window_opens_from_a_terminal_where_there_is_an_interface(stage: Stage, command: str) -> None:
    with pytest.raises(UsageError, match="without an interface"):
        stage.commands.handle(command, {})
    view = SeenView()
    (stage.core.timeline if command == "seen" else stage.core.preferences).attach(view)
    stage.commands.handle(command, {})
    assert view.opened == 1


def reload(stage: Stage, text: str) -> None:
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text(text)
    stage.commands.handle("reload", {})
    assert stage.core.preferences.wait(timeout_s=30.0)


def test_what_is_excluded_by_kairos_config_acts_in_the_running_kairos(stage: Stage) -> None:
    assert "signal" not in stage.core.exclusions.fence.excluded_apps
    reload(stage, '[fence]\nexcluded_apps = ["signal"]\n')
    assert "signal" in stage.core.exclusions.fence.excluded_apps


def test_what_is_turned_off_by_kairos_config_acts_in_the_running_kairos(stage: Stage) -> None:
    assert stage.core.restrictions.apply(Settings()) == Settings()
    reload(stage, '[help]\nmodel = "ahead"\nremote_model = "off"\n')
    assert stage.core.restrictions.apply(Settings()) == Settings(help=HelpSettings(remote_model="off"))
    stage.start()
    assert stage.sessions[-1].restrictions is stage.core.restrictions


def test_a_recording_that_is_turned_off_ends_at_once_and_comes_back_with_no_setting(stage: Stage) -> None:
    """Control: another setting that is turned off ends no session."""
    stage.start(replace(CONSENT, recording=True))
    assert stage.core.preferences.agreed == {"capture.record_screen"}
    reload(stage, '[help]\nremote_model = "off"\n')
    stage.settle()
    assert len(stage.sessions) == 1
    reload(stage, '[capture]\nrecord_screen = "off"\n')
    stage.wait_for(2)
    assert [session.records for session in stage.sessions] == [True, False]
    assert not stage.core.sink.status().recording
    reload(stage, '[capture]\nrecord_screen = "on"\n')
    stage.settle()
    assert len(stage.sessions) == 2


def test_what_is_turned_off_while_a_session_begins_counts_for_it(stage: Stage) -> None:
    stage.start(replace(CONSENT, recording=True))
    with stage.between_sessions():
        reload(stage, '[capture]\nrecord_screen = "off"\n')
    stage.settle()
    assert [session.records for session in stage.sessions] == [True, False]
    assert not stage.core.sink.status().recording


@pytest.mark.parametrize("was_agreed", [False, True])
def test_the_default_ends_a_recording_that_was_not_agreed_to(stage: Stage, *, was_agreed: bool) -> None:
    on = '[capture]\nrecord_screen = "on"\n'
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text(on)
    stage.core = stage.make_core(Settings(capture=CaptureSettings(record_screen="on")))
    stage.start(replace(CONSENT, recording=was_agreed))
    reload(stage, on)
    reload(stage, "")
    stage.settle()
    stage.wait_for(1 if was_agreed else 2)
    assert [session.records for session in stage.sessions] == ([True] if was_agreed else [True, False])


def test_a_yes_in_the_settings_goes_with_the_consent(stage: Stage) -> None:
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text(
        '[capture]\nrecord_screen = "on"\nunderstand_controls = "on"\nactive_fps = 1.0\n', encoding="utf-8"
    )
    stage.start_agreed()
    stage.commands.revoke()
    stage.core.join()
    assert config_file().read_text(encoding="utf-8") == "[capture]\nactive_fps = 1.0\n"


@pytest.mark.parametrize(("choice", "records"), [("as-agreed", True), ("on", True), ("off", False)])
def test_the_setting_of_the_recording_goes_before_what_was_agreed_to(choice: str, records: bool) -> None:
    """Without the journal nothing is recorded whatever it says."""
    settings = Settings(capture=CaptureSettings(record_screen=choice))
    assert with_recording(replace(CONSENT, recording=True), settings).recording is records
    refused = with_recording(replace(CONSENT, journal=False), settings)
    assert not refused.recording


def test_how_often_and_quiet_hours_act_at_once(stage: Stage) -> None:
    clock = stage.use_clock(next_hour_wall_ns(21, WALL_NS))
    stage.start()
    reload(stage, '[policy]\nhow_often = "rarely"\n')
    stage.wait_for(2)
    assert stage.sessions[-1].how_often == "rarely"
    text = '[policy]\nhow_often = "rarely"\n[interface]\nquiet_hours = true\n'
    reload(stage, text)
    stage.wait_for(3)
    assert (stage.sessions[-1].policy, stage.core.sink.status().silent_until_wall_ns) == ("utility", None)
    begin_ns = stage.sessions[-1].cut_wall_ns
    assert begin_ns == next_hour_wall_ns(22, clock.wall_ns())
    clock.advance(begin_ns - clock.wall_ns())
    stage.core.call(lambda: stage.sessions[-1].cut("time"))
    stage.wait_for(4)
    quiet = stage.sessions[-1]
    assert (quiet.policy, stage.core.sink.status().silent_until_wall_ns) == ("silent", next_hour_wall_ns(7, begin_ns))
    stage.core.sink.first_day = QuietDaySummary(decisions=0, offers=())
    stage.do(lambda: quiet.sink.decided(spoken("evidence")))
    assert stage.display.days == []  # nor is anything else shown unasked


def test_what_was_learned_and_muted_is_forgotten_from_the_window(stage: Stage) -> None:
    stage.start()
    with StateStore(stage.state_file) as state:
        state.save_policy_state("default", {"learned": {"a": 1}, "muted": ["undo_bursts", "dead_clicks"]}, WALL_NS)

    def kept() -> dict[str, object]:
        with StateStore(stage.state_file) as state:
            return {name: kept for name, kept in state.policy_states()["default"][0].items() if kept}

    stage.core.timeline.unmute("undo_bursts")
    stage.wait_for(2)
    assert kept()["muted"] == ["dead_clicks"]
    stage.core.timeline.forget_learned()
    stage.wait_for(3)
    assert not {"learned", "muted"} & kept().keys()


def test_the_accessibility_switch_goes_back_once_controls_are_turned_off(stage: Stage) -> None:
    choices: list[bool] = []

    async def apply_choice(_: StateStore, *, on: bool) -> None:
        choices.append(on)

    stage.monkeypatch.setattr(core_module, "apply_choice", apply_choice)
    stage.core.settings = replace(stage.core.settings, capture=CaptureSettings(understand_controls="on"))
    stage.core.restrictions._in_force = stage.core.settings
    stage.start()
    assert choices == [True]
    reload(stage, '[capture]\nunderstand_controls = "off"\n')
    stage.until(lambda: len(choices) > 1, "the switch")
    assert choices == [True, False]


def test_a_purge_that_cannot_be_finished_is_tried_again_before_anything_is_captured(live: Stage) -> None:
    full = [True]

    def finish_on_full_disk(state_file: Path) -> object:
        if full[0]:
            raise EnvironmentFault("the disk is full", remedy="free some", code="disk_full")
        return finish(state_file)

    live.monkeypatch.setattr(purging_module, "finish", finish_on_full_disk)
    request_purge(live)
    live.until(lambda: ("disk_full", False) in live.display.problems, "the problem")
    assert live.purged()["error"] == "the disk is full"
    assert "Nothing is captured until it is done" in live.purged()["remedy"]
    assert (len(live.sessions), live.gate.is_open) == (1, False)
    full[0] = False
    live.wait_for(2)
    assert live.purged()["error"] is None


def test_a_purge_that_a_kill_cut_off_is_finished_before_the_first_session(stage: Stage) -> None:
    recorded = write_session(stage.folder / "sessions", pictures=0)
    begin(everything(), stage.folder / "sessions", stage.state_file)
    stage.start()
    assert len(stage.sessions) == 1
    assert not recorded.exists()
    assert not (stage.folder / "purge").exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"scope": 5},
        {"scope": "some"},
        {"begin_ns": "0"},
        {"begin_ns": None},
        {"end_ns": "1"},
        {"sessions_dir": "/elsewhere"},
    ],
)
def test_a_purge_that_makes_no_sense_is_refused(live: Stage, changes: dict[str, object]) -> None:
    request = EVERYTHING | {"sessions_dir": str(live.folder / "sessions")} | changes
    with pytest.raises(UsageError):
        live.commands.handle("purge", request)
    assert live.gate.is_open
    assert not (live.folder / "purge").exists()


def spoken(gate: str) -> Decision:
    return Decision(verdict=Verdict.HOLD, gate=gate, reason="any")


def test_an_answer_between_two_sessions_is_dropped(stage: Stage) -> None:
    """The offer went with its session."""
    stage.commands.answer("o1", FeedbackKind.ACCEPTED)
    stage.start()
    stage.settle()
    assert stage.sessions[0].rows == []


def test_a_session_whose_folder_was_removed_is_reported_and_followed_by_a_new_one(stage: Stage) -> None:
    stage.monkeypatch.setattr(core_module, "LiveSession", LiveSession)
    stage.monkeypatch.setattr(CaptureThread, "start", lambda _: None)
    stage.monkeypatch.setattr(CaptureThread, "stop", lambda *_: None)
    stage.start()
    (first,) = stage.core.sessions
    stage.until((first / "session.db").exists, "the first rows")
    shutil.rmtree(first)
    stage.commands.pause(None)
    stage.until(lambda: len(stage.core.sessions) == 2, "the next session")
    second = stage.core.sessions[1]
    stage.commands.resume()
    stage.until(lambda: stage.gate.is_open, "its start")
    assert ("session_gone", False) in stage.display.problems
    assert stage.core.sink.status() == Status(state=RunState.WATCHING)
    assert list((stage.folder / "sessions").iterdir()) == [second]
    assert stage.core.failure is None


HELD = """print('{"mode": "hold", "parcels": [], "released": 0}')"""


def test_a_joined_study_is_in_force_from_the_next_session_on(stage: Stage) -> None:
    today = local_time(stage.core._clock.wall_ns()).date()
    study = replace(enrolment(today, 1, settings={"policy.name": "silent"}), questions=QuestionPlan())
    stage.start()
    assert stage.sessions[0].policy == "utility"
    assert stage.core.study_work._timer is None
    stage.enrol(study)
    outbox = stage.make_outbox()
    stage.follow_study()
    stage.wait_for(2)
    assert stage.sessions[1].policy == "silent"
    assert stage.core.study_work._timer is not None
    assert stage.core.sink.status().study == StudyProgress(title="A study", day=1, days=1)
    stage.core.study_actions._command = (sys.executable, "-S", "-c", HELD)
    stage.commands.study(StudyRequest.HOLD)
    stage.until(lambda: len(stage.display.replies) == 1, "the reply")
    assert stage.display.replies[0].done
    assert stage.display.studies[-1] == StudyProgress(title="A study", day=1, days=1, held=True)
    shutil.rmtree(outbox.parent)
    stage.core.sink.ask("r1/0")
    stage.core.sink.close_question("r1/0")
    assert stage.display.questions == [("r1/0", ("stuck", "hint", "bad_moment")), ("r1/0", ())]
    stage.commands.answer_question("r1/0", AnswerKind.ANSWERED, {"stuck": 3})
    stage.settle()
    assert stage.sessions[1].rows == [Answer(question_id="r1/0", kind=AnswerKind.ANSWERED, choices={"stuck": 3})]
    stage.enrol(replace(study, first_day=today - dt.timedelta(days=1)))
    stage.follow_study()
    stage.until(lambda: len(stage.sessions) == 3, "the session after the study")
    assert stage.sessions[2].policy == "utility"
    assert stage.core.sink.status().study is None


def test_tasks_of_a_study_are_rows_of_the_sessions_in_which_they_are_done(stage: Stage) -> None:
    """One that is under way when a session is cut begins again in the next one; before day 1 there is none."""
    today = local_time(stage.core._clock.wall_ns()).date()
    task = StudyTask(code="sort", title="Sort", text="Sort it.", end="It is sorted.", program="Calc")
    study = replace(enrolment(today + dt.timedelta(days=1), 9), tasks=(task, replace(task, code="chart")))
    stage.enrol(study)
    stage.start()
    stage.commands.mark_task(TaskStep.BEGUN)
    stage.settle()
    assert present(stage.core.sink.status().study).task is None
    with pytest.raises(UsageError, match="there is no task now"):
        stage.commands.handle("task", {})
    stage.enrol(replace(study, first_day=today))
    stage.follow_study()
    stage.wait_for(2)
    assert present(present(stage.core.sink.status().study).task).asks_about == "Calc"
    stage.commands.mark_task(TaskStep.BEGUN, 3)
    stage.until(lambda: present(present(stage.display.studies[-1]).task).running, "the task under way")
    stage.core.call(partial(stage.core.cut, "time"))
    stage.wait_for(3)
    stage.commands.mark_task(TaskStep.DONE)
    stage.until(lambda: present(present(stage.display.studies[-1]).task).number == 2, "the next task")
    begun = TaskMark(code="sort", step=TaskStep.BEGUN, title="Sort", program="Calc", skill=3)
    rows = [[row for row in session.rows if isinstance(row, TaskMark)] for session in stage.sessions]
    assert rows == [[], [begun], [begun, replace(begun, step=TaskStep.DONE)]]


def test_a_terminal_begins_and_ends_tasks_as_their_window_does(stage: Stage) -> None:
    task = StudyTask(code="sort", title="Sort", text="Sort it.", end="It is sorted.", program="Calc")
    stage.enrol(replace(enrolment(local_time(stage.core._clock.wall_ns()).date(), 9), tasks=(task,)))
    stage.start()
    answers: list[object] = []

    def ask(step: str, skill: object = 0) -> None:
        try:
            answers.append(stage.commands.handle("task", {"step": step, "skill": skill})["task"])
        except UsageError as error:
            answers.append(error.what)

    for step, skill in (("", 0), ("done", 0), ("begun", "2"), ("begun", 2), ("begun", 2), ("done", 0), ("done", 0)):
        stage.do(partial(ask, step, skill))
    card = {"number": 1, "count": 1, "title": "Sort", "text": "Sort it.", "end": "It is sorted."}
    assert answers == [
        card | {"asks_about": "Calc", "running": False},
        "no task is under way; begin it first",
        "a task is begun, done or given_up",
        card | {"asks_about": "", "running": True},
        "this task is under way already",
        None,
        None,
    ]
    stage.settle()
    marks = [(row.step, row.skill) for row in stage.sessions[0].rows if isinstance(row, TaskMark)]
    assert marks == [(TaskStep.BEGUN, 2), (TaskStep.DONE, 2)]


@pytest.mark.parametrize("how", ["revoked", "left", "joined"])
def test_what_a_study_sends_ends_with_the_consent_and_with_the_study(stage: Stage, how: str) -> None:
    """The child is gone at once, before Kairos has stopped. The control: while a study is in force it works on."""
    study = enrolment(local_time(stage.core._clock.wall_ns()).date(), 1)
    stage.enrol(study)
    stage.make_outbox()
    work = stage.core.study_work
    work._background._command = ("sleep", "600")
    stage.start()
    stage.do(work._wake)
    child = present(work._background._child)
    assert child.poll() is None
    if how == "revoked":
        FakeSession.hold.clear()  # the session takes its time to end
        work._background._command = ("true",)
        stage.commands.revoke()
    else:
        stage.enrol(study if how == "joined" else None)
        stage.follow_study()
    stage.settle()
    if how == "joined":
        assert work._background._child is child
        assert child.poll() is None
    else:
        stage.until(lambda: work._background._child is None, "the end of the child")
        assert child.wait(10) == -9
    if how == "revoked":  # a last one tells the researchers, and outlives Kairos
        stage.until(lambda: work._last is not None, "the last child")
        assert work._last is not None
        assert work._last.wait(20) == 0
    else:
        assert work._last is None
    FakeSession.hold.set()


def test_after_a_start_the_tray_knows_that_sending_is_on_hold(stage: Stage) -> None:
    """Else a click on "Pause" would do nothing. The outbox is as `kairos study review --mode hold` leaves it."""
    stage.enrol(enrolment(local_time(stage.core._clock.wall_ns()).date(), 9))
    outbox = stage.make_outbox()
    outbox.unlink()
    with contextlib.closing(sqlite3.connect(outbox, isolation_level=None)) as database:
        database.execute("CREATE TABLE facts (name TEXT PRIMARY KEY, body BLOB NOT NULL)")
        database.execute("INSERT INTO facts VALUES ('on_hold', x'31')")
    stage.start()
    assert stage.core.sink.status().study == StudyProgress(title="A study", day=1, days=9, held=True)


DAMAGED_STUDY = """{"study": "s1", "participant": "p1", "title": "A study", "first_day": "2026-01-01", "seed": 1,
    "phases": [{"name": "one", "days": 366, "settings": {"KEY": "VALUE"}}]}"""


@pytest.mark.parametrize(
    "body",
    [
        "{}",
        "no JSON",
        DAMAGED_STUDY.replace("KEY", "policy.name").replace("VALUE", "of_a_plugin"),
        DAMAGED_STUDY.replace("KEY", "storage.keep_days").replace("VALUE", "1"),
    ],
)
def test_a_study_that_cannot_be_read_does_not_stop_kairos(stage: Stage, body: str) -> None:
    stage.core._clock = ManualClock(0, round(dt.datetime(2026, 6, 1, 12, tzinfo=dt.UTC).timestamp()) * NS_PER_S)  # type: ignore[assignment]
    StateStore(stage.state_file).close()
    with contextlib.closing(sqlite3.connect(stage.state_file, isolation_level=None)) as database:
        database.execute("INSERT INTO facts VALUES ('enrolment', ?)", [body])
    stage.start()
    assert stage.core.failure is None
    stage.follow_study()
    stage.wait_for(2)
    assert [session.policy for session in stage.sessions] == ["silent", "silent"]
    assert stage.display.problems == [("study_damaged", False)]
    assert stage.core.sink.status().study is None
    stage.enrol(None)
    stage.follow_study()
    stage.wait_for(3)
    assert stage.sessions[2].policy == "utility"


def test_without_an_interface_a_question_is_only_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    display = HeadlessDisplay()
    display.show_question("r1/0", QuestionPlan().items)
    display.close_question("r1/0")
    assert caplog.messages == ["question r1/0", "question r1/0 ended"]


def test_a_damaged_folder_of_a_study_is_said_once(stage: Stage) -> None:
    """The child that finds it ends with 4, each hour anew."""
    stage.make_outbox()
    work = stage.core.study_work
    work._background._command = (sys.executable, "-S", "-c", "import sys; sys.exit(4)")
    stage.start()
    for _ in range(2):
        stage.do(work._wake)
        stage.until(lambda: work._background._child is None, "the end of the child")
    assert stage.display.problems == [("study_folder_damaged", False)]


@pytest.mark.parametrize(("library", "searched"), [(True, True), (False, True), (True, False)])
def test_documentation_is_indexed_where_the_help_library_is_searched(
    stage: Stage, *, library: bool, searched: bool
) -> None:
    settings = Settings(help=HelpSettings(library=library))
    stage.core = stage.make_core(settings, open_library=FakeLibrary if searched else None)
    stage.commands.pause(None)
    stage.start_closed()
    work = stage.core.library_work
    assert (work is not None) == (library and searched)
    if work is None:
        return
    assert work._timer is not None
    work._background._command = ("sleep", "600")
    stage.do(work._wake)
    child, timer = work._background._child, work._timer
    assert child is not None
    assert child.poll() is None
    stage.commands.resume()
    stage.core.call(lambda: stage.core.cut("time"))
    stage.wait_for(2)
    stage.settle()
    assert work._timer is not timer
    assert work._background._child is child
    stage.core.quit()
    stage.core.join()
    assert child.returncode == -15
    assert not work._background.is_running
    assert stage.core.library_work is not None
    assert stage.core.library_work._timer is None
