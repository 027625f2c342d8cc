"""A study in force, its tasks, its questions and their answers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from storage.enrolment import QuestionPlan
from storage.records.base import Record


class QuestionMoment(StrEnum):
    """What made a question of a study due: a random moment of a day, an offer, or an offer that was not shown."""

    RANDOM = "random"
    OFFER = "offer"
    NO_OFFER = "no_offer"


class QuestionStep(StrEnum):
    """What became of a question. After `ASKED` comes one of the four behind it; every other one is its end."""

    NOT_DRAWN = "not_drawn"
    SKIPPED = "skipped"
    ASKED = "asked"
    ANSWERED = "answered"
    DECLINED = "declined"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


class AnswerKind(StrEnum):
    """How a person replied to a question: with answers, with "not now", or with "none today"."""

    ANSWERED = "answered"
    NOT_NOW = "not_now"
    NONE_TODAY = "none_today"


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyStart(Record):
    """The study in force in this session; right behind the first row. A session without one belongs to no study.

    `day` counts from 1; 0 is the quiet time before. `first_date` is day 1 in days since 1970-01-01, `days` how many
    there are. `utc_offset_s` is local time less UTC; a session ends when it changes. `seed` gives every lot.
    `sampling_state` is what `policies.sampling` saved last, `elapsed_ns` of wall time ago. Until `masked_until_wall_ns`
    lots are not shown to the person; 0: they are.
    """

    KIND: ClassVar[str] = "study"
    study: str
    participant: str
    day: int
    phase: str
    first_date: int
    days: int
    utc_offset_s: int
    seed: int
    questions: QuestionPlan | None = None
    sampling_state: Mapping[str, object] = field(default_factory=dict)
    elapsed_ns: int = 0
    masked_until_wall_ns: int = 0


class TaskStep(StrEnum):
    """What a person does with a task of a study: they begin it, and say that it is done or give it up."""

    BEGUN = "begun"
    DONE = "done"
    GIVEN_UP = "given_up"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskMark(Record):
    """A task of a study begins or ends; one that is under way when a session begins is begun there, too.

    `code` and `title` are the study's. `skill`, 1 to 5, is how well the person knows `program` by their own word; 0:
    they did not say.
    """

    KIND: ClassVar[str] = "task"
    code: str
    step: TaskStep
    title: str
    program: str = ""
    skill: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Record):
    """How a person replied to a question of a study: for each item's code the number of the choice, from 0 on."""

    KIND: ClassVar[str] = "answer"
    question_id: str
    kind: AnswerKind
    choices: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(Record):
    """A question of a study that is due at `due_ns`, or a lot that decided against one (its step is `NOT_DRAWN`).

    `lot`, in [0, 1), follows from the study's seed. With `RANDOM` it places the question in its block of the day
    `date` (days since 1970-01-01), so its `probability` is 1. Else the question is drawn where the lot is below
    `probability`, and `decision_seq` is the decision that it is about; `block` is -1.
    """

    KIND: ClassVar[str] = "question"
    question_id: str
    moment: QuestionMoment
    due_ns: int
    probability: float
    lot: float
    date: int
    block: int = -1
    decision_seq: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionOutcome(Record):
    """A step of a question, `delay_ns` after it was due, with a reason code of `policies.sampling.REASONS` or none."""

    KIND: ClassVar[str] = "question_outcome"
    question_id: str
    step: QuestionStep
    delay_ns: int
    reason: str = ""


def task_at(marks: Iterable[TaskMark], at_ns: int) -> TaskMark | None:
    """Return the row that began the task under way at a time of its session; None outside of any."""
    last = max((mark for mark in marks if mark.at_ns <= at_ns), key=lambda mark: mark.seq, default=None)
    return last if last is not None and last.step is TaskStep.BEGUN else None
