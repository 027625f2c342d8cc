"""What is asked in a diagnosis, as inquiries: words, the shape of the answer, and rules that a shape cannot say."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from daemon.diagnosis.model_diagnosis import wording
from daemon.diagnosis.model_diagnosis.case import Case, Shown
from daemon.diagnosis.model_diagnosis.findings import JudgedSegment, Segment, SegmentVerdict, TaskOutcome
from daemon.diagnosis.model_queries.asking import Inquiry
from detectors.mllm.prompting.plain_text import one_line
from detectors.mllm.questions import (
    AnswerField,
    BooleanShape,
    Brief,
    EnumShape,
    IntegerShape,
    ListShape,
    ObjectShape,
    Shape,
    TextShape,
)

SEGMENTS, SUBTASK, DECISION, SUMMARY, WHOLE, FINAL = "segments", "subtask", "decision", "summary", "whole", "final"
POINTS, RELEVANCE, KEY_FRAMES = "points", "relevance", "key_frames"
PLAN, ALIGNMENT, CRITERIA, QUALITY = "plan", "alignment", "criteria", "quality"
"""Kinds of inquiries."""

TASK_LIMIT = 1000
GOAL_LIMIT = 200
REASON_LIMIT = 1200
CAUSE_LIMIT = 400
NAME_LIMIT = 80
MAX_PROBLEMS = 12
MAX_POINTS = 15
MAX_CONTROLS = 40
LEAST_SCORE, MOST_SCORE = 1, 5

_OUTCOME = EnumShape(values=tuple(TaskOutcome))
_REASONING = AnswerField(name="reasoning", shape=TextShape(limit=REASON_LIMIT), words=wording.REASONING)
_VERDICT = AnswerField(name="verdict", shape=_OUTCOME, words=wording.VERDICT)
_JUDGED = ObjectShape(fields=(_REASONING, _VERDICT))


def segments_inquiry(case: Case) -> Inquiry:
    """Return the question for subtasks, text alone; the answer has `segments`, which cover all steps in order."""
    count = case.count
    number = IntegerShape(least=1, most=count)
    part = _object(
        ("first", number, wording.SEGMENT_FIRST),
        ("last", number, wording.SEGMENT_LAST),
        ("goal", TextShape(limit=GOAL_LIMIT), wording.SEGMENT_GOAL),
    )
    words = _words(case, wording.SEGMENT_ASK.format(count=count), wording.ACTIONS, case.actions())
    shape = _object(("segments", ListShape(of=part, least=1, most=count), ""))
    check = partial(broken_rule_of_segments, count)
    return _inquiry(SEGMENTS, wording.SEGMENT_SYSTEM, words, shape, check=check, tokens=min(4096, 512 + 40 * count))


def broken_rule_of_segments(count: int, facts: Mapping[str, object]) -> str:
    """Return which rule of a partition of `count` steps is broken, in our words; empty for none."""
    segments = facts["segments"]
    assert isinstance(segments, list)  # noqa: S101  # its shape was checked
    previous = 0
    for segment in segments:
        if segment["first"] != previous + 1:
            return wording.RULE_NEXT if previous else wording.RULE_FIRST
        if segment["last"] < segment["first"]:
            return wording.RULE_ORDER
        previous = segment["last"]
    return "" if previous == count else wording.RULE_LAST.format(count=count)


def subtask_inquiry(case: Case, segments: Sequence[Segment], number: int, shown: Shown) -> Inquiry:
    """Return the question for the diagnosis of one segment: reasoning, verdict, root cause, problems."""
    segment = segments[number]
    problem = _object(
        ("step", IntegerShape(least=segment.first, most=segment.last), wording.PROBLEM_STEP),
        ("cause", TextShape(limit=CAUSE_LIMIT), wording.PROBLEM_CAUSE),
        ("fix", TextShape(limit=CAUSE_LIMIT), wording.PROBLEM_FIX),
    )
    shape = ObjectShape(
        fields=(
            _REASONING,
            AnswerField(name="verdict", shape=EnumShape(values=tuple(SegmentVerdict)), words=wording.VERDICT),
            AnswerField(
                name="root_cause", shape=TextShape(limit=CAUSE_LIMIT, may_be_empty=True), words=wording.ROOT_CAUSE
            ),
            AnswerField(name="problems", shape=ListShape(of=problem, most=MAX_PROBLEMS)),
        )
    )
    words = _part_words(case, segments, number, shown)
    return _inquiry(
        SUBTASK, wording.DIAGNOSE_SYSTEM, words, shape, shown=shown, check=_broken_rule_of_diagnosis, tokens=2048
    )


def _broken_rule_of_diagnosis(facts: Mapping[str, object]) -> str:
    if facts["verdict"] == SegmentVerdict.SUCCESS:
        return ""
    if not facts["problems"]:
        return wording.RULE_PROBLEM
    return "" if facts["root_cause"] else wording.RULE_ROOT_CAUSE


def decision_inquiry(case: Case, segments: Sequence[Segment], number: int, shown: Shown) -> Inquiry:
    """Return the question whether one segment's goal was reached, yes or no, and no more."""
    shape = _object(("reached", BooleanShape(), wording.REACHED))
    words = _part_words(case, segments, number, shown)
    return _inquiry(DECISION, wording.DECIDE_SYSTEM, words, shape, shown=shown)


