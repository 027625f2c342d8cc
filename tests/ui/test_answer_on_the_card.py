"""A model's answer on the card: asked for by a click, shown as it comes, stopped, followed up, or replaced by why."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit

from storage.ports import AnswerPhase, HelpContent, HelpPage, HelpStep, ModelHelp
from storage.records import Box, FeedbackKind
from tests.fakes.help.help_library import FREEZE
from tests.fakes.ui.interface import Until, button
from tests.fakes.ui.requests import Calls
from tests.fakes.ui.windows import at_promised_point, bring_up, takers_of_focus
from ui.app import Interface
from ui.card.card import Card
from ui.card.parts import StepRow
from ui.views.acts import offer_acts
from ui.views.answer import ANSWER_LIMIT
from ui.views.card import MAX_STEPS
from ui.widgets import Prose

Answer = Callable[..., None]
WORDS = "Select row 2 first."
STEPS = (HelpStep(text="Click the 2."), HelpStep(text="Choose View.", controls=("View",)))


def open_card(
    interface: Interface, until: Until, *, page: HelpPage | None = FREEZE, model: str = "a-model", remote: bool = True
) -> Card:
    content = HelpContent(page=page, model=model, remote=remote)
    return bring_up(interface, until, content, asked=True, counts="_asking_is_armed")


def field_of(card: Card) -> QLineEdit:
    return card._asking.field


def shown(card: Card) -> str:
    return "\n".join(text.text() for text in card.findChildren(Prose) if text.isVisible())


@pytest.fixture
def answer(interface: Interface, until: Until) -> Callable[..., None]:
    def say(phase: AnswerPhase, **facts: object) -> None:
        made: dict[str, object] = {"model": "a-model", "remote": True, **facts}
        interface.bridge.show_model_help("o-1", ModelHelp(phase=phase, **made))  # type: ignore[arg-type]  # as named
        interface._application.processEvents()

    return say


def test_without_a_model_there_is_nothing_to_ask(interface: Interface, until: Until) -> None:
    card = open_card(interface, until, model="")
    assert not button(card, "ask").isVisible()
    assert not field_of(card).isVisible()
    assert "model" not in shown(card)


@pytest.mark.parametrize(("remote", "says"), [(True, "off this machine"), (False, "Nothing leaves this machine.")])
def test_the_button_says_where_the_screen_goes(
    interface: Interface, until: Until, calls: Calls, remote: bool, says: str
) -> None:
    card = open_card(interface, until, remote=remote)
    ask = button(card, "ask")
    assert ask.text() == "Ask a-model"
    assert says in shown(card)
    assert says in ask.accessibleDescription()
    ask.click()
    assert calls.made == [("ask_model", "o-1", "")]
    assert not ask.isVisible()
    assert "Asking a-model…" in shown(card)


def test_the_first_moment_sends_nothing(interface: Interface, until: Until, calls: Calls) -> None:
    """The second click of a double click on "Show me" asks no model, wherever it falls."""
    card = bring_up(interface, until, HelpContent(page=FREEZE, model="a-model"))
    button(card, "accepted").click()
    button(card, "ask").click()
    assert calls.made == [("answer", "o-1", FeedbackKind.ACCEPTED)]
    assert at_promised_point(card) not in (button(card, "ask"), field_of(card))


def test_words_and_steps_come_in_below_the_page(interface: Interface, until: Until, answer: Answer) -> None:
    """The page stays; what came before is replaced, and the end says where it is from, what it cost, who wrote it."""
    card = open_card(interface, until)
    answer(AnswerPhase.STREAMING, text="Select")
    assert "Select" in shown(card)
    assert FREEZE.steps[0].text in shown(card)
    assert "Written by a language model. It may be wrong." in shown(card)
    answer(AnswerPhase.STREAMING, text=WORDS, steps=STEPS)
    answer(AnswerPhase.DONE, text=WORDS, steps=STEPS[:1], sources=("LibreOffice Help 7.4",), dollars=0.0123)
    lines = shown(card)
    assert lines.count("Select row 2 first.") == 1
    assert "Click the 2." in lines
    assert "Choose View." not in lines
    assert (
        "From: LibreOffice Help 7.4.\nThis answer cost $0.01.\nWritten by a language model. It may be wrong." in lines
    )


def test_an_answer_is_stopped_at_once_and_on_the_wire(
    interface: Interface, until: Until, calls: Calls, answer: Answer
) -> None:
    """The card says so before the core does, and what came stays."""
    card = open_card(interface, until)
    answer(AnswerPhase.STREAMING, text=WORDS)
    button(card, "stop").click()
    assert calls.made == [("stop_model", "o-1")]
    assert "Stopped." in shown(card)
    assert not button(card, "stop").isVisible()
    answer(AnswerPhase.STOPPED, text=WORDS)
    assert WORDS in shown(card)


def test_a_failure_leaves_the_page_and_says_why(
    interface: Interface, until: Until, calls: Calls, answer: Answer
) -> None:
    card = open_card(interface, until)
    answer(AnswerPhase.STREAMING, text=WORDS, steps=STEPS)
    answer(AnswerPhase.FAILED, text=WORDS, steps=STEPS, problem="model_spent")
    assert "The daily limit of a model is reached. Kairos goes on without it until midnight." in shown(card)
    assert "kairos config show" in shown(card)
    offer_acts(lambda _: True, lambda _: None)  # where there is a settings window its button takes the command's place
    answer(AnswerPhase.FAILED, text=WORDS, steps=STEPS, problem="model_spent")
    assert button(card, "act_settings").isVisible()
    assert "kairos config show" not in shown(card)
    assert WORDS not in shown(card)
    assert FREEZE.steps[0].text in shown(card)
    assert "Written by" not in shown(card)
    button(card, "ask").click()
    assert calls.made == [("ask_model", "o-1", "")]


def test_one_follow_up_can_be_typed(interface: Interface, until: Until, calls: Calls, answer: Answer) -> None:
    card = open_card(interface, until)
    field = field_of(card)
    assert not field.isVisible()
    answer(AnswerPhase.DONE, text=WORDS)
    assert field.isVisible()
    QTest.mouseClick(field, Qt.MouseButton.LeftButton)
    assert card.takes_keys
    QTest.keyClick(field, Qt.Key.Key_Return)  # nothing was typed: nothing is asked
    assert not card.takes_keys
    QTest.mouseClick(field, Qt.MouseButton.LeftButton)
    QTest.keyClicks(field, " and <i>columns</i>? ")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert calls.made == [("ask_model", "o-1", "and <i>columns</i>?")]
    assert not card.takes_keys
    assert "You asked: and <i>columns</i>?" in shown(card)
    answer(AnswerPhase.DONE, text="The same way.", question="and <i>columns</i>?")
    assert WORDS in shown(card)
    assert "The same way." in shown(card)
    assert not field.isVisible()
    assert not button(card, "ask").isVisible()


def test_nothing_of_the_card_has_the_keyboard_but_after_a_click_on_its_field(
    interface: Interface, until: Until, answer: Answer
) -> None:
    card = open_card(interface, until)
    answer(AnswerPhase.DONE, text=WORDS)

    handle = card.windowHandle()
    assert takers_of_focus(card) == []
    QTest.mouseClick(card, Qt.MouseButton.LeftButton, pos=card.rect().topLeft())
    assert takers_of_focus(card) == []
    assert handle.flags() & Qt.WindowType.WindowDoesNotAcceptFocus
    QTest.mouseClick(field_of(card), Qt.MouseButton.LeftButton)
    assert field_of(card) in takers_of_focus(card)
    assert not handle.flags() & Qt.WindowType.WindowDoesNotAcceptFocus
    QTest.keyClick(field_of(card), Qt.Key.Key_Escape)
    assert takers_of_focus(card) == []
    assert handle.flags() & Qt.WindowType.WindowDoesNotAcceptFocus


def test_what_a_model_writes_is_plain_text_of_limited_length(
    interface: Interface, until: Until, answer: Answer
) -> None:
    card = open_card(interface, until)
    hostile = "<a href='https://x.example'>run\u202e me</a> <img src=x>\x1b[31m" + "word " * 1000
    steps = (HelpStep(text="<b>Step</b>\nof two lines"),) * 40
    answer(AnswerPhase.DONE, text=hostile, steps=steps, model="<h1>m</h1>", sources=("<u>s</u>",) * 9)
    (part,) = card._answer_parts.values()
    assert part._text.text().startswith("<a href='https://x.example'>run me</a> <img src=x> [31mword")
    assert len(part._text.text()) <= ANSWER_LIMIT
    assert len(part._rows) == MAX_STEPS
    assert part._rows[0].step.text == "<b>Step</b> of two lines"
    assert "From: <u>s</u>." in shown(card)
    assert {label.textFormat() for label in card.findChildren(QLabel) if not label.text().isdigit()} == {
        Qt.TextFormat.PlainText
    }
    assert not [label for label in card.findChildren(QLabel) if label.openExternalLinks()]


def test_an_answer_never_outgrows_the_screen(interface: Interface, until: Until, answer: Answer) -> None:
    long = replace(FREEZE, steps=FREEZE.steps * 2)
    card = open_card(interface, until, page=long)
    corner = card.geometry().bottomRight()
    for question, count in (("", 1), ("", 40), ("", 400), ("and then?", 400)):
        answer(AnswerPhase.STREAMING, question=question, text="some words " * count, steps=STEPS * 3)
        assert card.screen_area().contains(card.geometry())
        assert card.geometry().bottomRight() == corner
    assert card._words.verticalScrollBar().maximum() > 0
    assert card.rect().contains(button(card, "stop").geometry().translated(card._asking.pos()))


def test_an_answer_for_another_card_is_not_shown(interface: Interface, until: Until) -> None:
    interface.bridge.show_model_help("o-9", ModelHelp(phase=AnswerPhase.DONE, text=WORDS))
    card = open_card(interface, until)
    interface.bridge.show_model_help("o-9", ModelHelp(phase=AnswerPhase.DONE, text=WORDS))
    interface._application.processEvents()
    assert WORDS not in shown(card)


def test_an_answer_that_came_ahead_waits_behind_show_me(interface: Interface, until: Until, answer: Answer) -> None:
    card = bring_up(interface, until, HelpContent(page=FREEZE, model="a-model"))
    answer(AnswerPhase.DONE, text=WORDS)
    assert WORDS not in shown(card)
    assert not field_of(card).isVisible()
    button(card, "accepted").click()
    assert WORDS in shown(card)
    assert field_of(card).isVisible()


def test_the_model_s_guess_at_the_goal_is_marked_as_a_guess(interface: Interface, until: Until, answer: Answer) -> None:
    card = open_card(interface, until)
    answer(AnswerPhase.STREAMING, text=WORDS, goal="freeze")
    assert "It looks like" not in shown(card)
    answer(AnswerPhase.DONE, text=WORDS, goal="freeze the\n<b>first</b> row")
    assert "It looks like: freeze the <b>first</b> row (the model's guess)" in shown(card)


def test_the_ring_follows_the_answer_s_steps_once_one_names_a_control(
    interface: Interface, until: Until, answer: Answer
) -> None:
    """Until then it is the page's step that is marked; an answer without controls changes nothing."""
    card = open_card(interface, until)

    def marked() -> list[str]:
        return [row.step.text for row in card.findChildren(StepRow) if row.accessibleName().startswith("Next: ")]

    interface._on_pointed("o-1", 1, Box(1, 2, 30, 40))
    page = [FREEZE.steps[1].text]
    assert marked() == page
    answer(AnswerPhase.STREAMING, text=WORDS, steps=STEPS)
    assert marked() == page
    answer(AnswerPhase.DONE, text=WORDS, steps=STEPS[:1])
    assert marked() == page
    answer(AnswerPhase.DONE, text=WORDS, steps=STEPS, question="and then?")
    assert marked() == []
    interface._on_pointed("o-1", 1, Box(1, 2, 30, 40))
    assert marked() == [STEPS[1].text]
