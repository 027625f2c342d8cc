"""Gate 2, manners: full screen, a call, do-not-disturb, a locked screen and the first quiet minutes hold offers."""

from policies.gates.result import GateResult
from storage.clock import NS_PER_S
from storage.records import Context
from storage.settings import PolicySettings


def check_manners(context: Context, settings: PolicySettings, now_ns: int) -> GateResult | None:
    """Return why this is no moment for any offer, or None."""
    for reason in ("locked", "full_screen", "call", "do_not_disturb"):
        if getattr(context, reason):
            return GateResult(gate="manners", reason=reason)
    running_s = (now_ns - context.session_start_ns) / NS_PER_S
    if running_s < settings.quiet_start_s:
        return GateResult(
            gate="manners",
            reason="quiet_start",
            numbers={"running_s": running_s, "quiet_start_s": settings.quiet_start_s},
        )
    return None
