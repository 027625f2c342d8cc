"""The judges: segmentation, diagnosis and summary, what is left when one of them is left out, and five others.

Each asks through an `Asker`, one question at a time. No request of the segmented judge holds more than the pictures of
its segment, the one before it, and the last of all.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from daemon.diagnosis.goals.questions import Asks
from daemon.diagnosis.model_diagnosis import inquiries, wording
from daemon.diagnosis.model_diagnosis.case import Case, Shown
from daemon.diagnosis.model_diagnosis.findings import (
    JudgedSegment,
    JudgeName,
    Segment,
    SegmentDiagnosis,
    SegmentVerdict,
    Stage,
    TaskOutcome,
    TaskVerdict,
)
from daemon.diagnosis.model_queries.asking import Inquiry, QueryReply
from daemon.diagnosis.model_queries.models import Volume

RELEVANT = 3
"""A picture with this score or a higher one is shown (WebJudge)."""

MAX_KEY_FRAMES = 50
STEPS_A_SEGMENT = 4
"""For estimates of cost; models make longer ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePlan:
    """Which judge is asked, and how.

    Attributes:
        judge: its name.
        without: what is left out of the segmented one.
        quality: whether its segments are rated.
        divides_only: whether the work is only divided, and nothing is judged.
        repeat: which repetition this is.
    """

    judge: JudgeName = JudgeName.SEGMENTED
    without: Stage | None = None
    quality: bool = False
    divides_only: bool = False
    repeat: int = 0


async def judge(asks: Asks, case: Case, plan: JudgePlan) -> TaskVerdict:
    """Return what a judge says of a trajectory."""

    async def ask(inquiry: Inquiry) -> QueryReply:
        return await asks.ask(replace(inquiry, repeat=plan.repeat))

    if plan.judge is JudgeName.SEGMENTED:
        return await _segmented(ask, case, plan)
    return await _OTHERS[plan.judge](ask, case)


_Ask = Callable[[Inquiry], Awaitable[QueryReply]]

# ---------------------------------------------------------------- the three stages


async def _segmented(ask: _Ask, case: Case, plan: JudgePlan) -> TaskVerdict:
    segments, fallback = await _segments(ask, case, plan)
    found: list[JudgedSegment] = []
    lost = 0
    for number, segment in enumerate(segments):
        if plan.divides_only:
            quality = await _quality(ask, case, segments, number) if plan.quality else None
            found.append(JudgedSegment(segment=segment, diagnosis=None, quality=quality))
            continue
        shown = case.span(segment.first, segment.last, end=True)
        lost += shown.lost
        answer = await ask(_about_segment(plan)(case, segments, number, shown))
        quality = await _quality(ask, case, segments, number) if plan.quality else None
        found.append(
            JudgedSegment(
                segment=segment,
                diagnosis=_diagnosis(answer),
                shown=answer.shown,
                given=answer.given,
                quality=quality,
            )
        )
    verdict = TaskVerdict(segments=tuple(found), fallback=fallback, lost=lost)
    if plan.divides_only:
        return verdict
    if plan.without is Stage.SUMMARY:
        return replace(verdict, outcome=_all_succeed(found))
    decided = plan.without is Stage.DIAGNOSIS
    return _with_outcome(verdict, await ask(inquiries.summary_inquiry(case, found, decided=decided)))


async def _segments(ask: _Ask, case: Case, plan: JudgePlan) -> tuple[tuple[Segment, ...], bool]:
    """Return the segments, and whether they are one for want of an answer."""
    whole = (Segment(first=1, last=case.count, goal=case.task or wording.NO_TASK),)
    if plan.without is Stage.SEGMENTATION:
        return whole, False
    answer = await ask(inquiries.segments_inquiry(case))
    if not answer.facts:
        return whole, True
    return tuple(_parsed(answer.facts["segments"], list[Segment])), False


def _about_segment(plan: JudgePlan) -> Callable[[Case, Sequence[Segment], int, Shown], Inquiry]:
    return inquiries.decision_inquiry if plan.without is Stage.DIAGNOSIS else inquiries.subtask_inquiry


def _diagnosis(answer: QueryReply) -> SegmentDiagnosis | None:
    """Return what was found about a segment; of a mere yes or no the verdict alone."""
    if not answer.facts:
        return None
    if "reached" in answer.facts:
        verdict = SegmentVerdict.SUCCESS if answer.facts["reached"] else SegmentVerdict.FAIL
        return SegmentDiagnosis(reasoning="", verdict=verdict)
    found: SegmentDiagnosis = _parsed(answer.facts, SegmentDiagnosis)
    return found


async def _quality(ask: _Ask, case: Case, segments: Sequence[Segment], number: int) -> int | None:
    rated = await ask(inquiries.quality_inquiry(case, segments, number))
    return _parsed(rated.facts["score"], int) if rated.facts else None


