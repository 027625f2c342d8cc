"""Gate 5, utility: offer when `p * benefit > (1 - p) * cost_false + cost_interrupt(context)`.

All in seconds of a person's time. The inequality implies a threshold of p, which is said in every decision. The benefit
follows what was learned of acceptance (`policies.learning`). What an
interruption costs depends on the moment, so an offer that is not worth it now may be at the next break: only one that
would not be worth it even there is stopped here, the others wait (gate 8).
"""

import math
from dataclasses import dataclass

from policies.gates.breaks import at_break, hands_free
from policies.gates.evidence import Bounds, EvidenceState, logit, total_of
from policies.gates.result import GateResult
from policies.learning import benefit_of
from storage.clock import NS_PER_S
from storage.records import Context, Trigger
from storage.settings import PolicySettings

_LEAST = 1e-9  # keeps the threshold a number where benefit and costs are set to nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Utility:
    """What an offer is worth now: the numbers of the inequality, and its thresholds now and at a break."""

    p: float
    acceptance: float
    benefit: float
    cost_false: float
    cost_interrupt: float
    threshold: float
    threshold_at_break: float

    @property
    def now(self) -> bool:
        """Tell whether the offer is worth interrupting this moment."""
        return self.p > self.threshold

    @property
    def ever(self) -> bool:
        """Tell whether the offer would be worth it at a break, where it costs least."""
        return self.p > self.threshold_at_break


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


def need_of(evidence: EvidenceState, bounds: Bounds, base_rate: float, now_ns: int) -> float:
    """Return the probability that help is needed, after all the evidence and not the newest prefix alone."""
    log_odds = total_of(evidence, bounds, now_ns) + logit(base_rate)
    return 1.0 / (1.0 + math.exp(-log_odds))


def worth_of(p: float, engaged: float, accepted: float, settings: PolicySettings) -> Utility:
    """Return what an offer is worth, from the need, the engagement, and how often such offers are accepted."""
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
    )


def _threshold(benefit: float, cost_interrupt: float, settings: PolicySettings) -> float:
    return (settings.cost_false_s + cost_interrupt) / max(benefit + settings.cost_false_s, _LEAST)


def numbers_of_worth(worth: Utility) -> dict[str, float]:
    """Return the numbers of the inequality, for a decision."""
    return {
        "p": worth.p,
        "acceptance": worth.acceptance,
        "threshold": worth.threshold,
        "benefit": worth.benefit,
        "cost_false": worth.cost_false,
        "cost_interrupt": worth.cost_interrupt,
    }


def check_utility(worth: Utility) -> GateResult | None:
    """Return a stop if the offer would not even be worth it at a break, else None."""
    return None if worth.ever else GateResult(gate="utility", reason="not_worth_it")
