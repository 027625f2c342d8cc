"""The window in which a person joins a study: nothing is on beforehand, everything can be read, plain text only."""

import os
import signal
from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from daemon.runtime.run import ask_study_consent
from storage.study_text import (
    AGGREGATES,
    CATEGORIES,
    CHOICES,
    QUESTIONS,
    RENEW_TITLE,
    StudyConsentAnswer,
    StudyInvitationView,
    can_join,
)
from tests.fakes.ui.windows import answered, cut_texts, text_size
from ui.study_consent import StudyConsentWindow
from ui.widgets import Prose

VIEW = StudyInvitationView(
    title="Help in spreadsheets",
    contact="Ada Example <ada@example.org>",
    ethics="Board of Example, 2026-17",
    words=("dozen", "baker", "choir", "gospel", "sunday", "cotton", "twenty", "museum"),
    days=28,
    phases=("7 days: nothing is offered", "21 days: Kairos offers help, and a lot decides which offers are made"),
    facts=("A quiet day without offers comes before day 1.",),
    text="# <b>Help</b>\n\n" + "What is sent, and how to leave. <img src='http://x/y.png'>\n" * 60,
    version=3,
    text_sha256="3f" * 32,
    choices=CHOICES,
)


Person = Callable[[StudyConsentWindow], object]


@pytest.fixture
def ask(qapp: QApplication) -> Callable[..., StudyConsentAnswer | None]:
    def run(person: Person, view: StudyInvitationView = VIEW) -> StudyConsentAnswer | None:
        def asked() -> StudyConsentWindow:
            (window,) = [widget for widget in qapp.topLevelWidgets() if isinstance(widget, StudyConsentWindow)]
            return window

        with answered(asked, person):
            answer = ask_study_consent(lambda _language: view)
        qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        return answer

    return run


Ask = Callable[..., StudyConsentAnswer | None]


def texts(window: StudyConsentWindow) -> str:
    said = [text.text() for text in window.findChildren(Prose)]
    return "\n".join([*said, *(button.text() for button in window.findChildren(QAbstractButton))])


def test_nothing_is_on_beforehand_and_nobody_takes_part_like_that(ask: Ask) -> None:
    def look(window: StudyConsentWindow) -> None:
        assert not any(box.isChecked() for box in window._boxes.values())
        assert not window._join.isEnabled()
        window._agree()
        assert window.answer is None
        assert not window._boxes["categories"].isEnabled()
        window._boxes["aggregates"].click()
        assert window._join.isEnabled()
        assert window._boxes["categories"].isEnabled()
        window._boxes["categories"].click()
        window._boxes["aggregates"].click()
        assert not window._boxes["categories"].isChecked()
        assert not window._join.isEnabled()
        window._not_now.click()

    assert ask(look) is None


@pytest.mark.parametrize(
    "switches",
    [("aggregates",), ("questions",), ("aggregates", "categories"), ("aggregates", "categories", "questions")],
)
def test_the_switches_are_separate(ask: Ask, switches: tuple[str, ...]) -> None:
    def agree(window: StudyConsentWindow) -> None:
        for code in switches:
            window._boxes[code].click()
        window._join.click()

    assert ask(agree) == StudyConsentAnswer(switched_on=switches)


def test_who_cannot_join_with_which_switches() -> None:
    assert not can_join(VIEW, ())
    assert not can_join(VIEW, {"categories"})
    assert can_join(VIEW, {"categories", "aggregates"})
    asks_little = replace(VIEW, choices=(QUESTIONS,))
    assert can_join(asks_little, {"questions"})
    assert not can_join(asks_little, {"aggregates"})
    assert not can_join(VIEW, {"aggregates", "narration"})
    assert can_join(VIEW, {"labels", "narration"})
    codes = [choice.code for choice in CHOICES]
    assert codes == [AGGREGATES.code, CATEGORIES.code, QUESTIONS.code, "tasks", "labels", "narration"]