def summary_inquiry(case: Case, findings: Sequence[JudgedSegment], *, decided: bool = False) -> Inquiry:
    """Return the question for the verdict on the whole, from the findings; `decided`: those are yes or no alone."""
    lines = [wording.FINDINGS]
    for number, finding in enumerate(findings, start=1):
        place = {"number": number, "first": finding.segment.first, "last": finding.segment.last}
        diagnosis = finding.diagnosis
        if diagnosis is None:
            lines.append(wording.FINDING_NONE.format(**place))
        elif decided:
            answer = "yes" if diagnosis.verdict is SegmentVerdict.SUCCESS else "no"
            lines.append(wording.FINDING_DECIDED.format(**place, answer=answer))
        else:
            lines.append(wording.FINDING.format(**place, reasoning=diagnosis.reasoning))
            lines += [
                wording.FINDING_PROBLEM.format(step=problem.step, cause=problem.cause, fix=problem.fix)
                for problem in diagnosis.problems
            ]
    goals = [wording.FINDING_GOALS, *_parts([finding.segment for finding in findings])]
    words = _words(case, "\n".join(lines), "\n".join(goals))
    return _inquiry(SUMMARY, wording.SUMMARY_SYSTEM, words, _JUDGED)


def whole_inquiry(case: Case, shown: Shown) -> Inquiry:
    """Return the one question of the naive judge: everything at once, and only the verdict back."""
    words = _words(case, wording.ACTIONS, case.actions(), _about(shown))
    return _inquiry(WHOLE, wording.WHOLE_SYSTEM, words, ObjectShape(fields=(_VERDICT,)), shown=shown)


def final_inquiry(case: Case, shown: Shown) -> Inquiry:
    """Return the question about the last picture and all actions (Autonomous Evaluation, AgentTrek)."""
    words = _words(case, wording.ACTIONS, case.actions(), _about(shown))
    return _inquiry(FINAL, wording.FINAL_SYSTEM, words, _JUDGED, shown=shown)


def points_inquiry(case: Case) -> Inquiry:
    """Return the question for the demands of the task, text alone (WebJudge's key points)."""
    point = TextShape(limit=GOAL_LIMIT)
    shape = _object(("points", ListShape(of=point, least=1, most=MAX_POINTS), wording.POINT_TEXT))
    return _inquiry(POINTS, wording.POINTS_SYSTEM, _words(case), shape)


def relevance_inquiry(case: Case, points: Sequence[str], shown: Shown) -> Inquiry:
    """Return the question how much one picture tells about the task, 1 to 5."""
    score = IntegerShape(least=LEAST_SCORE, most=MOST_SCORE)
    shape = ObjectShape(fields=(_REASONING, AnswerField(name="score", shape=score, words=wording.RELEVANCE_SCORE)))
    words = _words(case, *_numbered(wording.POINTS, points))
    return _inquiry(RELEVANCE, wording.RELEVANCE_SYSTEM, words, shape, shown=shown)


def key_frames_inquiry(case: Case, points: Sequence[str], shown: Shown) -> Inquiry:
    """Return the question for the verdict from key points and the pictures that tell most (WebJudge)."""
    words = _words(case, *_numbered(wording.POINTS, points), wording.ACTIONS, case.actions(), _about(shown))
    return _inquiry(KEY_FRAMES, wording.KEY_FRAMES_SYSTEM, words, _JUDGED, shown=shown)


def plan_inquiry(case: Case) -> Inquiry:
    """Return the question for a plan, from the task alone."""
    shape = _object(
        ("subtasks", ListShape(of=TextShape(limit=GOAL_LIMIT), least=1, most=MAX_POINTS), wording.PLAN_TEXT)
    )
    return _inquiry(PLAN, wording.PLAN_SYSTEM, _words(case), shape)


def alignment_inquiry(case: Case, plan: Sequence[str], shown: Shown) -> Inquiry:
    """Return the question which subtasks of the plan were reached, and the verdict."""
    entry = _object(
        ("subtask", IntegerShape(least=1, most=len(plan)), wording.PLAN_NUMBER),
        ("reached", BooleanShape(), wording.PLAN_DONE),
    )
    aligned = ListShape(of=entry, least=len(plan), most=len(plan))
    shape = ObjectShape(fields=(_REASONING, AnswerField(name="subtasks", shape=aligned), _VERDICT))
    words = _words(case, *_numbered(wording.PLAN, plan), wording.ACTIONS, case.actions(), _about(shown))
    check = partial(_broken_rule_of_alignment, len(plan))
    return _inquiry(ALIGNMENT, wording.ALIGN_SYSTEM, words, shape, shown=shown, check=check)


