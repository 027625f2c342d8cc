"""Gate 2, availability: no offers in full screen, calls, do-not-disturb, lock, questions and the first minutes."""

from collections.abc import Mapping
from typing import ClassVar

from policies.gates.gate import Gate, GateResult, Moment
from storage.clock import NS_PER_S
from storage.records import Context
from storage.settings import PolicySettings


class AvailabilityGate(Gate):
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

    def check(self, moment: Moment) -> GateResult | None:
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
