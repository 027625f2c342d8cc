"""Scores the embedded detector on recordings of `kairos demo`, whose scripts it did not learn from.

No held-out test and no independent one: the scripts alone are others. The model knows the programs, its features'
author had seen such recordings, and simulated people were given trouble of the same kinds (`simulation.plain_trouble`,
`plain_debugging`) because of the first figures from here. Everything is simulated.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from daemon.text import print_progress
from detectors.embedded import MODEL, EmbeddedDetector
from lab.benchmarks.demos.figures import (
    WHOLE,
    DemoFigures,
    EndingFigures,
    GroupFigures,
    Rates,
    figures_of,
    samples_of,
    time_alone,
)
from lab.benchmarks.demos.recordings import Demos, Phase, Skipped, counted, read_demos
from lab.measure.benchmark import Report
from lab.measure.criteria import AcceptanceCriterion, at_least
from lab.training.detector_metrics import (
    CUT,
    MAX_FPR,
    NEED_SHARE,
    PERCENTS,
    evidence_predictions,
    predict_with,
    stored_thresholds,
)
from storage.errors import BadFile
from storage.settings import DetectorSettings

RECALL_WHOLE, RECALL_QUARTER = 0.80, 0.45
_AT = f"{MAX_FPR:.0%} false positives"


@dataclass(frozen=True, slots=True, kw_only=True)
class DemosResult:
    """All figures of a run; `prefixes` counts them by the phase they ended in. Only calm and need have figures."""

    model: str
    recordings: int
    fluent: int
    skipped: tuple[Skipped, ...]
    prefixes: Mapping[Phase, int]
    time_alone_auc: float
    embedded: DemoFigures
    evidence: DemoFigures
    bars: Sequence[AcceptanceCriterion]


def measure(folder: Path, model: Path | None) -> Report:
    """Score a model (the shipped one by default) on the demos in a folder."""
    demos = read_demos(folder)
    for one in demos.skipped:
        print_progress(f"skipped {one.name}: {one.why}")
    if demos.skipped:
        print_progress(f"skipped {len(demos.skipped)} of {len(demos.skipped) + len(demos.recordings)} demos")
    check(demos, folder)
    result = score(demos, model or MODEL)
    return Report(criteria=result.bars, fields={**asdict(result), "simulated": True}, text=render(result))


def check(demos: Demos, folder: Path) -> None:
    """Refuse demos that allow no conclusion.

    Raises:
        BadFile: none can be read, nobody got stuck, or everybody did: who is never stuck here does on purpose what
            looks like trouble, so false positives would be flattered.
    """
    if not demos.recordings:
        raise BadFile(f"none of the {len(demos.skipped)} demos in {folder} can be read", remedy="make them again")
    if all(not one.counts()[Phase.NEED] for one in demos.recordings):
        raise BadFile(
            f"nobody needed help in any demo in {folder}", remedy=f"make one: kairos demo --out {folder / 'stuck-1'}"
        )
    if all(one.kind is not None for one in demos.recordings):
        raise BadFile(
            f"in every demo in {folder} somebody gets stuck",
            remedy=f"make one: kairos demo --fluent-only --out {folder / 'fluent-1'}",
        )


def score(demos: Demos, model: Path) -> DemosResult:
    """Score a model and the evidence detector, and compare the model with its limits."""
    samples = samples_of(demos.recordings)
    detector = EmbeddedDetector(DetectorSettings(base_rate=NEED_SHARE), model)
    ours = figures_of(samples, predict_with(detector, samples), stored_thresholds(model))
    at = {ending: one.chosen.recall for ending, one in ours.endings.items()}
    return DemosResult(
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


def render(result: DemosResult) -> list[str]:
    """Return the figures as lines of text."""
    count = result.prefixes
    people = f"{result.recordings} recordings, in {result.fluent} of them nobody got stuck"
    left_out = f"{count[Phase.BEFORE]} between being stuck and the onset of need, {count[Phase.AFTER]} after its end"
    return [
        "Nobody worked here: scripted people did, in recordings of kairos demo. Their scripts are not those that the",
        "model learned from, but this is no held-out test: it knows the programs (Mousepad, Calc), who wrote its",
        "features had seen such recordings, and because of these figures simulated people were given trouble of the",
        "same kinds.",
        "",
        f"{people}; model {result.model}, which abstained on {result.embedded.abstained:.1%}.",
        f"{count[Phase.CALM]} calm prefixes, {count[Phase.NEED]} in need.",
        f"Left out: {left_out}, {count[Phase.OUTSIDE]} outside of the script.",
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
        lines.append(f"  {label:>5} {one.calm:>6} {one.need:>6} {_three(one.auc):>7} {_rates_of(one)}")
    drawn = f"AUC {figures.auc}, recall at {_AT} {figures.recall}"
    return [*lines, f"  whole windows, drawing recordings: {drawn}"]


def _rates_of(one: EndingFigures) -> str:
    chosen = _rates(one.chosen)
    return chosen if one.shipped is None else f"{chosen} | {_rates(one.shipped)}"


def _rates(one: Rates) -> str:
    return f"{_three(one.recall):>8} {_three(one.false):>7}"


def _groups(ours: Sequence[GroupFigures], evidence: Sequence[GroupFigures]) -> list[str]:
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
