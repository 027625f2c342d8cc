"""What a window does in place of a command that a sentence names: the sentence then names the button below it.

Faults and problems are written once, for the command line too, and name commands. `with_buttons` is for windows.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial

from storage.translation import tr, translatable
from ui.views.study import LEAVE, LOOK
from ui.views.timeline import TITLE


class ActTarget(Enum):
    """Where a button leads; `RUN` shows what a command prints that changes nothing."""

    RUN = auto()
    SETTINGS = auto()
    MODELS = auto()
    SEEN = auto()
    LEARNED = auto()
    STUDY_LOOK = auto()
    STUDY_LEAVE = auto()


@dataclass(frozen=True, slots=True)
class WindowAct:
    """A button: where it leads, its words, and the words of a command or the name of a setting."""

    target: ActTarget
    text: str
    detail: str = ""


_KEY = r"([a-z_]+\.[a-z_]+)(?: (?:true|false|NAME|http:\S+))?"
_COMMANDS = tuple(
    (re.compile(rf"[“„]?kairos {pattern}(?![\w-])[”“]?"), target, text)
    for pattern, target, text in (
        ("(doctor)", ActTarget.RUN, translatable("What works here")),
        (r"(sessions verify [\w-]+)", ActTarget.RUN, translatable("What is wrong with it")),
        ("(models sent)", ActTarget.RUN, translatable("What was sent")),
        ("(study status)", ActTarget.RUN, translatable("How the study stands")),
        ("(library list)", ActTarget.RUN, translatable("Library of help")),
        (rf"config (?:set|show)(?: {_KEY})?", ActTarget.SETTINGS, translatable("Settings")),
        ("models (?:test|list)()", ActTarget.MODELS, translatable("Model settings")),
        (r"(?:sessions list|sessions delete(?! \w)|forget)()(?: --all)?", ActTarget.SEEN, TITLE),
        ("why --forget all()", ActTarget.LEARNED, translatable("What was learned")),
        ("study review()(?! --)", ActTarget.STUDY_LOOK, LOOK),
        ("study leave()(?: NAME)?", ActTarget.STUDY_LEAVE, LEAVE),
    )
)
"""Commands in sentences, where each leads, and what its button is called; a group holds the detail."""

_doer: list[tuple[Callable[[ActTarget], bool], Callable[[WindowAct], None]]] = []


def offer_acts(can: Callable[[ActTarget], bool], do: Callable[[WindowAct], None]) -> None:
    """Let sentences name buttons from now on; `can` tells which targets there are now, `do` carries an act out."""
    _doer[:] = [(can, do)]


def withdraw_acts() -> None:
    """Let sentences name commands again."""
    _doer.clear()


def carry_out(act: WindowAct) -> None:
    """Do what a button stands for."""
    for _, do in _doer:
        do(act)


def with_buttons(text: str) -> tuple[str, tuple[WindowAct, ...]]:
    """Return a sentence that names buttons in place of commands, and those buttons, each once."""
    acts: dict[WindowAct, None] = {}
    for command, target, words in _COMMANDS:
        if any(can(target) for can, _ in _doer):
            text = command.sub(partial(_name_button, acts, target, words), text)
    return text, tuple(acts)


def _name_button(acts: dict[WindowAct, None], target: ActTarget, words: str, found: re.Match[str]) -> str:
    act = WindowAct(target, tr(words), found[1] or "")
    acts[act] = None
    return tr("“{button}”", button=act.text)
