"""What a dialect is: it puts a `ModelQuery` into one server's words, and reads that server's reply; no network here.

A body is a row of parts, texts and pictures, so that a picture's base64 is made once and copied once, the bytes before
it stay the same from one nested prefix to the next (servers cache them), and the sent log can keep each picture once.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, Protocol

from detectors.mllm.questions import ModelQuery, Picture, Usage

THOUGHTS_TOKENS = 2048
"""Room for thoughts, beside that for the answer, where a model cannot be told not to think. A guess."""


class SchemaMode(StrEnum):
    """How a server is told the shape of the answer; `kairos models probe` finds out which one it obeys."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT_SCHEMA = "json_object_schema"
    NATIVE = "native"
    PROMPTED = "prompted"


class RefusalKind(StrEnum):
    """What a server's refusal means for us."""

    OVERFLOW = "overflow"
    RATE = "rate"
    BUSY = "busy"
    KEY = "key"
    SCHEMA = "schema"
    PICTURE = "picture"
    LOG_PROBS = "log_probs"  # it gives no log-probabilities, or fewer alternatives
    ANSWER = "answer"  # the server could not make sense of what its own model answered; mostly it was cut off
    OTHER = "other"


class InvalidReply(ValueError):  # noqa: N818  # says what it is in an except clause
    """A server said 200 and something that is no reply of its dialect. Holds nothing of what it said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestOptions:
    """How to ask one endpoint: its model and what is known to work there.

    Attributes:
        model: name of the model at the endpoint.
        schema_mode: how the answer's shape is enforced.
        top_log_probs: so many alternatives per token are asked for; 0: none.
        max_tokens: room for the answer.
        context_tokens: context length to ask for, where a server wants to be told; 0: its own.
        still_thinks: the server cannot be told not to think, so leave room and read the answer behind the thoughts.
    """

    model: str
    schema_mode: SchemaMode = SchemaMode.JSON_SCHEMA
    top_log_probs: int = 0
    max_tokens: int = 256
    context_tokens: int = 0
    still_thinks: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """The bytes of a request in parts; a picture stands for its base64."""

    parts: tuple[bytes | Picture, ...]

    def __bytes__(self) -> bytes:
        """Return the whole."""
        return b"".join(part.base64 if isinstance(part, Picture) else part for part in self.parts)

    def digest(self) -> str:
        """Return the SHA-256 of the whole, in hex."""
        whole = hashlib.sha256()
        for part in self.parts:
            whole.update(part.base64 if isinstance(part, Picture) else part)
        return whole.hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One HTTP POST: a path below the endpoint's address, and a JSON body. The key is added by the client."""

    path: str
    body: Body
    headers: Mapping[str, str] = field(default_factory=dict)


class Token(NamedTuple):
    """One token of a reply: its text, its log-probability, and others that could have stood there."""

    text: str
    log_probability: float
    others: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a server answered, as its dialect reads it; not yet checked against the questions.

    `cut` tells that it ran out of room. `distributions` are those of a decision endpoint, by question key and label.
    `reasoning` is where some servers put the answer by mistake. `model` is whatever name the server gave itself.
    """

    text: str = ""
    reasoning: str = ""
    cut: bool = False
    tokens: tuple[Token, ...] = ()
    distributions: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a server did not answer; numbers and a kind, nothing of its text."""

    kind: RefusalKind
    status: int
    retry_after_s: float | None = None
    context_tokens: int | None = None


class Dialect(Protocol):
    """One wire format. A pure function of its arguments: equal asks give equal bytes."""

    name: str
    decides: bool
    """Whether answers are distributions from a decision endpoint, without any text."""

    def request(self, ask: ModelQuery, how: RequestOptions, repair: str = "") -> Request:
        """Return the request; `repair` (words of ours) says what was wrong with the answer before."""
        ...

    def reply(self, content: bytes, ask: ModelQuery) -> Reply:
        """Return what a 200 says.

        Raises:
            Nonsense: it is no reply of this dialect.
        """
        ...

    def refusal(self, status: int, headers: Mapping[str, str], content: bytes) -> Refusal:
        """Return what any other status means; never raises, whatever the content is."""
        ...

    def authorization(self, key: str) -> Mapping[str, str]:
        """Return the headers that carry a key."""
        ...
