"""The core's path: order, one timer, and when a session must be cut."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from daemon.runtime.pipeline import CHECK_NS, INPUT_NS, Pipeline
from detectors.protocol import Detector, Images
from policies.protocol import Policy
from policies.registry import load
from storage.clock import DAY_NS, NS_PER_S, ManualClock
from storage.enrolment import QuestionPlan
from storage.records import (
    Anchor,
    Answer,
    AnswerKind,
    Decision,
    EarlierReport,
    Estimate,
    Feedback,
    FeedbackKind,
    HelpFound,
    InputEvent,
    NeedReport,
    Offer,
    Prefix,
    Problem,
    Question,
    Record,
    SessionEnd,
    SessionStart,
    Sound,
    Switch,
    SwitchName,
    Tick,
    Wake,
    is_derived,
)
from storage.settings import PolicySettings, Settings
from tests.fakes.detectors.fake_detectors import EagerPolicy, FixedDetector, estimate_of, first_row, focus, key, of
from tests.fakes.detectors.questions import study_row

S = NS_PER_S
WALL_NS = 1_700_000_000 * S


class NeedyDetector(FixedDetector):
    """Sees need in every prefix, about something that an offer can be made of."""

    def estimate(self, prefix: Prefix, images: Images, now_ns: int) -> Estimate:
        return estimate_of(0.9, prefix_id=prefix.prefix_id, window_id=prefix.window_id, app=prefix.app)


class HandLoop:
    """A loop whose timers and calls the test carries out."""

    def __init__(self) -> None:
        self.calls: list[Callable[[], None]] = []
        self.timers: list[Timer] = []

    def call_soon_threadsafe(self, action: Callable[[], None]) -> None:
        self.calls.append(action)

    def call_later(self, delay_s: float, action: Callable[[], None]) -> "Timer":
        self.timers.append(Timer(delay_s, action))
        return self.timers[-1]


class Timer:
    """One timer, until it is cancelled."""

    def __init__(self, delay_s: float, action: Callable[[], None]) -> None:
        self.delay_s = delay_s
        self.action = action
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class Path:
    """A pipeline with a list for a log, a list for a sink, and a clock in the test's hand."""

    def __init__(
        self,
        *,
        big: bool = False,
        midnight_ns: int = WALL_NS + 10**18,
        detector: Detector | None = None,
        policy: Policy[Any] | None = None,
        settings: Settings | None = None,
        first: SessionStart | None = None,
    ) -> None:
        from daemon.engine.engine import Engine

        self.clock = ManualClock(1000 * S, WALL_NS)
        self.loop = HandLoop()
        self.rows: list[Record] = []
        self.steps: list[Sequence[Record]] = []
        self.seen: list[str] = []
        self.cuts: list[str] = []
        self.zone_changed = False
        self.collected: list[Record] = []
        self.saves: list[int] = []
        self.failures: list[Exception] = []
        self.pipeline = Pipeline(
            engine=Engine(
                detector=detector or FixedDetector(), policy=policy or EagerPolicy(), settings=settings or Settings()
            ),
            log=self,
            sink=self,
            clock=self.clock,
            on_cut=self.cuts.append,
            on_failure=self.failures.append,
            save_policy=lambda: self.saves.append(len(self.seen)),
            too_big=lambda: big,
            zone_changed=lambda: self.zone_changed,
            request_flush=lambda: bool(self.collected),
        )
        loop: Any = self.loop  # all of a loop that it needs
        self.pipeline.start(loop, [first or first_row(Settings())], midnight_ns)

    def put(self, rows: Sequence[Record]) -> None:
        self.steps.append(tuple(rows))
        self.rows.extend(rows)

    def show(self, offer: Offer) -> None:
        self.seen.append(f"show {offer.offer_id}")

    def close(self, offer_id: str) -> None:
        self.seen.append(f"close {offer_id}")

    def changed(self, record: Switch | Problem | Sound) -> None:
        self.seen.append(type(record).__name__)

    def ask(self, question_id: str) -> None:
        self.seen.append(f"ask {question_id}")

    def close_question(self, question_id: str) -> None:
        self.seen.append(f"close {question_id}")

    def decided(self, decision: Decision) -> None: ...

    def deliver(self) -> None:
        calls, self.loop.calls = self.loop.calls, []
        for call in calls:
            call()

    def take(self, *records: Record) -> "Path":
        self.pipeline.submit(list(records))
        self.deliver()
        return self

    def take_collected(self) -> None:
        self.take(*self.collected)
        self.collected = []

    def delay_ns(self) -> int:
        return round(self.live_timers()[-1].delay_s * S)

    def wait(self, by_ns: int | None = None) -> None:
        """Let time go by, until the newest timer is due or for so long, and let that timer go off."""
        self.clock.advance(self.delay_ns() if by_ns is None else by_ns)
        self.live_timers()[-1].action()

    def live_timers(self) -> list[Timer]:
        return [timer for timer in self.loop.timers if not timer.cancelled]


