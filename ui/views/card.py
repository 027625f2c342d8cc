"""What the card shows for an offer, and the buttons that answer it.

Help written by a model is hostile until shown otherwise: it is cut to a length, stripped of control and direction
characters, and marked as a model's.
"""

from dataclasses import dataclass

from storage.messages import EVIDENCE, EvidenceText
from storage.records import FeedbackKind, Offer
from ui.views.text import fill, plain

MODEL_TEXT_LIMIT = 480
"""Characters of a model's text that the card shows: about nine lines."""

BY_MODEL = "Written by a language model. It may be wrong."

UNKNOWN_TOPIC = EvidenceText(
    "Need a hand?",
    "It looks as if this is not going the way you want.",
    "Go back to the last point that was right, change one thing, and look at what it does before the next.",
)
"""For a topic that our table does not know: a detector from elsewhere."""


@dataclass(frozen=True, slots=True)
class Button:
    """A button of the card and the answer it stands for."""

    kind: FeedbackKind
    text: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class CardView:
    """What the card says about an offer; `note` is who wrote the advice if it was not us."""

    offer_id: str
    title: str
    reason: str
    advice: str
    note: str = ""


ACCEPT = Button(FeedbackKind.ACCEPTED, "Show me")
DISMISS = Button(FeedbackKind.DISMISSED, "Not now", "Not about this for a while")
MORE: tuple[tuple[Button, ...], ...] = (
    (
        Button(FeedbackKind.TOO_EARLY, "Too early", "I would have managed on my own"),
        Button(FeedbackKind.TOO_LATE, "Too late", "I needed this before"),
        Button(FeedbackKind.WRONG, "Wrong", "This is not what I am doing"),
    ),
    (
        Button(FeedbackKind.SNOOZED, "Snooze", "No offers at all for a while"),
        Button(
            FeedbackKind.MUTED,
            "Don't offer this again",
            "Never about this again, anywhere. To undo: kairos why --learned says how",
        ),
    ),
)
"""The rows behind the "more" button."""


def view_card(offer: Offer) -> CardView:
    """Say what the card shows for an offer, from its evidence code and numbers."""
    words = EVIDENCE.get(offer.topic, UNKNOWN_TOPIC)
    numbers = next((evidence.numbers for evidence in offer.evidence if evidence.code == offer.topic), {})
    written = plain(offer.help or "", MODEL_TEXT_LIMIT)
    return CardView(
        offer_id=offer.offer_id,
        title=words.title,
        reason=fill(words.reason, numbers),
        advice=written or words.advice,
        note=BY_MODEL if written else "",
    )
