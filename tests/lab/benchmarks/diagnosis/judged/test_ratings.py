"""Ratings of subtasks by people: what is read, refused, and compared with a model's."""

import math
from collections.abc import Mapping
from pathlib import Path

import pytest

from daemon.diagnosis.model_diagnosis.findings import JudgedSegment, Segment, Verdict
from daemon.diagnosis.model_diagnosis.run import JudgedTrajectory, TaskSource
from lab.benchmarks.diagnosis.judged.ratings import Rating, agreements, read_ratings, to_fill_in
from lab.benchmarks.diagnosis.judged.references import load_published
from lab.benchmarks.diagnosis.judged.report import JudgedResult, render
from storage.errors import BadFile
from tests.fakes.sessions.trajectory_files import write_lines

SCORES = {"a": (5, 4, 1), "b": (5, 3, 2), "c": (4, 5, None)}
"""What a model says of the subtasks of three trajectories."""


def judged() -> list[JudgedTrajectory]:
    """Return three trajectories of three subtasks of two steps each, as a model divided and rated them."""
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
                Verdict(
                    segments=tuple(
                        JudgedSegment(
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
    """Return ratings of those subtasks."""
    return [
        Rating(key=key, first=2 * number + 1, last=2 * number + 2, rater=rater, score=score)
        for key, each in scores.items()
        for number, score in enumerate(each)
    ]


def test_a_person_who_says_the_same_agrees_and_one_who_says_the_contrary_does_not() -> None:
    """Control: turned round, weighted kappa is below 0. What either did not rate is left out and counted."""
    turned = {key: tuple(None if one is None else 6 - one for one in each) for key, each in SCORES.items()}
    found, others = agreements(judged(), [*rated("ann", SCORES), *rated("bob", turned)], "model")
    assert others == 0
    assert set(found) == {"model and ann", "model and bob", "ann and bob"}
    same, contrary = found["model and ann"], found["model and bob"]
    assert (same.items, same.left_out, same.kappa.value) == (8, 1, 1.0)
    assert same.weighted is not None
    assert contrary.weighted is not None
    assert same.weighted.value == 1.0
    assert contrary.weighted.value < 0.0
    assert contrary.weighted.low <= contrary.weighted.value <= contrary.weighted.high


def test_ratings_of_another_division_are_counted_and_not_compared() -> None:
    """They are about other subtasks; without any of these there is nothing to compare."""
    stranger = Rating(key="a", first=1, last=5, rater="ann", score=5)
    found, others = agreements(judged(), [*rated("ann", {"a": (5, None, 1)}), stranger], "model")
    assert others == 1
    assert (found["model and ann"].items, found["model and ann"].left_out) == (2, 7)
    assert agreements(judged(), [], "model") == ({}, 0)


def test_the_report_says_both_kappas_and_what_does_not_count() -> None:
    """A kappa that is not defined reads as that."""
    found, _ = agreements(judged(), [*rated("ann", SCORES), *rated("one", {"a": (5, None, None)})], "model")
    result = JudgedResult(scripted=False, judged_by="model", judge="x", agreements=found, ratings_elsewhere=2)
    text = "\n".join(render(result, load_published()))
    assert "Ratings of model and ann: 8 subtasks, equal 100.0 %; kappa 1.00" in text
    assert "weighted by squared distance 1.00" in text
    assert "Ratings of model and one: 1 subtasks, equal 100.0 %; kappa not defined" in text
    assert "that this model did not make, and not counted: 2." in text
    assert math.isnan(found["model and one"].kappa.value)


def test_what_is_left_to_fill_in_can_be_read_back(tmp_path: Path) -> None:
    """A line for each subtask, without the model's own score; filled in it is a rating."""
    path = tmp_path / "subtasks.jsonl"
    path.write_text(to_fill_in(judged()).replace('"people"', '"ann"').replace("null", "4"))
    found = read_ratings(path)
    assert len(found) == 9
    assert found[0] == Rating(key="a", first=1, last=2, rater="ann", score=4)


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
    """Which line it is, is said."""
    with pytest.raises(BadFile, match="line") as raised:
        read_ratings(write_lines(tmp_path / "ratings.jsonl", rows))
    assert "Zebrafinch" not in str(raised.value)
