"""Single questions with a known right answer, and the jobs that ask a model all of them about one video.

Every question is asked alone: two in one request would reveal each other's answers. Contexts beyond the pictures are
asked about whole clips only, and so is pairwise preference, as published (4.1, 4.2). The order of options follows from
the seed and the clip.

A video is the unit of work: its files are decoded once, and a cluster's worker takes one at a time. Every answer is
stored at once, and what was answered before, by this run or an earlier one, is not asked again.
"""

import asyncio
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from pathlib import Path

from daemon.diagnosis.model_queries.answers import AnswerFile, StoredAnswer, answer_key
from daemon.diagnosis.model_queries.asking import DEADLINE_S, raise_if_over
from detectors.mllm.prompting import prompts
from detectors.mllm.questions import AnswerForm, Model, ModelQuery, ModelQuestion, Option, QuestionContext, Task
from lab.benchmarks.guide.clips import Choice, Clip, Collection, Video
from lab.benchmarks.guide.models import ModelName, PrefixTruth, ScriptedModel, open_named
from lab.benchmarks.guide.pictures import FRAMES, Decode, PictureStore, decode, moments_of
from storage.errors import BadFile

KEY = "answer"
WHOLE = 100


class Context(StrEnum):
    """What a model knows beside the pictures."""

    NONE = "none"
    PREVIOUS = "previous"
    BEHAVIOR = "behavior"
    BEHAVIOR_INTENT = "behavior+intent"


CONTEXTS: dict[Task, tuple[Context, ...]] = {
    Task.BEHAVIOR: (Context.NONE, Context.PREVIOUS),
    Task.INTENT: (Context.NONE, Context.BEHAVIOR),
    Task.NEED: (Context.NONE, Context.BEHAVIOR, Context.BEHAVIOR_INTENT),
    Task.CONTENT: (Context.NONE, Context.BEHAVIOR, Context.BEHAVIOR_INTENT),
}
"""The contexts of each task (GUIDE 4.2)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """The right answer against one distractor; `swapped` is the same with the options the other way round."""

    against: int
    swapped: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptItem:
    """One question about one prefix of one clip, and the key of its right answer.

    Of a question that is answered in free text, `right` is the annotated answer, with which others may agree.
    """

    clip: Clip
    task: Task
    context: Context
    percent: int
    question: ModelQuestion
    right: str
    pair: Pair | None = None

    @property
    def free(self) -> bool:
        """Whether it is answered in free text."""
        return self.question.form is AnswerForm.TEXT


@dataclass(frozen=True, slots=True, kw_only=True)
class GuidePlan:
    """Which questions are asked."""

    tasks: tuple[Task, ...] = tuple(Task)
    contexts: tuple[Context, ...] = tuple(Context)
    percents: tuple[int, ...] = (25, 50, 75, 100)
    both_orders: bool = False
    free: bool = False
    seed: int = 1


def items_of(clip: Clip, plan: GuidePlan) -> Iterator[PromptItem]:
    """Yield every question about a clip, in an order in which prefixes of one question follow each other."""
    for task in plan.tasks:
        for context in CONTEXTS[task]:
            if context not in plan.contexts:
                continue
            found = _question(clip, task, context, plan.seed)
            if found is None:
                continue
            question, right = found
            for percent in plan.percents:
                if context is Context.NONE or percent == WHOLE:
                    yield PromptItem(
                        clip=clip, task=task, context=context, percent=percent, question=question, right=right
                    )
        choice = _choice_of(clip, task)
        if choice is not None and Context.NONE in plan.contexts and WHOLE in plan.percents:
            yield from _pairs(clip, task, choice, plan)
        if choice is not None and plan.free:
            question = ModelQuestion(key=KEY, task=task, form=AnswerForm.TEXT)
            yield PromptItem(
                clip=clip, task=task, context=Context.NONE, percent=WHOLE, question=question, right=choice.right
            )


def _question(clip: Clip, task: Task, context: Context, seed: int) -> tuple[ModelQuestion, str] | None:
    """Return the question of a task about a clip, and its right answer's key; None without the labels for it."""
    given = _given(clip, context)
    if given is None:
        return None
    if task is Task.BEHAVIOR and clip.asks_behavior and clip.states:
        question = ModelQuestion(key=KEY, task=task, form=AnswerForm.CHOICE, options=prompts.STATE_OPTIONS, given=given)
        return question, clip.states[0].value
    if task is Task.NEED and clip.need is not None:
        question = ModelQuestion(key=KEY, task=task, form=AnswerForm.YES_NO, given=given, of_stretch=True)
        return question, "yes" if clip.need else "no"
    choice = _choice_of(clip, task)
    if choice is None:
        return None
    rng = random.Random(f"{seed} {clip.key} {task}")  # noqa: S311  # the order of options is no secret
    return _choice_question(task, [choice.right, *choice.wrong], given, rng)


