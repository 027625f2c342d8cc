"""The rules of offers: at most one at a time, on screen until it is answered, withdrawn or expired; and the help found.

Pure: no clock, no records written. The engine and the policy benchmark use the same rules; a replay takes results of
searches from the log and needs no library.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace

from storage.clock import NS_PER_S
from storage.records import (
    Decision,
    Estimate,
    Feedback,
    FeedbackKind,
    HelpFound,
    Offer,
    Record,
    Sense,
    Sighting,
    State,
    Wake,
    Withdrawal,
)

ESTIMATE_LIMIT = 64  # estimates that a decision can still name: at least two minutes of work


REPLACED = "replaced"  # why an offer was withdrawn in whose place a policy made another
ASKED = "asked"  # topic of what was shown because the person asked for it
ASKED_NS = 120 * NS_PER_S
"""How long what was asked for counts as being on the screen, unless it is answered; the card stays as long."""


class OfferTracker:
    """The offer on screen, and the recent estimates that the next offer can be about."""

    def __init__(self, visible_ns: int, is_shown: Callable[[Offer], bool]) -> None:
        """Start with no offer.

        Args:
            visible_ns: how long an unanswered offer stays.
            is_shown: whether an offer really reaches a person; one that does not is counterfactual.
        """
        self._visible_ns = visible_ns
        self._is_shown = is_shown
        self._estimates: OrderedDict[str, Estimate] = OrderedDict()
        self._showing: Offer | None = None
        self._count = 0

    @property
    def showing(self) -> Offer | None:
        """The offer on screen, if any."""
        return self._showing

    @property
    def expires_at_ns(self) -> int | None:
        """When the offer on screen expires."""
        return self._showing.expires_at_ns if self._showing else None

    def add_estimate(self, estimate: Estimate) -> None:
        """Store an estimate; a second one of the same prefix replaces the first."""
        self._estimates[estimate.prefix_id] = estimate
        while len(self._estimates) > ESTIMATE_LIMIT:
            self._estimates.popitem(last=False)

    def show(
        self,
        decision: Decision,
        app: str,
        now_ns: int,
        seen: Sighting | None = None,
        found: HelpFound | None = None,
    ) -> Offer | None:
        """Return the offer that a decision calls for; None without an estimate.

        It takes the place of the one on screen, which then has ended: the caller says so (`REPLACED`).

        It is about the last estimate that the decision names, or about the newest where it names none; `seen` is what
        it can name, `found` the help that it brings.
        """
        named = [self._estimates[prefix_id] for prefix_id in decision.prefix_ids if prefix_id in self._estimates]
        estimate = named[-1] if named else next(reversed(self._estimates.values()), None)
        if estimate is None:
            return None
        self._count += 1
        offer = Offer(
            offer_id=f"o{self._count}",
            decision_seq=decision.seq,
            prefix_id=estimate.prefix_id,
            app=app,
            topic=decision.topic or "",
            state=State(max(estimate.state_probs, key=estimate.state_probs.__getitem__)),
            help_need=estimate.help_need,
            evidence=estimate.evidence,
            help=estimate.help,
            shown_at_ns=now_ns,
            expires_at_ns=now_ns + self._visible_ns,
            seen=seen,
            page_id=found.page_id if found is not None else "",
            steps=found.steps if found is not None else 0,
        )
        self._showing = offer if self._is_shown(offer) else replace(offer, counterfactual=True)
        return self._showing

    def show_asked(self, found: HelpFound, now_ns: int) -> Offer:
        """Return what is shown to somebody who asked for help; it needs no estimate."""
        estimate = next(reversed(self._estimates.values()), None)
        probs = estimate.state_probs if estimate is not None else {}
        self._count += 1
        offer = Offer(
            offer_id=f"o{self._count}",
            decision_seq=0,
            prefix_id=found.prefix_id,
            app=found.app,
            topic=ASKED,
            state=State(max(probs, key=probs.__getitem__)) if probs else State.TASK_UNDERSTANDING,
            help_need=estimate.help_need if estimate is not None else 0.0,
            evidence=estimate.evidence if estimate is not None else (),
            help=None,
            shown_at_ns=now_ns,
            expires_at_ns=now_ns + ASKED_NS,
            page_id=found.page_id,
            steps=found.steps,
            asked=True,
        )
        self._showing = offer if self._is_shown(offer) else replace(offer, counterfactual=True)
        return self._showing

    def expire(self, now_ns: int) -> Offer | None:
        """Take the offer down if its time is over; return it."""
        if self._showing is None or self._showing.expires_at_ns > now_ns:
            return None
        return self.withdraw()

    def withdraw(self) -> Offer | None:
        """Take the offer down, whatever its time; return it."""
        offer, self._showing = self._showing, None
        return offer

    def answer(self, feedback: Feedback) -> Offer | None:
        """Take down the offer that the feedback answers and return it; None if it is not the one on screen."""
        if self._showing is None or self._showing.offer_id != feedback.offer_id:
            return None
        return self.withdraw()


def expiry_record(offer: Offer) -> Feedback | Withdrawal:
    """Return what an expired offer leaves in the log: nobody ignored what nobody saw, or what they had asked for."""
    if offer.counterfactual or offer.asked:
        return Withdrawal(offer_id=offer.offer_id, reason="expired")
    return Feedback(offer_id=offer.offer_id, kind=FeedbackKind.IGNORED, by="expiry")


SENSE = "help"  # name of a `Sense` that tells whether help is searched for
EARLIER_NS = 10 * NS_PER_S
"""A result so much older than the newest estimate is still about the same thing: a prefix is made every six seconds."""


class FoundHelp:
    """The newest result, for as long as it belongs to the newest estimate."""

    def __init__(self) -> None:
        self.library = False
        self._found: HelpFound | None = None
        self._estimate_ns = 0

    def add(self, record: Record, *, stopped: bool) -> None:
        """Take in one source record; `stopped`: sensing is off after it."""
        if isinstance(record, Sense) and record.name == SENSE:
            self.library = record.on
        elif stopped or isinstance(record, Wake):
            self._found = None
        elif isinstance(record, HelpFound):
            self._found = record

    def add_estimate(self, estimate: Estimate) -> None:
        """Note an estimate: what was found long before it is about something else."""
        self._estimate_ns = estimate.at_ns

    def current(self, app: str) -> HelpFound | None:
        """Return what was found for an application lately; None if nothing is known."""
        found = self._found
        if found is None or found.app != app or found.at_ns < self._estimate_ns - EARLIER_NS:
            return None
        return found
