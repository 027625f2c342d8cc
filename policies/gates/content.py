"""Gate 6, content: an offer needs something to say, at least the advice of its evidence code."""

from collections.abc import Iterable

from policies.gates.result import GateResult
from storage.messages import EVIDENCE
from storage.records import Evidence

PRAISE = frozenset({"flow"})
"""Codes whose words offer no help."""


def topic_of(evidence: Iterable[Evidence]) -> str | None:
    """Return the first code that has words of help, or None; detectors put the weightiest first."""
    return next((item.code for item in evidence if item.code in EVIDENCE and item.code not in PRAISE), None)


def check_content(topic: str | None) -> GateResult | None:
    """Return a stop if no evidence has words, else None."""
    return GateResult(gate="content", reason="nothing_to_say") if topic is None else None
