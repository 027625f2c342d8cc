"""Teaches the cascade from a table of prefixes: how answers are weighed, what an answer must gain, where to decide.

Need: a logistic regression for each set of answers, on all prefixes and not only on those where one would have asked,
so that who is asked does not shape what an answer means; need and its absence weigh the same, which makes the sum a
log-likelihood ratio. States: weights of log-probabilities with the least log loss. The price of the strong model is the
gain above which the wanted share of prefixes lies.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from detectors.mllm.cascade import EMBEDDED, MOST, DecisionThreshold, LinearCombiner, Weights, key_of, log_odds
from evaluation.benchmarks.cascade.table import TIERS, Table
from evaluation.benchmarks.scripted_models import SURE
from evaluation.measure.metrics import Bools, Floats, prevalence_weights
from storage.records import ModelTier

SETS: tuple[tuple[ModelTier, ...], ...] = ((ModelTier.LOCAL,), (ModelTier.STRONG,), (ModelTier.LOCAL, ModelTier.STRONG))
THRESHOLDS = tuple(round(0.2 + 0.05 * step, 2) for step in range(9))
"""Probabilities at which one might decide; the best by F1 is kept."""

_RIDGE = 1e-3
_PRICINGS = 5
_STEPS = 50
_LEAST = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """Weights with prices, and the bound that they are for."""

    weights: Weights
    bound: DecisionThreshold


@dataclass(frozen=True, slots=True)
class Gains:
    """What asking gains at each prefix: the local model, the strong one without it, the strong one after it.

    `led` is what the strong model gains at most after whatever the local one may say (`cascade.led_to`).
    """

    local: Floats
    strong: Floats
    strong_after_local: Floats
    led: Floats

    def asks_local(self, prices: Mapping[ModelTier, float]) -> Bools:
        """Return where the local model is asked."""
        found: Bools = (self.local > prices[ModelTier.LOCAL]) | (self.led > prices[ModelTier.STRONG])
        return found


@dataclass(frozen=True, slots=True)
class Run:
    """What the cascade makes of each prefix: who was asked, and the log-likelihood ratio in the end."""

    local: Bools
    strong: Bools
    ratio: Floats


def fit_weights(table: Table, *, version: str, made: str) -> Weights:
    """Return the weights that suit a table; nothing has a price yet."""
    return Weights(
        version=version,
        made=made,
        need={key_of(tiers): _regression(table, tiers) for tiers in SETS},
        states={key_of(tiers): _states(table, tiers) for tiers in SETS},
        prices=dict.fromkeys(TIERS, 0.0),
    )


def fit(table: Table, *, share: float, version: str, made: str) -> Fitted:
    """Return weights, prices and the probability at which to decide, for sessions with as much need as these.

    Args:
        table: what to learn from.
        share: of the prefixes the strong model may be asked about.
        version: name of the weights.
        made: how they were made, in words.
    """
    weights = fit_weights(table, version=version, made=made)
    base_rate = float(table.need.mean())
    tried = []
    for threshold in THRESHOLDS:
        bound = DecisionThreshold(threshold=threshold, base_rate=base_rate)
        gains = gains_of(table, weights, bound)
        priced = replace(weights, prices={ModelTier.LOCAL: 0.0, ModelTier.STRONG: price_for(gains, share)})
        found = f1(table.need, above(run(table, priced, gains), bound))
        tried.append((found, Fitted(weights=priced, bound=bound)))
    return max(tried, key=lambda one: one[0])[1]


def price_for(gains: Gains, share: float, weights: Floats | None = None) -> float:
    """Return the gain above which this share of prefixes lies, once the local model has said what it has to."""
    w = np.ones(len(gains.local)) if weights is None else weights
    price = 0.0
    for _ in range(_PRICINGS):  # who is asked about the local model hangs on the price of the strong one
        local = gains.asks_local({ModelTier.LOCAL: 0.0, ModelTier.STRONG: price})
        gain = np.where(local, gains.strong_after_local, gains.strong)
        order = np.argsort(-gain, kind="stable")
        within = np.cumsum(w[order]) / w.sum() <= share
        price = max(0.0, float(gain[order[min(int(within.sum()), len(gain) - 1)]]))
    return price


def gains_of(table: Table, weights: Weights, bound: DecisionThreshold) -> Gains:
    """Return what asking gains at each prefix: `cascade.gain_of` for whole columns, which the tests hold against it."""
    alone, with_local = clipped(table.ratio), combined(table, (ModelTier.LOCAL,), weights)
    return Gains(
        local=_gain(table, alone, (ModelTier.LOCAL,), weights, bound),
        strong=_gain(table, alone, (ModelTier.STRONG,), weights, bound),
        strong_after_local=_gain(table, with_local, (ModelTier.LOCAL, ModelTier.STRONG), weights, bound),
        led=np.maximum(*(_led(table, word, weights, bound) for word in (log_odds(SURE), -log_odds(SURE)))),
    )


def _led(table: Table, word: float, weights: Weights, bound: DecisionThreshold) -> Floats:
    """Return what the strong model gains after this word of the local one."""
    one, two = weights.need[key_of((ModelTier.LOCAL,))], weights.need[key_of(TIERS)]
    alone = clipped(table.ratio)
    now = one.bias + one.weights[EMBEDDED] * alone + one.weights[ModelTier.LOCAL] * word
    before = two.bias + two.weights[EMBEDDED] * alone + two.weights[ModelTier.LOCAL] * word
    return _gain_from(now, before, two.weights[ModelTier.STRONG], bound)


def _gain(
    table: Table, ratio: Floats, tiers: Sequence[ModelTier], weights: Weights, bound: DecisionThreshold
) -> Floats:
    """Return what an answer of the last of these tiers gains where the log-likelihood ratio is `ratio` without it."""
    weight = weights.need[key_of(tiers)].weights[tiers[-1]]
    return _gain_from(ratio, combined(table, tiers, weights) - weight * _words(table, tiers[-1]), weight, bound)


def _gain_from(ratio: Floats, before: Floats, weight: float, bound: DecisionThreshold) -> Floats:
    """Return what a word of this weight gains where the sum is `ratio` now, and `before` with it still unsaid."""
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


def run(table: Table, weights: Weights, gains: Gains, chosen: Bools | None = None) -> Run:
    """Return whom the cascade asks at these prices, and what it makes of the answers.

    `chosen` says in its place about which prefixes the strong model is asked.
    """
    local = gains.asks_local(weights.prices)
    gain = np.where(local, gains.strong_after_local, gains.strong)
    strong = gain > weights.prices[ModelTier.STRONG] if chosen is None else chosen
    ratio = clipped(table.ratio)
    for tiers in SETS:
        rows = (local == (ModelTier.LOCAL in tiers)) & (strong == (ModelTier.STRONG in tiers))
        ratio = np.where(rows, combined(table, tiers, weights), ratio)
    return Run(local, strong, ratio)


def combined(table: Table, tiers: Sequence[ModelTier], weights: Weights) -> Floats:
    """Return the log-likelihood ratio of each prefix, were these tiers asked about all of them."""
    line = weights.need[key_of(tiers)]
    said: dict[str, Floats] = {tier: _words(table, tier) for tier in tiers}
    said[EMBEDDED] = clipped(table.ratio)
    found = np.full(len(table), line.bias)
    for who, weight in line.weights.items():
        found = found + weight * said[who]
    return found


def named_states(table: Table, tiers: Sequence[ModelTier], weights: Weights) -> Floats:
    """Return log-probabilities of states (not summing to one) with these tiers' answers."""
    found = np.zeros((len(table), table.states.shape[1]))
    for (_, logs), weight in zip(_logs(table, tiers), weights.states[key_of(tiers)].values(), strict=True):
        found += weight * logs
    return found


def above(outcome: Run, bound: DecisionThreshold) -> Bools:
    """Return where the cascade says that help is needed."""
    found: Bools = outcome.ratio + log_odds(bound.base_rate) >= log_odds(bound.threshold)
    return found


def f1(need: Bools, said: Bools) -> float:
    """Return the F1 of "help is needed"."""
    right = float((need & said).sum())
    return 2 * right / max(1.0, float(need.sum() + said.sum()))


def clipped(ratio: Floats) -> Floats:
    """Return log-odds as far as the cascade counts them."""
    found: Floats = np.clip(ratio, -MOST, MOST)
    return found


def _words(table: Table, tier: ModelTier) -> Floats:
    return np.where(table.yes[tier], log_odds(SURE), -log_odds(SURE))


def _regression(table: Table, tiers: Sequence[ModelTier]) -> LinearCombiner:
    """Return the logistic regression of need on the log-odds of those who spoke (Newton's method)."""
    columns = [np.ones(len(table)), clipped(table.ratio), *(_words(table, tier) for tier in tiers)]
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
