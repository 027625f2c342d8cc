"""Every sentence that a model reads (`data/sentences.toml`), under one version for those about the four tasks.

The nine states and the four tasks are those of the GUIDE benchmark (Table C3, section 4.2); the words are ours. Change
no sentence without a new `VERSION`: logged answers, caches and calibration name it, and a test pins the two together.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from detectors.mllm.questions import AnswerForm, Option, Task
from storage.records import State

VERSION = "2"

SENTENCES: Mapping[str, Mapping[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "data" / "sentences.toml").read_text(encoding="utf-8")
)


def __getattr__(name: str) -> str:
    """Return a sentence of the section `tasks` by its name there.

    Raises:
        AttributeError: there is none of this name.
    """
    return find_sentence("tasks", name)


def find_sentence(section: str, name: str) -> str:
    """Return a sentence of a section.

    Raises:
        AttributeError: there is none of this name.
    """
    if name not in SENTENCES[section]:
        raise AttributeError(name)
    return str(SENTENCES[section][name])


class StateWords(NamedTuple):
    """A state's name, and what distinguishes it on the screen."""

    name: str
    meaning: str


STATES: Mapping[State, StateWords] = {State(state): StateWords(**words) for state, words in SENTENCES["states"].items()}
"""In the order in which models read them: that of the benchmark's table."""


def state_text(state: State) -> str:
    """Return a state's name and meaning, as options and context quote it."""
    return f"{STATES[state].name}: {STATES[state].meaning}"


STATE_OPTIONS = tuple(Option(key=state.value, text=state_text(state)) for state in STATES)
"""The nine options of the behavior task; `key` is the state's value."""

SYSTEM = "\n\n".join((find_sentence("tasks", "JUDGE"), find_sentence("tasks", "REPLY")))
"""Instructions for every model; decision endpoints, which write no reply, get `JUDGE` alone."""

QUESTIONS: Mapping[tuple[Task | None, AnswerForm], str] = {
    (Task(task), AnswerForm(form)): words
    for task, forms in SENTENCES["questions"].items()
    for form, words in forms.items()
}
OF_STRETCH: Mapping[tuple[Task | None, AnswerForm], str] = {
    (Task(task), AnswerForm(form)): words
    for task, forms in SENTENCES["questions_of_stretch"].items()
    for form, words in forms.items()
}
"""Questions of all that is shown, where those above are of its end. What was asked before reads as it did."""

REPAIRS: Mapping[str, str] = SENTENCES["repairs"]
"""How to repair a reply, by `reply_parser.ParsedReply.problem`. Quotes nothing of the reply."""
