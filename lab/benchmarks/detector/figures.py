"""Figures of a detector on samples and on whole sessions, beside references for them.

*The clock*: scripts could put trouble late, and a detector that counts minutes would look good. So the AUC of the time
since the session's start stands beside every detector, and its own AUC among samples of about the same time.

*Curves* from prefix to prefix, with intervals from drawing whole sessions. Rises are paired: both prefixes come from
the same draw. Only windows with all four prefixes labelled are compared, each prefix with the truth at its own end and
with that at the window's end, which an early one has to foresee.

*Late observers* know the truth some seconds late. Signs of a change come after it, and in episodes of half a minute a
few seconds matter. This is no bound: false positives follow from the delay, and a detector may foresee a change.

*Offers* of the default policy to people who need none, without the quiet minutes at a session's start. A policy waits
for a break, often the unlabelled rest after a behavior, so an offer counts for what went on when the prefix it rests on
ended; between two labels, for what goes on where it appears; else for neither. `bench policy` judges by that moment.

*Senses*: the same sessions with some of their records left out, judged by the same model.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from daemon.engine.engine import Engine
from daemon.figures.intervals import Interval
from daemon.figures.resampling import Bools, Floats, Ints
from detectors.protocol import Detector
from lab.benchmarks.policy.trace import run_engine
from lab.benchmarks.policy.truth import hours_of
from lab.measure import metrics, resampling
from lab.measure.metrics import auc, auc_within
from lab.measure.report import Table
from lab.simulation.recording.labels import Label, label_at
from lab.simulation.recording.pack import Packed
from lab.training.dataset import AWAY, Samples
from lab.training.detector_metrics import (
    NEED_SHARE,
    PERCENTS,
    Ending,
    Predictions,
    measure_detector,
    predict_with,
    rows_by_ending,
)
from lab.training.extract import PLAIN, Variant
from policies import registry
from storage.clock import NS_PER_S
from storage.records import Offer, Prefix
from storage.settings import PolicySettings, Settings

EQUAL_SESSION_S = 30.0
EQUAL_LABEL_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockFigures:
    """AUC of need; NaN where no group of equal times has both kinds.

    Attributes:
        session_clock: of the seconds since the session began, on live windows.
        label_clock: of the seconds since the label began, on live windows.
        equal_session: of the detector among live windows of the same `EQUAL_SESSION_S` of a session.
        chained: of the detector among live windows of the same `EQUAL_LABEL_S` of a label.
        apart: the same among clips.
    """

    session_clock: float
    label_clock: float
    equal_session: float
    chained: float
    apart: float


def clock_figures(samples: Samples, opinion: Predictions) -> ClockFigures:
    """Return the figures of a detector's opinions, and of the clock."""
    live, clips = np.flatnonzero(~samples.clip), np.flatnonzero(samples.clip)
    session, label = samples.session_s, samples.label_s

    def within(rows: Ints, times: Floats, width: float) -> float:
        return auc_within(samples.need[rows], opinion.need[rows], (times[rows] // width).astype(np.int64))

    return ClockFigures(
        session_clock=auc(samples.need[live], session[live]),
        label_clock=auc(samples.need[live], label[live]),
        equal_session=within(live, session, EQUAL_SESSION_S),
        chained=within(live, label, EQUAL_LABEL_S),
        apart=within(clips, label, EQUAL_LABEL_S),
    )


def render_clock(found: ClockFigures) -> str:
    """Return the figures as one paragraph."""
    return (
        f"The clock alone, AUC of need on live windows: {found.session_clock:.3f} by the seconds since the session "
        f"began, {found.label_clock:.3f} since the behavior began. The detector among samples of equal time: "
        f"{found.equal_session:.3f} in the same {EQUAL_SESSION_S:g} s of a session, {found.chained:.3f} in the same "
        f"{EQUAL_LABEL_S:g} s of a behavior with what came before in memory, {found.apart:.3f} in clips, each with an "
        "empty memory."
    )


_SEED = 20261121


@dataclass(frozen=True, slots=True, kw_only=True)
class Curves:
    """Figures per prefix, in percent of the window or clip.

    Attributes:
        windows: how many live windows were compared.
        auc: of need at each prefix's own end.
        auc_ahead: of need at the window's end.
        rises: by how much the AUC grows from one prefix to the next, keyed by the later one.
        rises_ahead: the same for need at the window's end.
        clip_accuracy: of states on clips, all states weighing the same.
        reliability: bins of live prefixes by probability, weighted to `NEED_SHARE`; none where there is no probability.
    """

    windows: int
    auc: Mapping[int, Interval]
    auc_ahead: Mapping[int, Interval]
    rises: Mapping[int, Interval]
    rises_ahead: Mapping[int, Interval]
    clip_accuracy: Mapping[int, float]
    reliability: Sequence[metrics.Bin]


def curves_of(samples: Samples, opinion: Predictions) -> Curves:
    """Return the curves of one detector's opinions."""
    rows = whole_windows(samples)
    sessions = samples.session[rows[:, 0]]
    now = samples.need[rows]
    ahead = np.repeat(now[:, -1:], len(PERCENTS), axis=1)
    score = opinion.need[rows]
    clips = {percent: samples.clip & (np.round(samples.fraction * 100) == percent) for percent in PERCENTS}
    return Curves(
        windows=len(rows),
        auc=_levels(now, score, sessions),
        auc_ahead=_levels(ahead, score, sessions),
        rises=_rises(now, score, sessions),
        rises_ahead=_rises(ahead, score, sessions),
        clip_accuracy={one: _accuracy(samples, opinion, at) for one, at in clips.items()},
        reliability=_reliability(samples, opinion),
    )


def whole_windows(samples: Samples) -> Ints:
    """Return for each live window with four labelled prefixes their rows, in order of time."""
    live = np.flatnonzero(~samples.clip & ~samples.truncated)
    windows = np.split(live, np.flatnonzero(np.diff(samples.group[live])) + 1)
    found = [rows for rows in windows if np.round(samples.fraction[rows] * 100).astype(int).tolist() == list(PERCENTS)]
    return np.array(found, np.int64).reshape(-1, len(PERCENTS))


def _levels(need: Bools, score: Floats, sessions: Ints) -> dict[int, Interval]:
    def figure(at: int) -> Interval:
        rng = np.random.default_rng(_SEED)
        return resampling.bootstrap(sessions, lambda rows: metrics.auc(need[rows, at], score[rows, at]), rng=rng)

    return {one: figure(at) for at, one in enumerate(PERCENTS)}


def _rises(need: Bools, score: Floats, sessions: Ints) -> dict[int, Interval]:
    def figure(early: int, late: int) -> Interval:
        rng = np.random.default_rng(_SEED)
        return resampling.bootstrap(
            sessions,
            lambda rows: (
                metrics.auc(need[rows, late], score[rows, late]) - metrics.auc(need[rows, early], score[rows, early])
            ),
            rng=rng,
        )

    return {PERCENTS[late]: figure(early, late) for early, late in pairwise(range(len(PERCENTS)))}


def _reliability(samples: Samples, opinion: Predictions) -> list[metrics.Bin]:
    if opinion.probability is None:
        return []
    live = ~samples.clip
    weights = metrics.prevalence_weights(samples.need[live], NEED_SHARE)
    return metrics.reliability(samples.need[live], opinion.probability[live], weights)


def _accuracy(samples: Samples, opinion: Predictions, rows: Bools) -> float:
    known = rows & (samples.state != AWAY)
    return float(metrics.recalls(metrics.confusion(samples.state[known], opinion.state[known], 9)).mean())


LATE_S = (2, 4, 6, 8, 10, 15)


@dataclass(frozen=True, slots=True, kw_only=True)
class LateObserver:
    """Recall and false positives of an observer who is never wrong, but late."""

    recall: float
    false_positives: float


def late_observers(samples: Samples, sessions: Sequence[Packed]) -> Mapping[int, LateObserver]:
    """Return what late observers find over all live windows, by seconds of lateness."""
    labels = {session.name: session.labels for session in sessions}
    live = samples.where(~samples.clip)
    return {late_s: _observer(live, labels, late_s) for late_s in LATE_S}


def _observer(live: Samples, labels: Mapping[str, Sequence[Label]], late_s: int) -> LateObserver:
    names = [live.sessions[at].name for at in live.session.tolist()]
    ends = (live.end_ns - late_s * NS_PER_S).tolist()
    predicted: NDArray[np.bool_] = np.array([_needed(labels[name], at) for name, at in zip(names, ends, strict=True)])
    return LateObserver(recall=float(predicted[live.need].mean()), false_positives=float(predicted[~live.need].mean()))


def _needed(labels: Sequence[Label], at_ns: int) -> bool:
    """Return whether help was needed then; between two labels the last one holds."""
    begun = [label for label in labels if label.start_ns <= at_ns]
    return bool(begun) and begun[-1].needs_help(at_ns)


POLICY = PolicySettings(quiet_start_s=0.0)
UNLIMITED = replace(POLICY, offers_per_hour=100_000, offers_per_day=100_000, cooldown_s=0.0, novelty_s=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferCounts:
    """Offers and hours of sessions: in all, while help was needed, in hard negatives, and between labels."""

    hours: float
    offers: int
    needed: int
    hard_hours: float
    hard_offers: int
    between: int

    @property
    def hard_per_hour(self) -> float:
        """Offers an hour of hard negatives."""
        return self.hard_offers / self.hard_hours if self.hard_hours else 0.0


def count_offers(
    sessions: Iterable[Packed], detector: Detector, base_rate: float, policy: PolicySettings
) -> OfferCounts:
    """Run a detector and the default policy over every session, and count the offers by their labels."""
    hours = hard_hours = 0.0
    offers = needed = hard = between = 0
    for session in sessions:
        hours += hours_of(session.labels)
        hard_hours += hours_of(label for label in session.labels if label.hard_negative)
        for offer, seen_to_ns in offers_in(session, detector, base_rate, policy):
            moments = [(label_at(session.labels, at_ns), at_ns) for at_ns in (seen_to_ns, offer.shown_at_ns)]
            label, at_ns = next(((label, at_ns) for label, at_ns in moments if label is not None), (None, 0))
            offers += 1
            needed += label is not None and label.needs_help(at_ns)
            hard += label is not None and label.hard_negative
            between += label is None
    return OfferCounts(
        hours=hours, offers=offers, needed=needed, hard_hours=hard_hours, hard_offers=hard, between=between
    )


def offers_in(session: Packed, detector: Detector, base_rate: float, policy: PolicySettings) -> list[tuple[Offer, int]]:
    """Return the offers of one session, each with the end of the prefix it rests on.

    None is shown, or the policy would learn from each that expires that it had been ignored.
    """
    settings = Settings(policy=policy)
    loaded = registry.load(policy, base_rate)
    engine = Engine(detector=detector, policy=loaded, settings=settings, is_shown=lambda _: False)
    ends_ns: dict[str, int] = {}
    found: list[tuple[Offer, int]] = []
    for row in chain.from_iterable(run_engine(engine, session.rows)):
        if isinstance(row, Prefix):
            ends_ns[row.prefix_id] = row.end_ns
        elif isinstance(row, Offer):
            found.append((row, ends_ns[row.prefix_id]))
    return found


ALL_SENSES, NO_CONTROLS = "all senses", "gestures and states"
VERSIONS: Mapping[str, Variant] = MappingProxyType(
    {
        ALL_SENSES: PLAIN,
        NO_CONTROLS: Variant(controls=False),
        "gestures and controls": Variant(tiles=False),
        "gestures": Variant(controls=False, tiles=False),
    }
)
NO_PLACES: Mapping[str, Variant] = MappingProxyType(
    {
        "all senses, no places": Variant(places=False),
        "gestures, no places": Variant(controls=False, tiles=False, places=False),
    }
)
"""As if every window were one of many small equal controls: repeated places are signs of need, too."""

_WHOLE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SenseFigures:
    """What a model reaches on one version of the sessions, at its own thresholds."""

    auc: Mapping[Ending, float]
    recall: Mapping[Ending, float]
    fpr: Mapping[Ending, float]
    chained: float
    clip_accuracy: float
    ece: float


def sense_figures(
    versions: Mapping[str, Samples], detector: Detector, thresholds: Mapping[Ending, float]
) -> dict[str, SenseFigures]:
    """Return the figures of a detector on each version."""
    found = {}
    for name, samples in versions.items():
        opinion = predict_with(detector, samples)
        all_of_it = measure_detector(samples, opinion, thresholds)
        found[name] = SenseFigures(
            auc=all_of_it.auc,
            recall=all_of_it.recall,
            fpr=all_of_it.fpr,
            chained=clock_figures(samples, opinion).chained,
            clip_accuracy=all_of_it.clip_accuracy,
            ece=float("nan") if all_of_it.ece is None else all_of_it.ece,
        )
    return found


def auc_by_program(samples: Samples, opinion: Predictions) -> dict[str, float]:
    """Return the AUC of need on whole live windows in each program that has both kinds."""
    rows = rows_by_ending(samples)[_WHOLE]
    programs = {str(program): rows & (samples.program == program) for program in np.unique(samples.program)}
    found = {name: metrics.auc(samples.need[own], opinion.need[own]) for name, own in programs.items()}
    return {name: value for name, value in found.items() if np.isfinite(value)}


def senses_table(found: Mapping[str, SenseFigures]) -> Table:
    """Return a table of the versions."""
    return Table(
        ("senses", "AUC 25 / 100 %", "recall 25 / 100 %", "false positives", "equal times", "clips: accuracy", "ECE"),
        [
            (
                name,
                f"{one.auc[25]:.3f} / {one.auc[100]:.3f}",
                f"{one.recall[25]:.2f} / {one.recall[100]:.2f}",
                f"{one.fpr[25]:.3f} / {one.fpr[100]:.3f}",
                f"{one.chained:.3f}",
                f"{one.clip_accuracy:.3f}",
                f"{one.ece:.3f}",
            )
            for name, one in found.items()
        ],
    )
