"""Figures of help need in recordings of demos: by where a prefix ends, by program and by kind of trouble.

The threshold for a share of false positives is chosen on these very recordings, in the detector's favour, and anew in
each draw of an interval. A model's own thresholds stand beside it. What is missing is NaN, never 0. In demos need
always comes after a minute of calm, so a clock alone predicts much of it: compare with `time_alone`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from daemon.figures import resampling
from daemon.figures.intervals import Interval
from daemon.figures.resampling import Bools, Floats, Ints
from lab.benchmarks.demos.recordings import Phase, Recording
from lab.measure import metrics
from lab.training.dataset import AWAY, NAMES, Samples, SessionFacts
from lab.training.detector_metrics import (
    MAX_FPR,
    PERCENTS,
    Ending,
    Predictions,
    choose_thresholds,
    rows_by_ending,
    threshold_of,
    with_cut,
)
from storage.errors import BadFile

WHOLE = PERCENTS[-1]
CALM, NEVER_STUCK = "calm, then stuck", "calm throughout"
_SEED = 20261122
_WINDOWS_A_RECORDING = 1_000_000
_NAN = float("nan")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Recall of need and false positives at a threshold."""

    recall: float
    false: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EndingFigures:
    """Figures of the prefixes with one ending.

    Attributes:
        calm: how many ended in the calm phase; `need` is how many ended in need.
        chosen: at the threshold that keeps false positives on these very prefixes.
        shipped: at the threshold that came with the model; None for a detector that has none.
    """

    calm: int
    need: int
    auc: float
    chosen: Rates
    shipped: Rates | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFigures:
    """Share of a group's prefixes at or above the thresholds, each at that of its own ending.

    `kind` is a kind of trouble, the prefixes those in need; with `CALM` and `NEVER_STUCK` they are false positives.
    """

    program: str
    kind: str
    prefixes: int
    chosen: float
    shipped: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoFigures:
    """Figures of one detector; intervals are of whole windows, by drawing recordings."""

    endings: Mapping[Ending, EndingFigures]
    groups: tuple[GroupFigures, ...]
    auc: Interval
    recall: Interval
    abstained: float


def samples_of(recordings: Sequence[Recording]) -> Samples:
    """Return the calm prefixes and those in need as columns; what else there is, is left out.

    `behavior` is the kind of trouble, or `CALM` or `NEVER_STUCK`. States are not known here.

    Raises:
        BadFile: at some ending there is none of one kind, so nothing can be told.
    """
    used = [
        (number, one, seen.prefix, seen.phase == Phase.NEED)
        for number, one in enumerate(recordings)
        for seen in one.prefixes
        if seen.phase in {Phase.CALM, Phase.NEED}
    ]
    count = len(used)
    no, prefixes = np.zeros(count, np.bool_), [prefix for _, _, prefix, _ in used]
    rows = [[prefix.features[name] for name in NAMES] for prefix in prefixes]
    samples = Samples(
        features=np.array(rows, np.float32).reshape(-1, len(NAMES)),
        state=np.full(count, AWAY, np.int64),
        need=np.array([need for *_, need in used], np.bool_),
        clip=no,
        fraction=np.array([prefix.fraction for prefix in prefixes], np.float64),
        truncated=np.array([prefix.truncated for prefix in prefixes], np.bool_),
        start_ns=np.array([prefix.start_ns for prefix in prefixes], np.int64),
        end_ns=np.array([prefix.end_ns for prefix in prefixes], np.int64),
        label_ns=np.array([prefix.start_ns for prefix in prefixes], np.int64),
        hard_negative=no,
        held_out=no,
        group=np.array([_WINDOWS_A_RECORDING * number + one.window_id for number, _, one, _ in used], np.int64),
        session=np.array([number for number, *_ in used], np.int64),
        plain=~no,
        behavior=np.array([_kind(one, need=need) for _, one, _, need in used], np.str_),
        sessions=tuple(_facts(number, one) for number, one in enumerate(recordings)),
    )
    for ending, at in rows_by_ending(samples).items():
        calm, needed = (~samples.need[at]).any(), samples.need[at].any()
        if ending in PERCENTS and not (calm and needed):
            raise BadFile(
                f"{len(recordings)} recordings are too few: at {ending} % of a window nobody is "
                f"{'calm' if needed else 'in need'}",
                remedy="make more with kairos demo, each with another --seed and --out",
            )
    return samples