def test_records_keep_their_order_and_wake_the_core_once() -> None:
    path = Path()
    for moment in range(5):
        path.pipeline.submit([key(moment)])
    assert len(path.loop.calls) == 1
    path.deliver()
    assert [row.t_ns for row in of(path.rows, type(key(0)))] == list(range(5))


def test_the_rows_of_one_step_reach_the_log_together() -> None:
    path = Path().take(key(0))
    path.wait(6 * S)
    assert isinstance(path.steps[-1][0], Tick)
    assert any(isinstance(row, Offer) for row in path.steps[-1])
    assert path.seen == ["show o1"]


def test_an_idle_core_has_no_timer() -> None:
    path = Path()
    assert path.live_timers() == []
    for _ in range(20):
        path.take(key(0))
        assert len(path.live_timers()) == 1


def test_a_timer_that_fires_early_takes_no_tick() -> None:
    """A tick is taken in only when it is due, so live and replay see the same."""
    path = Path().take(key(0))
    path.live_timers()[-1].action()
    assert not of(path.rows, Tick)
    assert len(path.loop.timers) == 2


def test_a_tick_waits_for_input_that_is_on_its_way() -> None:
    """What was pressed before it is taken in before it: else somebody who types on would seem to pause."""
    path = Path().take(key(0))
    path.clock.advance(6 * S)
    path.collected = [key(path.clock.now_ns() - S // 10)]
    path.live_timers()[-1].action()
    assert not of(path.rows, Tick)
    (timer,) = [timer for timer in path.live_timers() if timer.delay_s == 0.02]
    path.take_collected()
    assert timer.cancelled
    path.wait()
    assert [type(step[0]).__name__ for step in path.steps[-2:]] == ["InputEvent", "Tick"]


def test_a_tick_does_not_wait_for_input_that_does_not_come() -> None:
    path = Path().take(key(0))
    path.clock.advance(path.delay_ns())
    path.collected = [key(0)]
    waits = 0
    while not of(path.rows, Tick):
        timer = path.live_timers()[-1]
        timer.cancel()
        timer.action()
        waits += 1
        path.clock.advance(S // 50)
    assert waits == 1 + INPUT_NS // (S // 50) + (INPUT_NS % (S // 50) > 0)


@pytest.mark.parametrize("asked", [False, True])
def test_what_was_found_waits_for_input_that_is_on_its_way_unless_the_person_asked(*, asked: bool) -> None:
    """An offer may follow it at once, and somebody who types on would seem to pause."""
    path = Path().take(key(0))
    path.collected = [key(0)]
    path.take(HelpFound(prefix_id="", window_id=-1, app="editor", asked=asked))
    assert bool(of(path.rows, HelpFound)) == asked
    path.take_collected()
    for timer in [waiting for waiting in path.loop.timers if waiting.delay_s == 0.02]:
        timer.action()
    found, last = of(path.rows, HelpFound)[0], of(path.rows, InputEvent)[-1]
    assert (found.seq < last.seq) == asked


def test_what_a_crash_must_not_undo_is_saved_once_a_step_and_before_it_is_shown() -> None:
    path = Path().take(key(0))
    assert path.saves == []
    path.wait(6 * S)
    assert (path.saves, path.seen) == ([0], ["show o1"])
    path.take(Feedback(offer_id="o1", kind=FeedbackKind.ACCEPTED))
    assert (path.saves, path.seen) == ([0, 1], ["show o1", "close o1"])
    path.pipeline.submit([NeedReport(start_ns=0, end_ns=1, needed=True)])
    path.take(EarlierReport(session="s", start_ns=0, end_ns=1, needed=True))
    assert len(path.saves) == 4


@pytest.mark.parametrize(("event_probability", "questions"), [(0.0, 0), (1e-18, 1), (1.0, 1)])
@pytest.mark.parametrize("name", ["silent", "random"])
def test_the_lot_of_an_offer_that_is_not_made_is_saved_at_once(
    name: str, event_probability: float, questions: int
) -> None:
    """Else a crash would draw it again; the lot of its question and the end of that go into the same save."""
    settings = Settings(policy=PolicySettings(name=name, arm_probability=1e-18, quiet_start_s=0.0))
    path = Path(detector=NeedyDetector(), policy=load(settings.policy, 0.05), settings=settings)
    plan = QuestionPlan(blocks=0, event_probability=event_probability)
    path.take(study_row(plan, first_date=WALL_NS // DAY_NS, utc_offset_s=0), focus("editor", 0), key(0))
    while not (left_out := [row for row in of(path.rows, Decision) if row.gate == "arm"]):
        assert path.saves == []
        path.wait(max(S, path.delay_ns()))
    assert [row.reason for row in left_out] == ["silent" if name == "silent" else "withheld"]
    assert len(of(path.rows, Question)) == questions
    assert len(path.saves) == 1


EXCLUDED = Switch(name=SwitchName.EXCLUDED, on=True, by="fence")


@pytest.mark.parametrize(
    ("arguments", "record", "cuts"),
    [
        ({"big": True}, EXCLUDED, ["size"]),
        ({"midnight_ns": WALL_NS + 30 * S}, EXCLUDED, ["time"]),
        ({}, Wake(slept_ns=9), ["wake"]),
        ({}, EXCLUDED, []),
    ],
)
def test_the_size_limit_midnight_and_a_wake_cut_the_session(
    arguments: dict[str, Any], record: Record, cuts: list[str]
) -> None:
    path = Path(**arguments)
    path.clock.advance(CHECK_NS + 1)
    path.take(record)
    assert path.cuts == cuts


@pytest.mark.parametrize("ends", [False, True])
def test_a_jump_of_the_wall_clock_leaves_an_anchor(*, ends: bool) -> None:
    """Also just before the end: who deletes the last minutes finds which they were."""
    path = Path().take(key(0))
    path.clock._wall_offset_ns += 3600 * S
    if ends:
        path.pipeline.end("quit")
    else:
        path.clock.advance(CHECK_NS + 1)
        path.take(key(0))
    (anchor,) = of(path.rows, Anchor)
    assert anchor.wall_ns == path.clock.wall_ns()
    sources = [type(row) for row in path.rows if not is_derived(row)]
    assert sources[-2:] == ([Anchor, SessionEnd] if ends else [InputEvent, Anchor])


def test_after_the_end_nothing_is_taken_in() -> None:
    path = Path()
    path.pipeline.submit([key(0)])
    path.pipeline.end("quit")
    path.pipeline.submit([key(1)])
    path.pipeline.drain()
    path.pipeline.end("again")
    sources = [row for row in path.rows if not is_derived(row)]
    assert isinstance(sources[-1], SessionEnd)
    assert len(of(path.rows, SessionEnd)) == 1
    assert path.live_timers() == []


class BrokenDetector(FixedDetector):
    """Has a bug."""

    def estimate(self, prefix: Prefix, images: Images, now_ns: int) -> Estimate:
        raise ZeroDivisionError


def test_a_bug_in_the_detector_is_handed_on_and_the_log_stays_whole() -> None:
    path = Path(detector=BrokenDetector())
    path.take(key(0))
    written = len(path.rows)
    path.wait(6 * S)
    path.take(key(1))
    path.pipeline.end("quit")
    assert [type(error) for error in path.failures] == [ZeroDivisionError]
    assert len(path.rows) == written
    assert [row.seq for row in path.rows] == list(range(1, written + 1))
    assert path.pipeline._timer is None


def study_path() -> tuple[Path, Question]:
    path = Path()
    plan = QuestionPlan()
    day = (WALL_NS // DAY_NS) + 1
    path.take(study_row(plan, first_date=day, utc_offset_s=0))
    while not of(path.rows, Question):
        path.wait()
    path.pipeline.submit([key(0)])  # somebody is there, and pauses
    path.deliver()
    path.wait(S)
    return path, of(path.rows, Question)[0]


def test_another_local_time_ends_the_session_before_anything_is_due() -> None:
    path, _ = study_path()
    path.zone_changed = True
    count = len(path.rows)
    path.wait(3600 * S)
    assert (path.cuts, len(path.rows)) == (["zone"], count)
    path.take(key(0))
    assert path.cuts == ["zone", "zone"]


class DrainedMeanwhile(list[Record]):
    """Records during whose submission the core empties its inbox."""

    def __init__(self, pipeline: Pipeline, records: list[Record]) -> None:
        super().__init__(records)
        self._pipeline = pipeline

    def __iter__(self) -> Iterator[Record]:
        self._pipeline.drain()
        return super().__iter__()


def test_records_submitted_while_the_core_goes_idle_wake_it() -> None:
    path = Path()
    path.pipeline.submit([key(0)])
    path.pipeline.submit(DrainedMeanwhile(path.pipeline, [key(1)]))
    path.deliver()
    path.take(key(2))
    assert [row.t_ns for row in of(path.rows, type(key(0)))] == [0, 1, 2]


def test_what_was_found_does_not_wait_for_input_that_does_not_come() -> None:
    path = Path()
    path.collected = [key(0)]
    path.take(HelpFound(prefix_id="", window_id=-1, app="editor"))
    waits = 0
    while not of(path.rows, HelpFound):
        path.clock.advance(S // 50)
        path.loop.timers[-1].action()
        waits += 1
    assert waits == INPUT_NS // (S // 50)
    path.take(HelpFound(prefix_id="", window_id=-1, app="editor"))
    assert len(of(path.rows, HelpFound)) == 1
    timer = path.loop.timers[-1]
    path.pipeline.end("quit")
    path.collected = []
    timer.action()
    assert [type(row) for row in path.rows[-2:]] == [HelpFound, SessionEnd]


def test_a_question_is_shown_and_taken_down_once_answered() -> None:
    path, question = study_path()
    assert path.seen[-1] == f"ask {question.question_id}"
    path.take(Answer(question_id=question.question_id, kind=AnswerKind.NOT_NOW))
    assert path.seen[-1] == f"close {question.question_id}"


def test_the_first_row_has_the_wall_time_at_which_it_is_taken_in() -> None:
    """However long ago it was made: a purge finds its place in the session by the two times of this row."""
    made = replace(first_row(Settings()), wall_ns=WALL_NS - S, policy_state={"saved": {}, "elapsed_ns": 60 * S})
    first = Path(first=made).rows[0]
    assert isinstance(first, SessionStart)
    assert (first.at_ns, first.wall_ns) == (1000 * S, WALL_NS)
    assert first.policy_state["elapsed_ns"] == 61 * S
