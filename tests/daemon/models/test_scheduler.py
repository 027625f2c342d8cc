"""The scheduler: who is asked when, what ends a request, and what of an answer reaches the log."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from daemon.capture.gate import Gate
from daemon.engine.engine import Engine
from daemon.help.goal import ModelGoal
from daemon.models.request import decision_threshold
from daemon.models.restrictions import Restrictions
from daemon.models.scheduler import ModelScheduler
from daemon.models.session import SessionModels
from daemon.models.usage import usage_by_tier
from daemon.runtime.pipeline import Pipeline
from detectors.mllm.cascade import Combiner
from detectors.mllm.questions import Confidence, FailureReason, ModelQuery, ModelResult, ParsedAnswer, Usage
from detectors.protocol import Detector, Images
from policies import registry
from storage.clock import NS_PER_S, ManualClock, SystemClock
from storage.records import (
    ClosedBy,
    Decision,
    Estimate,
    Frame,
    ModelAnswer,
    ModelTier,
    Offer,
    Prefix,
    Problem,
    Record,
    SessionEnd,
    Sound,
    State,
    Switch,
    SwitchName,
    Tick,
    Verdict,
    Window,
)
from storage.settings import ModelSettings, PolicySettings, Settings, WindowSettings, replace_value
from tests.fakes.detectors.fake_detectors import (
    RECKONED,
    START_NS,
    UNDO,
    FixedDetector,
    context_of,
    estimate_of,
    first_row,
    focus,
    key,
    of,
)
from tests.fakes.mllm.answers import NOTHING_AROUND

pytestmark = pytest.mark.anyio

S = NS_PER_S
SETTINGS = Settings(
    policy=RECKONED, local_model=ModelSettings(preset="fake"), strong_model=ModelSettings(preset="fake", deadline_s=3.0)
)


def result_of(need: float, **changes: Any) -> ModelResult:
    states = {state.value: 0.92 if state is State.DEBUGGING else 0.01 for state in State}
    answers = {
        "need": ParsedAnswer(distribution={"yes": need, "no": 1.0 - need}, confidence=Confidence.LOG_PROBABILITIES),
        "behavior": ParsedAnswer(distribution=states, text="<b>press here</b>"),
    }
    usage = Usage(calls=1, tokens_in=900, tokens_out=12, dollars=0.001)
    return ModelResult(**{"answers": answers, "usage": usage, "pictures": 2, "sent": ("7",), **changes})


TURNS_TO_END = 5
"""How many turns of the loop a stopped query takes to end."""


class FakeModel:
    """Returns its results once it may; remembers queries, deadlines and how often it was stopped."""

    def __init__(self, name: str, *answers: ModelResult, held: bool = False) -> None:
        self.name = name
        self.answers = list(answers)
        self.asks: list[ModelQuery] = []
        self.deadlines: list[float] = []
        self.stopped_result = ModelResult(failure=FailureReason.SUPERSEDED)
        self.broken = 0
        self.under_way = 0
        self.closed = False
        self.may = asyncio.Event()
        self.end = asyncio.Event()
        if not held:
            self.may.set()

    async def ask(self, ask: ModelQuery, *, deadline_s: float) -> ModelResult:
        self.asks.append(ask)
        self.deadlines.append(deadline_s)
        self.under_way += 1
        assert self.under_way == 1, "one request at a time"
        self.end.clear()
        waits = [asyncio.ensure_future(event.wait()) for event in (self.may, self.end)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
            self.under_way -= not self.end.is_set()
        if self.end.is_set():
            self.broken += 1
            for _ in range(TURNS_TO_END):
                await asyncio.sleep(0)
            self.under_way -= 1
            return self.stopped_result
        return self.answers[min(len(self.asks), len(self.answers)) - 1]

    def stop(self) -> None:
        self.end.set()

    async def close(self) -> None:
        self.closed = True


class Ring:
    """Pictures by frame."""

    def jpeg(self, frame_seq: int) -> bytes | None:
        return b"" if frame_seq < 0 else f"picture {frame_seq}".encode()


def engine_of(settings: Settings, detector: Detector | None = None, combine: Any = None) -> Engine:
    rate = settings.detector.base_rate
    policy = registry.load(settings.policy, rate)
    return Engine(
        detector=detector or FixedDetector(0.3), policy=policy, settings=settings, combine=combine or Combiner(rate)
    )


def open_gate() -> Gate:
    gate = Gate()
    gate.open()
    return gate


async def opened_models(folder: Path, **changes: Any) -> SessionModels:
    models = session_models(folder, **changes)
    models.start()
    await models.opened()
    return models


def session_models(folder: Path, **changes: Any) -> SessionModels:
    about: dict[str, Any] = {"settings": SETTINGS, "recording": False, "clock": SystemClock(), "submit": print}
    about |= {"gate": open_gate(), "images": Ring(), "around": NOTHING_AROUND}
    return SessionModels(folder=folder, **(about | changes))


class Live:
    """An engine and a scheduler as a session joins them, at times the test sets."""

    def __init__(
        self, need: float = 0.3, settings: Settings = SETTINGS, detector: Detector | None = None, **models: FakeModel
    ) -> None:
        self.clock = ManualClock(START_NS)
        self.gate = open_gate()
        self.rows: list[Record] = []
        self.models = {ModelTier(name): model for name, model in models.items()}
        self.engine = engine_of(settings, detector or FixedDetector(need))
        self.goals: list[ModelGoal] = []
        self.scheduler = ModelScheduler(
            self.models,
            settings=settings,
            images=Ring(),
            gate=self.gate,
            clock=self.clock,
            submit=self.submit,
            take_goal=self.goals.append,
        )
        self.take(first_row(settings))
        self.take(focus("editor", START_NS))
        self.take(Frame(t_ns=START_NS, monitor="", size=(9, 9), digest="", changed=()))
        self.take(key(START_NS))

    def take(self, record: Record) -> None:
        rows = self.engine.take(record, self.clock.now_ns())
        self.rows += rows
        self.scheduler.observe(rows)

    def submit(self, records: Sequence[Record]) -> None:
        for record in records:
            self.take(record)

    async def later(self, seconds: float) -> None:
        end_ns = self.clock.now_ns() + round(seconds * S)
        while (due_ns := self.engine.next_wake_ns) is not None and due_ns <= end_ns:
            self.clock.advance(max(0, due_ns - self.clock.now_ns()))
            self.take(Tick())
        self.clock.advance(end_ns - self.clock.now_ns())
        await settle()

    def pause_for_a_moment(self) -> None:
        self.gate.close()
        self.gate.open()

    @property
    def logged(self) -> list[ModelAnswer]:
        return of(self.rows, ModelAnswer)

    @property
    def combined(self) -> list[Estimate]:
        return [row for row in of(self.rows, Estimate) if row.detector == "cascade"]


Begin = Callable[[], Awaitable[tuple[Live, FakeModel]]]


@pytest.fixture
async def begin() -> AsyncIterator[Begin]:
    """Return what begins a session whose strong model has been asked and does not answer yet; it ends with the test."""
    begun: list[Live] = []

    async def ask() -> tuple[Live, FakeModel]:
        strong = FakeModel("big", result_of(0.97), held=True)
        begun.append(Live(strong=strong))
        await begun[-1].later(6)
        assert strong.under_way == 1
        return begun[-1], strong

    yield ask
    for live in begun:
        await live.scheduler.close()


async def settle() -> None:
    """Let every task that can go on do so, counted in turns of the loop: a slow machine takes as many."""
    for _ in range(10 * TURNS_TO_END):
        await asyncio.sleep(0)


async def test_a_doubtful_prefix_is_asked_about_and_the_answer_decides() -> None:
    """Pictures, questions and observations go out; numbers alone come back, and the policy hears of them at once."""
    strong = FakeModel("big", result_of(0.97))
    live = Live(strong=strong)
    await live.later(6)
    (ask,) = strong.asks
    assert strong.deadlines == [SETTINGS.strong_model.deadline_s]
    (frame,) = of(live.rows, Frame)
    assert [picture.jpeg for picture in ask.pictures] == [f"picture {frame.seq}".encode()]
    assert [question.key for question in ask.questions] == ["behavior", "intent", "need", "help"]
    assert ask.observations.startswith('The program in front: "editor".\nInput in these')
    (logged,) = live.logged
    assert (logged.tier, logged.model, logged.help_need, logged.trouble) == (ModelTier.STRONG, "big", 0.97, None)
    assert (logged.tokens_in, logged.dollars, logged.pictures, logged.sent) == (900, 0.001, 2, ("7",))
    assert logged.state_probs[State.DEBUGGING] == 0.92
    assert "press here" not in str(logged)
    (combined,) = live.combined
    bound = decision_threshold(Decision(verdict=Verdict.HOLD, gate="", reason=""), combined, SETTINGS).threshold
    assert combined.help_need > bound > 0.3
    assert combined.prefix_id == logged.prefix_id
    assert of(live.rows, Offer)[-1].prefix_id == logged.prefix_id
    assert of(live.rows, Offer)[-1].topic == "model_judgement"
    await live.scheduler.close()
    assert strong.closed


async def test_what_a_model_writes_of_the_goal_is_handed_on_and_not_logged() -> None:
    """Without such words nothing is; the state of the window before goes along with the next question."""
    said = result_of(0.4)
    written = {"intent": ParsedAnswer(text="Freeze the first row"), "help": ParsedAnswer(text="Use View > Freeze.")}
    model = FakeModel("big", result_of(0.4), replace(said, answers={**said.answers, **written}))
    live = Live(strong=model)
    await live.later(7)
    assert live.goals == []
    await live.later(40)
    assert [(goal.app, goal.goal, goal.help) for goal in live.goals[:1]] == [
        ("editor", "Freeze the first row", "Use View > Freeze.")
    ]
    assert not any("Freeze" in str(row) for row in live.rows)
    assert {question.given.previous for question in model.asks[0].questions} == {None}
    assert {question.given.previous for question in model.asks[-1].questions} != {None}
    await live.scheduler.close()


@pytest.mark.parametrize("need", [0.0005, 0.9995])
async def test_nobody_is_asked_where_no_answer_could_change_anything(need: float) -> None:
    """Far on either side of the bound the embedded detector has the say alone."""
    local, strong = FakeModel("small", result_of(0.9)), FakeModel("big", result_of(0.9))
    live = Live(need, local=local, strong=strong)
    await live.later(30)
    assert local.asks == strong.asks == []
    assert of(live.rows, Prefix)
    await live.scheduler.close()


class UndoDetector(FixedDetector):
    """Sees need, with evidence that something can be said about."""

    def estimate(self, prefix: Prefix, images: Images, now_ns: int) -> Estimate:
        return replace(super().estimate(prefix, images, now_ns), evidence=(UNDO,))


@pytest.mark.parametrize("name", ["always", "random"])
async def test_arms_that_do_not_go_by_need_pay_no_model(name: str) -> None:
    """Where any estimate calls for an offer, an answer about need changes none: nobody is asked."""
    local, strong = FakeModel("small", result_of(0.9)), FakeModel("big", result_of(0.9))
    settings = replace(SETTINGS, policy=replace(SETTINGS.policy, name=name))
    live = Live(settings=settings, detector=UndoDetector(0.3), local=local, strong=strong)
    live.take(key(START_NS))
    await live.later(60)
    assert len(of(live.rows, Prefix)) >= 8
    assert local.asks == strong.asks == []
    await live.scheduler.close()


async def test_the_strong_model_is_asked_only_where_the_local_one_leaves_doubt() -> None:
    """A local answer that settles it saves the strong one; trouble with the local one does not stop the strong one."""
    for need, answer, asked in (
        (0.55, result_of(0.99), 1),
        (0.04, result_of(0.01), 0),
        (0.3, result_of(0, failure=FailureReason.BUSY, answers={}), 1),
    ):
        local, strong = FakeModel("small", answer), FakeModel("big", result_of(0.02))
        live = Live(need, local=local, strong=strong)
        await live.later(6)
        assert len(local.asks) <= 1
        assert len(strong.asks) <= asked
        if answer.failure is not None:
            assert len(strong.asks) == 1
            assert [row.trouble for row in live.logged] == ["busy", None]
            assert len(live.combined) == 1
        await live.scheduler.close()


async def test_a_newer_prefix_ends_the_request_about_the_older_one(begin: Begin) -> None:
    """The newest wins, one request is under way at a time, and what was broken off is a row without an answer."""
    live, strong = await begin()
    await live.later(6)
    await settle()
    assert (strong.broken, len(strong.asks), strong.under_way) == (1, 2, 1)
    assert [(row.prefix_id, row.trouble) for row in live.logged] == [("w1/25", "superseded")]
    strong.may.set()
    await settle()
    assert [row.prefix_id for row in live.combined] == ["w1/50"]
    assert len(strong.asks[1].pictures) >= len(strong.asks[0].pictures)
    assert strong.asks[1].pictures[0] is strong.asks[0].pictures[0]  # encoded once


async def test_while_a_model_writes_for_a_person_it_is_asked_nothing_else(begin: Begin) -> None:
    """What is under way ends, no prefix is asked about until it is done, and then as before."""
    live, strong = await begin()
    live.scheduler.set_busy(True)
    await settle()
    assert (strong.broken, strong.under_way) == (1, 0)
    await live.later(6)
    assert len(strong.asks) == 1
    live.scheduler.set_busy(False)
    strong.may.set()
    await live.later(6)
    assert len(strong.asks) == 2
    assert live.scheduler.available == {ModelTier.STRONG: strong}


ENDS: dict[str, Callable[[Live], object]] = {
    "paused": lambda live: live.take(Switch(name=SwitchName.PAUSED, on=True, by="person")),
    "private": lambda live: live.take(Switch(name=SwitchName.PRIVATE, on=True, by="person")),
    "excluded": lambda live: live.take(Switch(name=SwitchName.EXCLUDED, on=True, by="fence")),
    "revoked": lambda live: live.take(Switch(name=SwitchName.CONSENT, on=False, by="person")),
    "another application": lambda live: live.take(focus("browser", START_NS + 7 * S)),
    "stopped": lambda live: live.take(SessionEnd(reason="quit")),
    "a pause that is over at once": lambda live: live.pause_for_a_moment(),
}


@pytest.mark.parametrize("why", list(ENDS))
async def test_what_ends_the_situation_ends_the_request(begin: Begin, why: str) -> None:
    """The request is broken off at once; nothing is asked or estimated after it, nor does it go on behind a pause."""
    live, strong = await begin()
    ENDS[why](live)
    await settle()
    assert (strong.broken, strong.under_way) == (1, 0)
    strong.may.set()
    await settle()
    assert live.combined == []
    assert [row.trouble for row in live.logged] == ["superseded"]


async def test_a_stopped_request_is_logged_with_what_it_cost() -> None:
    """A request that went out is named and paid for, although nobody waits for its answer."""
    strong = FakeModel("big", result_of(0.9), held=True)
    strong.stopped_result = replace(result_of(0.9), answers={}, failure=FailureReason.SUPERSEDED)
    live = Live(strong=strong)
    await live.later(6)
    live.scheduler.stop()
    await settle()
    (logged,) = live.logged
    assert (logged.trouble, logged.help_need, logged.sent, logged.tokens_in) == ("superseded", None, ("7",), 900)
    assert usage_by_tier(live.logged)[0].dollars == 0.001
    await live.scheduler.close()


async def test_a_gate_that_closes_ends_the_request_before_any_row_says_so(begin: Begin) -> None:
    """A pause closes the gate in the clicking thread: nobody waits for the core, and nothing is asked while shut."""
    live, strong = await begin()
    await asyncio.to_thread(live.gate.close)
    await settle()
    assert (strong.broken, strong.under_way) == (1, 0)
    await live.later(6)
    assert len(strong.asks) == 1
    live.gate.open()
    await live.later(6)
    assert len(strong.asks) == 2


class GateClosingModel(FakeModel):
    """Answers, and somebody closes the gate in the same moment; the loop has had no turn to hear of it."""

    gate: Gate
    reopens = False

    async def ask(self, ask: ModelQuery, *, deadline_s: float) -> ModelResult:
        answers = await super().ask(ask, deadline_s=deadline_s)
        self.gate.close()
        if self.reopens:
            self.gate.open()
        return answers


@pytest.mark.parametrize("reopens", [False, True])
async def test_a_pause_between_two_tiers_keeps_the_second_from_being_asked(reopens: bool) -> None:
    """What a pause interrupts is not gone on with, also where it is over at once; the control is the test of doubt."""
    local, strong = (
        GateClosingModel("small", result_of(0, failure=FailureReason.BUSY, answers={})),
        FakeModel("big", result_of(0.97)),
    )
    live = Live(local=local, strong=strong)
    local.gate, local.reopens = live.gate, reopens
    await live.later(6)
    assert (len(local.asks), len(strong.asks)) == (1, 0)
    await live.scheduler.close()


async def test_nobody_is_asked_while_the_policy_may_not_offer() -> None:
    """In the quiet minutes at the start no answer could change a decision."""
    strong = FakeModel("big", result_of(0.97))
    live = Live(strong=strong)
    live.engine = engine_of(replace(SETTINGS, policy=PolicySettings(quiet_start_s=600.0)))
    for record in (first_row(SETTINGS), focus("editor", 0), key(0)):
        live.take(record)
    await live.later(24)
    assert strong.asks == []
    await live.scheduler.close()


@pytest.mark.parametrize(
    ("trouble", "code"),
    [(FailureReason.OVER_BUDGET, "model_spent"), (FailureReason.NO_KEY, "model_unusable"), (FailureReason.BUSY, None)],
)
async def test_a_model_that_may_not_be_asked_any_more_is_reported_once_and_left_out(
    trouble: FailureReason, code: str | None
) -> None:
    """The other one goes on; a server that is only busy is asked about the next prefix again."""
    local, strong = FakeModel("small", result_of(0, failure=trouble, answers={})), FakeModel("big", result_of(0.6))
    live = Live(local=local, strong=strong)
    for _ in range(4):
        await live.later(6)
    assert len(strong.asks) >= 3
    assert [row.code for row in of(live.rows, Problem)] == ([] if code is None else [code])
    assert (len(local.asks) == 1) is (code is not None)
    (*others, price) = usage_by_tier(live.logged)
    assert (price.tier, price.answered) == ("strong", len(strong.asks))
    assert [other.asked for other in others] == ([] if code is not None else [len(local.asks)])
    await live.scheduler.close()


@pytest.mark.parametrize(
    "bad",
    [
        {"need": ParsedAnswer(distribution={"yes": float("nan")})},
        {"need": ParsedAnswer(distribution={"yes": 3.0})},
        {"need": ParsedAnswer(distribution={})},
        {"behavior": ParsedAnswer(distribution={"dancing": 1.0})},
        {},
    ],
)
async def test_an_invalid_answer_changes_nothing(bad: dict[str, ParsedAnswer]) -> None:
    """Numbers that are no probabilities never reach the log, and no estimate comes of them."""
    strong = FakeModel("big" * 200, result_of(0, answers=bad, usage=Usage(dollars=float("inf"))))
    live = Live(strong=strong)
    await live.later(6)
    (logged,) = live.logged
    assert (logged.help_need, logged.state_probs, logged.dollars) == (None, {}, 0.0)
    assert len(logged.model) <= 100
    assert live.combined == []
    await live.scheduler.close()


def test_the_threshold_is_where_the_policy_itself_would_offer() -> None:
    """An estimate just above it calls for an offer, one just below does not, also with evidence carried over."""
    policy = registry.load(SETTINGS.policy, 0.05)
    now_ns = 10_000 * S

    def decided(*needs: float) -> tuple[Decision, Estimate]:
        state = policy.start({}, 0, now_ns)
        for number, need in enumerate(needs):
            estimate = estimate_of(need, window_id=number, prefix_id=f"w{number}/100")
            state, decision = policy.decide(state, estimate, context_of(), now_ns)
        return decision, estimate

    for before in ((), (0.3,)):
        bound = decision_threshold(*decided(*before, 0.2), SETTINGS)
        assert bound.base_rate == 0.05
        assert decided(*before, bound.threshold + 0.005)[0].verdict is Verdict.OFFER
        assert decided(*before, bound.threshold - 0.005)[0].verdict is not Verdict.OFFER
    fresh, with_more = (decision_threshold(*decided(*before, 0.2), SETTINGS).threshold for before in ((), (0.3,)))
    assert with_more < fresh
    plain = Decision(verdict=Verdict.HOLD, gate="mine", reason="mine")
    assert decision_threshold(plain, estimate_of(0.2), SETTINGS).threshold == pytest.approx(fresh)
    by_threshold = replace(SETTINGS, policy=PolicySettings(name="threshold", threshold=0.6))
    assert decision_threshold(plain, estimate_of(0.2), by_threshold).threshold == 0.6


async def test_an_answer_passes_through_the_whole_pipeline() -> None:
    """Pipeline, timers and clock as in a session: an answer is logged behind its prefix and its estimate follows it."""
    settings = replace(SETTINGS, window=WindowSettings(planned_s=1.2))
    clock = SystemClock()
    rows: list[Record] = []
    gate = open_gate()
    strong = FakeModel("big", result_of(0.97))

    class Log:
        def put(self, step: Sequence[Record]) -> None:
            rows.extend(step)
            scheduler.observe(step)

    class Sink:
        def show(self, offer: Offer) -> None: ...
        def close(self, offer_id: str) -> None: ...
        def changed(self, record: Switch | Problem | Sound) -> None: ...
        def ask(self, question_id: str) -> None: ...
        def close_question(self, question_id: str) -> None: ...
        def decided(self, decision: Decision) -> None: ...

    failures: list[Exception] = []
    pipeline = Pipeline(
        engine=engine_of(settings),
        log=Log(),
        sink=Sink(),
        clock=clock,
        on_cut=lambda _: None,
        on_failure=failures.append,
    )
    scheduler = ModelScheduler(
        {ModelTier.STRONG: strong}, settings=settings, images=Ring(), gate=gate, clock=clock, submit=pipeline.submit
    )
    pipeline.start(asyncio.get_running_loop(), [first_row(settings)], clock.wall_ns() + 10**15)
    pipeline.submit([focus("editor", clock.now_ns())])
    pipeline.submit([Frame(t_ns=clock.now_ns(), monitor="", size=(9, 9), digest="", changed=())])
    pipeline.submit([key(clock.now_ns())])
    for _ in range(100):
        await asyncio.sleep(0.02)
        if len([row for row in of(rows, Estimate) if row.detector == "cascade"]) >= 2:
            break
    await scheduler.close()
    pipeline.end("quit")
    assert failures == []
    combined = [row for row in of(rows, Estimate) if row.detector == "cascade"]
    assert len(combined) >= 2
    for row in combined:
        before = rows[rows.index(row) - 1]
        assert isinstance(before, ModelAnswer)
        assert before.prefix_id == row.prefix_id
        assert 0 <= before.asked_at_ns <= before.at_ns
    assert of(rows, Window)[-1].closed_by is ClosedBy.STOP


@pytest.mark.parametrize("off", ["preset", "send_screens"])
async def test_a_model_that_is_turned_off_is_asked_nothing_more(
    off: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its query ends at once and nothing more may leave; the control: until then it is asked about a new prefix."""
    leaves: dict[ModelTier, Callable[[], bool]] = {}
    strong = FakeModel("big", result_of(0.97), held=True)

    def opened(_: object, tier: ModelTier, *, may_leave: Callable[[], bool], **__: object) -> FakeModel | None:
        leaves[tier] = may_leave
        return strong if tier is ModelTier.STRONG else None

    monkeypatch.setattr("daemon.models.session.open_tier", opened)
    live = Live()
    await live.scheduler.close()
    start = replace(SETTINGS, strong_model=ModelSettings(preset="openai", send_screens=True))
    restrictions = Restrictions(start)
    session: dict[str, Any] = {"settings": start, "restrictions": restrictions, "submit": live.submit}
    models = await opened_models(tmp_path, clock=live.clock, gate=live.gate, **session)
    monkeypatch.setattr(live, "scheduler", models)
    live.take(Frame(t_ns=START_NS, monitor="", size=(9, 9), digest="", changed=()))
    await live.later(6)
    live.take(key(live.clock.now_ns()))
    await live.later(6)
    asked = len(strong.asks)
    assert asked
    assert strong.under_way == 1
    assert [leaves[tier]() for tier in ModelTier] == [True, True]
    less = replace_value(start, f"strong_model.{off}", "" if off == "preset" else False)
    await asyncio.to_thread(restrictions.tighten, less)
    assert [tier for tier in ModelTier if leaves[tier]()] == [ModelTier.LOCAL]
    await settle()
    assert strong.under_way == 0
    await live.later(6)
    live.take(key(live.clock.now_ns()))
    await live.later(6)
    assert len(strong.asks) == asked
    await models.close(1.0)
    leaves.clear()
    models = await opened_models(tmp_path, **session)  # the next session of the same Kairos does not even open it
    await models.close(1.0)
    assert list(leaves) == [ModelTier.LOCAL]


