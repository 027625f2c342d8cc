"""Sentences that name commands, as windows show them: with the names of buttons, in every language."""

import re
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from storage.translation import SOURCE_LANGUAGE, current_language
from tests.ui.translation.catalogue import find_sources
from ui.translation.language import speak
from ui.views.acts import ActTarget, WindowAct, offer_acts, with_buttons, withdraw_acts

COMMAND = re.compile(r"kairos (?:[a-z]+ )*[a-z]+")
ONLY_TYPED = {
    "kairos ask",  # for the keys of a desktop's own settings
    "kairos consent",
    "kairos desktop install",
    "kairos models probe",
    "kairos quit",
    "kairos sessions delete x",  # one of them
    "kairos sessions export",
    "kairos sessions recover",
    "kairos status",
    "kairos study review",  # a row left out, a parcel let go by its digest
    "kairos train",
}
"""Commands that no window has a button for."""


@pytest.fixture(params=[SOURCE_LANGUAGE, "de"])
def done(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[list[WindowAct]]:
    acts: list[WindowAct] = []
    speak(request.param)
    offer_acts(lambda _: True, acts.append)
    yield acts
    withdraw_acts()
    speak(SOURCE_LANGUAGE)


def test_no_sentence_names_a_command_that_a_window_does(done: list[WindowAct]) -> None:
    """Of all sentences that anybody sees; each target and each command that is only typed is in one."""
    assert done == []
    left: dict[str, str] = {}
    targets = set()
    for source in find_sources():
        text, acts = with_buttons(re.sub(r"\{\w+[^{}]*\}", "x", current_language().find(source)))
        left |= dict.fromkeys(COMMAND.findall(text), source)
        targets |= {act.target for act in acts}
        assert all(act.text in text for act in acts)
    known = {words for words in left if any(words.startswith(typed) for typed in ONLY_TYPED)}
    assert {words: left[words] for words in left.keys() - known} == {}
    assert {typed for typed in ONLY_TYPED if not any(words.startswith(typed) for words in known)} == set()
    assert targets == set(ActTarget)


def test_only_what_can_be_reached_becomes_a_button() -> None:
    offer_acts(lambda target: target is ActTarget.RUN, lambda _: None)
    try:
        text, acts = with_buttons("see: kairos doctor, kairos config set a.b true, or kairos doctor.")
    finally:
        withdraw_acts()
    assert text == "see: “What works here”, kairos config set a.b true, or “What works here”."
    assert acts == (WindowAct(ActTarget.RUN, "What works here", "doctor"),)
