"""Our own words about taking part: the switches that a study can have, and the sentences around its text."""

from dataclasses import dataclass

from storage.translation import translatable


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyChoice:
    """A switch of the consent: its code for the data (`Sent` of a plan), its words, and the one that it needs."""

    code: str
    head: str
    text: str
    needs: str | None = None


AGGREGATES = StudyChoice(
    code="aggregates",
    head=translatable("Send numbers about offers"),
    text=translatable(
        "How likely it seemed that you needed help, which rule stopped an offer, what was offered, and how the five "
        "minutes after it went. No texts, pictures, titles, programs or keys."
    ),
)

CATEGORIES = StudyChoice(
    code="categories",
    head=translatable("Add the kind of program"),
    text=translatable('Such as "browser" or "office". Never the name of the program or of a page.'),
    needs="aggregates",
)

QUESTIONS = StudyChoice(
    code="questions",
    head=translatable("Be asked questions"),
    text=translatable(
        "At most 6 a day, answered with up to 3 taps; the number of each answer is sent. You can skip any, or say "
        "that you want no more that day."
    ),
)

CHOICES = (AGGREGATES, CATEGORIES, QUESTIONS)
"""Every switch that a study can have, in the order in which they are shown."""

JOIN_TITLE = translatable("Take part in a study?")
JOIN_LEAD = translatable("You are asked to take part in a study with Kairos. Nothing has been sent so far.")
RENEW_TITLE = translatable("The study has changed")
RENEW_LEAD = translatable(
    "Nothing more is sent until you have answered. Until then all else goes on as you agreed before."
)
WORDS_NOTE = translatable(
    "Compare these eight words with those on the paper you were given. If one differs, do not take part."
)
NOTHING_CHOSEN = translatable("Turn on what you agree to, below the text. Whatever stays off is not sent.")
LEAVE_NOTE = translatable(
    "You can leave at any time, without a reason, in the tray menu or with: kairos study leave. "
    "Taking back your consent to Kairos leaves the study, too."
)
