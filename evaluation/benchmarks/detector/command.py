"""`kairos bench detector`: the embedded detector against its bars, on simulated sessions that nothing was fitted on.

The sessions are those of the test split: programs and people are in no training session, nor are held-out behaviors,
which make up at least half of what is acted out there and have figures of their own. The thresholds of help need come
with the model, which chose them on its folds. Beside it stand simple judges and the evidence detector, whose thresholds
are chosen on these very sessions, in their favour. Everything is simulated.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from detectors.embedded import MODEL, EmbeddedDetector, load_model
from evaluation.benchmarks.detector.curves import Curves, curves
from evaluation.benchmarks.detector.hard_offers import POLICY, UNLIMITED, Offers, count_offers
from evaluation.benchmarks.detector.held_out_card import acted_in, held_out_text, told_late, told_speed
from evaluation.benchmarks.detector.late_observer import LateObserver, late_observers
from evaluation.benchmarks.detector.page import page
from evaluation.benchmarks.detector.speed import LOADS, Speed, time_detector
from evaluation.measure.criteria import AcceptanceCriterion, at_least, at_most, print_bars
from evaluation.measure.machine import machine
from evaluation.measure.output import check_folder
from evaluation.simulation.recording.pack import Packed, read_manifest, read_packed
from evaluation.simulation.session_plan import Split
from evaluation.training.baselines import baseline_figures
from evaluation.training.card import table
from evaluation.training.dataset import Samples, load
from evaluation.training.figures import (
    CUT,
    NEED_SHARE,
    Ending,
    Figures,
    Opinion,
    figures,
    opinion_of,
)
from storage.clock import SystemClock
from storage.errors import BadFile
from storage.settings import DetectorSettings

LOGS = Path(__file__).parents[2] / "logs" / "test"
"""The sessions that come with the source; an installed Kairos has none."""

OURS = "embedded"
PAGE, TEXT = "detector.html", "HELD_OUT.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """All that is printed."""

    figures: Mapping[str, Figures]
    curves: Curves
    offers: Mapping[str, Offers]
    abstained: float
    late_observers: Mapping[int, LateObserver]
    speed: Speed
    bars: Sequence[AcceptanceCriterion]


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos bench detector`."""
    data: Path = arguments.data or LOGS
    model: Path = arguments.model or MODEL
    if arguments.out is not None:
        check_folder(arguments.out)
    samples = load(data, Split.TEST, say=_say)
    used = {facts.name for facts in samples.sessions}
    sessions = [read_packed(entry.path(data)) for entry in read_manifest(data).sessions if entry.name in used]
    detector = EmbeddedDetector(DetectorSettings(base_rate=NEED_SHARE), model)
    opinion = opinion_of(detector, samples)
    result = measure(samples, sessions, opinion, model)
    if arguments.out is not None:
        (arguments.out / PAGE).write_text(page(samples, opinion, result.figures, result.curves), encoding="utf-8")
        text = held_out_text(
            samples,
            result.figures,
            OURS,
            model=detector.facts,
            curves=result.curves,
            speed=result.speed,
            offers=result.offers,
            late=result.late_observers,
            acted=acted_in(sessions),
            abstained=result.abstained,
            bars=result.bars,
            wall_ns=SystemClock().wall_ns(),
        )
        (arguments.out / TEXT).write_text(text, encoding="utf-8")
        _say(f"written to {arguments.out / PAGE}")
    if arguments.json:
        print(json.dumps({**asdict(result), "rounds": [], "simulated": True, "machine": machine()}))
    else:
        print("Simulated sessions, not people.\n")
        print("\n".join(table(result.figures, OURS)), end="\n\n")
        print(told_late(result.late_observers), end="\n\n")
        print(told_speed(result.speed), end="\n\n")
        print_bars(result.bars)
    return 0 if all(bar.ok for bar in result.bars) else 1


def measure(samples: Samples, sessions: Sequence[Packed], opinion: Opinion, model: Path) -> Result:
    """Score the detector and what stands beside it, and hold it against the bars."""
    compared = baseline_figures(samples)
    ours = compared[OURS] = figures(samples, opinion, thresholds_of(model))
    found = curves(samples, opinion)
    default = DetectorSettings()
    detector = EmbeddedDetector(default, model)
    offers = {
        "default policy": count_offers(sessions, detector, default.base_rate, POLICY),
        "without budget": count_offers(sessions, detector, default.base_rate, UNLIMITED),
    }
    speed = time_detector(detector, [session.rows for session in sessions], model)
    abstained = 0.0 if opinion.abstained is None else float(opinion.abstained[~samples.clip].mean())
    bars = [
        *_state_bars(ours),
        *_need_bars(ours, found),
        at_most("hard_negatives_above", ours.hard_above, 0.05, "of their windows above the threshold"),
        at_most("hard_negative_offers", offers["default policy"].hard_per_hour, 0.5, "offers an hour of them"),
        at_most("calibration_error", 1.0 if ours.ece is None else ours.ece, 0.05, f"ECE at {NEED_SHARE:.0%} need"),
        at_least("calibration_windows", ours.windows, 2000, "live prefixes in it"),
        at_most("prefix_p99", speed.prefix_p99_ms, 1.0, f"ms of CPU, {speed.prefix_words}"),
        at_most("step_p99", speed.step_p99_us, 50.0, f"us of CPU, {speed.step_words}"),
        at_most("load", speed.load_ms, 50.0, f"ms of CPU, median of {LOADS}"),
        at_most("model_size", speed.model_mb, 2.0, "MB"),
    ]
    return Result(
        figures=compared,
        curves=found,
        offers=offers,
        abstained=abstained,
        late_observers=late_observers(samples, sessions),
        speed=speed,
        bars=bars,
    )


def _state_bars(ours: Figures) -> list[AcceptanceCriterion]:
    return [
        at_least("clips_accuracy", ours.clip_accuracy, 0.60, f"of {ours.clips} clips, states weighing the same"),
        at_least("clips_macro_f1", ours.clip_macro_f1, 0.55, "over nine states"),
        at_least("clips_frustration", ours.clip_recalls["frustration"], 0.60, "recall"),
        at_least("clips_debugging", ours.clip_recalls["debugging"], 0.45, "recall"),
    ]


def _need_bars(ours: Figures, found: Curves) -> list[AcceptanceCriterion]:
    rises = found.rises.items()
    return [
        at_least("live_recall_100", ours.recall[100], 0.80, "recall of need at the whole window"),
        at_most("live_false_100", ours.fpr[100], 0.05, "false positives at the same threshold"),
        at_least("live_recall_25", ours.recall[25], 0.45, "recall of need at a quarter"),
        at_most("live_false_25", ours.fpr[25], 0.05, "false positives at the same threshold"),
        *(at_least(f"auc_rises_to_{one}", rise.low, 0.0, "lower end of the paired interval") for one, rise in rises),
    ]


def thresholds_of(model: Path) -> dict[Ending, float]:
    """Return the thresholds of need's log-odds that a model chose on its folds; older ones have none for `CUT`.

    Raises:
        BadFile: the model has none.
    """
    session, _ = load_model(model)
    told = session.get_modelmeta().custom_metadata_map.get("thresholds")
    if told is None:
        raise BadFile(f"{model} has no thresholds", remedy="train it again with this version")
    return {one if one == CUT else int(one): float(threshold) for one, threshold in json.loads(told).items()}


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
