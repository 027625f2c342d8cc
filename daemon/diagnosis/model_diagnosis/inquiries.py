"""What is asked in a diagnosis, as inquiries: words, the shape of the answer, and rules that a shape cannot say."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from daemon.diagnosis.model_diagnosis import wording
from daemon.diagnosis.model_diagnosis.case import Case, Shown
from daemon.diagnosis.model_diagnosis.findings import (
    JudgedSegment,
    Segment,
    SegmentDiagnosis,
    SegmentVerdict,
    TaskOutcome,
)
from daemon.diagnosis.model_queries.asking import Inquiry
from detectors.mllm.prompting.plain_text import one_line
from detectors.mllm.questions import (
    AnswerField,
    Brief,
    EnumShape,
    IntegerShape,
    ListShape,
    ObjectShape,
    Shape,
    TextShape,
)

SEGMENTS, SUBTASK, SUMMARY = "segments", "subtask", "summary"
"""Kinds of inquiries."""

TASK_LIMIT = 1000
GOAL_LIMIT = 200
REASON_LIMIT = 1200
CAUSE_LIMIT = 400
MAX_PROBLEMS = 12

_OUTCOME = EnumShape(values=tuple(TaskOutcome))
REASONING = AnswerField(name="reasoning", shape=TextShape(limit=REASON_LIMIT), words=wording.REASONING)
VERDICT = AnswerField(name="verdict", shape=_OUTCOME, words=wording.VERDICT)
JUDGED = ObjectShape(fields=(REASONING, VERDICT))


def segments_inquiry(case: Case) -> Inquiry:
    """Return the question for subtasks, text alone; the answer has `segments`, which cover all steps in order."""
    count = case.count
    number = IntegerShape(least=1, most=count)
    part = object_of(
        ("first", number, wording.SEGMENT_FIRST),
        ("last", number, wording.SEGMENT_LAST),
        ("goal", TextShape(limit=GOAL_LIMIT), wording.SEGMENT_GOAL),
    )
    words = words_of(case, wording.SEGMENT_ASK.format(count=count), wording.ACTIONS, case.actions())
    shape = object_of(("segments", ListShape(of=part, least=1, most=count), ""))
    check = partial(broken_rule_of_segments, count)
    return inquiry_of(SEGMENTS, wording.SEGMENT_SYSTEM, words, shape, check=check, tokens=min(4096, 512 + 40 * count))


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
    problem = object_of(
        ("step", IntegerShape(least=segment.first, most=segment.last), wording.PROBLEM_STEP),
        ("cause", TextShape(limit=CAUSE_LIMIT), wording.PROBLEM_CAUSE),
        ("fix", TextShape(limit=CAUSE_LIMIT), wording.PROBLEM_FIX),
    )
    shape = ObjectShape(
        fields=(
            REASONING,
            AnswerField(name="verdict", shape=EnumShape(values=tuple(SegmentVerdict)), words=wording.VERDICT),
            AnswerField(
                name="root_cause", shape=TextShape(limit=CAUSE_LIMIT, may_be_empty=True), words=wording.ROOT_CAUSE
            ),
            AnswerField(name="problems", shape=ListShape(of=problem, most=MAX_PROBLEMS)),
        )
    )
    words = part_words(case, segments, number, about(shown))
    return inquiry_of(
        SUBTASK, wording.DIAGNOSE_SYSTEM, words, shape, shown=shown, check=_broken_rule_of_diagnosis, tokens=2048
    )


def _broken_rule_of_diagnosis(facts: Mapping[str, object]) -> str:
    if facts["verdict"] == SegmentVerdict.SUCCESS:
        return ""
    if not facts["problems"]:
        return wording.RULE_PROBLEM
    return "" if facts["root_cause"] else wording.RULE_ROOT_CAUSE


def summary_inquiry(
    case: Case, findings: Sequence[JudgedSegment], says: Callable[[SegmentDiagnosis, Mapping[str, int]], Sequence[str]]
) -> Inquiry:
    """Return the question for the verdict on the whole, from what `says` tells of each finding at its place."""
    lines = [wording.FINDINGS]
    for number, finding in enumerate(findings, start=1):
        place = {"number": number, "first": finding.segment.first, "last": finding.segment.last}
        diagnosis = finding.diagnosis
        lines += [wording.FINDING_NONE.format(**place)] if diagnosis is None else says(diagnosis, place)
    goals = [wording.FINDING_GOALS, *_parts([finding.segment for finding in findings])]
    words = words_of(case, "\n".join(lines), "\n".join(goals))
    return inquiry_of(SUMMARY, wording.SUMMARY_SYSTEM, words, JUDGED)


def evidence_lines(diagnosis: SegmentDiagnosis, place: Mapping[str, int]) -> list[str]:
    """Return what a diagnosis says: its reasoning, and each problem."""
    return [
        wording.FINDING.format(**place, reasoning=diagnosis.reasoning),
        *(
            wording.FINDING_PROBLEM.format(step=problem.step, cause=problem.cause, fix=problem.fix)
            for problem in diagnosis.problems
        ),
    ]


# ---------------------------------------------------------------- words


def words_of(case: Case, *parts: str) -> str:
    """Return the words of a question: the task, what is known of the field, and the parts that are not empty."""
    task = wording.TASK.format(task=one_line(case.task, TASK_LIMIT)) if case.task else wording.NO_TASK
    known = [wording.PREAMBLE.format(text=case.preamble)] if case.preamble else []
    return "\n\n".join(part for part in (task, *known, *parts) if part)


def part_words(case: Case, segments: Sequence[Segment], number: int, *more: str) -> str:
    """Return the words of a question about one of the parts, of which all are listed."""
    segment = segments[number]
    return words_of(
        case,
        "\n".join((wording.PARTS, *_parts(segments, number))),
        wording.THESE_ACTIONS,
        case.actions(segment.first, segment.last),
        *more,
    )


def _parts(segments: Sequence[Segment], marked: int | None = None) -> list[str]:
    return [
        (wording.THIS_PART if number - 1 == marked else wording.PART).format(
            number=number, first=one.first, last=one.last, goal=one.goal or wording.NO_TASK
        )
        for number, one in enumerate(segments, start=1)
    ]


def about(shown: Shown) -> str:
    """Return that there are no pictures, where there are none."""
    return "" if shown.pictures else wording.NO_PICTURES


def object_of(*fields: tuple[str, Shape, str]) -> ObjectShape:
    """Return the shape of an answer with these fields, each a name, a shape and words."""
    return ObjectShape(fields=tuple(AnswerField(name=name, shape=shape, words=words) for name, shape, words in fields))


def inquiry_of(
    kind: str,
    system: str,
    words: str,
    shape: ObjectShape,
    *,
    shown: Shown = Shown(),  # noqa: B008  # frozen
    check: Callable[[Mapping[str, object]], str] | None = None,
    tokens: int = 1024,
) -> Inquiry:
    """Return a question of some kind."""
    brief = Brief(system=system, words=words, shape=shape, check=check, tokens=tokens)
    return Inquiry(kind=kind, brief=brief, pictures=shown.pictures, captions=shown.captions)
