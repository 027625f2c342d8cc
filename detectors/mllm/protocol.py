"""What a dialect is, and what a client needs from outside. No network here.

A dialect turns a `ModelQuery` into one server's request and parses that server's reply. Detectors store nothing:
`daemon` and `lab` pass in budgets and the log of requests (`storage.sent.log`, `daemon.models.sent_writer`).

A request body is a sequence of parts, text and pictures. So a picture's base64 is encoded once and copied once, the
bytes before it stay equal from one nested prefix to the next (servers cache them), and the sent log stores each picture
once.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, Protocol

from detectors.mllm.questions import ModelQuery, QueryPicture, Usage

THOUGHTS_TOKENS = 2048  # extra tokens for a model whose thinking cannot be turned off. A guess.
PICTURE_TOKENS = 600  # estimated tokens of a picture before any server has counted one


class SchemaMode(StrEnum):
    """How a server is made to keep to the answer's schema; `kairos models probe` finds out which mode it obeys."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT_SCHEMA = "json_object_schema"
    NATIVE = "native"
    PROMPTED = "prompted"


class RefusalKind(StrEnum):
    """What a server's error response means for us."""

    OVERFLOW = "overflow"
    RATE = "rate"
    BUSY = "busy"
    KEY = "key"
    SCHEMA = "schema"
    PICTURE = "picture"
    LOG_PROBS = "log_probs"  # it gives no log-probabilities, or fewer alternatives
    ANSWER = "answer"  # the server could not parse its own model's answer; mostly it was cut off
    FORBIDDEN = "forbidden"  # not for the key's sake: by country, contents, model or address
    PAGE = "page"  # a page for people: of a proxy, a firewall, a login, or no model server's at all
    COMPRESSED = "compressed"  # compressed although we accept no compression
    UNREADABLE = "unreadable"  # status 200 with neither an answer nor an error
    OTHER = "other"


class InvalidReply(ValueError):  # noqa: N818  # reads better in an except clause
    """A 200 whose body is no reply of its dialect. Holds nothing of the body."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestOptions:
    """How to query one endpoint: its model and what is known to work there."""

    model: str  # name of the model at the endpoint
    schema_mode: SchemaMode = SchemaMode.JSON_SCHEMA  # how the answer's schema is enforced
    top_log_probs: int = 0  # how many alternatives per token are requested; 0: none
    max_tokens: int = 256  # limit of the answer's length
    context_tokens: int = 0  # context length to request, for servers that take one; 0: the server's own
    # thinking cannot be turned off, so leave room for it and read the answer that follows it
    still_thinks: bool = False
    stream: bool = False  # the reply is to come in pieces, as it is written

    @property
    def room(self) -> int:
        """How many tokens to allow for thoughts and answer."""
        return self.max_tokens + (THOUGHTS_TOKENS if self.still_thinks else 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """The bytes of a request in parts; a `QueryPicture` stands for its base64."""

    parts: tuple[bytes | QueryPicture, ...]

    def __bytes__(self) -> bytes:
        """Return all parts as one."""
        return b"".join(part.base64 if isinstance(part, QueryPicture) else part for part in self.parts)

    def digest(self) -> str:
        """Return the SHA-256 of all bytes, in hex."""
        digest = hashlib.sha256()
        for part in self.parts:
            digest.update(part.base64 if isinstance(part, QueryPicture) else part)
        return digest.hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One HTTP POST: a path below the endpoint's address, and a JSON body. The client adds the key."""

    path: str
    body: Body
    headers: Mapping[str, str] = field(default_factory=dict)


