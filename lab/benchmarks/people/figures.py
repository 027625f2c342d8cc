"""Figures of what the detector and the policy did on people's recordings: offers an hour, need, and marked trouble.

A rate's upper bound is the larger one of two: that of a Poisson count, and the upper end of drawing people anew, since
offers come in bunches by person. Trouble is marked at moments of one form; a prefix that ends up to `AFTER_S` later is
in trouble, those up to `AFTER_S` before it and after that are left out, all others are calm. The marks are rules on the
same clicks and keys that features are computed from, so figures on them are optimistic.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from daemon.figures import resampling
from daemon.figures.intervals import Interval, poisson_upper
from daemon.figures.resampling import Bools, Floats, Ints
from lab.benchmarks.people.replay import Watched
from lab.measure import metrics
from lab.people.layouts import Moment, marked_times
from storage.clock import NS_PER_S

AFTER_S = 10.0
MAX_FPR = 0.01
LEAST_HOURS = 1.0
"""Of people recorded for less, a rate of their own says little: one offer in half an hour would be two an hour."""

QUANTILES = (0.5, 0.9, 0.99)
_SEED = 20261122
_TAIL = 0.025
_ON_SCREEN_NS = 2 * NS_PER_S


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferRate:
    """Offers an hour in some recordings.

    Attributes:
        upper: bound of the rate, 97.5 %, by person.
        most: the highest rate of one person with at least `LEAST_HOURS`; NaN where there is none.
        topics: how many offers were about what.
        need: quantiles of help need over prefixes with an opinion, as in `QUANTILES`.
        abstained: share of prefixes without one.
    """

    recordings: int
    people: int
    hours: float
    offers: int
    an_hour: float
    upper: float
    most: float
    topics: Mapping[str, int]
    prefixes: int
    need: tuple[float, ...]
    abstained: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TroubleFigures:
    """How well marked trouble is found; intervals by drawing demos anew.

    Attributes:
        moments: marked ones; `demos` in which any were, of `all_demos`.
        prefixes: those in trouble; `calm` those that are not.
        recall: share of prefixes in trouble above the threshold that leaves `MAX_FPR` of the calm ones above it, which
            is chosen on the same prefixes.
        by_demo: AUC of the highest need of each demo.
        offered: demos with trouble in which help was offered.
    """

    moments: int
    demos: int
    all_demos: int
    prefixes: int
    calm: int
    auc: Interval
    recall: Interval
    by_demo: float
    offered: int


def offer_rate(watched: Sequence[Watched]) -> OfferRate:
    """Return the rate of offers in some recordings."""
    names = sorted({one.person for one in watched})
    number = {name: at for at, name in enumerate(names)}
    offers, seconds = np.zeros(len(names)), np.zeros(len(names))
    topics: dict[str, int] = {}
    for one in watched:
        offers[number[one.person]] += len(one.offers)
        seconds[number[one.person]] += one.seconds
        for _, topic in one.offers:
            topics[topic] = topics.get(topic, 0) + 1
    hours = seconds / 3600
    known = np.array([p.help_need for one in watched for p in one.prefixes if not p.abstained])
    count = sum(len(one.prefixes) for one in watched)
    long = hours >= LEAST_HOURS
    total, whole = int(offers.sum()), float(hours.sum())
    return OfferRate(
        recordings=len(watched),
        people=len(names),
        hours=whole,
        offers=total,
        an_hour=total / whole if whole else math.nan,
        upper=_upper(offers, hours),
        most=float((offers[long] / hours[long]).max()) if long.any() else math.nan,
        topics=topics,
        prefixes=count,
        need=tuple(float(value) for value in np.quantile(known, QUANTILES)) if len(known) else (math.nan,) * 3,
        abstained=1.0 - len(known) / count if count else math.nan,
    )


def trouble_figures(watched: Sequence[Watched], moments: Mapping[str, Sequence[Moment]]) -> TroubleFigures:
    """Return how well the marked moments are found in recordings of the form."""
    rows = [
        (one, number, demo) for number, (one, demo) in enumerate((one, demo) for one in watched for demo in one.demos)
    ]
    truth, need, of = trouble_prefixes(watched, moments)
    troubled = [(one, demo) for one, _, demo in rows if moments.get(demo.file)]
    highest = [
        (bool(moments.get(demo.file)), max(inside))
        for one, _, demo in rows
        if (inside := [p.help_need for p in one.prefixes if demo.start_ns <= p.end_ns <= demo.end_ns])
    ]
    return TroubleFigures(
        moments=sum(len(moments[demo.file]) for _, demo in troubled),
        demos=len(troubled),
        all_demos=len(rows),
        prefixes=int(truth.sum()),
        calm=int((~truth).sum()),
        auc=_interval(of, lambda drawn: metrics.auc(truth[drawn], need[drawn])),
        recall=_interval(of, lambda drawn: recall_of(truth[drawn], need[drawn])),
        by_demo=metrics.auc(np.array([found for found, _ in highest], bool), np.array([n for _, n in highest])),
        offered=sum(
            any(demo.start_ns <= at_ns <= demo.end_ns + _ON_SCREEN_NS for at_ns, _ in one.offers)
            for one, demo in troubled
        ),
    )


def trouble_prefixes(watched: Sequence[Watched], moments: Mapping[str, Sequence[Moment]]) -> tuple[Bools, Floats, Ints]:
    """Return for prefixes of the form whether they are in trouble, their need, and the number of their demo."""
    found: list[tuple[bool, float, int]] = []
    number = 0
    after_ns = round(AFTER_S * NS_PER_S)
    for one in watched:
        marked = marked_times(one.demos, moments)
        for demo in one.demos:
            number += 1
            for prefix in one.prefixes:
                if demo.start_ns <= prefix.end_ns <= demo.end_ns:
                    ages = [prefix.end_ns - moment_ns for moment_ns in marked]
                    if any(0 <= age <= after_ns for age in ages):
                        found.append((True, prefix.help_need, number))
                    elif not any(-after_ns < age <= 2 * after_ns for age in ages):
                        found.append((False, prefix.help_need, number))
    return (
        np.array([truth for truth, _, _ in found], bool),
        np.array([need for _, need, _ in found], np.float64),
        np.array([of for _, _, of in found], np.int64),
    )


def recall_of(truth: Bools, need: Floats) -> float:
    """Return the share of trouble above the threshold that leaves `MAX_FPR` of the calm prefixes above it."""
    return metrics.rates_at(truth, need, metrics.threshold_at(truth, need, MAX_FPR))[0] if truth.any() else math.nan


def _upper(offers: Floats, hours: Floats) -> float:
    whole = float(hours.sum())
    if not whole:
        return math.nan
    by_person = _interval(
        np.arange(len(hours)), lambda drawn: float(offers[drawn].sum() / max(hours[drawn].sum(), 1e-9))
    )
    return max(by_person.high, poisson_upper(int(offers.sum()), _TAIL) / whole)


def _interval(groups: Ints, figure: Callable[[Ints], float]) -> Interval:
    if not len(groups):
        return Interval(value=math.nan, low=math.nan, high=math.nan)
    return resampling.bootstrap(groups, figure, rng=np.random.default_rng(_SEED))