def _pairs(clip: Clip, task: Task, choice: Choice, plan: GuidePlan) -> Iterator[PromptItem]:
    """Yield the right answer against each distractor: in one order at random, or in both."""
    for number, wrong in enumerate(choice.wrong):
        right_first = random.Random(f"{plan.seed} {clip.key} {task} pair {number}").random() < 0.5  # noqa: S311, PLR2004  # a coin
        for swapped in (False, True) if plan.both_orders else (False,):
            order = [choice.right, wrong] if right_first is not swapped else [wrong, choice.right]
            question, _ = _choice_question(task, order, QuestionContext(), None)
            yield PromptItem(
                clip=clip,
                task=task,
                context=Context.NONE,
                percent=WHOLE,
                question=question,
                right=f"o{order.index(choice.right) + 1}",
                pair=Pair(against=number, swapped=swapped),
            )


def _choice_question(
    task: Task, texts: Sequence[str], given: QuestionContext, rng: random.Random | None
) -> tuple[ModelQuestion, str]:
    """Return a choice between texts, the first of which is right unless `rng` shuffles, and the right one's key."""
    order = list(range(len(texts)))
    if rng is not None:
        rng.shuffle(order)
    options = tuple(Option(key=f"o{place}", text=texts[number]) for place, number in enumerate(order, start=1))
    question = ModelQuestion(key=KEY, task=task, form=AnswerForm.CHOICE, options=options, given=given)
    return question, f"o{order.index(0) + 1}"


def _choice_of(clip: Clip, task: Task) -> Choice | None:
    return {Task.INTENT: clip.intent, Task.CONTENT: clip.content}.get(task)


def _given(clip: Clip, context: Context) -> QuestionContext | None:
    """Return the labels of a clip that a context gives; None where the clip does not have them."""
    if context is Context.NONE:
        return QuestionContext()
    if context is Context.PREVIOUS:
        return None if clip.previous is None else QuestionContext(previous=clip.previous)
    if not clip.states:
        return None
    if context is Context.BEHAVIOR:
        return QuestionContext(behavior=clip.states)
    return None if clip.aim is None else QuestionContext(behavior=clip.states, intent=clip.aim)


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
class VideoJob:
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
) -> list[VideoJob]:
    """Return one job for each video that has anything to ask about."""
    found = []
    for name, video in sorted(collection.videos.items()):
        clips = tuple(clip for clip in collection.of(name) if next(items_of(clip, plan), None) is not None)
        if clips:
            found.append(
                VideoJob(
                    video=video, clips=clips, plan=plan, model=model, answers=str(answers.absolute()), frames=frames
                )
            )
    return found


def count(job: VideoJob) -> int:
    """Return how many questions a job has."""
    return sum(1 for _ in items_in(job))


def items_in(job: VideoJob) -> Iterator[PromptItem]:
    """Yield the questions of a job: for each clip all of a prefix together, so that its pictures are loaded once."""
    for clip in job.clips:
        yield from sorted(items_of(clip, job.plan), key=lambda item: item.percent)


def run_job(job: VideoJob) -> JobResult:
    """Do a job in this process without progress; a cluster's worker runs this."""
    return answer_all(job)


def answer_all(job: VideoJob, *, step: Callable[[], None] = lambda: None, decoding: Decode = decode) -> JobResult:
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


async def _answer(job: VideoJob, pictures: PictureStore, model: Model, step: Callable[[], None]) -> JobResult:
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


def _queries(job: VideoJob, pictures: PictureStore) -> Iterator[tuple[PromptItem, ModelQuery]]:
    """Yield the questions of a job with their pictures, which are the same for all questions about a prefix."""
    for (_, percent), together in groupby(items_in(job), lambda item: (item.clip.key, item.percent)):
        first, *others = together
        shown, at_s = pictures.of(first.clip, percent, job.frames)
        for item in (first, *others):
            about = about_clip(item.clip)
            yield (
                item,
                ModelQuery(pictures=shown, at_s=at_s, questions=(item.question,), observations=about, reasoned=True),
            )


def about_clip(clip: Clip) -> str:
    """Return what every question says of a clip: program, task, and where in the recording it lies (H15 to H18)."""
    lines = [prompts.PROGRAM.format(app=clip.app.replace('"', "'"))] if clip.app else []
    lines += ['The task of the whole recording: "{}".'.format(clip.task.replace('"', "'"))] if clip.task else []
    return "\n".join((*lines, f"The clip: seconds {clip.start_s:.1f} to {clip.end_s:.1f} of the recording."))


def known_of(item: PromptItem) -> PrefixTruth:
    """Return the truth for a scripted model, which looks at no picture."""
    place = (item.clip.video, f"{item.clip.key} {item.task} {item.pair}", str(item.percent))
    return PrefixTruth(place="\0".join(place), truth={KEY: item.right})


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
