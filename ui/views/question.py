"""What the card of a study's question shows: one item after the other, each answered with one tap.

A study's words come from outside: they are reduced to plain text of limited length.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from storage.enrolment import DEFAULT_ITEMS, QuestionItem
from storage.plain_text import plain
from storage.ports import REVIEW_PREFIX, ReviewQuestion
from storage.records import AnswerKind
from storage.translation import tr, translatable

TEXT_LIMIT = 120
CHOICE_LIMIT = 30

EYEBROW = translatable("Question of your study")
SAY_MORE = translatable("Say more…")
SAY_MORE_HINT = translatable("Look at the recording, and say what you were doing and what would have helped")
REVIEW_EYEBROW = translatable("How was your day?")
NOT_NOW = translatable("Not now")
NONE_TODAY = translatable("None today")
DECLINE: tuple[tuple[AnswerKind, str, str], ...] = (
    (AnswerKind.NOT_NOW, NOT_NOW, translatable("Leave this one out")),
    (AnswerKind.NONE_TODAY, NONE_TODAY, translatable("No more questions until tomorrow")),
)
"""The ways not to answer: kind, text and hint, still to be translated."""


@dataclass(frozen=True, slots=True)
class ItemView:
    """One line of a question: its code, its place ("1 of 3"), words, choices from 0 on, and where it is recorded."""

    code: str
    place: str
    text: str
    choices: tuple[str, ...]
    picture: tuple[int, int, bytes] | None = None
    session: str = ""
    begin_wall_ns: int = 0


@dataclass(frozen=True, slots=True)
class QuestionView:
    """A question of a study, or of the evening review, item by item; `eyebrow` says which.

    Where it `keeps_partial`, choices that were made count although the rest was declined.
    """

    question_id: str
    items: tuple[ItemView, ...]
    eyebrow: str
    keeps_partial: bool = False


def view_question(question_id: str, items: Sequence[QuestionItem]) -> QuestionView:
    """Say what the card shows for a question."""
    views = tuple(
        ItemView(
            code=item.code,
            place=tr("{number} of {count}", number=number, count=len(items)) if len(items) > 1 else "",
            text=plain(_said(item, item.text), TEXT_LIMIT),
            choices=tuple(plain(_said(item, choice), CHOICE_LIMIT) for choice in item.choices),
            picture=item.picture if isinstance(item, ReviewQuestion) else None,
            session=item.session if isinstance(item, ReviewQuestion) else "",
            begin_wall_ns=item.begin_wall_ns if isinstance(item, ReviewQuestion) else 0,
        )
        for number, item in enumerate(items, start=1)
    )
    if question_id.startswith(REVIEW_PREFIX):
        return QuestionView(question_id=question_id, items=views, eyebrow=tr(REVIEW_EYEBROW), keeps_partial=True)
    return QuestionView(question_id=question_id, items=views, eyebrow=tr(EYEBROW))


def _said(item: QuestionItem, words: str) -> str:
    """Translate our own items alone; a study's words are shown as they were signed."""
    return tr(words) if item in DEFAULT_ITEMS else words
