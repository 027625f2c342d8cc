"""What goes beside the model card: how the model did on sessions that nothing was fitted on, in words and tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from detectors.embedded import ModelFacts
from evaluation.benchmarks.detector.curves import Curves
from evaluation.benchmarks.detector.hard_offers import POLICY, UNLIMITED, Offers
from evaluation.benchmarks.detector.late_observer import LateObserver
from evaluation.benchmarks.detector.speed import Speed
from evaluation.measure.criteria import AcceptanceCriterion, with_interval
from evaluation.measure.metrics import Bin
from evaluation.simulation.recording.pack import Packed
from evaluation.training.card import table
from evaluation.training.dataset import Samples
from evaluation.training.detector_metrics import NEED_SHARE, PERCENTS, DetectorMetrics
from storage.clock import NS_PER_S

_HEAD = """# Held out

**Everything here is simulated.** Programs and people of these sessions are in no training session. Of their behaviors
some are; how many is said below. Thresholds of help need come from the folds of the training split as they are. The
simple judges' thresholds were chosen on these very sessions, in their favour. What had been looked at there before is
listed at the end.

`kairos bench detector --out DIR` writes this page.
"""


LOOKS = Path(__file__).parents[2] / "training" / "data" / "test_set_access_log.md"
"""What was scored or timed on the test part so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Acted:
    """What was acted out in sessions, and how much of it is in no training session.

    Attributes:
        labels: behaviors acted out, each as often as it was.
        scripts: different behaviors.
    """

    labels: int
    new_labels: int
    scripts: int
    new_scripts: int


def acted_in(sessions: Sequence[Packed]) -> Acted:
    """Count the behaviors of sessions."""
    labels = [label for session in sessions for label in session.labels]
    new = [label.behavior for label in labels if label.held_out]
    return Acted(
        labels=len(labels),
        new_labels=len(new),
        scripts=len({label.behavior for label in labels}),
        new_scripts=len(set(new)),
    )


def told_late(found: Mapping[int, LateObserver]) -> str:
    """Return what late observers find as one sentence."""
    rows = (f"{late} s: {one.recall:.2f} at {one.false_positives:.3f}" for late, one in found.items())
    return (
        "For reference, who knew every need, but late, would find on live windows (recall at false positives): "
        f"{', '.join(rows)}. No bound: false positives differ, and a judge may foresee."
    )


def told_speed(speed: Speed) -> str:
    """Return what nothing was left out of, as one sentence."""
    return (
        f"Speed with no try left out: p99 {speed.prefix_p99_untrimmed_ms:g} ms over all tries at {speed.prefixes} "
        f"prefixes, {speed.step_p99_untrimmed_us:g} us over all passes over {speed.records} records; no bar."
    )


def model_named(facts: ModelFacts) -> str:
    """Return which very model file it is: two may share a version, but no digest."""
    return f"Model {facts.version}, file `{facts.digest}`"


def held_out_text(
    samples: Samples,
    compared: Mapping[str, DetectorMetrics],
    ours: str,
    *,
    model: ModelFacts,
    curves: Curves,
    speed: Speed,
    offers: Mapping[str, Offers],
    late: Mapping[int, LateObserver],
    acted: Acted,
    abstained: float,
    bars: Sequence[AcceptanceCriterion],
    wall_ns: int,
) -> str:
    """Return the page in markdown; `wall_ns` is when this look was taken."""
    hours = sum(facts.hours for facts in samples.sessions)
    programs = ", ".join(sorted({facts.program for facts in samples.sessions}))
    people = len({facts.person for facts in samples.sessions})
    live = samples.need[~samples.clip]
    data = (
        f"{model_named(model)}; {len(samples.sessions)} sessions, {hours:.2f} labelled hours in {programs}, "
        f"by {people} people; {len(live)} prefixes of live windows ({live.mean():.0%} with need), "
        f"of which it abstained on {abstained:.1%}."
    )
    new = (
        f"{acted.new_labels} of the {acted.labels} behaviors acted out ({acted.new_labels / acted.labels:.0%}) follow "
        f"a script that is in no training session: {acted.new_scripts} of {acted.scripts} different scripts "
        f"({acted.new_scripts / acted.scripts:.0%})."
    )
    levels = (
        f"{one} %: {with_interval(curves.auc[one])}, of need at the window's end {with_interval(curves.auc_ahead[one])}"
        for one in PERCENTS
    )
    auc = f"AUC of need over {curves.windows} whole windows, with intervals by drawing sessions: {'; '.join(levels)}."
    rises = (
        f"to {one} %: {with_interval(curves.rises[one])}, of need at the window's end "
        f"{with_interval(curves.rises_ahead[one])}"
        for one in PERCENTS[1:]
    )
    auc += f" By how much it rises from the prefix before, paired: {'; '.join(rises)}. The bar is on the first of each."
    made = "; ".join(
        f"{name}: {one.offers} offers in {one.hours:.1f} h, {one.needed} while help was needed, {one.hard_offers} in "
        f"{one.hard_hours:.1f} h of hard negatives, {one.between} between labels"
        for name, one in offers.items()
    )
    held = [
        "| bar | reached | limit | |",
        "|---|---|---|---|",
        *(f"| {bar.name} | {bar.value:g} | {bar.unit} {bar.limit:g} | {'' if bar.ok else 'missed'} |" for bar in bars),
    ]
    note = (
        f"The calibration error is weighted to a share of need of {NEED_SHARE:.0%}; all else is as the sessions are. "
        f"Offers are those of the policy `{POLICY.name}` with quiet_start_s = {POLICY.quiet_start_s:g}, nobody "
        f"answering and nothing learned from that; those without budget also with cooldown_s = "
        f"{UNLIMITED.cooldown_s:g}, novelty_s = {UNLIMITED.novelty_s:g} and no limit of offers. "
        "An offer counts for what went on where the prefix ended that it rests on, "
        "and if that was between labels, where it appears; `kairos bench policy` judges it by the moment at which it "
        "is shown."
    )
    when = datetime.fromtimestamp(wall_ns // NS_PER_S, UTC)
    last = f"| {when:%Y-%m-%d %H:%M} | `kairos bench detector`: this page, the newest look | {model.version} |"
    parts = (
        *(_HEAD, data, new, note, "", *table(compared, ours), "", auc, "", told_late(late), "", f"{made}.", ""),
        *(*_reliability(curves.reliability), "", told_speed(speed), "", *held, ""),
        *(LOOKS.read_text(encoding="utf-8").rstrip(), last),
    )
    return "\n".join(parts) + "\n"


def _reliability(bins: Sequence[Bin]) -> list[str]:
    whole = sum(one.weight for one in bins)
    rows = (f"| {one.predicted:.3f} | {one.observed:.3f} | {one.count} | {one.weight / whole:.3f} |" for one in bins)
    told = f"Reliability of help need at {NEED_SHARE:.0%}, by {len(bins)} bins of equal count; the calibration error is"
    return [
        f"{told} the mean gap, each bin with its weight:",
        "",
        "| predicted | observed | prefixes | weight |",
        "|---|---|---|---|",
        *rows,
    ]
