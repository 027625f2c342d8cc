"""Counts offers on recordings of people whom nobody scripted, and how well marked trouble is found.

Each recording runs twice, under a neutral program's name and under a browser's: what somebody does must count, not what
the program is called. Nobody was offered anything in these recordings, and nobody said whether they needed help; hours
of them show how often Kairos would have spoken. Trouble is marked in one form alone, by rules on events.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from daemon.text import print_progress
from lab.benchmarks.people.figures import (
    AFTER_S,
    LEAST_HOURS,
    MAX_FPR,
    OfferRate,
    TroubleFigures,
    offer_rate,
    trouble_figures,
)
from lab.benchmarks.people.replay import Job, Watched, watch_all
from lab.measure.benchmark import Report
from lab.measure.criteria import AcceptanceCriterion, at_least, at_most
from lab.people.layouts import (
    APPS,
    TROUBLE_TASK,
    UNANSWERED,
    Layout,
    Moment,
    Source,
    limited,
    moments_in,
    sources_in,
)

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
        jobs = [Job(source=one, app=app, detector=detector, unanswered=unanswered) for one in sources]
        watched = list(_with_progress(watch_all(jobs, workers=workers), len(jobs), app))
        rows += rows_of(sources, watched, moments, app)
    return PeopleResult(
        detector=detector, unanswered=unanswered, limit=limit, rows=tuple(rows), bars=bars_of(rows, unanswered)
    )


def rows_of(
    sources: Sequence[Source], watched: Sequence[Watched], moments: Mapping[str, Sequence[Moment]], app: str
) -> Iterator[Row]:
    """Yield one row for each data set, and one for the form whose trouble is marked."""
    for layout in Layout:
        of_it = [one for source, one in zip(sources, watched, strict=True) if source.layout is layout]
        if of_it:
            yield Row(data=layout.value, app=app, rate=offer_rate(of_it))
    form = [one for one in watched if one.task == TROUBLE_TASK]
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
