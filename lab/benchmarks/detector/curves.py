"""How a detector gets better from prefix to prefix, with intervals from drawing whole sessions, and how reliable it is.

Rises are paired: both prefixes come from the same draw. A live window's prefix is compared with the
truth at its own end, and with that at the window's end, which an early prefix has to foresee. Only windows with
all four prefixes labelled are compared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from daemon.figures import resampling
from daemon.figures.intervals import Interval
from daemon.figures.resampling import Floats, Ints
from lab.measure import metrics
from lab.training.dataset import AWAY, Samples
from lab.training.detector_metrics import NEED_SHARE, PERCENTS, Predictions

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
    clips = {one: samples.clip & (np.round(samples.fraction * 100) == one) for one in PERCENTS}
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


def _levels(need: resampling.Bools, score: Floats, sessions: Ints) -> dict[int, Interval]:
    def figure(at: int) -> Interval:
        rng = np.random.default_rng(_SEED)
        return resampling.bootstrap(sessions, lambda rows: metrics.auc(need[rows, at], score[rows, at]), rng=rng)

    return {one: figure(at) for at, one in enumerate(PERCENTS)}


def _rises(need: resampling.Bools, score: Floats, sessions: Ints) -> dict[int, Interval]:
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


def _accuracy(samples: Samples, opinion: Predictions, rows: resampling.Bools) -> float:
    known = rows & (samples.state != AWAY)
    return float(metrics.recalls(metrics.confusion(samples.state[known], opinion.state[known], 9)).mean())
