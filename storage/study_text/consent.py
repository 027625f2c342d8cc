"""What is shown before somebody joins a study, what they answer, and which answers join."""

from collections.abc import Collection
from dataclasses import dataclass

from storage.study_text.words import StudyChoice


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
