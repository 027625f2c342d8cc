"""What an application consists of, and what comes of an act in it: plain values that any view can show."""

import random
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

DATA = Path(__file__).parent / "data"
"""A file for each application: its pages, and the tasks of `tasks.task_file`."""


class Kind(StrEnum):
    """What a control is."""

    HEADING = "heading"
    LABEL = "label"
    ENTRY = "entry"
    PASSWORD = "password"  # noqa: S105  # a kind of field
    TEXT = "text"
    CHECK = "check"
    CHOICE = "choice"
    LIST = "list"
    BUTTON = "button"
    LINK = "link"


class Op(StrEnum):
    """What a view is to do."""

    SET = "set"
    """Set a control's value (`text`)."""

    ROWS = "rows"
    """Replace the rows of a list or the options of a choice."""

    NOTE = "note"
    """Show a message beside a control; an empty `text` clears it."""

    STATUS = "status"
    """Show a message in the status line."""

    PAGE = "page"
    """Show another page."""

    DIALOG = "dialog"
    """Show a message over the window until its button is pressed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """One control.

    `value` is its text, the chosen option, or "on" for a check box; `rows` are a list's rows or a choice's options.
    """

    name: str
    kind: Kind
    text: str = ""
    value: str = ""
    rows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of a window: its controls from top to bottom; `bar` stand side by side below them."""

    name: str
    controls: tuple[Control, ...]
    bar: tuple[Control, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How an application looks; drawn by `look_of`."""

    font_px: int
    gap_px: int
    paper: str
    ink: str
    accent: str
    labels_above: bool
    width: int
    height: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AppDescription:
    """Everything a view needs to show an application."""

    title: str
    pages: tuple[Page, ...]
    look: Look


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An act: a control was pressed, chosen, ticked, or entered with Enter; and what all controls hold now."""

    control: str
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One thing that a view is to do."""

    op: Op
    control: str = ""
    text: str = ""
    rows: tuple[str, ...] = ()


class AppLogic(Protocol):
    """What an application does. `succeeded` and `refused` count what its people got done and what was turned down."""

    description: AppDescription
    succeeded: int
    refused: int

    def handle(self, event: Event) -> Sequence[Effect]:
        """Return what comes of an act; an act without any effect returns nothing."""


_PAPERS = (("#ffffff", "#1d1d1f"), ("#f6f5f1", "#222222"), ("#eef2f6", "#16202a"), ("#2b2d31", "#e8e8e8"))
_ACCENTS = ("#2f6f4f", "#31599c", "#8a3b4a", "#7a5b1e", "#5b4a8a")


def look_of(rng: random.Random) -> Look:
    """Return a look drawn from `rng`."""
    paper, ink = rng.choice(_PAPERS)
    return Look(
        font_px=rng.randint(13, 17),
        gap_px=rng.randint(5, 13),
        paper=paper,
        ink=ink,
        accent=rng.choice(_ACCENTS),
        labels_above=rng.random() < 0.4,  # noqa: PLR2004  # some forms do
        width=rng.randint(640, 980),
        height=rng.randint(600, 820),
    )


def described(app: str, rng: random.Random, **words: str | Sequence[str]) -> AppDescription:
    """Return an application as its file in `data` lays it out; title, look and texts with a choice are drawn.

    `words` are texts and rows that the file names.
    """
    layout = tomllib.loads((DATA / f"{app}.toml").read_text(encoding="utf-8"))
    title = rng.choice(layout["titles"])

    def control(facts: Mapping[str, Any]) -> Control:
        text, rows = facts.get("text", ""), facts.get("rows", ())
        text = rng.choice(text) if isinstance(text, list) else text.format(title=title, **words)
        rows = tuple(words[rows] if isinstance(rows, str) else rows)
        value = facts.get("value", "").format(**words)
        return Control(name=facts["name"], kind=Kind(facts["kind"]), text=text, rows=rows, value=value)

    pages = tuple(
        Page(name=page["name"], controls=tuple(map(control, page["controls"])), bar=tuple(map(control, page["bar"])))
        for page in layout["pages"]
    )
    return AppDescription(title=title, pages=pages, look=look_of(rng))


class Refusals:
    """How one application says no: beside the control, in the status line, or in a dialog."""

    def __init__(self, rng: random.Random) -> None:
        self._way = rng.choice((Op.NOTE, Op.NOTE, Op.STATUS, Op.DIALOG))

    def say(self, control: str, text: str) -> Effect:
        """Return the effect that refuses what a control holds."""
        return Effect(op=self._way, control=control, text=text)

    def clear(self, controls: Sequence[str]) -> list[Effect]:
        """Return the effects that take messages away; a dialog goes by its button."""
        if self._way is Op.NOTE:
            return [Effect(op=Op.NOTE, control=control) for control in controls]
        return [Effect(op=Op.STATUS)] if self._way is Op.STATUS else []
