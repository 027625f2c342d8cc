"""Replays a trace through a policy: who spoke when, with the engine's own rules for ticks, offers and their ends.

An offer ends when the policy withdraws it, when it expires, with the session, or when a simulated person answers it. By
default nobody does, so nothing is learned. The tests hold this loop against the engine's own decisions, one by one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from daemon.engine.context import ContextFold
from daemon.engine.offers import OfferTracker
from daemon.engine.ticks import TickLimit, check_ticks
from evaluation.benchmarks.policy.trace import Trace, TraceStep
from policies.protocol import LearnsReports, Policy
from storage.clock import NS_PER_S
from storage.records import (
    Context,
    Decision,
    Estimate,
    Feedback,
    FeedbackKind,
    NeedReport,
    Offer,
    ReportedBy,
    Tick,
    Trigger,
    Verdict,
)
from storage.settings import InterfaceSettings

VISIBLE_NS = round(InterfaceSettings().offer_visible_s * NS_PER_S)
ANSWER_NS = 3 * NS_PER_S
"""So long after it appears a simulated person answers an offer, if it is still there."""


class SimulatedPerson(Protocol):
    """Somebody who sees the offers of one session."""

    requests_ns: Sequence[int]
    """When this person asks for help, if no offer is on the screen."""

    def answer(self, at_ns: int) -> FeedbackKind | None:
        """Return the answer to an offer that appears now; None if it gets none."""
        ...

    def asks(self, at_ns: int) -> bool:
        """Return whether this person really asks now."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """An offer: from when to when it was on the screen, and the decision behind it."""

    at_ns: int
    gone_ns: int
    app: str
    help_need: float
    decision: Decision


@dataclass(slots=True)
class Played:
    """What a policy made of one session, and saved at its end; `decide_ns` is filled only where a clock was given."""

    decisions: list[tuple[int, Decision]] = field(default_factory=list)
    shown: list[Shown] = field(default_factory=list)
    decide_ns: list[int] = field(default_factory=list)
    saved: Mapping[str, object] = field(default_factory=dict)


def play(
    trace: Trace,
    policy: Policy[Any],
    *,
    saved: Mapping[str, object] | None = None,
    cpu_ns: Callable[[], int] | None = None,
    person: SimulatedPerson | None = None,
) -> Played:
    """Replay one session.

    Args:
        trace: the session.
        policy: who decides; it starts anew.
        saved: what the policy is to know from before.
        cpu_ns: a clock by which to time every decision.
        person: who answers offers; by default nobody.

    Raises:
        BadFile: more ticks are due before a step than any session needs.
    """
    return _Loop(trace, policy, saved or {}, cpu_ns, person).run()


class _Loop:
    """One session's replay."""

    def __init__(
        self,
        trace: Trace,
        policy: Policy[Any],
        saved: Mapping[str, object],
        cpu_ns: Callable[[], int] | None,
        person: SimulatedPerson | None,
    ) -> None:
        self._trace = trace
        self._policy = policy
        self._cpu_ns = cpu_ns
        self._state = policy.start(saved, 0, trace.start_ns)
        self._played = Played()
        self._fold = ContextFold()
        self._folded, self._at = 0, -1
        self._tick_ns: int | None = None
        self._tick_limit = TickLimit()
        self._offers = OfferTracker(VISIBLE_NS, lambda _: False)
        self._shown_decision: Decision | None = None
        self._person = person
        self._answer: tuple[int, FeedbackKind] | None = None
        self._requests_ns = [] if person is None else sorted(person.requests_ns, reverse=True)
        self._newest: Estimate | None = None

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
        answer_ns = None if self._answer is None else self._answer[0]
        request_ns = self._requests_ns[-1] if self._requests_ns else None
        due = (self._tick_ns, self._offers.expires_at_ns, answer_ns, request_ns)
        return min((due_ns for due_ns in due if due_ns is not None), default=None)

    def _tick(self, now_ns: int) -> None:
        self._expire(now_ns)
        self._hear(now_ns)
        if self._tick_ns is not None and self._tick_ns <= now_ns:
            self._decide(Tick(at_ns=now_ns), self._context(now_ns), now_ns)

    def _take(self, step: TraceStep) -> None:
        self._expire(step.at_ns)
        for call in step.calls:
            if isinstance(call.trigger, Estimate):
                self._newest = call.trigger
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
                answer = None if self._person is None else self._person.answer(now_ns)
                self._answer = None if answer is None else (now_ns + ANSWER_NS, answer)

    def _hear(self, now_ns: int) -> None:
        """Let the policy learn what the person answers now, or asks."""
        if self._answer is not None and self._answer[0] <= now_ns:
            kind, self._answer = self._answer[1], None
            offer = self._offers.withdraw()
            if offer is not None:
                self._add_shown(offer, now_ns)
                feedback = Feedback(offer_id=offer.offer_id, kind=kind)
                self._state = self._policy.learn(self._state, feedback, offer, now_ns)
        if self._person is None or not self._requests_ns or self._requests_ns[-1] > now_ns:
            return
        at_ns, estimate = self._requests_ns.pop(), self._newest
        if self._offers.showing is None and estimate is not None and not estimate.abstained and self._person.asks(at_ns):
            report = NeedReport(start_ns=at_ns, end_ns=at_ns, needed=True, by=ReportedBy.ASKED)
            if isinstance(self._policy, LearnsReports):
                needs = {estimate.app: estimate.help_need}
                self._state = self._policy.learn_report(self._state, report, needs, now_ns)

    def _expire(self, now_ns: int) -> None:
        offer = self._offers.expire(now_ns)
        if offer is not None:
            self._add_shown(offer, offer.expires_at_ns)

    def _end(self, now_ns: int) -> None:
        """Take the offer that is on the screen down, if there is one."""
        self._add_shown(self._offers.withdraw(), now_ns)

    def _add_shown(self, offer: Offer | None, gone_ns: int) -> None:
        """Note an offer that has ended."""
        self._answer = None
        if offer is not None and self._shown_decision is not None:
            self._played.shown.append(
                Shown(
                    at_ns=offer.shown_at_ns,
                    gone_ns=gone_ns,
                    app=offer.app,
                    help_need=offer.help_need,
                    decision=self._shown_decision,
                )
            )
