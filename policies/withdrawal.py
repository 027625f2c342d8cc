"""Withdrawal: an offer, shown or waiting, goes when the application changes, the person moves on or it is stale.

Where need was not what called for an offer, its end does not take the offer back.
"""

from policies.gates.evidence import Bounds, EvidenceState, moved_on
from storage.clock import NS_PER_S
from storage.records import Context, Offer
from storage.settings import PolicySettings


def shown_too_long(offer: Offer, settings: PolicySettings, now_ns: int) -> bool:
    """Tell whether a shown offer is older than the stale limit."""
    return now_ns - offer.shown_at_ns >= settings.stale_s * NS_PER_S


def withdraw_shown(
    offer: Offer,
    evidence: EvidenceState | None,
    bounds: Bounds,
    context: Context,
    settings: PolicySettings,
    *,
    now_ns: int,
) -> str | None:
    """Return the reason code to take a shown offer down, or None; without `evidence` it does not depend on need."""
    if context.app != offer.app:
        return "app_changed"
    if shown_too_long(offer, settings, now_ns):
        return "stale"
    if evidence is None:
        return None
    newer = evidence.seen_ns > offer.shown_at_ns and evidence.app == offer.app
    return "moved_on" if newer and moved_on(evidence, bounds, now_ns) else None


def withdraw_waiting(evidence: EvidenceState, settings: PolicySettings, now_ns: int, *, by_need: bool) -> str | None:
    """Return the reason code to drop a worthy offer that was not shown yet, or None."""
    if now_ns - evidence.seen_ns >= settings.stale_s * NS_PER_S:
        return "stale"
    if by_need and evidence.ratio <= 0.0:  # help is now less likely needed than at any odd moment
        return "moved_on"
    return None
