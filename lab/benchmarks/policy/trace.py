"""Records what a policy has to decide on in a session, and replays that through policies and simple baselines.

Estimates do not depend on decisions, so the engine runs once, with a policy that only records its calls. A trace holds
every call with the context the engine built for it, and every row that the context at a policy's own tick depends on.
The replay has the engine's own rules for ticks, offers and their ends, and the tests hold it against the engine's
decisions one by one. Nothing is learned unless somebody is made to answer.

A bare baseline has the consent gate, and holds while an offer is on the screen. With settings it also has the
availability and budget gates of our own policies, so that the difference is when it decides to offer.
"""

import math
import random
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from daemon.engine.context import ContextFold
from daemon.engine.engine import Engine
from daemon.engine.offers import OfferTracker
from daemon.engine.ticks import TickLimit, check_ticks
from detectors.protocol import Detector
from lab.simulation.recording.labels import Label
from lab.training.extract import Idle, is_sensed
from policies.gates.availability import check_availability, check_consent
from policies.gates.budget import check_budget, consume
from policies.gates.gate import GateResult
from policies.protocol import Policy
from policies.state import BudgetState
from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.records import (
    Context,
    Decision,
    Environment,
    Estimate,
    Feedback,
    FeedbackKind,
    Offer,
    Record,
    Switch,
    SwitchName,
    Tick,
    Trigger,
    Verdict,
)
from storage.settings import InterfaceSettings, PolicySettings, Settings

