"""The rows of the CUPS benchmark: figures of one way to hold suggestions or to tell states, with their intervals.

Scores come once a seed; every figure is the mean over the seeds, and an interval resamples programmers, keeping each
with all seeds.
"""

from dataclasses import dataclass

import numpy as np

from evaluation.measure import metrics
from evaluation.measure.metrics import Bools, Floats, Interval, Ints

_SEED = 20261121


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """One way to hold suggestions back: how well it ranks, how much it holds, and what that costs.

    `accepted_of_held` is the share of held suggestions that were in fact accepted, 0 where none is held.
    """

    who: str
    auc: Interval
    held: Interval
    accepted_of_held: Interval
    accepted_kept: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """One way to tell states."""

    who: str
    accuracy: Interval
    macro_f1: Interval
    balanced_accuracy: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """How one state fares, over all seeds."""

    state: str
    events: int
    recall: float
    f1: float


def holding(who: str, accepted: Bools, scores: Floats, held: Bools, programmers: Ints) -> Holding:
    """Return the figures of scores and choices, both with a row for each seed."""

    def auc(rows: Ints) -> float:
        return float(np.mean([metrics.auc(accepted[rows], of_seed[rows]) for of_seed in scores]))

    def share(rows: Ints) -> float:
        return float(held[:, rows].mean())

    def of_held(rows: Ints) -> float:
        return float((held[:, rows] & accepted[rows]).sum() / max(1, held[:, rows].sum()))

    def kept(rows: Ints) -> float:
        return float((~held[:, rows] & accepted[rows]).sum() / max(1, len(held) * accepted[rows].sum()))

    auc_of, share_of, of_held_of, kept_of = (
        metrics.bootstrap(programmers, figure, rng=np.random.default_rng(_SEED))
        for figure in (auc, share, of_held, kept)
    )
    return Holding(who=who, auc=auc_of, held=share_of, accepted_of_held=of_held_of, accepted_kept=kept_of)


def telling(who: str, truth: Ints, guesses: Ints, programmers: Ints) -> Telling:
    """Return the figures of guesses, a row for each seed."""
    classes = int(max(truth.max(), guesses.max())) + 1

    def tables(rows: Ints) -> list[Ints]:
        return [metrics.confusion(truth[rows], of_seed[rows], classes) for of_seed in guesses]

    def accuracy(rows: Ints) -> float:
        return float(np.mean([metrics.accuracy(table) for table in tables(rows)]))

    def macro_f1(rows: Ints) -> float:
        return float(np.mean([metrics.macro_f1(table) for table in tables(rows)]))

    def balanced(rows: Ints) -> float:
        return float(np.mean([metrics.recalls(table)[table.sum(axis=1) > 0].mean() for table in tables(rows)]))

    accuracy_of, macro_of, balanced_of = (
        metrics.bootstrap(programmers, figure, rng=np.random.default_rng(_SEED))
        for figure in (accuracy, macro_f1, balanced)
    )
    return Telling(who=who, accuracy=accuracy_of, macro_f1=macro_of, balanced_accuracy=balanced_of)


def by_state(names: tuple[str, ...], truth: Ints, guesses: Ints) -> list[State]:
    """Return how each state fares, commonest first."""
    table = metrics.confusion(np.tile(truth, len(guesses)), guesses.ravel(), len(names))
    found, events = np.diag(table), table.sum(axis=1)
    f1 = 2 * found / np.maximum(1, events + table.sum(axis=0))
    return [
        State(
            state=names[n],
            events=int(events[n]) // len(guesses),
            recall=round(float(found[n] / max(1, events[n])), 3),
            f1=round(float(f1[n]), 3),
        )
        for n in np.argsort(-events, kind="stable")
    ]