def _broken_rule_of_alignment(count: int, facts: Mapping[str, object]) -> str:
    entries = facts["subtasks"]
    assert isinstance(entries, list)  # noqa: S101  # its shape was checked
    every = sorted(entry["subtask"] for entry in entries) == list(range(1, count + 1))
    return "" if every else wording.RULE_PLAN.format(count=count)


def criteria_inquiry(case: Case, shown: Shown) -> Inquiry:
    """Return the question for criteria, each met or not, with steps (GUI-360's judge); complete if all are met."""
    number = IntegerShape(least=1, most=case.count)
    criterion = _object(
        ("text", TextShape(limit=GOAL_LIMIT), wording.CRITERION_TEXT),
        ("steps", ListShape(of=number, most=MAX_PROBLEMS), wording.CRITERION_STEP),
        ("met", BooleanShape(), wording.CRITERION_MET),
    )
    shape = ObjectShape(
        fields=(_REASONING, AnswerField(name="criteria", shape=ListShape(of=criterion, least=1, most=MAX_POINTS)))
    )
    words = _words(case, wording.ACTIONS, case.actions(), *_thoughts(case), *_controls(case), _about(shown))
    return _inquiry(CRITERIA, wording.CRITERIA_SYSTEM, words, shape, shown=shown, tokens=2048)


def quality_inquiry(case: Case, segments: Sequence[Segment], number: int) -> Inquiry:
    """Return the question how good one segment is, 1 to 5, text alone (GUIDE framework, 4.5)."""
    score = IntegerShape(least=LEAST_SCORE, most=MOST_SCORE)
    shape = ObjectShape(fields=(_REASONING, AnswerField(name="score", shape=score, words=wording.QUALITY_SCORE)))
    segment = segments[number]
    words = _words(
        case,
        "\n".join((wording.PARTS, *_parts(segments, number))),
        wording.THESE_ACTIONS,
        case.actions(segment.first, segment.last),
    )
    return _inquiry(QUALITY, wording.QUALITY_SYSTEM, words, shape)


# ---------------------------------------------------------------- words


def _words(case: Case, *parts: str) -> str:
    task = wording.TASK.format(task=one_line(case.task, TASK_LIMIT)) if case.task else wording.NO_TASK
    known = [wording.PREAMBLE.format(text=case.preamble)] if case.preamble else []
    return "\n\n".join(part for part in (task, *known, *parts) if part)


def _part_words(case: Case, segments: Sequence[Segment], number: int, shown: Shown) -> str:
    segment = segments[number]
    return _words(
        case,
        "\n".join((wording.PARTS, *_parts(segments, number))),
        wording.THESE_ACTIONS,
        case.actions(segment.first, segment.last),
        _about(shown),
    )


def _parts(segments: Sequence[Segment], marked: int | None = None) -> list[str]:
    return [
        (wording.THIS_PART if number - 1 == marked else wording.PART).format(
            number=number, first=one.first, last=one.last, goal=one.goal
        )
        for number, one in enumerate(segments, start=1)
    ]


def _numbered(title: str, texts: Sequence[str]) -> list[str]:
    lines = [wording.POINT.format(number=number, text=text) for number, text in enumerate(texts, start=1)]
    return ["\n".join((title, *lines))]


def _about(shown: Shown) -> str:
    return "" if shown.pictures else wording.NO_PICTURES


def _thoughts(case: Case) -> list[str]:
    said = [
        wording.THOUGHT.format(number=step.number, text=one_line(step.said, GOAL_LIMIT))
        for step in case.trajectory.steps
        if step.said
    ]
    return ["\n".join((wording.THOUGHTS, *said))] if said else []


def _controls(case: Case) -> list[str]:
    elements = (case.trajectory.steps[-1].elements if case.trajectory.steps else None) or ()
    names = [f"{element.role}: {one_line(element.name, NAME_LIMIT)}" for element in elements if element.name][
        :MAX_CONTROLS
    ]
    return ["\n".join((wording.CONTROLS, *names))] if names else []


def _object(*fields: tuple[str, Shape, str]) -> ObjectShape:
    return ObjectShape(fields=tuple(AnswerField(name=name, shape=shape, words=words) for name, shape, words in fields))


def _inquiry(
    kind: str,
    system: str,
    words: str,
    shape: ObjectShape,
    *,
    shown: Shown = Shown(),  # noqa: B008  # frozen
    check: Callable[[Mapping[str, object]], str] | None = None,
    tokens: int = 1024,
) -> Inquiry:
    brief = Brief(system=system, words=words, shape=shape, check=check, tokens=tokens)
    return Inquiry(kind=kind, brief=brief, pictures=shown.pictures, captions=shown.captions)
