"""Scores the cascade beside each model alone: F1 of help need, share of calls, prices, and intervals over sessions.

Every threshold comes from the sessions that were learned from, never from those that are scored.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from daemon.figures.intervals import Interval
from daemon.figures.resampling import Bools, Floats
from detectors.mllm.cascade import log_odds
from lab.benchmarks.cascade.fit import (
    FittedCascade,
    above,
    clipped,
    combined,
    f1,
    gains_of,
    named_states,
    price_for,
    run,
)
from lab.benchmarks.cascade.table import TIERS, Table
from lab.benchmarks.scripted_models import SCRIPTS
from storage.records import ModelTier

FigureOf = Callable[[Callable[[Floats], Floats]], Floats]
"""Makes figures of counts; it is given a function that sums counts over the drawn sessions."""

CASCADE, STRONG, LOCAL, EMBEDDED = "cascade", "strong alone", "local alone", "embedded alone"
AS_SET = "cascade, policy's bound"
NO_STRONG, AT_RANDOM, EVERYBODY = "embedded + local", "strong asked by lot", "all, everywhere"
CURVE = tuple(round(0.05 * step, 2) for step in range(21))
DRAWS = 1000
_SEED = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    """One way to decide: at which prefixes it reports need, and at which it queries which model."""

    name: str
    need: Bools
    queried: Mapping[ModelTier, Bools]


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyFigures:
    """How good a strategy is, and what it costs; `calls` is the share of prefixes at which a model is queried."""

    f1: Interval
    recall: float
    false_positives: float
    calls: Mapping[str, Interval]
    dollars_an_hour: float
    tokens_an_hour: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """One variant's figures; `kept` is the cascade's F1 over the strong model's, `curve` F1 by share of its calls."""

    figures: Mapping[str, StrategyFigures]
    kept: Interval
    share: Interval
    curve: Sequence[tuple[float, float]]
    states: Mapping[str, float]


def strategies(table: Table, fitted: FittedCascade, default: FittedCascade) -> list[Strategy]:
    """Return what each strategy decides, with weights and threshold that were learned elsewhere.

    `default` has the threshold of the policy's default settings, and prices for it: it reports need much more rarely.
    """
    weights, bound = fitted.weights, fitted.bound
    gains = gains_of(table, weights, bound)
    cascade = run(table, weights, gains)
    nobody, everybody = np.zeros(len(table), np.bool_), np.ones(len(table), np.bool_)
    threshold = log_odds(bound.threshold) - log_odds(bound.base_rate)
    no_strong = run(table, weights, gains, chosen=nobody)
    at_random = run(table, weights, gains, chosen=_at_random(table, float(cascade.strong.mean())))
    of_policy = run(table, default.weights, gains_of(table, default.weights, default.bound))

    def by(name: str, need: Bools, **queried: Bools) -> Strategy:
        return Strategy(name=name, need=need, queried={ModelTier(tier): column for tier, column in queried.items()})

    return [
        by(CASCADE, above(cascade, bound), local=cascade.local, strong=cascade.strong),
        by(STRONG, table.yes[ModelTier.STRONG], strong=everybody),
        by(LOCAL, table.yes[ModelTier.LOCAL], local=everybody),
        by(EMBEDDED, clipped(table.ratio) >= threshold),
        by(AS_SET, above(of_policy, default.bound), local=of_policy.local, strong=of_policy.strong),
        by(NO_STRONG, above(no_strong, bound), local=no_strong.local),
        by(AT_RANDOM, above(at_random, bound), local=at_random.local, strong=at_random.strong),
        by(EVERYBODY, combined(table, TIERS, weights) >= threshold, local=everybody, strong=everybody),
    ]


def score(
    table: Table, decided: Sequence[Strategy], curve: Sequence[tuple[float, float]], states: Mapping[str, float]
) -> Scored:
    """Return the figures of strategies, with intervals from drawing whole sessions."""
    draws = _Draws(table)
    by_name = {one.name: one for one in decided}
    ours, strong = draws.counts(by_name[CASCADE].need), draws.counts(by_name[STRONG].need)
    return Scored(
        figures={one.name: _figure(table, one, draws) for one in decided},
        kept=draws.interval(lambda pick: _f1(pick(ours)) / _f1(pick(strong))),
        share=draws.share(by_name[CASCADE].queried[ModelTier.STRONG]),
        curve=curve,
        states=states,
    )


