"""Fits the weights of the ranking on the tuning half; `kairos bench content --fit FILE` writes them.

A softmax over the candidates of each moment, with the gold pages' share as likelihood, a pull of each weight to a small
positive value, and no negative weights but for kinds of pages. Typed words keep a least weight: the moments avoid the
words of titles by their rule, so the fit cannot learn what a word of a title is worth. What is reported of the fit
itself comes from six folds.

How much it counts that a page seems to be the one looked for is fitted at the end, with all else as it is, and the
curve is fitted without it: nothing was learned of most programs, and they are ranked by the rest.
"""

import itertools
import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from daemon.figures.resampling import Floats
from daemon.help.library.ranking import features_of
from daemon.help.programs import programs_read_for
from lab.benchmarks.content.benchmark import (
    ConstructedMoment,
    MomentPart,
    bm25,
    documentation,
    index,
    read_moments,
    reciprocal_rank,
)
from lab.measure.descent import descend
from storage.db.connection import open_readonly
from storage.files import library_file
from storage.plain_text import print_progress

FOLDS = 6
PULL = 0.03
_AT_LEAST = {"words_short": 1.0, "words_long": 0.5}
_STEPS, _RATE = 600, 0.05
_SOUGHT, _MOST = "sought", 5.0
_EITHER_SIGN = frozenset(("is_overview", "is_manual", "is_reference", "sister_part"))


@dataclass(frozen=True, slots=True)
class _Sample:
    """A moment as numbers: candidates by features, and which of them are gold."""

    rows: Floats
    gold: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Weights by feature, the curve of the probability, and how the folds ranked what they had not seen."""

    features: dict[str, float]
    slope: float
    offset: float
    folds_hit1: float
    folds_hit3: float
    folds_reciprocal: float


def fit(connection: sqlite3.Connection, moments: Sequence[ConstructedMoment]) -> Fit:
    """Fit weights and probability."""
    names, samples = _samples(connection, moments)
    parts = [range(first, len(samples), FOLDS) for first in range(FOLDS)]
    ranks: list[float] = []
    shares: list[tuple[float, bool]] = []
    for part in parts:
        weights = _fit(names, [sample for number, sample in enumerate(samples) if number not in part])
        for number in part:
            sample = samples[number]
            share = _softmax(sample.rows @ weights)
            order = np.argsort(-share, kind="stable")
            places = np.flatnonzero(sample.gold[order])
            ranks.append(1.0 / (1 + places[0]) if len(places) else 0.0)
            share = _softmax(sample.rows @ (weights * _is_other(names)))
            order = np.argsort(-share, kind="stable")
            shares += [(float(share[page]), bool(sample.gold[page])) for page in order[:3]]
    slope, offset = _curve(shares)
    found = np.array(ranks)
    final = _fit(names, samples)
    return Fit(
        features={name: round(float(weight), 3) for name, weight in zip(names, final, strict=True) if round(weight, 3)},
        slope=round(slope, 3),
        offset=round(offset, 3),
        folds_hit1=float(np.mean(found == 1)),
        folds_hit3=float(np.mean(found >= 1 / 3)),
        folds_reciprocal=float(np.mean(found)),
    )


def write(path: Path, found: Fit) -> None:
    """Write the weights as the package holds them."""
    facts = {"features": dict(sorted(found.features.items())), "slope": found.slope, "offset": found.offset}
    path.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def bm25_weights(connection: sqlite3.Connection, moments: Sequence[ConstructedMoment]) -> tuple[float, ...]:
    """Return the weights of BM25's columns, out of 36, with the best mean reciprocal rank on the moments."""

    def mean(weights: tuple[float, ...]) -> float:
        return float(
            np.mean(
                [reciprocal_rank(bm25(connection, moment.context, weights=weights), moment.gold) for moment in moments]
            )
        )

    return max(itertools.product((1.0, 3.0, 8.0), (1.0, 3.0), (0.3, 1.0, 3.0), (1.0,), (0.3, 1.0)), key=mean)


