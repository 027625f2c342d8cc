"""Fits the cascade to a table of prefixes: weights of answers, prices of queries, and the decision threshold.

Need: a logistic regression for each set of answers, on all prefixes and not only on those where a model would have been
queried, so that the selection does not shape the weights; need and its absence weigh the same, which makes the sum a
log-likelihood ratio. States: weights of log-probabilities with the least log loss. The price of the strong model is the
gain above which the wanted share of prefixes lies.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from daemon.figures.resampling import Bools, Floats
from detectors.mllm.cascade import (
    EMBEDDED,
    LOG_ODDS_MAX,
    DecisionThreshold,
    LinearCombiner,
    Weights,
    answer_set_key,
    log_odds,
)
from lab.benchmarks.cascade.table import TIERS, Table
from lab.benchmarks.scripted_models import SURE
from lab.measure.metrics import prevalence_weights
from storage.records import ModelTier

SETS: tuple[tuple[ModelTier, ...], ...] = ((ModelTier.LOCAL,), (ModelTier.STRONG,), (ModelTier.LOCAL, ModelTier.STRONG))
THRESHOLDS = tuple(round(0.2 + 0.05 * step, 2) for step in range(9))
"""Candidates for the probability at which need is reported; the best by F1 is chosen."""

_RIDGE = 1e-3
_PRICINGS = 5
_STEPS = 50
_LEAST = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedCascade:
    """Weights with prices, and the decision threshold that they are for."""

    weights: Weights
    bound: DecisionThreshold


@dataclass(frozen=True, slots=True)
class Gains:
    """The gain of a query at each prefix: of the local model, of the strong one without it, and after it.

    `led` is the greatest gain of the strong model after any answer of the local one (`cascade.led_to`).
    """

    local: Floats
    strong: Floats
    strong_after_local: Floats
    led: Floats

    def asks_local(self, prices: Mapping[ModelTier, float]) -> Bools:
        """Return where the local model is queried."""
        found: Bools = (self.local > prices[ModelTier.LOCAL]) | (self.led > prices[ModelTier.STRONG])
        return found


@dataclass(frozen=True, slots=True)
class Outcome:
    """At which prefixes which model is queried, and the log-likelihood ratio in the end."""

    local: Bools
    strong: Bools
    ratio: Floats


def fit_weights(table: Table, *, version: str, made: str) -> Weights:
    """Return the weights fitted to a table; all prices are 0."""
    return Weights(
        version=version,
        made=made,
        need={answer_set_key(tiers): _regression(table, tiers) for tiers in SETS},
        states={answer_set_key(tiers): _states(table, tiers) for tiers in SETS},
        prices=dict.fromkeys(TIERS, 0.0),
    )


def fit(table: Table, *, share: float, version: str, made: str) -> FittedCascade:
    """Return weights, prices and the probability at which to decide, for sessions with as much need as these.

    Args:
        table: what to learn from.
        share: of the prefixes at which the strong model may be queried.
        version: name of the weights.
        made: how they were made, for the record.
    """
    weights = fit_weights(table, version=version, made=made)
    base_rate = float(table.need.mean())
    tried = []
    for threshold in THRESHOLDS:
        bound = DecisionThreshold(threshold=threshold, base_rate=base_rate)
        gains = gains_of(table, weights, bound)
        priced = replace(weights, prices={ModelTier.LOCAL: 0.0, ModelTier.STRONG: price_for(gains, share)})
        found = f1(table.need, above(run(table, priced, gains), bound))
        tried.append((found, FittedCascade(weights=priced, bound=bound)))
    return max(tried, key=lambda one: one[0])[1]


def price_for(gains: Gains, share: float, weights: Floats | None = None) -> float:
    """Return the gain above which this share of prefixes lies, after the local model was queried."""
    w = np.ones(len(gains.local)) if weights is None else weights
    price = 0.0
    for _ in range(_PRICINGS):  # where the local model is queried depends on the price of the strong one
        local = gains.asks_local({ModelTier.LOCAL: 0.0, ModelTier.STRONG: price})
        gain = np.where(local, gains.strong_after_local, gains.strong)
        order = np.argsort(-gain, kind="stable")
        within = np.cumsum(w[order]) / w.sum() <= share
        price = max(0.0, float(gain[order[min(int(within.sum()), len(gain) - 1)]]))
    return price


def gains_of(table: Table, weights: Weights, bound: DecisionThreshold) -> Gains:
    """Return `cascade.value_of_information` for whole columns; the tests compare the two."""
    alone, with_local = clipped(table.ratio), combined(table, (ModelTier.LOCAL,), weights)

    def gain(ratio: Floats, *tiers: ModelTier) -> Floats:
        """Return the gain of an answer of the last of these tiers where the log-likelihood ratio is `ratio` now."""
        weight = weights.need[answer_set_key(tiers)].weights[tiers[-1]]
        return _gain(ratio, combined(table, tiers, weights) - weight * _answers(table, tiers[-1]), weight, bound)

    def led(answer: float) -> Floats:
        """Return the gain of the strong model after this answer of the local one."""
        one, two = weights.need[answer_set_key((ModelTier.LOCAL,))], weights.need[answer_set_key(TIERS)]
        now, before = (
            line.bias + line.weights[EMBEDDED] * alone + line.weights[ModelTier.LOCAL] * answer for line in (one, two)
        )
        return _gain(now, before, two.weights[ModelTier.STRONG], bound)

    return Gains(
        local=gain(alone, ModelTier.LOCAL),
        strong=gain(alone, ModelTier.STRONG),
        strong_after_local=gain(with_local, ModelTier.LOCAL, ModelTier.STRONG),
        led=np.maximum(led(log_odds(SURE)), led(-log_odds(SURE))),
    )


def _gain(ratio: Floats, before: Floats, weight: float, bound: DecisionThreshold) -> Floats:
    """Return the gain of an answer of this weight: the sum is `ratio` now, and `before` plus or minus it afterwards."""
    base, threshold = log_odds(bound.base_rate), bound.threshold
    now = expit(ratio + base)
    yes, no = (expit(before + sign * weight * log_odds(SURE) + base) for sign in (1.0, -1.0))
    chance = np.clip((now - no) / np.maximum(yes - no, 1e-12), 0.0, 1.0)
    gain = np.maximum(0.0, chance * (yes - threshold) - np.maximum(now - threshold, 0.0))
    return np.where((no < threshold) & (threshold < yes), gain, 0.0)


def expit(odds: Floats) -> Floats:
    """Return probabilities of log-odds."""
    found: Floats = 1.0 / (1.0 + np.exp(-odds))
    return found


def run(table: Table, weights: Weights, gains: Gains, chosen: Bools | None = None) -> Outcome:
    """Return which models the cascade queries at these prices, and the result; `chosen` overrides the strong one."""
    local = gains.asks_local(weights.prices)
    gain = np.where(local, gains.strong_after_local, gains.strong)
    strong = gain > weights.prices[ModelTier.STRONG] if chosen is None else chosen
    ratio = clipped(table.ratio)
    for tiers in SETS:
        rows = (local == (ModelTier.LOCAL in tiers)) & (strong == (ModelTier.STRONG in tiers))
        ratio = np.where(rows, combined(table, tiers, weights), ratio)
    return Outcome(local, strong, ratio)


def combined(table: Table, tiers: Sequence[ModelTier], weights: Weights) -> Floats:
    """Return the log-likelihood ratio of each prefix, were these tiers queried about all of them."""
    line = weights.need[answer_set_key(tiers)]
    parts: dict[str, Floats] = {tier: _answers(table, tier) for tier in tiers}
    parts[EMBEDDED] = clipped(table.ratio)
    found = np.full(len(table), line.bias)
    for who, weight in line.weights.items():
        found = found + weight * parts[who]
    return found


def named_states(table: Table, tiers: Sequence[ModelTier], weights: Weights) -> Floats:
    """Return log-probabilities of states (not summing to one) with these tiers' answers."""
    found = np.zeros((len(table), table.states.shape[1]))
    for (_, logs), weight in zip(_logs(table, tiers), weights.states[answer_set_key(tiers)].values(), strict=True):
        found += weight * logs
    return found


