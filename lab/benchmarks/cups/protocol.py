"""The protocol of the CUPS benchmark: one programmer left out, everything chosen among the others.

Which forest is decided by a threefold split of the other programmers, and so are the scores from which a threshold is
taken. What was ever scored on these labels is written down in `SCORED`, and its number is printed with the result; the
lists of forests stood here before the first figure. Folds share nothing, so they run in processes of their own.
"""

import multiprocessing
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from daemon.figures.resampling import Floats, Ints
from daemon.text import print_progress
from lab.measure import metrics


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """One setting to choose from; `extra` draws the cuts of its trees at random, which is quicker with many classes."""

    trees: int
    leaf: int
    extra: bool = False

    def fitted(self, x: Floats, y: Ints, seed: int) -> RandomForestClassifier | ExtraTreesClassifier:
        """Return a forest grown on some rows."""
        kind = ExtraTreesClassifier if self.extra else RandomForestClassifier
        return kind(n_estimators=self.trees, min_samples_leaf=self.leaf, random_state=seed, n_jobs=1).fit(x, y)


HOLD_FORESTS = (Forest(trees=150, leaf=5), Forest(trees=150, leaf=10))
STATE_FORESTS = (Forest(trees=100, leaf=3, extra=True), Forest(trees=100, leaf=8, extra=True))
"""What may be chosen in a fold; of equally good ones the first is taken.

Holding had one more, with 100 trees and leaves of 2. No fold ever chose it, so leaving it out changed no figure.
"""

SCORED = (
    "hold: random forests on the event, its measurements and the past, forest and threshold chosen in the folds",
    "hold: the tool's own confidence, threshold chosen in the folds",
    "states: extremely randomized trees on the same features, forest chosen in the folds",
)
"""Every variant whose figures on left-out programmers were ever looked at; a further one is added, never replaced."""

KNOWN_BEFORE = (
    "a feasibility study had scored random forests of 150 trees on the same data before: states with and without their "
    "own duration (accuracy 0.372 and 0.362), holding with and without the suggestion's measurements (AUC 0.750, 0.636)"
)

SEEDS = (1, 2, 3, 4, 5)
SPLITS = 3

Objective = Callable[[Ints, Floats], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgrammerFold:
    """What a left-out programmer's rows got: probabilities by seed, row and class, and those of the others' rows.

    The others' are from forests that had not seen their programmer either; they come from the first seed alone.
    """

    programmer: int
    forest: Forest
    scores: Floats
    others: Floats


def leave_one_out(
    x: Floats, y: Ints, programmers: Ints, *, forests: tuple[Forest, ...], figure: Objective, workers: int
) -> list[ProgrammerFold]:
    """Return one fold for each programmer; `figure` is what forests are chosen by, greater is better."""
    one = partial(fold, x, y, programmers, forests, figure)
    everyone = [int(programmer) for programmer in np.unique(programmers)]
    if workers == 1:
        return _with_progress(map(one, everyone), len(everyone))
    context = multiprocessing.get_context("spawn")  # a fork would copy the threads of numpy's libraries half-way
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        return _with_progress(pool.map(one, everyone), len(everyone))


def fold(  # noqa: PLR0917  # a pool's map hands over the last one by position
    x: Floats, y: Ints, programmers: Ints, forests: tuple[Forest, ...], figure: Objective, programmer: int
) -> ProgrammerFold:
    """Choose a forest among all programmers but one, grow it there once a seed, and score the one."""
    train, test = programmers != programmer, programmers == programmer
    inside = [
        _split_scores(x[train], y[train], programmers[train], forest, classes=int(y.max()) + 1) for forest in forests
    ]
    best = int(np.argmax([figure(y[train], scores) for scores in inside]))
    grown = (forests[best].fitted(x[train], y[train], seed) for seed in SEEDS)
    scores = np.array([_probabilities(forest, x[test], int(y.max()) + 1) for forest in grown])
    return ProgrammerFold(programmer=programmer, forest=forests[best], scores=scores, others=inside[best])


def area(y: Ints, scores: Floats) -> float:
    """Return the AUC of the second of two classes."""
    return metrics.auc(y == 1, scores[:, 1])


def hits(y: Ints, scores: Floats) -> float:
    """Return the share of rows whose likeliest class is right."""
    return float((scores.argmax(axis=1) == y).mean())


def all_cores() -> int:
    """Return how many folds run at a time."""
    return os.cpu_count() or 1


def _split_scores(x: Floats, y: Ints, programmers: Ints, forest: Forest, classes: int) -> Floats:
    """Return probabilities for every row, from forests that never saw its programmer."""
    everyone = np.random.default_rng(SEEDS[0]).permutation(np.unique(programmers))
    scores = np.zeros((len(y), classes))
    for part in np.array_split(everyone, SPLITS):
        out = np.isin(programmers, part)
        scores[out] = _probabilities(forest.fitted(x[~out], y[~out], SEEDS[0]), x[out], classes)
    return scores


def _probabilities(forest: RandomForestClassifier | ExtraTreesClassifier, x: Floats, classes: int) -> Floats:
    """Return a column for every class, also for one that the forest has never seen."""
    scores = np.zeros((len(x), classes))
    scores[:, forest.classes_] = forest.predict_proba(x)
    return scores


def _with_progress(folds: Iterable[ProgrammerFold], number: int) -> list[ProgrammerFold]:
    done = []
    for one in folds:
        done.append(one)
        print_progress(f"programmer {len(done)} of {number} left out")
    return done
