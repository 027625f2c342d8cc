"""The field to ask in: what stands below it, what its keys do, and what the card makes of the answer."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from storage.ports import WHAT_FOR, CandidateNote, HelpContent, HelpPage, RunState, Status
from storage.records import FeedbackKind
from storage.settings import InterfaceSettings
from tests.fakes.help.answers import answers, command, page_candidate
from tests.fakes.help.help_library import FREEZE
from tests.fakes.narrowing import present
from tests.fakes.ui.interface import Until, button
from tests.fakes.ui.requests import Calls, SettingsNotes
from tests.fakes.ui.windows import bring_up
from ui.app import Interface
from ui.card.card import Card
from ui.desktop.current import current_desktop
from ui.desktop.protocol import Desktop
from ui.dialogs.ask import AskWindow
from ui.views.shortcuts import KEYS_OFFERED, PROPOSED, WELCOME, ShortcutCommand

UNDO, REDO = command("Edit", "Undo", keys="Ctrl+Z"), command("Edit", "Redo", greyed=True)
PAGE = page_candidate(FREEZE)
FOUND = answers("undo", UNDO, REDO, PAGE)


@pytest.fixture
def field(interface: Interface, until: Until, calls: Calls) -> AskWindow:
    interface._tray.show_status(Status(state=RunState.WATCHING))
    interface._tray.asking.emit()
    window = present(interface._ask)
    QTest.keyClicks(window.field, "undo")
    interface.bridge.show_candidates(FOUND)
    until(lambda: bool(window._shown))
    assert calls.made == [("find_help", "undo"[:length]) for length in range(5)]
    calls.made.clear()
    return window


def shown(window: AskWindow) -> list[str]:
    return [row.accessibleName() for row in window._rows if row.isVisible()]


def selected(window: AskWindow) -> str:
    (name,) = [row.accessibleName() for row in window._rows if row.property("selected")]
    assert window.field.accessibleDescription() == name
    return name


def test_commands_stand_with_path_and_keys_and_pages_with_where_they_are_from(field: AskWindow) -> None:
    assert shown(field) == [
        "Undo, Edit > Undo, Ctrl+Z",
        "Redo, Edit > Redo, greyed out now",
        "Freeze the first row, LibreOffice Help 7.4",
    ]
    assert "Mousepad" in field.field.placeholderText()


def test_arrows_go_round_and_enter_asks_for_what_is_selected(field: AskWindow, calls: Calls, until: Until) -> None:
    assert selected(field).startswith("Undo")
    for key, name in ((Qt.Key.Key_Up, "Freeze"), (Qt.Key.Key_Down, "Undo"), (Qt.Key.Key_Down, "Redo")):
        QTest.keyClick(field.field, key)
        assert selected(field).startswith(name)
    QTest.keyClick(field.field, Qt.Key.Key_Return)
    assert calls.made == [("ask_help", "undo", "command/Redo", True)]
    until(lambda: not field.isVisible())


def test_control_and_enter_ask_for_the_page_alone_and_a_click_for_its_line(
    field: AskWindow, calls: Calls, interface: Interface
) -> None:
    QTest.keyClick(field.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    interface._tray.asking.emit()
    window = present(interface._ask)
    assert window is not field
    window.field.setText("undo")
    window.show_candidates(FOUND)
    button(window, "candidate_2").click()
    asked = [call for call in calls.made if call[0] == "ask_help"]
    assert asked == [("ask_help", "undo", "command/Undo", False), ("ask_help", "undo", FREEZE.page_id, True)]


def test_escape_closes_it_and_asks_nothing(field: AskWindow, calls: Calls, until: Until, interface: Interface) -> None:
    QTest.keyClick(field.field, Qt.Key.Key_Escape)
    until(lambda: interface._ask is None)
    assert calls.made == []


def test_its_shortcut_opens_it_and_closes_it_again(interface: Interface, until: Until) -> None:
    interface._tray.show_status(Status(state=RunState.PAUSED))
    interface._on_shortcut(ShortcutCommand.ASK)
    assert interface._ask is None
    interface._tray.show_status(Status(state=RunState.WATCHING))
    interface._on_shortcut(ShortcutCommand.ASK)
    assert interface._ask is not None
    interface._on_shortcut(ShortcutCommand.ASK)
    until(lambda: interface._ask is None)


def test_what_answers_other_words_than_stand_there_is_not_shown(field: AskWindow) -> None:
    field.show_candidates(answers("und", PAGE))
    assert len(shown(field)) == 3


def test_enter_before_the_answers_come_takes_none_of_other_words(field: AskWindow, calls: Calls) -> None:
    """Unless somebody has selected it."""
    field.field.setText("undo twice")
    QTest.keyClick(field.field, Qt.Key.Key_Return)
    assert calls.made[-1] == ("ask_help", "undo twice", "", True)


def test_what_was_selected_stays_so_while_answers_change(field: AskWindow) -> None:
    QTest.keyClick(field.field, Qt.Key.Key_Down)
    field.show_candidates(answers("undo", PAGE, UNDO, REDO))
    assert selected(field).startswith("Redo")
    field.show_candidates(answers("undo", PAGE))
    assert selected(field).startswith("Freeze")


def test_where_nothing_answers_it_says_so_and_why(field: AskWindow, calls: Calls) -> None:
    field.show_candidates(answers("undo", notes=(CandidateNote.READING,)))
    assert field._notes.text() == "The commands of Mousepad are being read."
    notes = tuple(note for note in CandidateNote if note is not CandidateNote.READING)
    field.show_candidates(answers("undo", notes=notes, language="en"))
    said = field._notes.text().splitlines()
    assert shown(field) == []
    assert said[:2] == ["Nothing could be searched in Mousepad.", "The documentation of Mousepad here is in English."]
    assert len(said) == 2 + len(notes)
    field.show_candidates(answers("undo", notes=(CandidateNote.NO_COMMANDS,)))
    assert field._notes.text().startswith("Nothing found for “undo” in Mousepad.")
    QTest.keyClick(field.field, Qt.Key.Key_Down)
    QTest.keyClick(field.field, Qt.Key.Key_Return)
    assert calls.made == [("ask_help", "undo", "", True)]


def test_words_from_a_program_are_cut_and_stay_plain(field: AskWindow) -> None:
    hostile = command("<b>File</b>", "\u202e" + "x" * 10_000, keys="\x1b[2J")
    field.show_candidates(answers("undo", hostile, unmatched=("\x1b[2J", "y" * 500)))
    said = "".join((*shown(field), field._notes.text()))
    assert "<b>File</b>" in said
    assert len(said) < 600
    assert not {"\x1b", "\u202e"} & set(said)


# ------------------------------------------------------------ the card


def others_of(card: Card) -> list[str]:
    return [found.text() for found in card.findChildren(QPushButton) if found.objectName().startswith("other_")]


def test_the_card_has_the_question_and_what_else_answers(interface: Interface, until: Until, calls: Calls) -> None:
    card = bring_up(interface, until, HelpContent(page=UNDO.page, asked=FOUND), asked=True)
    assert (card.view.title, card.view.reason) == ("Undo", "You asked: undo")
    assert others_of(card) == ["Redo", "Freeze the first row"]
    button(card, "other_0").click()
    assert calls.made == [("choose_help", "o-1", "command/Redo")]
    button(card, "ask_again").click()
    interface._tray.show_status(Status(state=RunState.WATCHING))
    button(card, "ask_again").click()
    assert interface._ask is not None


def test_a_card_that_asks_what_somebody_looks_for_opens_the_field(
    interface: Interface, until: Until, calls: Calls
) -> None:
    page = HelpPage(page_id=WHAT_FOR, title="", steps=(), source="")
    card = bring_up(interface, until, HelpContent(page=page))
    assert (card.view.title, card.view.steps) == ("What are you looking for?", ())
    interface._tray.show_status(Status(state=RunState.WATCHING))
    accept = button(card, FeedbackKind.ACCEPTED.value)
    assert accept.text() == "Say it"
    accept.click()
    assert calls.made[0] == ("answer", "o-1", FeedbackKind.ACCEPTED)
    assert interface._ask is not None
    until(lambda: interface._card is None)


def test_a_question_that_is_not_wanted_opens_nothing(interface: Interface, until: Until, calls: Calls) -> None:
    page = HelpPage(page_id=WHAT_FOR, title="", steps=(), source="")
    card = bring_up(interface, until, HelpContent(page=page))
    button(card, FeedbackKind.DISMISSED.value).click()
    assert calls.made == [("answer", "o-1", FeedbackKind.DISMISSED)]
    assert interface._ask is None


def test_what_did_not_help_is_told_and_not_offered_again(interface: Interface, until: Until, calls: Calls) -> None:
    tried = frozenset({UNDO.page.page_id})
    card = bring_up(interface, until, HelpContent(page=REDO.page, asked=FOUND, tried=tried), asked=True)
    assert others_of(card) == ["Freeze the first row"]
    assert card.view.steps[0].remark.startswith("Greyed out now")
    button(card, FeedbackKind.WRONG.value).click()
    assert calls.made == [("answer", "o-1", FeedbackKind.WRONG)]
    until(lambda: interface._card is None)


def test_where_nothing_answers_the_card_has_no_page_and_says_why(interface: Interface, until: Until) -> None:
    nothing = answers("brew coffee", notes=(CandidateNote.NO_CONTROLS,), unmatched=("coffee",))
    card = bring_up(interface, until, HelpContent(asked=nothing), asked=True)
    assert card.view.title == "Nothing found for “brew coffee” in Mousepad."
    assert "understand controls" in card.view.advice
    assert card.findChild(QPushButton, FeedbackKind.WRONG.value) is not None  # among the answers, which are hidden
    assert others_of(card) == []
    card = bring_up(interface, until, HelpContent(asked=FOUND, tried=frozenset({"x"})), offer_id="o-2", asked=True)
    assert card.view.title == "Nothing else was found"


def test_a_command_that_is_on_and_one_in_no_menu_say_so(interface: Interface, until: Until) -> None:
    on = command("View", "Wrap", on=True)
    card = bring_up(interface, until, HelpContent(page=on.page, asked=answers("wrap", on)), asked=True)
    assert "on already" in card.view.steps[0].remark
    hidden = AskWindow("x")
    hidden.show_candidates(answers("x", command("Hidden", in_menu=False), on))
    assert [row.place for row in hidden._shown] == ["in no menu", "View > Wrap, on already"]
    hidden.close()


# ------------------------------------------------------------ keys for it


class Keys(Desktop):
    """A desktop on which some keys are somebody's."""

    has_shortcuts = True

    def __init__(self, taken: tuple[str, ...]) -> None:
        self.taken = taken

    def is_shortcut_taken(self, text: str) -> bool:
        return text in self.taken


