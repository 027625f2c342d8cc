"""Counts offers on recordings of people whom nobody scripted, and how well marked trouble is found.

Each recording runs twice through the policy `utility` without quiet minutes, under a neutral program's name and under a
browser's: what somebody does must count, not what the program is called. Nobody was offered anything in these
recordings, and nobody said whether they needed help; hours of them show how often Kairos would have spoken.

A rate's upper bound is the larger one of two: that of a Poisson count, and the upper end of drawing people anew, since
offers come in bunches by person. Trouble is marked at moments of one form, by rules on the same clicks and keys that
features are computed from, so figures on it are optimistic. A prefix that ends up to `AFTER_S` later is in trouble,
those up to `AFTER_S` before it and after that are left out, all others are calm.
"""

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from daemon.engine.engine import Engine
from daemon.engine.session_start import first_row
from daemon.figures.intervals import Interval, poisson_upper
from daemon.figures.resampling import Bools, Floats, Ints
from detectors import registry as detector_registry
from lab.measure import metrics, resampling
from lab.measure.benchmark import AcceptanceCriterion, Report, at_least, at_most
from lab.people.desk import Demo, Recording
from lab.people.layouts import (
    APPS,
    TROUBLE_TASK,
    UNANSWERED,
    Layout,
    Source,
    TroubleMoment,
    limited,
    marked_times,
    moments_in,
    sources_in,
)
from policies import registry as policy_registry
from storage.clock import NS_PER_S
from storage.plain_text import print_progress
from storage.records import Estimate, Offer, Prefix, SessionEnd
from storage.settings import PolicySettings, Settings

