"""The rival that sees the event stream: its tokens, what it may see, and that it learns."""

import numpy as np
import pytest

from evaluation.training.dataset import AWAY, STATES, Samples, samples_of
from evaluation.training.splits import Fold
from evaluation.training.stream import LENGTH, WIDTH, score_streams, sequences, stream_of
from storage.records import InputEvent
from tests.evaluation.training.test_splits import session
from tests.fakes.evaluation.desk_sessions import desk_session

ROWS, _ = desk_session(0)
STREAM = stream_of(ROWS)


def samples() -> Samples:
    """Return the plain samples of one session."""
    return samples_of(session("a", 0))


def test_tokens_keep_time_and_leave_releases_out() -> None:
    """One token for each record that tells something, in order, with the time since the one before."""
    told = [row for row in ROWS if isinstance(row, InputEvent) and row.kind == "button_up"]
    assert told
    assert len(STREAM.at_ns) < len(ROWS) - len(told)
    assert (np.diff(STREAM.at_ns) >= 0).all()
    gaps = np.expm1(STREAM.values[1:, 0]) * 1e9
    assert np.abs(gaps - np.diff(STREAM.at_ns)).max() < 1e7
    assert STREAM.values.shape[1] == WIDTH
    assert np.isfinite(STREAM.values).all()


def test_a_clip_sees_only_what_lies_inside_it() -> None:
    """Before its start there is nothing; a live window also remembers what was before it."""
    plain = samples()
    data = sequences(plain, [STREAM])
    seen = (data[:, :-1, -1] > 0).sum(axis=1)
    inside = [
        int(((STREAM.at_ns >= start) & (STREAM.at_ns < end)).sum())
        for start, end in zip(plain.start_ns.tolist(), plain.end_ns.tolist(), strict=True)
    ]
    clips = plain.clip
    assert seen[clips].tolist() == np.minimum(np.array(inside), LENGTH - 1)[clips].tolist()
    assert (seen[~clips] >= np.minimum(np.array(inside), LENGTH - 1)[~clips]).all()
    assert seen[~clips].sum() > np.array(inside)[~clips].sum()


@pytest.mark.slow
def test_it_learns_what_it_is_shown() -> None:
    """On the very samples it was trained on it is far better than chance, which is one in nine."""
    plain = samples()
    every = np.ones(len(plain), np.bool_)
    fold = Fold(name="all", learn=every, score=every, unseen=~every, hides=())
    said = score_streams(plain, [STREAM], [fold], epochs=30, seed=1)
    known = plain.state != AWAY
    assert (said.states.argmax(axis=1) == plain.state)[known].mean() > 0.5
    assert said.states.shape == (len(plain), len(STATES))
