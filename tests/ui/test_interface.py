"""Bridge, card, consent window and the whole interface, in this process and without a screen."""

import gc
import os
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QEvent, QObject, QRect, Qt, QTimer
from PySide6.QtGui import QAction, QColor, QCursor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QScrollArea

from daemon.models.disclosure import describe_sent
from storage.consent_text import words_digest
from storage.enrolment import DEFAULT_ITEMS, QuestionItem
from storage.errors import EnvironmentFault
from storage.messages import EVIDENCE
from storage.ports import (
    CARD_TITLE,
    REVIEW_PREFIX,
    AnswerPhase,
    ConsentAnswer,
    HelpContent,
    ModelHelp,
    PointedAt,
    QuietDaySummary,
    ReviewQuestion,
    RunState,
    Status,
    StudyParcel,
    StudyProgress,
    StudyReply,
    StudyRequest,
    TaskCard,
    UnshownOffer,
)
from storage.records import AnswerKind, Box, FeedbackKind, Problem, TaskStep
from storage.settings import InterfaceSettings, ModelSettings, Settings, StorageSettings
from storage.timeline import ForgetReport, ForgetScope, TimelineTrouble
from tests.fakes.help.help_library import FREEZE
from tests.fakes.narrowing import as_a, present
from tests.fakes.ui.every_window import FACTS
from tests.fakes.ui.interface import Until, button, make_offer
from tests.fakes.ui.requests import Calls, SettingsNotes, TimelineNotes, forget_report
from tests.fakes.ui.windows import answered, at_promised_point, bring_up, cut_texts, takers_of_focus, text_size, watch
from ui import tray
from ui.app import Interface
from ui.bridge import Bridge
from ui.card.card import LINGER_MS, Card
from ui.consent import ConsentWindow
from ui.desktop.current import check_display
from ui.dialogs import command
from ui.dialogs.forget import ForgetWindow
from ui.dialogs.study import LeaveWindow, ReviewWindow, TaskWindow
from ui.notice import Notice
from ui.question import QuestionCard
from ui.settings.pages import Page
from ui.translation.language import speak
from ui.tray_icon import make_icon
from ui.views.acts import ActTarget, WindowAct, carry_out, with_buttons
from ui.views.card import CardView
from ui.views.notice import NoticeView, view_problem
from ui.views.question import CHOICE_LIMIT, REVIEW_EYEBROW, TEXT_LIMIT, view_question
from ui.views.shortcuts import ShortcutCommand
from ui.views.spotlight import pointed_remark
from ui.views.timeline import FORGETTING
from ui.views.tray import Action, Glyph, view_tray
from ui.widgets import Prose

# PySide6 6.12.0 on Python 3.11 loses a reference to True or None with each emission and dies after some hundreds.


def test_records_cross_threads_whole_and_in_order(qapp: QApplication, until: Until) -> None:
    class Ear(QObject):
        def __init__(self) -> None:
            super().__init__()
            self.heard: list[object] = []
            self.threads: set[int] = set()

        def hear(self, record: object) -> None:
            self.heard.append(record)
            self.threads.add(threading.get_ident())

    bridge, ear = Bridge(), Ear()
    bridge.notice.connect(ear.hear, Qt.ConnectionType.QueuedConnection)
    problems = [Problem(code=f"code-{number}") for number in range(2000)]

    def say() -> None:
        for problem in problems:
            bridge.notify_problem(problem)

    thread = threading.Thread(target=say)
    thread.start()
    thread.join()
    until(lambda: len(ear.heard) == len(problems))
    assert all(heard is said for heard, said in zip(ear.heard, problems, strict=True))
    assert ear.threads == {threading.get_ident()}


def test_an_offer_brings_up_a_card_that_leaves_the_focus_alone(interface: Interface, until: Until) -> None:
    card = bring_up(interface, until)
    kind, attribute = Qt.WindowType, Qt.WidgetAttribute
    for flag in (
        kind.Tool,
        kind.FramelessWindowHint,
        kind.WindowStaysOnTopHint,
        kind.WindowDoesNotAcceptFocus,
        kind.NoDropShadowWindowHint,
    ):
        assert card.windowFlags() & flag == flag
    assert card.testAttribute(attribute.WA_ShowWithoutActivating)
    assert card.testAttribute(attribute.WA_X11DoNotAcceptFocus)
    assert takers_of_focus(card) == []
    assert card.windowTitle() == CARD_TITLE


def test_the_accept_button_is_where_it_is_promised(interface: Interface, until: Until) -> None:
    card = bring_up(interface, until)
    accept, before = button(card, "accepted"), card.height()
    assert at_promised_point(card) is accept
    button(card, "more").click()
    assert card.height() > before
    assert at_promised_point(card) is accept
    accept.click()
    assert at_promised_point(card) not in (accept, button(card, "close"))


def test_the_card_stays_in_its_corner_while_it_grows(interface: Interface, until: Until) -> None:
    card = bring_up(interface, until)
    corner = card.geometry().bottomRight()
    area = card.screen().availableGeometry()
    assert area.contains(card.geometry())
    assert area.bottomRight().x() - corner.x() == area.bottomRight().y() - corner.y()
    button(card, "more").click()
    assert card.geometry().bottomRight() == corner


@pytest.mark.parametrize("corner", ["top-left", "top-right", "bottom-left"])
def test_the_corner_is_the_persons_choice(qapp: QApplication, corner: str) -> None:
    QCursor.setPos(400, 400)
    notice = Notice("code", NoticeView("Title", "Text"), corner=corner)
    notice.appear()
    area, box = notice.screen().availableGeometry(), notice.geometry()
    assert area.contains(box)
    assert (box.center().x() < area.center().x()) is ("left" in corner)
    assert (box.center().y() < area.center().y()) is ("top" in corner)
    notice.close()


@pytest.mark.parametrize("topic", sorted(EVIDENCE))
def test_every_card_is_small(qapp: QApplication, topic: str) -> None:
    """Whatever it is about, a card with its advice stays a small thing in a corner."""
    words = EVIDENCE[topic]
    card = Card(
        CardView("o-1", words.title, words.reason, words.advice, about=words.label),
        lambda _kind: None,
        corner="bottom-right",
    )
    card.appear()
    assert card.height() <= 220
    card._armed = True
    button(card, "accepted").click()
    assert card.height() <= 320
    card.close()


