"""Queries to a model and their results: typed questions about a few pictures, answered with distributions.

No network and no wording here. The four tasks, and the context that each may have, are those of the GUIDE benchmark
(section 4.2); the four conditions of a task differ in `QuestionContext` alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from storage.records import State


class Task(StrEnum):
    """The four tasks of the benchmark."""

    BEHAVIOR = "behavior"
    INTENT = "intent"
    NEED = "need"
    CONTENT = "content"


class AnswerForm(StrEnum):
    """How a question is answered: with one of its options, with yes or no, or in free text."""

    CHOICE = "choice"
    YES_NO = "yes_no"
    TEXT = "text"


class Confidence(StrEnum):
    """Where a distribution comes from, best first."""

    DECISION = "decision"
    LOG_PROBABILITIES = "log_probabilities"
    SELF_REPORT = "self_report"
    LABEL_ONLY = "label_only"
    NONE = "none"


class FailureReason(StrEnum):
    """Why there is no answer. Shown and logged as it is; nothing from a server is."""

    DEADLINE = "deadline"
    UNREACHABLE = "unreachable"
    BUSY = "busy"
    REFUSED = "refused"
    NO_KEY = "no_key"
    NOT_ALLOWED = "not_allowed"
    OVER_BUDGET = "over_budget"
    ON_BATTERY = "on_battery"
    TOO_LONG = "too_long"
    NONSENSE = "nonsense"
    SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One possible answer: our key, and the words for it that the model reads."""

    key: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionContext:
    """What the model may know besides the pictures (GUIDE 4.2)."""

    previous: State | None = None
    behavior: State | None = None
    intent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One typed question.

    `key` names it within a `ModelQuery`, `given` is its context. A choice has two to nine `options`; the others have
    none: yes and no are keyed "yes" and "no". The keys of stored answers hash these field names: do not rename them.
    """

    key: str
    task: Task
    form: AnswerForm
    options: tuple[Option, ...] = ()
    given: QuestionContext = field(default_factory=QuestionContext)

    @property
    def labels(self) -> tuple[str, ...]:
        """The keys of the distribution; none for free text."""
        return ("yes", "no") if self.form is AnswerForm.YES_NO else tuple(option.key for option in self.options)


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """One picture, encoded once: `digest` is the SHA-256 of the JPEG in hex, `base64` what requests hold."""

    digest: str
    jpeg: bytes = field(repr=False)
    base64: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelQuery:
    """The content of one request.

    Attributes:
        pictures: oldest first.
        at_s: the pictures' times within the segment, in seconds.
        questions: about the pictures.
        observations: a few lines of our own words and numbers about input events ("7 undos"); empty where a benchmark
            gives pictures alone.
        reasoned: lets the model write a few words about what it sees before it answers: better answers, some hundred
            tokens later.
    """

    pictures: tuple[Picture, ...]
    at_s: tuple[float, ...]
    questions: tuple[Question, ...]
    observations: str = ""
    reasoned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What requests cost: tokens as the server counted them (`cached` of `tokens_in` were), and US dollars."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cached: int = 0
    dollars: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        """Return the sum of both."""
        return Usage(
            calls=self.calls + other.calls,
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out=self.tokens_out + other.tokens_out,
            cached=self.cached + other.cached,
            dollars=self.dollars + other.dollars,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to one question.

    `distribution` is over the question's labels and sums to 1; empty for free text. `text` is plain text of limited
    length: the answer to a free question, or None.
    """

    distribution: Mapping[str, float] = field(default_factory=dict)
    text: str | None = None
    confidence: Confidence = Confidence.NONE

    @property
    def choice(self) -> str | None:
        """The likeliest label, the first of equals; None for free text."""
        return max(self.distribution, key=self.distribution.__getitem__, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelResult:
    """The result of a `ModelQuery`: an answer for each question's key, or a `failure` and none.

    Attributes:
        answers: by the questions' keys.
        failure: why there are none.
        usage: what all requests of the query cost.
        latency_s: from the query to its result.
        model: the name that the server gave, reduced to plain characters.
        pictures: how many were sent in the end.
        sent: the ids of the sent log's entries.
    """

    answers: Mapping[str, Answer] = field(default_factory=dict)
    failure: FailureReason | None = None
    usage: Usage = field(default_factory=Usage)
    latency_s: float = 0.0
    model: str = ""
    pictures: int = 0
    sent: tuple[str, ...] = ()


class Model(Protocol):
    """A client of a model server, or a scripted stand-in in a benchmark."""

    @property
    def name(self) -> str:
        """Return its name in logs and figures."""
        ...

    async def ask(self, query: ModelQuery, *, deadline_s: float) -> ModelResult:
        """Return the result within `deadline_s` seconds. Cancelling it ends the request at once."""
        ...

    async def close(self) -> None:
        """Close connections."""
        ...
