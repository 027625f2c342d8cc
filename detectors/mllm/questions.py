"""Queries to a model and their results: typed questions about a few pictures, answered with distributions or facts.

No network and no wording here. The four tasks, and the context that each may have, are those of the GUIDE benchmark
(section 4.2); the four conditions of a task differ in `QuestionContext` alone. A question with a `Brief` has words and
an answer of its own: an object of a `Shape`, checked here and not by the server. A picture is encoded once, for all
prefixes that hold it.
"""

import base64
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol, TypeAlias

from storage.records import State


class Task(StrEnum):
    """The four tasks of the benchmark."""

    BEHAVIOR = "behavior"
    INTENT = "intent"
    NEED = "need"
    CONTENT = "content"


class AnswerForm(StrEnum):
    """How a question is answered: with one of its options, with yes or no, in free text, or with an object."""

    CHOICE = "choice"
    YES_NO = "yes_no"
    TEXT = "text"
    OBJECT = "object"


WRITTEN = frozenset({AnswerForm.TEXT, AnswerForm.OBJECT})
"""The forms whose answers a model writes; an endpoint that only decides has none for them."""


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
    """What the model may know besides the pictures (GUIDE 4.2); `behavior` are the states of the stretch, in order."""

    previous: State | None = None
    behavior: tuple[State, ...] = ()
    intent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextShape:
    """Plain words, cut to `limit` characters; they may be missing only where `may_be_empty`."""

    limit: int
    may_be_empty: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegerShape:
    """A whole number from `least` to `most`, both included."""

    least: int
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BooleanShape:
    """True or false."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EnumShape:
    """One of our own words."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListShape:
    """From `least` to `most` entries of one shape."""

    of: "Shape"
    most: int
    least: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerField:
    """A property of an object: its name, and what to write there in our words."""

    name: str
    shape: "Shape"
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectShape:
    """An object with exactly these properties, written in this order; others are dropped."""

    fields: tuple[AnswerField, ...]


