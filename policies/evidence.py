"""Gate 4, evidence over time: a sequential test on the log-odds of help need against its base rate.

Prefixes of one window share their data, so the newest replaces the earlier ones. Across windows the sum decays, and
what is carried over is never negative (Page's test): need has an onset, so calm before it is no evidence against it.
"""

import math
from dataclasses import dataclass, replace

from policies.stop import Stop
from storage.clock import NS_PER_S
from storage.records import Estimate, State
from storage.settings import PolicySettings
from storage.words import EVIDENCE

MAX_PREFIXES = 4  # newest prefixes of so many windows are named in a decision
_EDGE = 1e-6  # probabilities are kept this far from 0 and 1


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceState:
    """The test for one application: `ratio` is the newest prefix's, `carried` comes from earlier windows.

    `fluency` is the probability of the state of performing actions, in the newest prefix.
    """

    app: str = ""
    window_id: int = -1
    ratio: float = 0.0
    help_need: float = 0.0
    fluency: float = 0.0
    carried: float = 0.0
    carried_at_ns: int = 0
    seen_ns: int = 0
    raised: bool = False
    topic: str | None = None
    prefix_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Bounds of the test: speak above `upper`, drop below `lower`."""

    upper: float
    lower: float


def bounds_of(settings: PolicySettings) -> Bounds:
    """Return the bounds that the chosen false-offer and miss rates set (Wald)."""
    return Bounds(
        upper=math.log((1.0 - settings.miss_rate) / settings.false_offer_rate),
        lower=math.log(settings.miss_rate / (1.0 - settings.false_offer_rate)),
    )


def observe(
    state: EvidenceState, estimate: Estimate, settings: PolicySettings, base_rate: float, now_ns: int
) -> EvidenceState:
    """Return the state after an estimate; one without an opinion changes nothing."""
    if estimate.abstained or estimate.error is not None:
        return state
    if estimate.app != state.app:
        state = EvidenceState(app=estimate.app)
    bounds = bounds_of(settings)
    if estimate.window_id == state.window_id:
        prefix_ids = (*state.prefix_ids[:-1], estimate.prefix_id)
    else:
        carried = min(max(total_of(state, settings, now_ns), 0.0), bounds.upper)
        state = replace(state, carried=carried, carried_at_ns=now_ns)
        prefix_ids = (*state.prefix_ids, estimate.prefix_id)[-MAX_PREFIXES:]
    state = replace(
        state,
        window_id=estimate.window_id,
        ratio=logit(estimate.help_need) - logit(base_rate),
        help_need=estimate.help_need,
        fluency=estimate.state_probs.get(State.PERFORMING_ACTIONS, 0.0),
        seen_ns=now_ns,
        topic=next((item.code for item in estimate.evidence if item.code in EVIDENCE), None),
        prefix_ids=prefix_ids,
    )
    total = total_of(state, settings, now_ns)
    raised = total >= bounds.upper or (state.raised and not moved_on(state, settings, now_ns))
    return replace(state, raised=raised)


def total_of(state: EvidenceState, settings: PolicySettings, now_ns: int) -> float:
    """Return the decayed sum of log-likelihood ratios at `now_ns`."""
    age_s = (now_ns - state.carried_at_ns) / NS_PER_S
    return state.ratio + state.carried * math.exp2(-age_s / settings.evidence_half_life_s)


def moved_on(state: EvidenceState, settings: PolicySettings, now_ns: int) -> bool:
    """Tell whether need is below the lower bound: by the sum, or by the newest prefix alone."""
    lower = bounds_of(settings).lower
    return min(state.ratio, total_of(state, settings, now_ns)) < lower


def numbers_of(state: EvidenceState, settings: PolicySettings, now_ns: int) -> dict[str, float]:
    """Return the numbers of the test, for a decision; none before the first estimate."""
    if state.window_id < 0:
        return {}
    bounds = bounds_of(settings)
    return {
        "help_need": state.help_need,
        "sum": total_of(state, settings, now_ns),
        "upper": bounds.upper,
        "lower": bounds.lower,
    }


def check_estimate(state: EvidenceState, app: str) -> Stop | None:
    """Return why nothing is known about `app`, or None."""
    if state.window_id < 0:
        return Stop(gate="evidence", reason="no_estimate")
    return None if state.app == app else Stop(gate="evidence", reason="other_app")


def check_evidence(state: EvidenceState) -> Stop | None:
    """Return a stop while the test has not risen above its upper bound, else None."""
    return None if state.raised else Stop(gate="evidence", reason="not_enough")


def logit(probability: float) -> float:
    """Return the log-odds of a probability, kept within what can be computed with."""
    bounded = min(max(probability, _EDGE), 1.0 - _EDGE)
    return math.log(bounded / (1.0 - bounded))
