"""What the clock knows is not held to a detector's credit."""

from dataclasses import replace

import numpy as np
import pytest

from lab.benchmarks.detector.clock import EQUAL_LABEL_S, clock_figures, render_clock
from lab.training.dataset import Samples
from lab.training.detector_metrics import Predictions
from storage.clock import NS_PER_S
from tests.fakes.lab.samples import samples_from, window

LATE = (False, False, True, True)


def samples() -> Samples:
    """Return 20 sessions of four windows; in half of them need comes with the second half of each window."""
    return samples_from(
        [[row for at in range(4) for row in window(at, LATE if odd else (False,) * 4)] for odd in [0, 1] * 10]
    )


def judged(score: np.ndarray) -> Predictions:
    """Return these scores as opinions."""
    return Predictions(state=np.zeros(len(score), np.int64), need=score.astype(np.float64))


def test_a_detector_that_counts_seconds_is_seen_through() -> None:
    """Its AUC is the clock's, and among samples of equal time it knows nothing."""
    some = samples()
    found = clock_figures(some, judged(some.label_s // EQUAL_LABEL_S))
    assert found.label_clock > 0.6
    assert found.chained == pytest.approx(0.5)
    assert np.isnan(found.apart), "there are no clips"


def test_a_detector_that_knows_more_keeps_its_credit() -> None:
    """Who is right is right at equal times too; and trouble that is always late in a session shows in its clock."""
    some = samples()
    found = clock_figures(some, judged(some.need))
    assert found.chained == found.equal_session == 1.0
    late = replace(some, need=some.session_s > 60.0)
    assert clock_figures(late, judged(late.need)).session_clock == 1.0
    assert found.session_clock < 0.7
    assert f"{found.session_clock:.3f} by the seconds since the session began" in render_clock(found)


def test_a_session_begins_with_its_first_row() -> None:
    """Not with the machine's clock."""
    some = samples()
    moved = replace(some, sessions=tuple(replace(one, began_ns=-5 * NS_PER_S) for one in some.sessions))
    assert (moved.session_s - some.session_s).tolist() == [5.0] * len(some)
