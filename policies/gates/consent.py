"""Gate 1, consent: paused, private, excluded application or no consent means never."""

from policies.gates.result import Stop
from storage.records import Context, Verdict


def check_consent(context: Context) -> Stop | None:
    """Return why nothing may be offered at all, or None."""
    if not context.consent:
        reason = "no_consent"
    elif context.paused:
        reason = "paused"
    elif context.excluded:
        reason = "excluded"
    else:
        return None
    return Stop(verdict=Verdict.NEVER, gate="consent", reason=reason)
