"""Rates of verdicts by hand: the positive class, no figure for 0/0, and no answer as the wrong class."""

import pytest

from daemon.diagnosis.model_diagnosis.findings import Outcome, Verdict
from daemon.diagnosis.model_diagnosis.run import JudgedTrajectory, TaskSource
from lab.benchmarks.diagnosis.judged.rates import by_benchmark, by_length, judged_pairs, rates, spreads


def judged(steps: int, truth: bool | None, *outcomes: Outcome | None, key: str = "t") -> JudgedTrajectory:
    """Return a trajectory with a truth and one verdict for each repetition."""
    return JudgedTrajectory(
        source="s",
        key=key,
        whose="agent",
        app="a",
        steps=steps,
        task="x",
        task_source=TaskSource.FILE,
        verdicts=tuple(Verdict(outcome=outcome) for outcome in outcomes),
        outcome=truth,
    )


def test_rates_by_hand() -> None:
    """Three hits, one false alarm, two misses, four others."""
    found = rates([(True, True)] * 3 + [(False, True)] + [(True, False)] * 2 + [(False, False)] * 4)
    assert found.accuracy is not None
    assert (found.count, found.accuracy.value, found.precision, found.recall) == (10, 0.7, 0.75, 0.6)
    assert found.f1 == pytest.approx(2 * 0.75 * 0.6 / 1.35)
    assert found.base_rate == 0.5


def test_no_answer_counts_as_the_wrong_class() -> None:
    """Of a success as failure, of a failure as success; it is counted."""
    unanswered = rates([(True, None), (False, None), (True, True), (False, False)])
    wrong = rates([(True, False), (False, True), (True, True), (False, False)])
    assert unanswered.unanswered == 2
    assert (unanswered.accuracy, unanswered.precision, unanswered.recall) == (
        wrong.accuracy,
        wrong.precision,
        wrong.recall,
    )


def test_of_nothing_there_is_no_figure() -> None:
    """Nobody said success: precision is none, not 0; nothing at all: none of them is a figure."""
    assert rates([(True, False)]).precision is None
    assert rates([(True, False)]).recall == 0.0
    assert rates([(False, False)]).recall is None
    assert (rates([]).accuracy, rates([]).f1, rates([]).base_rate) == (None, None, None)


def test_groups_of_length_are_those_of_the_paper() -> None:
    """From the first number on, below the second; 50 to 80 includes 80."""
    lengths = (1, 9, 10, 19, 20, 30, 40, 49, 50, 80, 81)
    groups = by_length([judged(length, True, Outcome.SUCCESS) for length in lengths])
    assert {name: one.count for name, one in groups.items()} == {
        "1 to 9 steps": 2,
        "10 to 19 steps": 2,
        "20 to 29 steps": 1,
        "30 to 39 steps": 1,
        "40 to 49 steps": 2,
        "50 to 80 steps": 2,
        "longer": 1,
    }


def test_groups_by_benchmark_and_unknown_truth() -> None:
    """Trajectories without a truth are in no rate."""
    every = [
        judged(3, True, Outcome.SUCCESS, key="a"),
        judged(3, False, Outcome.SUCCESS, key="b"),
        judged(3, None, Outcome.SUCCESS, key="c"),
    ]
    found = by_benchmark(every, {"a": "WA", "b": "VWA", "c": "WA"})
    assert {name: one.count for name, one in found.items()} == {"VWA": 1, "WA": 1}
    assert judged_pairs(every) == [(True, True), (False, True)]


def test_the_deviation_over_repetitions_is_that_of_a_sample() -> None:
    """N - 1; of one repetition there is none, and where one has no figure there is no mean either."""
    right, wrong = Outcome.SUCCESS, Outcome.FAILURE
    every = [judged(3, True, right, right, wrong), judged(3, True, right, wrong, wrong)]
    found = spreads(every, 3)
    assert found["accuracy"].mean == pytest.approx(0.5)
    assert found["accuracy"].deviation == pytest.approx(0.5)
    assert "precision" not in found
    assert spreads(every, 1)["accuracy"].deviation is None