@pytest.mark.parametrize(
    ("start", "taken", "offered"),
    [
        ("first", (), PROPOSED[0]),
        ("first", PROPOSED[:1], PROPOSED[1]),
        ("first", PROPOSED, ""),
        ("first, with keys", (), ""),
        ("later", (), ""),
    ],
)
def test_free_keys_are_offered_at_the_first_start_and_taken_only_with_a_yes(
    start: str, taken: tuple[str, ...], offered: str, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = SettingsNotes()
    interface = Interface(
        Calls(), InterfaceSettings(shortcut_ask="Ctrl+Alt+J" if "keys" in start else ""), preferences=notes
    )
    monkeypatch.setattr("ui.app.current_desktop", lambda: Keys(taken))
    interface._is_new = start != "later"
    interface._welcome()
    notice = interface._notice
    assert notes.calls == []
    if offered:
        assert present(notice).code == KEYS_OFFERED
        assert offered in present(notice).accessibleDescription()
        button(present(notice), "act").click()
        assert notes.calls == [("change", "interface.shortcut_ask", offered, "")]
    elif interface._is_new:
        assert present(notice).code == WELCOME
        assert ("Ctrl+Alt+J opens" in present(notice).accessibleDescription()) == ("keys" in start)
        assert notes.calls == []
    else:
        assert notice is None
    interface.close()


def test_where_no_keys_can_be_had_none_are_offered(qapp: QApplication) -> None:
    interface = Interface(Calls(), InterfaceSettings(), preferences=SettingsNotes())
    interface._is_new = True
    assert not current_desktop().has_shortcuts
    interface._welcome()
    assert present(interface._notice).code == WELCOME
    assert "in the tray" in present(interface._notice).accessibleDescription()
    interface.close()
