"""What all built-in policies are: small gates in a row, cheapest first; the first that stops names itself.

Pure. Every outcome, a hold too, is a `Decision` with gate, reason code and the numbers it used. A tick is asked for
only while an offer waits for a break or is on the screen.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from policies.arms import Arm, Call, Randomizer, assign, save_lot, start_lot
from policies.gates.availability import check_manners
from policies.gates.breaks import LATE_NS, Wait, at_break, bound_ns, hands_free, next_look_ns
from policies.gates.budget import BudgetState, check_budget, consume, learn_budget, save_budget, start_budget
from policies.gates.consent import check_consent
from policies.gates.content import check_content
from policies.gates.evidence import (
    Bounds,
    EvidenceState,
    bounds_of,
    check_estimate,
    check_evidence,
    lowered,
    numbers_of,
    observe,
    total_of,
)
from policies.gates.novelty import OfferHistory, check_novelty, save_said, say, start_said
from policies.gates.result import GateResult
from policies.gates.utility import Utility, check_utility, engagement, need_of, numbers_of_worth, worth_of
from policies.learning import About, Learned, acceptance, learn_answer, save_learned, shift_of, start_learned
from policies.withdrawal import withdraw_shown, withdraw_waiting
from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.records import Context, Decision, Estimate, Feedback, FeedbackKind, Offer, Trigger, Verdict
from storage.settings import PolicySettings


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainState:
    """What the gates remember."""

    budget: BudgetState = field(default_factory=BudgetState)
    evidence: EvidenceState = field(default_factory=EvidenceState)
    wait: Wait | None = None
    lot: Randomizer = field(default_factory=Randomizer)
    learned: Learned = field(default_factory=Learned)
    said: tuple[OfferHistory, ...] = ()
    began_ns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What one decision is about, with the bounds of the evidence test as they are now."""

    trigger: Trigger
    context: Context
    now_ns: int
    bounds: Bounds


