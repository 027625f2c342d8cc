"""What the other judges and the ablations ask, as inquiries: words and the shape of the answer."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from daemon.diagnosis.model_diagnosis.case import Case, Shown
from daemon.diagnosis.model_diagnosis.findings import Segment, SegmentDiagnosis, SegmentVerdict
from daemon.diagnosis.model_diagnosis.inquiries import (
    GOAL_LIMIT,
    JUDGED,
    MAX_PROBLEMS,
    REASONING,
    VERDICT,
    about,
    inquiry_of,
    object_of,
    part_words,
    words_of,
)
from daemon.diagnosis.model_diagnosis.wording import ACTIONS, DATA, PRIVATE
from daemon.diagnosis.model_queries.asking import Inquiry
from detectors.mllm.prompting.plain_text import one_line
from detectors.mllm.questions import AnswerField, BooleanShape, IntegerShape, ListShape, ObjectShape, TextShape

DECISION, WHOLE, FINAL = "decision", "whole", "final"
POINTS, RELEVANCE, KEY_FRAMES = "points", "relevance", "key_frames"
PLAN, ALIGNMENT, CRITERIA, QUALITY = "plan", "alignment", "criteria", "quality"
"""Kinds of inquiries."""

WORDS: Mapping[str, str] = {
    name: text.replace("{DATA}", DATA).replace("{PRIVATE}", PRIVATE)
    for name, text in tomllib.loads((Path(__file__).parent / "data" / "words.toml").read_text(encoding="utf-8")).items()
}

NAME_LIMIT = 80
MAX_POINTS = 15
MAX_CONTROLS = 40
LEAST_SCORE, MOST_SCORE = 1, 5


def decision_inquiry(case: Case, segments: Sequence[Segment], number: int, shown: Shown) -> Inquiry:
    """Return the question whether one segment's goal was reached, yes or no, and no more."""
    shape = object_of(("reached", BooleanShape(), WORDS["reached"]))
    words = part_words(case, segments, number, about(shown))
    return inquiry_of(DECISION, WORDS["decide_system"], words, shape, shown=shown)


def whole_inquiry(case: Case, shown: Shown) -> Inquiry:
    """Return the one question of the naive judge: everything at once, and only the verdict back."""
    words = words_of(case, ACTIONS, case.actions(), about(shown))
    return inquiry_of(WHOLE, WORDS["whole_system"], words, ObjectShape(fields=(VERDICT,)), shown=shown)


def final_inquiry(case: Case, shown: Shown) -> Inquiry:
    """Return the question about the last picture and all actions (Autonomous Evaluation, AgentTrek)."""
    words = words_of(case, ACTIONS, case.actions(), about(shown))
    return inquiry_of(FINAL, WORDS["final_system"], words, JUDGED, shown=shown)


def points_inquiry(case: Case) -> Inquiry:
    """Return the question for the demands of the task, text alone (WebJudge's key points)."""
    point = TextShape(limit=GOAL_LIMIT)
    shape = object_of(("points", ListShape(of=point, least=1, most=MAX_POINTS), WORDS["point_text"]))
    return inquiry_of(POINTS, WORDS["points_system"], words_of(case), shape)


def relevance_inquiry(case: Case, points: Sequence[str], shown: Shown) -> Inquiry:
    """Return the question how much one picture tells about the task, 1 to 5."""
    score = IntegerShape(least=LEAST_SCORE, most=MOST_SCORE)
    shape = ObjectShape(fields=(REASONING, AnswerField(name="score", shape=score, words=WORDS["relevance_score"])))
    words = words_of(case, *_numbered(WORDS["points"], points))
    return inquiry_of(RELEVANCE, WORDS["relevance_system"], words, shape, shown=shown)


def key_frames_inquiry(case: Case, points: Sequence[str], shown: Shown) -> Inquiry:
    """Return the question for the verdict from key points and the pictures that tell most (WebJudge)."""
    words = words_of(case, *_numbered(WORDS["points"], points), ACTIONS, case.actions(), about(shown))
    return inquiry_of(KEY_FRAMES, WORDS["key_frames_system"], words, JUDGED, shown=shown)


