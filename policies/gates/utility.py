"""Utility: offer when `p * benefit > (1 - p) * cost_false + cost_interrupt(context)`.

All in seconds of a person's time. The inequality implies a threshold of p, which every decision names. p is need on the
person's own scale (`policies.calibration`), the benefit follows the learned acceptance (`policies.learning`). An
interruption costs less at a break, so an offer that is not justified now may wait for one (`breaks`); only one that
would not be justified even there is stopped here.
"""

import math
from collections.abc import Mapping
from typing import ClassVar

from policies.arms import Call
from policies.calibration import scaling_of
from policies.gates.breaks import at_break, hands_free
from policies.gates.evidence import logit, total_of
from policies.gates.gate import DecisionMoment, GateResult, OfferGate
from policies.learning import acceptance, benefit_of
from policies.state import EvidenceState, NeedScaling, OfferSubject, Utility
from storage.clock import NS_PER_S
from storage.records import Context, Trigger
from storage.settings import PolicySettings

NEED_AT_LEVEL = 0.6
"""What need counts as where the evidence just calls for an offer: worth one at a break, not in the middle of work."""

AS_ESTIMATED = NeedScaling()
_LEAST = 1e-9  # keeps the threshold a number where benefit and costs are set to nothing


class UtilityGate(OfferGate):
    """Computes the utility of an offer, and stops one that would not be justified even at a break."""

    name = "utility"
    reasons: ClassVar[Mapping[str, str]] = {
        "not_worth_it": "No offer: help may be needed, but not surely enough to be worth an interruption."
    }

    def check(self, moment: DecisionMoment) -> GateResult | None:
        """Fill in `moment.utility`; only arms that go by utility are stopped by it."""
        utility = moment.utility = compute_utility(moment)
        if utility.positive_at_break or moment.arm.call is not Call.UTILITY:
            return None
        return GateResult(gate=self.name, reason="not_worth_it")


def compute_utility(moment: DecisionMoment) -> Utility:
    """Return the utility of an offer at this moment."""
    settings, evidence, now_ns = moment.settings, moment.state.evidence, moment.now_ns
    subject = OfferSubject(app=moment.context.app, state=evidence.behavior, topic=evidence.topic or "")
    scaling = scaling_of(moment.state.calibration, settings, moment.context.app, now_ns)
    return utility_of(
        need_of(log_odds_of(evidence, settings.evidence_half_life_s, now_ns), scaling),
        engagement(evidence, moment.context, moment.trigger, settings, now_ns),
        acceptance(moment.state.learned, settings, subject, now_ns),
        settings,
        scaling,
    )


def engagement(
    evidence: EvidenceState, context: Context, trigger: Trigger, settings: PolicySettings, now_ns: int
) -> float:
    """Return how deep somebody is in the work, 0 to 1: wholly with busy hands, less as the pause grows.

    In a pause what remains is how likely the detector sees fluent work: then it is a pause for breath.
    """
    if not hands_free(context):
        return 1.0
    if at_break(context, trigger, settings, now_ns):
        return evidence.fluency
    idle_s = (now_ns - context.last_input_ns) / NS_PER_S
    return max(evidence.fluency, 1.0 - idle_s / settings.break_s)


def log_odds_of(evidence: EvidenceState, half_life_s: float, now_ns: int) -> float:
    """Return the log-odds that help is needed, by how far all the evidence lies above the level that calls for it."""
    return total_of(evidence, half_life_s, now_ns) - evidence.level + logit(NEED_AT_LEVEL)


def need_of(log_odds: float, scaling: NeedScaling = AS_ESTIMATED) -> float:
    """Return the probability that help is needed, on the person's own scale."""
    return 1.0 / (1.0 + math.exp(-scaling.apply(log_odds)))


def utility_of(
    p: float, engaged: float, accepted: float, settings: PolicySettings, scaling: NeedScaling = AS_ESTIMATED
) -> Utility:
    """Return the utility of an offer, from need, engagement and how often such offers are accepted, each 0 to 1."""
    span_s = settings.interrupt_busy_s - settings.interrupt_break_s
    cost_interrupt = settings.interrupt_break_s + engaged * span_s
    benefit = benefit_of(accepted, settings)
    return Utility(
        p=p,
        acceptance=accepted,
        benefit=benefit,
        cost_false=settings.cost_false_s,
        cost_interrupt=cost_interrupt,
        threshold=_threshold(benefit, cost_interrupt, settings),
        threshold_at_break=_threshold(benefit, settings.interrupt_break_s, settings),
        scaling=scaling,
    )


def _threshold(benefit: float, cost_interrupt: float, settings: PolicySettings) -> float:
    return (settings.cost_false_s + cost_interrupt) / max(benefit + settings.cost_false_s, _LEAST)


def utility_numbers(utility: Utility) -> dict[str, float]:
    """Return the numbers of the inequality, for a decision; shift and scale of need only where answers moved them."""
    own = {} if utility.scaling == AS_ESTIMATED else {"shift": utility.scaling.shift, "scale": utility.scaling.scale}
    return own | {
        "p": utility.p,
        "acceptance": utility.acceptance,
        "threshold": utility.threshold,
        "benefit": utility.benefit,
        "cost_false": utility.cost_false,
        "cost_interrupt": utility.cost_interrupt,
    }
