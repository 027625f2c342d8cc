"""Compares the embedded detector with its limits, on simulated sessions that nothing was fitted on.

The sessions are those of the test split: programs and people are in no training session, nor are held-out behaviors,
which make up at least half of what is acted out there and have figures of their own. The thresholds of help need come
with the model, which chose them on its folds. Beside it stand simple baselines and the evidence detector, whose
thresholds are chosen on these very sessions, in their favour. Where some sessions were recorded with all senses, the
figures and bars are theirs alone, and older ones have a line of their own. Everything is simulated.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from daemon.figures.svg import FRAME, GREY, Axis, Line, line_plot
from detectors.embedded import EmbeddedDetector, ModelFacts
from detectors.need_threshold import MODEL
from lab.benchmarks.detector.figures import (
    ALL_SENSES,
    NO_PLACES,
    POLICY,
    UNLIMITED,
    VERSIONS,
    ClockFigures,
    Curves,
    LateObserver,
    OfferCounts,
    SenseFigures,
    auc_by_program,
    clock_figures,
    count_offers,
    curves_of,
    late_observers,
    render_clock,
    sense_figures,
    senses_table,
)
from lab.benchmarks.detector.speed import LOADS, DetectorSpeed, time_detector
from lab.measure.benchmark import AcceptanceCriterion, Report, at_least, at_most
from lab.measure.report import Confusion, Heading, Paragraph, Part, Plots, Table, markdown_of, page_of, text_of
from lab.simulation.behaviors import script_of
from lab.simulation.persona import Split
from lab.simulation.recording.pack import Packed, read_manifest, read_packed
from lab.training.dataset import STATES, Samples, load_samples
from lab.training.detector_metrics import (
    NEED_SHARE,
    PERCENTS,
    DetectorMetrics,
    Predictions,
    baseline_metrics,
    measure_detector,
    metrics_parts,
    predict_with,
    state_table,
    stored_thresholds,
)
from storage.clock import NS_PER_S, SystemClock
from storage.plain_text import print_progress
from storage.settings import DetectorSettings

OURS = "embedded"
ACCESS_LOG = Path(__file__).parents[2] / "training" / "data" / "test_set_access_log.md"
"""What was scored or timed on the test part so far."""

_HEAD: Sequence[Part] = (
    Paragraph("Simulated sessions: scripted people in real programs. No figure here is about real people.", "loud"),
    (
        "Programs and people of these sessions are in no training session. Of their behaviors some are; how many is "
        "said below. Thresholds of help need come from the folds of the training split as they are. The simple "
        "judges' thresholds were chosen on these very sessions, in their favour. What had been looked at there "
        "before is listed in the card. `kairos bench detector --out DIR` writes page and card."
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorResult:
    """All figures of a run, as they are in the JSON object.

    `senses` are by what the sessions hold, `auc_by_program` of whole windows.
    """

    figures: Mapping[str, DetectorMetrics]
    curves: Curves
    senses: Mapping[str, SenseFigures]
    clock: ClockFigures
    auc_by_program: Mapping[str, float]
    offers: Mapping[str, OfferCounts]
    abstained: float
    late_observers: Mapping[int, LateObserver]
    speed: DetectorSpeed
    bars: Sequence[AcceptanceCriterion]


@dataclass(frozen=True, slots=True, kw_only=True)
class BehaviorCounts:
    """How often behaviors were acted out, how many different scripts that is, and how much of both is new.

    New is what is in no training session.
    """

    labels: int
    new_labels: int
    scripts: int
    new_scripts: int


def count_behaviors(sessions: Sequence[Packed]) -> BehaviorCounts:
    """Count the behaviors of sessions."""
    labels = [label for session in sessions for label in session.labels]
    new = [script_of(label.behavior) for label in labels if label.held_out]
    return BehaviorCounts(
        labels=len(labels),
        new_labels=len(new),
        scripts=len({script_of(label.behavior) for label in labels}),
        new_scripts=len(set(new)),
    )


def parts_of(samples: Samples, result: DetectorResult, behaviors: BehaviorCounts, model: ModelFacts) -> list[Part]:
    """Return what the figures are of, and the figures."""
    late = (f"{s} s: {one.recall:.2f} at {one.false_positives:.3f}" for s, one in result.late_observers.items())
    programs = ", ".join(f"{program} {value:.3f}" for program, value in result.auc_by_program.items())
    bins, speed = result.curves.reliability, result.speed
    total = sum(bucket.weight for bucket in bins)
    return [
        _data(samples, model, result.abstained),
        _new_behaviors(behaviors),
        _conditions(),
        *metrics_parts(result.figures, OURS),
        _auc(result.curves),
        "The same sessions with some of their records left out, and older sessions that have gestures alone:",
        senses_table(result.senses),
        render_clock(result.clock),
        f"AUC of need on whole windows in each program: {programs}.",
        (
            "For reference, who knew every need, but late, would find on live windows (recall at false positives): "
            f"{', '.join(late)}. No bound: false positives differ, and a judge may foresee."
        ),
        f"{'; '.join(_offers(name, one) for name, one in result.offers.items())}.",
        (
            f"Reliability of help need at {NEED_SHARE:.0%}, by {len(bins)} bins of equal count; the calibration error "
            "is the mean gap, each bin with its weight:"
        ),
        Table(
            ("predicted", "observed", "prefixes", "weight"),
            [
                (f"{bucket.predicted:.3f}", f"{bucket.observed:.3f}", f"{bucket.count}", f"{bucket.weight / total:.3f}")
                for bucket in bins
            ],
        ),
        (
            f"Speed with no try left out: p99 {speed.prefix_p99_untrimmed_ms:g} ms over all tries at {speed.prefixes} "
            f"prefixes, {speed.step_p99_untrimmed_us:g} us over all passes over {speed.records} records; no bar."
        ),
    ]


def plots_of(samples: Samples, opinion: Predictions, curves: Curves) -> list[Part]:
    """Return what only a page shows: reliability, AUC by prefix, and confusion of states."""
    clips = state_table(samples, opinion.state, samples.clip & (samples.fraction == 1.0))
    reliability = (
        Line(name="calibrated", points=((0.0, 0.0), (1.0, 1.0)), colour=FRAME, dots=False),
        Line(name="bins", points=[(bucket.predicted, bucket.observed) for bucket in curves.reliability]),
    )
    ahead = [(percent / 100, curves.auc_ahead[percent].value) for percent in PERCENTS]
    now = [(percent / 100, curves.auc[percent].value) for percent in PERCENTS]
    auc = (
        Line(name="need at the window's end", points=ahead, colour=GREY, dashed=True, dots=False),
        Line(name="need at the prefix's end", points=now),
    )
    y = Axis(label="AUC of need then; dashed: at the window's end", low=0.5)
    share, probability = Axis(label="share of need"), Axis(label="probability")
    return [
        Plots(
            (
                line_plot("Reliability of help need", reliability, probability, share, size=(300, 300)),
                line_plot("AUC of help need by prefix", auc, Axis(label="share of the window"), y, size=(300, 300)),
            )
        ),
        Heading("States of whole clips: truth down, guess across"),
        Confusion([state.value.replace("_", " ") for state in STATES], clips),
    ]


def card_of(parts: Sequence[Part], bars: Sequence[AcceptanceCriterion], version: str, wall_ns: int) -> str:
    """Return the card in markdown; `wall_ns` is the time of this access to the test set."""
    when = datetime.fromtimestamp(wall_ns // NS_PER_S, UTC)
    this_access = f"| {when:%Y-%m-%d %H:%M} | `kairos bench detector`: this page, the newest look | {version} |"
    log = ACCESS_LOG.read_text(encoding="utf-8").rstrip()
    return markdown_of("Held out", [*_HEAD, *parts], bars) + f"\n{log}\n{this_access}\n"


def model_words(facts: ModelFacts) -> str:
    """Return the model's version and the digest of its file: two files may share a version, but no digest."""
    return f"Model {facts.version}, file `{facts.digest}`"


