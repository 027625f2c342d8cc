"""Figures by which detectors are judged: accuracy, F1, AUC, calibration error, recall at a false-positive rate.

numpy alone, so that a benchmark needs no training libraries; every figure is compared with scikit-learn's in the tests.
`need` is an array of booleans, `score` anything that ranks, `probability` a number between 0 and 1. Weights stand for
another share of need than the one in the data: recall and false-positive rate do not change with it, calibration does.
"""

from dataclasses import dataclass

import numpy as np

from daemon.figures.resampling import Bools, Floats, Ints

ECE_BINS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """One bin of a reliability plot: mean probability, share of need, how many there are in it, and their weight."""

    predicted: float
    observed: float
    count: int
    weight: float


# ---------------------------------------------------------------- states


def confusion(truth: Ints, guess: Ints, classes: int) -> Ints:
    """Return counts, truth down and guess across."""
    table = np.zeros((classes, classes), np.int64)
    np.add.at(table, (truth, guess), 1)
    return table


def balanced(table: Ints | Floats) -> Floats:
    """Return a confusion table in which every class that occurs weighs the same."""
    found: Floats = table / np.maximum(1, table.sum(axis=1, keepdims=True))
    return found


def accuracy(table: Ints | Floats) -> float:
    """Return the share on the diagonal of a confusion table."""
    return float(np.trace(table) / (table.sum() or 1))


def recalls(table: Ints | Floats) -> Floats:
    """Return the recall of each class; 0 for one that does not occur."""
    found: Floats = np.diag(balanced(table))
    return found


def macro_f1(table: Ints | Floats) -> float:
    """Return the mean F1 over the classes that occur in truth or guess."""
    both = table.sum(axis=0) + table.sum(axis=1)
    f1 = 2 * np.diag(table)[both > 0] / both[both > 0]
    return float(f1.mean()) if len(f1) else 0.0


# ---------------------------------------------------------------- help need


def auc(need: Bools, score: Floats, weights: Floats | None = None) -> float:
    """Return the chance that a moment of need scores above another (half for a tie); NaN where one kind is missing."""
    w = np.ones(len(need)) if weights is None else weights
    order = np.argsort(score, kind="stable")
    ranked, truth, w = score[order], need[order], w[order]
    _, level = np.unique(ranked, return_inverse=True)
    positive = np.bincount(level, weights=w * truth)
    negative = np.bincount(level, weights=w * ~truth)
    below = np.cumsum(negative) - negative
    pairs = positive.sum() * negative.sum()
    return float((positive * (below + negative / 2)).sum() / pairs) if pairs else float("nan")


def auc_within(need: Bools, score: Floats, groups: Ints) -> float:
    """Return the AUC among samples of the same group alone, NaN where no group has both kinds.

    With seconds since the start as groups it tells what a score knows beyond the clock.
    """
    won = pairs = 0.0
    for group in np.unique(groups):
        rows = groups == group
        count = float(need[rows].sum()) * float((~need[rows]).sum())
        if count:
            won += count * auc(need[rows], score[rows])
            pairs += count
    return won / pairs if pairs else float("nan")


def threshold_at(need: Bools, score: Floats, max_fpr: float) -> float:
    """Return the lowest threshold at which at most `max_fpr` of the moments without need score as high or higher."""
    calm = np.sort(score[~need])[::-1]
    allowed = int(np.floor(max_fpr * len(calm) + 1e-9))
    if allowed >= len(calm):
        return float(-np.inf)
    return float(np.nextafter(calm[allowed], np.inf))


def rates_at(need: Bools, score: Floats, threshold: float) -> tuple[float, float]:
    """Return recall and false-positive rate of everything at or above a threshold."""
    above = score >= threshold
    return float(above[need].mean()) if need.any() else 0.0, float(above[~need].mean()) if (~need).any() else 0.0


def prevalence_weights(need: Bools, prevalence: float) -> Floats:
    """Return weights of mean 1 that make the share of need `prevalence`; ones where only one kind is there."""
    share = float(need.mean()) if len(need) else 0.0
    if share in (0.0, 1.0):
        return np.ones(len(need))
    return np.where(need, prevalence / share, (1.0 - prevalence) / (1.0 - share))


def reliability(need: Bools, probability: Floats, weights: Floats | None = None, bins: int = ECE_BINS) -> list[Bin]:
    """Return bins of equal count, from the lowest probability to the highest."""
    w = np.ones(len(need)) if weights is None else weights
    parts = np.array_split(np.argsort(probability, kind="stable"), bins)
    return [
        Bin(
            predicted=float(np.average(probability[part], weights=w[part])),
            observed=float(np.average(need[part], weights=w[part])),
            count=len(part),
            weight=float(w[part].sum()),
        )
        for part in parts
        if len(part)
    ]


def ece(need: Bools, probability: Floats, weights: Floats | None = None, bins: int = ECE_BINS) -> float:
    """Return the expected calibration error over bins of equal count."""
    found = reliability(need, probability, weights, bins)
    whole = sum(bucket.weight for bucket in found)
    return (
        sum(bucket.weight * abs(bucket.predicted - bucket.observed) for bucket in found) / whole
        if whole
        else float("nan")
    )


def shifted(log_odds: Floats, was: float, now: float) -> Floats:
    """Return probabilities at another base rate: log-odds moved by the difference of the two base rates'."""
    return 1.0 / (1.0 + np.exp(-(log_odds + logit(now) - logit(was))))


def logit(probability: float) -> float:
    """Return the log-odds of a probability strictly between 0 and 1."""
    return float(np.log(probability / (1.0 - probability)))
