"""Words that may name commands, with a button for each that a window of ours carries out."""

from functools import partial

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from ui.views.acts import carry_out, with_buttons
from ui.widgets import CHIP_HEIGHT, Prose, beside, clear, filled, make_wide_button

_BESIDE, _BELOW = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
_WIDE_IN_CHARACTERS = 70


class Told(QWidget):
    """Running text, as `Prose`, with its buttons beside it, or below where there is little room."""

    def __init__(self, text: str, name: str, *, faint: bool = False, role: str = "") -> None:
        """Show a text, or nothing."""
        super().__init__()
        self._words = Prose("", name, faint=faint, role=role)
        self._buttons = beside()
        self._layout = filled(QBoxLayout(_BESIDE, self), self._words, self._buttons, spacing=6, margins=(0, 0, 0, 0))
        self._layout.setStretch(0, 1)
        self.say(text)

    def text(self) -> str:
        """Return what is shown."""
        return self._words.text()

    def say(self, text: str) -> None:
        """Show a text in place of the one before, or nothing."""
        said, acts = with_buttons(text)
        clear(self._buttons)
        for act in acts:
            button = make_wide_button(act.text, f"act_{act.target.name.lower()}", "chip", partial(carry_out, act))
            button.setMinimumSize(0, CHIP_HEIGHT)
            self._buttons.addWidget(button)
            button.show()  # else the window is measured without it
        if acts:
            self._buttons.addStretch()
        self._words.say(said)
        if not text:
            self.hide()
        elif self.parentWidget() is not None:  # else it would be a window of its own for an instant, and take the focus
            self.show()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        """Put the buttons where there is room."""
        is_wide = self.width() >= _WIDE_IN_CHARACTERS * self.fontMetrics().averageCharWidth()
        self._layout.setDirection(_BESIDE if is_wide else _BELOW)
        super().resizeEvent(event)