def _data(samples: Samples, model: ModelFacts, abstained: float) -> str:
    sessions = [samples.sessions[number] for number in np.unique(samples.session)]
    hours = sum(facts.hours for facts in sessions)
    programs = ", ".join(sorted({facts.program for facts in sessions}))
    people = len({facts.person for facts in sessions})
    live = samples.need[~samples.clip]
    return (
        f"{model_words(model)}; {len(sessions)} sessions, {hours:.2f} labelled hours in {programs}, by {people} "
        f"people; {len(live)} prefixes of live windows ({live.mean():.0%} with need), of which it abstained on "
        f"{abstained:.1%}."
    )


def _new_behaviors(counts: BehaviorCounts) -> str:
    return (
        f"{counts.new_labels} of the {counts.labels} behaviors acted out ({counts.new_labels / counts.labels:.0%}) "
        f"follow a script that is in no training session: {counts.new_scripts} of {counts.scripts} different scripts "
        f"({counts.new_scripts / counts.scripts:.0%})."
    )


def _conditions() -> str:
    return (
        f"The calibration error is weighted to a share of need of {NEED_SHARE:.0%}; all else is as the sessions are. "
        f"Offers are those of the policy `{POLICY.name}` with quiet_start_s = {POLICY.quiet_start_s:g}, nobody "
        f"answering and nothing learned from that; those without budget also with cooldown_s = "
        f"{UNLIMITED.cooldown_s:g}, novelty_s = {UNLIMITED.novelty_s:g} and no limit of offers. "
        "An offer counts for what went on where the prefix ended that it rests on, "
        "and if that was between labels, where it appears; `kairos bench policy` judges it by the moment at which it "
        "is shown."
    )