def figures_of(samples: Samples, opinion: Predictions, shipped: Mapping[Ending, float] | None = None) -> DemoFigures:
    """Return the figures of a detector's opinions; `shipped` are thresholds that came with it."""
    rows = rows_by_ending(samples)
    chosen = with_cut(choose_thresholds(samples, opinion.need))
    own = None if shipped is None else with_cut(shipped)
    whole = rows[WHOLE]
    need, score, session = samples.need[whole], opinion.need[whole], samples.session[whole]
    return DemoFigures(
        endings={
            ending: EndingFigures(
                calm=int((~samples.need[at]).sum()),
                need=int(samples.need[at].sum()),
                auc=metrics.auc(samples.need[at], opinion.need[at]),
                chosen=_rates(samples.need[at], opinion.need[at], chosen[ending]),
                shipped=None if own is None else _rates(samples.need[at], opinion.need[at], own[ending]),
            )
            for ending, at in rows.items()
        },
        groups=_groups(
            samples,
            opinion.need >= threshold_of(samples, chosen),
            None if own is None else opinion.need >= threshold_of(samples, own),
        ),
        auc=_bootstrap(session, lambda drawn: metrics.auc(need[drawn], score[drawn])),
        recall=_bootstrap(session, lambda drawn: _recall_at_share(need[drawn], score[drawn])),
        abstained=0.0 if opinion.abstained is None else float(opinion.abstained.mean()),
    )


def time_alone(samples: Samples) -> float:
    """Return the AUC of a clock at whole windows: the time since the first window of the recording began."""
    begun_ns = np.full(len(samples.sessions), np.iinfo(np.int64).max)
    np.minimum.at(begun_ns, samples.session, samples.start_ns)
    whole = rows_by_ending(samples)[WHOLE]
    since_ns = samples.end_ns - begun_ns[samples.session]
    return metrics.auc(samples.need[whole], since_ns[whole].astype(np.float64))


def _kind(recording: Recording, *, need: bool) -> str:
    if recording.kind is None:
        return NEVER_STUCK
    return recording.kind if need else CALM


def _rates(need: Bools, score: Floats, threshold: float) -> Rates:
    recall, false = metrics.rates_at(need, score, threshold)
    return Rates(recall=recall if need.any() else _NAN, false=_NAN if need.all() else false)


def _recall_at_share(need: Bools, score: Floats) -> float:
    if need.all() or not need.any():
        return _NAN
    return metrics.rates_at(need, score, metrics.threshold_at(need, score, MAX_FPR))[0]


def _bootstrap(session: Ints, figure: Callable[[Ints], float]) -> Interval:
    return resampling.bootstrap(session, figure, rng=np.random.default_rng(_SEED))


def _groups(samples: Samples, chosen: Bools, shipped: Bools | None) -> tuple[GroupFigures, ...]:
    """Return a program's calm prefixes first, then its kinds of trouble."""
    groups = set(zip(samples.program.tolist(), (~samples.need).tolist(), samples.behavior.tolist(), strict=True))
    found = []
    for program, calm, kind in sorted(groups, key=lambda one: (one[0], not one[1], one[2])):
        at = (samples.program == program) & (samples.need != calm) & (samples.behavior == kind)
        found.append(
            GroupFigures(
                program=program,
                kind=kind,
                prefixes=int(at.sum()),
                chosen=float(chosen[at].mean()),
                shipped=None if shipped is None else float(shipped[at].mean()),
            )
        )
    return tuple(found)


def _facts(number: int, recording: Recording) -> SessionFacts:
    counts = recording.counts()
    return SessionFacts(
        name=recording.name,
        program=recording.program,
        person=number,
        split="demo",
        hours=0.0,
        unlabelled=counts.total() - counts[Phase.CALM] - counts[Phase.NEED],
    )
