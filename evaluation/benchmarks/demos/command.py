"""`kairos bench demos`: the embedded detector on recordings of `kairos demo`, whose scripts it did not learn from.

No held-out test and no independent one: the scripts alone are others. The model knows the programs, its features'
author had seen such recordings, and simulated people were given trouble of the same kinds (`simulation.plain_trouble`,
`plain_debugging`) because of the first figures from here. Everything is simulated.
"""

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from detectors.embedded import MODEL, EmbeddedDetector
from evaluation.benchmarks.demos.figures import (
    WHOLE,
    Above,
    AtEnding,
    DemoFigures,
    Rates,
    figures_of,
    samples_of,
    time_alone,
)
from evaluation.benchmarks.demos.recordings import Demos, Moment, Skipped, counted, read_demos
from evaluation.benchmarks.detector.command import thresholds_of
from evaluation.measure.criteria import AcceptanceCriterion, at_least, print_bars, with_interval, without_nan
from evaluation.measure.machine import machine
from evaluation.training.detector_metrics import CUT, MAX_FPR, NEED_SHARE, PERCENTS, evidence_predictions, predict_with
from storage.errors import BadFile
from storage.settings import DetectorSettings

RECALL_WHOLE, RECALL_QUARTER = 0.80, 0.45
_AT = f"{MAX_FPR:.0%} false positives"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """All that is printed; `prefixes` are counted by what they ended in, of which calm and need alone have figures."""

    model: str
    recordings: int
    fluent: int
    skipped: tuple[Skipped, ...]
    prefixes: Mapping[Moment, int]
    time_alone_auc: float
    embedded: DemoFigures
    evidence: DemoFigures
    bars: Sequence[AcceptanceCriterion]


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos bench demos`."""
    demos = read_demos(arguments.folder)
    for one in demos.skipped:
        _say(f"skipped {one.name}: {one.why}")
    if demos.skipped:
        _say(f"skipped {len(demos.skipped)} of {len(demos.skipped) + len(demos.recordings)} demos")
    check(demos, arguments.folder)
    result = measure(demos, arguments.model or MODEL)
    if arguments.json:
        told = {**asdict(result), "rounds": [], "simulated": True, "machine": machine()}
        print(json.dumps(without_nan(told)))
    else:
        print("\n".join(report(result)), end="\n\n")
        print_bars(result.bars)
    return 0 if all(bar.ok for bar in result.bars) else 1


def check(demos: Demos, folder: Path) -> None:
    """Refuse demos from which nothing could be told.

    Raises:
        BadFile: none can be read, nobody got stuck, or everybody did: who is never stuck here does on purpose what
            looks like trouble, so false positives would be flattered.
    """
    if not demos.recordings:
        raise BadFile(f"none of the {len(demos.skipped)} demos in {folder} can be read", remedy="make them again")
    if all(not one.counts()[Moment.NEED] for one in demos.recordings):
        raise BadFile(
            f"nobody needed help in any demo in {folder}", remedy=f"make one: kairos demo --out {folder / 'stuck-1'}"
        )
    if all(one.kind is not None for one in demos.recordings):
        raise BadFile(
            f"in every demo in {folder} somebody gets stuck",
            remedy=f"make one: kairos demo --fluent-only --out {folder / 'fluent-1'}",
        )


def measure(demos: Demos, model: Path) -> Result:
    """Score a model and the evidence detector, and hold the model against the bars."""
    samples = samples_of(demos.recordings)
    detector = EmbeddedDetector(DetectorSettings(base_rate=NEED_SHARE), model)
    ours = figures_of(samples, predict_with(detector, samples), thresholds_of(model))
    at = {ending: one.chosen.recall for ending, one in ours.endings.items()}
    return Result(
        model=detector.version,
        recordings=len(demos.recordings),
        fluent=sum(one.kind is None for one in demos.recordings),
        skipped=demos.skipped,
        prefixes=counted(demos.recordings),
        time_alone_auc=time_alone(samples),
        embedded=ours,
        evidence=figures_of(samples, evidence_predictions(samples)),
        bars=[
            at_least("recall_100", at[WHOLE], RECALL_WHOLE, f"recall of need at {_AT}, whole window"),
            at_least("recall_25", at[PERCENTS[0]], RECALL_QUARTER, f"recall of need at {_AT}, a quarter"),
        ],
    )


def report(result: Result) -> list[str]:
    """Return the lines that a person reads, without the bars."""
    count = result.prefixes
    people = f"{result.recordings} recordings, in {result.fluent} of them nobody got stuck"
    left_out = f"{count[Moment.BEFORE]} between being stuck and the onset of need, {count[Moment.AFTER]} after its end"
    return [
        "Nobody worked here: scripted people did, in recordings of kairos demo. Their scripts are not those that the",
        "model learned from, but this is no held-out test: it knows the programs (Mousepad, Calc), who wrote its",
        "features had seen such recordings, and because of these figures simulated people were given trouble of the",
        "same kinds.",
        "",
        f"{people}; model {result.model}, which abstained on {result.embedded.abstained:.1%}.",
        f"{count[Moment.CALM]} calm prefixes, {count[Moment.NEED]} in need.",
        f"Left out: {left_out}, {count[Moment.OUTSIDE]} outside of the script.",
        f"Thresholds for {_AT} are chosen on these very recordings, in the detector's favour.",
        f"Need comes late in a demo: a clock alone reaches an AUC of {_three(result.time_alone_auc)} at whole windows.",
        "",
        *_endings("embedded detector", result.embedded),
        "",
        *_endings("evidence detector: ITS RULES WERE WRITTEN LOOKING AT SUCH RECORDINGS", result.evidence),
        "",
        *_groups(result.embedded.groups, result.evidence.groups),
    ]


def _endings(name: str, figures: DemoFigures) -> list[str]:
    shipped = any(one.shipped is not None for one in figures.endings.values())
    lines = [
        name,
        f"  {'':>5} {'calm':>6} {'need':>6} {'AUC':>7} {'recall':>8} {'false':>7}"
        + (f" | {'recall':>8} {'false':>7}  at the threshold shipped with the model" if shipped else ""),
    ]
    for ending, one in figures.endings.items():
        label = ending if ending == CUT else f"{ending} %"
        lines.append(f"  {label:>5} {one.calm:>6} {one.need:>6} {_three(one.auc):>7} {_told(one)}")
    drawn = f"AUC {with_interval(figures.auc)}, recall at {_AT} {with_interval(figures.recall)}"
    return [*lines, f"  whole windows, drawing recordings: {drawn}"]


def _told(one: AtEnding) -> str:
    chosen = _rates(one.chosen)
    return chosen if one.shipped is None else f"{chosen} | {_rates(one.shipped)}"


def _rates(one: Rates) -> str:
    return f"{_three(one.recall):>8} {_three(one.false):>7}"


def _groups(ours: Sequence[Above], evidence: Sequence[Above]) -> list[str]:
    """Return one line a group; both detectors saw the same prefixes."""
    head = f"{'program':<10} {'kind':<16} {'prefixes':>8} {'shipped':>8} {'5%':>7} {'evidence, 5%':>14}"
    lines = [
        "Share of prefixes above the thresholds of their endings: recall in trouble, false positives where calm",
        f"  {head}",
    ]
    for one, beside in zip(ours, evidence, strict=True):
        shipped = "-" if one.shipped is None else _three(one.shipped)
        lines.append(
            f"  {one.program:<10} {one.kind:<16} {one.prefixes:>8} {shipped:>8} {_three(one.chosen):>7} "
            f"{_three(beside.chosen):>14}"
        )
    return lines


def _three(value: float) -> str:
    return f"{value:.3f}" if math.isfinite(value) else "-"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
