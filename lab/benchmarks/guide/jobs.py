"""Asks a model everything about the clips of a video, one question at a time, and stores every answer at once.

A video is the unit of work: its files are decoded once, and a cluster's worker takes one at a time. What was answered
before, by this run or an earlier one, is not asked again.
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from daemon.diagnosis.model_queries.answers import AnswerFile, StoredAnswer, answer_key
from daemon.diagnosis.model_queries.asking import DEADLINE_S, raise_if_over
from detectors.mllm.prompting import prompts
from detectors.mllm.questions import Model, ModelQuery, Task
from lab.benchmarks.guide.clips import Clip, Collection, Video
from lab.benchmarks.guide.models import ModelName, PrefixTruth, ScriptedModel, open_named
from lab.benchmarks.guide.pictures import FRAMES, Decode, PictureStore, decode, moments_of
from lab.benchmarks.guide.questions import KEY, Context, GuidePlan, Pair, PromptItem, items_of
from storage.errors import BadFile


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredQuestion:
    """One question as it was answered: `guess` is the key of an option, None where there was no answer."""

    video: str
    app: str
    clip: str
    task: Task
    context: Context
    percent: int
    pair: Pair | None
    right: str
    answer: StoredAnswer

    @property
    def guess(self) -> str | None:
        """What was chosen; None for no answer."""
        return self.answer.choice

    @property
    def correct(self) -> bool:
        """Whether the right answer was chosen; no answer is wrong."""
        return self.answer.choice == self.right


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """All there is to ask about one video; plain data, so that it can be done elsewhere."""

    video: Video
    clips: tuple[Clip, ...]
    plan: GuidePlan
    model: ModelName
    answers: str
    frames: int = FRAMES

    def __str__(self) -> str:
        """Return the video's name."""
        return self.video.name


@dataclass(frozen=True, slots=True, kw_only=True)
class JobResult:
    """The result of a job: its rows, and how many questions were sent for it now.

    `free` are questions that are answered in free text. `refused` says why its video could not be read; then there are
    no rows.
    """

    rows: tuple[AnsweredQuestion, ...]
    sent: int
    free: tuple[AnsweredQuestion, ...] = ()
    refused: str = ""


def jobs_of(
    collection: Collection, plan: GuidePlan, model: ModelName, answers: Path, frames: int = FRAMES
) -> list[Job]:
    """Return one job for each video that has anything to ask about."""
    found = []
    for name, video in sorted(collection.videos.items()):
        clips = tuple(clip for clip in collection.of(name) if next(items_of(clip, plan), None) is not None)
        if clips:
            found.append(
                Job(video=video, clips=clips, plan=plan, model=model, answers=str(answers.absolute()), frames=frames)
            )
    return found


def count(job: Job) -> int:
    """Return how many questions a job has."""
    return sum(1 for _ in items_in(job))


def items_in(job: Job) -> Iterator[PromptItem]:
    """Yield the questions of a job: for each clip all of a prefix together, so that its pictures are loaded once."""
    for clip in job.clips:
        yield from sorted(items_of(clip, job.plan), key=lambda item: item.percent)


def run_job(job: Job) -> JobResult:
    """Do a job in this process without progress; a cluster's worker runs this."""
    return answer_all(job)


def answer_all(job: Job, *, step: Callable[[], None] = lambda: None, decoding: Decode = decode) -> JobResult:
    """Ask everything about a video, if it can be read; call `step` after each question.

    Raises:
        EnvironmentFault: the model cannot be used any further; nothing that was answered is lost.
    """
    try:
        pictures = PictureStore(job.video, moments_of(job.clips, job.plan.percents, job.frames), decode=decoding)
    except BadFile as error:
        return JobResult(rows=(), sent=0, refused=error.what)
    with pictures:
        return asyncio.run(_answer(job, pictures, open_named(job.model, count(job), job.frames), step))


async def _answer(job: Job, pictures: PictureStore, model: Model, step: Callable[[], None]) -> JobResult:
    rows: list[AnsweredQuestion] = []
    free: list[AnsweredQuestion] = []
    sent = 0
    try:
        with AnswerFile(Path(job.answers), durable=not job.model.is_stand_in) as answers:
            for item, query in _queries(job, pictures):
                # The answer of a scripted model depends on the clip, not on its pictures.
                about = f" {item.clip.key}" if job.model.is_stand_in else ""
                key = answer_key(job.model.identity + about, prompts.VERSION, query)
                stored = answers.get(key)
                if stored is None:
                    stored = StoredAnswer.of(await _informed(model, item).ask(query, deadline_s=DEADLINE_S), KEY)
                    sent += 1
                    raise_if_over(stored, str(job.model))
                    if stored.is_final:
                        answers.put(key, stored)
                (free if item.free else rows).append(row_of(item, stored))
                step()
    finally:
        await model.close()
    return JobResult(rows=tuple(rows), sent=sent, free=tuple(free))


def _queries(job: Job, pictures: PictureStore) -> Iterator[tuple[PromptItem, ModelQuery]]:
    """Yield the questions of a job with their pictures, which are the same for all questions about a prefix."""
    for (_, percent), together in groupby(items_in(job), lambda item: (item.clip.key, item.percent)):
        first, *others = together
        shown, at_s = pictures.of(first.clip, percent, job.frames)
        for item in (first, *others):
            yield item, ModelQuery(pictures=shown, at_s=at_s, questions=(item.question,), reasoned=True)


def known_of(item: PromptItem) -> PrefixTruth:
    """Return the truth for a scripted model, which looks at no picture."""
    about = f"{item.clip.key} {item.task} {item.pair}"
    return PrefixTruth(item=item.clip.video, window=about, prefix=str(item.percent), truth={KEY: item.right})


def _informed(model: Model, item: PromptItem) -> Model:
    return model.about(known_of(item)) if isinstance(model, ScriptedModel) else model


def row_of(item: PromptItem, answer: StoredAnswer) -> AnsweredQuestion:
    """Return a question with its answer."""
    return AnsweredQuestion(
        video=item.clip.video,
        app=item.clip.app,
        clip=item.clip.key,
        task=item.task,
        context=item.context,
        percent=item.percent,
        pair=item.pair,
        right=item.right,
        answer=answer,
    )
