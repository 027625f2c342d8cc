"""What a run of `kairos bench detector` found: the card beside the model, in markdown, and a page with plots."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from daemon.pages.page import heading, html_table, page, paragraph, plots
from daemon.pages.svg import FRAME, GREY, Axis, Line, line_plot
from detectors.embedded import ModelFacts
from lab.benchmarks.detector.clock import ClockFigures, render_clock
from lab.benchmarks.detector.curves import Curves
from lab.benchmarks.detector.hard_offers import POLICY, UNLIMITED, OfferCounts
from lab.benchmarks.detector.late_observer import LateObserver
from lab.benchmarks.detector.senses import Gain, SenseFigures, render_senses
from lab.benchmarks.detector.speed import DetectorSpeed
from lab.measure.criteria import AcceptanceCriterion
from lab.measure.metrics import Bin
from lab.measure.tables import confusion_table, markdown_table
from lab.simulation.behaviors import script_of
from lab.simulation.recording.pack import Packed
from lab.training.dataset import STATES, Samples
from lab.training.detector_metrics import (
    NEED_SHARE,
    PERCENTS,
    DetectorMetrics,
    Predictions,
    metrics_table,
    state_table,
)
from storage.clock import NS_PER_S

OURS = "embedded"
ACCESS_LOG = Path(__file__).parents[2] / "training" / "data" / "test_set_access_log.md"
"""What was scored or timed on the test part so far."""

_HEAD = """# Held out

**Everything here is simulated.** Programs and people of these sessions are in no training session. Of their behaviors
some are; how many is said below. Thresholds of help need come from the folds of the training split as they are. The
simple judges' thresholds were chosen on these very sessions, in their favour. What had been looked at there before is
listed at the end.

`kairos bench detector --out DIR` writes this page.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorResult:
    """All figures of a run, as they are in the JSON object.

    `senses` are by what the sessions hold, `auc_by_program` of whole windows; `gain` is over an earlier model.
    """

    figures: Mapping[str, DetectorMetrics]
    curves: Curves
    senses: Mapping[str, SenseFigures]
    clock: ClockFigures
    auc_by_program: Mapping[str, float]
    gain: Gain | None
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


def render_late(observers: Mapping[int, LateObserver]) -> str:
    """Return the figures of late observers as one sentence."""
    rows = (f"{late} s: {one.recall:.2f} at {one.false_positives:.3f}" for late, one in observers.items())
    return (
        "For reference, who knew every need, but late, would find on live windows (recall at false positives): "
        f"{', '.join(rows)}. No bound: false positives differ, and a judge may foresee."
    )


def render_programs(by_program: Mapping[str, float]) -> str:
    """Return the AUC in each program as one sentence."""
    rows = ", ".join(f"{program} {value:.3f}" for program, value in by_program.items())
    return f"AUC of need on whole windows in each program: {rows}."


def render_gain(gain: Gain | None) -> str:
    """Return by how much the model is better than an earlier one."""
    if gain is None:
        return "Not compared with an earlier model (--before MODEL)."
    return (
        "Less the earlier model's, on the same sessions without records of controls, with intervals by drawing people: "
        f"AUC {gain.auc}, accuracy on clips {gain.clip_accuracy}."
    )


def render_speed(speed: DetectorSpeed) -> str:
    """Return the untrimmed times as one sentence."""
    return (
        f"Speed with no try left out: p99 {speed.prefix_p99_untrimmed_ms:g} ms over all tries at {speed.prefixes} "
        f"prefixes, {speed.step_p99_untrimmed_us:g} us over all passes over {speed.records} records; no bar."
    )


def render_model(facts: ModelFacts) -> str:
    """Return the model's version and the digest of its file: two files may share a version, but no digest."""
    return f"Model {facts.version}, file `{facts.digest}`"


