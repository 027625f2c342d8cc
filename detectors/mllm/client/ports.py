"""What the client of a model server is given and may not know: a budget, the log of what is sent, what was found out.

Detectors do not store anything; `daemon` and `evaluation` hand in what does (`storage.sent.log`, `storage.spending`).
"""

from dataclasses import dataclass
from typing import Protocol

from detectors.mllm.questions import Usage
from detectors.mllm.wire import Request, SchemaMode

DONE = "ok"
"""Outcome of a request whose answer could be used. Others are the values of `Trouble`, and these."""

CANCELLED = "cancelled"
"""Outcome of a request that we broke off, because a newer one came or nobody wants its answer any more."""


class Budget(Protocol):
    """Limits per local day: calls, tokens, money. Both are quick: nothing waits for a disk."""

    def allows(self, now_wall_ns: int) -> bool:
        """Tell whether another request may be sent today."""
        ...

    def spend(self, usage: Usage, now_wall_ns: int) -> None:
        """Count what a request cost; call it once before it leaves (`calls=1`), and with its tokens after."""
        ...


class SentLog(Protocol):
    """Keeps every request that leaves, so that its exact body can be shown later; never a key."""

    async def begin(self, request: Request, *, endpoint: str, address: str, model: str) -> str:
        """Keep a request that is about to leave; return the entry's id. Nothing may leave before this has returned.

        Args:
            request: what goes out, without the key.
            endpoint: the preset's name.
            address: where it goes: scheme, host, port and path prefix.
            model: the name of the model that is asked.

        Raises:
            EnvironmentFault: it cannot be kept, so it must not be sent.
        """
        ...

    def end(self, entry: str, outcome: str, usage: Usage) -> None:
        """Note what came of it: `DONE`, `CANCELLED` or a trouble's value. Returns at once and never raises."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCapabilities:
    """What `kairos models probe` found out about one model at one endpoint.

    Attributes:
        schema_mode: the first way of enforcing an answer's shape that was really obeyed.
        log_probs: so many alternatives per token it gave; 0: none.
        pictures_max: as many pictures in one request it took, of those that were tried.
        context_tokens: its context length; 0: it does not say.
        tokens_per_picture: what a picture of the tried size costs; 0: it does not count.
        still_thinks: it thinks although it was asked not to.
        latency_s: time of a round trip with one picture, once the model was loaded.
        model: the name the server gives itself.
        at_wall_ns: when it was tried.
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
