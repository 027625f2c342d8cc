"""The texts of codes, from `data/messages.toml`, so that records stay free of language; and what an offer says.

Standard library only. A code is looked up where it is shown: on the card, in the tray, on the command line, in a
report. Names and messages from the screen are only ever quoted in a sentence (`storage.plain_text.quotable`), and one
that would need a name that is not known is replaced by one without it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from storage.plain_text import quotable
from storage.records import Offer
from storage.translation import ENGLISH, Language, translatable
from storage.translation.sentences import read_texts

LIMITS: Mapping[str, int] = {"control": 32, "entry": 32, "step": 32, "page": 60, "message": 120}
"""Most characters of what is quoted, by its place in a sentence."""

YOU_ASKED = translatable("You asked for help")
"""For help that the person asked for, where no page says more."""

_MOST = 1_000_000.0


@dataclass(frozen=True, slots=True)
class EvidenceText:
    """Texts of one evidence code; title and reason with the places of its numbers."""

    label: str
    title: str
    reason: str
    advice: str


@dataclass(frozen=True, slots=True)
class SightingText:
    """Texts of one sighting: pairs of title and reason, the one that quotes most first and one without words last."""

    variants: tuple[tuple[str, str], ...]
    advice: str


@dataclass(frozen=True, slots=True)
class OfferText:
    """Title, reason and advice of an offer."""

    title: str
    reason: str
    advice: str


_TEXTS = read_texts("messages")

EVIDENCE: Mapping[str, EvidenceText] = {code: EvidenceText(**texts) for code, texts in _TEXTS["evidence"].items()}
UNKNOWN_TOPIC = EvidenceText(**_TEXTS["unknown_topic"])
SIGHTINGS: Mapping[str, SightingText] = {
    code: SightingText(tuple((title, reason) for title, reason in texts["variants"]), texts["advice"])
    for code, texts in _TEXTS["sightings"].items()
}
STATES: Mapping[str, str] = _TEXTS["states"]
PHASES: Mapping[str, str] = _TEXTS["phases"]
SENT_FOR: Mapping[str, str] = _TEXTS["sent_for"]
SENT_OUTCOMES: Mapping[str, str] = _TEXTS["sent_outcomes"]
ANSWERS: Mapping[str, str] = _TEXTS["answers"]
PROBLEMS: Mapping[str, tuple[str, str]] = {
    code: (texts["what"], texts["remedy"]) for code, texts in _TEXTS["problems"].items()
}
"""By problem code: what happened, and what to do."""


def offer_text(offer: Offer, names: Mapping[str, str] | None = None, language: Language = ENGLISH) -> OfferText:
    """Return what an offer says.

    Args:
        offer: the offer.
        names: words behind the digests of `offer.seen`, by their place there; what is missing is not named.
        language: that of the sentences; what is quoted stays as it is.
    """
    words = EVIDENCE.get(offer.topic, UNKNOWN_TOPIC)
    found = SIGHTINGS.get(offer.seen.code) if offer.seen is not None else None
    if offer.seen is not None and found is not None:
        quoted = {place: quotable(text, LIMITS[place]) for place, text in (names or {}).items() if place in LIMITS}
        quoted = {place: text for place, text in quoted.items() if text}
        for title, reason in found.variants:
            said = [_fill(part, offer.seen.numbers, quoted, language) for part in (title, reason)]
            if said[0] is not None and said[1] is not None:
                return OfferText(said[0], said[1], language.find(found.advice))
    numbers = next((evidence.numbers for evidence in offer.evidence if evidence.code == offer.topic), {})
    headline = _fill(words.title, numbers, {}, language)
    return OfferText(
        language.find(words.label) if headline is None else headline,
        _fill(words.reason, numbers, {}, language) or "",
        language.find(words.advice),
    )


def topic_label(topic: str, language: Language = ENGLISH) -> str | None:
    """Return the words for a topic in a list, without numbers; None for one that our table does not know."""
    words = EVIDENCE.get(topic)
    return None if words is None else language.find(words.label)


def _fill(template: str, numbers: Mapping[str, float], quoted: Mapping[str, str], language: Language) -> str | None:
    """Return a sentence with its numbers and quotations; None if one of them is missing or no number.

    What is put in is never read as a template itself.
    """
    written = {name: min(max(float(number), -_MOST), _MOST) for name, number in numbers.items()}
    try:
        said = language.say(template, {**written, **quoted})
    except (KeyError, ValueError, IndexError, AttributeError):  # a session from elsewhere may lack a number
        return None
    return said[:1].upper() + said[1:]
