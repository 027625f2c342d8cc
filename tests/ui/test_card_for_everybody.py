"""The card off the pointer, in large text and high contrast, by keyboard, and as a screen reader finds it."""

import math
from dataclasses import replace

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAccessible, QColor, QCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QWidget

from storage.ports import AnswerPhase, HelpContent, HelpStep, ModelHelp
from storage.records import Box, FeedbackKind
from tests.fakes.help.help_library import FREEZE
from tests.fakes.ui.interface import Until, button
from tests.fakes.ui.requests import Calls
from tests.fakes.ui.windows import at_promised_point, bring_up, cut_texts, text_size
from ui.app import Interface
from ui.card.parts import StepRow
from ui.desktop.protocol import Desktop
from ui.theme import DARK, LIGHT, STARK_DARK, STARK_LIGHT, current_theme, prefer_look

CONTENT = HelpContent(page=FREEZE, model="a-model", remote=True)


@pytest.mark.parametrize(
    ("pointer", "corner"),
    [((400, 300), "bottom-right"), ((700, 700), "top-right"), ((500, 790), "top-right"), ((20, 20), "bottom-right")],
)
def test_the_card_comes_up_off_the_pointer(
    interface: Interface, until: Until, pointer: tuple[int, int], corner: str
) -> None:
    QCursor.setPos(*pointer)
    card = bring_up(interface, until, CONTENT)
    assert card.corner == corner
    assert not card.geometry().contains(QCursor.pos())
    QCursor.setPos(card.geometry().center())
    button(card, "accepted").click()
    assert card.corner == corner


@pytest.mark.parametrize(
    ("dialog", "corner"),
    [
        (Box(100, 100, 200, 200), "bottom-right"),
        (Box(560, 600, 200, 160), "top-right"),
        (Box(60, 60, 680, 680), "top-right"),  # every corner touches it; its buttons are free
        (Box(0, 0, 800, 800), "top-right"),
    ],
)
def test_the_card_comes_up_off_a_dialog_or_at_least_its_buttons(
    interface: Interface, until: Until, monkeypatch: pytest.MonkeyPatch, dialog: Box, corner: str
) -> None:
    """Where another corner is free; else the lower edge, where the buttons are, is."""
    monkeypatch.setattr(Desktop, "open_dialogs", lambda _: (dialog,))
    card = bring_up(interface, until, CONTENT)
    assert card.corner == corner
    assert not card.geometry().intersects(QRect(dialog.x, dialog.y + dialog.h - 60, dialog.w, 60))


@pytest.mark.parametrize(
    ("typing", "corner"),
    [
        (Box(200, 300, 12, 20), "bottom-right"),
        (Box(600, 700, 12, 20), "top-right"),
        (Box(450, 590, 12, 20), "top-right"),
    ],
)
def test_the_card_comes_up_off_the_caret(interface: Interface, until: Until, typing: Box, corner: str) -> None:
    """Letters that somebody types are never covered by a card that comes up; neither is the pointer."""
    card = bring_up(interface, until, replace(CONTENT, typing=typing))
    assert card.corner == corner
    card.close()
    QCursor.setPos(700, 100)  # the next corner is taken too
    card = bring_up(interface, until, replace(CONTENT, typing=typing), offer_id="o-2")
    assert card.corner == (corner if corner == "bottom-right" else "bottom-left")


def test_everything_fits_at_twice_the_text_size(interface: Interface, until: Until, qapp: QApplication) -> None:
    def fits() -> None:
        assert card.screen_area().contains(card.geometry())
        assert cut_texts(card) == []
        for push_button in card.findChildren(QPushButton):
            if push_button.isVisible():
                assert push_button.height() >= push_button.fontMetrics().height(), push_button.objectName()
                assert push_button.width() >= push_button.fontMetrics().horizontalAdvance(push_button.text()), (
                    push_button.objectName()
                )
                assert card.rect().contains(push_button.mapTo(card, push_button.rect().bottomRight())), (
                    push_button.objectName()
                )
        for row in card.findChildren(StepRow):
            if row.isVisible():
                assert row._number.height() >= row._number.fontMetrics().height()

    with text_size(qapp):
        card = bring_up(interface, until, CONTENT)
        assert at_promised_point(card) is button(card, "accepted")
        for name in ("more", "accepted"):
            button(card, name).click()
            fits()
        interface._on_model_help("o-1", ModelHelp(phase=AnswerPhase.STREAMING, text="some words " * 60))
        fits()


