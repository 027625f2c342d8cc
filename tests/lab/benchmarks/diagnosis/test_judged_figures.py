"""Rates, boundaries, ratings and published figures of judges."""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.diagnosis.model_diagnosis.findings import Segment, TaskOutcome, TaskVerdict
from daemon.diagnosis.model_diagnosis.run import JudgedTrajectory, TaskSource
from daemon.history.trajectory.trajectory import Step, StepAction
from lab.benchmarks.diagnosis import judged_figures
from lab.benchmarks.diagnosis.judged_benchmark import JudgedResult, parts_of
from lab.benchmarks.diagnosis.judged_figures import Rating, agreements, boundary_rates, by_length, rates, read_ratings
from lab.benchmarks.diagnosis.judged_work import SAMPLE, labelled_work
from lab.benchmarks.diagnosis.judges.judges import RatedSegment
from lab.measure.published import load_published, published_parts
from lab.measure.report import text_of
from storage.errors import BadFile
from tests.fakes.narrowing import present
from tests.fakes.sessions.trajectory_files import write_lines


def judged(steps: int, truth: bool | None, *outcomes: TaskOutcome | None, key: str = "t") -> JudgedTrajectory:
    return JudgedTrajectory(
        source="s",
        key=key,
        whose="agent",
        app="a",
        steps=steps,
        task="x",
        task_source=TaskSource.FILE,
        verdicts=tuple(TaskVerdict(outcome=outcome) for outcome in outcomes),
        outcome=truth,
    )


def test_rates_by_hand() -> None:
    found = rates([(True, True)] * 3 + [(False, True)] + [(True, False)] * 2 + [(False, False)] * 4)
    assert (found.count, present(found.accuracy).value, found.precision, found.recall) == (10, 0.7, 0.75, 0.6)
    assert found.f1 == pytest.approx(2 * 0.75 * 0.6 / 1.35)
    assert found.base_rate == 0.5


def test_of_nothing_there_is_no_figure() -> None:
    """Nobody said success: precision is none, not 0."""
    assert (rates([(True, False)]).precision, rates([(True, False)]).recall) == (None, 0.0)
    assert rates([(False, False)]).recall is None
    assert (rates([]).accuracy, rates([]).f1, rates([]).base_rate) == (None, None, None)


def test_no_answer_counts_as_the_wrong_class() -> None:
    unanswered = rates([(True, None), (False, None), (True, True), (False, False)])
    wrong = rates([(True, False), (False, True), (True, True), (False, False)])
    assert unanswered.unanswered == 2
    assert (unanswered.accuracy, unanswered.precision, unanswered.recall) == (
        wrong.accuracy,
        wrong.precision,
        wrong.recall,
    )


def test_groups_of_length_are_those_of_the_paper() -> None:
    lengths = (1, 9, 10, 19, 20, 30, 40, 49, 50, 80, 81)
    groups = by_length([judged(length, True, TaskOutcome.SUCCESS) for length in lengths])
    assert {name: one.count for name, one in groups.items()} == {
        "1 to 9 steps": 2,
        "10 to 19 steps": 2,
        "20 to 29 steps": 1,
        "30 to 39 steps": 1,
        "40 to 49 steps": 2,
        "50 to 80 steps": 2,
        "longer": 1,
    }


def test_off_by_two_seconds_counts_and_off_by_four_does_not() -> None:
    true_s = [10.0, 30.0, 55.0]
    assert boundary_rates(true_s, [moment + 2.0 for moment in true_s]).f1 == 1.0
    assert boundary_rates(true_s, [moment - 2.0 for moment in true_s]).f1 == 1.0
    assert boundary_rates(true_s, [moment + 4.0 for moment in true_s]).f1 == 0.0


@pytest.mark.parametrize(
    ("true_s", "found_s", "expected"),
    [
        pytest.param([10.0], [9.0, 11.0], (1, 0.5, 1.0), id="two found at one place"),
        pytest.param([10.0, 12.0], [11.0], (1, 1.0, 0.5), id="one found at two places"),
        pytest.param([10.0, 13.0], [12.5, 15.5], (2, 1.0, 1.0), id="the nearest is not the best"),
        pytest.param([10.0], [], (0, None, 0.0), id="none found"),
        pytest.param([], [], (0, None, None), id="none there"),
    ],
)
def test_each_boundary_matches_once(
    true_s: list[float], found_s: list[float], expected: tuple[int, float | None, float | None]
) -> None:
    """And what has nothing to be a share of is no figure."""
    found = boundary_rates(true_s, found_s)
    assert (found.matched, found.precision, found.recall) == expected
    assert (found.f1 is None) is (not true_s)


@given(st.lists(st.integers(0, 40), max_size=5, unique=True), st.lists(st.integers(0, 40), max_size=5, unique=True))
def test_no_other_matching_is_larger(true_s: list[int], found_s: list[int]) -> None:
    def best(left_true: tuple[int, ...], left_found: tuple[int, ...]) -> int:
        if not left_true:
            return 0
        first, *rest = left_true
        without = best(tuple(rest), left_found)
        tried = [
            1 + best(tuple(rest), (*left_found[:place], *left_found[place + 1 :]))
            for place, moment in enumerate(left_found)
            if abs(moment - first) <= 3
        ]
        return max([without, *tried])

    assert boundary_rates(true_s, found_s).matched == best(tuple(true_s), tuple(found_s))