def render_card(
    samples: Samples, result: DetectorResult, *, behaviors: BehaviorCounts, model: ModelFacts, wall_ns: int
) -> str:
    """Return the card in markdown; `wall_ns` is the time of this access to the test set."""
    when = datetime.fromtimestamp(wall_ns // NS_PER_S, UTC)
    this_access = f"| {when:%Y-%m-%d %H:%M} | `kairos bench detector`: this page, the newest look | {model.version} |"
    reached = (
        (one.name, f"{one.value:g}", f"{one.unit} {one.limit:g}", "" if one.ok else "missed") for one in result.bars
    )
    parts = (
        _HEAD,
        _data(samples, model, result.abstained),
        _new_behaviors(behaviors),
        _conditions(),
        "",
        *metrics_table(result.figures, OURS),
        "",
        _auc(result.curves),
        "",
        "The same sessions with some of their records left out, and older sessions that have gestures alone:",
        "",
        *render_senses(result.senses),
        "",
        render_gain(result.gain),
        "",
        render_clock(result.clock),
        "",
        render_programs(result.auc_by_program),
        "",
        render_late(result.late_observers),
        "",
        f"{'; '.join(_offers(name, one) for name, one in result.offers.items())}.",
        "",
        *_reliability(result.curves.reliability),
        "",
        render_speed(result.speed),
        "",
        *markdown_table(("bar", "reached", "limit", ""), reached),
        "",
        ACCESS_LOG.read_text(encoding="utf-8").rstrip(),
        this_access,
    )
    return "\n".join(parts) + "\n"


def _data(samples: Samples, model: ModelFacts, abstained: float) -> str:
    sessions = [samples.sessions[number] for number in np.unique(samples.session)]
    hours = sum(facts.hours for facts in sessions)
    programs = ", ".join(sorted({facts.program for facts in sessions}))
    people = len({facts.person for facts in sessions})
    live = samples.need[~samples.clip]
    return (
        f"{render_model(model)}; {len(sessions)} sessions, {hours:.2f} labelled hours in {programs}, "
        f"by {people} people; {len(live)} prefixes of live windows ({live.mean():.0%} with need), "
        f"of which it abstained on {abstained:.1%}."
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
        f"{one} %: {curves.auc[one]}, of need at the window's end {curves.auc_ahead[one]}" for one in PERCENTS
    )
    rises = "; ".join(
        f"to {one} %: {curves.rises[one]}, of need at the window's end {curves.rises_ahead[one]}"
        for one in PERCENTS[1:]
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


def _reliability(bins: Sequence[Bin]) -> list[str]:
    total = sum(one.weight for one in bins)
    return [
        (
            f"Reliability of help need at {NEED_SHARE:.0%}, by {len(bins)} bins of equal count; the calibration error "
            "is the mean gap, each bin with its weight:"
        ),
        "",
        *markdown_table(
            ("predicted", "observed", "prefixes", "weight"),
            (
                (f"{one.predicted:.3f}", f"{one.observed:.3f}", f"{one.count}", f"{one.weight / total:.3f}")
                for one in bins
            ),
        ),
    ]


# ---------------------------------------------------------------- the page with plots


def render_page(samples: Samples, opinion: Predictions, compared: Mapping[str, DetectorMetrics], curves: Curves) -> str:
    """Return the page as HTML: reliability, AUC by prefix, confusion of states, and the references."""
    bins = curves.reliability
    clips = state_table(samples, opinion.state, samples.clip & (samples.fraction == 1.0))
    return page(
        "The embedded detector",
        (
            paragraph(
                "Simulated sessions: scripted people in real programs. No figure here is about real people.", "loud"
            ),
            paragraph(
                f"Reliability: live windows weighted to {NEED_SHARE:.0%} help needed, {len(bins)} bins of equal count."
            ),
            plots((_reliability_plot(bins), _auc_plot(curves))),
            heading("States of whole clips: truth down, guess across"),
            confusion_table([state.value.replace("_", " ") for state in STATES], clips),
            heading("Beside simpler judges"),
            html_table(_HEADS, (_cells(name, one) for name, one in compared.items()), ours=OURS),
        ),
    )


def _reliability_plot(bins: Sequence[Bin]) -> str:
    lines = (
        Line(name="calibrated", points=((0.0, 0.0), (1.0, 1.0)), colour=FRAME, dots=False),
        Line(name="bins", points=[(one.predicted, one.observed) for one in bins]),
    )
    x, y = Axis(label="probability"), Axis(label="share of need")
    return line_plot("Reliability of help need", lines, x, y, size=(300, 300))


def _auc_plot(curves: Curves) -> str:
    ahead = [(one / 100, curves.auc_ahead[one].value) for one in PERCENTS]
    now = [(one / 100, curves.auc[one].value) for one in PERCENTS]
    lines = (
        Line(name="need at the window's end", points=ahead, colour=GREY, dashed=True, dots=False),
        Line(name="need at the prefix's end", points=now),
    )
    y = Axis(label="AUC (solid: need at the prefix's end, dashed: at the window's)", low=0.5)
    return line_plot("AUC of help need by prefix", lines, Axis(label="share of the window"), y, size=(300, 300))


_HEADS = ("", "clip accuracy", "macro F1", "AUC 25 %", "AUC 100 %", "recall 25 %", "recall 100 %", "ECE")


def _cells(name: str, one: DetectorMetrics) -> tuple[str, ...]:
    three = (one.clip_accuracy, one.clip_macro_f1, one.auc[25], one.auc[100])
    ece = "-" if one.ece is None else f"{one.ece:.3f}"
    return (name, *(f"{value:.3f}" for value in three), f"{one.recall[25]:.2f}", f"{one.recall[100]:.2f}", ece)