def test_high_contrast_is_a_choice(qapp: QApplication) -> None:
    """Text stands out at 7 to 1 on every ground that it is on, at 4.5 to 1 otherwise."""

    def linear(part: float) -> float:
        return part / 12.92 if part <= 0.03928 else math.pow((part + 0.055) / 1.055, 2.4)

    def luminance(name: str) -> float:
        color = QColor(name)
        return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF())

    def contrast(one: str, other: str) -> float:
        dark, light = sorted([luminance(one), luminance(other)])
        return (light + 0.05) / (dark + 0.05)

    for theme, least in ((LIGHT, 4.5), (DARK, 4.5), (STARK_LIGHT, 7.0), (STARK_DARK, 7.0)):
        for ink, ground in (
            (theme.text, theme.surface),
            (theme.faint, theme.surface),
            (theme.text, theme.hover),
            (theme.on_accent, theme.accent),
            (theme.on_accent, theme.accent_hover),
        ):
            assert contrast(ink, ground) >= least, (ink, ground)
    assert current_theme() in (LIGHT, DARK)
    prefer_look("system", high_contrast=True)
    assert current_theme() in (STARK_LIGHT, STARK_DARK)
    prefer_look("system", high_contrast=False)
    assert current_theme() in (LIGHT, DARK)


def test_a_screen_reader_finds_every_part_by_name(interface: Interface, until: Until) -> None:
    """Window, buttons, steps and field have a name and a role, and what a click means is their description."""

    def described(widget: QWidget) -> tuple[str, str, QAccessible.Role]:
        found = QAccessible.queryAccessibleInterface(widget)
        return found.text(QAccessible.Text.Name), found.text(QAccessible.Text.Description), found.role()

    card = bring_up(interface, until, CONTENT)
    assert described(card)[0].startswith("Kairos: Freeze the first row")
    for name, says in (("more", "Other answers"), ("muted", "Don't offer this again"), ("too_early", "Too early")):
        assert described(button(card, name))[::2] == (says, QAccessible.Role.Button)
    assert described(button(card, "too_late"))[1] == "I needed this before"
    button(card, "accepted").click()
    interface._on_model_help("o-1", ModelHelp(phase=AnswerPhase.DONE, text="Words."))
    interface._on_pointed("o-1", 1, None)
    assert [described(row)[0] for row in card._steps[:2]] == [
        "Done: Step 1: Select the row below the one to freeze.",
        "Next: Step 2: Choose View > Freeze Rows and Columns.",
    ]
    field = card.findChild(QLineEdit, "question")
    assert isinstance(field, QLineEdit)
    assert described(field)[0] == "Ask about this"
    assert "Escape gives the keyboard back" in described(field)[1]
    assert all(described(push_button)[0] for push_button in card.findChildren(QPushButton) if push_button.isVisible())


def test_the_card_can_be_used_by_keyboard_once_it_is_reached(interface: Interface, until: Until, calls: Calls) -> None:
    card = bring_up(interface, until, CONTENT)
    card.reach()
    until(card.isActiveWindow)
    assert card.focusWidget() is button(card, "accepted")
    QTest.keyClick(card, Qt.Key.Key_Tab)
    assert card.focusWidget() is button(card, "dismissed")
    QTest.keyClick(card, Qt.Key.Key_Escape)
    assert not card.takes_keys
    assert calls.made == []
    card.reach()
    QTest.keyClick(card, Qt.Key.Key_Return)
    assert calls.made == [("answer", "o-1", FeedbackKind.ACCEPTED)]
    assert card.takes_keys
    assert card.focusWidget() is button(card, "ask")


def test_only_what_does_not_fit_scrolls(interface: Interface, until: Until) -> None:
    """A scroll bar takes width, so with one the words need more height: it must not stay because it was once there."""
    words = (
        "Click the cell in which you want to enter the formula.",
        (
            "Click the Function icon on the Formula Bar. You will now see an equals sign in the input line and you can "
            "begin to input the formula."
        ),
        (
            "After entering the required values, press Enter or click Accept to insert the result in the active cell. "
            "If you want to clear your entry in the input line, press Escape or click Cancel."
        ),
    )
    page = replace(FREEZE, steps=tuple(HelpStep(text=text) for text in words))
    card = bring_up(interface, until, HelpContent(page=page, guess="Get right “Input”"))
    button(card, "accepted").click()
    bar = card._words.verticalScrollBar()
    assert bar.maximum() == 0
    interface._on_model_help("o-1", ModelHelp(phase=AnswerPhase.STREAMING, text="some words " * 100))
    assert bar.maximum() > 0