FILE = Path(__file__).parent / "data" / "costs.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What offers bring and cost, in seconds of the person's time."""

    benefit_s: float
    benefit_half_life_s: float
    false_s: float
    interrupt_at_break_s: float
    interrupt_in_action_s: float

    def interrupt_s(self, *, at_break: bool) -> float:
        """Return what an offer costs whoever it meets."""
        return self.interrupt_at_break_s if at_break else self.interrupt_in_action_s

    def benefit_after_s(self, delay_ns: int) -> float:
        """Return what the first offer of an episode brings, so long after the onset."""
        return self.benefit_s * math.exp2(-delay_ns / NS_PER_S / self.benefit_half_life_s)

    def times(self, factor: float) -> "Costs":
        """Return the same benefit at other costs."""
        return replace(
            self,
            false_s=self.false_s * factor,
            interrupt_at_break_s=self.interrupt_at_break_s * factor,
            interrupt_in_action_s=self.interrupt_in_action_s * factor,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineNumbers:
    """The numbers of the baselines."""

    random_probability: float
    threshold: float
    model_says_yes: float
    idle_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The whole file; `factors` multiply costs, `episodes` join stretches of need, `curve` has thresholds."""

    version: int
    committed_before_scoring: bool
    costs: Costs
    factors: Mapping[str, tuple[float, ...]]
    episodes: Mapping[str, float]
    baselines: BaselineNumbers
    curve: Mapping[str, tuple[float, ...]]


def load_rules(path: Path = FILE) -> Rules:
    """Read the file.

    Raises:
        BadFile: it is missing, or a number is missing or none.
    """
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Rules)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise BadFile(f"{path} does not say what offers cost ({error})") from error


SLOT_NS = 60 * NS_PER_S
UNWELCOME = ("full_screen", "locked", "do_not_disturb", "call", "paused")
"""What is laid over every other minute of a session to test whether a policy makes offers there."""


@dataclass(frozen=True, slots=True)
class PolicyCall:
    """One call of a policy: its trigger, and the context without an offer on the screen."""

    trigger: Trigger
    context: Context


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One row of the engine's input (None for a tick of its own), and the calls it led to."""

    at_ns: int
    row: Record | None
    calls: tuple[PolicyCall, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time in which an offer is unwelcome, and why."""

    start_ns: int
    end_ns: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One session as policies see it, with the labels of its script."""

    name: str
    steps: tuple[TraceStep, ...]
    labels: tuple[Label, ...]
    spans: tuple[Span, ...] = ()

    @property
    def start_ns(self) -> int:
        """When the session began."""
        return self.steps[0].at_ns

    @property
    def end_ns(self) -> int:
        """When it ended."""
        return self.steps[-1].at_ns

    @property
    def hours(self) -> float:
        """How long it lasted."""
        return (self.end_ns - self.start_ns) / NS_PER_S / 3600


def trace(name: str, rows: Iterable[Record], labels: Sequence[Label], detector: Detector) -> Trace:
    """Run a detector over a session once."""
    recorder = _Recorder()
    engine = Engine(detector=detector, policy=recorder, settings=Settings())
    steps = tuple(
        TraceStep(taken.at_ns, None if isinstance(taken, Tick) else taken, recorder.take_calls())
        for taken, *_ in run_engine(engine, rows)
    )
    return Trace(name=name, steps=steps, labels=tuple(labels))


def run_engine(engine: Engine, rows: Iterable[Record]) -> Iterator[list[Record]]:
    """Feed what was sensed in a session to an engine; yield its output for each row, and for each tick in between."""
    for row in rows:
        if is_sensed(row):
            yield from engine.take_with_ticks(row, row.at_ns)


def with_unwelcome(calm: Trace) -> Trace:
    """Return the session with every other minute in full screen, locked, on a call or otherwise out of bounds.

    Estimates go on as they were, which is harder on a policy than real life, where a pause also ends the estimates.
    """
    spans = [
        Span(start_ns, min(start_ns + SLOT_NS, calm.end_ns), UNWELCOME[number % len(UNWELCOME)])
        for number, start_ns in enumerate(range(calm.start_ns + SLOT_NS, calm.end_ns, 2 * SLOT_NS))
    ]
    edges = [edge for span in spans for edge in ((span.start_ns, span, True), (span.end_ns, span, False))]
    fold, sensed = ContextFold(), Environment()
    now: Span | None = None
    steps: list[TraceStep] = []
    for step in calm.steps:
        while edges and edges[0][0] < step.at_ns:
            at_ns, span, begins = edges.pop(0)
            now = span if begins else None
            steps.append(_edge(fold, sensed, span, at_ns, on=begins))
        row = step.row
        if isinstance(row, Environment):
            sensed = row
            row = row if now is None or now.why == "paused" else replace(row, **_flag(now))
        if row is not None:
            fold.add(row)
        calls = step.calls
        if now is not None:
            flag = _flag(now)
            calls = tuple(PolicyCall(call.trigger, replace(call.context, **flag)) for call in calls)
        steps.append(TraceStep(step.at_ns, row, calls))
    return replace(calm, steps=tuple(steps), spans=tuple(spans))


def _edge(fold: ContextFold, sensed: Environment, span: Span, at_ns: int, *, on: bool) -> TraceStep:
    row: Switch | Environment
    if span.why == "paused":
        row = Switch(name=SwitchName.PAUSED, on=on, by="bench", at_ns=at_ns)
    else:
        row = replace(sensed, at_ns=at_ns, **(_flag(span) if on else {}))
    fold.add(row)
    return TraceStep(at_ns, row, (PolicyCall(row, fold.context(at_ns, None)),))


def _flag(span: Span) -> dict[str, Any]:
    return {span.why: True}


class _Recorder(Idle):
    """A policy that makes no offer and records its calls."""

    def __init__(self) -> None:
        super().__init__()
        self._calls: list[PolicyCall] = []

    def take_calls(self) -> tuple[PolicyCall, ...]:
        """Return the calls since the last time."""
        calls, self._calls = tuple(self._calls), []
        return calls

    def decide(self, state: None, trigger: Trigger, context: Context, now_ns: int) -> tuple[None, Decision]:
        """Record the call and hold."""
        self._calls.append(PolicyCall(trigger, context))
        return super().decide(state, trigger, context, now_ns)


VISIBLE_NS = round(InterfaceSettings().offer_visible_s * NS_PER_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownOffer:
    """An offer: from when to when it was on the screen, and the decision behind it."""

    at_ns: int
    gone_ns: int
    app: str
    help_need: float
    decision: Decision


@dataclass(slots=True)
class Played:
    """What a policy made of one session; `decide_ns` is filled only where a clock was given.

    `saved` is what the policy would know in the next session.
    """

    decisions: list[tuple[int, Decision]] = field(default_factory=list)
    shown: list[ShownOffer] = field(default_factory=list)
    decide_ns: list[int] = field(default_factory=list)
    saved: Mapping[str, object] = field(default_factory=dict)


def play(
    trace: Trace,
    policy: Policy[Any],
    *,
    saved: Mapping[str, object] | None = None,
    elapsed_ns: int = 0,
    cpu_ns: Callable[[], int] | None = None,
    answer: Callable[[int], FeedbackKind | None] | None = None,
) -> Played:
    """Replay one session.

    Args:
        trace: the session.
        policy: who decides; it starts anew.
        saved: what the policy is to know from before.
        elapsed_ns: how long ago that was.
        cpu_ns: a clock by which to time every decision.
        answer: what the person says at once to an offer at a moment; None: nothing.

    Raises:
        BadFile: more ticks are due before a step than any session needs.
    """
    loop = _Loop(trace, policy, saved or {}, elapsed_ns, cpu_ns)
    loop.answer = answer
    return loop.run()


class _Loop:
    """One session's replay."""

    def __init__(
        self,
        trace: Trace,
        policy: Policy[Any],
        saved: Mapping[str, object],
        elapsed_ns: int,
        cpu_ns: Callable[[], int] | None,
    ) -> None:
        self._trace = trace
        self._policy = policy
        self._cpu_ns = cpu_ns
        self._state = policy.start(saved, elapsed_ns, trace.start_ns)
        self._played = Played()
        self._fold = ContextFold()
        self._folded, self._at = 0, -1
        self._tick_ns: int | None = None
        self._tick_limit = TickLimit()
        self._offers = OfferTracker(VISIBLE_NS, lambda _: False)
        self._shown_decision: Decision | None = None
        self.answer: Callable[[int], FeedbackKind | None] | None = None

    def run(self) -> Played:
        """Go through the steps at which a policy is asked, and the ticks between them."""
        for at, step in enumerate(self._trace.steps):
            if step.calls:
                own = step.row is None
                self._tick_until(step.at_ns - 1 if own else step.at_ns)
                self._at = at
                self._take(step)
                if own:
                    self._tick(step.at_ns)
        self._tick_until(self._trace.end_ns)
        self._end(self._trace.end_ns)
        self._played.saved = self._policy.save(self._state, self._trace.end_ns)
        return self._played

    def _tick_until(self, end_ns: int) -> None:
        ticks = 0
        while (due_ns := self._due_ns()) is not None and due_ns <= end_ns:
            check_ticks(ticks, f"{end_ns / NS_PER_S:.1f} s")
            ticks += 1
            self._tick(due_ns)

    def _due_ns(self) -> int | None:
        due = (self._tick_ns, self._offers.expires_at_ns)
        return min((due_ns for due_ns in due if due_ns is not None), default=None)

    def _tick(self, now_ns: int) -> None:
        self._expire(now_ns)
        if self._tick_ns is not None and self._tick_ns <= now_ns:
            self._decide(Tick(at_ns=now_ns), self._context(now_ns), now_ns)

    def _take(self, step: TraceStep) -> None:
        self._expire(step.at_ns)
        for call in step.calls:
            if isinstance(call.trigger, Estimate):
                self._offers.add_estimate(call.trigger)
            context = call.context
            if self._offers.showing is not None:
                context = replace(context, showing=self._offers.showing)
            self._decide(call.trigger, context, step.at_ns)

    def _context(self, now_ns: int) -> Context:
        """Return the context at a tick: what was taken in before is folded in only now."""
        steps = self._trace.steps
        while self._folded < len(steps) and (self._folded <= self._at or steps[self._folded].at_ns < now_ns):
            row = steps[self._folded].row
            if row is not None:
                self._fold.add(row)
            self._folded += 1
        return self._fold.context(now_ns, self._offers.showing)

    def _decide(self, trigger: Trigger, context: Context, now_ns: int) -> None:
        if self._cpu_ns is None:
            self._state, decision = self._policy.decide(self._state, trigger, context, now_ns)
        else:
            begun_ns = self._cpu_ns()
            self._state, decision = self._policy.decide(self._state, trigger, context, now_ns)
            self._played.decide_ns.append(self._cpu_ns() - begun_ns)
        decision = self._tick_limit.apply(decision, now_ns)
        self._played.decisions.append((now_ns, decision))
        self._tick_ns = decision.next_tick_ns
        if decision.withdraw:
            self._end(now_ns)
        if decision.verdict is Verdict.OFFER:
            replaced = self._offers.showing
            if self._offers.show(decision, context.app, now_ns) is not None:
                self._add_shown(replaced, now_ns)
                self._shown_decision = decision
                self._hear(now_ns)

    def _hear(self, now_ns: int) -> None:
        """Let the policy learn what the person says to the offer on the screen, which that ends."""
        kind = None if self.answer is None else self.answer(now_ns)
        offer = None if kind is None else self._offers.withdraw()
        if kind is not None and offer is not None:
            self._add_shown(offer, now_ns)
            said = Feedback(offer_id=offer.offer_id, kind=kind, at_ns=now_ns)
            self._state = self._policy.learn(self._state, said, offer, now_ns)

    def _expire(self, now_ns: int) -> None:
        offer = self._offers.expire(now_ns)
        if offer is not None:
            self._add_shown(offer, offer.expires_at_ns)

    def _end(self, now_ns: int) -> None:
        """Take the offer that is on the screen down, if there is one."""
        self._add_shown(self._offers.withdraw(), now_ns)

    def _add_shown(self, offer: Offer | None, gone_ns: int) -> None:
        """Note an offer that has ended."""
        if offer is not None and self._shown_decision is not None:
            self._played.shown.append(
                ShownOffer(
                    at_ns=offer.shown_at_ns,
                    gone_ns=gone_ns,
                    app=offer.app,
                    help_need=offer.help_need,
                    decision=self._shown_decision,
                )
            )


Rule = Callable[[float, float], bool]
"""Decides from help need and a drawn number between 0 and 1 whether to offer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineState:
    """The budget used, the numbers drawn, and the last input before the pause of the last offer."""

    budget: BudgetState = field(default_factory=BudgetState)
    drawn: int = 0
    seed: str = ""
    offered_ns: int | None = None


class Baseline:
    """Offers at an estimate when its rule says so, or after a pause if it is an idle timer."""

    version = "1"

    def __init__(
        self,
        name: str,
        settings: PolicySettings | None = None,
        *,
        rule: Rule = lambda need, drawn: False,  # noqa: ARG005  # the shape of any rule
        idle_s: float | None = None,
    ) -> None:
        """Make a baseline; with settings it has all gates."""
        self.name = name
        self._settings = settings
        self._rule = rule
        self._idle_ns = None if idle_s is None else round(idle_s * NS_PER_S)

    def start(self, saved: Mapping[str, object], elapsed_ns: int, now_ns: int) -> BaselineState:  # noqa: ARG002  # the Protocol
        """Return the state at the start of a session; `saved` may hold a seed."""
        return BaselineState(seed=str(saved.get("seed", "")))

    def decide(
        self, state: BaselineState, trigger: Trigger, context: Context, now_ns: int
    ) -> tuple[BaselineState, Decision]:
        """Offer or hold."""
        tick_ns = None
        if self._idle_ns is None:
            offers = False
            if isinstance(trigger, Estimate) and not trigger.abstained and trigger.error is None:
                offers = self._rule(trigger.help_need, random.Random(f"{state.seed}/{state.drawn}").random())  # noqa: S311  # not for secrets
                state = replace(state, drawn=state.drawn + 1)
        else:
            due_ns = context.last_input_ns + self._idle_ns
            offers = now_ns >= due_ns and state.offered_ns != context.last_input_ns
            tick_ns = due_ns if now_ns < due_ns else now_ns + self._idle_ns
        stop = self._stop(state, context, now_ns)
        if stop is not None or not offers:
            stop = stop or GateResult(gate="baseline", reason="not_enough")
            return state, Decision(verdict=stop.verdict, gate=stop.gate, reason=stop.reason, next_tick_ns=tick_ns)
        state = replace(state, budget=consume(state.budget, now_ns), offered_ns=context.last_input_ns)
        return state, Decision(verdict=Verdict.OFFER, gate="all", reason="at_once", next_tick_ns=tick_ns)

    def learn(self, state: BaselineState, feedback: Feedback, offer: Offer, now_ns: int) -> BaselineState:  # noqa: ARG002  # the Protocol
        """Learn nothing."""
        return state

    def save(self, state: BaselineState, now_ns: int) -> Mapping[str, object]:  # noqa: ARG002  # the Protocol
        """Store nothing."""
        return {}

    def _stop(self, state: BaselineState, context: Context, now_ns: int) -> GateResult | None:
        stop = check_consent(context)
        if stop is None and self._settings is not None:
            stop = check_availability(context, self._settings, now_ns) or check_budget(
                state.budget, self._settings, context.app, None, now_ns
            )
        if stop is None and context.showing is not None:
            stop = GateResult(gate="budget", reason="showing")
        return stop


def baselines(numbers: BaselineNumbers, settings: PolicySettings | None = None) -> list[Baseline]:
    """Return all baselines, with all gates if settings are given."""
    return [
        Baseline("never", settings),
        Baseline("always", settings, rule=lambda need, drawn: True),  # noqa: ARG005  # whatever is drawn
        Baseline("random", settings, rule=lambda need, drawn: drawn < numbers.random_probability),  # noqa: ARG005  # same
        Baseline("fixed threshold", settings, rule=lambda need, drawn: need >= numbers.threshold),  # noqa: ARG005  # same
        Baseline("idle timer", settings, idle_s=numbers.idle_s),
        Baseline("model says yes", settings, rule=lambda need, drawn: need > numbers.model_says_yes),  # noqa: ARG005  # same
    ]


def threshold_baseline(threshold: float, settings: PolicySettings | None = None) -> Baseline:
    """Return a fixed threshold for the curve."""
    return Baseline("fixed threshold", settings, rule=lambda need, drawn: need >= threshold)  # noqa: ARG005  # same
