"""The gate of study arms: one random assignment for each prefix, and offers that an arm withholds."""

from collections.abc import Mapping
from typing import ClassVar

from policies.arms import Call
from policies.gates.gate import DecisionMoment, GateResult, OfferGate


class ArmGate(OfferGate):
    """Stops a second assignment for the same prefix in arms that draw at every estimate."""

    name = "arm"
    reasons: ClassVar[Mapping[str, str]] = {
        "drawn": "No offer: the random choice of a study has already been made for this moment.",
        "withheld": "No offer: one could have been made here, but a study withheld it at random.",
        "silent": "No offer: one would have been made here, but for now offers are only logged.",
    }

    def check(self, moment: DecisionMoment) -> GateResult | None:
        """Return a stop if the newest prefix had its assignment."""
        state = moment.state
        if moment.arm.call is Call.ANY and state.randomizer.prefix_id == state.evidence.prefix_ids[-1]:
            return GateResult(gate=self.name, reason="drawn")
        return None