def curve_of(table: Table, fitted: FittedCascade) -> list[tuple[float, float]]:
    """Return share of calls and F1, for prices that make the share go from nothing to everything with a gain."""
    gains = gains_of(table, fitted.weights, fitted.bound)
    found = []
    for share in CURVE:
        prices = {**fitted.weights.prices, ModelTier.STRONG: price_for(gains, share)}
        outcome = run(table, replace(fitted.weights, prices=prices), gains)
        found.append((float(outcome.strong.mean()), f1(table.need, above(outcome, fitted.bound))))
    return found


def states_of(table: Table, fitted: FittedCascade) -> dict[str, float]:
    """Return the share of states named right: by the detector, by each model, and by both models with it."""
    known = table.state >= 0
    truth = table.state[known]
    both = named_states(table, TIERS, fitted.weights)
    named = {
        EMBEDDED: table.states.argmax(axis=1),
        LOCAL: table.named[ModelTier.LOCAL],
        STRONG: table.named[ModelTier.STRONG],
        EVERYBODY: both.argmax(axis=1),
    }
    return {name: float((guess[known] == truth).mean()) for name, guess in named.items()}


def _figure(table: Table, one: Strategy, draws: "_Draws") -> StrategyFigures:
    counts = draws.counts(one.need)
    tokens = dollars = 0.0
    for tier, queried in one.queried.items():
        script = SCRIPTS[tier.value]
        spent = float((script.tokens_beside + script.tokens_a_picture * table.pictures[queried]).sum())
        tokens, dollars = tokens + spent, dollars + spent * script.dollars_a_million / 1e6
    return StrategyFigures(
        f1=draws.interval(lambda pick: _f1(pick(counts))),
        recall=float(one.need[table.need].mean()),
        false_positives=float(one.need[~table.need].mean()),
        calls={tier.value: draws.share(queried) for tier, queried in one.queried.items()},
        dollars_an_hour=dollars / table.hours,
        tokens_an_hour=tokens / table.hours,
    )


class _Draws:
    """Draws of whole sessions with replacement, the same for every figure, so that comparisons are paired."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._sessions, self._place = np.unique(table.session, return_inverse=True)
        many = len(self._sessions)
        rng = np.random.default_rng(_SEED)
        self._drawn = rng.multinomial(many, np.full(many, 1.0 / many), size=DRAWS).astype(np.float64)

    def counts(self, predicted: Bools) -> Floats:
        """Return by session: true positives, positives, moments of need."""
        need = self._table.need
        return self._sums(need & predicted, predicted, need)

    def share(self, queried: Bools) -> Interval:
        """Return the share of prefixes at which a model was queried."""
        calls = self._sums(queried, np.ones(len(queried), np.bool_))
        return self.interval(lambda pick: _mean(pick(calls)))

    def interval(self, figure: FigureOf) -> Interval:
        """Return a figure of counts with its interval."""
        drawn = figure(lambda counts: self._drawn @ counts)
        low, high = np.quantile(drawn, (0.025, 0.975))
        (value,) = figure(lambda counts: counts.sum(axis=0, keepdims=True))
        return Interval(value=float(value), low=float(low), high=float(high))

    def _sums(self, *columns: Bools) -> Floats:
        many = len(self._sessions)
        return np.stack([np.bincount(self._place, one, many) for one in columns], axis=1)


def _f1(counts: Floats) -> Floats:
    found: Floats = 2 * counts[:, 0] / np.maximum(1.0, counts[:, 1] + counts[:, 2])
    return found


def _mean(counts: Floats) -> Floats:
    found: Floats = counts[:, 0] / np.maximum(1.0, counts[:, 1])
    return found


def _at_random(table: Table, share: float) -> Bools:
    """Return prefixes drawn at random, as a control with as many calls."""
    numbers = [
        int.from_bytes(hashlib.blake2b(f"{table.session[at]} {table.prefix_id(at)}".encode(), digest_size=8).digest())
        for at in range(len(table))
    ]
    found: Bools = np.array(numbers, np.float64) < share * 2.0**64
    return found