class Token(NamedTuple):
    """One token of a reply: its text, its log-probability, and the alternatives with theirs."""

    text: str
    log_probability: float
    others: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A server's reply as its dialect parses it; not yet checked against the questions."""

    text: str = ""  # the answer's text
    reasoning: str = ""  # the model's thoughts; some servers put the answer here by mistake
    cut: bool = False  # whether the answer reached its length limit
    tokens: tuple[Token, ...] = ()  # the text's tokens, where log-probabilities were requested
    # those of a decision endpoint, by question key and label
    distributions: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)  # what the server counted
    model: str = ""  # the name that the server gave, unchecked
    odd: tuple[str, ...] = ()  # what stood beside the answer and could not be read, in our words


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a server did not answer; numbers and a kind, nothing of its text."""

    kind: RefusalKind
    status: int  # of the reply, or under 200 that which its error names
    retry_after_s: float | None = None
    context_tokens: int | None = None
    billed: bool = False  # the server may have worked on the request, and charge for it


class Dialect(Protocol):
    """One wire format. A pure function of its arguments: equal queries give equal bytes."""

    name: str
    decides: bool
    """Whether answers are distributions from a decision endpoint, without any text."""

    def request(self, query: ModelQuery, options: RequestOptions, repair: str = "") -> Request:
        """Return the request; `repair` (our own words) says what was wrong with the previous answer."""
        ...

    def reply(self, content: bytes, query: ModelQuery) -> Reply:
        """Parse the body of a 200, in one piece or a whole stream.

        Raises:
            InvalidReply: it is no reply of this dialect, or a stream without its end.
        """
        ...

    def piece(self, line: bytes) -> str:
        """Return what one line of a stream adds to the answer's text; empty for thoughts and all else.

        Raises:
            InvalidReply: it is no line of such a stream.
        """
        ...

    def refusal(self, status: int, headers: Mapping[str, str], content: bytes) -> Refusal:
        """Return what any other status means, or a 200 that is no reply; never raises, whatever the content is."""
        ...

    def authorization(self, key: str) -> Mapping[str, str]:
        """Return the headers that carry a key."""
        ...


DONE = "ok"
"""Outcome of a request whose answer could be used. Others are `CANCELLED` and the values of `FailureReason`."""

CANCELLED = "cancelled"
"""Outcome of a request that we broke off, because of a newer one or because its answer is no longer needed."""


class DayBudget(Protocol):
    """Limits per local day: calls, tokens, money. No method waits for a disk."""

    def allows(self, now_wall_ns: int) -> bool:
        """Tell whether another request may be sent today."""
        ...

    def spend(self, usage: Usage, now_wall_ns: int) -> None:
        """Count the cost of a request; called once before it is sent (`calls=1`), and with its tokens after."""
        ...


class RequestLog(Protocol):
    """Stores every request that is sent, so that its exact body can be shown later; never a key."""

    async def begin(self, request: Request, *, endpoint: str, address: str, model: str, purpose: str = "") -> str:
        """Store a request before it is sent; return the entry's id. Nothing may be sent before this has returned.

        Args:
            request: without the key.
            endpoint: the preset's name.
            address: scheme, host, port and path prefix.
            model: the model's name.
            purpose: what for, where it is not what this log is usually for.

        Raises:
            EnvironmentFault: it cannot be stored, so it must not be sent.
        """
        ...

    def end(self, entry: str, outcome: str, usage: Usage) -> None:
        """Store the outcome: `DONE`, `CANCELLED` or a `FailureReason`. Returns at once and never raises."""
        ...


class AnswerStream(Protocol):
    """Takes the text of an answer while a server writes it, unchecked. Called in the event loop; must not block."""

    def begin(self) -> None:
        """Begin anew: a request has been sent, and what an earlier one brought does not count."""
        ...

    def add(self, text: str) -> None:
        """Take the text that came next."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCapabilities:
    """What `kairos models probe` found out about one model at one endpoint. Stored under these names."""

    schema_mode: SchemaMode  # the first mode of enforcing a schema that was really obeyed
    log_probs: int = 0  # how many alternatives per token it gave; 0: none
    pictures_max: int = 1  # the largest number of pictures in one request that it took, of those that were tried
    context_tokens: int = 0  # its context length; 0: not known
    tokens_per_picture: int = 0  # what a picture of the tried size costs; 0: it does not count
    still_thinks: bool = False  # its thinking cannot be turned off
    latency_s: float = 0.0  # time of a round trip with one picture, once the model was loaded
    model: str = ""  # the name that the server gave
    at_wall_ns: int = 0  # when it was probed
