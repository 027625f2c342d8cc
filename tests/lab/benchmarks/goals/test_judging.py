"""What is asked about a trajectory, and goals and verdicts of people from outside."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from daemon.diagnosis.goals.material import Material
from daemon.diagnosis.model_queries.answers import FILE, AnswerFile
from daemon.diagnosis.model_queries.asking import Asker
from daemon.history.trajectory.loading import load_trajectories
from daemon.history.trajectory.trajectory import TrajectorySet
from detectors.mllm.questions import FailureReason, ModelQuery
from lab.benchmarks.goals import wording
from lab.benchmarks.goals.judging import (
    GOLD,
    NOT_DRAWN,
    NOT_VALID,
    REJECTED,
    Flaw,
    GoalFindings,
    People,
    Plan,
    Verdict,
    WrittenGoal,
    judge_all,
    read_goals,
    read_verdicts,
    readable_material,
    usable,
    volumes_of,
)
from lab.benchmarks.goals.questions import AskedJudge
from lab.benchmarks.goals.running import AlwaysYesJudge, OracleJudge, construct
from storage.errors import BadFile
from tests.fakes.mllm.model_queries import RuledModel
from tests.fakes.sessions import trajectory_files as files
from tests.fakes.sessions.trajectory_files import write_lines

STEPS_ALONE = Plan(pictures=False)


def answered(query: ModelQuery) -> Mapping[str, object] | FailureReason:
    assert query.brief is not None
    match query.questions[0].key:
        case "goal":
            return {"steps": ["x"], "goal": "Find a flight to Rome"}
        case "fulfils":
            return {"reasoning": "it was shown", "answer": wording.YES}
        case _:
            same = query.brief.words.count("A: Find a flight to Rome\n") == query.brief.words.count("B: Find a flight")
            return {"requirements": [], "counterexample": "", "answer": wording.YES if same else wording.NO}


def mind2web(folder: Path) -> TrajectorySet:
    rows = []
    for name in ("m1", "m2", "m3"):
        for row in files.MIND2WEB:
            task = {"annotation_id": name, "confirmed_task": f"Find a flight to {name}"}
            acts = {"action_reprs": [f"[textbox]  To {name}  -> TYPE: Rome", "[button]  Search  -> CLICK"]}
            rows.append({**row, **task, **acts})
            if name == "m2":
                rows[-1]["pos_candidates"] = []
    files.write_pictures(folder, "m1/0.jpg", "m1/1.jpg")
    return load_trajectories(files.write_lines(folder / "test.jsonl", rows))


def test_every_question_is_announced_and_asked_once(tmp_path: Path) -> None:
    whole = mind2web(tmp_path)
    usable_ones = [trajectory for trajectory in whole.trajectories if trajectory.key != "m2"]
    goals = {"m1": [WrittenGoal(key="m1", by=by, goal=f"Find {by}") for by in ("ann", "bob")]}
    plan = Plan(validate=True, predicts="m", controls=2)
    found, models = [], []
    for _ in range(2):
        model = RuledModel(answered)
        with AnswerFile(tmp_path / FILE) as answers:
            asker = Asker(model, answers, identity="m", version="1")
            judge = AskedJudge(asker)
            found.append(asyncio.run(judge_all(whole, usable_ones, plan, goals, model=judge, judge=judge)))
        models.append(model)
    said, compared = volumes_of(usable_ones, plan, goals)
    assert len(models[0].asked) == said.requests + compared.requests == found[0].questions == 24
    assert sum(len(query.pictures) for query in models[0].asked) == said.pictures + compared.pictures
    assert models[1].asked == []
    assert found[1] == found[0]
    assert models[0].kinds[:2] == ["fulfils", "goal"]
    assert [(goal.key, goal.by, goal.against) for goal in found[0].judged] == [
        ("m1", "m", GOLD),
        ("m1", "ann", GOLD),
        ("m1", "bob", GOLD),
        ("m1", "ann", "bob"),
        ("m3", "m", GOLD),
    ]


def test_a_run_that_is_cut_off_goes_on_where_it_was(tmp_path: Path) -> None:
    whole = mind2web(tmp_path)
    usable_ones = [trajectory for trajectory in whole.trajectories if trajectory.key != "m2"]
    plan = Plan(predicts="m", controls=2, pictures=False)

    def run(answers_in: Path, most: int) -> tuple[list[ModelQuery], GoalFindings | None]:
        asked: list[ModelQuery] = []

        def until(query: ModelQuery) -> Mapping[str, object] | FailureReason:
            if len(asked) == most:
                raise KeyboardInterrupt
            asked.append(query)
            return answered(query)

        with AnswerFile(answers_in, durable=False) as answers:
            judge = AskedJudge(Asker(RuledModel(until), answers, identity="m", version="1"))
            try:
                return asked, asyncio.run(judge_all(whole, usable_ones, plan, {}, model=judge, judge=judge))
            except KeyboardInterrupt:
                return asked, None

    in_one_go, expected = run(tmp_path / "whole.db", 1000)
    assert len(in_one_go) == 14
    for stop in range(0, len(in_one_go), 3):
        first, nothing = run(tmp_path / f"{stop}.db", stop)
        second, found = run(tmp_path / f"{stop}.db", 1000)
        assert nothing is None
        assert first + second == in_one_go
        assert found == expected


def test_what_is_left_out_is_counted_by_reason(tmp_path: Path) -> None:
    whole = mind2web(tmp_path)
    chosen, left = usable(whole.trajectories, frozenset({"m3"}), None)
    assert ([trajectory.key for trajectory in chosen], left) == (["m1", "m2"], {REJECTED: 1})
    assert usable(whole.trajectories, frozenset(), 2)[1] == {NOT_DRAWN: 1}
    assert usable(whole.trajectories, frozenset(), 2)[0] == usable(whole.trajectories, frozenset(), 2)[0]
    (tmp_path / "m1" / "1.jpg").unlink()
    nameless = replace(whole.trajectories[0], key="m4", goal=" ")
    found = asyncio.run(
        judge_all(whole, [*whole.trajectories, nameless], Plan(), {}, model=None, judge=AlwaysYesJudge())
    )
    assert found.left_out == {Flaw.PICTURE_MISSING.value: 2, Flaw.BOX_EMPTY.value: 1, Flaw.NO_GOAL.value: 1}
    assert (found.used, found.judged) == ([], [])


def test_a_model_that_says_nothing_is_wrong_and_counted() -> None:
    made = construct(1)
    model = RuledModel(lambda _: FailureReason.NONSENSE)

    async def no_pause(_: float) -> None:
        return None

    asker = Asker(model, None, identity="m", version="1", retries=0, sleep=no_pause)
    found = asyncio.run(
        judge_all(
            made.whole,
            made.whole.trajectories,
            Plan(pictures=False, predicts="m"),
            {},
            model=AskedJudge(asker),
            judge=OracleJudge(),
        ),
    )
    (one,) = found.judged
    assert (one.prediction, one.p_satisfies_g, one.fulfilled) == ("", None, None)
    assert (found.questions, found.unanswered) == (1, 1)


def test_controls_ask_about_the_same_and_about_another_goal() -> None:
    """The oracle passes both; always yes fails the second. One goal alone cannot be swapped."""
    made = construct(12)

    def controls(judge: OracleJudge | AlwaysYesJudge, count: int) -> tuple[list[bool | None], set[object]]:
        plan = replace(STEPS_ALONE, controls=count)
        trajectories = made.whole.trajectories
        found = asyncio.run(judge_all(made.whole, trajectories, plan, {}, model=None, judge=judge)).controls
        return list(found.reflexive), set(found.swapped)

    assert controls(OracleJudge(), 5)[0] == [True] * 5
    assert (True, True) not in controls(OracleJudge(), 5)[1]
    assert controls(AlwaysYesJudge(), 5)[1] == {(True, True)}
    assert controls(OracleJudge(), 1) == ([True], set())
    assert controls(OracleJudge(), 0) == ([], set())


MARKER = "a secret of the file"
GOAL: dict[str, Any] = {"key": "t", "by": "ann", "goal": "Book it"}


def test_goals_and_verdicts_are_read(tmp_path: Path) -> None:
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
    ("read", "rows"),
    [
        (read_goals, [GOAL, GOAL]),
        (read_goals, [{**GOAL, "goal": " "}]),
        (read_goals, [{**GOAL, "by": ""}]),
        (read_goals, [{**GOAL, "more": MARKER}]),
        (read_goals, [{"key": MARKER}]),
        (read_goals, [MARKER]),
        (read_verdicts, [{"key": "t", "by": "m"}, {"key": "t", "by": "m"}]),
        (read_verdicts, [{"key": "t", "fulfilled": "yes"}]),
        (read_verdicts, [{"key": "t", "why": MARKER}]),
        (read_verdicts, [3]),
    ],
)
def test_goals_and_verdicts_that_do_not_fit_are_refused(
    tmp_path: Path, read: Callable[[Path], object], rows: list[object]
) -> None:
    """Also two of the same goal; what is in them is not quoted."""
    with pytest.raises(BadFile, match=rf"rows\.jsonl: line {len(rows)} ") as caught:
        read(write_lines(tmp_path / "rows.jsonl", rows))
    assert MARKER not in str(caught.value)


def test_without_pictures_the_steps_alone_are_shown(tmp_path: Path) -> None:
    found = mind2web(tmp_path)
    for path in (tmp_path / "m1").iterdir():
        path.unlink()
    shown = readable_material(found, found.trajectories[0], pictures=False)
    assert isinstance(shown, Material)
    assert (shown.pictures, shown.captions, len(shown.steps)) == ((), (), 2)
    assert "There are no screenshots" in shown.words
    assert readable_material(found, found.trajectories[0]) is Flaw.PICTURE_MISSING


def test_the_judge_may_reject_a_trajectory() -> None:
    """One that does not fulfil its own goal, if that is asked."""
    made = construct(4)
    first, *others = made.whole.trajectories
    unmet = replace(first, steps=first.steps[:1])
    plan = replace(STEPS_ALONE, validate=True)
    found = asyncio.run(judge_all(made.whole, [unmet, *others], plan, {}, model=None, judge=OracleJudge()))
    assert found.left_out == {NOT_VALID: 1}
    assert len(found.used) == 3
    without = asyncio.run(judge_all(made.whole, [unmet], STEPS_ALONE, {}, model=None, judge=OracleJudge()))
    assert without.used == [unmet.key]
