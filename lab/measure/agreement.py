"""Agreement of people and models on labels: Cohen's kappa with an interval, and the mean over pairs for several.

p_o is the share on which both agree, p_e the sum over labels of both raters' shares multiplied;
kappa = (p_o - p_e) / (1 - p_e), not defined where p_e = 1 (Cohen 1960). An item that somebody left out, or was unsure
of, is left out for that pair and counted. Items of one trajectory resemble each other, so intervals draw whole
trajectories.

Items of several kinds, each with its own chance, as whether each of nine states was seen: observed and expected
disagreement are summed over the kinds, kappa = 1 - sum(1 - p_o) / sum(1 - p_e). One table of all would take what
differs between kinds for agreement.

Ratings on a scale of numbers also have a weighted kappa: a disagreement counts by the square of its distance,
kappa = 1 - sum(w * observed) / sum(w * expected) (Cohen 1968).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from daemon.figures.intervals import Interval
from daemon.figures.resampling import DRAWS, Floats
from lab.measure.resampling import interval_of

SEED = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How far two raters agree.

    Attributes:
        items: on how many items both said something.
        left_out: on how many at least one did not.
        labels: all labels that either used on these items, sorted; of ratings the whole scale.
        table: counts, the first rater down and the second across, in the order of `labels`.
        observed: p_o; NaN without items.
        expected: p_e; NaN without items.
        kappa: with its 95 % interval; NaN where it is not defined.
        weighted: the same by squared distance, of ratings alone.
    """

    items: int
    left_out: int
    labels: tuple[str, ...]
    table: tuple[tuple[int, ...], ...]
    observed: float
    expected: float
    kappa: Interval
    weighted: Interval | None = None

    @property
    def shares(self) -> tuple[Mapping[str, float], Mapping[str, float]]:
        """The share of each label, of the first rater and of the second."""
        counts = np.array(self.table, np.float64).reshape(len(self.labels), len(self.labels)) / max(1, self.items)
        first, second = counts.sum(axis=1).tolist(), counts.sum(axis=0).tolist()
        return dict(zip(self.labels, first, strict=True)), dict(zip(self.labels, second, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class PairwiseAgreement:
    """Several raters: each pair as "NAME and NAME", and the mean kappa over the pairs for which it is defined."""

    pairs: Mapping[str, Agreement]
    kappa: Interval


def agreement(
    first: Sequence[str | None],
    second: Sequence[str | None],
    groups: Sequence[str] | None = None,
    scale: Sequence[str] = (),
) -> Agreement:
    """Return how far two raters agree.

    Args:
        first: a label for each item, or None where it was left out.
        second: the same items by the other rater.
        groups: the trajectory of each item; by default each item is its own.
        scale: the numbers of which labels are, if they are ratings.
    """
    found = agreement_of_all({"first": first, "second": second}, groups, scale)
    return next(iter(found.pairs.values()))


def agreement_of_all(
    raters: Mapping[str, Sequence[str | None]],
    groups: Sequence[str] | None = None,
    scale: Sequence[str] = (),
    kinds: Sequence[str] = (),
) -> PairwiseAgreement:
    """Return how far each pair of raters agrees, and the mean over pairs; intervals draw the same trajectories.

    Args:
        raters: by name, a label for each item, or None where it was left out.
        groups: the trajectory of each item; by default each item is its own.
        scale: the numbers of which labels are, if they are ratings.
        kinds: the kind of each item, with a chance of its own; by default all are of one.

    Raises:
        ValueError: there are fewer than two raters, their items differ in number, or a rating is not on the scale.
    """
    if len(raters) < 2:  # noqa: PLR2004  # a pair
        raise ValueError("agreement needs two raters")
    count = len(next(iter(raters.values())))
    of_item = [str(number) for number in range(count)] if groups is None else list(groups)
    of_kind = list(kinds) or [""] * count
    if any(len(rater) != count for rater in (*raters.values(), of_item, of_kind)):
        raise ValueError("raters have different items")
    if scale and any(
        label not in scale for labels_of_rater in raters.values() for label in labels_of_rater if label is not None
    ):
        raise ValueError("a rating is not on the scale")
    names, numbers = np.unique(np.array(of_item, dtype=object).astype(str), return_inverse=True)
    drawn = None
    if len(names) > 1:
        chosen = np.random.default_rng(SEED).integers(0, len(names), (DRAWS, len(names)))
        drawn = np.zeros((DRAWS, len(names)))
        np.add.at(drawn, (np.arange(DRAWS)[:, None], chosen), 1.0)
    pairs, values, draws = {}, [], [np.full(DRAWS, np.nan)]
    for (one, a), (other, b) in combinations(raters.items(), 2):
        found, of_draws = _pair((a, b), numbers.tolist(), len(names), drawn, scale, kinds=of_kind)
        pairs[f"{one} and {other}"] = found
        values.append(found.kappa.value)
        if len(of_draws):
            draws.append(of_draws)
    return PairwiseAgreement(
        pairs=pairs, kappa=interval_of(_mean(np.array(values)[:, None])[0], _mean(np.array(draws)))
    )


def _pair(
    raters: tuple[Sequence[str | None], Sequence[str | None]],
    groups: Sequence[int],
    count: int,
    drawn: Floats | None,
    scale: Sequence[str],
    *,
    kinds: Sequence[str],
) -> tuple[Agreement, Floats]:
    """Return the agreement of a pair, and its kappa in each draw."""
    all_items = zip(*raters, groups, kinds, strict=True)
    both = [(a, b, group, kind) for a, b, group, kind in all_items if a is not None and b is not None]
    labels = tuple(scale) or tuple(sorted({label for a, b, *_ in both for label in (a, b)}))
    place = {label: number for number, label in enumerate(labels)}
    of_kind = {kind: number for number, kind in enumerate(sorted(set(kinds)) or [""])}
    tables = np.zeros((count, len(of_kind), len(labels), len(labels)))
    for a, b, group, kind in both:
        tables[group, of_kind[kind], place[a], place[b]] += 1
    observed, expected, kappa = _kappa(tables.sum(axis=0)[None])
    whole = tables.sum(axis=(0, 1))
    of_draws, weighted_draws = np.empty(0), np.empty(0)
    if drawn is not None and both:
        each = (drawn @ tables.reshape(count, -1)).reshape(-1, len(of_kind), len(labels), len(labels))
        of_draws = _kappa(each)[2]
        weighted_draws = _weighted(each.sum(axis=1), scale) if scale else weighted_draws
    return (
        Agreement(
            items=len(both),
            left_out=len(raters[0]) - len(both),
            labels=labels,
            table=tuple(tuple(row) for row in whole.astype(int).tolist()),
            observed=float(observed[0]),
            expected=float(expected[0]),
            kappa=interval_of(float(kappa[0]), of_draws),
            weighted=interval_of(float(_weighted(whole[None], scale)[0]), weighted_draws) if scale else None,
        ),
        of_draws,
    )


def _kappa(tables: Floats) -> tuple[Floats, Floats, Floats]:
    """Return p_o, p_e and kappa of tables of counts, shape (n, kinds, labels, labels); NaN where there is none."""
    totals = tables.sum(axis=(2, 3))
    items = totals.sum(axis=1)
    shares = tables / np.maximum(1.0, totals)[:, :, None, None]
    weights = totals / np.maximum(1.0, items)[:, None]
    observed = (weights * np.trace(shares, axis1=2, axis2=3)).sum(axis=1)
    expected = (weights * (shares.sum(axis=3) * shares.sum(axis=2)).sum(axis=2)).sum(axis=1)
    observed, expected = np.where(items == 0, np.nan, observed), np.where(items == 0, np.nan, expected)
    certain = np.stack([_single_label(tables[:, kind]) for kind in range(tables.shape[1])]).all(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        kappa = np.where(certain, np.nan, (observed - expected) / (1.0 - expected))
    return observed, np.where(certain & (items > 0), 1.0, expected), kappa


def _weighted(tables: Floats, scale: Sequence[str]) -> Floats:
    """Return kappa by squared distance of tables of counts, shape (n, labels, labels); NaN where there is none."""
    values = np.array([float(level) for level in scale])
    weights = (values[:, None] - values[None, :]) ** 2
    totals = tables.sum(axis=(1, 2))
    shares = tables / np.where(totals == 0, np.nan, totals)[:, None, None]
    expected = shares.sum(axis=2)[:, :, None] * shares.sum(axis=1)[:, None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        kappa = 1.0 - (weights * shares).sum(axis=(1, 2)) / (weights * expected).sum(axis=(1, 2))
    found: Floats = np.where(_single_label(tables), np.nan, kappa)
    return found


def _single_label(tables: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return where both raters only ever gave one and the same label: there p_e is 1, exactly."""
    diagonal = np.diagonal(tables, axis1=1, axis2=2)
    found: np.ndarray[tuple[int, ...], np.dtype[np.bool_]] = ((tables > 0).sum(axis=(1, 2)) <= 1) & (
        diagonal.sum(axis=1) == tables.sum(axis=(1, 2))
    )
    return found


def _mean(values: Floats) -> Floats:
    """Return the mean over the first axis of what is a number; NaN where nothing is."""
    known = ~np.isnan(values)
    sums = np.where(known, values, 0.0).sum(axis=0)
    found: Floats = np.where(known.any(axis=0), sums / np.maximum(1, known.sum(axis=0)), np.nan)
    return found