class ChainPolicy:
    """Speaks when every gate lets it: consent, manners, budget, evidence, utility, content, novelty, break."""

    version = "2"
    memory = "default"  # arms share what was saved: a muted topic stays muted in another arm

    def __init__(self, arm: Arm, settings: PolicySettings, base_rate: float) -> None:
        """Keep the settings; `constants` is what the policy's hash covers."""
        self.name = arm.name
        self._arm = arm
        self._settings = settings
        self._base_rate = base_rate
        self._by_need = arm.call is not Call.ANY
        self._by_utility = arm.call is Call.UTILITY
        self.constants = {"arm": arm, "settings": settings, "base_rate": base_rate, "late_ns": LATE_NS}

    def start(self, saved: Mapping[str, object], elapsed_ns: int, now_ns: int) -> ChainState:
        """Return the state at the start of a session.

        Raises:
            BadFile: `saved` has a shape that `save` never gave.
        """
        try:
            return ChainState(
                budget=start_budget(saved, elapsed_ns, now_ns),
                lot=start_lot(saved),
                learned=start_learned(saved, elapsed_ns, now_ns),
                said=start_said(saved, elapsed_ns, now_ns),
                began_ns=now_ns,
            )
        except (TypeError, ValueError, KeyError) as error:
            raise BadFile(
                "The saved policy state has a shape this version does not know.",
                remedy="Forget what was learned and muted with: kairos why --forget all",
            ) from error

    def decide(self, state: ChainState, trigger: Trigger, context: Context, now_ns: int) -> tuple[ChainState, Decision]:
        """Return the new state and what was decided about offering help now."""
        settings = self._settings
        bounds = bounds_of(settings, shift_of(state.learned, settings, now_ns))
        moment = Moment(trigger=trigger, context=context, now_ns=now_ns, bounds=bounds)
        if isinstance(trigger, Estimate):
            state = replace(state, evidence=observe(state.evidence, trigger, bounds, self._base_rate, now_ns))
        stop = check_consent(context) or check_manners(context, settings, now_ns)
        if context.showing is not None:
            return replace(state, wait=None), self._decide_shown(state, context.showing, stop, moment)
        stop = (
            stop
            or self._check_waiting(state, context)
            or check_budget(state.budget, settings, context.app, state.evidence.topic, now_ns)
            or check_estimate(state.evidence, context.app)
            or self._check_call(state)
        )
        if stop is not None:
            return replace(state, wait=None), self._decision(state, stop, moment)
        worth = self._worth(state, moment)
        stop = (
            (check_utility(worth) if self._by_utility else None)
            or check_content(state.evidence.topic)
            or check_novelty(state.said, settings, state.evidence.topic, now_ns)
            or self._check_fresh(state, now_ns)
        )
        if stop is not None:
            return replace(state, wait=None), self._decision(state, stop, moment, worth)
        return self._decide_moment(state, worth, moment)

    def learn(self, state: ChainState, feedback: Feedback, offer: Offer, now_ns: int) -> ChainState:
        """Return the state after an answer; an accepted offer ends the episode it was about."""
        return replace(
            state,
            budget=learn_budget(state.budget, self._settings, feedback, offer, now_ns),
            learned=learn_answer(state.learned, self._settings, feedback, offer, now_ns),
            evidence=EvidenceState() if feedback.kind is FeedbackKind.ACCEPTED else state.evidence,
        )

    def save(self, state: ChainState, now_ns: int) -> Mapping[str, object]:
        """Return what outlives the session as plain values; evidence ends with it.

        An arm that never shows anything leaves no trace of the offers it would have made: nobody saw them.
        """
        budget, said = state.budget, state.said
        if not self._arm.chance:
            budget = replace(budget, shown_ns=tuple(at_ns for at_ns in budget.shown_ns if at_ns < state.began_ns))
            said = tuple(one for one in said if one.at_ns < state.began_ns)
        return {
            **save_budget(budget, now_ns),
            **save_learned(state.learned, now_ns),
            **save_said(said, now_ns),
            **save_lot(state.lot),
        }

    def _check_waiting(self, state: ChainState, context: Context) -> GateResult | None:
        if state.wait is not None and state.wait.app != context.app:
            return GateResult(gate="withdrawal", reason="app_changed")
        return None

    def _check_call(self, state: ChainState) -> GateResult | None:
        """Return why the evidence does not call for an offer, by the rules of this arm, or None."""
        evidence = state.evidence
        if self._by_utility:
            return check_evidence(evidence)
        if self._arm.call is Call.THRESHOLD and evidence.help_need < self._settings.threshold:
            return GateResult(gate="evidence", reason="below_threshold")
        if self._arm.call is Call.ANY and state.lot.prefix_id == evidence.prefix_ids[-1]:
            return GateResult(gate="arm", reason="drawn")
        return None

    def _check_fresh(self, state: ChainState, now_ns: int) -> GateResult | None:
        reason = withdraw_waiting(state.evidence, self._settings, now_ns, by_need=self._by_need)
        return None if reason is None else GateResult(gate="withdrawal", reason=reason)

    def _worth(self, state: ChainState, moment: Moment) -> Utility:
        settings, evidence, now_ns = self._settings, state.evidence, moment.now_ns
        about = About(app=moment.context.app, state=evidence.behavior, topic=evidence.topic or "")
        return worth_of(
            need_of(evidence, moment.bounds, self._base_rate, now_ns),
            engagement(evidence, moment.context, moment.trigger, settings, now_ns),
            acceptance(state.learned, settings, about, now_ns),
            settings,
        )

    def _decide_shown(self, state: ChainState, offer: Offer, stop: GateResult | None, moment: Moment) -> Decision:
        if stop is not None:
            return replace(self._decision(state, stop, moment), withdraw=True)
        settings, context, now_ns = self._settings, moment.context, moment.now_ns
        numbers = {"shown_s": (now_ns - offer.shown_at_ns) / NS_PER_S}
        evidence = state.evidence if self._by_need else None
        reason = withdraw_shown(offer, evidence, moment.bounds, context, settings, now_ns=now_ns)
        if reason is not None:
            gone = GateResult(gate="withdrawal", reason=reason, numbers=numbers)
            return replace(self._decision(state, gone, moment), withdraw=True)
        stale_ns = offer.shown_at_ns + round(settings.stale_s * NS_PER_S)
        return self._decision(
            state, GateResult(gate="budget", reason="showing", numbers=numbers, next_tick_ns=stale_ns), moment
        )

    def _decide_moment(self, state: ChainState, worth: Utility, moment: Moment) -> tuple[ChainState, Decision]:
        """Make an offer at a break that it is worth interrupting, or else at the bound, or drop it there."""
        settings, context, now_ns = self._settings, moment.context, moment.now_ns
        wait = state.wait or Wait(since_ns=now_ns, app=context.app)
        numbers = {
            "waited_s": (now_ns - wait.since_ns) / NS_PER_S,
            "idle_s": (now_ns - context.last_input_ns) / NS_PER_S,
        }
        pausing = at_break(context, moment.trigger, settings, now_ns)
        worth_it = worth.now or not self._by_utility
        end_ns = bound_ns(wait, settings)
        if now_ns < end_ns:
            if not (pausing and worth_it):
                look_ns = next_look_ns(wait, context, settings, now_ns)
                stop = GateResult(gate="break", reason="waiting_for_break", numbers=numbers, next_tick_ns=look_ns)
                return replace(state, wait=wait), self._decision(state, stop, moment, worth)
        else:
            holds = total_of(state.evidence, moment.bounds, now_ns) >= moment.bounds.upper or not self._by_utility
            if now_ns > end_ns + LATE_NS or not (holds and worth_it and hands_free(context)):
                dropped = replace(state, wait=None, evidence=lowered(state.evidence))
                stop = GateResult(gate="break", reason="no_break", numbers=numbers)
                return dropped, self._decision(state, stop, moment, worth)
        made = GateResult(
            gate="all", reason="at_break" if pausing else "wait_over", verdict=Verdict.OFFER, numbers=numbers
        )
        return self._draw(replace(state, wait=None), made, moment, worth)

    def _draw(
        self, state: ChainState, offer: GateResult, moment: Moment, worth: Utility
    ) -> tuple[ChainState, Decision]:
        """Make the offer, or withhold it if the lot says so: the arm's chance of this is logged."""
        arm, now_ns = self._arm, moment.now_ns
        lot, made = assign(state.lot, arm.chance, state.evidence.prefix_ids[-1])
        after = replace(state, lot=lot)
        if made or arm.spends:
            said = say(state.said, state.evidence.topic or "", now_ns)
            after = replace(after, budget=consume(state.budget, now_ns), said=said)
        if not made:
            stop = GateResult(gate="arm", reason="withheld" if arm.chance else "silent", numbers=offer.numbers)
            return after, replace(self._decision(state, stop, moment, worth), propensity=1.0 - arm.chance)
        stale_ns = now_ns + round(self._settings.stale_s * NS_PER_S)
        reason = offer.reason if self._by_need else "by_arm"
        decision = self._decision(state, replace(offer, reason=reason, next_tick_ns=stale_ns), moment, worth)
        return after, replace(decision, propensity=arm.chance)

    def _decision(self, state: ChainState, stop: GateResult, moment: Moment, worth: Utility | None = None) -> Decision:
        """Return the decision with all numbers known by then."""
        numbers = numbers_of(state.evidence, moment.bounds, moment.now_ns)
        if worth is not None:
            numbers.update(numbers_of_worth(worth))
        return Decision(
            verdict=stop.verdict,
            gate=stop.gate,
            reason=stop.reason,
            numbers={**numbers, **stop.numbers},
            prefix_ids=state.evidence.prefix_ids,
            topic=state.evidence.topic,
            next_tick_ns=stop.next_tick_ns,
        )
