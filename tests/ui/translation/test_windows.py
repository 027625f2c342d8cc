"""Every window in another language: all of its words, keys that do not collide, and room for text of twice the size."""

import re
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QTabBar,
    QTabWidget,
    QWidget,
)

from storage.settings import setting_infos
from storage.translation import Language, install_language, phrase
from tests.fakes.ui.every_window import shown_windows
from tests.fakes.ui.windows import text_size
from tests.ui.translation.catalogue import find_sources
from ui.settings.window import SettingsWindow
from ui.translation.language import speak
from ui.widgets import TICK_BOX, TICK_GAP, Prose

SAME_EVERYWHERE = {
    "Kairos",
    "SHA",
    "GB",
    "MB",
    "kB",
    "s",
    "min",
    "h",
    "Kairos offer",
    "Kairos notice",
    "Kairos question",
    "Kairos ask",
}
"""Our name, units, and the names of windows that are only known by them: they have no title bar."""


NAMES = {choice for info in setting_infos().values() if info.others for choice in info.choices} | {"English", "Deutsch"}
"""Values of settings that are names: of detectors and policies, and languages, which are named in themselves."""


PLACE = re.compile(r"({[a-z_]+(?::[^{}|]*)?})")
"""A place in a sentence; one with forms of a plural has words of ours in it, and is left."""


class Bracketed(Language):
    """A language in which every sentence of the catalogue is marked, but not what is put into it, nor anything else."""

    code = "xx"
    sentences = frozenset(find_sources())

    def find(self, source: str) -> str:
        marked = PLACE.sub(r"⟧\1⟦", source)
        return f"⟦{marked}⟧" if source in self.sentences else source

    def weekday(self, day: object, *, short: bool = False) -> str:
        return "1"

    def month(self, day: object) -> str:
        return "1"


def texts_of(widget: QWidget) -> Iterator[str]:
    yield from (widget.windowTitle(), widget.toolTip(), widget.accessibleName(), widget.accessibleDescription())
    if isinstance(widget, (QAbstractButton, QLabel)):
        yield widget.text()
    if isinstance(widget, QLineEdit):
        yield widget.placeholderText()
    if isinstance(widget, QComboBox):
        yield from (widget.itemText(place) for place in range(widget.count()))
    if isinstance(widget, QAbstractItemView) and (model := widget.model()) is not None:
        roles = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole)
        for row in range(model.rowCount()):
            yield from (str(model.index(row, 0).data(role) or "") for role in roles)
    if isinstance(widget, QTabWidget):
        yield from (widget.tabText(number) for number in range(widget.count()))
    if isinstance(widget, QMenu):
        yield from (action.text() for action in widget.findChildren(QAction))


def all_of(window: QWidget) -> list[QWidget]:
    """Return a window and its parts; not the arrows of a row of tabs, which Qt names."""
    return [window, *(part for part in window.findChildren(QWidget) if not isinstance(part.parent(), QTabBar))]


def untranslated(text: str) -> str:
    text, before = re.sub(r"<[^>]*>|\b[a-z_]+\.[a-z_]+\b", "", text), ""  # marks, names of settings
    while before != text:
        before, text = text, re.sub(r"⟦[^⟦⟧]*⟧", "", text)
    return " ".join(word for word in re.findall(r"[^\W\d_]+", text) if word not in SAME_EVERYWHERE | NAMES)


def test_every_word_of_every_window_is_translated(qapp: QApplication) -> None:
    install_language(Bracketed())
    try:
        with shown_windows() as windows:
            qapp.processEvents()
            said = {(name, text) for name, one in windows.items() for part in all_of(one) for text in texts_of(part)}
    finally:
        install_language(None)
    said = {(name, text) for name, text in said if text not in SAME_EVERYWHERE | NAMES}
    assert len(said) > 200
    assert {(name, text) for name, text in said if untranslated(text)} == set()
    assert untranslated("⟦Step 1⟧ Go on") == "Go on"  # the check can fail
    marked = Bracketed().say("{path} cannot be read: {why}", {"path": "1", "why": "no permission"})
    assert untranslated(marked) == "no permission"
    assert untranslated(Bracketed().find("a text of nobody")) == "a text of nobody"
    assert not untranslated(
        Bracketed().say("{path} cannot be read: {why}", {"path": "1", "why": phrase("Is a directory")})
    )


@pytest.fixture(scope="module")
def large_german(qapp: QApplication) -> Iterator[dict[str, QWidget]]:
    assert speak("de") == "de"
    with text_size(qapp), shown_windows() as windows:
        qapp.processEvents()
        yield windows
    speak("en")


def cut_off(window: QWidget) -> Iterator[str]:
    for part in all_of(window):
        name = f"{type(part).__name__} {part.objectName()}"
        if not part.isVisible():
            continue
        if isinstance(part, Prose):
            if part.height() < part.heightForWidth(part.width()):
                yield name
        elif isinstance(part, (QPushButton, QCheckBox, QLabel)):
            text = re.sub(r"&(.)", r"\1", part.text())
            taken = TICK_BOX + 4 + TICK_GAP if isinstance(part, QCheckBox) else 0
            if isinstance(part, QLabel) and part.wordWrap():
                if part.height() < part.heightForWidth(part.width()):
                    yield name
                continue
            lines = text.split("\n")
            if max(map(part.fontMetrics().horizontalAdvance, lines)) + taken > part.width() + 1:
                yield f"{name}: {text}"
            if part.fontMetrics().height() * len(lines) > part.height() + 1:
                yield f"{name}: {text} (height)"


def test_german_has_room_at_twice_the_text_size(qapp: QApplication, large_german: dict[str, QWidget]) -> None:
    assert {name: found for name, one in large_german.items() if (found := list(cut_off(one)))} == {}
    for name in ("asked_card", "nothing_card"):
        buttons = large_german[name].findChildren(QPushButton)
        card = large_german[name].rect()
        ends = [part.mapTo(large_german[name], part.rect().topRight()).x() for part in buttons if part.isVisible()]
        assert max(ends) < card.right(), name
    settings = large_german["settings"]
    assert isinstance(settings, SettingsWindow)
    for row in range(settings._list.count()):
        settings._list.setCurrentRow(row)
        qapp.processEvents()
        assert list(cut_off(settings)) == [], row
    label = QLabel("a text that is far too wide", large_german["limits"])
    label.setFixedWidth(20)
    label.show()
    assert len(list(cut_off(large_german["limits"]))) == 1  # the check can fail


def test_keys_are_unique_in_every_window(large_german: dict[str, QWidget]) -> None:
    keys = 0
    for name, window in large_german.items():
        buttons = window.findChildren(QPushButton) + window.findChildren(QCheckBox)
        shown = [button.text().replace("&&", "") for button in buttons if button.isVisible()]
        found = re.findall(r"&(\w)", " ".join(shown).lower())
        assert len(found) == len(set(found)), (name, found)
        keys += len(found)
    assert keys > 15