def test_accepting_shows_the_advice_until_it_is_closed(interface: Interface, until: Until, calls: Calls) -> None:
    """The answer goes out once; the advice stays even when the core closes the offer, until the person is done."""
    card = bring_up(interface, until)
    advice = card._advice
    assert not advice.isVisible()
    button(card, "accepted").click()
    assert calls.made == [("answer", "o-1", FeedbackKind.ACCEPTED)]
    assert advice.isVisible()
    interface.bridge.close_offer("o-1")
    watch(interface, until)
    assert interface._card is card
    button(card, "close").click()
    until(lambda: interface._card is None)
    assert calls.made == [("answer", "o-1", FeedbackKind.ACCEPTED)]


@pytest.mark.parametrize("kind", [kind for kind in FeedbackKind if kind not in ("accepted", "ignored")])
def test_every_other_answer_closes_the_card(
    interface: Interface, until: Until, calls: Calls, kind: FeedbackKind
) -> None:
    card = bring_up(interface, until)
    button(card, "more").click()
    button(card, kind.value).click()
    until(lambda: interface._card is None)
    assert calls.made == [("answer", "o-1", kind)]


def test_a_click_in_the_first_moment_is_no_answer(interface: Interface, until: Until, calls: Calls) -> None:
    """What was clicked before the card could be read was not meant for it."""
    card = bring_up(interface, until)
    card._armed = False
    button(card, "dismissed").click()
    assert calls.made == []
    assert interface._card is card


def test_a_withdrawn_offer_takes_its_own_card_down_only(interface: Interface, until: Until, calls: Calls) -> None:
    bring_up(interface, until)
    interface.bridge.close_offer("another")
    watch(interface, until)
    assert interface._card is not None
    interface.bridge.close_offer("o-1")
    until(lambda: interface._card is None)
    assert calls.made == []


def test_a_new_offer_takes_the_place_of_the_old_card(interface: Interface, until: Until) -> None:
    """There is never more than one card."""
    first = bring_up(interface, until)
    assert bring_up(interface, until, offer_id="o-2") is not first


def test_cards_are_thrown_away(interface: Interface, until: Until, qapp: QApplication) -> None:
    for number in range(100):
        interface.bridge.show_offer(make_offer(f"o-{number}"), {})
        interface.bridge.close_offer(f"o-{number}")
    watch(interface, until)
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not [window for window in qapp.topLevelWidgets() if isinstance(window, Card)]


LONG = replace(FREEZE, steps=FREEZE.steps * 2)


def test_show_me_shows_the_steps_the_first_three_and_then_all(interface: Interface, until: Until) -> None:
    card = bring_up(interface, until, HelpContent(page=LONG))
    assert not any(row.isVisible() for row in card._steps)
    button(card, "accepted").click()
    assert [row.isVisible() for row in card._steps] == [True] * 3 + [False] * 3
    assert card._steps[1].accessibleName() == "Step 2: Choose View > Freeze Rows and Columns."
    height = card.height()
    button(card, "fold").click()
    assert all(row.isVisible() for row in card._steps)
    assert not button(card, "fold").isVisible()
    assert card.height() > height


def test_the_ring_is_there_while_its_card_is_open(interface: Interface, until: Until, calls: Calls) -> None:
    card = bring_up(interface, until, HelpContent(page=FREEZE))
    box = Box(40, 30, 60, 20)
    interface._on_pointed("o-1", 1, box)
    assert interface._spotlight.box is None
    button(card, "accepted").click()
    interface._on_pointed("another", 1, box)
    assert interface._spotlight.box is None
    interface._on_pointed("o-1", 1, box)
    assert interface._spotlight.box == box
    interface._on_pointed("o-1", 1, None)
    assert interface._spotlight.box is None
    interface._on_pointed("o-1", 2, box)
    button(card, "close").click()
    assert interface._spotlight.box is None
    assert calls.closed == ["o-1"]


@pytest.mark.parametrize("about", [PointedAt.WAY_OUT, PointedAt.GREYED])
def test_what_keeps_somebody_from_the_next_step_is_said_below_it(
    interface: Interface, until: Until, about: PointedAt
) -> None:
    card = bring_up(interface, until, HelpContent(page=FREEZE))
    button(card, "accepted").click()
    plain, height = card._steps[1].accessibleName(), card.height()
    box = Box(40, 30, 60, 20) if about is PointedAt.WAY_OUT else None
    interface._on_pointed("o-1", 1, box, about)
    assert card._steps[1].accessibleName() == f"Next: {plain} {pointed_remark(about)}"
    assert [row._remark.text() for row in card._steps] == ["", pointed_remark(about), ""]
    assert card._steps[1]._remark.isVisible()
    assert card.height() > height
    assert interface._spotlight.box == box
    if box is not None:
        assert interface._spotlight._label == "First close this window"
    interface._on_pointed("o-1", 1, Box(1, 2, 30, 40))
    assert card._steps[1].accessibleName() == f"Next: {plain}"
    assert not card._steps[1]._remark.isVisible()
    assert (card.height(), interface._spotlight._label) == (height, "Step 2")


@pytest.mark.parametrize("hand", [False, True])
def test_the_card_makes_way_for_what_is_ringed_below_it(
    interface: Interface, until: Until, monkeypatch: pytest.MonkeyPatch, *, hand: bool
) -> None:
    """Not while the pointer is on it; what is ringed beside it leaves it where it is (the controls)."""
    card = bring_up(interface, until, HelpContent(page=FREEZE), asked=True)
    place = card.geometry()
    monkeypatch.setattr(card, "underMouse", lambda: hand)
    interface._on_pointed("o-1", 1, Box(1, 2, 30, 40))
    assert card.geometry() == place
    below = Box(place.x() + 20, place.y() + 30, 40, 20)
    interface._on_pointed("o-1", 1, below)
    assert card.geometry().intersects(QRect(*below)) is hand
    assert card.geometry().height() == place.height()


