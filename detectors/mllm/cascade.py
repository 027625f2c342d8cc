"""When to ask which model about a prefix, and what to make of its answer: pure functions of estimate and answers.

The embedded detector always answers. A model is asked where its answer can carry the probability of need across the one
that decides, and where that is worth its price; the strong model only with what the local one has said. Answers are
stacked: log-odds of each, weighted as logged sessions taught (`kairos bench cascade --fit`). No network and no clock.

What a model says counts as no surer than `SURE`: models say "certain" of anything. Weights are kept for each set of
answers apart, so an answer that is missing is no answer of one half.
"""

import json
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from storage.errors import BadFile
from storage.plugins import fingerprint
from storage.records import Estimate, Evidence, ModelAnswer, ModelTier, State

SHIPPED = Path(__file__).parent / "data" / "cascade.json"
"""The weights that come with Kairos; how they were made stands in the file."""

NAME = "cascade"
MODEL_SAYS = "model_judgement"
"""Evidence that rests on a model's word."""

SURE = 0.9
EMBEDDED = "embedded"
RUNGS = (ModelTier.LOCAL, ModelTier.STRONG)
"""In the order in which they are asked, cheapest first."""

MOST = 6.0  # log-odds of an estimate count up to here
_LEAST_PROBABILITY = 1e-3  # of a state
_NAMED_ABOVE = 0.5  # like the embedded detector: only what is likelier than not is named as evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearCombiner:
    """A weighted sum: `weights` by who says it ("embedded", "local", "strong")."""

    bias: float = 0.0
    weights: Mapping[str, float] = field(default_factory=dict)

    def at(self, said: Mapping[str, float]) -> float:
        """Return the sum for what each of them says."""
        return self.bias + sum(weight * said[who] for who, weight in self.weights.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What logged sessions taught.

    Attributes:
        version: name of these weights.
        made: how they were made, in words.
        need: for each set of answers (`key_of`) the line whose value is the log-likelihood ratio of need.
        states: likewise how log-probabilities of states are added up.
        prices: a rung is asked where that gains more than this, in the units of `value_of_information`.
    """

    version: str
    made: str
    need: Mapping[str, LinearCombiner]
    states: Mapping[str, Mapping[str, float]]
    prices: Mapping[ModelTier, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionThreshold:
    """Where a decision falls: the probability of need from which on help is offered, and the base rate behind it."""

    threshold: float
    base_rate: float


class Combiner:
    """Makes an estimate of a detector's and of models' answers; the engine is given one where models are on."""

    name = NAME

    def __init__(self, base_rate: float, weights: Weights | None = None) -> None:
        """Use the shipped weights if there are no others."""
        self.weights = weights or shipped()
        self.version = self.weights.version
        self._base_rate = base_rate
        lines = {key: (line.bias, dict(line.weights)) for key, line in self.weights.need.items()}
        states = {key: dict(value) for key, value in self.weights.states.items()}
        self.constants = {"base_rate": base_rate, "need": lines, "states": states, "sure": SURE, "most": MOST}

    @property
    def hash(self) -> str:
        """A hash of everything that shapes the estimates but the input."""
        return fingerprint(self)

    def __call__(self, estimate: Estimate, answers: Iterable[ModelAnswer]) -> Estimate | None:
        """Return an estimate of the same prefix, or None where no answer says anything about need."""
        return combine(estimate, answers, self._base_rate, self.weights)


def combine(estimate: Estimate, answers: Iterable[ModelAnswer], base_rate: float, weights: Weights) -> Estimate | None:
    """Return what estimate and answers come to together, or None where no answer says anything about need."""
    answers = tuple(answers)
    usable = usable_of(answers)
    if not usable:
        return None
    ratio = ratio_of(estimate, usable, base_rate, weights)
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
    estimate: Estimate,
    answers: Iterable[ModelAnswer],
    *,
    on: Collection[ModelTier],
    bound: DecisionThreshold,
    weights: Weights,
) -> ModelTier | None:
    """Return the rung to ask next about a prefix, or None where none is worth it.

    Args:
        estimate: the detector's own.
        answers: what was said so far; neither those rungs nor weaker ones are asked any more.
        on: the rungs that are switched on.
        bound: where the decision falls.
        weights: what logged sessions taught.
    """
    answers = tuple(answers)
    asked = [RUNGS.index(answer.rung) for answer in answers]
    usable = usable_of(answers)
    for rung in RUNGS[max(asked, default=-1) + 1 :]:
        if rung in on and value_of_information(rung, estimate, usable, bound, weights) > weights.prices.get(rung, 0.0):
            return rung
        if rung is ModelTier.LOCAL and {*RUNGS} <= {*on}:
            led = led_to(estimate, usable, bound, weights)
            if led > weights.prices.get(ModelTier.STRONG, 0.0):
                return rung
    return None


def value_of_information(
    rung: ModelTier,
    estimate: Estimate,
    usable: Mapping[ModelTier, ModelAnswer],
    bound: DecisionThreshold,
    weights: Weights,
) -> float:
    """Return what an answer is worth: how much better one decides with it, on average over what it may say.

    Nothing unless a yes and a no fall on two sides of the threshold. The unit is what helping somebody in need and
    sparing somebody without it are worth together. How likely each answer is follows from the weights: what is known
    afterwards must on average be what is known now.
    """
    return _gain(rung, _said(estimate, usable, bound.base_rate), bound, weights)


def led_to(
    estimate: Estimate, usable: Mapping[ModelTier, ModelAnswer], bound: DecisionThreshold, weights: Weights
) -> float:
    """Return what the strong model's answer gains at most after one of the local model's.

    So the local model, whose answer alone would change nothing, is asked where it tells whether to ask the strong one.
    """
    said = _said(estimate, usable, bound.base_rate)
    words = (log_odds(SURE), -log_odds(SURE))
    return max(_gain(ModelTier.STRONG, {**said, ModelTier.LOCAL: odds}, bound, weights) for odds in words)


def _gain(rung: ModelTier, said: Mapping[str, float], bound: DecisionThreshold, weights: Weights) -> float:
    base = log_odds(bound.base_rate)
    so_far, after = weights.need.get(key_of(said)), weights.need.get(key_of({*said, rung}))
    if after is None:
        return 0.0
    now = _probability((said[EMBEDDED] if so_far is None else so_far.at(said)) + base)
    yes, no = (_probability(after.at({**said, rung: odds}) + base) for odds in (log_odds(SURE), -log_odds(SURE)))
    if not no < bound.threshold < yes:
        return 0.0
    chance = min(max((now - no) / (yes - no), 0.0), 1.0)
    return max(0.0, chance * (yes - bound.threshold) - max(now - bound.threshold, 0.0))


def ratio_of(estimate: Estimate, usable: Mapping[ModelTier, ModelAnswer], base_rate: float, weights: Weights) -> float:
    """Return the log-likelihood ratio of need, after an estimate and answers; the estimate's own where none are."""
    said = _said(estimate, usable, base_rate)
    line = weights.need.get(key_of(usable))
    return said[EMBEDDED] if line is None else line.at(said)


def usable_of(answers: Iterable[ModelAnswer]) -> dict[ModelTier, ModelAnswer]:
    """Return the answers that say something about need, by rung."""
    return {one.rung: one for one in answers if one.trouble is None and one.help_need is not None}


def key_of(rungs: Collection[str]) -> str:
    """Return the name of a set of answers: "local", "strong" or "local+strong"; empty for none."""
    return "+".join(rung.value for rung in RUNGS if rung in rungs)


def log_odds(probability: float) -> float:
    """Return the log-odds of a probability, which may be 0 or 1."""
    bounded = min(max(probability, 1e-6), 1.0 - 1e-6)
    return math.log(bounded / (1.0 - bounded))


def word_of(help_need: float) -> float:
    """Return the log-odds that a model's probability counts for."""
    return log_odds(min(max(help_need, 1.0 - SURE), SURE))


@cache
def shipped() -> Weights:
    """Return the weights that come with Kairos."""
    return read_weights(SHIPPED)


def read_weights(path: Path) -> Weights:
    """Read weights as `kairos bench cascade --fit` writes them.

    Raises:
        BadFile: the file holds none.
    """
    try:
        return weights_from(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadFile(
            f"{path} holds no weights of the cascade ({type(error).__name__})",
            remedy="make some: kairos bench cascade --fit FILE",
        ) from error


def weights_from(told: Mapping[str, Any]) -> Weights:
    """Return the weights that `as_json` told; raises what a mapping of another shape leads to."""
    need = {
        str(key): LinearCombiner(bias=float(line["bias"]), weights=_numbers(line)) for key, line in told["need"].items()
    }
    states = {str(key): _numbers(line) for key, line in told["states"].items()}
    every = {key_of(rungs) for rungs in ((ModelTier.LOCAL,), (ModelTier.STRONG,), RUNGS)}
    if not every <= need.keys() or not every <= states.keys():
        raise ValueError
    prices = {ModelTier(rung): float(price) for rung, price in told["prices"].items()}
    return Weights(version=str(told["version"]), made=str(told["made"]), need=need, states=states, prices=prices)


def as_json(weights: Weights) -> dict[str, object]:
    """Return what `read_weights` reads."""
    return {
        "version": weights.version,
        "made": weights.made,
        "need": {key: {"bias": line.bias, **line.weights} for key, line in weights.need.items()},
        "states": {key: dict(line) for key, line in weights.states.items()},
        "prices": {rung.value: price for rung, price in weights.prices.items()},
    }


def _numbers(line: Mapping[str, Any]) -> dict[str, float]:
    """Return the weights of a line; raises where one is no number, or of somebody unknown."""
    found = {str(who): float(weight) for who, weight in line.items() if who != "bias"}
    if not set(found) <= {EMBEDDED, *RUNGS} or not all(map(math.isfinite, found.values())):
        raise ValueError
    return found


def _said(estimate: Estimate, usable: Mapping[ModelTier, ModelAnswer], base_rate: float) -> dict[str, float]:
    """Return log-odds by who says them; those of the estimate against the base rate, none without an opinion."""
    ratio = log_odds(estimate.help_need) - log_odds(base_rate)
    silent = estimate.abstained or estimate.error is not None
    said = {EMBEDDED: 0.0 if silent else min(max(ratio, -MOST), MOST)}
    for rung, answer in usable.items():
        if answer.help_need is not None:
            said[rung] = word_of(answer.help_need)
    return said


def _states(estimate: Estimate, usable: Mapping[ModelTier, ModelAnswer], weights: Weights) -> dict[str, float]:
    """Return probabilities of states: log-probabilities added up by the weights of those who name states."""
    naming: dict[str, Mapping[str, float]] = {
        rung: answer.state_probs for rung, answer in usable.items() if set(answer.state_probs) == set(State)
    }
    line = weights.states.get(key_of(naming))
    if line is None:
        return dict(estimate.state_probs)
    naming[EMBEDDED] = estimate.state_probs
    sums = {
        state.value: sum(
            weight * math.log(max(naming[who].get(state, 0.0), _LEAST_PROBABILITY)) for who, weight in line.items()
        )
        for state in State
    }
    most = max(sums.values())
    likely = {state: math.exp(value - most) for state, value in sums.items()}
    whole = sum(likely.values())
    return {state: round(value / whole, 6) for state, value in likely.items()}


def _evidence(estimate: Estimate, usable: Mapping[ModelTier, ModelAnswer], help_need: float) -> tuple[Evidence, ...]:
    """Return the estimate's evidence, behind a model's word where need is likelier than not by that alone."""
    by_model = help_need > _NAMED_ABOVE and (estimate.abstained or estimate.help_need <= _NAMED_ABOVE)
    if not by_model:
        return estimate.evidence
    pictures = max(answer.pictures for answer in usable.values())
    word = Evidence(MODEL_SAYS, {"percent": float(round(100.0 * help_need)), "pictures": float(pictures)})
    return (word, *estimate.evidence)


def _probability(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-min(max(odds, -30.0), 30.0)))
