"""Which model to query about a prefix, and how to combine its answer with the estimate: pure functions.

The embedded detector always answers. A model is queried where its answer can move the probability of need across the
decision threshold, and where that is worth its price; the strong model only after the local one. Answers are stacked:
the log-odds of each, with weights fitted to logged sessions. No network and no clock.

A model's probability is clipped at `PROBABILITY_MAX`: models call anything certain. Each set of answers has weights of
its own, so a missing answer is not the same as an answer of one half.
"""

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import msgspec

from storage.plugins import fingerprint
from storage.records import Estimate, Evidence, ModelAnswer, ModelTier, State

SHIPPED_FILE = Path(__file__).parent / "data" / "cascade.json"
"""The weights that come with Kairos; the file says how they were fitted."""

NAME = "cascade"
MODEL_EVIDENCE = "model_judgement"  # the name of evidence that rests on a model's answer
PROBABILITY_MAX = 0.9
EVIDENCE_ABOVE = 0.5  # only what is likelier than not counts as evidence, as in the embedded detector
EMBEDDED = "embedded"
TIERS = (ModelTier.LOCAL, ModelTier.STRONG)  # in the order in which they are queried, cheapest first
LOG_ODDS_MAX = 6.0  # the log-odds of an estimate are clipped here
_PROBABILITY_MIN = 1e-3  # of a state


Weights = Mapping[str, float]  # by source: "embedded", "local", "strong"; of sums also a "bias"


