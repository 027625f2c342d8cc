"""Predicts on ProactiveBench whether help is needed now, from event sentences, and compares with what people said.

`protocol` scores a moment while its trace is left out; here are the reference rows, the intervals and the criteria.
Words are used here alone: the detector that runs on a desktop gets none.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from daemon.figures import resampling
from daemon.figures.intervals import Interval
from daemon.figures.resampling import Bools, Floats, Ints
from lab.benchmarks.proactivebench.protocol import (
    CANDIDATES,
    KNOWN_BEFORE,
    SCORED,
    TraceRound,
    leave_one_trace_out,
)
from lab.benchmarks.proactivebench.study import ProactiveBench, read
from lab.measure import metrics
from lab.measure.benchmark import Report
from lab.measure.criteria import AcceptanceCriterion, at_least, at_most

AUC_AT_LEAST = 0.68
SPEAK_AT_MOST = 0.35
_SEED = 20261121
_OURS = "words and cues, chosen in the folds"
_LUCK = (
    "the last variant was written down after the figures of those before it were seen, so its own is somewhat too good"
)
_TEXT = "text features serve this benchmark alone: the detector that watches a desktop gets no text"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeakingFigures:
    """Figures of speaking at some moments; 0 where there is nothing to divide by.

    `balanced_accuracy` is the mean of recall and of the share of silence where none was needed; it is one half for
    always and for never speaking.
    """

    speaks: float
    precision: float
    recall: float
    f1: float
    accuracy: float
    balanced_accuracy: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """One line of a table; `auc` only where there are scores."""

    who: str
    figures: SpeakingFigures
    f1: Interval
    accuracy: Interval
    balanced_accuracy: Interval
    auc: Interval | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Balanced accuracy less that of the best shipped model, paired over the same traces; better only above zero."""

    model: str
    reading: str
    balanced_accuracy: Interval
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProactiveResult:
    """All figures of a run, as they are in the JSON object."""

    moments: list[TableRow]
    events: list[TableRow]
    as_published: list[TableRow]
    differences: list[Difference]
    warnings: list[str]
    rounds: list[TraceRound]
    bars: list[AcceptanceCriterion]


def measure(folder: Path) -> Report:
    """Score the data set in a folder."""
    return report_of(score(read(folder)))


def report_of(result: ProactiveResult) -> Report:
    """Return the report of a result."""
    variants = {"variants_scored": len(SCORED), "variants": SCORED, "known_before": KNOWN_BEFORE}
    fields = {**asdict(result), **variants}
    return Report(criteria=result.bars, rounds=fields["rounds"], fields=fields, text=_lines(result))


def score(bench: ProactiveBench) -> ProactiveResult:
    """Score every moment while its trace is left out, and compare the result with its limits."""
    scores, spoke, rounds = leave_one_trace_out(bench)
    need, traces = bench.need, bench.traces
    always, never = np.ones(len(need), bool), np.zeros(len(need), bool)
    moments = [
        _row("always help", need, always, traces),
        _row("never help", need, never, traces),
        _row(_OURS, need, spoke, traces, scores),
    ]
    at, of = need[bench.events], traces[bench.events]
    ours = spoke[bench.events]
    trivial = [_row("always speak", at, always[bench.events], of), _row("never speak", at, never[bench.events], of)]
    shipped = [_row(name, at, speaks, of) for name, speaks in bench.shipped.items()]
    as_published = [_row(name, at, speaks, of) for name, speaks in bench.as_published.items()]
    differences = [
        _difference(at, ours, of, bench.shipped, "the written word null is silence"),
        _difference(at, ours, of, bench.as_published, "as in the published evaluation: whatever is not empty speaks"),
    ]
    auc, level = moments[-1].auc, differences[0].balanced_accuracy
    return ProactiveResult(
        moments=moments,
        events=[*trivial, *shipped, _row(_OURS, at, ours, of)],
        as_published=as_published,
        differences=differences,
        warnings=_warnings(bench),
        rounds=rounds,
        bars=[
            at_least("help_need_auc", auc.value if auc else 0.0, AUC_AT_LEAST, f"AUC over {len(need)} moments"),
            at_most("speaks_share", float(ours.mean()), SPEAK_AT_MOST, f"of {len(at)} events"),
            at_least("not_worse_than_best_shipped", level.high, 0.0, "upper end of the difference's interval"),
        ],
    )