POLICY = "utility"
_NICE = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingJob:
    """One recording to run: under which program's name, and by which detector."""

    source: Source
    app: str
    detector: str
    unanswered: float = 0.0
    features: tuple[str, ...] = ()
    """Features of each prefix to return."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedPrefix:
    """One prefix: when it ended, the need estimated, whether the detector abstained, and the features asked for."""

    end_ns: int
    fraction: float
    help_need: float
    abstained: bool
    features: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """What came of one recording; `offers` are times and topics."""

    name: str
    person: str
    task: str
    seconds: float
    offers: tuple[tuple[int, str], ...]
    prefixes: tuple[JudgedPrefix, ...]
    demos: tuple[Demo, ...]


def watch_all(jobs: Sequence[RecordingJob], *, workers: int | None = None) -> Iterator[Watched]:
    """Yield the results in order; several processes at low priority where there are many."""
    count = min(workers or os.cpu_count() or 1, len(jobs))
    if count <= 1:
        yield from map(watch, jobs)
        return
    with ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=os.nice, initargs=(_NICE,)) as pool:
        yield from pool.map(watch, jobs, chunksize=max(1, min(8, len(jobs) // (8 * count))))


def watch(job: RecordingJob) -> Watched:
    """Read one recording and run it.

    Raises:
        BadFile: it cannot be read.
    """
    return run(job.source.read(job.app, job.unanswered), job.detector, job.features)


def run(recording: Recording, detector_name: str, features: tuple[str, ...] = ()) -> Watched:
    """Run a recording through the engine; nobody answers the offers."""
    defaults = Settings()
    settings = replace(
        defaults,
        detector=replace(defaults.detector, name=detector_name),
        policy=PolicySettings(name=POLICY, quiet_start_s=0.0),
    )
    detector = detector_registry.load(settings.detector)
    policy = policy_registry.load(settings.policy, settings.detector.base_rate)
    start = first_row(
        settings=settings,
        detector=detector,
        policy=policy,
        session_id=recording.name,
        wall_ns=0,
        recording=False,
        imported_from="people",
    )
    engine = Engine(detector=detector, policy=policy, settings=settings)
    offers: list[tuple[int, str]] = []
    judged: list[JudgedPrefix] = []
    prefix: Prefix | None = None
    for at_ns, record in ((0, start), *recording.sources, (recording.end_ns, SessionEnd(reason="imported"))):
        for step in engine.take_with_ticks(record, at_ns):
            for row in step:
                if isinstance(row, Prefix):
                    prefix = row
                elif isinstance(row, Offer):
                    offers.append((row.shown_at_ns, row.topic))
                elif isinstance(row, Estimate) and prefix is not None:
                    judged.append(_judged(prefix, row, features))
                    prefix = None
    return Watched(
        name=recording.name,
        person=recording.person,
        task=recording.task,
        seconds=recording.end_ns / NS_PER_S,
        offers=tuple(offers),
        prefixes=tuple(judged),
        demos=recording.demos,
    )


def _judged(prefix: Prefix, estimate: Estimate, features: tuple[str, ...]) -> JudgedPrefix:
    return JudgedPrefix(
        end_ns=prefix.end_ns,
        fraction=prefix.fraction,
        help_need=estimate.help_need,
        abstained=estimate.abstained,
        features=tuple(prefix.features.get(name, 0.0) for name in features),
    )


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
    names = sorted({person.person for person in watched})
    number = {name: at for at, name in enumerate(names)}
    offers, seconds = np.zeros(len(names)), np.zeros(len(names))
    topics: dict[str, int] = {}
    for person in watched:
        offers[number[person.person]] += len(person.offers)
        seconds[number[person.person]] += person.seconds
        for _, topic in person.offers:
            topics[topic] = topics.get(topic, 0) + 1
    hours = seconds / 3600
    known = np.array([p.help_need for person in watched for p in person.prefixes if not p.abstained])
    count = sum(len(person.prefixes) for person in watched)
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


def trouble_figures(watched: Sequence[Watched], moments: Mapping[str, Sequence[TroubleMoment]]) -> TroubleFigures:
    """Return how well the marked moments are found in recordings of the form."""
    rows = [
        (one, number, demo)
        for number, (one, demo) in enumerate((person, demo) for person in watched for demo in person.demos)
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


def trouble_prefixes(
    watched: Sequence[Watched], moments: Mapping[str, Sequence[TroubleMoment]]
) -> tuple[Bools, Floats, Ints]:
    """Return for prefixes of the form whether they are in trouble, their need, and the number of their demo."""
    found: list[tuple[bool, float, int]] = []
    number = 0
    after_ns = round(AFTER_S * NS_PER_S)
    for person in watched:
        marked = marked_times(person.demos, moments)
        for demo in person.demos:
            number += 1
            for prefix in person.prefixes:
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


ESSAYS_AT_MOST, BALABIT_AT_MOST, MINIWOB_AT_MOST, PERSON_AT_MOST = 0.3, 0.1, 0.3, 1.0
AUC_AT_LEAST, RECALL_AT_LEAST = 0.80, 0.30
_LIMITS = {
    Layout.BALABIT: BALABIT_AT_MOST,
    Layout.ESSAYS: ESSAYS_AT_MOST,
    Layout.MINIWOB: MINIWOB_AT_MOST,
}
_FORM = "flight form"
_TENTHS = 10
_HEAD = (
    f"  {'data':<11} {'as':<8} {'hours':>6} {'people':>6} {'offers':>6} {'an hour':>8} {'bound':>6} {'most':>6}"
    f"   {'need at 50 / 90 / 99 %':<21} abstained"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One data set (or the form alone) under one program's name."""

    data: str
    app: str
    rate: OfferRate
    trouble: TroubleFigures | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleResult:
    """All figures of a run."""

    detector: str
    unanswered: float
    limit: int | None
    rows: tuple[Row, ...]
    bars: Sequence[AcceptanceCriterion]


def measure(folder: Path, *, detector: str, unanswered: float, limit: int | None, workers: int | None) -> Report:
    """Run the recordings in a folder and compare with the bars."""
    result = score(folder, detector=detector, unanswered=unanswered, limit=limit, workers=workers)
    return Report(criteria=result.bars, fields={**asdict(result), "simulated": False}, text=render(result))


def score(
    folder: Path, *, detector: str, unanswered: float = UNANSWERED, limit: int | None = None, workers: int | None = None
) -> PeopleResult:
    """Run every recording under each name; with `limit` so many of each data set alone, spread evenly.

    Raises:
        BadFile: there are none, or one cannot be read.
    """
    sources, moments = limited(sources_in(folder), limit), moments_in(folder)
    rows: list[Row] = []
    for app in APPS:
        jobs = [RecordingJob(source=source, app=app, detector=detector, unanswered=unanswered) for source in sources]
        watched = list(_with_progress(watch_all(jobs, workers=workers), len(jobs), app))
        rows += rows_of(sources, watched, moments, app)
    return PeopleResult(
        detector=detector, unanswered=unanswered, limit=limit, rows=tuple(rows), bars=bars_of(rows, unanswered)
    )


