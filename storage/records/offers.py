"""Decisions, offers, and what people said of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from storage.records.base import Record
from storage.records.estimates import Evidence, Sighting, State


class Verdict(StrEnum):
    """What the policy decided: show an offer, hold it back for now, or never under these circumstances."""

    OFFER = "offer"
    HOLD = "hold"
    NEVER = "never"


class FeedbackKind(StrEnum):
    """How an offer was answered; `IGNORED` means that it expired unanswered."""

    ACCEPTED = "accepted"
    DISMISSED = "dismissed"
    IGNORED = "ignored"
    SNOOZED = "snoozed"
    MUTED = "muted"
    TOO_EARLY = "too_early"
    TOO_LATE = "too_late"
    WRONG = "wrong"


class ReportedBy(StrEnum):
    """How a person let know whether help was needed: by saying so of a stretch of time, or by asking for help."""

    SAID = "said"
    ASKED = "asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision(Record):
    """What the policy decided, and why: the gate that stopped (or "all"), a reason code and the numbers it used.

    A hold is recorded too. `withdraw` takes a shown offer down. `topic` is the evidence code an offer would be about.
    `propensity` is the probability with which this action was taken. At `next_tick_ns` the policy is to decide again.
    """

    KIND: ClassVar[str] = "decision"
    verdict: Verdict
    gate: str
    reason: str
    numbers: Mapping[str, float] = field(default_factory=dict)
    propensity: float = 1.0
    prefix_ids: tuple[str, ...] = ()
    topic: str | None = None
    withdraw: bool = False
    next_tick_ns: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer(Record):
    """An offer of help; where it is shown, its words follow from `seen`, or else from `topic` and `evidence`.

    `page_id` is the page of help that it brings, of so many
    `steps`; empty where none was found. `asked`: the person asked for it; no policy decided, and
    `decision_seq` is 0.
    """

    KIND: ClassVar[str] = "offer"
    offer_id: str
    decision_seq: int
    prefix_id: str
    app: str
    topic: str
    state: State
    help_need: float
    evidence: tuple[Evidence, ...]
    help: str | None
    shown_at_ns: int
    expires_at_ns: int
    counterfactual: bool = False
    seen: Sighting | None = None
    page_id: str = ""
    steps: int = 0
    asked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawal(Record):
    """A shown offer was taken down before it was answered; `reason` is a code."""

    KIND: ClassVar[str] = "withdrawal"
    offer_id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback(Record):
    """How an offer was answered; `by` is "person", or "expiry" when nobody did."""

    KIND: ClassVar[str] = "feedback"
    offer_id: str
    kind: FeedbackKind
    by: str = "person"


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedReport(Record):
    """A person let know whether help was needed from `start_ns` to `end_ns`, in this session's time.

    `by` is "said" for "I was stuck here" and "I was fine here", and "asked" where somebody asked for help; then both
    times are when.
    """

    KIND: ClassVar[str] = "need_report"
    start_ns: int
    end_ns: int
    needed: bool
    by: ReportedBy = ReportedBy.SAID


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierReport(Record):
    """What `NeedReport` says, of a stretch of an earlier `session`, named by its id, and in that session's time.

    A session that has ended takes no more rows, so the one in which it was said holds it. `needs` are the highest
    estimates of help need then, by program, because a replay has only this session.
    """

    KIND: ClassVar[str] = "earlier_report"
    session: str
    start_ns: int
    end_ns: int
    needed: bool
    needs: Mapping[str, float] = field(default_factory=dict)
