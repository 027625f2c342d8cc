"""Tasks, contexts and prefixes of the GUIDE benchmark as single questions with a known right answer.

Every question is asked alone: two in one request would reveal each other's answers. Contexts beyond the pictures are
asked about whole clips only, and so is pairwise preference, as published (4.1, 4.2). The order of options follows from
the seed and the clip.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from detectors.mllm.prompting import prompts
from detectors.mllm.questions import AnswerForm, Option, Question, QuestionContext, Task
from lab.benchmarks.guide.clips import Choice, Clip

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
    question: Question
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
            question = Question(key=KEY, task=task, form=AnswerForm.TEXT)
            yield PromptItem(
                clip=clip, task=task, context=Context.NONE, percent=WHOLE, question=question, right=choice.right
            )


def _question(clip: Clip, task: Task, context: Context, seed: int) -> tuple[Question, str] | None:
    """Return the question of a task about a clip, and its right answer's key; None without the labels for it."""
    given = _given(clip, context)
    if given is None:
        return None
    if task is Task.BEHAVIOR and clip.asks_behavior and clip.behavior is not None:
        question = Question(key=KEY, task=task, form=AnswerForm.CHOICE, options=prompts.STATE_OPTIONS, given=given)
        return question, clip.behavior.value
    if task is Task.NEED and clip.need is not None:
        return Question(key=KEY, task=task, form=AnswerForm.YES_NO, given=given), "yes" if clip.need else "no"
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
) -> tuple[Question, str]:
    """Return a choice between texts, the first of which is right unless `rng` shuffles, and the right one's key."""
    order = list(range(len(texts)))
    if rng is not None:
        rng.shuffle(order)
    options = tuple(Option(key=f"o{place}", text=texts[number]) for place, number in enumerate(order, start=1))
    question = Question(key=KEY, task=task, form=AnswerForm.CHOICE, options=options, given=given)
    return question, f"o{order.index(0) + 1}"


def _choice_of(clip: Clip, task: Task) -> Choice | None:
    return {Task.INTENT: clip.intent, Task.CONTENT: clip.content}.get(task)


def _given(clip: Clip, context: Context) -> QuestionContext | None:
    """Return the labels of a clip that a context gives; None where the clip does not have them."""
    if context is Context.NONE:
        return QuestionContext()
    if context is Context.PREVIOUS:
        return None if clip.previous is None else QuestionContext(previous=clip.previous)
    if clip.behavior is None:
        return None
    if context is Context.BEHAVIOR:
        return QuestionContext(behavior=clip.behavior)
    return None if clip.aim is None else QuestionContext(behavior=clip.behavior, intent=clip.aim)
