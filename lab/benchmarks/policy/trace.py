"""Records what a policy has to decide on in a session: once with the real engine, to be replayed through many policies.

Estimates do not depend on decisions, so the engine runs once, with a policy that only records its calls. A trace holds
every call with the context the engine built for it, and every row that the context at a policy's own tick depends on.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from daemon.engine.context import ContextFold
from daemon.engine.engine import Engine
from detectors.protocol import Detector
from lab.simulation.recording.labels import Label
from lab.training.extract import is_sensed
from storage.clock import NS_PER_S
from storage.records import (
    Context,
    Decision,
    Environment,
    Feedback,
    Offer,
    Record,
    Switch,
    SwitchName,
    Tick,
    Trigger,
    Verdict,
)
from storage.settings import Settings

SLOT_NS = 60 * NS_PER_S
UNWELCOME = ("full_screen", "locked", "do_not_disturb", "call", "paused")
"""What is laid over every other minute of a session to test whether a policy makes offers there."""

_APART_NS = NS_PER_S
_WINDOWS_A_SESSION = 1_000_000


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
            while (due_ns := engine.next_wake_ns) is not None and due_ns <= row.at_ns:
                yield engine.take(Tick(), due_ns)
            yield engine.take(row, row.at_ns)


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
            calls = tuple(PolicyCall(one.trigger, replace(one.context, **flag)) for one in calls)
        steps.append(TraceStep(step.at_ns, row, calls))
    return replace(calm, steps=tuple(steps), spans=tuple(spans))


def one_long(traces: Sequence[Trace], hours: float) -> Trace:
    """Return one session of at least so many hours, made of the others end to end, over and over."""
    steps: list[TraceStep] = []
    first = traces[0]
    turn = 0
    while not steps or steps[-1].at_ns - steps[0].at_ns < hours * 3600 * NS_PER_S:
        piece = traces[turn % len(traces)]
        by_ns = steps[-1].at_ns + _APART_NS - piece.start_ns if steps else 0
        for step in piece.steps[1 if steps else 0 :]:
            row = None if step.row is None else _later(step.row, by_ns)
            calls = tuple(_later_call(one, by_ns, first.start_ns, turn) for one in step.calls)
            steps.append(TraceStep(step.at_ns + by_ns, row, calls))
        turn += 1
    return Trace(name="one long session", steps=tuple(steps), labels=())


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


T = TypeVar("T", bound=Record | Context)


def _later(thing: T, by_ns: int) -> T:
    """Return a record or context with all its points in time moved."""
    times: dict[str, Any] = {}
    for field in fields(thing):
        if field.name.endswith("_ns") and field.name != "planned_ns":
            value = getattr(thing, field.name)
            if isinstance(value, int):
                times[field.name] = value + by_ns
    return replace(thing, **times)


def _later_call(call: PolicyCall, by_ns: int, start_ns: int, turn: int) -> PolicyCall:
    trigger: Any = _later(call.trigger, by_ns)
    if hasattr(trigger, "window_id"):
        trigger = replace(
            trigger, window_id=trigger.window_id + turn * _WINDOWS_A_SESSION, prefix_id=f"{turn}-{trigger.prefix_id}"
        )
    return PolicyCall(trigger, replace(_later(call.context, by_ns), session_start_ns=start_ns))


class _Recorder:
    """A policy that makes no offer and records its calls."""

    name, version = "listener", "1"

    def __init__(self) -> None:
        self._calls: list[PolicyCall] = []
        self._hold = Decision(verdict=Verdict.HOLD, gate="listener", reason="listener")

    def take_calls(self) -> tuple[PolicyCall, ...]:
        """Return the calls since the last time."""
        calls, self._calls = tuple(self._calls), []
        return calls

    def start(self, saved: Mapping[str, object], elapsed_ns: int, now_ns: int) -> None:
        """Remember nothing."""

    def decide(self, state: None, trigger: Trigger, context: Context, now_ns: int) -> tuple[None, Decision]:  # noqa: ARG002  # the Protocol
        """Record the call and hold."""
        self._calls.append(PolicyCall(trigger, context))
        return state, self._hold

    def learn(self, state: None, feedback: Feedback, offer: Offer, now_ns: int) -> None:
        """Learn nothing; no offer is ever made."""

    def save(self, state: None, now_ns: int) -> dict[str, object]:  # noqa: ARG002  # same
        """Store nothing."""
        return {}
