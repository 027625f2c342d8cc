"""Windows that somebody asked for, or that come before everything else."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from storage.consent_text import CONSENT_UNWATCHED
from storage.settings import StorageSettings
from storage.translation import tr
from tests.fakes.ui.interface import button
from tests.fakes.ui.windows import cut_texts
from ui.consent import ConsentWindow
from ui.dialogs.window import LimitsWindow
from ui.theme import scaled_font
from ui.translation.language import speak
from ui.widgets import _WIDTHS, Prose


def test_what_will_not_work_is_said_and_closed_by_return(qapp: QApplication) -> None:
    window = LimitsWindow("No program may watch here. " * 12)
    gone: list[bool] = []
    window.gone.connect(lambda: gone.append(True))
    window.appear()
    assert cut_texts(window) == []
    assert [button.objectName() for button in window.findChildren(QPushButton)] == ["close"]
    QTest.keyClick(window, Qt.Key.Key_Return)
    qapp.processEvents()
    assert gone == [True]


def test_a_text_is_as_tall_as_what_it_says_now(qapp: QApplication) -> None:
    """What it remembers is of its words, its type and its width, and bounded."""
    text = Prose("Some words. " * 20, "lead")
    heights = [text.heightForWidth(300)]
    text.say("Some words. " * 60)
    heights.append(text.heightForWidth(300))
    text.setFont(scaled_font(2.0))
    heights += [text.heightForWidth(width) for width in (300, 200)]
    assert heights == sorted(set(heights))
    assert [text.heightForWidth(width) for width in range(200, 301, 5)][::20] == heights[:1:-1]
    assert len(text._heights) == _WIDTHS


@pytest.mark.parametrize("language", ["en", "de"])
def test_who_comes_back_is_told_what_is_still_stored(qapp: QApplication, tmp_path: Path, language: str) -> None:
    """Never that nothing has been watched; control: to somebody new that is said."""
    speak(language)
    try:
        windows = [ConsentWindow(tmp_path, StorageSettings())]
        for name in ("20261118-120000-abcd", "20261119-120000-abcd"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "session.db").touch()
        windows.append(ConsentWindow(tmp_path, StorageSettings()))
        watched = tr(CONSENT_UNWATCHED)
        texts = [lead.text() for window in windows for lead in window.findChildren(Prose, "lead")]
        assert [watched in text for text in texts] == [True, False]
        assert ". 2 Si" in texts[1] or ". 2 sessions are still stored" in texts[1]
    finally:
        speak("en")


@pytest.mark.parametrize(("is_done", "said"), [(True, "What was stored is deleted."), (False, "Not all of it")])
def test_what_is_still_stored_is_kept_or_deleted_at_the_second_press(
    qapp: QApplication, tmp_path: Path, is_done: bool, said: str
) -> None:
    """Nothing goes for one press; without anything stored nothing is asked."""
    deleted: list[bool] = []

    def forget_all() -> bool:
        deleted.append(True)
        return is_done

    (tmp_path / "20261118-120000-abcd").mkdir()
    (tmp_path / "20261118-120000-abcd" / "session.db").touch()
    kept, gone, new = (
        ConsentWindow(folder, StorageSettings(), forget_all=forget_all)
        for folder in (tmp_path, tmp_path, tmp_path / "none")
    )
    for window in (kept, gone, new):
        window.show()
    assert [bool(window.findChildren(QPushButton, "delete")) for window in (kept, gone, new)] == [True, True, False]
    button(kept, "keep").click()
    assert not button(kept, "delete").isVisible()
    button(gone, "delete").click()
    assert deleted == []
    button(gone, "delete").click()
    assert deleted == [True]
    assert [lead.text().startswith(said) for lead in gone.findChildren(Prose, "lead")] == [True]
    assert not button(gone, "delete").isVisible()
