"""Compares the embedded detector with its limits, on simulated sessions that nothing was fitted on.

The sessions are those of the test split: programs and people are in no training session, nor are held-out behaviors,
which make up at least half of what is acted out there and have figures of their own. The thresholds of help need come
with the model, which chose them on its folds. Beside it stand simple baselines and the evidence detector, whose
thresholds are chosen on these very sessions, in their favour. Where some sessions were recorded with all senses, the
figures and bars are theirs alone, and older ones have a line of their own. Everything is simulated.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from daemon.text import print_progress
from detectors.embedded import MODEL, EmbeddedDetector
from lab.benchmarks.detector.clock import ClockFigures, clock_figures, render_clock
from lab.benchmarks.detector.curves import curves_of
from lab.benchmarks.detector.hard_offers import POLICY, UNLIMITED, count_offers
from lab.benchmarks.detector.late_observer import late_observers
from lab.benchmarks.detector.report import (
    OURS,
    DetectorResult,
    count_behaviors,
    render_card,
    render_late,
    render_page,
    render_programs,
    render_speed,
)
from lab.benchmarks.detector.senses import (
    ALL_SENSES,
    NO_CONTROLS,
    VERSIONS,
    Gain,
    auc_by_program,
    gain_over,
    render_senses,
    sense_figures,
)
from lab.benchmarks.detector.speed import LOADS, time_detector
from lab.measure.benchmark import Report
from lab.measure.criteria import AcceptanceCriterion, at_least, at_most
from lab.simulation.persona import Split
from lab.simulation.recording.pack import Packed, read_manifest, read_packed
from lab.training.dataset import Samples, load_samples
from lab.training.detector_metrics import (
    NEED_SHARE,
    DetectorMetrics,
    Predictions,
    baseline_metrics,
    measure_detector,
    metrics_table,
    predict_with,
    stored_thresholds,
)
from storage.clock import SystemClock
from storage.settings import DetectorSettings

LOGS = tuple(Path(__file__).parents[2] / "logs" / part for part in ("test", "tasks/test"))
"""The sessions that come with the source, gestures alone and all senses; an installed Kairos has none."""

PAGE, CARD = "detector.html", "HELD_OUT.md"


def measure(data: Sequence[Path] | None, model: Path | None, before: Path | None = None) -> Report:
    """Score a model on packed sessions of the test split; by default the shipped model on those of the source.

    `before` is an earlier model, to compare it with on sessions without records of controls.
    """
    data, model = data or LOGS, model or MODEL
    former = None if before is None else EmbeddedDetector(DetectorSettings(base_rate=NEED_SHARE), before)
    detector = EmbeddedDetector(DetectorSettings(base_rate=NEED_SHARE), model)
    versions = {
        name: load_samples(data, Split.TEST, variants=(variant,), report=print_progress)
        for name, variant in VERSIONS.items()
    }
    every = versions[ALL_SENSES]
    older = every.where(~every.both_senses) if every.both_senses.any() else None
    if older is not None:
        versions = {name: samples.where(samples.both_senses) for name, samples in versions.items()}
    samples = versions[ALL_SENSES]
    used = {samples.sessions[number].name for number in np.unique(samples.session)}
    sessions = [
        read_packed(entry.path(folder))
        for folder in data
        for entry in read_manifest(folder).sessions
        if entry.name in used
    ]
    opinion = predict_with(detector, samples)
    result = score(versions, sessions, opinion, model, former)
    if older is not None and len(older):
        older_figures = sense_figures({"gestures, older sessions": older}, detector, stored_thresholds(model))
        result = replace(result, senses={**result.senses, **older_figures})
    card = render_card(
        samples, result, behaviors=count_behaviors(sessions), model=detector.facts, wall_ns=SystemClock().wall_ns()
    )
    return Report(
        criteria=result.bars,
        fields={**asdict(result), "simulated": True},
        text=[
            "Simulated sessions, not people.",
            "",
            *metrics_table(result.figures, OURS),
            "",
            *render_senses(result.senses),
            "",
            render_clock(result.clock),
            "",
            render_programs(result.auc_by_program),
            "",
            render_late(result.late_observers),
            "",
            render_speed(result.speed),
        ],
        pages={PAGE: render_page(samples, opinion, result.figures, result.curves), CARD: card},
    )


def score(
    versions: Mapping[str, Samples],
    sessions: Sequence[Packed],
    opinion: Predictions,
    model: Path,
    former: EmbeddedDetector | None = None,
) -> DetectorResult:
    """Score the detector and its references, and compare it with the limits."""
    samples = versions[ALL_SENSES]
    compared = baseline_metrics(samples)
    ours = compared[OURS] = measure_detector(samples, opinion, stored_thresholds(model))
    curves = curves_of(samples, opinion)
    clock, programs = clock_figures(samples, opinion), auc_by_program(samples, opinion)
    default = DetectorSettings()
    detector = EmbeddedDetector(default, model)
    weighted = EmbeddedDetector(DetectorSettings(base_rate=NEED_SHARE), model)
    gain = None if former is None else gain_over(versions[NO_CONTROLS], weighted, former)
    offers = {
        "default policy": count_offers(sessions, detector, default.base_rate, POLICY),
        "without budget": count_offers(sessions, detector, default.base_rate, UNLIMITED),
    }
    speed = time_detector(detector, [session.rows for session in sessions], model)
    abstained = 0.0 if opinion.abstained is None else float(opinion.abstained[~samples.clip].mean())
    criteria = [
        *_state_criteria(ours),
        *_need_criteria(ours, programs),
        *(
            at_least(f"auc_rises_to_{one}", rise.low, 0.0, "lower end of the paired interval")
            for one, rise in curves.rises.items()
        ),
        *_clock_criteria(clock),
        *_gain_criteria(gain),
        at_most("hard_negatives_above", ours.hard_above, 0.05, "of their windows above the threshold"),
        at_most("hard_negative_offers", offers["default policy"].hard_per_hour, 0.5, "offers an hour of them"),
        at_most("calibration_error", 1.0 if ours.ece is None else ours.ece, 0.04, f"ECE at {NEED_SHARE:.0%} need"),
        at_least("calibration_windows", ours.windows, 2000, "live prefixes in it"),
        at_most("prefix_p99", speed.prefix_p99_ms, 1.0, f"ms of CPU, {speed.prefix_words}"),
        at_most("step_p99", speed.step_p99_us, 50.0, f"us of CPU, {speed.step_words}"),
        at_most("load", speed.load_ms, 50.0, f"ms of CPU, median of {LOADS}"),
        at_most("model_size", speed.model_mb, 2.0, "MB"),
    ]
    return DetectorResult(
        figures=compared,
        curves=curves,
        senses=sense_figures(versions, weighted, stored_thresholds(model)),
        clock=clock,
        auc_by_program=programs,
        gain=gain,
        offers=offers,
        abstained=abstained,
        late_observers=late_observers(samples, sessions),
        speed=speed,
        bars=criteria,
    )


def _state_criteria(ours: DetectorMetrics) -> list[AcceptanceCriterion]:
    return [
        at_least("clips_accuracy", ours.clip_accuracy, 0.68, f"of {ours.clips} clips, states weighing the same"),
        at_least("clips_macro_f1", ours.clip_macro_f1, 0.66, "over nine states"),
        at_least("clips_frustration", ours.clip_recalls["frustration"], 0.75, "recall"),
        at_least("clips_debugging", ours.clip_recalls["debugging"], 0.68, "recall"),
    ]


def _need_criteria(ours: DetectorMetrics, programs: Mapping[str, float]) -> list[AcceptanceCriterion]:
    return [
        at_least("live_auc_100", ours.auc[100], 0.93, "AUC of need at the whole window"),
        *(at_least(f"live_auc_100_{name}", value, 0.85, "AUC in this program") for name, value in programs.items()),
        at_least("live_recall_100", ours.recall[100], 0.75, "recall of need at the whole window"),
        at_most("live_false_100", ours.fpr[100], 0.05, "false positives at the same threshold"),
        at_least("live_recall_25", ours.recall[25], 0.55, "recall of need at a quarter"),
        at_most("live_false_25", ours.fpr[25], 0.05, "false positives at the same threshold"),
    ]


def _clock_criteria(clock: ClockFigures) -> list[AcceptanceCriterion]:
    return [
        at_most("clock_alone", clock.session_clock, 0.60, "AUC of need by the time since the session began"),
        at_least("equal_times_apart", clock.apart, 0.90, "AUC among clips of equal time"),
        at_least("equal_times_chained", clock.chained, 0.88, "AUC among live windows of equal time"),
    ]


def _gain_criteria(gain: Gain | None) -> list[AcceptanceCriterion]:
    if gain is None:
        return []
    words = "less the earlier model's, without controls, lower end by person"
    return [
        at_least("gain_auc_100", gain.auc.low, -0.02, f"AUC {words}"),
        at_least("gain_clips_accuracy", gain.clip_accuracy.low, -0.02, f"accuracy {words}"),
    ]
