"""Judges a trajectory in three stages: segmentation, diagnosis of each segment, and a summary.

It asks through an `Asker`, one question at a time. No request holds more than the pictures of its segment, the one
before it, and the last of all.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import msgspec

from daemon.diagnosis.model_diagnosis import inquiries
from daemon.diagnosis.model_diagnosis.case import Case
from daemon.diagnosis.model_diagnosis.findings import (
    JudgedSegment,
    Segment,
    SegmentDiagnosis,
    TaskOutcome,
    TaskVerdict,
)
from daemon.diagnosis.model_queries.asking import Asks, QueryReply
from daemon.diagnosis.model_queries.models import Volume

STEPS_A_SEGMENT = 4
"""For estimates of cost; models make longer ones."""


Judge = Callable[[Asks, Case], Awaitable[TaskVerdict]]
"""What says whether a trajectory has reached its task."""


async def judge(asks: Asks, case: Case) -> TaskVerdict:
    """Return what the three stages say of a trajectory."""
    segments, fallback = await divide(asks, case)
    found: list[JudgedSegment] = []
    lost = 0
    for number, segment in enumerate(segments):
        shown = case.span(segment.first, segment.last)
        lost += shown.lost
        answer = await asks.ask(inquiries.subtask_inquiry(case, segments, number, shown))
        diagnosis = parsed(answer.facts, SegmentDiagnosis) if answer.facts else None
        found.append(JudgedSegment(segment=segment, diagnosis=diagnosis, shown=answer.shown, given=answer.given))
    verdict = TaskVerdict(segments=tuple(found), fallback=fallback, lost=lost)
    return with_outcome(verdict, await asks.ask(inquiries.summary_inquiry(case, found, inquiries.evidence_lines)))


async def divide(asks: Asks, case: Case) -> tuple[tuple[Segment, ...], bool]:
    """Return the segments, and whether they are one for want of an answer."""
    answer = await asks.ask(inquiries.segments_inquiry(case))
    if not answer.facts:
        return (whole_segment(case),), True
    return tuple(parsed(answer.facts["segments"], list[Segment])), False


def whole_segment(case: Case) -> Segment:
    """Return the work as one segment; without a task its goal is not known, and empty."""
    return Segment(first=1, last=case.count, goal=case.task)


def with_outcome(verdict: TaskVerdict, answer: QueryReply) -> TaskVerdict:
    """Return a verdict with the outcome of its last question."""
    if not answer.facts:
        return verdict
    return replace(
        verdict,
        outcome=parsed(answer.facts["verdict"], TaskOutcome),
        reasoning=str(answer.facts.get("reasoning", "")),
    )


def parsed(value: object, kind: Any) -> Any:
    """Return checked facts as a class of ours."""
    return msgspec.convert(value, kind)


def volume_of(case: Case) -> Volume:
    """Return how much is asked about a trajectory, if its segments are `STEPS_A_SEGMENT` long."""
    pictures = picture_count(case)
    segments = -(-case.count // STEPS_A_SEGMENT)
    return volume(case, requests=2 + segments, pictures=pictures + 2 * segments)


def picture_count(case: Case) -> int:
    """Return how many pictures show a trajectory, the last one of all twice."""
    return len({name for name in case.screens() if name is not None}) + 1


def volume(case: Case, *, requests: int, pictures: int) -> Volume:
    """Return how much so many requests about a trajectory hold; without pictures where it has none."""
    return Volume(
        requests=requests,
        pictures=pictures if picture_count(case) > 1 else 0,
        text_tokens=800 + 40 * case.count,
        answer_tokens=700,
    )