def test_a_step_that_is_done_gets_a_tick_and_one_that_is_not_there_none(interface: Interface, until: Until) -> None:
    card = bring_up(interface, until, HelpContent(page=FREEZE, missing=(1,)), asked=True)
    said = card._steps[0].accessibleName()
    interface._on_pointed("o-1", 0, None, PointedAt.YOURS)
    assert card._steps[0].accessibleName() == f"Next: {said} {pointed_remark(PointedAt.YOURS)}"
    interface._on_pointed("o-1", 2, Box(1, 2, 30, 40))
    assert [row._number.text() for row in card._steps] == ["✓", "2", "3"]
    assert card._steps[0].accessibleName() == f"Done: {said}"
    interface._on_pointed("o-1", 0, None)  # it is to be done again
    assert [row._number.text() for row in card._steps] == ["1", "2", "3"]


def test_once_all_is_done_the_card_says_so_and_goes(
    interface: Interface, until: Until, calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stays while the pointer rests on it."""
    monkeypatch.setattr("ui.card.card.DONE_MS", 20)
    card = bring_up(interface, until, HelpContent(page=FREEZE), asked=True)
    interface._on_pointed("o-1", 2, Box(1, 2, 30, 40))
    assert not card._done.isVisible()
    monkeypatch.setattr(card, "underMouse", lambda: True)
    interface._on_pointed("o-1", 3, None, PointedAt.DONE)
    assert card._done.isVisible()
    assert interface._spotlight.box is None
    assert [row._number.text() for row in card._steps] == ["✓"] * 3
    until(lambda: card._stay.interval() == LINGER_MS)
    monkeypatch.setattr(card, "underMouse", lambda: False)
    card._leave()
    until(lambda: interface._card is None)
    assert calls.closed == ["o-1"]


def test_a_card_with_a_model_s_answer_stays_once_all_is_done(
    interface: Interface, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.card.card.DONE_MS", 1)
    card = bring_up(interface, until, HelpContent(page=FREEZE, model="M"), asked=True)
    interface._on_model_help("o-1", ModelHelp(phase=AnswerPhase.DONE, text="Words."))
    interface._on_pointed("o-1", 3, None, PointedAt.DONE)
    assert card._done.isVisible()
    assert card._stay.interval() > 1


def test_a_step_that_is_next_is_unfolded(interface: Interface, until: Until) -> None:
    card = bring_up(interface, until, HelpContent(page=LONG), asked=True)
    interface._on_pointed("o-1", 4, Box(1, 2, 3, 4))
    assert card._steps[4].isVisible()


def test_what_was_asked_for_is_open_from_the_start(interface: Interface, until: Until, calls: Calls) -> None:
    card = bring_up(interface, until, HelpContent(page=FREEZE), asked=True)
    assert all(row.isVisible() for row in card._steps)
    assert not button(card, "accepted").isVisible()
    interface.bridge.close_offer("o-1")  # it stays with who reads it
    watch(interface, until)
    assert interface._card is card
    button(card, "close").click()
    until(lambda: interface._card is None)
    assert calls.made == []


def test_a_problem_is_told_and_taken_back(interface: Interface, until: Until) -> None:
    card = bring_up(interface, until)
    interface.bridge.notify_problem(Problem(code="disk_full"))
    until(lambda: interface._notice is not None)
    assert not present(interface._notice).geometry().intersects(card.geometry())
    interface.bridge.notify_problem(Problem(code="another", over=True))
    interface.bridge.notify_problem(Problem(code="disk_full", over=True))
    until(lambda: interface._notice is None)


def test_the_first_day_is_summed_up_until_it_is_closed(interface: Interface, until: Until) -> None:
    interface.bridge.show_quiet_day_summary(
        QuietDaySummary(decisions=40, offers=(UnshownOffer(wall_ns=1, topic="undo_bursts"),))
    )
    until(lambda: interface._notice is not None)
    interface.bridge.notify_problem(Problem(code="disk_full"))
    until(lambda: interface._notice is not None and interface._notice.code == "disk_full")
    interface.bridge.notify_problem(Problem(code="disk_full", over=True))
    until(lambda: interface._notice is not None and interface._notice.code == "first_day")
    button(present(interface._notice), "close").click()
    until(lambda: interface._notice is None)
    interface.bridge.notify_problem(Problem(code="disk_full"))
    until(lambda: interface._notice is not None)
    interface.bridge.notify_problem(Problem(code="disk_full", over=True))
    until(lambda: interface._notice is None)


def test_without_a_tray_it_goes_on_and_says_so(interface: Interface, monkeypatch: pytest.MonkeyPatch) -> None:
    """No host for the icon is a notice, told once, and no reason to stop."""
    monkeypatch.setattr(tray, "_has_host", lambda: False)
    interface.show_tray()
    assert interface._notice is not None
    assert interface._notice.code == "no_tray"
    button(interface._notice, "act").click()
    assert interface._control is not None
    assert interface._control.isVisible()
    monkeypatch.setattr(tray, "_has_host", lambda: True)
    interface._tray._try_again()
    assert not interface._control.isVisible()
    assert interface._notice is None
    assert interface._tray._icon is not None


def tray_lines(interface: Interface) -> dict[str, QAction]:
    return {line.text(): line for line in interface._tray._menu.actions() if line.text()}


def forget_window(interface: Interface, until: Until, report: ForgetReport) -> ForgetWindow:
    interface._timeline_bridge.show_reply(report)
    until(lambda: interface._forget_window is not None and interface._forget_window._report is report)
    return present(interface._forget_window)


def test_forgetting_is_asked_once_more_with_what_goes(interface: Interface, until: Until) -> None:
    requests = TimelineNotes()
    interface._tray.show_status(Status(state=RunState.WATCHING))
    line = tray_lines(interface)["Forget the last 10 minutes…"]
    line.trigger()  # without a reader nothing happens
    interface._timeline = requests
    line.trigger()
    assert requests.calls == [("preview_forget", ForgetScope.LAST, None)]
    report = forget_report(begin_wall_ns=7)
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Escape, None):
        window = forget_window(interface, until, report)
        if key is None:
            button(window, "forget_now").click()
            button(window, "forget_now").click()
        else:
            QTest.keyClick(window, key)
        until(lambda: interface._forget_window is None)
    assert requests.calls[1:] == [("forget", report)]
    assert requests.calls[1][1] is report
    assert interface._seen is None
    gone = forget_window(interface, until, forget_report(begin_wall_ns=7, done=True))
    assert gone.windowTitle().startswith("Kairos: Forgotten: all since ")
    assert gone.findChild(QPushButton, "forget_now") is None


def test_why_nothing_was_forgotten_is_said_without_the_timeline_too(interface: Interface, until: Until) -> None:
    interface._timeline_bridge.show_reply(TimelineTrouble(what="a purge is under way"))
    until(lambda: "A purge is under way." in notice_text(interface))


def test_what_is_forgotten_from_the_tray_leaves_an_open_timeline_at_once(interface: Interface, until: Until) -> None:
    """It is on the screen otherwise until the day is read again; a second question takes the place of the first."""
    requests = TimelineNotes()
    interface._timeline = requests
    interface._show_seen()
    first = forget_window(interface, until, forget_report(begin_wall_ns=7))
    second = forget_window(interface, until, forget_report(begin_wall_ns=8))
    assert not first.isVisible()
    button(second, "forget_now").click()
    assert present(interface._seen)._heading.text() == FORGETTING
    assert [call for call in requests.calls if call[0] == "forget"] == [("forget", forget_report(begin_wall_ns=8))]


@pytest.fixture
def whole(qapp: QApplication, calls: Calls) -> Iterator[Interface]:
    made = Interface(calls, InterfaceSettings(), TimelineNotes(), SettingsNotes())
    yield made
    made.close()
    qapp.processEvents()


@pytest.mark.parametrize(
    ("code", "buttons"),
    [
        ("shortcut_taken", ["Settings"]),
        ("deletion_due", ["Settings"]),
        ("model_gone", ["Model settings"]),
        ("disk_full", ["What Kairos saw"]),
        ("no_input", ["What works here"]),
        ("study_damaged", ["Leave the study…"]),
        ("display_gone", []),
    ],
)
def test_a_notice_has_a_button_for_what_a_window_does(whole: Interface, code: str, buttons: list[str]) -> None:
    """In place of the command, which the sentence no longer names; control: outside a window it does."""
    said = view_problem(code).text
    notice = whole._make_notice(code, view_problem(code))
    assert [button.text() for button in notice.findChildren(QPushButton)][:-1] == buttons
    text = present(notice.findChild(Prose, "text")).text()
    assert all(f"“{name}”" in text for name in buttons)
    assert ("kairos " in said) is bool(buttons)
    assert "kairos " not in text.replace("kairos sessions export", "")


def test_what_a_button_stands_for_is_done(
    whole: Interface, calls: Calls, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each target opens what it names; a command is run, and what it prints is shown."""
    monkeypatch.setattr(command, "COMMAND", (sys.executable, "-c", "import sys; print('  all', *sys.argv[1:])"))
    for act in (
        WindowAct(ActTarget.MODELS, ""),
        WindowAct(ActTarget.SETTINGS, "", "storage.keep_days"),
        WindowAct(ActTarget.LEARNED, ""),
    ):
        carry_out(act)
        QApplication.processEvents()
    settings, seen = present(whole._settings_window), present(whole._seen)
    assert [row for page in settings.findChildren(Page) if page.isVisible() for row in page.rows] == [
        "storage.keep_days"
    ]
    assert seen._tabs.tabText(seen._tabs.currentIndex()) == "Learned"
    carry_out(WindowAct(ActTarget.STUDY_LOOK, ""))
    assert ("study", StudyRequest.REVIEW) in [call[:2] for call in calls.made]
    carry_out(WindowAct(ActTarget.STUDY_LEAVE, ""))
    assert isinstance(whole._study_window, LeaveWindow)
    monkeypatch.setattr(command, "MOST_CHARACTERS", len("  all models sent --show 1"))
    for words in ("doctor", "sessions verify 1"):
        carry_out(WindowAct(ActTarget.RUN, words.title(), words))
    seen.turn_to("Sent")
    seen.take(FACTS)
    seen._sent._list.activated.emit(seen._sent._rows.index(0))
    shown = present(whole._command_window)
    until(lambda: shown._text.toPlainText() == "  all models sent --show 1\n…")
    assert shown.windowTitle() == "Kairos: Sent"
    whole.close()
    assert with_buttons("see: kairos doctor") == ("see: kairos doctor", ())


def test_a_button_leads_to_its_page_from_a_search_too(whole: Interface) -> None:
    """Also where that page was the one before."""
    for target in (ActTarget.MODELS, ActTarget.SETTINGS, ActTarget.MODELS):
        carry_out(WindowAct(target, "", "storage.keep_days"))
    settings = present(whole._settings_window)
    assert settings._stack.currentWidget() is settings._pages["local_model"]


def test_words_of_a_model_get_no_buttons_of_ours(interface: Interface) -> None:
    """Control: our own do."""
    seen = []
    for offer in (replace(make_offer("1"), help="Run kairos doctor."), replace(make_offer("2"), asked=True)):
        interface._on_offer(offer, {}, None)
        seen.append(present(interface._card).findChild(QPushButton, "act_run") is not None)
    assert seen == [False, True]


def test_two_problems_are_told_one_after_the_other(interface: Interface, until: Until) -> None:
    """None takes the place of another, none is told twice, and one that is over by then is not told."""
    for code in ("disk_full", "no_input", "disk_full", "no_input", "screen_unreadable"):
        interface.bridge.notify_problem(Problem(code=code))
    interface.bridge.notify_problem(Problem(code="screen_unreadable", over=True))
    seen = []
    for _ in range(2):
        until(lambda: interface._notice is not None)
        assert interface._notice is not None
        seen.append(interface._notice.code)
        button(interface._notice, "close").click()
        interface._application.processEvents()
    assert seen == ["disk_full", "no_input"]
    assert interface._notice is None


def test_a_card_shows_while_the_microphone_is_open(interface: Interface, until: Until) -> None:
    """Also one that comes while it is."""
    card = bring_up(interface, until)
    sign = as_a(QLabel, card.findChild(QLabel, "microphone"))
    seen = []
    for on in (False, True, False, True):
        interface.bridge.show_status(Status(state=RunState.WATCHING, microphone=on))
        interface._application.processEvents()
        seen.append(sign.isVisible())
        assert cut_texts(card) == []
    assert seen == [False, True, False, True]


def test_the_icons_differ_without_colour(qapp: QApplication) -> None:
    def grey(glyph: Glyph) -> list[int]:
        image = make_icon(glyph, recording=False).pixmap(22, 22).toImage().convertToFormat(QImage.Format.Format_ARGB32)
        return [
            (image.pixelColor(x, y).lightness() > 160) + 2 * (image.pixelColor(x, y).alpha() > 128)
            for y in range(22)
            for x in range(22)
        ]

    shapes = {glyph: grey(glyph) for glyph in Glyph}
    for one, shape in shapes.items():
        for other, another in shapes.items():
            if one is not other:
                assert sum(a != b for a, b in zip(shape, another, strict=True)) >= 20, (one, other)


def test_signals_ask_the_core_to_stop(interface: Interface, calls: Calls) -> None:
    QTimer.singleShot(0, lambda: os.kill(os.getpid(), signal.SIGTERM))
    assert interface.exec() == 0
    assert calls.made == [("quit",)]


def test_signals_are_given_back(qapp: QApplication, calls: Calls) -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    made = Interface(calls, InterfaceSettings())
    assert signal.getsignal(signal.SIGTERM) is not before[1]
    made.close()
    made.close()
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_a_core_that_stopped_first_ends_the_interface_at_once(interface: Interface, until: Until) -> None:
    """The end may be told before the loop runs."""
    interface.bridge.end()
    until(lambda: interface._ended)
    assert interface.exec() == 0


@pytest.mark.parametrize("name", ["", ":987"])
def test_no_display_is_an_error_and_not_a_crash(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Without a display, or with one that does not answer, we say so before Qt can end the process."""
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    monkeypatch.setenv("DISPLAY", name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # python-xlib leaves the socket of a refused connection open
        with pytest.raises(EnvironmentFault, match="display") as caught:
            check_display()
        exit_code, code = caught.value.exit_code, caught.value.code
        del caught
        gc.collect()
    assert (exit_code, code) == (3, "no_display")


def ask(
    interface: Interface, tmp_path: Path, person: Callable[[ConsentWindow], None], sent: str = ""
) -> ConsentAnswer | None:
    def asked() -> ConsentWindow:
        return present(interface._consent)

    with answered(asked, person):
        return interface.ask_consent(tmp_path, StorageSettings(), sent)


AGREED = ConsentAnswer(journal=True, recording=False, language="en", text_sha256=words_digest())


def test_nothing_is_ticked_beforehand(interface: Interface, tmp_path: Path) -> None:
    def look(window: ConsentWindow) -> None:
        assert not window._boxes["journal"].isChecked()
        assert not window._boxes["recording"].isChecked()
        assert not window._start.isEnabled()
        assert not window._boxes["recording"].isEnabled()
        assert not window._boxes["speech"].isChecked()
        window.reject()

    assert ask(interface, tmp_path, look) is None


@pytest.mark.parametrize("recording", [False, True])
@pytest.mark.parametrize("quiet", [False, True])
@pytest.mark.parametrize("speech", [False, True])
def test_the_choices_are_separate(
    interface: Interface, tmp_path: Path, recording: bool, quiet: bool, speech: bool
) -> None:
    def agree(window: ConsentWindow) -> None:
        assert not window._boxes["quiet"].isEnabled()
        window._boxes["journal"].click()
        if recording:
            window._boxes["recording"].click()
        if quiet:
            window._boxes["quiet"].click()
        if speech:
            window._boxes["speech"].click()
        window._start.click()

    assert ask(interface, tmp_path, agree) == replace(AGREED, recording=recording, quiet_first_day=quiet, speech=speech)


def test_taking_the_journal_back_takes_the_rest_with_it(interface: Interface, tmp_path: Path) -> None:
    """Nothing else can be agreed to without the journal."""

    def waver(window: ConsentWindow) -> None:
        window._boxes["journal"].click()
        window._boxes["recording"].click()
        window._boxes["quiet"].click()
        window._boxes["journal"].click()
        assert not window._boxes["recording"].isChecked()
        assert not window._boxes["quiet"].isChecked()
        assert not window._start.isEnabled()
        window._boxes["journal"].click()
        window._start.click()

    assert ask(interface, tmp_path, waver) == AGREED


def test_consent_can_be_given_by_keyboard_alone(interface: Interface, tmp_path: Path) -> None:
    def agree(window: ConsentWindow) -> None:
        QTest.keyClick(window._boxes["journal"], Qt.Key.Key_Space)
        QTest.keyClick(window, Qt.Key.Key_Return)

    assert ask(interface, tmp_path, agree) == AGREED
    assert ask(interface, tmp_path, lambda window: QTest.keyClick(window, Qt.Key.Key_Escape)) is None


def test_a_signal_leaves_the_question_unanswered(interface: Interface, tmp_path: Path, calls: Calls) -> None:
    """Ctrl-C at the consent window is "not now"; there is no core to stop yet."""
    assert ask(interface, tmp_path, lambda _window: os.kill(os.getpid(), signal.SIGINT)) is None
    assert calls.made == []


def test_where_the_consent_window_does_not_fit_it_scrolls_and_its_buttons_stay(
    interface: Interface, qapp: QApplication, tmp_path: Path
) -> None:
    def look(window: ConsentWindow) -> None:
        assert window.size().height() <= window.screen().availableGeometry().height()
        area = as_a(QScrollArea, window.findChild(QScrollArea))
        for name in ("start", "not_now"):
            one = button(window, name)
            assert window.rect().contains(one.geometry())
            assert not one.geometry().intersects(area.geometry())
        assert window._boxes["quiet"].visibleRegion().isEmpty()
        window._boxes["journal"].setChecked(True)
        window._boxes["controls"].setFocus()
        QTest.keyClick(window._boxes["controls"], Qt.Key.Key_Tab)
        assert window.focusWidget() is window._boxes["quiet"]
        assert not window._boxes["quiet"].visibleRegion().isEmpty()
        window.reject()

    with text_size(qapp):
        assert ask(interface, tmp_path, look) is None


# ---------------------------------------------------------------- questions of a study


def shown_question(interface: Interface, until: Until, question_id: str = "r1/0", *, wait: bool = True) -> QuestionCard:
    """Bring up a question and wait until its answers count, unless the first moment is what matters."""
    interface.bridge.show_question(question_id, DEFAULT_ITEMS)
    until(lambda: interface._question is not None and interface._question.view.question_id == question_id)
    card = present(interface._question)
    until(lambda: card._armed or not wait)
    return card


def tap(card: QuestionCard, name: str, until: Until) -> None:
    until(lambda: card._armed)
    button(card, name).click()


def test_a_question_is_answered_with_three_taps(interface: Interface, until: Until, calls: Calls) -> None:
    card = shown_question(interface, until)
    for choice in (3, 0, 2):
        tap(card, f"choice-{choice}", until)
    until(lambda: interface._question is None)
    expected = {"stuck": 3, "hint": 0, "bad_moment": 2}
    assert calls.made == [("answer_question", "r1/0", AnswerKind.ANSWERED, expected)]


def test_a_double_click_answers_one_item(interface: Interface, until: Until, calls: Calls) -> None:
    card = shown_question(interface, until, wait=False)
    button(card, "choice-1").click()
    button(card, "not_now").click()
    assert card._choices == {}
    until(lambda: card._armed)
    button(card, "choice-1").click()
    button(card, "choice-1").click()
    assert card._choices == {"stuck": 1}
    assert calls.made == []


@pytest.mark.parametrize("kind", [AnswerKind.NOT_NOW, AnswerKind.NONE_TODAY])
def test_a_question_need_not_be_answered(interface: Interface, until: Until, calls: Calls, kind: AnswerKind) -> None:
    card = shown_question(interface, until)
    tap(card, "choice-1", until)
    tap(card, kind.value, until)
    until(lambda: interface._question is None)
    assert calls.made == [("answer_question", "r1/0", kind, {})]


def test_the_evening_review_says_what_it_is_and_counts_what_was_answered(
    interface: Interface, until: Until, calls: Calls
) -> None:
    """Unlike a study's question: each moment stands for itself."""
    question_id = f"{REVIEW_PREFIX}2026-09-21"
    card = shown_question(interface, until, question_id)
    assert card.accessibleName().startswith(REVIEW_EYEBROW)
    tap(card, "choice-1", until)
    tap(card, "not_now", until)
    until(lambda: interface._question is None)
    assert calls.made == [("answer_question", question_id, AnswerKind.NOT_NOW, {"stuck": 1})]


def test_the_evening_review_shows_what_was_on_the_screen_where_it_was_recorded(
    interface: Interface, until: Until
) -> None:
    """Each item its own picture, or none; the card is as tall as it needs."""
    red = ReviewQuestion(
        code="m0", text="10:00: were you stuck?", choices=("yes", "no"), picture=(4, 2, b"\xff\0\0" * 8)
    )
    interface.bridge.show_question(f"{REVIEW_PREFIX}2026-09-21", (red, replace(red, code="m1", picture=None)))
    until(lambda: interface._question is not None and interface._question._armed)
    card = present(interface._question)
    (picture,) = card.findChildren(QLabel, "picture")
    assert picture.isVisible()
    assert QColor(picture.grab().toImage().pixel(picture.rect().center())).name() == "#ff0000"
    tall = card.height()
    tap(card, "choice-0", until)
    assert not picture.isVisible()
    assert card.height() < tall


def test_the_tray_opens_what_kairos_saw(interface: Interface, until: Until) -> None:
    seen = tray_lines(interface)["What Kairos saw"]
    interface.bridge.show_status(Status(state=RunState.WATCHING))
    until(seen.isEnabled)
    seen.trigger()
    assert interface._seen is None
    requests = TimelineNotes()
    interface._timeline = requests
    seen.trigger()
    seen.trigger()
    until(lambda: interface._seen is not None and interface._seen.isVisible())
    assert requests.calls.count(("open",)) == 1
    interface._timeline_bridge.show_reply(TimelineTrouble(what="It is so", remedy="Do this."))
    until(lambda: interface._seen is not None and "It is so" in interface._seen._trouble.text())
    interface.close()
    until(lambda: interface._seen is None)
    assert requests.calls[-1] == ("close",)


def test_a_question_goes_when_the_core_takes_it_down(interface: Interface, until: Until, calls: Calls) -> None:
    shown_question(interface, until)
    interface.bridge.close_question("other")
    shown_question(interface, until, "r1/1")
    interface.bridge.close_question("r1/1")
    until(lambda: interface._question is None)
    assert calls.made == []


def test_a_question_and_an_offer_are_never_beside_each_other(interface: Interface, until: Until) -> None:
    """An offer takes a question's place; a question waits while advice is read, and not if it is over by then."""
    shown_question(interface, until)
    card = bring_up(interface, until)
    until(lambda: interface._question is None)
    button(card, "accepted").click()
    interface.bridge.show_question("r1/1", DEFAULT_ITEMS)
    until(lambda: interface._waiting_question is not None)
    assert interface._question is None
    interface.bridge.close_question("r1/1")
    until(lambda: interface._waiting_question is None)
    interface.bridge.show_question("r1/2", DEFAULT_ITEMS)
    until(lambda: interface._waiting_question is not None)
    button(card, "close").click()
    until(lambda: interface._question is not None)
    assert interface._card is None


def test_a_question_by_keyboard_and_to_a_screen_reader(interface: Interface, until: Until, calls: Calls) -> None:
    """Digits choose and Escape is "not now", once the card was clicked; every control has a name and says its place."""
    card = shown_question(interface, until)
    assert not any(isinstance(found, QPushButton) for found in takers_of_focus(card))
    assert card.accessibleName() == "Question of your study. How stuck were you just before this?"
    first = button(card, "choice-0")
    assert (first.accessibleName(), first.accessibleDescription()) == (
        "Not at all",
        "How stuck were you just before this? 1 of 5",
    )
    QTest.mouseClick(card, Qt.MouseButton.LeftButton, pos=card.rect().topLeft())
    assert all(found.focusPolicy() is Qt.FocusPolicy.StrongFocus for found in card.findChildren(QPushButton))
    for key in (Qt.Key.Key_9, Qt.Key.Key_4):
        QTest.keyClick(card, key)
    assert card._choices == {"stuck": 3}
    until(lambda: card._armed)
    QTest.keyClick(card, Qt.Key.Key_Escape)
    until(lambda: interface._question is None)
    assert calls.made == [("answer_question", "r1/0", AnswerKind.NOT_NOW, {})]


def test_words_of_a_study_are_shown_as_plain_text_of_limited_length() -> None:
    """They come from outside: no mark-up, no control characters, no page of them."""
    item = QuestionItem(code="a", text="<b>Why\u202e?</b>" + "x" * 500, choices=("y" * 90, "No\x1b"))
    view = view_question("q", [item]).items[0]
    assert view.place == ""
    assert view.text.startswith("<b>Why?</b>x")
    assert len(view.text) == TEXT_LIMIT
    assert [len(choice) <= CHOICE_LIMIT for choice in view.choices] == [True, True]
    assert view.choices[1] == "No"


# ---------------------------------------------------------------- the study in the tray

WAITING = StudyReply(
    request=StudyRequest.REVIEW,
    done=True,
    mode="ask",
    parcels=(
        StudyParcel(n=3, size=512, sha256="aa" * 32, rows=("Day 2, 10:15: <b>a moment</b>",)),
        StudyParcel(n=4, size=1024, sha256="bb" * 32, rows=("Day 2 in figures", "a question was answered")),
    ),
)


def study_entries(interface: Interface) -> dict[Action, QAction]:
    view = view_tray(interface._tray._status)
    actions = {entry.action: line for entry, line in zip(view.entries, interface._tray.actions, strict=True)}
    return {action: actions[action] for action in (Action.STUDY_LOOK, Action.STUDY_HOLD, Action.STUDY_LEAVE)}


def in_study(interface: Interface, until: Until, *, held: bool = False) -> None:
    study = StudyProgress(title="Sheets", day=9, days=28, held=held)
    interface.bridge.show_status(Status(state=RunState.WATCHING, study=study))
    until(lambda: interface._tray._status.study == study)


def review_window(interface: Interface, until: Until, reply: StudyReply) -> ReviewWindow:
    interface.bridge.show_study_reply(reply)
    until(lambda: interface._study_window is not None)
    assert isinstance(interface._study_window, ReviewWindow)
    return interface._study_window


def test_the_study_is_in_the_menu_while_somebody_takes_part(interface: Interface, until: Until) -> None:
    assert not any(line.isVisible() for line in study_entries(interface).values())
    in_study(interface, until)
    assert all(line.isVisible() and line.isEnabled() for line in study_entries(interface).values())
    assert any(line.text() == "Study: day 9 of 28" and line.isVisible() for line in interface._tray.actions)
    watch(interface, until)
    assert not any(line.isVisible() for line in study_entries(interface).values())


def test_what_waits_is_shown_and_let_go_as_shown(interface: Interface, until: Until, calls: Calls) -> None:
    in_study(interface, until)
    study_entries(interface)[Action.STUDY_LOOK].trigger()
    assert calls.made == [("study", StudyRequest.REVIEW, "")]
    for closes in (True, False):
        window = review_window(interface, until, WAITING)
        shown = window._text.toPlainText()
        assert all(part in shown for part in ("<b>a moment</b>", "4.2", "aa" * 32, "bb" * 32, "1024 bytes"))
        assert "until your first week is over" in window.view.lead
        if closes:
            QTest.keyClick(window, Qt.Key.Key_Return)
            QTest.keyClick(window, Qt.Key.Key_Escape)
        else:
            window.send_button.click()
            window.send_button.click()
        until(lambda: interface._study_window is None)
    assert calls.made[1:2] == [("study", StudyRequest.SEND, "bb" * 32)]
    assert len(calls.made) == 2


def test_with_nothing_waiting_there_is_nothing_to_send(interface: Interface, until: Until) -> None:
    """The window says so."""
    window = review_window(interface, until, StudyReply(request=StudyRequest.REVIEW, done=True, mode="hold"))
    assert window.view.lead == "No parcel waits."
    assert not window.send_button.isVisible()
    window.close()
    until(lambda: interface._study_window is None)


def test_the_sending_is_paused_and_resumed(interface: Interface, until: Until, calls: Calls) -> None:
    in_study(interface, until)
    line = study_entries(interface)[Action.STUDY_HOLD]
    assert line.text() == "Pause the study's sending"
    line.trigger()
    in_study(interface, until, held=True)
    assert line.text() == "Resume the study's sending"
    line.trigger()
    assert [call[1] for call in calls.made] == [StudyRequest.HOLD, StudyRequest.RESUME]


@pytest.mark.parametrize(
    ("keep", "request_made"), [(None, None), (False, StudyRequest.LEAVE), (True, StudyRequest.LEAVE_KEEP)]
)
def test_leaving_is_asked_once_more(
    interface: Interface, until: Until, calls: Calls, keep: bool | None, request_made: StudyRequest | None
) -> None:
    """Staying is the way that Return takes; nothing is kept unless that is ticked."""
    in_study(interface, until)
    study_entries(interface)[Action.STUDY_LEAVE].trigger()
    window = as_a(LeaveWindow, interface._study_window)
    assert not window.keep.isChecked()
    if keep is None:
        QTest.keyClick(window, Qt.Key.Key_Return)
    else:
        window.keep.setChecked(keep)
        button(window, "leave").click()
    until(lambda: interface._study_window is None)
    assert [call[1] for call in calls.made] == ([] if request_made is None else [request_made])


def test_tasks_are_begun_and_ended_in_their_window(interface: Interface, until: Until, calls: Calls) -> None:
    """It follows what is under way, by keys alone; how well somebody knows a program goes along once."""

    def show(task: TaskCard | None) -> TaskWindow:
        study = StudyProgress(title="Sheets", day=9, days=28, task=task)
        interface.bridge.show_status(Status(state=RunState.WATCHING, study=study))
        until(lambda: interface._tray._status.study == study)
        view = view_tray(interface._tray._status)
        pairs = zip(view.entries, interface._tray.actions, strict=True)
        (line,) = [line for entry, line in pairs if entry.action is Action.STUDY_TASK]
        assert line.isVisible() is (task is not None)
        if interface._study_window is None:
            assert line.text() == "Task 1 of 2 of the study\u2026"
            line.trigger()
        window = as_a(TaskWindow, interface._study_window)
        assert window.task == task
        return window

    first = TaskCard(number=1, count=2, title="<b>Sort</b>", text="Sort it.", end="it is sorted.", asks_about="Calc")
    window = show(first)
    assert "<b>Sort</b>" in [prose.text() for prose in window.findChildren(Prose)]
    window._skills[2].setFocus()
    QTest.keyClick(window._skills[2], Qt.Key.Key_Space)
    button(window, "begin").click()
    running = show(replace(first, asks_about="", running=True))
    button(running, "done").click()
    second = show(TaskCard(number=2, count=2, title="Chart", text="Make one.", end="it is there."))
    button(second, "begin").click()
    button(show(replace(second.task or first, running=True)), "give_up").click()
    show(None)
    assert calls.made == [
        ("mark_task", TaskStep.BEGUN, 3),
        ("mark_task", TaskStep.DONE, 0),
        ("mark_task", TaskStep.BEGUN, 0),
        ("mark_task", TaskStep.GIVEN_UP, 0),
    ]
    show(first)
    interface.bridge.show_status(Status(state=RunState.WATCHING))  # the study was left, and no task was the last
    until(lambda: interface._study_window is None)


def test_a_long_task_leaves_its_buttons_on_the_screen(qapp: QApplication) -> None:
    window = TaskWindow(TaskCard(number=1, count=1, title="1", text="2\n" * 300, end="3"), lambda *_: None)
    window.appear()
    assert window.height() < qapp.primaryScreen().availableGeometry().height()
    window.close()


def test_what_became_of_a_request_is_said_in_a_notice(interface: Interface, until: Until) -> None:
    """Also why something did not work; what the command says is plain text."""
    for reply, words in (
        (StudyReply(request=StudyRequest.HOLD, done=True, mode="hold"), "is paused"),
        (StudyReply(request=StudyRequest.LEAVE, done=True), "You have left the study"),
        (StudyReply(request=StudyRequest.LEAVE, done=True, told=False), "write to the researchers"),
        (StudyReply(request=StudyRequest.SEND, done=True, released=2), "2 parcels are sent"),
        (StudyReply(request=StudyRequest.REVIEW, done=False, text="<b>no</b> study"), "<b>no</b> study"),
    ):
        interface.bridge.show_study_reply(reply)
        until(lambda reply=reply, words=words: words in notice_text(interface))  # type: ignore[misc]  # bound at once


def notice_text(interface: Interface) -> str:
    return "" if interface._notice is None else "\n".join(text.text() for text in interface._notice.findChildren(Prose))


EMIT_10000 = """
import sys
from PySide6.QtCore import QCoreApplication
from storage.ports import RunState, Status
from ui.bridge import Bridge
app = QCoreApplication(["kairos"])
bridge = Bridge()
seen = []
bridge.status_changed.connect(seen.append)
bridge.offer_closed.connect(seen.append)
before = sys.getrefcount(True), sys.getrefcount(None)
for _ in range(10_000):
    bridge.show_status(Status(state=RunState.WATCHING))
    bridge.close_offer("o")
seen_count = len(seen)
seen.clear()
after = sys.getrefcount(True), sys.getrefcount(None)
print(seen_count, before[0] - after[0] < 100, before[1] - after[1] < 100)
"""


def test_ten_thousand_signals_do_not_wear_python_out() -> None:
    """Emitting costs True and None no references."""
    done = subprocess.run([sys.executable, "-c", EMIT_10000], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["20000", "True", "True"], done.stderr


def test_a_pause_until_tomorrow_lasts_until_then(interface: Interface, calls: Calls) -> None:
    """Between six and thirty hours from now, whenever it is clicked."""
    interface._tray.show_status(Status(state=RunState.WATCHING))
    tray_lines(interface)["Pause until tomorrow, 06:00"].trigger()
    ((name, seconds),) = calls.made
    assert name == "pause"
    assert isinstance(seconds, float)
    assert 5 * 3600 < seconds <= 31 * 3600


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (Status(state=RunState.PRIVATE), "Private until you resume"),
        (Status(state=RunState.PAUSED, paused_until_wall_ns=1), "Paused until "),
    ],
)
def test_whoever_asks_while_paused_or_private_is_told_until_when_and_can_end_it(
    interface: Interface, calls: Calls, status: Status, said: str
) -> None:
    """By the keys too, with which no menu is open; the way to the small window comes back."""
    interface._on_problem(Problem(code="no_tray"))
    interface._tray.show_status(status)
    for _ in range(2):
        interface._on_shortcut(ShortcutCommand.ASK)
    notice = present(interface._notice)
    assert notice.accessibleName().startswith(f"Kairos: {said}")
    button(notice, "act").click()
    assert calls.made == [("resume",)]
    assert present(interface._notice).code == "no_tray"
    assert interface._ask is None


BOTH_MODELS = Settings(
    local_model=ModelSettings(preset="llama-server"),
    strong_model=ModelSettings(preset="gemini-decisions", send_screens=True),
)


@pytest.mark.parametrize(
    ("code", "folder", "sent"),
    [("en", "long" * 30, ""), ("en", "short", describe_sent(BOTH_MODELS)), ("de", "short", "")],
)
def test_consent_fits_a_usual_screen_and_says_where_there_is_more(
    interface: Interface, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, code: str, folder: str, sent: str
) -> None:
    for height, more in ((800, False), (600, True)):
        screen = SimpleNamespace(availableGeometry=lambda height=height: QRect(0, 0, 1280, height))
        monkeypatch.setattr("ui.consent.QGuiApplication", SimpleNamespace(primaryScreen=lambda screen=screen: screen))

        def look(window: ConsentWindow, *, more: bool = more) -> None:
            (area,) = window.findChildren(QScrollArea)
            (below,) = (said for said in window.findChildren(Prose) if said.objectName() == "below")
            assert bool(below.text()) is more
            area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())
            assert below.text() == ""
            window.reject()

        speak(code)
        assert ask(interface, tmp_path / folder, look, sent) is None
        speak("en")


def test_a_question_is_small_and_fits_every_item(interface: Interface, until: Until) -> None:
    card = shown_question(interface, until)
    heights = [card.height()]
    for _ in range(2):
        tap(card, "choice-0", until)
        heights.append(card.height())
        assert button(card, "none_today").geometry().bottom() < card.height()
    assert heights[0] > heights[1] == heights[2]
    assert max(heights) <= 340
