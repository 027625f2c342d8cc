"""Compares the embedded detector with its limits, on simulated sessions that nothing was fitted on.

The sessions are those of the test split: programs and people are in no training session, nor are held-out behaviors,
which make up at least half of what is acted out there and have figures of their own. The thresholds of help need come
with the model, which chose them on its folds. Beside it stand simple baselines and the evidence detector, whose
thresholds are chosen on these very sessions, in their favour. Everything is simulated.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from detectors.embedded import MODEL, EmbeddedDetector, load_model
from evaluation.benchmarks.detector.curves import Curves, curves_of
from evaluation.benchmarks.detector.hard_offers import POLICY, UNLIMITED, count_offers
from evaluation.benchmarks.detector.late_observer import late_observers
from evaluation.benchmarks.detector.report import (
    OURS,
    DetectorResult,
    count_behaviors,
    render_card,
    render_late,
    render_page,
    render_speed,
)
from evaluation.benchmarks.detector.speed import LOADS, time_detector
from evaluation.measure.benchmark import Report
from evaluation.measure.criteria import AcceptanceCriterion, at_least, at_most
from evaluation.measure.progress import print_progress
from evaluation.simulation.recording.pack import Packed, read_manifest, read_packed
from evaluation.simulation.session_plan import Split
from evaluation.training.card import table
from evaluation.training.dataset import Samples, load_samples
from evaluation.training.detector_metrics import (
    CUT,
    NEED_SHARE,
    DetectorMetrics,
    Ending,
    Predictions,
    baseline_metrics,
    measure_detector,
    predict_with,
)
from storage.clock import SystemClock
from storage.errors import BadFile
from storage.settings import DetectorSettings

LOGS = Path(__file__).parents[2] / "logs" / "test"
"""The sessions that come with the source; an installed Kairos has none."""

PAGE, CARD = "detector.html", "HELD_OUT.md"


def measure(data: Path | None, model: Path | None) -> Report:
    """Score a model on packed sessions of the test split; by default the shipped model on those of the source."""
    data, model = data or LOGS, model or MODEL
    samples = load_samples(data, Split.TEST, report=print_progress)
    used = {facts.name for facts in samples.sessions}
    sessions = [read_packed(entry.path(data)) for entry in read_manifest(data).sessions if entry.name in used]
    detector = EmbeddedDetector(DetectorSettings(base_rate=NEED_SHARE), model)
    opinion = predict_with(detector, samples)
    result = score(samples, sessions, opinion, model)
    card = render_card(
        samples, result, behaviors=count_behaviors(sessions), model=detector.facts, wall_ns=SystemClock().wall_ns()
    )
    return Report(
        criteria=result.bars,
        fields={**asdict(result), "simulated": True},
        text=[
            "Simulated sessions, not people.",
            "",
            *table(result.figures, OURS),
            "",
            render_late(result.late_observers),
            "",
            render_speed(result.speed),
        ],
        pages={PAGE: render_page(samples, opinion, result.figures, result.curves), CARD: card},
    )


def score(samples: Samples, sessions: Sequence[Packed], opinion: Predictions, model: Path) -> DetectorResult:
    """Score the detector and its references, and compare it with the limits."""
    compared = baseline_metrics(samples)
    ours = compared[OURS] = measure_detector(samples, opinion, thresholds_of(model))
    curves = curves_of(samples, opinion)
    default = DetectorSettings()
    detector = EmbeddedDetector(default, model)
    offers = {
        "default policy": count_offers(sessions, detector, default.base_rate, POLICY),
        "without budget": count_offers(sessions, detector, default.base_rate, UNLIMITED),
    }
    speed = time_detector(detector, [session.rows for session in sessions], model)
    abstained = 0.0 if opinion.abstained is None else float(opinion.abstained[~samples.clip].mean())
    criteria = [
        *_state_criteria(ours),
        *_need_criteria(ours, curves),
        at_most("hard_negatives_above", ours.hard_above, 0.05, "of their windows above the threshold"),
        at_most("hard_negative_offers", offers["default policy"].hard_per_hour, 0.5, "offers an hour of them"),
        at_most("calibration_error", 1.0 if ours.ece is None else ours.ece, 0.05, f"ECE at {NEED_SHARE:.0%} need"),
        at_least("calibration_windows", ours.windows, 2000, "live prefixes in it"),
        at_most("prefix_p99", speed.prefix_p99_ms, 1.0, f"ms of CPU, {speed.prefix_words}"),
        at_most("step_p99", speed.step_p99_us, 50.0, f"us of CPU, {speed.step_words}"),
        at_most("load", speed.load_ms, 50.0, f"ms of CPU, median of {LOADS}"),
        at_most("model_size", speed.model_mb, 2.0, "MB"),
    ]
    return DetectorResult(
        figures=compared,
        curves=curves,
        offers=offers,
        abstained=abstained,
        late_observers=late_observers(samples, sessions),
        speed=speed,
        bars=criteria,
    )


def _state_criteria(ours: DetectorMetrics) -> list[AcceptanceCriterion]:
    return [
        at_least("clips_accuracy", ours.clip_accuracy, 0.60, f"of {ours.clips} clips, states weighing the same"),
        at_least("clips_macro_f1", ours.clip_macro_f1, 0.55, "over nine states"),
        at_least("clips_frustration", ours.clip_recalls["frustration"], 0.60, "recall"),
        at_least("clips_debugging", ours.clip_recalls["debugging"], 0.45, "recall"),
    ]


def _need_criteria(ours: DetectorMetrics, curves: Curves) -> list[AcceptanceCriterion]:
    rises = curves.rises.items()
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
    stored = session.get_modelmeta().custom_metadata_map.get("thresholds")
    if stored is None:
        raise BadFile(f"{model} has no thresholds", remedy="train it again with this version")
    return {one if one == CUT else int(one): float(threshold) for one, threshold in json.loads(stored).items()}
