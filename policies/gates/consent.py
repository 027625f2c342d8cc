"""Gate 1, consent: paused, private, excluded application or no consent means never."""

from collections.abc import Mapping
from typing import ClassVar

from policies.gates.gate import Gate, GateResult, Moment
from storage.records import Context, Verdict


class ConsentGate(Gate):
    """Stops every offer where the person does not want to be watched."""

    name = "consent"
    reasons: ClassVar[Mapping[str, str]] = {
        "no_consent": "No offer: you have not agreed to being watched.",
        "paused": "No offer: Kairos is paused.",
        "excluded": "No offer: an application that you excluded is on the screen.",
    }
    while_shown = True
    suppresses = True

    def check(self, moment: Moment) -> GateResult | None:
        """Return the first reason that holds."""
        return check_consent(moment.context)


def check_consent(context: Context) -> GateResult | None:
    """Return why nothing may be offered at all, or None."""
    for reason, holds in (
        ("no_consent", not context.consent),
        ("paused", context.paused),
        ("excluded", context.excluded),
    ):
        if holds:
            return GateResult(verdict=Verdict.NEVER, gate=ConsentGate.name, reason=reason)
    return None
