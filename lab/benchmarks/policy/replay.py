"""Replays a trace through a policy: who spoke when, with the engine's own rules for ticks, offers and their ends.

Nobody answers an offer here, so nothing is learned; an offer ends when the policy withdraws it, when it expires, or
with the session. The tests hold this loop against the engine's own decisions, one by one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from daemon.engine.context import ContextFold
from daemon.engine.offers import OfferTracker
from daemon.engine.ticks import TickLimit, check_ticks
from lab.benchmarks.policy.trace import Trace, TraceStep
from policies.protocol import Policy
from storage.clock import NS_PER_S
from storage.records import Context, Decision, Estimate, Offer, Tick, Trigger, Verdict
from storage.settings import InterfaceSettings

VISIBLE_NS = round(InterfaceSettings().offer_visible_s * NS_PER_S)


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
    """What a policy made of one session; `decide_ns` is filled only where a clock was given."""

    decisions: list[tuple[int, Decision]] = field(default_factory=list)
    shown: list[Shown] = field(default_factory=list)
    decide_ns: list[int] = field(default_factory=list)


def play(
    trace: Trace,
    policy: Policy[Any],
    *,
    saved: Mapping[str, object] | None = None,
    cpu_ns: Callable[[], int] | None = None,
) -> Played:
    """Replay one session.

    Args:
        trace: the session.
        policy: who decides; it starts anew.
        saved: what the policy is to know from before.
        cpu_ns: a clock by which to time every decision.

    Raises:
        BadFile: more ticks are due before a step than any session needs.
    """
    return _Loop(trace, policy, saved or {}, cpu_ns).run()


class _Loop:
    """One session's replay."""

    def __init__(
        self,
        trace: Trace,
        policy: Policy[Any],
        saved: Mapping[str, object],
        cpu_ns: Callable[[], int] | None,
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
                Shown(
                    at_ns=offer.shown_at_ns,
                    gone_ns=gone_ns,
                    app=offer.app,
                    help_need=offer.help_need,
                    decision=self._shown_decision,
                )
            )
