"""What the card shows for an offer, and the buttons that answer it.

Help written by a model is hostile until shown otherwise: it is cut to a length, stripped of control and direction
characters, and marked as a model's.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from storage.offer_text import offer_text, topic_label
from storage.plain_text import plain
from storage.records import FeedbackKind, Offer

MODEL_TEXT_LIMIT = 480
"""Characters of a model's text that the card shows: about nine lines."""

BY_MODEL = "Written by a language model. It may be wrong."


@dataclass(frozen=True, slots=True)
class Button:
    """A button of the card and the answer it stands for."""

    kind: FeedbackKind
    text: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class CardView:
    """What the card says about an offer; `note` is who wrote the advice if not we did, `about` its topic in words."""

    offer_id: str
    title: str
    reason: str
    advice: str
    note: str = ""
    about: str = ""


UNMUTE = "To undo: kairos why --learned says how"

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
        Button(FeedbackKind.MUTED, "Don't offer this again", "Never about this again, anywhere. " + UNMUTE),
    ),
)
"""The rows behind the "more" button."""


def view_card(offer: Offer, names: Mapping[str, str] | None = None) -> CardView:
    """Say what the card shows for an offer.

    Args:
        offer: the offer, with what was seen as codes, numbers and digests.
        names: words behind its digests, by their place in the sentences; only ever quoted.
    """
    text = offer_text(offer, names)
    written = plain(offer.help or "", MODEL_TEXT_LIMIT)
    return CardView(
        offer_id=offer.offer_id,
        title=text.title,
        reason=text.reason,
        advice=written or text.advice,
        note=BY_MODEL if written else "",
        about=topic_label(offer.topic) or "",
    )


def named(button: Button, about: str) -> Button:
    """Return a button whose hint says what would be muted: the topic, which may be wider than what the card names."""
    if button.kind is not FeedbackKind.MUTED or not about:
        return button
    return replace(button, hint=f"Never about this again, anywhere: {about.lower()}. {UNMUTE}")
