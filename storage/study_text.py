"""What a person reads and answers when they join a study, in a terminal or in a window, as plain values.

`participant` fills in a `StudyInvitationView` from a checked invitation; `ui.study_consent` and the terminal show it
and give a `StudyConsentAnswer`. Everything that comes from the study is shown as plain text and never as mark-up.
"""

from collections.abc import Collection
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


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyInvitationView:
    """What is shown before somebody joins; checked, visible text of limited length.

    `phases` are lines such as "7 days: nothing is offered". `words` are the eight of the study's key. `facts` are
    further lines, such as who passes the parcels on and when data is deleted. `text` is the consent text as it is in
    the signed study, `text_sha256` its digest as 64 hexadecimal digits, `version` that of the study, and so of the
    text.
    """

    title: str
    contact: str
    ethics: str
    words: tuple[str, ...]
    days: int
    phases: tuple[str, ...]
    facts: tuple[str, ...]
    text: str
    version: int
    text_sha256: str
    choices: tuple[StudyChoice, ...]
    renewed: bool = False
    """Whether this is a new version of a study that the person takes part in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyConsentAnswer:
    """What a person who takes part agreed to: the codes of the switches that are on, in the order shown."""

    switched_on: tuple[str, ...]


def can_join(view: StudyInvitationView, switched_on: Collection[str]) -> bool:
    """Tell whether somebody can take part with these switches on.

    At least one must be on, none that the study lacks, and none without the one it needs.
    """
    offered = {choice.code: choice.needs for choice in view.choices}
    return bool(switched_on) and all(
        code in offered and (offered[code] is None or offered[code] in switched_on) for code in switched_on
    )
