"""The segmented judge with a stage left out, and the five that it is compared with; all ask through an `Asker`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from daemon.diagnosis.model_diagnosis.case import Case, Shown
from daemon.diagnosis.model_diagnosis.findings import (
    JudgedCriterion,
    JudgedSegment,
    Segment,
    SegmentDiagnosis,
    SegmentVerdict,
    TaskOutcome,
    TaskVerdict,
)
from daemon.diagnosis.model_diagnosis.inquiries import evidence_lines, subtask_inquiry, summary_inquiry
from daemon.diagnosis.model_diagnosis.judge import (
    STEPS_A_SEGMENT,
    Judge,
    divide,
    parsed,
    picture_count,
    volume,
    whole_segment,
    with_outcome,
)
from daemon.diagnosis.model_diagnosis.run import RunPlan
from daemon.diagnosis.model_diagnosis.wording import AT_THE_END
from daemon.diagnosis.model_queries.asking import RETRIES, Asks, Inquiry, QueryReply
from daemon.diagnosis.model_queries.models import Volume
from lab.benchmarks.diagnosis.judges import inquiries
from lab.benchmarks.diagnosis.judges.plan import JudgeName, JudgePlan, JudgeStage

RELEVANT = 3
"""A picture with this score or a higher one is shown (WebJudge)."""

MAX_KEY_FRAMES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedSegment(JudgedSegment):
    """A segment with a rating of how well it was cut and named, 1 to 5."""

    quality: int | None = None


@dataclass(frozen=True, slots=True)
class _Repetition:
    """Asks as another does, and what was asked before is another question."""

    asks: Asks
    repeat: int

    async def ask(self, inquiry: Inquiry) -> QueryReply:
        """Return the answer."""
        return await self.asks.ask(replace(inquiry, repeat=self.repeat))


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchPlan:
    """How a benchmark judges: which judge, how often, and what else a run is told."""

    judge: JudgePlan = field(default_factory=JudgePlan)
    repeats: int = 1
    goal: str = ""
    preamble: str = ""
    retries: int = RETRIES

    @property
    def run(self) -> RunPlan:
        """The plan of the run, with a judge for each repetition."""
        judges = tuple(partial(judge_by, replace(self.judge, repeat=number)) for number in range(self.repeats))
        return RunPlan(goal=self.goal, preamble=self.preamble, retries=self.retries, judges=judges)

    def __str__(self) -> str:
        """Return which judge it is, and what is left out of it."""
        return f"{self.judge.judge}" + (f" without {self.judge.without}" if self.judge.without else "")


async def judge_by(plan: JudgePlan, asks: Asks, case: Case) -> TaskVerdict:
    """Return what the judge of a plan says of a trajectory."""
    repetition = _Repetition(asks, plan.repeat)
    if plan.judge is JudgeName.SEGMENTED:
        return await _segmented(repetition, case, plan)
    return await _OTHERS[plan.judge](repetition, case)


async def _segmented(asks: Asks, case: Case, plan: JudgePlan) -> TaskVerdict:
    segments: tuple[Segment, ...] = (whole_segment(case),)
    fallback = False
    if plan.without is not JudgeStage.SEGMENTATION:
        segments, fallback = await divide(asks, case)
    decides = plan.without is JudgeStage.DIAGNOSIS
    found: list[JudgedSegment] = []
    lost = 0
    for number, segment in enumerate(segments):
        answer = QueryReply()
        if not plan.divides_only:
            shown = case.span(segment.first, segment.last)
            lost += shown.lost
            about = inquiries.decision_inquiry if decides else subtask_inquiry
            answer = await asks.ask(about(case, segments, number, shown))
        quality = await _quality(asks, case, segments, number) if plan.quality else None
        found.append(
            RatedSegment(
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
    if plan.without is JudgeStage.SUMMARY:
        return replace(verdict, outcome=_all_succeed(found))
    lines = inquiries.decided_lines if decides else evidence_lines
    return with_outcome(verdict, await asks.ask(summary_inquiry(case, found, lines)))


def _diagnosis(answer: QueryReply) -> SegmentDiagnosis | None:
    """Return what was found about a segment; of a mere yes or no the verdict alone."""
    if not answer.facts:
        return None
    if "reached" in answer.facts:
        verdict = SegmentVerdict.SUCCESS if answer.facts["reached"] else SegmentVerdict.FAIL
        return SegmentDiagnosis(reasoning="", verdict=verdict)
    found: SegmentDiagnosis = parsed(answer.facts, SegmentDiagnosis)
    return found


async def _quality(asks: Asks, case: Case, segments: Sequence[Segment], number: int) -> int | None:
    rated = await asks.ask(inquiries.quality_inquiry(case, segments, number))
    return parsed(rated.facts["score"], int) if rated.facts else None


def _all_succeed(found: Sequence[JudgedSegment]) -> TaskOutcome | None:
    """Return the outcome without a summary: success if every segment is one."""
    if any(segment.diagnosis is None for segment in found):
        return None
    every = all(
        segment.diagnosis.verdict is SegmentVerdict.SUCCESS for segment in found if segment.diagnosis is not None
    )
    return TaskOutcome.SUCCESS if every else TaskOutcome.FAILURE


async def _whole(asks: Asks, case: Case) -> TaskVerdict:
    shown = case.span(1, case.count)
    return with_outcome(TaskVerdict(lost=shown.lost), await asks.ask(inquiries.whole_inquiry(case, shown)))


async def _final(asks: Asks, case: Case) -> TaskVerdict:
    ending = case.trajectory.last_picture or case.screens()[-1]
    shown = case.load([] if ending is None else [(ending, AT_THE_END)])
    return with_outcome(TaskVerdict(lost=shown.lost), await asks.ask(inquiries.final_inquiry(case, shown)))


async def _key_frames(asks: Asks, case: Case) -> TaskVerdict:
    """Rate each picture alone; those that tell something are shown together, the highest rated if they are too many."""
    answer = await asks.ask(inquiries.points_inquiry(case))
    if not answer.facts:
        return TaskVerdict()
    points = parsed(answer.facts["points"], list[str])
    shown = case.span(1, case.count)
    rated: list[tuple[int, int]] = []
    for place, (picture, caption) in enumerate(zip(shown.pictures, shown.captions, strict=True)):
        one = await asks.ask(inquiries.relevance_inquiry(case, points, Shown((picture,), (caption,))))
        if one.facts and (score := parsed(one.facts["score"], int)) >= RELEVANT:
            rated.append((-score, place))
    chosen = sorted(place for _, place in sorted(rated)[:MAX_KEY_FRAMES])
    key_frames = Shown(
        tuple(shown.pictures[place] for place in chosen), tuple(shown.captions[place] for place in chosen)
    )
    judged = await asks.ask(inquiries.key_frames_inquiry(case, points, key_frames))
    return with_outcome(TaskVerdict(lost=shown.lost), judged)


async def _planned(asks: Asks, case: Case) -> TaskVerdict:
    answer = await asks.ask(inquiries.plan_inquiry(case))
    if not answer.facts:
        return TaskVerdict()
    plan = parsed(answer.facts["subtasks"], list[str])
    shown = case.span(1, case.count)
    return with_outcome(TaskVerdict(lost=shown.lost), await asks.ask(inquiries.alignment_inquiry(case, plan, shown)))


async def _criteria(asks: Asks, case: Case) -> TaskVerdict:
    shown = case.span(1, case.count)
    answer = await asks.ask(inquiries.criteria_inquiry(case, shown))
    if not answer.facts:
        return TaskVerdict(lost=shown.lost)
    criteria: tuple[JudgedCriterion, ...] = parsed(answer.facts["criteria"], tuple[JudgedCriterion, ...])
    outcome = TaskOutcome.SUCCESS if all(criterion.met for criterion in criteria) else TaskOutcome.FAILURE
    reasoning = str(answer.facts["reasoning"])
    return TaskVerdict(outcome=outcome, reasoning=reasoning, lost=shown.lost, criteria=criteria)


_OTHERS: Mapping[JudgeName, Judge] = {
    JudgeName.WHOLE: _whole,
    JudgeName.FINAL: _final,
    JudgeName.KEY_FRAMES: _key_frames,
    JudgeName.PLANNED: _planned,
    JudgeName.CRITERIA: _criteria,
}


def volume_by(plan: JudgePlan, case: Case) -> Volume:
    """Return how much a judge asks about a trajectory, if its segments are `STEPS_A_SEGMENT` long."""
    pictures = picture_count(case)
    segments = 1 if plan.without is JudgeStage.SEGMENTATION else -(-case.count // STEPS_A_SEGMENT)
    requests, shown = {
        JudgeName.SEGMENTED: (2 + segments * (2 if plan.quality else 1), pictures + 2 * segments),
        JudgeName.WHOLE: (1, pictures),
        JudgeName.FINAL: (1, 1),
        JudgeName.KEY_FRAMES: (2 + pictures, 2 * pictures),
        JudgeName.PLANNED: (2, pictures),
        JudgeName.CRITERIA: (1, pictures),
    }[plan.judge]
    return volume(case, requests=requests, pictures=shown)
