"""Budget: offers per hour and day, cool-down, back-off after dismissals, mutes and snooze.

Times are session time; those from before this session are negative. Budget is consumed by `consume`, in the same step
that decides to show. "Day" means the last 24 hours.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from policies.gates.gate import DecisionMoment, GateResult, OfferGate
from policies.state import Backoff, BudgetState
from storage.clock import DAY_NS, HOUR_NS, NS_PER_S
from storage.records import Feedback, FeedbackKind, Offer, Verdict
from storage.settings import PolicySettings

MAX_BACKOFFS = 256  # (application, topic) pairs remembered; the one dismissed longest ago goes first


class BudgetGate(OfferGate):
    """Stops an offer that would be one too many."""

    name = "budget"
    reasons: ClassVar[Mapping[str, str]] = {
        "snoozed": "No offer: you asked for quiet for a while.",
        "cooldown": "No offer: the last one was only a short time ago.",
        "hour_full": "No offer: there were enough within the last hour.",
        "day_full": "No offer: there were enough within the last 24 hours.",
        "muted": "No offer: you muted this topic.",
        "backoff": "No offer: you dismissed one like it here, so this topic stays quiet for a while.",
        "showing": "An offer is on the screen.",
    }
    closed = before_utility = True

    def check(self, moment: DecisionMoment) -> GateResult | None:
        """Return the first limit that is reached."""
        state = moment.state
        return check_budget(state.budget, moment.settings, moment.context.app, state.evidence.topic, moment.now_ns)


def check_budget(
    state: BudgetState, settings: PolicySettings, app: str, topic: str | None, now_ns: int
) -> GateResult | None:
    """Return why an offer about `topic` would be one too many, or None."""
    if state.snoozed_until_ns is not None and now_ns < state.snoozed_until_ns:
        return _stop("snoozed", left_s=(state.snoozed_until_ns - now_ns) / NS_PER_S)
    if state.shown_ns:
        since_s = (now_ns - state.shown_ns[-1]) / NS_PER_S
        if since_s < settings.cooldown_s:
            return _stop("cooldown", since_s=since_s, cooldown_s=settings.cooldown_s)
    for reason, span_ns, limit in (
        ("hour_full", HOUR_NS, settings.offers_per_hour),
        ("day_full", DAY_NS, settings.offers_per_day),
    ):
        count = sum(1 for shown_ns in state.shown_ns if now_ns - shown_ns < span_ns)
        if count >= limit:
            return _stop(reason, count=count, limit=limit)
    if topic in state.muted:
        return GateResult(gate=BudgetGate.name, reason="muted", verdict=Verdict.NEVER)
    for backoff in state.backoffs:
        if backoff.topic == topic and backoff.app == app and now_ns < backoff.until_ns:
            return _stop("backoff", dismissals=backoff.dismissals, left_s=(backoff.until_ns - now_ns) / NS_PER_S)
    return None


def consume(state: BudgetState, now_ns: int) -> BudgetState:
    """Return the state after an offer is shown at `now_ns`."""
    recent = tuple(shown_ns for shown_ns in state.shown_ns if now_ns - shown_ns < DAY_NS)
    return replace(state, shown_ns=(*recent, now_ns))


def learn_budget(
    state: BudgetState, settings: PolicySettings, feedback: Feedback, offer: Offer, now_ns: int
) -> BudgetState:
    """Return the state after an answer: a dismissal doubles the quiet time of its topic, an acceptance ends it."""
    others = tuple(b for b in state.backoffs if (b.app, b.topic) != (offer.app, offer.topic))
    match feedback.kind:
        case FeedbackKind.ACCEPTED:
            return replace(state, backoffs=others)
        case FeedbackKind.DISMISSED | FeedbackKind.WRONG:
            before = sum(b.dismissals for b in state.backoffs if (b.app, b.topic) == (offer.app, offer.topic))
            quiet_s = min(settings.backoff_s * 2.0 ** min(before, 60), settings.backoff_max_s)
            backoff = Backoff(
                app=offer.app, topic=offer.topic, dismissals=before + 1, until_ns=now_ns + round(quiet_s * NS_PER_S)
            )
            return replace(state, backoffs=(*others, backoff)[-MAX_BACKOFFS:])
        case FeedbackKind.SNOOZED:
            return replace(state, snoozed_until_ns=now_ns + round(settings.snooze_s * NS_PER_S))
        case FeedbackKind.MUTED:
            return replace(state, muted=tuple(sorted({*state.muted, offer.topic})))
        case _:
            return state


def save_budget(state: BudgetState, now_ns: int) -> dict[str, object]:
    """Return the state as plain values; times are ages relative to `now_ns`, negative where they lie ahead."""
    return {
        "shown_age_ns": [now_ns - shown_ns for shown_ns in state.shown_ns if now_ns - shown_ns < DAY_NS],
        "backoffs": [
            {"app": b.app, "topic": b.topic, "dismissals": b.dismissals, "until_age_ns": now_ns - b.until_ns}
            for b in state.backoffs
        ],
        "muted": list(state.muted),
        "snoozed_until_age_ns": None if state.snoozed_until_ns is None else now_ns - state.snoozed_until_ns,
    }


def start_budget(saved: Mapping[str, object], elapsed_ns: int, now_ns: int) -> BudgetState:
    """Return the state that `save_budget` gave, `elapsed_ns` later.

    Raises:
        TypeError, ValueError, KeyError: `saved` has another shape.
    """
    origin_ns = now_ns - elapsed_ns
    snoozed = saved.get("snoozed_until_age_ns")
    return BudgetState(
        shown_ns=tuple(sorted(origin_ns - int(age) for age in saved.get("shown_age_ns", ()))),  # type: ignore[attr-defined]  # a wrong shape raises
        backoffs=tuple(
            Backoff(
                app=str(row["app"]),
                topic=str(row["topic"]),
                dismissals=int(row["dismissals"]),
                until_ns=origin_ns - int(row["until_age_ns"]),
            )
            for row in saved.get("backoffs", ())  # type: ignore[attr-defined]  # same
        )[-MAX_BACKOFFS:],
        muted=tuple(sorted(str(topic) for topic in saved.get("muted", ()))),  # type: ignore[attr-defined]  # same
        snoozed_until_ns=None if snoozed is None else origin_ns - int(snoozed),  # type: ignore[call-overload]  # same
    )


def _stop(reason: str, **numbers: float) -> GateResult:
    return GateResult(gate=BudgetGate.name, reason=reason, numbers=numbers)
