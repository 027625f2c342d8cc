"""The figures of an observer who knows the truth some seconds late: a reference for live figures.

Signs of a change come after it. In episodes of half a minute a few seconds matter: the observer misses the begin of
need and reports it after its end. This is no bound: false positives follow from the delay, not from a detector's
threshold, and a detector may foresee a change.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.simulation.recording.labels import Label
from lab.simulation.recording.pack import Packed
from lab.training.dataset import Samples
from storage.clock import NS_PER_S

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
