"""What a person reads and answers when they join a study, in a terminal or in a window, as plain values.

`studies` fills in a `StudyInvitationView` from a checked invitation; `ui.study_consent` and the terminal show it and
give a `StudyConsentAnswer`. Everything that comes from the study is shown as plain text and never as mark-up. Standard
library only: `studies` and `ui` know nothing of each other, and both know this.
"""

from storage.study_text.consent import StudyConsentAnswer, StudyInvitationView, can_join
from storage.study_text.words import (
    AGGREGATES,
    CATEGORIES,
    CHOICES,
    JOIN_LEAD,
    JOIN_TITLE,
    LEAVE_NOTE,
    NOTHING_CHOSEN,
    QUESTIONS,
    RENEW_LEAD,
    RENEW_TITLE,
    WORDS_NOTE,
    StudyChoice,
)

__all__ = [
    "AGGREGATES",
    "CATEGORIES",
    "CHOICES",
    "JOIN_LEAD",
    "JOIN_TITLE",
    "LEAVE_NOTE",
    "NOTHING_CHOSEN",
    "QUESTIONS",
    "RENEW_LEAD",
    "RENEW_TITLE",
    "WORDS_NOTE",
    "StudyChoice",
    "StudyConsentAnswer",
    "StudyInvitationView",
    "can_join",
]
