"""What a person reads and answers when they join a study, in a terminal or in a window, as plain values.

`participant` fills in a `StudyInvitationView` from a checked invitation; `ui.study_consent` and the terminal show it
and give a `StudyConsentAnswer`. Everything that comes from the study is shown as plain text and never as mark-up.
"""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass

from storage.translation.sentences import read_texts


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyChoice:
    """A switch of the consent: its code for the data (`Sent` of a plan), its words, and the one that it needs."""

    code: str
    head: str
    text: str
    needs: str | None = None

    @property
    def sha256(self) -> str:
        """The digest of its words, as 64 hexadecimal digits; a translation says the same."""
        return hashlib.sha256(f"{self.head}\n{self.text}".encode()).hexdigest()


_TEXTS = read_texts("study")


def _choice(code: str, needs: str | None = None) -> StudyChoice:
    return StudyChoice(code=code, needs=needs, **_TEXTS["choices"][code])


AGGREGATES = _choice("aggregates")
CATEGORIES = _choice("categories", needs="aggregates")
QUESTIONS = _choice("questions")
TASKS, LABELS = _choice("tasks"), _choice("labels")
NARRATION = _choice("narration", needs="labels")
CHOICES = (AGGREGATES, CATEGORIES, QUESTIONS, TASKS, LABELS, NARRATION)
"""Every switch that a study can have, in the order in which they are shown."""

JOIN_TITLE: str = _TEXTS["join_title"]
JOIN_LEAD: str = _TEXTS["join_lead"]
RENEW_TITLE: str = _TEXTS["renew_title"]
RENEW_LEAD: str = _TEXTS["renew_lead"]
WORDS_NOTE: str = _TEXTS["words_note"]
NOTHING_CHOSEN: str = _TEXTS["nothing_chosen"]
LEAVE_NOTE: str = _TEXTS["leave_note"]


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
