"""A model's answer as far as it has come: from checked facts at the end, from broken JSON while it is written. Pure.

Whatever the reply holds, only plain words of limited length, controls that were numbered for the model, and pages that
it was given come out. While it is written a word is held back until it is whole, so that no half of a link or a command
is shown; a control is tied to a step once that step is whole.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import jiter

from daemon.models.answers.query import GOAL_LIMIT, MAX_STEPS, STEP_LIMIT, TEXT_LIMIT, HelpQuery
from detectors.mllm.prompting.plain_text import plain_text
from storage.ports import AnswerPhase, HelpStep, ModelHelp
from storage.records import Box

MAX_READ = 16_000
"""Characters of a reply that are looked at while it is written."""

_THINKS, _THOUGHT = "<think>", "</think>"
_BEGIN = re.compile(r"\{\s*\"")
_READ_TIMES = 2  # characters beyond this multiple of a limit could show only where most before are dropped
_LAST_WORD = re.compile(r"\S+\Z")
_LETTERS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyStep:
    """A step: its words, and the number of its control or 0."""

    text: str
    element: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpReply:
    """What an answer says; `pages` are numbers of pages that it rests on."""

    text: str = ""
    steps: tuple[ReplyStep, ...] = ()
    pages: tuple[int, ...] = ()
    goal: str = ""

    @property
    def words(self) -> str:
        """Text and steps as lines, for a question that follows."""
        return "\n".join((*((self.text,) if self.text else ()), *(f"- {step.text}" for step in self.steps)))


class ReplyText:
    """The text of a reply while it is written; `came` is called for each piece. Not thread-safe."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._text = ""
        self.came: Callable[[], None] = lambda: None

    def begin(self) -> None:
        """Begin anew: another request was sent."""
        self._text = ""

    def add(self, text: str) -> None:
        """Take what came next."""
        if len(self._text) < MAX_READ:
            self._text += text[: MAX_READ - len(self._text)]
        self.came()

    def reply(self) -> HelpReply | None:
        """Return what can be shown of it so far; None where there is nothing that can be read yet."""
        thoughts = self._text.rfind(_THOUGHT)
        if thoughts < 0 and _THINKS in self._text:
            return None
        begin = _BEGIN.search(self._text, max(0, thoughts))
        if begin is None:
            return None
        raw = self._text[begin.start() :].encode("utf-8", "replace")
        try:
            fields = jiter.from_json(raw, partial_mode="trailing-strings", allow_inf_nan=False)
        except ValueError:
            return None
        return reply_of(fields, complete=False) if isinstance(fields, dict) else None


def tied_steps(reply: HelpReply, asked: HelpQuery) -> tuple[HelpStep, ...]:
    """Return the steps, each with the name of its control if that is one that was numbered."""
    return tuple(HelpStep(text=step.text, controls=_controls(step, asked)) for step in reply.steps)


def first_box(reply: HelpReply, asked: HelpQuery) -> Box | None:
    """Return where the control of the first step that has one is."""
    elements = (asked.elements[step.element - 1] for step in reply.steps if _controls(step, asked))
    return next((element.box for element in elements), None)


def shown(before: ModelHelp, reply: HelpReply, asked: HelpQuery, phase: AnswerPhase) -> ModelHelp:
    """Return what the card shows of an answer."""
    pages = (asked.pages[number - 1] for number in dict.fromkeys(reply.pages) if 0 < number <= len(asked.pages))
    return replace(
        before,
        phase=phase,
        text=reply.text,
        steps=tied_steps(reply, asked),
        sources=tuple(dict.fromkeys(f"{page.title} ({page.source})" if page.source else page.title for page in pages)),
        goal=reply.goal,
    )


def _controls(step: ReplyStep, asked: HelpQuery) -> tuple[str, ...]:
    name = asked.elements[step.element - 1].name if 0 < step.element <= len(asked.elements) else None
    return (name,) if name else ()


def reply_of(fields: Mapping[str, object], *, complete: bool = True) -> HelpReply:
    """Return the answer that fields hold; what does not fit is left out, and so is what is not whole yet."""
    listed = fields.get("steps")
    entries = [entry for entry in listed if isinstance(entry, dict)][:MAX_STEPS] if isinstance(listed, list) else []
    steps = []
    for number, entry in enumerate(entries, start=1):
        whole = complete or number < len(entries) or "pages" in fields
        words = _words(entry.get("text"), STEP_LIMIT, whole=whole or "element" in entry)
        if words:
            steps.append(ReplyStep(text=words, element=_number(entry.get("element")) if whole else 0))
    pages = fields.get("pages")
    return HelpReply(
        text=_words(fields.get("text"), TEXT_LIMIT, whole=complete or "steps" in fields),
        steps=tuple(steps),
        pages=tuple(map(_number, pages)) if isinstance(pages, list) and (complete or "goal" in fields) else (),
        goal=_words(fields.get("goal"), GOAL_LIMIT, whole=True) if complete else "",
    )


def _words(value: object, limit: int, *, whole: bool) -> str:
    """Return plain words; of a text that is not whole not the last word, unless it is letters alone so far."""
    if not isinstance(value, str):
        return ""
    last = None if whole else _LAST_WORD.search(value)
    if last is not None and not _LETTERS.fullmatch(last[0]):
        value = value[: last.start()]
    return plain_text(value[: _READ_TIMES * limit], limit)


def _number(value: object) -> int:
    """Return a whole number above 0, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
