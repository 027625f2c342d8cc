"""Gate 1, consent: paused, private, excluded application or no consent means never."""

from policies.gates.result import GateResult
from storage.records import Context, Verdict


def check_consent(context: Context) -> GateResult | None:
    """Return why nothing may be offered at all, or None."""
    if not context.consent:
        reason = "no_consent"
    elif context.paused:
        reason = "paused"
    elif context.excluded:
        reason = "excluded"
    else:
        return None
    return GateResult(verdict=Verdict.NEVER, gate="consent", reason=reason)