def _auc(curves: Curves) -> str:
    levels = "; ".join(
        f"{percent} %: {curves.auc[percent]}, of need at the window's end {curves.auc_ahead[percent]}"
        for percent in PERCENTS
    )
    rises = "; ".join(
        f"to {percent} %: {curves.rises[percent]}, of need at the window's end {curves.rises_ahead[percent]}"
        for percent in PERCENTS[1:]
    )
    return (
        f"AUC of need over {curves.windows} whole windows, with intervals by drawing sessions: {levels}. "
        f"By how much it rises from the prefix before, paired: {rises}. The bar is on the first of each."
    )


def _offers(name: str, one: OfferCounts) -> str:
    return (
        f"{name}: {one.offers} offers in {one.hours:.1f} h, {one.needed} while help was needed, {one.hard_offers} in "
        f"{one.hard_hours:.1f} h of hard negatives, {one.between} between labels"
    )


LOGS = tuple(Path(__file__).parents[2] / "logs" / part for part in ("test", "tasks/test", "fresh/test"))
"""The sessions that come with the source, the first with gestures alone; an installed Kairos has none."""

PAGE, CARD = "detector.html", "HELD_OUT.md"


def measure(data: Sequence[Path] | None, model: Path | None) -> Report:
    """Score a model on packed sessions of the test split; by default the shipped model on those of the source."""
    data, model = data or LOGS, model or MODEL
    detector = EmbeddedDetector(DetectorSettings(base_rate=NEED_SHARE), model)
    versions = {
        name: load_samples(data, Split.TEST, variants=(variant,), report=print_progress)
        for name, variant in {**VERSIONS, **NO_PLACES}.items()
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
    result = score(versions, sessions, opinion, model)
    if older is not None and len(older):
        older_figures = sense_figures({"gestures, older sessions": older}, detector, stored_thresholds(model))
        result = replace(result, senses={**result.senses, **older_figures})
    parts = parts_of(samples, result, count_behaviors(sessions), detector.facts)
    page = [*_HEAD, *parts, *plots_of(samples, opinion, result.curves)]
    return Report(
        criteria=result.bars,
        fields={**asdict(result), "simulated": True},
        text=list(text_of([_HEAD[0], *parts])),
        pages={
            PAGE: page_of("The embedded detector", page, result.bars),
            CARD: card_of(parts, result.bars, detector.facts.version, SystemClock().wall_ns()),
        },
    )


def score(
    versions: Mapping[str, Samples],
    sessions: Sequence[Packed],
    opinion: Predictions,
    model: Path,
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
