"""Gate 7, novelty: what was said a short time ago is not said again, in whatever application.

The words of an offer hang on its topic alone, so the topic is what is remembered, from the moment it was shown.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from policies.gates.result import GateResult
from storage.clock import NS_PER_S
from storage.settings import PolicySettings

MAX_SAID = 64  # topics remembered; the one said longest ago goes first


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferHistory:
    """A topic, and when it was offered last."""

    topic: str
    at_ns: int


def check_novelty(
    said: tuple[OfferHistory, ...], settings: PolicySettings, topic: str | None, now_ns: int
) -> GateResult | None:
    """Return a stop if an offer about `topic` would only repeat the last one, else None."""
    for one in said:
        if one.topic == topic and now_ns - one.at_ns < settings.novelty_s * NS_PER_S:
            numbers = {"said_s": (now_ns - one.at_ns) / NS_PER_S, "novelty_s": settings.novelty_s}
            return GateResult(gate="novelty", reason="said_recently", numbers=numbers)
    return None


def say(said: tuple[OfferHistory, ...], topic: str, now_ns: int) -> tuple[OfferHistory, ...]:
    """Return what was said, after an offer about `topic`."""
    others = tuple(one for one in said if one.topic != topic)
    return (*others, OfferHistory(topic=topic, at_ns=now_ns))[-MAX_SAID:]


def save_said(said: tuple[OfferHistory, ...], now_ns: int) -> dict[str, object]:
    """Return what was said as plain values, with its age."""
    return {"said": [{"topic": one.topic, "age_ns": now_ns - one.at_ns} for one in said]}


def start_said(saved: Mapping[str, object], elapsed_ns: int, now_ns: int) -> tuple[OfferHistory, ...]:
    """Return what `save_said` gave, `elapsed_ns` later.

    Raises:
        TypeError: `saved` has another shape.
        ValueError: likewise.
        KeyError: likewise.
    """
    rows = saved.get("said", ())
    if not isinstance(rows, (list, tuple)):
        raise TypeError
    return tuple(OfferHistory(topic=str(row["topic"]), at_ns=now_ns - elapsed_ns - int(row["age_ns"])) for row in rows)[
        -MAX_SAID:
    ]
