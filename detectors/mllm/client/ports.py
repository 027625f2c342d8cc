"""What the client of a model server needs from outside: a budget, a log of requests, and probed capabilities.

Detectors store nothing; `daemon` and `lab` pass in what does (`storage.sent.log`, `daemon.models.sent_writer`).
"""

from dataclasses import dataclass
from typing import Protocol

from detectors.mllm.protocol import Request, SchemaMode
from detectors.mllm.questions import Usage

DONE = "ok"
"""Outcome of a request whose answer could be used. Others are `CANCELLED` and the values of `FailureReason`."""

CANCELLED = "cancelled"
"""Outcome of a request that we broke off, because of a newer one or because its answer is no longer needed."""


class Budget(Protocol):
    """Limits per local day: calls, tokens, money. No method waits for a disk."""

    def allows(self, now_wall_ns: int) -> bool:
        """Tell whether another request may be sent today."""
        ...

    def spend(self, usage: Usage, now_wall_ns: int) -> None:
        """Count the cost of a request; called once before it is sent (`calls=1`), and with its tokens after."""
        ...


class SentLog(Protocol):
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
    """What `kairos models probe` found out about one model at one endpoint. Stored under these names.

    Attributes:
        schema_mode: the first mode of enforcing a schema that was really obeyed.
        log_probs: how many alternatives per token it gave; 0: none.
        pictures_max: the largest number of pictures in one request that it took, of those that were tried.
        context_tokens: its context length; 0: not known.
        tokens_per_picture: what a picture of the tried size costs; 0: it does not count.
        still_thinks: its thinking cannot be turned off.
        latency_s: time of a round trip with one picture, once the model was loaded.
        model: the name that the server gave.
        at_wall_ns: when it was probed.
    """

    schema_mode: SchemaMode
    log_probs: int = 0
    pictures_max: int = 1
    context_tokens: int = 0
    tokens_per_picture: int = 0
    still_thinks: bool = False
    latency_s: float = 0.0
    model: str = ""
    at_wall_ns: int = 0
