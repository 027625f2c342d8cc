"""Simple policies as baselines: random, always, a fixed threshold, an idle timer, whenever the model says yes.

Bare, a baseline has the consent gate, and holds while an offer is on the screen. With settings it also has the
availability and budget gates of our own policies, so that the difference is when it decides to offer.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from lab.benchmarks.policy.costs import BaselineNumbers
from policies.gates.availability import check_availability, check_consent
from policies.gates.budget import check_budget, consume
from policies.gates.gate import GateResult
from policies.state import BudgetState
from storage.clock import NS_PER_S
from storage.records import Context, Decision, Estimate, Feedback, Offer, Trigger, Verdict
from storage.settings import PolicySettings

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
