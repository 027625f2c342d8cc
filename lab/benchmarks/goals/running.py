"""Runs what a benchmark asks: set by set, with every answer stored at once, one trajectory after the other.

Answers about a recorded session lie in its folder, and what is sent carries its name: deleting it deletes both.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from daemon.diagnosis.goals import wording
from daemon.diagnosis.goals.material import MAX_PICTURES
from daemon.diagnosis.goals.questions import AskedJudge, GoalJudge
from daemon.diagnosis.model_diagnosis.shares import (
    Share,
    done_by_cluster,
    in_order,
    refuse_elsewhere,
    shares_of,
    sources_in,
    steps_of,
)
from daemon.diagnosis.model_diagnosis.sources import Source
from daemon.diagnosis.model_queries.answers import AnswerFile, session_answers
from daemon.diagnosis.model_queries.asking import Asker
from daemon.diagnosis.model_queries.models import open_counted
from daemon.history.trajectory.layouts.trajectory_set import TrajectorySet
from daemon.history.trajectory.trajectory import Trajectory
from daemon.models.tiers import endpoint_key
from daemon.text import print_progress
from detectors.mllm.questions import Usage
from lab.benchmarks.goals.constructed import ORACLE, AlwaysYesJudge, OracleJudge
from lab.benchmarks.goals.judging import Control, Findings, Plan, controls_of, judge_one, volumes_of
from lab.benchmarks.goals.people import WrittenGoal
from lab.measure.progress import ProgressBar
from storage.errors import KairosError
from storage.settings import ModelSettings

ALWAYS_YES = "always:yes"
PURPOSE = "bench goals"
_SHOWN = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Participant:
    """Who says goals or compares them; `chosen` are a model's settings, None for a stand-in without any model."""

    name: str
    chosen: ModelSettings | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One set with the trajectories of it that are asked about; `session` is its folder if it is a recorded one.

    `path` is where it can be loaded from again, None of the constructed set.
    """

    whole: TrajectorySet
    trajectories: tuple[Trajectory, ...]
    session: Path | None = None
    path: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalRun:
    """All there is to ask: of which sets, by whom, and where answers about files are stored."""

    parts: tuple[Part, ...]
    plan: Plan
    written: Mapping[str, Sequence[WrittenGoal]]
    model: Participant | None
    judge: Participant
    answers: Path
    retries: int


@dataclass(slots=True, kw_only=True)
class AskedCounts:
    """What was sent now, what all answers cost, and how many were sent again when asked a second time."""

    sent: int = 0
    sent_again: int = 0
    usage: Usage = field(default_factory=Usage)


class Askers:
    """Opens each model once, and closes all of them."""

    def __init__(self, run: GoalRun, part: Part, answers: AnswerFile, stack: AsyncExitStack) -> None:
        """Open nothing yet."""
        said, compared = volumes_of(part.trajectories, run.plan, run.written)
        self._volume = said + compared
        self._part = part
        self._answers = answers
        self._retries = run.retries
        self._stack = stack
        self._by_model: dict[str, Asker] = {}

    @property
    def sent(self) -> int:
        """How many questions were sent."""
        return sum(one.counts.sent for one in self._by_model.values())

    @property
    def usage(self) -> Usage:
        """What all answers cost."""
        return sum((one.counts.usage for one in self._by_model.values()), Usage())

    def judge(self, one: Participant) -> GoalJudge:
        """Return who says goals or compares them under this name."""
        if one.chosen is None:
            return OracleJudge() if one.name == ORACLE else AlwaysYesJudge()
        key = endpoint_key(one.chosen)
        if key not in self._by_model:
            model = open_counted(
                one.chosen,
                self._volume,
                pictures_max=MAX_PICTURES + 1,
                purpose=PURPOSE,
                session=self._part.session,
            )
            self._stack.push_async_callback(model.close)
            self._by_model[key] = Asker(
                model, self._answers, identity=key, version=wording.VERSION, retries=self._retries
            )
        return AskedJudge(self._by_model[key])


def ask_all(run: GoalRun, counts: AskedCounts, scheduler: str | None = None) -> Findings:
    """Ask everything, set by set; about the first trajectory twice: then nothing may be sent.

    Args:
        run: what is asked.
        counts: where it is counted.
        scheduler: address of a Dask scheduler whose workers ask; None: this process does.

    Raises:
        EnvironmentFault: a model or the cluster cannot be used any further; nothing that was answered is lost.
        UsageError: the cluster may not be asked.
    """
    progress = ProgressBar(sum(len(part.trajectories) for part in run.parts), of="trajectories")
    try:
        if scheduler is None:
            each = [
                found
                for part, controls in zip(run.parts, part_controls(run), strict=True)
                for found in ask_part(run, part, controls, counts, step=lambda key: progress.add(1, key[:_SHOWN]))
            ]
        else:
            each = _ask_elsewhere(run, counts, scheduler, progress)
    except (KeyboardInterrupt, KairosError):
        progress.stop()
        raise
    findings = Findings()
    for one in each:
        findings.add(one)
    if findings.used:
        counts.sent_again += _sent_again(run, findings.used[0])
    return findings


def part_controls(run: GoalRun) -> list[list[Control | None]]:
    """Return the controls of each part; the first trajectories of all are controls."""
    left = run.plan.controls
    found = []
    for part in run.parts:
        found.append(controls_of(part.trajectories, left))
        left = max(0, left - len(part.trajectories))
    return found


def ask_part(
    run: GoalRun,
    part: Part,
    controls: Sequence[Control | None],
    counts: AskedCounts,
    *,
    step: Callable[[str], None] = lambda _: None,
) -> list[Findings]:
    """Ask everything about the trajectories of one set, and return what was found of each."""
    if not part.trajectories:
        return []
    with ExitStack() as stack:
        stored = AnswerFile(run.answers) if part.session is None else session_answers(part.session)
        answers = stack.enter_context(stored)
        return asyncio.run(_ask(run, part, controls, answers, counts, step=step))


async def _ask(
    run: GoalRun,
    part: Part,
    controls: Sequence[Control | None],
    answers: AnswerFile,
    counts: AskedCounts,
    *,
    step: Callable[[str], None],
) -> list[Findings]:
    found = []
    async with AsyncExitStack() as stack:
        askers = Askers(run, part, answers, stack)
        model = None if run.model is None else askers.judge(run.model)
        judge = askers.judge(run.judge)
        for one, control in zip(part.trajectories, controls, strict=True):
            written = run.written.get(one.key, ())
            found.append(await judge_one(part.whole, one, run.plan, written, control, model=model, judge=judge))
            step(one.key)
        counts.sent += askers.sent
        counts.usage += askers.usage
    return found


def _sent_again(run: GoalRun, key: str) -> int:
    """Ask once more about a trajectory; return how many questions were sent."""
    part = next(part for part in run.parts if any(one.key == key for one in part.trajectories))
    first = replace(part, trajectories=tuple(one for one in part.trajectories if one.key == key))
    counts = AskedCounts()
    ask_part(run, first, [None] * len(first.trajectories), counts)
    return counts.sent


# ---------------------------------------------------------------- on a cluster


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalsJob:
    """A share of a run; plain data, so that it can be done elsewhere.

    `golds` and `controls` are those of its trajectories, in their order.
    """

    share: Share
    golds: tuple[str | None, ...]
    controls: tuple[Control | None, ...]
    plan: Plan
    written: Mapping[str, tuple[WrittenGoal, ...]]
    model: Participant | None
    judge: Participant
    answers: str
    retries: int

    def __str__(self) -> str:
        """Return the name of its first set."""
        return str(self.share)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedShare:
    """What was found of each trajectory of a share."""

    found: tuple[Findings, ...]
    sent: int
    usage: Usage


def ask_share(job: GoalsJob) -> AskedShare:
    """Ask about a share in this process; a cluster's worker runs this.

    Raises:
        BadFile: the files are not those that were there before.
    """
    counts = AskedCounts()
    found: list[Findings] = []
    for source in sources_in(job.share):
        golds = job.golds[len(found) : len(found) + len(source.whole.trajectories)]
        controls = job.controls[len(found) : len(found) + len(source.whole.trajectories)]
        trajectories = tuple(
            replace(one, goal=gold) for one, gold in zip(source.whole.trajectories, golds, strict=True)
        )
        part = Part(whole=source.whole, trajectories=trajectories, session=source.session, path=source.path)
        run = GoalRun(
            parts=(part,),
            plan=job.plan,
            written=job.written,
            model=job.model,
            judge=job.judge,
            answers=Path(job.answers),
            retries=job.retries,
        )
        found += ask_part(run, part, controls, counts)
    return AskedShare(found=tuple(found), sent=counts.sent, usage=counts.usage)


def _ask_elsewhere(run: GoalRun, counts: AskedCounts, scheduler: str, progress: ProgressBar) -> list[Findings]:
    refuse_elsewhere(scheduler, of_person=any(part.session is not None for part in run.parts))
    sources = [
        Source(
            name=part.whole.layout if part.path is None else part.path.name,
            whole=replace(part.whole, trajectories=part.trajectories),
            session=part.session,
            path=part.path,
        )
        for part in run.parts
    ]
    every = [one for part in run.parts for one in part.trajectories]
    controls = [one for part in part_controls(run) for one in part]
    shares = shares_of(sources, steps_of)
    jobs = [
        GoalsJob(
            share=share,
            golds=tuple(every[place].goal for place in share.places),
            controls=tuple(controls[place] for place in share.places),
            plan=run.plan,
            written=_written_about(run, [every[place].key for place in share.places]),
            model=run.model,
            judge=run.judge,
            answers=str(run.answers.absolute()),
            retries=run.retries,
        )
        for share in shares
    ]
    results = []
    done = done_by_cluster(ask_share, jobs, scheduler=scheduler, report=print_progress)
    for share, one in zip(shares, done, strict=True):
        results.append(one.found)
        counts.sent += one.sent
        counts.usage += one.usage
        progress.add(len(share.places), str(share)[:_SHOWN])
    return in_order(shares, results)


def _written_about(run: GoalRun, keys: Sequence[str]) -> dict[str, tuple[WrittenGoal, ...]]:
    return {key: tuple(run.written[key]) for key in keys if key in run.written}
