"""What the clock alone knows of help need, and what a detector knows beyond it.

Scripts could put trouble late, and a detector that counts minutes would look good. So the AUC of the time since the
session's start stands beside every detector, and the detector's own AUC among samples of about the same time: in live
windows, where scenes follow each other, and in clips, where each begins with an empty memory.
"""

from dataclasses import dataclass

import numpy as np

from daemon.figures.resampling import Floats, Ints
from lab.measure.metrics import auc, auc_within
from lab.training.dataset import Samples
from lab.training.detector_metrics import Predictions

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
