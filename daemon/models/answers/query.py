"""Builds what a model is asked about a moment of work: words, a picture with numbers, the answer's shape. Pure.

All that comes from the screen, from pages and from the person is cut, made one line and quoted; the model is told that
none of it gives orders.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from daemon.capture.picture_ring import RingPicture
from daemon.help.context import HelpMoment
from daemon.help.marks import MAX_MARKS, mark_picture
from detectors.mllm.prompting import help_prompts as prompts
from detectors.mllm.prompting.plain_text import one_line
from detectors.mllm.prompting.prompts import state_text
from detectors.mllm.questions import (
    AnswerField,
    AnswerForm,
    Brief,
    IntegerShape,
    ListShape,
    ModelQuery,
    ModelQuestion,
    ObjectShape,
    Pictures,
    QueryPicture,
    TextShape,
)
from storage.messages import EVIDENCE
from storage.ports import QUESTION_LIMIT, HelpPage
from storage.records import ControlRole, Element

KEY = "help"
MAX_PAGES = 3
MAX_STEPS = 7
"""Pages that are sent, and steps of a page and of an answer."""

TEXT_LIMIT, STEP_LIMIT, GOAL_LIMIT = 480, 240, 80
"""Characters of an answer's prose, of one of its steps, and of the goal."""

MAX_NUMBER = 9999
"""Larger numbers make an answer unusable; a smaller one that was not given means no control, or no page."""

TOKENS = 1024
_NAME_LIMIT, _LINE_LIMIT = 60, 200
_UNNUMBERED = (ControlRole.CELL, ControlRole.DOCUMENT, ControlRole.TERMINAL, ControlRole.TEXT, ControlRole.PASSWORD)
"""What is worked on and not with: such names are what somebody wrote."""

_STEP = ObjectShape(
    fields=(
        AnswerField(name="text", shape=TextShape(limit=STEP_LIMIT), words=prompts.STEP_TEXT),
        AnswerField(name="element", shape=IntegerShape(least=0, most=MAX_NUMBER), words=prompts.ELEMENT),
    )
)
SHAPE = ObjectShape(
    fields=(
        AnswerField(name="text", shape=TextShape(limit=TEXT_LIMIT, may_be_empty=True), words=prompts.TEXT),
        AnswerField(name="steps", shape=ListShape(of=_STEP, most=MAX_STEPS)),
        AnswerField(
            name="pages",
            shape=ListShape(of=IntegerShape(least=0, most=MAX_NUMBER), most=2 * MAX_PAGES),
            words=prompts.PAGES_USED,
        ),
        AnswerField(name="goal", shape=TextShape(limit=GOAL_LIMIT, may_be_empty=True), words=prompts.GOAL),
    )
)
"""The answer's shape; the text comes first, since it is shown while the rest is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierAnswer:
    """A question of the person and what the model answered to it, in plain words."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpQuery:
    """A query, and what the numbers in its answer stand for: `elements` and `pages`, both from 1 on."""

    query: ModelQuery
    elements: tuple[Element, ...]
    pages: tuple[HelpPage, ...]


def numbered_elements(elements: Iterable[Element]) -> tuple[Element, ...]:
    """Return the controls that get a number: those with a name that somebody could be sent to."""
    named = (element for element in elements if element.name and element.role not in _UNNUMBERED)
    return tuple(named)[:MAX_MARKS]


def marked_picture(
    newest: RingPicture | None, elements: Sequence[Element], pictures: Pictures
) -> tuple[QueryPicture, bool] | None:
    """Return the newest picture, with the numbers of the controls on it where it is known what it shows.

    The second value tells whether they are there; None: there is no picture.
    """
    if newest is None:
        return None
    if newest.area is None or not elements:
        return pictures.picture_of(newest.jpeg), False
    try:
        return pictures.picture_of(mark_picture(newest.jpeg, elements, area=newest.area).jpeg), True
    except ValueError:  # what was to be a picture is none
        return None


