"""The person's wishes: no offer without consent, in a pause, or while they cannot be interrupted."""

from collections.abc import Mapping
from typing import ClassVar

from policies.gates.gate import DecisionMoment, GateResult, OfferGate
from storage.clock import NS_PER_S
from storage.records import Context, Verdict
from storage.settings import PolicySettings


class ConsentGate(OfferGate):
    """Stops every offer where the person does not want to be watched."""

    name = "consent"
    reasons: ClassVar[Mapping[str, str]] = {
        "no_consent": "No offer: you have not agreed to being watched.",
        "paused": "No offer: Kairos is paused.",
        "excluded": "No offer: an application that you excluded is on the screen.",
    }
    while_shown = True
    suppresses = True
    closed = before_utility = True

    def check(self, moment: DecisionMoment) -> GateResult | None:
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


class AvailabilityGate(OfferGate):
    """Holds offers while the person cannot be interrupted."""

    name = "manners"  # as decisions have stored it from the first format on
    reasons: ClassVar[Mapping[str, str]] = {
        "locked": "No offer: the screen is locked.",
        "full_screen": "No offer: a program fills the whole screen.",
        "call": "No offer: you seem to be in a call.",
        "do_not_disturb": "No offer: do-not-disturb is on.",
        "question": "No offer: a question of a study is on the screen.",
        "quiet_start": "No offer: the first minutes of a session stay quiet.",
    }
    while_shown = True
    suppresses = True
    closed = before_utility = True

    def check(self, moment: DecisionMoment) -> GateResult | None:
        """Return the first reason that holds."""
        return check_availability(moment.context, moment.settings, moment.now_ns)


def check_availability(context: Context, settings: PolicySettings, now_ns: int) -> GateResult | None:
    """Return why the person cannot be interrupted now, or None."""
    for reason in ("locked", "full_screen", "call", "do_not_disturb"):
        if getattr(context, reason):
            return GateResult(gate=AvailabilityGate.name, reason=reason)
    if context.asking:
        return GateResult(gate=AvailabilityGate.name, reason="question")
    running_s = (now_ns - context.session_start_ns) / NS_PER_S
    if running_s < settings.quiet_start_s:
        numbers = {"running_s": running_s, "quiet_start_s": settings.quiet_start_s}
        return GateResult(gate=AvailabilityGate.name, reason="quiet_start", numbers=numbers)
    return None