def test_a_study_that_sends_less_has_fewer_switches(ask: Ask) -> None:
    def look(window: StudyConsentWindow) -> None:
        assert list(window._boxes) == ["questions"]
        window.reject()

    assert ask(look, replace(VIEW, choices=(QUESTIONS,))) is None


def test_everything_is_said_and_as_plain_text(ask: Ask) -> None:
    def look(window: StudyConsentWindow) -> None:
        said = texts(window)
        for part in ("<i>Sheets</i> & more", VIEW.contact, VIEW.ethics, " ".join(VIEW.words), "28 days", *VIEW.phases):
            assert part in said
        assert all(part in said for part in (*VIEW.facts, "version 3", VIEW.text_sha256, "Take part in a study?"))
        assert window._text.toPlainText() == VIEW.text
        assert window._text.isReadOnly()
        assert RENEW_TITLE not in said
        window.reject()

    assert ask(look, replace(VIEW, title="<i>Sheets</i> & more")) is None


def test_a_new_version_says_that_it_is_one(ask: Ask) -> None:
    def look(window: StudyConsentWindow) -> None:
        assert RENEW_TITLE in texts(window)
        window.reject()

    assert ask(look, replace(VIEW, renewed=True)) is None


def test_the_text_is_read_and_the_switches_are_set_by_keyboard_alone(ask: Ask) -> None:
    def agree(window: StudyConsentWindow) -> None:
        window.resize(window.width(), 420)  # a small screen
        window.activateWindow()
        window._text.setFocus()
        QTest.keyClick(window._text, Qt.Key.Key_PageDown)
        assert window._text.verticalScrollBar().value() > 0
        for code in ("aggregates", "questions"):
            QTest.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
            QApplication.processEvents()
            box = window._boxes[code]
            assert window.focusWidget() is box
            assert not box.visibleRegion().isEmpty()
            QTest.keyClick(box, Qt.Key.Key_Space)
            if code == "aggregates":
                QTest.keyClick(box, Qt.Key.Key_Tab)
        QTest.keyClick(window, Qt.Key.Key_Return)

    assert ask(agree) == StudyConsentAnswer(switched_on=("aggregates", "questions"))
    assert ask(lambda window: QTest.keyClick(window, Qt.Key.Key_Escape)) is None


def test_a_signal_leaves_the_question_unanswered(ask: Ask) -> None:
    assert ask(lambda _window: os.kill(os.getpid(), signal.SIGINT)) is None


def test_the_wheel_scrolls_the_text_and_then_the_window(ask: Ask) -> None:
    def turn(widget: QWidget) -> bool:
        place = QPointF(20, 20)
        around = QPointF(widget.mapToGlobal(QPoint(20, 20)))
        none, keys = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
        event = QWheelEvent(place, around, QPoint(), QPoint(0, -120), none, keys, Qt.ScrollPhase.NoScrollPhase, False)
        QApplication.sendEvent(widget, event)
        return event.isAccepted()

    def scroll(window: StudyConsentWindow) -> None:
        window.resize(window.width(), 420)
        QApplication.processEvents()
        inner, outer = window._text.verticalScrollBar(), window._area.verticalScrollBar()
        turns = 0
        while turn(window._text.viewport()):
            turns += 1
            assert turns < 400
        assert turns > 5
        assert inner.value() == inner.maximum() > 0
        assert turn(window._area.viewport())
        assert outer.value() > 0
        window.reject()

    assert ask(scroll) is None


@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_no_text_is_cut_off_and_the_buttons_stay_on_the_screen(ask: Ask, qapp: QApplication, factor: float) -> None:
    def look(window: StudyConsentWindow) -> None:
        window.ensurePolished()
        qapp.processEvents()
        screen = window.screen().availableGeometry()
        assert window.height() <= screen.height()
        assert window.width() <= screen.width()
        assert cut_texts(window) == []
        content = window._area.widget()
        assert content is not None
        assert content.width() <= window._area.viewport().width()
        for button in (window._join, window._not_now):
            assert window.rect().contains(button.geometry())
            assert button.width() >= button.minimumSizeHint().width()
        window.reject()

    with text_size(qapp, factor):
        assert ask(look) is None
