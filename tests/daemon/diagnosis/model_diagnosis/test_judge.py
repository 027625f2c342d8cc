"""The three stages: what is asked and shown, what is made of the answers, and what a change asks again."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.diagnosis.model_diagnosis import inquiries
from daemon.diagnosis.model_diagnosis.case import PART_STEPS, Case, Shown, parts_of
from daemon.diagnosis.model_diagnosis.findings import Segment, SegmentVerdict, TaskOutcome, TaskVerdict
from daemon.diagnosis.model_diagnosis.judge import judge, volume_of
from daemon.diagnosis.model_queries.answers import FILE, AnswerFile
from daemon.diagnosis.model_queries.asking import Asker
from detectors.mllm.questions import FailureReason
from tests.fakes.mllm.diagnosed_work import Ruled, case, cut, work
from tests.fakes.mllm.model_queries import RuledModel
from tests.fakes.narrowing import present

FAILS = FailureReason.NONSENSE
FAILED: Mapping[str, object] = {
    "reasoning": "The wrong menu was opened.",
    "verdict": "fail",
    "root_cause": "the wrong menu",
    "problems": [{"step": 4, "cause": "the wrong menu", "fix": "open Format"}],
}


def judged(
    work_of: Case, rule: Ruled | None = None, answers: AnswerFile | None = None
) -> tuple[TaskVerdict, RuledModel]:
    model = RuledModel(rule or Ruled(work_of.count))
    asker = Asker(model, answers, identity="m", version="1", retries=0)
    return asyncio.run(judge(asker, work_of)), model


# ---------------------------------------------------------------- the three stages


def test_the_three_stages_in_their_order() -> None:
    verdict, model = judged(case())
    assert model.kinds == ["segments", "subtask", "subtask", "subtask", "summary"]
    assert [(segment.segment.first, segment.segment.last) for segment in verdict.segments] == [(1, 4), (5, 9), (10, 12)]
    assert [len(query.pictures) for query in model.asked] == [0, 6, 7, 4, 0]
    assert verdict.outcome is TaskOutcome.SUCCESS
    assert verdict.reasoning == "All was done."


def test_no_request_holds_more_than_its_segment_and_two_pictures() -> None:
    for edges in ((), (1,), (1, 2, 3), (6,), (11,)):
        _, model = judged(case(), rule=Ruled(verdicts={"segments": cut(12, edges)}))
        for query in model.asked:
            if query.questions[0].key == "subtask":
                marked = re.search(r"-> \d+\. steps (\d+) to (\d+)", query.brief.words if query.brief else "")
                assert marked is not None
                assert len(query.pictures) <= int(marked[2]) - int(marked[1]) + 1 + 2
                assert len({picture.digest for picture in query.pictures}) == len(query.pictures)
                assert query.captions[-1] in ("at the very end of the work", "after step 12")


def test_a_changed_inner_picture_asks_its_segment_alone_again(tmp_path: Path) -> None:
    with AnswerFile(tmp_path / FILE) as answers:
        judged(case(), answers=answers)
        for changed, kinds in (("s7.jpg", 1), ("s4.jpg", 2), ("s12.jpg", 3)):
            _, model = judged(case(changed={changed: f"other {changed}"}), answers=answers)
            assert model.kinds == ["subtask"] * kinds


def test_the_summary_is_asked_again_if_a_diagnosis_changes(tmp_path: Path) -> None:
    with AnswerFile(tmp_path / FILE) as answers:
        judged(case(), answers=answers)
        _, same = judged(case(changed={"s7.jpg": "x"}), answers=answers)
        _, other = judged(case(changed={"s2.jpg": "x"}), rule=Ruled(verdicts={"subtask": FAILED}), answers=answers)
    assert same.kinds == ["subtask"]
    assert other.kinds == ["subtask", "summary"]


def test_a_changed_action_asks_the_division_and_its_segment_again(tmp_path: Path) -> None:
    changed = case()
    steps = list(changed.trajectory.steps)
    steps[6] = replace(steps[6], action=replace(steps[6].action, verb="double_click"))
    with AnswerFile(tmp_path / FILE) as answers:
        judged(case(), answers=answers)
        _, model = judged(replace(changed, trajectory=replace(changed.trajectory, steps=tuple(steps))), answers=answers)
    assert model.kinds == ["segments", "subtask"]


def test_a_diagnosis_is_parsed_whole() -> None:
    rule = Ruled(
        verdicts={"segments": cut(12, ()), "subtask": FAILED, "summary": {"reasoning": "No.", "verdict": "failure"}}
    )
    verdict, _ = judged(case(), rule=rule)
    (segment,) = verdict.segments
    assert segment.diagnosis is not None
    assert segment.diagnosis.verdict is SegmentVerdict.FAIL
    assert [(problem.step, problem.fix) for problem in segment.diagnosis.problems] == [(4, "open Format")]
    assert verdict.outcome is TaskOutcome.FAILURE


def test_the_summary_reads_findings_and_not_verdicts() -> None:
    answers = iter([FAILED, FAILS, Ruled().verdicts.get("x", None)])

    def rule(query: object) -> Mapping[str, object] | FailureReason:
        kind = query.questions[0].key  # type: ignore[attr-defined]  # a query
        return (next(answers) or Ruled()(query)) if kind == "subtask" else Ruled()(query)  # type: ignore[arg-type]

    model = RuledModel(rule)
    verdict = asyncio.run(judge(Asker(model, None, identity="m", version="1", retries=0), case()))
    brief = present(model.asked[-1].brief)
    assert "The wrong menu was opened." in brief.words
    assert "step 4: the wrong menu. Better: open Format" in brief.words
    assert "Part 2, steps 5 to 9. There is no finding about this part." in brief.words
    assert "fail" not in brief.words
    assert [segment.diagnosis is None for segment in verdict.segments] == [False, True, False]


def test_without_an_answer_to_the_division_it_is_one_segment_and_says_so() -> None:
    verdict, model = judged(case(), rule=Ruled(verdicts={"segments": FAILS}))
    assert model.kinds == ["segments", "subtask", "summary"]
    assert verdict.fallback
    assert [(segment.segment.first, segment.segment.last) for segment in verdict.segments] == [(1, 12)]


@pytest.mark.parametrize(
    ("segments", "rule"),
    [
        ([(1, 12)], ""),
        ([(1, 4), (5, 12)], ""),
        ([(2, 12)], "must be 1"),
        ([(1, 4), (6, 12)], "right after"),
        ([(1, 4), (4, 12)], "right after"),
        ([(1, 4), (5, 4), (5, 12)], "before it begins"),
        ([(1, 4), (5, 11)], "must be 12"),
    ],
)
def test_rules_of_a_division(segments: list[tuple[int, int]], rule: str) -> None:
    facts = {"segments": [{"first": first, "last": last, "goal": "x"} for first, last in segments]}
    broken = inquiries.broken_rule_of_segments(12, facts)
    assert (rule in broken) if rule else not broken


@pytest.mark.parametrize(
    ("verdict", "problems", "cause", "broken"),
    [
        ("success", 0, "", False),
        ("success", 1, "", False),
        ("partial", 0, "x", True),
        ("fail", 1, "", True),
        ("fail", 1, "x", False),
    ],
)
def test_partial_and_fail_name_a_step(verdict: str, problems: int, cause: str, *, broken: bool) -> None:
    segments = (Segment(first=1, last=12, goal="x"),)
    check = present(inquiries.subtask_inquiry(case(), segments, 0, Shown()).brief.check)
    assert bool(check({"verdict": verdict, "root_cause": cause, "problems": [{}] * problems})) is broken


# ---------------------------------------------------------------- pictures and words


def test_without_pictures_the_actions_alone_are_judged() -> None:
    verdict, model = judged(case(shown=False))
    assert verdict.outcome is TaskOutcome.SUCCESS
    assert not any(query.pictures for query in model.asked)
    brief = present(model.asked[1].brief)
    assert "There are no screenshots of it." in brief.words


def test_lost_pictures_are_left_out_and_counted() -> None:
    verdict, model = judged(case(missing={"s6.jpg"}))
    assert verdict.lost == 1
    captions = model.asked[2].captions
    assert captions[0] == "before step 5"
    assert "after step 6" not in captions
    assert len(captions) == len(model.asked[2].pictures) == 6


def test_equal_neighbours_are_one_picture() -> None:
    made = work(6)
    steps = [replace(step, before="s0.jpg", after="s0.jpg") for step in made.steps[:4]]
    same = replace(case(6), trajectory=replace(made, steps=(*steps, *made.steps[4:])))
    shown = same.span(1, 6)
    assert shown.captions == ("before step 1", "after step 5", "after step 6")
    assert same.span(2, 4).captions == ("before step 2", "at the very end of the work")


def test_only_the_marked_part_is_judged() -> None:
    _, model = judged(case())
    brief = present(model.asked[2].brief)
    assert "-> 2. steps 5 to 9: part 2" in brief.words
    assert "   1. steps 1 to 4: part 1" in brief.words
    assert "Button 5" in brief.words
    assert "Button 4" not in brief.words


def test_the_preamble_is_in_every_question() -> None:
    _, model = judged(replace(case(), preamble="Orders are final once confirmed."))
    assert all("Orders are final" in (query.brief.words if query.brief else "") for query in model.asked)


def test_long_work_of_a_person_is_judged_in_equal_parts() -> None:
    parts = parts_of(work(2 * PART_STEPS + 30))
    assert [len(part.steps) for part in parts] == [90, 90, 90]
    assert [part.steps[0].number for part in parts] == [1, 1, 1]
    assert [part.steps[0].before for part in parts] == ["s0.jpg", "s90.jpg", "s180.jpg"]
    assert parts[0].last_picture == "s90.jpg"
    assert parts_of(work(PART_STEPS)) == [work(PART_STEPS)]


def test_the_estimate_covers_what_is_asked() -> None:
    _, model = judged(case())
    volume = volume_of(case())
    assert len(model.asked) <= volume.requests
    assert sum(len(query.pictures) for query in model.asked) <= volume.pictures