def _all_succeed(found: Sequence[JudgedSegment]) -> TaskOutcome | None:
    """Return the outcome without a summary: success if every segment is one."""
    if any(segment.diagnosis is None for segment in found):
        return None
    every = all(
        segment.diagnosis.verdict is SegmentVerdict.SUCCESS for segment in found if segment.diagnosis is not None
    )
    return TaskOutcome.SUCCESS if every else TaskOutcome.FAILURE


# ---------------------------------------------------------------- the others


async def _whole(ask: _Ask, case: Case) -> TaskVerdict:
    shown = case.every()
    return _with_outcome(TaskVerdict(lost=shown.lost), await ask(inquiries.whole_inquiry(case, shown)))


async def _final(ask: _Ask, case: Case) -> TaskVerdict:
    shown = case.last()
    return _with_outcome(TaskVerdict(lost=shown.lost), await ask(inquiries.final_inquiry(case, shown)))


async def _key_frames(ask: _Ask, case: Case) -> TaskVerdict:
    """Rate each picture alone; those that tell something are shown together, the highest rated if they are too many."""
    answer = await ask(inquiries.points_inquiry(case))
    if not answer.facts:
        return TaskVerdict()
    points = _parsed(answer.facts["points"], list[str])
    shown = case.every()
    rated: list[tuple[int, int]] = []
    for place, (picture, caption) in enumerate(zip(shown.pictures, shown.captions, strict=True)):
        one = await ask(inquiries.relevance_inquiry(case, points, Shown((picture,), (caption,))))
        if one.facts and (score := _parsed(one.facts["score"], int)) >= RELEVANT:
            rated.append((-score, place))
    chosen = sorted(place for _, place in sorted(rated)[:MAX_KEY_FRAMES])
    key_frames = Shown(
        tuple(shown.pictures[place] for place in chosen), tuple(shown.captions[place] for place in chosen)
    )
    judged = await ask(inquiries.key_frames_inquiry(case, points, key_frames))
    return _with_outcome(TaskVerdict(lost=shown.lost), judged)


async def _planned(ask: _Ask, case: Case) -> TaskVerdict:
    answer = await ask(inquiries.plan_inquiry(case))
    if not answer.facts:
        return TaskVerdict()
    plan = _parsed(answer.facts["subtasks"], list[str])
    shown = case.every()
    return _with_outcome(TaskVerdict(lost=shown.lost), await ask(inquiries.alignment_inquiry(case, plan, shown)))


async def _criteria(ask: _Ask, case: Case) -> TaskVerdict:
    shown = case.every()
    answer = await ask(inquiries.criteria_inquiry(case, shown))
    if not answer.facts:
        return TaskVerdict(lost=shown.lost)
    met = [bool(criterion["met"]) for criterion in _parsed(answer.facts["criteria"], list[dict[str, Any]])]
    outcome = TaskOutcome.SUCCESS if all(met) else TaskOutcome.FAILURE
    return TaskVerdict(outcome=outcome, reasoning=str(answer.facts["reasoning"]), lost=shown.lost)


_OTHERS: Mapping[JudgeName, Callable[[_Ask, Case], Awaitable[TaskVerdict]]] = {
    JudgeName.WHOLE: _whole,
    JudgeName.FINAL: _final,
    JudgeName.KEY_FRAMES: _key_frames,
    JudgeName.PLANNED: _planned,
    JudgeName.CRITERIA: _criteria,
}


def _with_outcome(verdict: TaskVerdict, answer: QueryReply) -> TaskVerdict:
    """Return a verdict with the outcome of its last question."""
    if not answer.facts:
        return verdict
    return replace(
        verdict,
        outcome=_parsed(answer.facts["verdict"], TaskOutcome),
        reasoning=str(answer.facts.get("reasoning", "")),
    )


def _parsed(value: object, kind: Any) -> Any:
    """Return checked facts as a class of ours."""
    return msgspec.convert(value, kind)


# ---------------------------------------------------------------- how much is asked


def volume_of(case: Case, plan: JudgePlan) -> Volume:
    """Return how much a judge asks about a trajectory, if its segments are `STEPS_A_SEGMENT` long."""
    count = case.count
    pictures = len({name for name in case.screens() if name is not None}) + 1
    segments = 1 if plan.without is Stage.SEGMENTATION else -(-count // STEPS_A_SEGMENT)
    requests, shown = {
        JudgeName.SEGMENTED: (2 + segments * (2 if plan.quality else 1), pictures + 2 * segments),
        JudgeName.WHOLE: (1, pictures),
        JudgeName.FINAL: (1, 1),
        JudgeName.KEY_FRAMES: (2 + pictures, 2 * pictures),
        JudgeName.PLANNED: (2, pictures),
        JudgeName.CRITERIA: (1, pictures),
    }[plan.judge]
    has_pictures = pictures > 1
    return Volume(
        requests=requests, pictures=shown if has_pictures else 0, text_tokens=800 + 40 * count, answer_tokens=700
    )