def speaking_figures(need: Bools, spoke: Bools) -> SpeakingFigures:
    """Compare where something spoke with where help was needed."""
    hits = int((need & spoke).sum())
    silent = int((~need & ~spoke).sum())
    needed, spoken, moments = int(need.sum()), int(spoke.sum()), len(need)
    recall = hits / max(1, needed)
    return SpeakingFigures(
        speaks=spoken / max(1, moments),
        precision=hits / max(1, spoken),
        recall=recall,
        f1=2 * hits / max(1, needed + spoken),
        accuracy=(hits + silent) / max(1, moments),
        balanced_accuracy=(recall + silent / max(1, moments - needed)) / 2,
    )


def verdict(difference: Interval) -> str:
    """Return what an interval of a difference allows to conclude."""
    return "better" if difference.low > 0 else "worse" if difference.high < 0 else "level"


def _difference(need: Bools, ours: Bools, traces: Ints, shipped: dict[str, Bools], reading: str) -> Difference:
    best = max(shipped, key=lambda name: speaking_figures(need, shipped[name]).balanced_accuracy)

    def figure(rows: Ints) -> float:
        a, b = (speaking_figures(need[rows], spoke[rows]).balanced_accuracy for spoke in (ours, shipped[best]))
        return a - b

    interval = _interval(traces, figure)
    return Difference(model=best, reading=reading, balanced_accuracy=interval, verdict=verdict(interval))


def _row(who: str, need: Bools, spoke: Bools, traces: Ints, scores: Floats | None = None) -> TableRow:
    def of(name: str) -> Interval:
        return _interval(traces, lambda rows: float(getattr(speaking_figures(need[rows], spoke[rows]), name)))

    return TableRow(
        who=who,
        figures=speaking_figures(need, spoke),
        f1=of("f1"),
        accuracy=of("accuracy"),
        balanced_accuracy=of("balanced_accuracy"),
        auc=None if scores is None else _interval(traces, lambda rows: metrics.auc(need[rows], scores[rows])),
    )


def _interval(traces: Ints, figure: Callable[[Ints], float]) -> Interval:
    return resampling.bootstrap(traces, figure, rng=np.random.default_rng(_SEED))


def _warnings(bench: ProactiveBench) -> list[str]:
    used, dropped = len(bench.events), bench.events_dropped
    leak = (
        f"the official reward split leaks: {bench.leaked} of {bench.official_test} histories of its test part stand "
        "word for word in its training part, with the same label; it is not used here, and scores on it reward memory"
    )
    left_out = (
        f"{dropped} of {used + dropped} events are left out, because their sentence is not the same in every shipped "
        "output; earlier sentences of a history may differ there too"
    )
    unlike = (
        "the model here has seen labels from other traces, the shipped ones have not; the judge of the published agent "
        "scores is not at hand, so those cannot be reproduced"
    )
    return [leak, left_out, unlike, _LUCK, _TEXT]


def _lines(result: ProactiveResult) -> list[str]:
    differences = (
        f"balanced accuracy less {one.model}'s, the best ({one.reading}): {one.balanced_accuracy}, so {one.verdict}"
        for one in result.differences
    )
    chosen_from = f"each chose in its folds, now among {len(CANDIDATES)} candidates"
    return [
        "help needed at this moment, one trace left out at a time (in brackets: 95 % from resampling traces)",
        *_table(result.moments),
        "",
        "speak or be silent, next to the shipped outputs; the written word null is silence",
        *_table(result.events),
        "",
        "the shipped outputs as the published evaluation counts them: whatever is not empty is an offer",
        *_table(result.as_published),
        "",
        *differences,
        "",
        f"variants ever scored on these labels: {len(SCORED)} ({chosen_from})",
        *(f"  {variant}" for variant in SCORED),
        *(f"note: {warning}" for warning in (KNOWN_BEFORE, *result.warnings)),
    ]


def _table(rows: Sequence[TableRow]) -> list[str]:
    width = max(len(row.who) for row in rows)
    lines = [f"  {'':<{width}} speaks  prec.   rec.  F1               accuracy         balanced acc.    AUC"]
    for row in rows:
        shares = "".join(f"{value:7.3f}" for value in (row.figures.speaks, row.figures.precision, row.figures.recall))
        intervals = f"{row.f1}  {row.accuracy}  {row.balanced_accuracy}  {row.auc or ''}"
        lines.append(f"  {row.who:<{width}}{shares}  {intervals}".rstrip())
    return lines
