"""`kairos bench proactivebench`: is help needed now, judged from event sentences, against what people said.

How a moment is scored while its trace is left out is `evaluation.benchmarks.proactivebench.protocol`; here are the rows
beside it, the intervals and the bars. Words are only seen here: the detector that runs on a desktop gets none.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from evaluation.benchmarks.proactivebench import speaking
from evaluation.benchmarks.proactivebench.protocol import CANDIDATES, KNOWN_BEFORE, SCORED, Round, leave_one_trace_out
from evaluation.benchmarks.proactivebench.speaking import Speaking
from evaluation.benchmarks.proactivebench.study import ProactiveBench, read
from evaluation.measure import metrics
from evaluation.measure.criteria import AcceptanceCriterion, at_least, at_most, print_bars, with_interval
from evaluation.measure.machine import machine
from evaluation.measure.metrics import Bools, Floats, Interval, Ints

AUC_AT_LEAST = 0.68
SPEAK_AT_MOST = 0.35
_SEED = 20261121
_OURS = "words and cues, chosen in the folds"
_LUCK = (
    "the last variant was written down after the figures of those before it were seen, so its own is somewhat too good"
)
_TEXT = "text features serve this benchmark alone: the detector that watches a desktop gets no text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of a table; `auc` only where something ranks."""

    who: str
    figures: Speaking
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
class Result:
    """All that is printed."""

    moments: list[Row]
    events: list[Row]
    as_published: list[Row]
    differences: list[Difference]
    warnings: list[str]
    rounds: list[Round]
    bars: list[AcceptanceCriterion]


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos bench proactivebench`."""
    bench = read(arguments.path)
    result = measure(bench)
    if arguments.json:
        variants = {"variants_scored": len(SCORED), "variants": SCORED, "known_before": KNOWN_BEFORE}
        print(json.dumps({**asdict(result), **variants, "machine": machine()}))
    else:
        _print(result)
    return 0 if all(bar.ok for bar in result.bars) else 1


def measure(bench: ProactiveBench) -> Result:
    """Score every moment while its trace is left out, and hold the result against the bars."""
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
    shipped = [_row(name, at, said, of) for name, said in bench.shipped.items()]
    as_published = [_row(name, at, said, of) for name, said in bench.as_published.items()]
    differences = [
        _difference(at, ours, of, bench.shipped, "the written word null is silence"),
        _difference(at, ours, of, bench.as_published, "as in the published evaluation: whatever is not empty speaks"),
    ]
    auc, level = moments[-1].auc, differences[0].balanced_accuracy
    return Result(
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


def verdict(difference: Interval) -> str:
    """Say what an interval of a difference allows to say."""
    return "better" if difference.low > 0 else "worse" if difference.high < 0 else "level"


def _difference(need: Bools, ours: Bools, traces: Ints, shipped: dict[str, Bools], reading: str) -> Difference:
    best = max(shipped, key=lambda name: speaking.judge(need, shipped[name]).balanced_accuracy)

    def figure(rows: Ints) -> float:
        a, b = (speaking.judge(need[rows], said[rows]).balanced_accuracy for said in (ours, shipped[best]))
        return a - b

    interval = _interval(traces, figure)
    return Difference(model=best, reading=reading, balanced_accuracy=interval, verdict=verdict(interval))


def _row(who: str, need: Bools, spoke: Bools, traces: Ints, scores: Floats | None = None) -> Row:
    def of(name: str) -> Interval:
        return _interval(traces, lambda rows: float(getattr(speaking.judge(need[rows], spoke[rows]), name)))

    return Row(
        who=who,
        figures=speaking.judge(need, spoke),
        f1=of("f1"),
        accuracy=of("accuracy"),
        balanced_accuracy=of("balanced_accuracy"),
        auc=None if scores is None else _interval(traces, lambda rows: metrics.auc(need[rows], scores[rows])),
    )


def _interval(traces: Ints, figure: Callable[[Ints], float]) -> Interval:
    return metrics.bootstrap(traces, figure, rng=np.random.default_rng(_SEED))


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


def _print(result: Result) -> None:
    print("help needed at this moment, one trace left out at a time (in brackets: 95 % from resampling traces)")
    _table(result.moments)
    print("\nspeak or be silent, next to the shipped outputs; the written word null is silence")
    _table(result.events)
    print("\nthe shipped outputs as the published evaluation counts them: whatever is not empty is an offer")
    _table(result.as_published)
    print()
    for one in result.differences:
        value = with_interval(one.balanced_accuracy)
        print(f"balanced accuracy less {one.model}'s, the best ({one.reading}): {value}, so {one.verdict}")
    chosen_from = f"each chose in its folds, now among {len(CANDIDATES)} candidates"
    print(f"\nvariants ever scored on these labels: {len(SCORED)} ({chosen_from})")
    for variant in SCORED:
        print(f"  {variant}")
    for warning in (KNOWN_BEFORE, *result.warnings):
        print(f"note: {warning}")
    print()
    print_bars(result.bars)


def _table(rows: Sequence[Row]) -> None:
    wide = max(len(row.who) for row in rows)
    print(f"  {'':<{wide}} speaks  prec.   rec.  F1               accuracy         balanced acc.    AUC")
    for row in rows:
        figures = row.figures
        shares = "".join(f"{value:7.3f}" for value in (figures.speaks, figures.precision, figures.recall))
        intervals = "  ".join(with_interval(one) for one in (row.f1, row.accuracy, row.balanced_accuracy))
        print(f"  {row.who:<{wide}}{shares}  {intervals}  {with_interval(row.auc) if row.auc else ''}".rstrip())
