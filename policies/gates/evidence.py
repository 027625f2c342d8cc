"""Evidence over time: a sequential test on the log-odds of help need against its base rate.

Prefixes of one window share their data, so the newest replaces the earlier ones. Across windows the sum decays, and
what is carried over is never negative (Page's test): need has an onset, so calm before it is no evidence against it.
An offer is called for where the sum is rare in a person's calm work (`policies.need_levels`), or where a sign is there
that hardly ever is in anybody's.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from policies.arms import Call
from policies.gates.content import topic_of
from policies.gates.gate import DecisionMoment, GateResult, OfferGate
from policies.state import EvidenceState
from storage.clock import NS_PER_S
from storage.records import Estimate, State

CARRIED = 1.4  # evidence of earlier windows counts for at most so much
LOWER = -1.4  # below this sum need has gone: it is four times less likely than usual
RARE_AN_HOUR = 0.1
"""A sign with a measured false rate of at most this calls for an offer at any level."""

MAX_PREFIXES = 4  # newest prefixes of so many windows are named in a decision
_EDGE = 1e-6  # probabilities are kept this far from 0 and 1


class EvidenceGate(OfferGate):
    """Stops an offer that the evidence does not call for, by the rules of the arm."""

    name = "evidence"
    reasons: ClassVar[Mapping[str, str]] = {
        "no_estimate": "No offer: too little has been seen to judge by.",
        "other_app": "No offer: the evidence belongs to another application.",
        "not_enough": "No offer: there is not enough evidence that help is needed.",
        "below_threshold": "No offer: the newest estimate of your need is below the threshold of this study arm.",
    }
    before_utility = True

    def check(self, moment: DecisionMoment) -> GateResult | None:
        """Return a stop without an estimate of this application, or while need is not sure enough."""
        evidence, call, reason = moment.state.evidence, moment.arm.call, None
        if evidence.window_id < 0:
            reason = "no_estimate"
        elif evidence.app != moment.context.app:
            reason = "other_app"
        elif call is Call.UTILITY and not evidence.raised:
            reason = "not_enough"
        elif call is Call.THRESHOLD and evidence.help_need < moment.settings.threshold:
            reason = "below_threshold"
        return None if reason is None else GateResult(gate=self.name, reason=reason)


def observe(
    state: EvidenceState, estimate: Estimate, now_ns: int, *, level: float, half_life_s: float, base_rate: float
) -> EvidenceState:
    """Return the sum after an estimate with an opinion, and whether it reaches the level that calls for an offer."""
    if estimate.app != state.app:
        state = EvidenceState(app=estimate.app)
    if estimate.window_id == state.window_id:
        carried, carried_at_ns, earlier = state.carried, state.carried_at_ns, state.prefix_ids[:-1]
    else:
        carried, carried_at_ns = min(max(total_of(state, half_life_s, now_ns), 0.0), CARRIED), now_ns
        earlier = state.prefix_ids[1 - MAX_PREFIXES :]
    again = estimate.prefix_id in state.prefix_ids[-1:]
    raised_before = state.raised_before if again else state.raised
    ratio = logit(estimate.help_need) - logit(base_rate)
    total = ratio + _left(carried, carried_at_ns, half_life_s, now_ns)
    if has_rare_sign(estimate):
        level = min(level, ratio)  # what is carried fades while an offer waits for a break
    return EvidenceState(  # built in one go: this is most of what a decision costs
        app=state.app,
        window_id=estimate.window_id,
        ratio=ratio,
        help_need=estimate.help_need,
        behavior=max(estimate.state_probs, key=estimate.state_probs.__getitem__),
        fluency=estimate.state_probs.get(State.PERFORMING_ACTIONS, 0.0),
        senses=estimate.senses,
        level=level,
        carried=carried,
        carried_at_ns=carried_at_ns,
        seen_ns=now_ns,
        raised=total >= level or (raised_before and min(ratio, total) >= LOWER),
        raised_before=raised_before,
        topic=topic_of(estimate.evidence),
        prefix_ids=(*earlier, estimate.prefix_id),
    )


def has_rare_sign(estimate: Estimate) -> bool:
    """Return whether a sign is there that hardly ever is in calm work, as measured."""
    return any(sign.numbers.get("false_an_hour", math.inf) <= RARE_AN_HOUR for sign in estimate.evidence)


def lowered(state: EvidenceState) -> EvidenceState:
    """Return the state after an offer was dropped: the evidence must rise above its level anew."""
    return replace(state, raised=False, raised_before=False)


def total_of(state: EvidenceState, half_life_s: float, now_ns: int) -> float:
    """Return the decayed sum of log-likelihood ratios at `now_ns`."""
    return state.ratio + _left(state.carried, state.carried_at_ns, half_life_s, now_ns)


def moved_on(state: EvidenceState, half_life_s: float, now_ns: int) -> bool:
    """Tell whether need is below the lower bound: by the sum, or by the newest prefix alone."""
    return min(state.ratio, total_of(state, half_life_s, now_ns)) < LOWER


def numbers_of(state: EvidenceState, half_life_s: float, now_ns: int) -> dict[str, float]:
    """Return the numbers of the test, for a decision; none before the first estimate."""
    if state.window_id < 0:
        return {}
    return {
        "help_need": state.help_need,
        "sum": total_of(state, half_life_s, now_ns),
        "upper": state.level,
        "lower": LOWER,
    }


def logit(probability: float) -> float:
    """Return the log-odds of a probability, kept within what can be computed with."""
    bounded = min(max(probability, _EDGE), 1.0 - _EDGE)
    return math.log(bounded / (1.0 - bounded))


def _left(carried: float, carried_at_ns: int, half_life_s: float, now_ns: int) -> float:
    return carried * math.exp2((carried_at_ns - now_ns) / (half_life_s * NS_PER_S))
