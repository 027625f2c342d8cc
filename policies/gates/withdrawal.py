"""Withdrawal: an offer, shown or waiting, goes when the application changes, the person moves on or it is stale.

Where need did not call for an offer, its end does not withdraw it.
"""

from collections.abc import Mapping
from typing import ClassVar

from policies.arms import Call
from policies.gates.evidence import moved_on
from policies.gates.gate import DecisionMoment, GateResult, OfferGate
from storage.clock import NS_PER_S
from storage.records import Offer

NAME = "withdrawal"


class SameApplicationGate(OfferGate):
    """Drops a waiting offer when the person turns to another application."""

    name = NAME
    reasons: ClassVar[Mapping[str, str]] = {"app_changed": "The offer was taken back: you went to another application."}
    before_utility = True
    drops = frozenset({"app_changed"})

    def check(self, moment: DecisionMoment) -> GateResult | None:
        """Return a stop if an offer waits in another application."""
        wait = moment.state.wait
        if wait is not None and wait.app != moment.context.app:
            return GateResult(gate=self.name, reason="app_changed")
        return None


class FreshnessGate(OfferGate):
    """Stops an offer whose evidence is old, or after which the person has moved on."""

    name = NAME
    reasons: ClassVar[Mapping[str, str]] = {
        "stale": "The offer was taken back: it was too old.",
        "moved_on": "The offer was taken back: you had moved on.",
    }
    before_utility = True

    def check(self, moment: DecisionMoment) -> GateResult | None:
        """Return a stop if the newest estimate is too old, or says that help is less likely needed than usual."""
        evidence, reason = moment.state.evidence, None
        if moment.now_ns - evidence.seen_ns >= moment.settings.stale_s * NS_PER_S:
            reason = "stale"
        elif moment.arm.call is not Call.ANY and evidence.ratio <= 0.0:
            reason = "moved_on"
        return None if reason is None else GateResult(gate=self.name, reason=reason)


def withdraw_shown(offer: Offer, moment: DecisionMoment) -> str | None:
    """Return the reason code to take a shown offer down, or None; what was asked for stays."""
    if offer.asked:
        return None
    if moment.context.app != offer.app:
        return "app_changed"
    if moment.now_ns - offer.shown_at_ns >= moment.settings.stale_s * NS_PER_S:
        return "stale"
    evidence = moment.state.evidence
    newer = evidence.seen_ns > offer.shown_at_ns and evidence.app == offer.app
    by_need = moment.arm.call is not Call.ANY
    return (
        "moved_on"
        if by_need and newer and moved_on(evidence, moment.settings.evidence_half_life_s, moment.now_ns)
        else None
    )
