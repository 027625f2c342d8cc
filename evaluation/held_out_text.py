"""What goes beside the model card: how the model did on sessions that nothing was chosen on, in words and tables."""

from collections.abc import Mapping, Sequence

from evaluation.bars import with_interval
from evaluation.bench_capture import Bar
from evaluation.detector_curves import Curves
from evaluation.hard_offers import Offers
from evaluation.late_observer import Limit
from evaluation.training.card import table
from evaluation.training.dataset import Samples
from evaluation.training.figures import NEED_SHARE, PERCENTS, Figures

_HEAD = """# Held out

**Everything here is simulated.** Programs, people and at least half of the behaviors of these sessions are in no
training session. Thresholds of help need come from the folds of the training split as they are, and each model that is
shipped was scored here once. The simple judges' thresholds were chosen on these very sessions, in their favour.

`kairos bench detector --out DIR` writes this page.
"""


def told_limits(found: Mapping[int, Limit]) -> str:
    """Return the limits as one sentence."""
    rows = (f"{late} s: {one.recall:.2f} at {one.false_positives:.3f}" for late, one in found.items())
    return f"Who knew every need, but late, would find on live windows (recall at false positives): {', '.join(rows)}."


def held_out_text(
    samples: Samples,
    compared: Mapping[str, Figures],
    ours: str,
    *,
    version: str,
    curves: Curves,
    offers: Mapping[str, Offers],
    limits: Mapping[int, Limit],
    abstained: float,
    bars: Sequence[Bar],
) -> str:
    """Return the page in markdown."""
    hours = sum(facts.hours for facts in samples.sessions)
    programs = ", ".join(sorted({facts.program for facts in samples.sessions}))
    people = len({facts.person for facts in samples.sessions})
    live = samples.need[~samples.clip]
    data = (
        f"Model {version}; {len(samples.sessions)} sessions, {hours:.2f} labelled hours in {programs}, by {people} "
        f"people; {len(live)} prefixes of live windows ({live.mean():.0%} with need), "
        f"of which it abstained on {abstained:.1%}."
    )
    rises = (
        f"{one} %: {with_interval(curves.auc[one])}, of need at the window's end {with_interval(curves.auc_ahead[one])}"
        for one in PERCENTS
    )
    auc = f"AUC of need over {curves.windows} whole windows, with intervals by drawing sessions: {'; '.join(rises)}."
    made = "; ".join(
        f"{name}: {one.offers} offers in {one.hours:.1f} h, {one.needed} while help was needed, {one.hard_offers} in "
        f"{one.hard_hours:.1f} h of hard negatives"
        for name, one in offers.items()
    )
    held = [
        "| bar | reached | limit | |",
        "|---|---|---|---|",
        *(f"| {bar.name} | {bar.value:g} | {bar.unit} {bar.limit:g} | {'' if bar.ok else 'missed'} |" for bar in bars),
    ]
    note = f"Need is weighted to a share of {NEED_SHARE:.0%}. Offers are those of the default policy, nobody answering."
    parts = (_HEAD, data, note, "", *table(compared, ours), "", auc, "", told_limits(limits), "", f"{made}.", "", *held)
    return "\n".join(parts) + "\n"