@dataclass(frozen=True, slots=True, kw_only=True)
class CascadeWeights:
    """Weights fitted to logged sessions."""

    version: str  # name of these weights
    made: str  # how they were fitted, in words
    # for each set of answers (`answer_set_key`) the weights that give the log-likelihood ratio of need
    need: Mapping[str, Weights]
    states: Mapping[str, Weights]  # the same for the weights of the log-probabilities of states, by source
    # a tier is queried where that gains more than this, in the units of `_gain`
    prices: Mapping[ModelTier, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionThreshold:
    """The probability of need from which on help is offered, and the base rate behind it."""

    threshold: float
    base_rate: float


class Combiner:
    """Combines a detector's estimate with models' answers; the engine has one where models are on."""

    name = NAME

    def __init__(self, base_rate: float, weights: CascadeWeights | None = None) -> None:
        self.weights = weights or shipped_weights()
        self.version = self.weights.version
        self._base_rate = base_rate
        self.constants = {
            "base_rate": base_rate,
            "need": {
                key: (weights["bias"], {name: weight for name, weight in weights.items() if name != "bias"})
                for key, weights in self.weights.need.items()
            },
            "states": self.weights.states,
            "sure": PROBABILITY_MAX,
            "most": LOG_ODDS_MAX,
        }

    @property
    def hash(self) -> str:
        """A hash of everything but the input that determines the estimates."""
        return fingerprint(self)

    def __call__(self, estimate: Estimate, answers: Iterable[ModelAnswer]) -> Estimate | None:
        """Return an estimate of the same prefix, or None where no answer is about need."""
        return combine(estimate, answers, self._base_rate, self.weights)


def combine(
    estimate: Estimate, answers: Iterable[ModelAnswer], base_rate: float, weights: CascadeWeights
) -> Estimate | None:
    """Return the estimate combined with the answers, or None where no answer is about need."""
    answers = tuple(answers)
    usable = usable_answers(answers)
    if not usable:
        return None
    known = _log_odds_by_source(estimate, usable, base_rate)
    need = weights.need.get(answer_set_key(usable))
    ratio = known[EMBEDDED] if need is None else _weighted(need, known)
    help_need = _probability(ratio + log_odds(base_rate))
    return replace(
        estimate,
        detector=NAME,
        detector_version=weights.version,
        state_probs=_states(estimate, usable, weights),
        help_need=round(help_need, 6),
        evidence=_evidence(estimate, usable, help_need),
        confidence_source="stacked",
        abstained=False,
        error=None,
        cost=estimate.cost + sum(answer.dollars for answer in answers),
    )


def next_tier(
    estimate: Estimate,  # the detector's own
    answers: Iterable[ModelAnswer],  # those so far; their tiers and weaker ones are not queried again
    *,
    enabled: Collection[ModelTier],  # the tiers that are on
    decision: DecisionThreshold,  # the threshold that an answer has to cross
    weights: CascadeWeights,  # those of the cascade
) -> ModelTier | None:
    """Return the tier to query next about a prefix, or None where none is worth it."""
    answers = tuple(answers)
    queried = [TIERS.index(answer.tier) for answer in answers]
    known = _log_odds_by_source(estimate, usable_answers(answers), decision.base_rate)
    for tier in TIERS[max(queried, default=-1) + 1 :]:
        gain = _gain(tier, known, decision, weights)
        if tier in enabled and gain > weights.prices.get(tier, 0.0):
            return tier
        if tier is ModelTier.LOCAL and {*TIERS} <= {*enabled}:
            follow_up = _follow_up_value(known, decision, weights)
            if follow_up > weights.prices.get(ModelTier.STRONG, 0.0):
                return tier
    return None


def _follow_up_value(known: Mapping[str, float], decision: DecisionThreshold, weights: CascadeWeights) -> float:
    """Return the most that the strong model's answer can gain after one of the local model's.

    So the local model, whose answer alone would change nothing, is queried where it tells whether to query the strong
    one.
    """
    possible = (log_odds(PROBABILITY_MAX), -log_odds(PROBABILITY_MAX))
    return max(_gain(ModelTier.STRONG, {**known, ModelTier.LOCAL: odds}, decision, weights) for odds in possible)


def _gain(tier: ModelTier, known: Mapping[str, float], decision: DecisionThreshold, weights: CascadeWeights) -> float:
    """Return the value of an answer: how much better the decision is with it, on average over its possible values.

    It is 0 unless a yes and a no fall on two sides of the threshold. The unit is the benefit of helping somebody in
    need plus that of sparing somebody without it. The probability of each answer follows from the weights: the
    probability of need after the answer must on average be the one before.
    """
    base = log_odds(decision.base_rate)
    before, after = weights.need.get(answer_set_key(known)), weights.need.get(answer_set_key({*known, tier}))
    if after is None:
        return 0.0
    now = _probability((known[EMBEDDED] if before is None else _weighted(before, known)) + base)
    certain = log_odds(PROBABILITY_MAX)
    yes, no = (_probability(_weighted(after, {**known, tier: odds}) + base) for odds in (certain, -certain))
    if not no < decision.threshold < yes:
        return 0.0
    chance_of_yes = min(max((now - no) / (yes - no), 0.0), 1.0)
    return max(0.0, chance_of_yes * (yes - decision.threshold) - max(now - decision.threshold, 0.0))


def _weighted(weights: Weights, known: Mapping[str, float]) -> float:
    return weights["bias"] + sum(weight * known[source] for source, weight in weights.items() if source != "bias")


def usable_answers(answers: Iterable[ModelAnswer]) -> dict[ModelTier, ModelAnswer]:
    """Return the answers about need, by tier."""
    return {answer.tier: answer for answer in answers if answer.trouble is None and answer.help_need is not None}


def answer_set_key(sources: Collection[str]) -> str:
    """Return the key of a set of answers: "local", "strong" or "local+strong"; empty for none."""
    return "+".join(tier.value for tier in TIERS if tier in sources)


def log_odds(probability: float) -> float:
    """Return the log-odds of a probability, which may be 0 or 1."""
    bounded = min(max(probability, 1e-6), 1.0 - 1e-6)
    return math.log(bounded / (1.0 - bounded))


@cache
def shipped_weights() -> CascadeWeights:
    """Return the weights that come with Kairos."""
    return msgspec.json.decode(SHIPPED_FILE.read_bytes(), type=CascadeWeights)


def _log_odds_by_source(
    estimate: Estimate, usable: Mapping[ModelTier, ModelAnswer], base_rate: float
) -> dict[str, float]:
    """Return log-odds by source; those of the estimate are against the base rate, and 0 where it abstained."""
    ratio = log_odds(estimate.help_need) - log_odds(base_rate)
    silent = estimate.abstained or estimate.error is not None
    known = {EMBEDDED: 0.0 if silent else min(max(ratio, -LOG_ODDS_MAX), LOG_ODDS_MAX)}
    for tier, answer in usable.items():
        if answer.help_need is not None:
            known[tier] = log_odds(min(max(answer.help_need, 1.0 - PROBABILITY_MAX), PROBABILITY_MAX))
    return known


def _states(estimate: Estimate, usable: Mapping[ModelTier, ModelAnswer], weights: CascadeWeights) -> dict[str, float]:
    """Return probabilities of states: the weighted log-probabilities of all sources that name states."""
    sources: dict[str, Mapping[str, float]] = {
        tier: answer.state_probs for tier, answer in usable.items() if set(answer.state_probs) == set(State)
    }
    source_weights = weights.states.get(answer_set_key(sources))
    if source_weights is None:
        return dict(estimate.state_probs)
    sources[EMBEDDED] = estimate.state_probs
    sums = {
        state.value: sum(
            weight * math.log(max(sources[source].get(state, 0.0), _PROBABILITY_MIN))
            for source, weight in source_weights.items()
        )
        for state in State
    }
    most = max(sums.values())
    likely = {state: math.exp(value - most) for state, value in sums.items()}
    total = sum(likely.values())
    return {state: round(value / total, 6) for state, value in likely.items()}


def _evidence(estimate: Estimate, usable: Mapping[ModelTier, ModelAnswer], help_need: float) -> tuple[Evidence, ...]:
    """Return the estimate's evidence, behind a model's where need is likelier than not by that alone."""
    by_model = help_need > EVIDENCE_ABOVE and (estimate.abstained or estimate.help_need <= EVIDENCE_ABOVE)
    if not by_model:
        return estimate.evidence
    pictures = max(answer.pictures for answer in usable.values())
    evidence = Evidence(MODEL_EVIDENCE, {"percent": float(round(100.0 * help_need)), "pictures": float(pictures)})
    return (evidence, *estimate.evidence)


def _probability(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-min(max(odds, -30.0), 30.0)))
