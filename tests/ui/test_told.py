"""Words with buttons for the commands they name: a part of a window, never one of its own."""

import pytest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from ui.told import Told


@pytest.mark.parametrize("text", ["What is wrong: see kairos doctor.", "Nothing is wrong."])
def test_it_is_on_the_screen_with_its_window_and_not_before(qapp: QApplication, text: str) -> None:
    """A window of its own, for an instant, would take the keyboard from whoever types."""
    told, empty, window = Told(text, "told"), Told("", "empty"), QWidget()
    assert not told.isVisible()
    layout = QVBoxLayout(window)
    layout.addWidget(told)
    layout.addWidget(empty)
    window.show()
    assert (told.isVisible(), empty.isVisible()) == (True, False)
    told.say("")
    empty.say(text)
    assert (told.isVisible(), empty.isVisible()) == (False, True)
    window.close()