def rows_of(
    sources: Sequence[Source], watched: Sequence[Watched], moments: Mapping[str, Sequence[TroubleMoment]], app: str
) -> Iterator[Row]:
    """Yield one row for each data set, and one for the form whose trouble is marked."""
    for layout in Layout:
        of_it = [one for source, one in zip(sources, watched, strict=True) if source.layout is layout]
        if of_it:
            yield Row(data=layout.value, app=app, rate=offer_rate(of_it))
    form = [person for person in watched if person.task == TROUBLE_TASK]
    if form and moments:
        yield Row(data=_FORM, app=app, rate=offer_rate(form), trouble=trouble_figures(form, moments))


def bars_of(rows: Iterable[Row], unanswered: float) -> list[AcceptanceCriterion]:
    """Return the acceptance criteria of rows; that of Balabit holds for `UNANSWERED` alone."""
    found: list[AcceptanceCriterion] = []
    for row in rows:
        if row.trouble is not None:
            at = f"share of trouble at {MAX_FPR:.0%} false positives"
            found += [
                at_least(f"trouble_auc_{row.app}", row.trouble.auc.value, AUC_AT_LEAST, "AUC"),
                at_least(f"trouble_recall_{row.app}", row.trouble.recall.value, RECALL_AT_LEAST, at),
            ]
            continue
        layout = Layout(row.data)
        if layout is not Layout.BALABIT or unanswered == UNANSWERED:
            found.append(at_most(f"{row.data}_{row.app}", row.rate.an_hour, _LIMITS[layout], "offers an hour"))
        if layout is not Layout.MINIWOB and math.isfinite(row.rate.most):
            found.append(at_most(f"{row.data}_person_{row.app}", row.rate.most, PERSON_AT_MOST, "offers an hour"))
    return found


def render(result: PeopleResult) -> list[str]:
    """Return the figures as lines of text."""
    some = "" if result.limit is None else f", {result.limit} recordings of each data set at most"
    lines = [
        f"Recordings of people, detector {result.detector}, policy utility without quiet minutes{some}.",
        f"Balabit holds no screen: answers are invented, {result.unanswered:.0%} of presses have none.",
        "Nobody said whether help was needed, but for the marks of the flight form, which are rules on events.",
        "",
        _HEAD,
    ]
    for row in result.rows:
        rate = row.rate
        need = " / ".join(f"{value:.3f}" for value in rate.need)
        lines.append(
            f"  {row.data:<11} {row.app:<8} {rate.hours:>6.1f} {rate.people:>6} {rate.offers:>6} {rate.an_hour:>8.2f} "
            f"{rate.upper:>6.2f} {_or_dash(rate.most):>6}   {need:<21} {rate.abstained:.3f}"
        )
        if rate.topics:
            lines.append("    about " + ", ".join(f"{topic} {count}" for topic, count in sorted(rate.topics.items())))
    lines += [
        "",
        f"bound: 97.5 %, by person or of the count, whichever is larger; most: one person of {LEAST_HOURS:g} h or more",
    ]
    for row in result.rows:
        if (one := row.trouble) is not None:
            lines += [
                "",
                f"trouble in the {row.data}, as {row.app}: {one.moments} moments in {one.demos} of {one.all_demos}",
                f"  {one.prefixes} prefixes up to {AFTER_S:g} s after a moment against {one.calm} calm ones",
                f"  AUC {one.auc}, recall at {MAX_FPR:.0%} false positives {one.recall}",
                f"  AUC of a demo's highest need {one.by_demo:.3f}; help offered in {one.offered} of them",
            ]
    return lines


def _or_dash(value: float) -> str:
    return f"{value:.2f}" if math.isfinite(value) else "-"


def _with_progress(watched: Iterable[Watched], number: int, app: str) -> Iterator[Watched]:
    for done, one in enumerate(watched, 1):
        if done * _TENTHS // number > (done - 1) * _TENTHS // number:
            print_progress(f"as {app}: {done} of {number} recordings")
        yield one