Shape: TypeAlias = TextShape | IntegerShape | BooleanShape | EnumShape | ListShape | ObjectShape
"""What an answer may be. Servers get it as a JSON schema without lengths and ranges, which several of them refuse."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """The words and the answer of a question that is none of the four tasks."""

    system: str  # instructions, in place of those of the tasks
    words: str  # the question; what is quoted in it from a screen or a file is the caller's to reduce (`one_line`)
    shape: ObjectShape  # of the answer (`ParsedAnswer.facts`)
    # a rule that the shape cannot say; takes the facts and returns what is wrong with them, in our words and quoting
    # nothing, or an empty text. The model reads it with the one request for a better answer.
    check: Callable[[Mapping[str, object]], str] | None = field(default=None, repr=False, compare=False)
    tokens: int = 1024  # how long the answer may be; a shape that needs fewer gets fewer


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelQuestion:
    """One typed question.

    `key` names it within a `ModelQuery`, `given` is its context. A choice has two to nine `options`; the others have
    none: yes and no are keyed "yes" and "no". One with the form `OBJECT` has a `brief` instead of a task, and is asked
    alone. The keys of stored answers hash these field names: do not rename them.
    """

    key: str
    form: AnswerForm
    task: Task | None = None
    options: tuple[Option, ...] = ()
    given: QuestionContext = field(default_factory=QuestionContext)
    brief: Brief | None = None
    of_stretch: bool = False  # whether need is asked of all that is shown, as GUIDE asks it, and not of its end

    @property
    def labels(self) -> tuple[str, ...]:
        """The keys of the distribution; none for free text."""
        return ("yes", "no") if self.form is AnswerForm.YES_NO else tuple(option.key for option in self.options)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryPicture:
    """One picture, encoded once: `digest` is the SHA-256 of the JPEG in hex, `base64` what requests hold."""

    digest: str
    jpeg: bytes = field(repr=False)
    base64: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelQuery:
    """The content of one request."""

    pictures: tuple[QueryPicture, ...]  # oldest first; there may be none
    at_s: tuple[float, ...]  # the pictures' times within the segment, in seconds; empty with a brief
    questions: tuple[ModelQuestion, ...]  # about the pictures
    # a few lines of our own words and numbers about input events ("7 undos"); empty where a benchmark gives pictures
    # alone
    observations: str = ""
    # lets the model write a few words about what it sees before it answers: better answers, some hundred tokens later
    reasoned: bool = False
    # what each picture is, in a few words; empty without a brief. A picture that is left out because there are too many
    # takes its caption along.
    captions: tuple[str, ...] = ()

    @property
    def brief(self) -> Brief | None:
        """The brief of its only question, if that has one."""
        return self.questions[0].brief if len(self.questions) == 1 else None


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
class ParsedAnswer:
    """The answer to one question.

    `distribution` is over the question's labels and sums to 1; empty for free text. `text` is plain text of limited
    length: the answer to a free question, or None. `facts` are the properties of the shape of a brief, all of them and
    no others; empty without one. `msgspec.convert` makes a class of ours of them.
    """

    distribution: Mapping[str, float] = field(default_factory=dict)
    text: str | None = None
    confidence: Confidence = Confidence.NONE
    facts: Mapping[str, object] = field(default_factory=dict)

    @property
    def choice(self) -> str | None:
        """The likeliest label, the first of equals; None for free text and facts."""
        return max(self.distribution, key=self.distribution.__getitem__, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelResult:
    """The result of a `ModelQuery`: an answer for each question's key, or a `failure` and none."""

    answers: Mapping[str, ParsedAnswer] = field(default_factory=dict)  # by the questions' keys
    failure: FailureReason | None = None  # why there are none
    usage: Usage = field(default_factory=Usage)  # what all requests of the query cost
    latency_s: float = 0.0  # from the query to its result
    model: str = ""  # the name that the server gave, reduced to plain characters
    pictures: int = 0  # how many were sent in the end
    sent: tuple[str, ...] = ()  # the ids of the sent log's entries
    refused: str = ""  # what the server refused, a `protocol.RefusalKind`; empty where it did not
    status: int = 0  # of the refusal


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


CACHE_SIZE = 64  # enough for the pictures of the current window and of the one before


class Pictures:
    """A cache of encoded pictures: equal bytes give the same `QueryPicture`."""

    def __init__(self, size: int = CACHE_SIZE) -> None:
        self._size = size
        self._by_digest: OrderedDict[str, QueryPicture] = OrderedDict()

    def picture_of(self, jpeg: bytes) -> QueryPicture:
        """Return the picture with these bytes, encoded at most once."""
        digest = hashlib.sha256(jpeg).hexdigest()
        cached = self._by_digest.get(digest)
        if cached is not None:
            self._by_digest.move_to_end(digest)
            return cached
        picture = QueryPicture(digest=digest, jpeg=jpeg, base64=base64.b64encode(jpeg))
        self._by_digest[digest] = picture
        if len(self._by_digest) > self._size:
            self._by_digest.popitem(last=False)
        return picture

    def clear(self) -> None:
        """Drop all of them, as at a pause."""
        self._by_digest.clear()


def with_fewer_pictures(query: ModelQuery, limit: int) -> ModelQuery:
    """Return a query with at most `limit` pictures, evenly chosen; the first and the last stay (of one, the last)."""
    count = len(query.pictures)
    if count <= limit:
        return query
    chosen = [count - 1] if limit == 1 else [round(place * (count - 1) / (limit - 1)) for place in range(limit)]
    return replace(
        query,
        pictures=tuple(query.pictures[index] for index in chosen),
        at_s=tuple(query.at_s[index] for index in chosen) if query.at_s else (),
        captions=tuple(query.captions[index] for index in chosen) if query.captions else (),
    )
