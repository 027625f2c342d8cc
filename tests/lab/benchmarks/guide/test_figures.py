"""Figures of the GUIDE benchmark equal scikit-learn's and a count by hand, on random answers with gaps."""

import random
from dataclasses import replace

import numpy as np
import pytest
from sklearn import metrics as theirs

from daemon.diagnosis.model_queries.answers import StoredAnswer
from detectors.mllm.questions import FailureReason, Task
from lab.benchmarks.guide.clips import Clip, Collection
from lab.benchmarks.guide.figures import (
    NO_ANSWER,
    Cell,
    GuideFigures,
    figures_of,
    mbacc_of,
    need_rates,
    predicted_need,
    state_confusion,
    states_alone,
)
from lab.benchmarks.guide.jobs import AnsweredQuestion, Context, Pair
from storage.records import State
from tests.fakes.narrowing import present

STATES = [state.value for state in State]


def cell_of(figures: GuideFigures, task: Task, percent: int = 100) -> Cell | None:
    found = (cell for cell in figures.cells if (cell.task, cell.context, cell.percent) == (task, Context.NONE, percent))
    return next(found, None)


def row(
    task: Task, clip: int, right: str, guess: str | None, *, percent: int = 100, pair: Pair | None = None
) -> AnsweredQuestion:
    none = StoredAnswer(trouble=FailureReason.NONSENSE)
    answer = none if guess is None else StoredAnswer(distribution={guess: 0.8, "other": 0.2})
    return AnsweredQuestion(
        video=f"v{clip // 3}",
        app="calc" if clip % 2 else "writer",
        clip=f"c{clip}",
        task=task,
        context=Context.NONE,
        percent=percent,
        pair=pair,
        right=right,
        answer=answer,
    )


@pytest.fixture(params=range(2))
def rng(request: pytest.FixtureRequest) -> random.Random:
    return random.Random(request.param)


def test_states_equal_scikit_learns(rng: random.Random) -> None:
    truth = [rng.choice(STATES[:8]) for _ in range(300)]
    guess = [rng.choice([right, right, *STATES, None]) for right in truth]
    rows = [row(Task.BEHAVIOR, n, *pair) for n, pair in enumerate(zip(truth, guess, strict=True))]
    figures = figures_of(rows)
    cell = present(cell_of(figures, Task.BEHAVIOR))
    named = [label or "none" for label in guess]
    assert cell.accuracy.value == pytest.approx(theirs.accuracy_score(truth, named))
    assert cell.accuracy.low <= cell.accuracy.value <= cell.accuracy.high
    assert cell.answered == 300 - guess.count(None)
    expected = theirs.confusion_matrix(truth, named, labels=[*STATES, "none"])[:NO_ANSWER]
    assert (np.array(figures.confusion) == expected).all()
    assert (state_confusion(rows) == expected).all()


def test_need_equals_scikit_learns(rng: random.Random) -> None:
    truth = [rng.choice(["yes", "no", "no"]) for _ in range(200)]
    guess = [rng.choice([right, right, "yes", "no", None]) for right in truth]
    rows = [row(Task.NEED, n, *pair) for n, pair in enumerate(zip(truth, guess, strict=True))]
    opposite = {"yes": "no", "no": "yes"}
    filled = [one or opposite[right] for right, one in zip(truth, guess, strict=True)]
    precision, recall, f1, _ = theirs.precision_recall_fscore_support(truth, filled, pos_label="yes", average="binary")
    found = present(cell_of(figures_of(rows), Task.NEED))
    assert found.need is not None
    assert found.need.precision.value == pytest.approx(precision)
    assert found.need.recall.value == pytest.approx(recall)
    assert found.need.f1.value == pytest.approx(f1)
    assert found.accuracy.value == pytest.approx(theirs.accuracy_score(truth, filled))
    assert [predicted_need(answered) for answered in rows] == [answer == "yes" for answer in filled]


def test_mbacc_equals_a_count_by_hand(rng: random.Random) -> None:
    wins = {
        (clip, against, swapped): rng.random() < 0.85
        for clip in range(120)
        for against in range(3)
        for swapped in (False, True)
    }
    pairs = [
        row(Task.INTENT, clip, "o1", "o1" if won else rng.choice(["o2", None]), pair=Pair(against=a, swapped=s))
        for (clip, a, s), won in wins.items()
    ]
    rng.shuffle(pairs)
    singles = [row(Task.INTENT, clip, "o1", "o1") for clip in range(120)]
    cell = present(cell_of(figures_of([*singles, *pairs]), Task.INTENT))
    one_order = sum(all(wins[clip, a, False] for a in range(3)) for clip in range(120)) / 120
    both = sum(all(wins[clip, a, s] for a in range(3) for s in (False, True)) for clip in range(120)) / 120
    assert present(cell.mbacc).value == pytest.approx(one_order)
    assert present(cell.mbacc_both).value == pytest.approx(both)
    assert both < one_order < 1
    assert sum(mbacc_of(pairs).values()) == round(both * 120)


def test_prefixes_and_programs_have_figures_of_their_own() -> None:
    rows = [row(Task.NEED, n, "yes", "yes") for n in range(6)]
    rows += [row(Task.NEED, n, "yes", "no", percent=25) for n in range(6)]
    figures = figures_of(rows)
    whole, early = cell_of(figures, Task.NEED), cell_of(figures, Task.NEED, percent=25)
    assert present(whole).accuracy.value == 1.0
    assert present(early).accuracy.value == 0.0
    assert figures.apps["calc"][Task.NEED] == 1.0
    assert figures.clips_of_app == {"calc": 3, "writer": 3}
    assert figures.troubles == {}


def test_need_by_state_alone_is_what_other_videos_say_of_the_states() -> None:
    """A state with need elsewhere predicts it, one without does not; a clip never speaks for its own video."""
    states = [State.FRUSTRATION, State.WAITING, State.DEBUGGING]
    clips = [
        Clip(key=f"c{n}", video=f"v{n // 3}", app="", start_s=0, end_s=9, states=(states[n % 3],), need=n % 3 == 0)
        for n in range(9)
    ]
    odd = replace(clips[8], need=True)
    data = Collection(whose="", simulated=True, videos={}, clips=(*clips[:8], odd))
    rows = [row(Task.NEED, n, "yes", "no") for n in range(9)]
    found = present(states_alone(data, rows))
    assert found.need == pytest.approx((3 / 5, 3 / 4, 2 / 3))
    assert found.accuracy == {"need+behavior": pytest.approx(6 / 9)}
    assert states_alone(replace(data, clips=data.clips[:3]), rows) is None
    assert states_alone(data, [row(Task.INTENT, 0, "a", "b")]) is None


def test_rates_without_a_case_are_zero_and_no_error() -> None:
    """Nothing said, or nothing true, divides by nothing."""
    precision, recall, f1 = need_rates(np.array([[0.0, 3.0, 0.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]]))
    assert not precision.any()
    assert not recall.any()
    assert not f1.any()