def build_query(
    moment: HelpMoment,
    elements: tuple[Element, ...],
    picture: tuple[QueryPicture, bool] | None,
    *,
    evidence: Sequence[str] = (),
    question: str = "",
    before: EarlierAnswer | None = None,
) -> HelpQuery:
    """Return the query about a moment.

    `elements` come from `numbered_elements`, `picture` from `marked_picture`. `evidence` holds codes of what was
    observed, weightiest first. `question` is what the person typed on the card, and `before` the exchange that it
    follows.
    """
    pages = moment.pages[:MAX_PAGES]
    parts = [
        _situation(moment, evidence),
        _controls(elements),
        *([] if picture is not None else [prompts.NO_PICTURE]),
        _pages(pages),
        *_conversation(moment.context.words, question, before),
        prompts.QUESTION,
    ]
    brief = Brief(system=prompts.SYSTEM, words="\n\n".join(parts), shape=SHAPE, check=_says_something, tokens=TOKENS)
    caption = prompts.MARKED if picture is not None and picture[1] else prompts.UNMARKED
    query = ModelQuery(
        pictures=(picture[0],) if picture is not None else (),
        at_s=(),
        questions=(ModelQuestion(key=KEY, form=AnswerForm.OBJECT, brief=brief),),
        captions=(caption,) if picture is not None else (),
    )
    return HelpQuery(query=query, elements=elements, pages=pages)


def _situation(moment: HelpMoment, evidence: Sequence[str]) -> str:
    context = moment.context
    lines = [prompts.APP.format(app=one_line(context.app, _NAME_LIMIT) or "unknown")]
    if context.title:
        lines.append(prompts.TITLE.format(title=_unquoted(context.title, _LINE_LIMIT)))
    if context.dialog:
        lines.append(prompts.DIALOG.format(title=_unquoted(context.dialog, _LINE_LIMIT)))
    if context.goal:
        lines.append(prompts.GOAL_GUESSED.format(goal=_unquoted(context.goal, _LINE_LIMIT)))
    if context.state is not None:
        lines.append(prompts.STATE.format(state=state_text(context.state)))
    for words, names in (
        (prompts.TOUCHED, context.controls),
        (prompts.UNDONE, context.undone),
        (prompts.MESSAGES, context.messages),
    ):
        if names:
            quoted = (prompts.QUOTED.format(name=_unquoted(name, _LINE_LIMIT)) for name in names)
            lines.append(words.format(names=", ".join(quoted)))
    seen = [EVIDENCE[code].label for code in evidence or context.evidence if code in EVIDENCE]
    if seen:
        lines.append(prompts.OBSERVED.format(sentences="; ".join(seen)))
    return "\n".join(lines)


def _controls(elements: Sequence[Element]) -> str:
    if not elements:
        return prompts.NO_CONTROLS
    lines = [
        prompts.CONTROL.format(
            number=number,
            role=element.role.replace("_", " "),
            name=_unquoted(element.name or "", _NAME_LIMIT),
            state=prompts.STATES.get(element.state, ""),
        )
        for number, element in enumerate(elements, start=1)
    ]
    return "\n".join((prompts.CONTROLS, *lines))


def _pages(pages: Sequence[HelpPage]) -> str:
    if not pages:
        return prompts.NO_PAGES
    blocks = [prompts.PAGES]
    for number, page in enumerate(pages, start=1):
        source = one_line(page.source, _LINE_LIMIT) or "general advice"
        head = prompts.PAGE.format(number=number, title=_unquoted(page.title, _LINE_LIMIT), source=source)
        steps = (prompts.STEP.format(text=one_line(step.text, _LINE_LIMIT)) for step in page.steps[:MAX_STEPS])
        blocks.append("\n".join((head, *steps)))
    return "\n".join(blocks)


def _conversation(words: str, question: str, before: EarlierAnswer | None) -> list[str]:
    """Return what the person asked, and what was answered before their newest question."""
    said = [prompts.ASKED.format(words=_unquoted(words, QUESTION_LIMIT))] if words else []
    if before is not None:
        if before.question:
            said.append(prompts.ASKED.format(words=_unquoted(before.question, QUESTION_LIMIT)))
        said.append(f"{prompts.BEFORE}\n{before.answer}")
    if question:
        said.append(prompts.ASKED.format(words=_unquoted(question, QUESTION_LIMIT)))
    return said


def _says_something(facts: object) -> str:
    says = isinstance(facts, dict) and (facts["text"] or facts["steps"])
    return "" if says else prompts.EMPTY


def _unquoted(text: str, limit: int) -> str:
    """Return a text as one line that cannot end the quotation around it."""
    return one_line(text, limit).replace('"', "'")
