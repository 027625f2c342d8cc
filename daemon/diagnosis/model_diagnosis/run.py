"""Judges sessions and files of trajectories with one model, and stores every answer at once.

Answers about a session lie in its folder, and so does its name in the log of what is sent. Answers about files lie
where the caller says. What was answered before is not asked again, so whatever ends a run, the same command goes on
from there and ends in the same result.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from daemon.diagnosis.goals import wording as goal_wording
from daemon.diagnosis.goals.material import material_of, picture_count
from daemon.diagnosis.goals.questions import goal_of
from daemon.diagnosis.model_diagnosis import wording
from daemon.diagnosis.model_diagnosis.case import Case
from daemon.diagnosis.model_diagnosis.findings import TaskVerdict
from daemon.diagnosis.model_diagnosis.inquiries import TASK_LIMIT
from daemon.diagnosis.model_diagnosis.judge import Judge, judge, volume_of
from daemon.diagnosis.model_diagnosis.sources import TrajectorySource
from daemon.diagnosis.model_queries.answers import AnswerFile, session_answers
from daemon.diagnosis.model_queries.asking import RETRIES, Asker, AskingCounts
from daemon.diagnosis.model_queries.models import Volume, name_of, open_counted
from daemon.history.trajectory.loading import SessionPictures
from daemon.history.trajectory.trajectory import Trajectory
from daemon.models.tiers import endpoint_key
from detectors.mllm.prompting.plain_text import one_line
from detectors.mllm.questions import Model
from storage.settings import ModelSettings

PICTURES_MAX = 50
"""The most pictures of one request, where the server takes as many."""

PURPOSE = "diagnose"

_VERSIONS = (wording.VERSION, goal_wording.VERSION)
"""Of the wordings of a judgement and of the question for the goal, in this order."""


class TaskSource(StrEnum):
    """Who says what the task was."""

    STATED = "stated"
    FILE = "file"
    MODEL = "model"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """How a run judges: the task if somebody stated it, domain knowledge, and who judges, one after the other."""

    goal: str = ""
    preamble: str = ""
    retries: int = RETRIES
    judges: tuple[Judge, ...] = (judge,)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedTrajectory:
    """A trajectory with a verdict of each judge; `outcome` is what the data says, where it does."""

    source: str
    key: str
    whose: str
    app: str
    steps: int
    task: str
    task_source: TaskSource
    verdicts: tuple[TaskVerdict, ...]
    outcome: bool | None = None
    has_pictures: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedRun:
    """What came of a run: each trajectory, what was left out and why, and what was asked."""

    model: str
    judged: tuple[JudgedTrajectory, ...]
    left_out: Counter[str]
    counts: AskingCounts


def volume_of_run(
    sources: Iterable[TrajectorySource], plan: RunPlan, of_judge: Callable[[Case], Volume] = volume_of
) -> Volume:
    """Return how much a run asks, if each of its judges asks so much and nothing was asked before."""
    total = Volume(requests=0, pictures=0)
    for source in sources:
        for trajectory in source.whole.trajectories:
            one = of_judge(Case(trajectory=trajectory, pictures=source.whole.pictures))
            count = len(plan.judges)
            total += replace(one, requests=one.requests * count, pictures=one.pictures * count)
            if not plan.goal and trajectory.goal is None:
                total += Volume(requests=1, pictures=picture_count(trajectory))
    return total


def diagnose_with_model(
    sources: Sequence[TrajectorySource],
    chosen: ModelSettings,
    plan: RunPlan,
    *,
    volume: Volume,
    answers: Path,
    step: Callable[[str], None] = lambda _: None,
) -> JudgedRun:
    """Judge all sources.

    Args:
        sources: what is judged.
        chosen: the model's settings.
        plan: how.
        volume: how much is asked at most.
        answers: the file of answers about what is no session.
        step: is called with each request before it is sent.

    Raises:
        EnvironmentFault: the model cannot be used any further; nothing that was answered is lost.
        UsageError: nothing may be sent there.
    """

    def opened(source: TrajectorySource) -> Model:
        return open_counted(chosen, volume, pictures_max=PICTURES_MAX, purpose=PURPOSE, session=source.session)

    identity = endpoint_key(chosen)
    return judge_with(opened, sources, plan, identity=identity, name=name_of(chosen), answers=answers, step=step)


def judge_with(
    opened: Callable[[TrajectorySource], Model],
    sources: Sequence[TrajectorySource],
    plan: RunPlan,
    *,
    identity: str,
    name: str,
    answers: Path | None,
    step: Callable[[str], None] = lambda _: None,
) -> JudgedRun:
    """Judge all sources with models that `opened` gives; without `answers` nothing about files is stored."""
    run = _Run(opened=opened, plan=plan, identity=identity, answers=answers, step=step)
    judged = asyncio.run(run.judge_all(sources))
    left_out = sum((source.left_out for source in sources), Counter[str]())
    return JudgedRun(model=name, judged=tuple(judged), left_out=left_out, counts=run.counts)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """What is the same for all sources of a run."""

    opened: Callable[[TrajectorySource], Model]
    plan: RunPlan
    identity: str
    answers: Path | None
    step: Callable[[str], None]
    counts: AskingCounts = field(default_factory=AskingCounts)

    async def judge_all(self, sources: Sequence[TrajectorySource]) -> list[JudgedTrajectory]:
        """Judge sources one after the other, each with a model of its own: what is sent is filed by session."""
        return [
            judged for source in sources if source.whole.trajectories for judged in await self._judge_source(source)
        ]

    async def _judge_source(self, source: TrajectorySource) -> list[JudgedTrajectory]:
        with ExitStack() as stack:
            file: AnswerFile | None = None
            if source.session is not None:
                file = stack.enter_context(session_answers(source.session))
            elif self.answers is not None:
                file = stack.enter_context(AnswerFile(self.answers))
            model = await asyncio.to_thread(self.opened, source)
            try:
                askers = [self._asker(model, file, version, source) for version in _VERSIONS]
                return [
                    await _judge_one(askers, source, trajectory, self.plan) for trajectory in source.whole.trajectories
                ]
            finally:
                await model.close()
                if isinstance(source.whole.pictures, SessionPictures):
                    source.whole.pictures.close()

    def _asker(self, model: Model, file: AnswerFile | None, version: str, source: TrajectorySource) -> Asker:
        return Asker(
            model,
            file,
            identity=self.identity,
            version=version,
            retries=self.plan.retries,
            counts=self.counts,
            step=lambda kind: self.step(f"{source.name}: {kind}"),
        )


async def _judge_one(
    askers: Sequence[Asker], source: TrajectorySource, trajectory: Trajectory, plan: RunPlan
) -> JudgedTrajectory:
    asker, goal_asker = askers
    task, said_by = await _task_of(goal_asker, source, trajectory, plan)
    case = Case(
        trajectory=trajectory, pictures=source.whole.pictures, task=one_line(task, TASK_LIMIT), preamble=plan.preamble
    )
    return JudgedTrajectory(
        source=source.name,
        key=trajectory.key,
        whose=trajectory.whose,
        app=trajectory.app,
        steps=case.count,
        task=case.task,
        task_source=said_by,
        verdicts=tuple([await judges(asker, case) for judges in plan.judges]),
        outcome=trajectory.outcome,
        has_pictures=any(name is not None for name in case.screens()),
    )


async def _task_of(
    asker: Asker, source: TrajectorySource, trajectory: Trajectory, plan: RunPlan
) -> tuple[str, TaskSource]:
    """Return the task: as stated, as the file says, else as a model reads it off the trajectory."""
    if plan.goal:
        return plan.goal, TaskSource.STATED
    if trajectory.goal is not None and trajectory.goal.strip():
        return trajectory.goal, TaskSource.FILE
    found = await goal_of(asker, material_of(source.whole, trajectory, skip_lost=True))
    return (found, TaskSource.MODEL) if found else ("", TaskSource.NOBODY)
