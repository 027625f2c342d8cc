"""Judges the cascade beside each model alone: F1 of help need, share of calls, prices, and intervals over sessions.

Whoever judges by a threshold has it from the sessions that were learned from, never from those that are scored.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from detectors.mllm.cascade import log_odds
from evaluation.benchmarks.cascade.fit import (
    Fitted,
    above,
    clipped,
    combined,
    f1,
    gains_of,
    named_states,
    price_for,
    run,
)
from evaluation.benchmarks.cascade.table import RUNGS, Table
from evaluation.benchmarks.scripted_models import SCRIPTS
from evaluation.measure.metrics import Bools, Floats, Interval
from storage.records import ModelTier

Figured = Callable[[Callable[[Floats], Floats]], Floats]
"""Makes figures of counts; it is given what sums counts over sessions as they were drawn."""

CASCADE, STRONG, LOCAL, EMBEDDED = "cascade", "strong alone", "local alone", "embedded alone"
AS_SET = "cascade, policy's bound"
NO_STRONG, LOTS, EVERYBODY = "embedded + local", "strong asked by lot", "all, everywhere"
CURVE = tuple(round(0.05 * step, 2) for step in range(21))
DRAWS = 1000
_SEED = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """What one way to judge says of each prefix, and whom it asks for that."""

    name: str
    said: Bools
    asked: Mapping[ModelTier, Bools]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """How good a way to judge is, and what it costs; `calls` is the share of prefixes at which a rung is asked."""

    f1: Interval
    recall: float
    false_positives: float
    calls: Mapping[str, Interval]
    dollars_an_hour: float
    tokens_an_hour: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """One variant's figures; `kept` is the cascade's F1 over the strong model's, `curve` F1 by share of its calls."""

    figures: Mapping[str, Figure]
    kept: Interval
    share: Interval
    curve: Sequence[tuple[float, float]]
    states: Mapping[str, float]


def judges(table: Table, fitted: Fitted, as_set: Fitted) -> list[Judge]:
    """Return what each way to judge says, with weights and bound that were learned elsewhere.

    `as_set` has the bound of the policy's default settings and prices for it: it speaks of need much more rarely.
    """
    weights, bound = fitted.weights, fitted.bound
    gains = gains_of(table, weights, bound)
    made = run(table, weights, gains)
    nobody, everybody = np.zeros(len(table), np.bool_), np.ones(len(table), np.bool_)
    edge = log_odds(bound.threshold) - log_odds(bound.base_rate)
    no_strong = run(table, weights, gains, chosen=nobody)
    lots = run(table, weights, gains, chosen=_lots(table, float(made.strong.mean())))
    policy_gains = gains_of(table, as_set.weights, as_set.bound)
    policy = run(table, as_set.weights, policy_gains)
    return [
        Judge(
            name=CASCADE, said=above(made, bound), asked={ModelTier.LOCAL: made.local, ModelTier.STRONG: made.strong}
        ),
        Judge(name=STRONG, said=table.yes[ModelTier.STRONG], asked={ModelTier.STRONG: everybody}),
        Judge(name=LOCAL, said=table.yes[ModelTier.LOCAL], asked={ModelTier.LOCAL: everybody}),
        Judge(name=EMBEDDED, said=clipped(table.ratio) >= edge, asked={}),
        Judge(
            name=AS_SET,
            said=above(policy, as_set.bound),
            asked={ModelTier.LOCAL: policy.local, ModelTier.STRONG: policy.strong},
        ),
        Judge(name=NO_STRONG, said=above(no_strong, bound), asked={ModelTier.LOCAL: no_strong.local}),
        Judge(name=LOTS, said=above(lots, bound), asked={ModelTier.LOCAL: lots.local, ModelTier.STRONG: lots.strong}),
        Judge(
            name=EVERYBODY,
            said=combined(table, RUNGS, weights) >= edge,
            asked=dict.fromkeys(RUNGS, everybody),
        ),
    ]


def score(
    table: Table, said: Sequence[Judge], curve: Sequence[tuple[float, float]], states: Mapping[str, float]
) -> Scored:
    """Return the figures of judges, with intervals from drawing whole sessions."""
    draws = _Draws(table)
    by_name = {one.name: one for one in said}
    ours, strong = draws.counts(by_name[CASCADE].said), draws.counts(by_name[STRONG].said)
    return Scored(
        figures={one.name: _figure(table, one, draws) for one in said},
        kept=draws.interval(lambda pick: _f1(pick(ours)) / _f1(pick(strong))),
        share=draws.share(by_name[CASCADE].asked[ModelTier.STRONG]),
        curve=curve,
        states=states,
    )


def curve_of(table: Table, fitted: Fitted) -> list[tuple[float, float]]:
    """Return share of calls and F1, for prices that make the share go from nothing to everything worth asking."""
    gains = gains_of(table, fitted.weights, fitted.bound)
    found = []
    for share in CURVE:
        prices = {**fitted.weights.prices, ModelTier.STRONG: price_for(gains, share)}
        made = run(table, replace(fitted.weights, prices=prices), gains)
        found.append((float(made.strong.mean()), f1(table.need, above(made, fitted.bound))))
    return found


def states_of(table: Table, fitted: Fitted) -> dict[str, float]:
    """Return the share of states named right: by the detector, by each model, and by both models with it."""
    known = table.state >= 0
    truth = table.state[known]
    both = named_states(table, RUNGS, fitted.weights)
    named = {
        EMBEDDED: table.states.argmax(axis=1),
        LOCAL: table.named[ModelTier.LOCAL],
        STRONG: table.named[ModelTier.STRONG],
        EVERYBODY: both.argmax(axis=1),
    }
    return {name: float((guess[known] == truth).mean()) for name, guess in named.items()}


def _figure(table: Table, one: Judge, draws: "_Draws") -> Figure:
    counts = draws.counts(one.said)
    tokens = dollars = 0.0
    for rung, asked in one.asked.items():
        script = SCRIPTS[rung.value]
        spent = float((script.tokens_beside + script.tokens_a_picture * table.pictures[asked]).sum())
        tokens, dollars = tokens + spent, dollars + spent * script.dollars_a_million / 1e6
    return Figure(
        f1=draws.interval(lambda pick: _f1(pick(counts))),
        recall=float(one.said[table.need].mean()),
        false_positives=float(one.said[~table.need].mean()),
        calls={rung.value: draws.share(asked) for rung, asked in one.asked.items()},
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

    def counts(self, said: Bools) -> Floats:
        """Return by session: right yeses, yeses, moments of need."""
        need = self._table.need
        return self._sums(need & said, said, need)

    def share(self, asked: Bools) -> Interval:
        """Return the share of prefixes at which somebody was asked."""
        calls = self._sums(asked, np.ones(len(asked), np.bool_))
        return self.interval(lambda pick: _mean(pick(calls)))

    def interval(self, figure: Figured) -> Interval:
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


def _lots(table: Table, share: float) -> Bools:
    """Return prefixes drawn by lot: how well one does with as many calls and no thought."""
    lots = [
        int.from_bytes(hashlib.blake2b(f"{table.session[at]} {table.prefix_id(at)}".encode(), digest_size=8).digest())
        for at in range(len(table))
    ]
    found: Bools = np.array(lots, np.float64) < share * 2.0**64
    return found