def test_the_sample_has_true_boundaries_near_its_steps() -> None:
    """A subtask of a simulated session begins where its script began another behavior, within 3 s of some step."""
    work = list(labelled_work(SAMPLE))
    assert len(work) == 8
    assert sum(len(piece.boundaries_s) for piece in work) == 20
    for piece in work:
        for moment in piece.boundaries_s:
            assert min(abs(step.at_s - moment) for step in piece.trajectory.steps) <= 3.0


SCORES = {"a": (5, 4, 1), "b": (5, 3, 2), "c": (4, 5, None)}
"""What a model says of the subtasks of three trajectories."""


def rated_work() -> list[JudgedTrajectory]:
    return [
        JudgedTrajectory(
            source="made",
            key=key,
            whose="agent",
            app="writer",
            steps=6,
            task="x",
            task_source=TaskSource.FILE,
            verdicts=(
                TaskVerdict(
                    segments=tuple(
                        RatedSegment(
                            segment=Segment(first=2 * number + 1, last=2 * number + 2, goal="part"),
                            diagnosis=None,
                            quality=score,
                        )
                        for number, score in enumerate(scores)
                    )
                ),
            ),
        )
        for key, scores in SCORES.items()
    ]


def rated(rater: str, scores: Mapping[str, tuple[int | None, ...]]) -> list[Rating]:
    return [
        Rating(key=key, first=2 * number + 1, last=2 * number + 2, rater=rater, score=score)
        for key, each in scores.items()
        for number, score in enumerate(each)
    ]


def test_a_person_who_says_the_same_agrees_and_one_who_says_the_contrary_does_not() -> None:
    """Control: turned round, weighted kappa is below 0. What either did not rate is left out and counted."""
    turned = {key: tuple(None if score is None else 6 - score for score in each) for key, each in SCORES.items()}
    found, others = agreements(rated_work(), [*rated("ann", SCORES), *rated("bob", turned)], "model")
    assert others == 0
    assert set(found) == {"model and ann", "model and bob", "ann and bob"}
    same, contrary = found["model and ann"], found["model and bob"]
    assert (same.items, same.left_out, same.kappa.value) == (8, 1, 1.0)
    assert contrary.weighted is not None
    assert present(same.weighted).value == 1.0
    assert contrary.weighted.value < 0.0
    assert contrary.weighted.low <= contrary.weighted.value <= contrary.weighted.high


def test_what_the_paper_compares_is_whether_a_score_is_four_or_more() -> None:
    """Who gives a 4 for each 5, and a 1 for each 2 or 3, agrees in full on that and not on the scores."""
    shifted = {5: 4, 4: 5, 3: 1, 2: 1, 1: 2, None: None}
    said = {key: tuple(shifted[score] for score in each) for key, each in SCORES.items()}
    scores, _ = agreements(rated_work(), rated("ann", said), "model")
    usable, _ = agreements(rated_work(), rated("ann", said), "model", usable=True)
    assert scores["model and ann"].kappa.value < 0.5
    assert usable["model and ann"].kappa.value == 1.0
    result = JudgedResult(scripted=False, judged_by="model", judge="x", agreements=scores, usable_agreements=usable)
    assert "as the paper compares them: kappa 1.00" in "\n".join(text_of(parts_of(result, PUBLISHED)))


def test_ratings_of_another_division_are_counted_and_not_compared() -> None:
    stranger = Rating(key="a", first=1, last=5, rater="ann", score=5)
    found, others = agreements(rated_work(), [*rated("ann", {"a": (5, None, 1)}), stranger], "model")
    assert others == 1
    assert (found["model and ann"].items, found["model and ann"].left_out) == (2, 7)
    assert agreements(rated_work(), [], "model") == ({}, 0)


def test_the_report_says_both_kappas_and_what_does_not_count() -> None:
    found, _ = agreements(rated_work(), [*rated("ann", SCORES), *rated("one", {"a": (5, None, None)})], "model")
    result = JudgedResult(scripted=False, judged_by="model", judge="x", agreements=found, ratings_elsewhere=2)
    text = "\n".join(text_of(parts_of(result, PUBLISHED)))
    assert "Ratings of model and ann: 8 subtasks, equal 100.0 %; kappa 1.00" in text
    assert "weighted by squared distance 1.00" in text
    assert "Ratings of model and one: 1 subtasks, equal 100.0 %; kappa not defined" in text
    assert "that this model did not make, and not counted: 2." in text
    assert math.isnan(found["model and one"].kappa.value)