def _samples(connection: sqlite3.Connection, moments: Sequence[ConstructedMoment]) -> tuple[list[str], list[_Sample]]:
    ids: dict[int, str] = dict(connection.execute("SELECT id, page_id FROM pages").fetchall())
    found = [
        features_of(connection, constructed_moment.context, programs_read_for(constructed_moment.context.app))
        for constructed_moment in moments
    ]
    names = sorted({name for pages in found for features in pages.values() for name in features})
    samples = []
    for moment, pages in zip(moments, found, strict=True):
        order = sorted(pages)
        rows = np.array([[pages[page].get(name, 0.0) for name in names] for page in order])
        samples.append(_Sample(rows, np.array([ids[page] in moment.gold for page in order])))
    return names, samples


def _fit(names: Sequence[str], samples: Sequence[_Sample]) -> Floats:
    weights = _fit_others(names, [_Sample(sample.rows * _is_other(names), sample.gold) for sample in samples])
    alone = ~_is_other(names)

    def surprise(weight: float) -> float:
        counts = np.where(alone, weight, weights)
        shares = [_softmax(sample.rows @ counts)[sample.gold].sum() for sample in samples if sample.gold.any()]
        return -float(np.log(shares).sum())

    best = float(minimize_scalar(surprise, bounds=(0.0, _MOST), method="bounded").x)
    return np.asarray(np.where(alone, best, weights))


def _is_other(names: Sequence[str]) -> NDArray[np.bool_]:
    return np.array([name != _SOUGHT for name in names])


def _fit_others(names: Sequence[str], samples: Sequence[_Sample]) -> Floats:
    prior = np.array([0.0 if name in _EITHER_SIGN else 0.3 if _is_search(name) else 0.2 for name in names])
    least = np.array([-np.inf if name in _EITHER_SIGN else _AT_LEAST.get(name, 0.0) for name in names])
    usable = [sample for sample in samples if sample.gold.any()]

    def slope(weights: Floats) -> Floats:
        found: Floats = PULL * (weights - prior)
        for sample in usable:
            share = _softmax(sample.rows @ weights)
            wanted = share * sample.gold
            found -= sample.rows.T @ (wanted / wanted.sum() - share) / len(usable)
        return found

    return descend(
        slope, np.full(len(names), 0.1), allowed=lambda weights: np.maximum(weights, least), steps=_STEPS, rate=_RATE
    )


def _is_search(name: str) -> bool:
    return name.endswith(("_short", "_long"))


def _curve(shares: Sequence[tuple[float, bool]]) -> tuple[float, float]:
    """Return slope and offset of the log-odds that a page helps, against the log-odds of its share."""
    share = np.clip(np.array([one for one, _ in shares]), 1e-6, 1 - 1e-6)
    helps = np.array([one for _, one in shares], dtype=float)
    at = np.log(share / (1 - share))

    def change(weights: Floats) -> Floats:
        wrong = 1 / (1 + np.exp(-(weights[0] * at + weights[1]))) - helps
        return np.array([np.mean(wrong * at), np.mean(wrong)])

    found = descend(change, np.array([1.0, 0.0]), steps=_STEPS, rate=_RATE)
    return float(found[0]), float(found[1])


def _softmax(totals: Floats) -> Floats:
    shares = np.exp(totals - totals.max())
    return np.asarray(shares / shares.sum(), dtype=np.float64)


def tune(path: Path, data: Path) -> None:
    """Fit weights on the tuning moments and write them; say what the folds gave, and the best weights of BM25.

    Raises:
        EnvironmentFault: documentation that the moments are about is missing.
    """
    moments = [moment for moment in read_moments() if moment.part is MomentPart.TUNING]
    with TemporaryDirectory(prefix="kairos-bench-") as name:
        index(Path(name), documentation(data))
        connection = open_readonly(library_file(Path(name))).conn
        try:
            found = fit(connection, moments)
            weights = bm25_weights(connection, moments)
        finally:
            connection.close()
    write(path, found)
    print_progress(
        f"folds of the tuning half: hit@1 {found.folds_hit1:.3f}, hit@3 {found.folds_hit3:.3f},"
        f" reciprocal rank {found.folds_reciprocal:.3f}; best weights of BM25: {weights}"
    )
