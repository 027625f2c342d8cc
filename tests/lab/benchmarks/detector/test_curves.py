"""Curves over the prefixes, on made-up windows whose figures can be worked out by hand."""

from functools import partial

import numpy as np
import pytest

from daemon.figures import resampling
from lab.benchmarks.detector.curves import curves_of, whole_windows
from lab.training.dataset import Samples
from lab.training.detector_metrics import PERCENTS, Predictions
from storage.records import State
from tests.fakes.lab.samples import Row, clip, samples_from, window

ALL, NONE = (True,) * 4, (False,) * 4
AUCS = {25: 0.625, 50: 0.75, 75: 0.875, 100: 1.0}


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resampling, "bootstrap", partial(resampling.bootstrap, draws=20))


def ramp() -> tuple[Samples, np.ndarray]:
    """Return four windows with need and four without in each of three sessions, and who sees one more each prefix."""
    session = [row for number in range(8) for row in window(number, ALL if number < 4 else NONE)]
    score = [float(row.need and row.window < PERCENTS.index(row.part) + 1) for row in session]
    return samples_from([session] * 3), np.array(score * 3)


def opinion(score: np.ndarray, state: np.ndarray | None = None) -> Predictions:
    """Return an opinion that ranks need so."""
    return Predictions(state=np.zeros(len(score), np.int64) if state is None else state, need=score)


def test_more_recall_with_each_prefix_raises_the_curve() -> None:
    """One of four, two of four, ...: half of the rest is a tie. Sessions are alike, so intervals have no width."""
    samples, score = ramp()
    found = curves_of(samples, opinion(score))
    assert found.windows == 24
    for levels in (found.auc, found.auc_ahead):
        assert {one: level.value for one, level in levels.items()} == pytest.approx(AUCS)
        assert {one: (level.low, level.high) for one, level in levels.items()} == {
            one: (value, value) for one, value in AUCS.items()
        }
    for rises in (found.rises, found.rises_ahead):
        assert {(rise.value, rise.low) for rise in rises.values()} == {(0.125, 0.125)}
        assert tuple(rises) == PERCENTS[1:]


def test_the_reverse_falls() -> None:
    """The control: who takes need for calm gets worse with each prefix by as much."""
    samples, score = ramp()
    found = curves_of(samples, opinion(-score))
    assert {one: level.value for one, level in found.auc.items()} == pytest.approx(
        {one: 1.0 - value for one, value in AUCS.items()}
    )
    assert all(rise.value == rise.high == -0.125 for rise in found.rises.values())


def test_need_to_come_is_read_apart_from_need_now() -> None:
    """Who foresees need at the window's end is right about that, and early about a prefix without need."""
    rows = [*window(0, ALL), *window(1, (False, False, False, True)), *window(2, NONE)]
    score = np.array([1.0] * 8 + [0.0] * 4)
    found = curves_of(samples_from([rows, rows]), opinion(np.tile(score, 2)))
    assert found.auc[25].value == pytest.approx(0.75)
    assert found.auc[100].value == 1.0
    assert found.auc_ahead[25].value == 1.0


def test_only_whole_windows_are_compared() -> None:
    """A window cut short, one with a prefix without label, and a clip are left out."""
    rows: list[Row] = [
        *window(0, NONE, truncated=True),
        *window(1, ALL),
        *window(2, (True, True, True)),
        *clip(3, State.WAITING),
        *window(4, NONE),
    ]
    assert whole_windows(samples_from([rows])).tolist() == [[4, 5, 6, 7], [15, 16, 17, 18]]


def test_states_of_clips_weigh_the_same() -> None:
    """Three clips of a state all right and one of another all wrong: half as good as all right, not three quarters."""
    rows = [row for number in range(3) for row in clip(number, State.WAITING)] + clip(3, State.IDEATION)
    samples = samples_from([rows, [*window(0, ALL), *window(1, NONE)]])
    right = curves_of(samples, opinion(samples.need.astype(float), samples.state.copy()))
    waiting = np.full(len(samples), samples.state[0])
    half = curves_of(samples, opinion(samples.need.astype(float), waiting))
    assert right.clip_accuracy[100] > 0.0
    assert {one: half.clip_accuracy[one] / right.clip_accuracy[one] for one in PERCENTS} == dict.fromkeys(PERCENTS, 0.5)
