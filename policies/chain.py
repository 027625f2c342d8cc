"""The built-in policies: a list of gates, cheapest first; the first that stops an offer names itself.

Pure. Every outcome, a hold too, is a `Decision` with gate, reason code and the numbers it used. A tick is requested
only while an offer waits for a break or is on the screen.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from policies.arms import Arm, Call, assign, save_randomizer, start_randomizer
from policies.calibration import (
    LIMITS,
    NEEDED,
    learn_need,
    learn_needs,
    save_calibration,
    scaling_of,
    start_calibration,
)
from policies.gates import GATES, VERSION, DecisionMoment, GateResult, OfferGate, breaks
from policies.gates.arm import ArmGate
from policies.gates.breaks import LATE_NS, at_break, bound_ns, hands_free, next_look_ns
from policies.gates.budget import BudgetGate, consume, learn_budget, save_budget, start_budget
from policies.gates.content import SEARCH_NS
from policies.gates.evidence import logit, lowered, numbers_of, observe, total_of
from policies.gates.novelty import add_offer, save_history, start_history
from policies.gates.utility import NEED_AT_LEVEL, log_odds_of, need_of, utility_numbers
from policies.gates.withdrawal import NAME as WITHDRAWAL
from policies.gates.withdrawal import withdraw_shown
from policies.learning import learn_answer, save_learned, shift_of, start_learned
from policies.need_levels import (
    OFFERS_AN_HOUR,
    count_evidence,
    discount_need,
    level_of,
    save_need_history,
    share_needed,
    start_need_history,
)
from policies.state import ChainState, EvidenceState, OfferedEvidence, Wait
from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.records import (
    Context,
    Decision,
    Estimate,
    Feedback,
    FeedbackKind,
    NeedReport,
    Offer,
    ReportedBy,
    Trigger,
    Verdict,
)
from storage.settings import PolicySettings
from storage.translation.sentences import translatable


class ChainPolicy:
    """Offers help when every gate lets it."""

    memory = "default"  # arms share what is saved: a muted topic stays muted in another arm

    def __init__(
        self,
        arm: Arm,
        settings: PolicySettings,
        base_rate: float,
        gates: Sequence[OfferGate] = GATES,
    ) -> None:
        """Assemble the policy; `constants` is what its hash covers."""
        self.name, self.version = arm.name, VERSION
        self._arm = arm
        self._settings = settings
        self._base_rate = base_rate
        # Need that makes an offer worth its costs and need that is usual at it differ: how often an offer may be
        # false is the person's choice, and no answer that was to be expected takes that back.
        self._usual = min(0.0, logit(share_needed(OFFERS_AN_HOUR[settings.how_often])) - logit(NEED_AT_LEVEL))
        self._always = tuple(gate for gate in gates if gate.while_shown)
        self._others = tuple(gate for gate in gates if not gate.while_shown)
        self.constants = {
            "arm": arm,
            "settings": settings,
            "base_rate": base_rate,
            "late_ns": LATE_NS,
            "calibration": LIMITS,
            "search_ns": SEARCH_NS,
        }
        if tuple(gates) != GATES:
            self.constants["gates"] = tuple(gate.name for gate in gates)

    def start(self, saved: Mapping[str, object], elapsed_ns: int, now_ns: int) -> ChainState:
        """Return the state at the start of a session.

        Raises:
            BadFile: `saved` has a shape that `save` never gave.
        """
        try:
            return ChainState(
                budget=start_budget(saved, elapsed_ns, now_ns),
                randomizer=start_randomizer(saved),
                learned=start_learned(saved, elapsed_ns, now_ns),
                calibration=start_calibration(saved, elapsed_ns, now_ns),
                needs=start_need_history(saved),
                history=start_history(saved, elapsed_ns, now_ns),
                began_ns=now_ns,
            )
        except (TypeError, ValueError, KeyError) as error:
            raise BadFile(
                translatable("The saved policy state has a shape this version does not know."),
                remedy=translatable("Forget what was learned and muted with: kairos why --forget all"),
            ) from error

    def decide(self, state: ChainState, trigger: Trigger, context: Context, now_ns: int) -> tuple[ChainState, Decision]:
        """Return the new state and the decision about offering help now."""
        settings = self._settings
        if isinstance(trigger, Estimate) and not trigger.abstained and trigger.error is None:
            state = self._observe(state, trigger, context, now_ns)
        moment = DecisionMoment(
            trigger=trigger,
            context=context,
            now_ns=now_ns,
            settings=settings,
            arm=self._arm,
            state=state,
        )
        stop = _first_stop(self._always, moment)
        if context.showing is not None:
            return replace(state, wait=None), self._decide_shown(context.showing, stop, moment)
        stop = stop or _first_stop(self._others, moment)
        if stop is not None:
            return replace(state, wait=None), _decision(stop, moment)
        return self._decide_moment(moment)

    def learn(self, state: ChainState, feedback: Feedback, offer: Offer, now_ns: int) -> ChainState:
        """Return the state after an answer; an accepted offer ends the episode it was about."""
        calibration = state.calibration
        offered = state.offered
        log_odds = logit(NEED_AT_LEVEL) if offered is None else offered.log_odds
        needed = NEEDED.get(feedback.kind)
        if needed is not None:
            calibration = learn_need(
                calibration, self._settings, offer.app, log_odds, needed=needed, usual=self._usual, now_ns=now_ns
            )
        own = scaling_of(calibration, self._settings, offer.app, now_ns)
        need = need_of(log_odds, own._replace(shift=own.shift + self._usual))
        needs = state.needs
        if needed and offered is not None:
            needs = discount_need(needs, offer.app, offered.senses, offered.total)
        return replace(
            state,
            needs=needs,
            budget=learn_budget(state.budget, self._settings, feedback, offer, now_ns),
            learned=learn_answer(state.learned, self._settings, feedback, offer, now_ns, need=need),
            calibration=calibration,
            evidence=EvidenceState() if feedback.kind is FeedbackKind.ACCEPTED else state.evidence,
        )

    def learn_report(
        self, state: ChainState, report: NeedReport, needs: Mapping[str, float], now_ns: int
    ) -> ChainState:
        """Return the state after a person's own report; `needs` are the highest estimates then, by program."""
        calibration = learn_needs(
            state.calibration,
            self._settings,
            {app: self._own_log_odds(state, app, need, now_ns) for app, need in needs.items()},
            needed=report.needed,
            asked=report.by is ReportedBy.ASKED,
            usual=self._usual,
            now_ns=now_ns,
        )
        return replace(state, calibration=calibration)

    def save(self, state: ChainState, now_ns: int) -> Mapping[str, object]:
        """Return what outlives the session as plain values; evidence ends with it.

        An arm that never shows anything leaves no trace of the offers it would have made: nobody saw them.
        """
        budget, history = state.budget, state.history
        if not self._arm.chance:
            budget = replace(budget, shown_ns=tuple(at_ns for at_ns in budget.shown_ns if at_ns < state.began_ns))
            history = tuple(past for past in history if past.at_ns < state.began_ns)
        return {
            **save_budget(budget, now_ns),
            **save_learned(state.learned, now_ns),
            **save_calibration(state.calibration, now_ns),
            **save_need_history(state.needs),
            **save_history(history, now_ns),
            **save_randomizer(state.randomizer),
        }

    def _observe(self, state: ChainState, estimate: Estimate, context: Context, now_ns: int) -> ChainState:
        """Return the state after an estimate: evidence, the level that calls for an offer, and what is usual.

        Evidence with nothing to say, or of a program that was left, makes no offer, so it reaches no level either.
        """
        half_life_s = self._settings.evidence_half_life_s
        level = self.level(state, estimate.app, estimate.senses, now_ns) + shift_of(
            state.learned, self._settings, now_ns
        )
        evidence = observe(
            state.evidence, estimate, now_ns, level=level, half_life_s=half_life_s, base_rate=self._base_rate
        )
        may_speak = evidence.topic is not None and estimate.app == context.app
        total = total_of(evidence, half_life_s, now_ns) if may_speak else -math.inf
        needs = count_evidence(state.needs, estimate, total, now_ns)
        return replace(state, evidence=evidence, needs=needs)

    def level(self, state: ChainState, app: str, senses: str, now_ns: int) -> float:
        """Return the sum of evidence from which on help is offered in a program."""
        return level_of(state.needs, app, senses, OFFERS_AN_HOUR[self._settings.how_often], now_ns)

    def _own_log_odds(self, state: ChainState, app: str, need: float, now_ns: int) -> float:
        """Return what an estimate of need counts as in a program, before any answers."""
        above = logit(need) - logit(self._base_rate) - self.level(state, app, state.evidence.senses, now_ns)
        return above + logit(NEED_AT_LEVEL)

    def _decide_shown(self, offer: Offer, stop: GateResult | None, moment: DecisionMoment) -> Decision:
        if stop is not None:
            return replace(_decision(stop, moment), withdraw=True)
        numbers = {"shown_s": (moment.now_ns - offer.shown_at_ns) / NS_PER_S}
        reason = withdraw_shown(offer, moment)
        if reason is not None:
            stop = GateResult(gate=WITHDRAWAL, reason=reason, numbers=numbers)
            return replace(_decision(stop, moment), withdraw=True)
        stale_ns = self._stale_ns(offer.shown_at_ns)
        return _decision(
            GateResult(gate=BudgetGate.name, reason="showing", numbers=numbers, next_tick_ns=stale_ns), moment
        )

    def _decide_moment(self, moment: DecisionMoment) -> tuple[ChainState, Decision]:
        """Make an offer at a break that justifies it, or else when the wait ends, or drop it there."""
        settings, context, state, now_ns = self._settings, moment.context, moment.state, moment.now_ns
        by_utility = self._arm.call is Call.UTILITY
        wait = state.wait or Wait(since_ns=now_ns, app=context.app)
        numbers = {
            "waited_s": (now_ns - wait.since_ns) / NS_PER_S,
            "idle_s": (now_ns - context.last_input_ns) / NS_PER_S,
        }
        pausing = at_break(context, moment.trigger, settings, now_ns)
        justified = not by_utility or (moment.utility is not None and moment.utility.positive_now)
        end_ns = bound_ns(wait, settings)
        if now_ns < end_ns:
            if not (pausing and justified):
                look_ns = next_look_ns(wait, context, settings, now_ns)
                stop = GateResult(gate=breaks.NAME, reason="waiting_for_break", numbers=numbers, next_tick_ns=look_ns)
                return replace(state, wait=wait), _decision(stop, moment)
        else:
            total = total_of(state.evidence, settings.evidence_half_life_s, now_ns)
            holds = total >= state.evidence.level or not by_utility
            if now_ns > end_ns + LATE_NS or not (holds and justified and hands_free(context)):
                stop = GateResult(gate=breaks.NAME, reason="no_break", numbers=numbers)
                return replace(state, wait=None, evidence=lowered(state.evidence)), _decision(stop, moment)
        return self._assign("at_break" if pausing else "wait_over", numbers, moment)

    def _assign(self, reason: str, numbers: Mapping[str, float], moment: DecisionMoment) -> tuple[ChainState, Decision]:
        """Make the offer, or withhold it if the arm's random assignment says so; its probability is logged."""
        arm, state, now_ns = self._arm, moment.state, moment.now_ns
        randomizer, offered = assign(state.randomizer, arm.chance, state.evidence.prefix_ids[-1])
        after = replace(state, wait=None, randomizer=randomizer)
        if offered or arm.spends:
            history = add_offer(state.history, state.evidence.topic or "", now_ns)
            after = replace(after, budget=consume(state.budget, now_ns), history=history)
        if not offered:
            stop = GateResult(gate=ArmGate.name, reason="withheld" if arm.chance else "silent", numbers=numbers)
            return after, replace(_decision(stop, moment), propensity=1.0 - arm.chance)
        half_life_s = self._settings.evidence_half_life_s
        behind = OfferedEvidence(
            senses=state.evidence.senses,
            total=total_of(state.evidence, half_life_s, now_ns),
            log_odds=log_odds_of(state.evidence, half_life_s, now_ns),
        )
        after = replace(after, offered=behind)
        offer = GateResult(
            gate="all",
            reason="by_arm" if arm.call is Call.ANY else reason,
            verdict=Verdict.OFFER,
            numbers=numbers,
            next_tick_ns=self._stale_ns(now_ns),
        )
        return after, replace(_decision(offer, moment), propensity=arm.chance)

    def _stale_ns(self, shown_at_ns: int) -> int:
        return shown_at_ns + round(self._settings.stale_s * NS_PER_S)


def _first_stop(gates: Sequence[OfferGate], moment: DecisionMoment) -> GateResult | None:
    for gate in gates:
        stop = gate.check(moment)
        if stop is not None:
            return stop
    return None


def _decision(result: GateResult, moment: DecisionMoment) -> Decision:
    numbers = numbers_of(moment.state.evidence, moment.settings.evidence_half_life_s, moment.now_ns)
    if moment.utility is not None:
        numbers.update(utility_numbers(moment.utility))
    return Decision(
        verdict=result.verdict,
        gate=result.gate,
        reason=result.reason,
        numbers={**numbers, **result.numbers},
        prefix_ids=moment.state.evidence.prefix_ids,
        topic=moment.state.evidence.topic,
        next_tick_ns=result.next_tick_ns,
    )