def plan_inquiry(case: Case) -> Inquiry:
    """Return the question for a plan, from the task alone."""
    shape = object_of(
        ("subtasks", ListShape(of=TextShape(limit=GOAL_LIMIT), least=1, most=MAX_POINTS), WORDS["plan_text"])
    )
    return inquiry_of(PLAN, WORDS["plan_system"], words_of(case), shape)


def alignment_inquiry(case: Case, plan: Sequence[str], shown: Shown) -> Inquiry:
    """Return the question which subtasks of the plan were reached, and the verdict."""
    entry = object_of(
        ("subtask", IntegerShape(least=1, most=len(plan)), WORDS["plan_number"]),
        ("reached", BooleanShape(), WORDS["plan_done"]),
    )
    aligned = ListShape(of=entry, least=len(plan), most=len(plan))
    shape = ObjectShape(fields=(REASONING, AnswerField(name="subtasks", shape=aligned), VERDICT))
    words = words_of(case, *_numbered(WORDS["plan"], plan), ACTIONS, case.actions(), about(shown))
    check = partial(_broken_rule_of_alignment, len(plan))
    return inquiry_of(ALIGNMENT, WORDS["align_system"], words, shape, shown=shown, check=check)


def _broken_rule_of_alignment(count: int, facts: Mapping[str, object]) -> str:
    entries = facts["subtasks"]
    assert isinstance(entries, list)  # noqa: S101  # its shape was checked
    every = sorted(entry["subtask"] for entry in entries) == list(range(1, count + 1))
    return "" if every else WORDS["rule_plan"].format(count=count)


def criteria_inquiry(case: Case, shown: Shown) -> Inquiry:
    """Return the question for criteria, each met or not, with steps (GUI-360's judge); complete if all are met."""
    number = IntegerShape(least=1, most=case.count)
    criterion = object_of(
        ("text", TextShape(limit=GOAL_LIMIT), WORDS["criterion_text"]),
        ("steps", ListShape(of=number, most=MAX_PROBLEMS), WORDS["criterion_step"]),
        ("met", BooleanShape(), WORDS["criterion_met"]),
    )
    shape = ObjectShape(
        fields=(REASONING, AnswerField(name="criteria", shape=ListShape(of=criterion, least=1, most=MAX_POINTS)))
    )
    words = words_of(case, ACTIONS, case.actions(), *_thoughts(case), *_controls(case), about(shown))
    return inquiry_of(CRITERIA, WORDS["criteria_system"], words, shape, shown=shown, tokens=2048)


def quality_inquiry(case: Case, segments: Sequence[Segment], number: int) -> Inquiry:
    """Return the question how good one segment is, 1 to 5, text alone (GUIDE framework, 4.5)."""
    score = IntegerShape(least=LEAST_SCORE, most=MOST_SCORE)
    shape = ObjectShape(fields=(REASONING, AnswerField(name="score", shape=score, words=WORDS["quality_score"])))
    words = part_words(case, segments, number)
    return inquiry_of(QUALITY, WORDS["quality_system"], words, shape)


def decided_lines(diagnosis: SegmentDiagnosis, place: Mapping[str, int]) -> list[str]:
    """Return what a yes or no says of a part."""
    answer = "yes" if diagnosis.verdict is SegmentVerdict.SUCCESS else "no"
    return [WORDS["finding_decided"].format(**place, answer=answer)]


def _numbered(title: str, texts: Sequence[str]) -> list[str]:
    lines = [WORDS["point"].format(number=number, text=text) for number, text in enumerate(texts, start=1)]
    return ["\n".join((title, *lines))]


def _thoughts(case: Case) -> list[str]:
    said = [
        WORDS["thought"].format(number=step.number, text=one_line(step.said, GOAL_LIMIT))
        for step in case.trajectory.steps
        if step.said
    ]
    return ["\n".join((WORDS["thoughts"], *said))] if said else []


def _controls(case: Case) -> list[str]:
    elements = (case.trajectory.steps[-1].elements if case.trajectory.steps else None) or ()
    names = [f"{element.role}: {one_line(element.name, NAME_LIMIT)}" for element in elements if element.name][
        :MAX_CONTROLS
    ]
    return ["\n".join((WORDS["controls"], *names))] if names else []
