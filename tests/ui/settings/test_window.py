"""The settings window without a desktop: fields by type, search, refusals in place, questions, shortcuts, models."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QListWidget, QPushButton, QWidget

from storage.preferences import (
    Autostart,
    AutostartState,
    ChangeDone,
    ChangeNeedsYes,
    ChangeRefused,
    ModelsState,
    PresetRow,
    SettingsState,
    TierRow,
    TrialResult,
    Trouble,
)
from storage.settings import FenceSettings, InterfaceSettings, PolicySettings, Settings
from tests.fakes.narrowing import as_a, present
from tests.fakes.ui.requests import SettingsNotes
from ui.dialogs.window import ConfirmWindow
from ui.settings.window import SettingsWindow
from ui.views.essentials import ESSENTIALS
from ui.views.settings import ADVANCED, AGREE_RECORDING, AGREE_SENT, FOUND, RECORDING, TESTING, WAITS, pages
from ui.widgets import TickBox

OFF = Autostart(state=AutostartState.OFF, file="/a/kairos.desktop", starts=False)
BEFORE = Settings()
Kind = TypeVar("Kind", bound=QWidget)


def state_of(settings: Settings = BEFORE, **changes: object) -> SettingsState:
    state = SettingsState(settings=settings, in_force=BEFORE, file="/f/settings.toml", autostart=OFF)
    return replace(state, **changes)  # type: ignore[arg-type]  # names of its fields


class Shown:
    """The window, on the screen, with what it requests."""

    def __init__(self) -> None:
        self.notes = SettingsNotes()
        self.taken: list[str] = []
        self.window = SettingsWindow(self.notes, lambda text: text in self.taken)
        self.window.appear()
        self.window.take(state_of())
        QApplication.processEvents()
        self.notes.calls.clear()

    def show(self, table: str) -> None:
        pages_list = as_a(QListWidget, self.window.findChild(QListWidget, "pages"))
        tables = [pages_list.item(row).data(Qt.ItemDataRole.UserRole) for row in range(pages_list.count())]
        assert tables == ["", ADVANCED, *(page.table for page in pages())]
        pages_list.setCurrentRow(tables.index(table))
        QApplication.processEvents()

    def find(self, kind: type[Kind], name: str) -> Kind:
        return as_a(kind, self.window.findChild(kind, name))

    def text(self, name: str) -> str:
        label = self.find(QWidget, name)
        return str(label.property("text")) if not label.isHidden() else ""


@pytest.fixture
def shown(qapp: QApplication) -> Iterator[Shown]:
    made = Shown()
    yield made
    made.window.close()
    qapp.processEvents()


def question() -> ConfirmWindow:
    (found,) = [
        widget for widget in QApplication.topLevelWidgets() if isinstance(widget, ConfirmWindow) and widget.isVisible()
    ]
    return found


def answer(name: str) -> None:
    button = as_a(QPushButton, question().findChild(QPushButton, name))
    button.click()
    QApplication.processEvents()


def test_what_is_entered_is_handed_over_once(shown: Shown) -> None:
    shown.show("policy")
    line = shown.find(QLineEdit, "policy.offers_per_hour")
    line.setFocus()
    line.selectAll()
    QTest.keyClicks(line, "2")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert shown.window.isVisible()
    shown.show("help")
    shown.find(TickBox, "help.library").click()
    box = shown.find(QComboBox, "help.model")
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Home)
    assert [call for call in shown.notes.calls if call[0] == "change"] == [
        ("change", "policy.offers_per_hour", "2", ""),
        ("change", "help.library", False, ""),
        ("change", "help.model", "off", ""),
    ]


def test_a_wrong_value_stays_to_be_corrected_and_escape_takes_it_back(shown: Shown) -> None:
    shown.show("policy")
    line = shown.find(QLineEdit, "policy.offers_per_hour")
    line.setFocus()
    line.setText("many")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert shown.text("policy.offers_per_hour.trouble").startswith("Please enter a whole number. From 0 to ")
    assert shown.notes.calls == [] or shown.notes.calls[-1][0] != "change"
    trouble = Trouble(what="It is no more than what another setting allows")
    shown.window.take(ChangeRefused(key="policy.offers_per_hour", trouble=trouble))
    shown.window.take(state_of())
    assert line.text() == "many"
    assert shown.text("policy.offers_per_hour.trouble") == f"{trouble.what}."
    face = present(QAccessible.queryAccessibleInterface(shown.find(QWidget, "policy.offers_per_hour.trouble")))
    assert trouble.what in face.text(QAccessible.Text.Name)
    QTest.keyClick(line, Qt.Key.Key_Escape)
    assert line.text() == "8"
    assert not shown.text("policy.offers_per_hour.trouble")
    shown.show("help")
    box = shown.find(TickBox, "help.library")
    box.click()
    shown.window.take(ChangeRefused(key="help.library", trouble=trouble))
    assert box.isChecked()


def test_what_differs_is_marked_brought_back_and_listed(shown: Shown) -> None:
    """The mark and the way back are there only where a setting differs; what waits for the next start says so."""
    shown.show("policy")
    assert shown.find(QWidget, "policy.offers_per_hour.reset").isHidden()
    shown.window.take(state_of(replace(BEFORE, policy=PolicySettings(offers_per_hour=2))))
    assert shown.find(QLineEdit, "policy.offers_per_hour").text() == "2"
    assert shown.text("policy.offers_per_hour.note") == WAITS
    assert not shown.find(QWidget, "policy.offers_per_hour.mark").isHidden()
    shown.find(QPushButton, "policy.offers_per_hour.reset").click()
    assert shown.notes.calls[-1] == ("change", "policy.offers_per_hour", None, "")
    shown.show(ADVANCED)
    page = shown.window._pages[ADVANCED]
    assert list(page.rows) == ["policy.offers_per_hour"]


def test_the_search_shows_matches_of_all_tables_and_goes_again(shown: Shown) -> None:
    """It needs no key but the letters; without a word the chosen page is back."""
    search = shown.find(QLineEdit, "search")
    search.setFocus()
    QTest.keyClicks(search, "excluded")
    QTest.keyClick(search, Qt.Key.Key_Return)
    page = shown.window._pages[FOUND]
    assert list(page.rows)[:2] == ["fence.excluded_apps", "fence.excluded_titles"]
    assert shown.window._stack.currentWidget() is page
    listed = shown.find(QListWidget, "pages")
    assert not listed.selectedItems()  # no page is the one that is shown
    search.clear()
    QTest.keyClick(search, Qt.Key.Key_Return)
    assert shown.window._stack.currentWidget() is shown.window._pages[""]
    assert listed.item(0).isSelected()
    QTest.keyClicks(search, "excluded")
    QTest.keyClick(search, Qt.Key.Key_Return)
    at = listed.visualItemRect(listed.item(0)).center()
    QTest.mouseClick(listed.viewport(), Qt.MouseButton.LeftButton, pos=at)  # the page that it was before
    assert shown.window._stack.currentWidget() is shown.window._pages[""]


def test_entries_of_a_list_are_added_and_removed_one_by_one(shown: Shown) -> None:
    """Another may have been added elsewhere meanwhile."""
    shown.show("fence")
    shown.window.take(state_of(replace(BEFORE, fence=FenceSettings(excluded_apps=("signal", "mail")))))
    QApplication.processEvents()
    shown.find(QPushButton, "fence.excluded_apps.1.remove").click()
    new = shown.find(QLineEdit, "fence.excluded_apps.new")
    new.setFocus()
    QTest.keyClicks(new, "bank")
    QTest.keyClick(new, Qt.Key.Key_Return)
    assert shown.notes.calls[-2:] == [("remove", "fence.excluded_apps", "mail"), ("add", "fence.excluded_apps", "bank")]
    assert not new.text()


def test_what_sends_more_asks_in_its_own_words_and_only_yes_goes_on(shown: Shown) -> None:
    shown.show("strong_model")
    box = shown.find(TickBox, "strong_model.send_screens")
    words = "Pictures of the screen: to example.org"
    for name, is_yes in (("cancel", False), ("agree", True)):
        box.click()
        shown.notes.calls.clear()
        shown.window.take(ChangeNeedsYes(key="strong_model.send_screens", value=True, words=words))
        assert question().accessibleName() == AGREE_SENT
        assert words in question().accessibleDescription()
        answer(name)
        assert shown.notes.calls == ([("change", "strong_model.send_screens", True, words)] if is_yes else [])
        assert box.isChecked() == is_yes
    shown.window.take(ChangeDone(key="strong_model.send_screens", notes=("Sent from the next start on: x",)))
    assert shown.text("strong_model.send_screens.note") == "Sent from the next start on: x"


def test_a_model_is_tested_without_waiting_and_can_be_stopped(shown: Shown) -> None:
    shown.show("local_model")
    assert ("read_models",) in shown.notes.calls
    test = shown.find(QPushButton, "local_model.test")
    preset = PresetRow(
        name="here", remote=False, address="http://127.0.0.1", model="m", price_in=None, price_out=None, note="n"
    )
    off = TierRow(table="local_model", preset="")
    shown.window.take(ModelsState(presets=(preset,), tiers=(off,)))
    assert not test.isEnabled()
    box = shown.find(QComboBox, "local_model.preset")
    assert [box.itemText(place) for place in range(box.count())] == ["No model", "here: on this machine, free"]
    shown.window.take(ModelsState(presets=(preset,), tiers=(replace(off, preset="here", model="m", here=True),)))
    assert "Pictures stay on this machine" in shown.text("local_model.model")
    test.click()
    assert shown.text("local_model.result") == TESTING
    assert not test.isEnabled()
    shown.find(QPushButton, "local_model.stop").click()
    assert shown.notes.calls[-2:] == [("try_model", "local_model"), ("stop_trial",)]
    shown.window.take(TrialResult(table="local_model", stopped=True))
    assert shown.text("local_model.result").startswith("Stopped")
    assert test.isEnabled()


def test_a_shortcut_is_pressed_and_keys_that_somebody_has_are_told(shown: Shown) -> None:
    shown.window.take(state_of(replace(BEFORE, interface=InterfaceSettings(shortcut_card="Ctrl+Alt+J"))))
    shown.show("interface")
    button = shown.find(QPushButton, "interface.shortcut_ask")
    held = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    shown.taken.append("Ctrl+Alt+T")
    for key, modifiers, said in (
        (Qt.Key.Key_T, held, "belongs to another program"),
        (Qt.Key.Key_J, held, "a shortcut of Kairos already"),
        (Qt.Key.Key_A, Qt.KeyboardModifier.ShiftModifier, "cannot be taken"),
        (Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier, ""),
    ):
        button.click()
        assert shown.text("interface.shortcut_ask.keys") == RECORDING
        QTest.keyClick(button, key, modifiers)
        assert said in shown.text("interface.shortcut_ask.trouble")
        assert shown.text("interface.shortcut_ask.keys") == "none"
    assert not shown.notes.calls
    for key, modifiers in ((Qt.Key.Key_K, held), (Qt.Key.Key_Backspace, Qt.KeyboardModifier.NoModifier)):
        button.click()
        QTest.keyClick(button, key, modifiers)
    assert shown.notes.calls == [
        ("change", "interface.shortcut_ask", "Ctrl+Alt+K", ""),
        ("change", "interface.shortcut_ask", "", ""),
    ]


def test_a_damaged_file_is_named_and_closes_every_field(shown: Shown) -> None:
    shown.show("policy")
    damaged = Trouble(what="/f/settings.toml is not a valid settings file", remedy="correct or remove it")
    shown.window.take(state_of(trouble=damaged))
    assert "/f/settings.toml is not a valid settings file. Correct or remove it." in shown.text("trouble")
    assert not shown.find(QLineEdit, "policy.offers_per_hour").isEnabled()
    shown.window.take(state_of())
    assert shown.find(QLineEdit, "policy.offers_per_hour").isEnabled()
    assert not shown.text("trouble")


def test_the_ten_come_first_and_all_else_is_behind_advanced(shown: Shown) -> None:
    """Each with a sentence that follows what is set; by the keys alone, too."""
    listed = shown.find(QListWidget, "pages")
    hidden = [listed.item(row).isHidden() for row in range(listed.count())]
    assert hidden == [False, False, *[True] * len(pages())]
    keys = [key for essential in ESSENTIALS for key in essential.keys]
    assert list(shown.window._pages[""].rows) == keys
    assert "twice an hour" not in shown.text("effect.How often may I speak?")
    shown.window.take(state_of(replace(BEFORE, policy=PolicySettings(how_often="often"))))
    assert "twice an hour" in shown.text("effect.How often may I speak?")
    assert not shown.find(QWidget, "policy.how_often.reset").isHidden()
    listed.setFocus()
    QTest.keyClick(listed, Qt.Key.Key_Down)
    assert not any(listed.item(row).isHidden() for row in range(listed.count()))


def test_the_recording_is_turned_on_only_with_a_yes_to_its_words(shown: Shown) -> None:
    shown.window.take(ChangeNeedsYes(key="capture.record_screen", value="on", words="a video"))
    assert question().accessibleName() == AGREE_RECORDING
    answer("agree")
    assert shown.notes.calls[-1] == ("change", "capture.record_screen", "on", "a video")


def test_autostart_is_a_switch_unless_a_file_made_by_hand_decides(shown: Shown) -> None:
    """Then it says so, and cannot be switched."""
    shown.show("")
    shown.find(TickBox, "autostart").click()
    assert shown.notes.calls == [("set_autostart", True)]
    shown.window.take(state_of(autostart=replace(OFF, state=AutostartState.BY_HAND, starts=True)))
    assert not shown.find(TickBox, "autostart").isEnabled()
    assert "left alone" in shown.text("autostart.text")


def test_closing_hands_over_what_was_typed_and_gives_all_back(qapp: QApplication) -> None:
    shown = Shown()
    shown.show("policy")
    line = shown.find(QLineEdit, "policy.offers_per_hour")
    line.setFocus()
    line.setText("3")
    gone: list[bool] = []
    shown.window.gone.connect(lambda: gone.append(True))
    shown.window.destroyed.connect(lambda: gone.append(False))
    shown.window.close()
    assert shown.notes.calls[-2:] == [("change", "policy.offers_per_hour", "3", ""), ("close",)]
    assert gone == [True]
    qapp.sendPostedEvents(None, int(QEvent.Type.DeferredDelete))
    assert gone == [True, False]