def above(outcome: Outcome, bound: DecisionThreshold) -> Bools:
    """Return where the cascade reports need."""
    found: Bools = outcome.ratio + log_odds(bound.base_rate) >= log_odds(bound.threshold)
    return found


def f1(need: Bools, predicted: Bools) -> float:
    """Return the F1 of "help is needed"."""
    right = float((need & predicted).sum())
    return 2 * right / max(1.0, float(need.sum() + predicted.sum()))


def clipped(ratio: Floats) -> Floats:
    """Return log-odds as far as the cascade counts them."""
    found: Floats = np.clip(ratio, -LOG_ODDS_MAX, LOG_ODDS_MAX)
    return found


def _answers(table: Table, tier: ModelTier) -> Floats:
    return np.where(table.yes[tier], log_odds(SURE), -log_odds(SURE))


def _regression(table: Table, tiers: Sequence[ModelTier]) -> LinearCombiner:
    """Return the logistic regression of need on the log-odds of the detector and these tiers (Newton's method)."""
    columns = [np.ones(len(table)), clipped(table.ratio), *(_answers(table, tier) for tier in tiers)]
    design, truth = np.stack(columns, axis=1), table.need.astype(np.float64)
    weights = prevalence_weights(table.need, 0.5)
    line = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        share = expit(design @ line)
        slope = design.T @ (weights * (truth - share)) - _RIDGE * line
        curve = (design * (weights * share * (1.0 - share))[:, None]).T @ design + _RIDGE * np.eye(len(line))
        step = np.linalg.solve(curve, slope)
        line = line + step
        if float(np.abs(step).max()) < 1e-9:  # noqa: PLR2004  # as good as still
            break
    bias, *rest = (round(float(value), 6) for value in line)
    return LinearCombiner(bias=bias, weights=dict(zip((EMBEDDED, *tiers), rest, strict=True)))


def _states(table: Table, tiers: Sequence[ModelTier]) -> dict[str, float]:
    """Return the weights of log-probabilities with the least log loss over states."""
    from scipy.optimize import minimize
    from scipy.special import log_softmax

    known = table.state >= 0
    parts = [(who, logs[known]) for who, logs in _logs(table, tiers)]
    truth = table.state[known]
    rows = np.arange(len(truth))

    def loss(weights: Floats) -> float:
        both = sum(weight * logs for weight, (_, logs) in zip(weights, parts, strict=True))
        return float(-log_softmax(both, axis=1)[rows, truth].mean())

    found = minimize(loss, np.full(len(parts), 0.7), method="Nelder-Mead", options={"maxiter": 200}).x
    return {who: round(float(weight), 6) for weight, (who, _) in zip(found, parts, strict=True)}


def _logs(table: Table, tiers: Sequence[ModelTier]) -> list[tuple[str, NDArray[np.float64]]]:
    many = table.states.shape[1]
    others = np.log((1.0 - SURE) / (many - 1))
    logs: list[tuple[str, NDArray[np.float64]]] = [(EMBEDDED, np.log(np.maximum(table.states, _LEAST)))]
    for tier in tiers:
        one = np.full((len(table), many), others)
        one[np.arange(len(table)), table.named[tier]] = np.log(SURE)
        logs.append((tier.value, one))
    return logs
