"""Content: an offer needs something to say.

Where help is searched for, that is a page that fits; an offer waits a moment for the search, and without its result
says what it says where there is none: the advice of its evidence code.
"""

from collections.abc import Iterable, Mapping
from typing import ClassVar

from policies.gates.gate import DecisionMoment, GateResult, OfferGate
from storage.clock import NS_PER_S
from storage.messages import EVIDENCE
from storage.records import Evidence

PRAISE = frozenset({"flow"})  # codes whose words offer no help


def topic_of(evidence: Iterable[Evidence]) -> str | None:
    """Return the first code that has words of help, or None; detectors put the weightiest first."""
    return next((item.code for item in evidence if item.code in EVIDENCE and item.code not in PRAISE), None)


SEARCH_NS = 3 * NS_PER_S // 2  # how long after an estimate an offer waits for the search, which ends within a second


class ContentGate(OfferGate):
    """Stops an offer that has nothing to say."""

    name = "content"
    reasons: ClassVar[Mapping[str, str]] = {
        "nothing_to_say": "No offer: Kairos has nothing to say that fits.",
        "searching": "Not yet: help that fits is being searched for.",
        "no_page_fits": "No offer: no page of help fits what you are doing.",
    }
    stops_called = True

    def check(self, moment: DecisionMoment) -> GateResult | None:
        """Return a stop without words of help, while help is searched for, and if none was found."""
        if moment.state.evidence.topic is None:
            return GateResult(gate=self.name, reason="nothing_to_say")
        found = moment.context.help
        if not moment.context.library or (found is not None and (found.page_id or found.trouble)):
            return None
        if found is not None:
            return GateResult(gate=self.name, reason="no_page_fits")
        until_ns = moment.state.evidence.seen_ns + SEARCH_NS
        if moment.now_ns >= until_ns:
            return None
        return GateResult(gate=self.name, reason="searching", next_tick_ns=until_ns)