@pytest.mark.parametrize("ends_first", [False, True])
async def test_a_locked_keyring_keeps_no_session_from_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends_first: bool
) -> None:
    """Models are opened beside the session; those that are there only after its end are closed and asked nothing."""
    unlocked = threading.Event()
    strong = FakeModel("big", result_of(0.97))

    def opened(_: object, tier: ModelTier, **__: object) -> FakeModel | None:
        unlocked.wait(10)
        return strong if tier is ModelTier.STRONG else None

    monkeypatch.setattr("daemon.models.session.open_tier", opened)
    models = session_models(tmp_path)
    models.start()
    models.observe([])
    if ends_first:
        await models.close(0.05)
    unlocked.set()
    await models.opened()
    if not ends_first:
        assert not strong.closed
        await models.close(1.0)
    assert strong.closed


def test_while_no_model_is_on_nothing_of_them_is_loaded() -> None:
    """Importing all that a session without models runs brings nothing of `detectors.mllm`; with one it does."""
    code = (
        "import sys, daemon.runtime.core, daemon.replay.replay, daemon.runtime.session\n"
        "print(sorted(name for name in sys.modules if 'mllm' in name or 'httpx' in name))\n"
        "import daemon.models.session\n"
        "print('detectors.mllm.cascade' in sys.modules, 'httpx2' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split("\n")[:2] == ["[]", "True False"]


@pytest.mark.parametrize(("arm_probability", "asked"), [(1.0, True), (0.0, False)])
async def test_such_an_arm_asks_where_there_would_be_nothing_to_say(arm_probability: float, asked: bool) -> None:
    """The control: what a model sees can give an offer its subject. An arm that never offers needs none."""
    strong = FakeModel("big", result_of(0.97))
    policy = replace(SETTINGS.policy, name="random", arm_probability=arm_probability)
    live = Live(settings=replace(SETTINGS, policy=policy), strong=strong)
    await live.later(7)
    assert bool(strong.asks) is asked
    assert [offer.topic for offer in of(live.rows, Offer)] == ["model_judgement"] * asked
    await live.scheduler.close()


async def test_an_unrelated_row_does_not_stop_the_request(begin: Begin) -> None:
    """The control: a switch that goes off, or a problem, breaks nothing off."""
    live, strong = await begin()
    live.take(Switch(name=SwitchName.EXCLUDED, on=False, by="fence"))
    live.take(Problem(code="no_input"))
    strong.may.set()
    await settle()
    assert (strong.broken, len(live.combined)) == (0, 1)


async def test_an_answer_that_comes_as_it_is_stopped_is_not_used() -> None:
    """What was asked about an older situation changes nothing, even if the server was faster than the stop."""
    strong = FakeModel("big", result_of(0.97), held=True)
    strong.stopped_result = result_of(0.97)
    live = Live(strong=strong)
    await live.later(6)
    ENDS["paused"](live)
    await settle()
    assert [(row.trouble, row.help_need, row.dollars) for row in live.logged] == [("superseded", None, 0.001)]
    assert live.combined == []
    await live.scheduler.close()


async def test_a_server_that_is_gone_is_reported_once_and_again_when_it_is_back() -> None:
    """It is asked about the next prefix all the same; a server that is only busy is not gone."""
    failures = FailureReason.UNREACHABLE, FailureReason.UNREACHABLE, FailureReason.BUSY
    strong = FakeModel("big", *(result_of(0, failure=failure, answers={}) for failure in failures), result_of(0.6))
    live = Live(strong=strong)
    for _ in range(6):
        await live.later(6)
    assert len(strong.asks) >= 4
    assert [(row.code, row.over) for row in of(live.rows, Problem)] == [("model_gone", False), ("model_gone", True)]
    await live.scheduler.close()


async def test_without_a_picture_nobody_is_asked() -> None:
    """A model that sees nothing has nothing to say."""
    strong = FakeModel("big", result_of(0.97))
    live = Live(strong=strong)
    live.scheduler._images = type("None", (), {"jpeg": lambda self, seq: None})()
    await live.later(24)
    assert strong.asks == []
    await live.scheduler.close()


async def test_a_bug_in_a_model_is_logged_and_ends_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """The next prefix is asked about as if nothing had been."""
    strong = FakeModel("big")  # without answers it raises
    live = Live(strong=strong)
    await live.later(6)
    strong.answers = [result_of(0.97)]
    await live.later(6)
    assert len(strong.asks) == 2
    assert len(live.combined) == 1
    await live.scheduler.close()
    assert "asking a model failed" in caplog.text


async def test_a_model_that_cannot_be_opened_is_reported_and_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The session goes on without it, and asks nobody."""
    settings = Settings(local_model=ModelSettings(preset="nonsense"))
    told: list[Record] = []
    models = await opened_models(tmp_path, settings=settings, recording=True, submit=told.extend)
    assert [row.code for row in told if isinstance(row, Problem)] == ["model_unusable"]
    engine = engine_of(settings, combine=models.combiner)
    for at_s, record in enumerate((first_row(settings), key(0), Tick(), Tick())):
        models.observe(engine.take(record, START_NS + 6 * S * at_s))
    models.stop()
    await models.close(1.0)
    assert models.usage == []
    assert "the local model is not asked" in caplog.text
    assert "nonsense" in caplog.text


async def test_models_of_a_session_are_opened_with_its_gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Right before the wire its gate is asked; and what it does not record the log of what is sent does not keep."""
    asked: list[Callable[[], bool]] = []

    def opened(*_: object, may_leave: Callable[[], bool], keeps_content: bool, **__: object) -> None:
        asked.append(may_leave)
        assert not keeps_content

    monkeypatch.setattr("daemon.models.session.open_tier", opened)
    gate = Gate()
    await opened_models(tmp_path, gate=gate)
    for change in (gate.open, gate.close):
        change()
        assert [may_leave() for may_leave in asked] == [gate.is_open] * len(ModelTier)
