"""Novelty: a topic that was offered a short time ago is not offered again, in whatever application.

The words of an offer follow from its topic alone, so topics are remembered, from the moment they were offered.
"""

from collections.abc import Mapping
from typing import ClassVar

from policies.gates.gate import DecisionMoment, GateResult, OfferGate
from policies.state import OfferHistory, PastOffer
from storage.clock import NS_PER_S

MAX_TOPICS = 64  # topics remembered; the one offered longest ago goes first


class NoveltyGate(OfferGate):
    """Stops an offer that would repeat a recent one."""

    name = "novelty"
    reasons: ClassVar[Mapping[str, str]] = {
        "said_recently": "No offer: there is nothing to say that was not said a short time ago."
    }
    stops_called = True

    def check(self, moment: DecisionMoment) -> GateResult | None:
        """Return a stop if the topic was offered within `policy.novelty_s`."""
        novelty_s = moment.settings.novelty_s
        for past in moment.state.history:
            ago_ns = moment.now_ns - past.at_ns
            if past.topic == moment.state.evidence.topic and ago_ns < novelty_s * NS_PER_S:
                numbers = {"said_s": ago_ns / NS_PER_S, "novelty_s": novelty_s}
                return GateResult(gate=self.name, reason="said_recently", numbers=numbers)
        return None


def add_offer(history: OfferHistory, topic: str, now_ns: int) -> OfferHistory:
    """Return the history after an offer about `topic`."""
    others = tuple(past for past in history if past.topic != topic)
    return (*others, PastOffer(topic=topic, at_ns=now_ns))[-MAX_TOPICS:]


def save_history(history: OfferHistory, now_ns: int) -> dict[str, object]:
    """Return the history as plain values, with ages."""
    return {"said": [{"topic": past.topic, "age_ns": now_ns - past.at_ns} for past in history]}


def start_history(saved: Mapping[str, object], elapsed_ns: int, now_ns: int) -> OfferHistory:
    """Return what `save_history` gave, `elapsed_ns` later.

    Raises:
        TypeError, ValueError, KeyError: `saved` has another shape.
    """
    rows = saved.get("said", ())
    if not isinstance(rows, (list, tuple)):
        raise TypeError
    origin_ns = now_ns - elapsed_ns
    history = tuple(PastOffer(topic=str(row["topic"]), at_ns=origin_ns - int(row["age_ns"])) for row in rows)
    return history[-MAX_TOPICS:]
