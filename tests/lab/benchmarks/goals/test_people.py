"""Goals and verdicts of people: what lines may hold, and what is refused without being quoted."""

from pathlib import Path
from typing import Any

import pytest

from lab.benchmarks.goals.people import People, Verdict, WrittenGoal, read_goals, read_verdicts
from storage.errors import BadFile
from tests.fakes.sessions.trajectory_files import write_lines

MARKER = "a secret of the file"
GOAL: dict[str, Any] = {"key": "t", "by": "ann", "goal": "Book it"}


def test_goals_and_verdicts_are_read(tmp_path: Path) -> None:
    """Unsure is null; a trajectory that does not fulfil its own goal is rejected."""
    goals = read_goals(write_lines(tmp_path / "goals.jsonl", [GOAL, {**GOAL, "by": "bob"}]))
    assert goals == (WrittenGoal(key="t", by="ann", goal="Book it"), WrittenGoal(key="t", by="bob", goal="Book it"))
    rows = [
        {"key": "t", "by": "ann", "rater": "r1", "fulfilled": True, "p_satisfies_g": None, "g_satisfies_p": False},
        {"key": "t", "by": "ann", "rater": "r2", "p_satisfies_g": True},
        {"key": "u", "gold_fulfilled": False},
    ]
    verdicts = read_verdicts(write_lines(tmp_path / "verdicts.jsonl", rows))
    assert verdicts[0] == Verdict(key="t", by="ann", rater="r1", fulfilled=True, g_satisfies_p=False)
    assert People(verdicts=verdicts).rejected == {"u"}


@pytest.mark.parametrize(
    "rows",
    [
        [GOAL, GOAL],
        [{**GOAL, "goal": " "}],
        [{**GOAL, "by": ""}],
        [{**GOAL, "more": MARKER}],
        [{"key": MARKER}],
        [MARKER],
    ],
)
def test_goals_that_do_not_fit_are_refused(tmp_path: Path, rows: list[object]) -> None:
    """The message names file and line."""
    with pytest.raises(BadFile, match=rf"goals\.jsonl: line {len(rows)} ") as caught:
        read_goals(write_lines(tmp_path / "goals.jsonl", rows))
    assert MARKER not in str(caught.value)


@pytest.mark.parametrize(
    "rows",
    [
        [{"key": "t", "by": "m"}, {"key": "t", "by": "m"}],
        [{"key": "t", "fulfilled": "yes"}],
        [{"key": "t", "why": MARKER}],
        [3],
    ],
)
def test_verdicts_that_do_not_fit_are_refused(tmp_path: Path, rows: list[object]) -> None:
    """Nobody judges the same goal twice."""
    with pytest.raises(BadFile, match=rf"v\.jsonl: line {len(rows)} ") as caught:
        read_verdicts(write_lines(tmp_path / "v.jsonl", rows))
    assert MARKER not in str(caught.value)