@pytest.mark.parametrize(
    "rows",
    [
        [{"key": "a", "first": 1}],
        [{"key": "a", "first": 1, "last": 2, "score": 6}],
        [{"key": "a", "first": 1, "last": 2, "score": 0}],
        [{"key": "a", "first": 1, "last": 2, "score": 4.5}],
        [{"key": "a", "first": 1, "last": 2, "score": 4, "rater": ""}],
        [{"key": "a", "first": 1, "last": 2, "score": 4}] * 2,
        ["Zebrafinch"],
    ],
)
def test_ratings_that_do_not_fit_are_refused_and_not_quoted(tmp_path: Path, rows: list[object]) -> None:
    with pytest.raises(BadFile, match="line") as raised:
        read_ratings(write_lines(tmp_path / "ratings.jsonl", rows))
    assert "Zebrafinch" not in str(raised.value)


PUBLISHED = load_published(judged_figures.__file__)
RATES, BY_LENGTH, WEB, ANDROID = PUBLISHED.tables
SUCCESSES, FAILURES = 345, 587
EXCEPTIONS = {"GUIDE": 95.82, "naive": 85.62, "without diagnosis": 93.24, "without summary": 87.45}
"""Accuracies that precision, recall and the class sizes give, where another one is printed by at least 0.005."""


@pytest.mark.parametrize(("name", "cells"), list(RATES.rows.items()))
def test_published_rates_give_f1_and_accuracy(name: str, cells: tuple[str, ...]) -> None:
    accuracy, precision, recall, f1 = map(float, cells)
    share = SUCCESSES / (SUCCESSES + FAILURES)
    follows = 100 * (1 - share * (1 - recall / 100) - share * recall / precision * (1 - precision / 100))
    assert follows == pytest.approx(EXCEPTIONS.get(name, accuracy), abs=0.01)
    assert (abs(follows - accuracy) > 0.01) is (name in EXCEPTIONS)
    assert f1 == pytest.approx(2 * precision * recall / (precision + recall), abs=0.01)


def test_published_overall_accuracies_are_means_of_the_policies() -> None:
    """Each policy did the same number of tasks, so the overall figure is their mean, within rounding."""
    for name, cells in ANDROID.rows.items():
        overall, *policies = (float(cell.split()[0]) for cell in cells)
        assert not policies or overall == pytest.approx(sum(policies) / len(policies), abs=0.11), name


def test_every_published_figure_is_printed() -> None:
    text = "\n".join(text_of(published_parts(PUBLISHED)))
    for table in PUBLISHED.tables:
        for name, cells in table.rows.items():
            assert all(cell in text for cell in (name, *cells))


def test_groups_by_benchmark_and_unknown_truth() -> None:
    """Trajectories without a truth are in no rate."""
    every = [
        judged(3, True, TaskOutcome.SUCCESS, key="a"),
        judged(3, False, TaskOutcome.SUCCESS, key="b"),
        judged(3, None, TaskOutcome.SUCCESS, key="c"),
    ]
    found = judged_figures.by_benchmark(every, {"a": "WA", "b": "VWA", "c": "WA"})
    assert {name: one.count for name, one in found.items()} == {"VWA": 1, "WA": 1}
    assert judged_figures.judged_pairs(every) == [(True, True), (False, True)]


def test_the_deviation_over_repetitions_is_that_of_a_sample() -> None:
    """N - 1; of one repetition there is none, and where one has no figure there is no mean either."""
    right, wrong = TaskOutcome.SUCCESS, TaskOutcome.FAILURE
    every = [judged(3, True, right, right, wrong), judged(3, True, right, wrong, wrong)]
    found = judged_figures.spreads(every, 3)
    assert found["accuracy"].mean == pytest.approx(0.5)
    assert found["accuracy"].deviation == pytest.approx(0.5)
    assert "precision" not in found
    assert judged_figures.spreads(every, 1)["accuracy"].deviation is None


STEPS = tuple(
    Step(number=number, at_s=2.0 * number, app="a", action=StepAction(verb="click")) for number in range(1, 11)
)


def test_cuts_without_a_model() -> None:
    """Equal parts by steps; where another program is gone to, said by a step or by its program."""
    assert judged_figures.equal_cuts(STEPS, 2) == [12.0]
    assert judged_figures.equal_cuts(STEPS, 1) == []
    assert len(judged_figures.equal_cuts(STEPS, 5)) == 4
    assert judged_figures.application_switches(STEPS) == []
    other = [replace(step, app="b") if step.number > 6 else step for step in STEPS]
    assert judged_figures.application_switches(other) == [14.0]
    said = [replace(step, action=StepAction(verb="switch_app")) if step.number == 7 else step for step in other]
    assert judged_figures.application_switches(said) == [14.0]
    assert judged_figures.starts(STEPS, [1, 4, 9]) == [8.0, 18.0]


def test_what_is_left_to_fill_in_can_be_read_back(tmp_path: Path) -> None:
    """A line for each subtask, without the model's own score; filled in it is a rating."""
    path = tmp_path / "subtasks.jsonl"
    path.write_text(judged_figures.to_fill_in(rated_work()).replace('"people"', '"ann"').replace("null", "4"))
    found = read_ratings(path)
    assert len(found) == 9
    assert found[0] == Rating(key="a", first=1, last=2, rater="ann", score=4)
