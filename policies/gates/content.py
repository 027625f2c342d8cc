"""Gate 6, content: an offer needs something to say, at least the advice of its evidence code."""

from collections.abc import Iterable, Mapping
from typing import ClassVar

from policies.gates.gate import Gate, GateResult, Moment
from storage.messages import EVIDENCE
from storage.records import Evidence

PRAISE = frozenset({"flow"})
"""Codes whose words offer no help."""


def topic_of(evidence: Iterable[Evidence]) -> str | None:
    """Return the first code that has words of help, or None; detectors put the weightiest first."""
    return next((item.code for item in evidence if item.code in EVIDENCE and item.code not in PRAISE), None)


class ContentGate(Gate):
    """Stops an offer that has nothing to say."""

    name = "content"
    reasons: ClassVar[Mapping[str, str]] = {"nothing_to_say": "No offer: there is nothing fitting to say."}

    def check(self, moment: Moment) -> GateResult | None:
        """Return a stop if no evidence has words of help."""
        if moment.state.evidence.topic is not None:
            return None
        return GateResult(gate=self.name, reason="nothing_to_say")
