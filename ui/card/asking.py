"""The row of the card that asks a model: the button, "Stop" while an answer comes, then the field of a follow-up.

The field is the one place of the card that takes keys. It has them only after a click on it or the card's shortcut,
and gives them back on Enter and Escape (`keys_wanted`, `keys_done`).
"""

from enum import Enum, auto

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from storage.ports import QUESTION_LIMIT
from storage.translation import tr
from ui.card.parts import make_small
from ui.views.answer import FOLLOW_UP, FOLLOW_UP_HINT, STOP
from ui.views.card import AskView
from ui.widgets import BUTTON_HEIGHT, beside, filled, make_button


class Asking(Enum):
    """What the row offers."""

    NOTHING = auto()
    ASK = auto()
    STOP = auto()
    FIELD = auto()


class AskRow(QWidget):
    """Offers what can be done about a model's answer now."""

    ask = Signal(str)
    """Ask the model; the question that was typed, or nothing."""

    stop = Signal()
    keys_wanted = Signal()
    keys_done = Signal()

    def __init__(self, view: AskView) -> None:
        """Lay out button, hint, "Stop" and field; only what `offer` says is shown."""
        super().__init__()
        self._ask = make_button(view.text, "ask", "chip", lambda: self.ask.emit(""), height=BUTTON_HEIGHT)
        self._ask.setAccessibleDescription(view.hint)
        self._stop = make_button(tr(STOP), "stop", "chip", self.stop, height=BUTTON_HEIGHT)
        self._stop.setAccessibleName(tr("Stop the answer"))
        self._hint = make_small(view.hint, "ask_hint")
        self.field = QuestionField()
        self.field.setAccessibleDescription(f"{view.hint} {tr(FOLLOW_UP_HINT)}")
        self.field.asked.connect(self._on_asked)
        self.field.keys_wanted.connect(self.keys_wanted)
        self.field.keys_done.connect(self.keys_done)
        row = beside(self._ask, self._stop, None, spacing=-1)
        filled(QVBoxLayout(self), row, self.field, self._hint, spacing=6, margins=(0, 14, 0, 0))
        self.offered = Asking.NOTHING
        self.offer(Asking.NOTHING)

    def offer(self, what: Asking) -> None:
        """Show this and nothing else."""
        self.offered = what
        self._ask.setVisible(what is Asking.ASK)
        self._stop.setVisible(what is Asking.STOP)
        self.field.setVisible(what is Asking.FIELD)
        self._hint.setVisible(what in (Asking.ASK, Asking.FIELD))
        self.setVisible(what is not Asking.NOTHING)

    def _on_asked(self, question: str) -> None:
        self.keys_done.emit()
        self.ask.emit(question)


class QuestionField(QLineEdit):
    """A line of plain text. It leaves the keyboard where it is until it is clicked."""

    asked = Signal(str)
    keys_wanted = Signal()
    keys_done = Signal()

    def __init__(self) -> None:
        """Make the field, empty and without the keyboard."""
        super().__init__()
        self.setObjectName("question")
        self.setAccessibleName(tr(FOLLOW_UP))
        self.setPlaceholderText(tr(FOLLOW_UP))
        self.setMaxLength(QUESTION_LIMIT)
        self.setMinimumHeight(BUTTON_HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)  # a menu would grab the keyboard

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """Ask for the keyboard: somebody wants to type here."""
        self.keys_wanted.emit()
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        """Enter asks, Escape gives the keyboard back; everything else is typing."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            question = self.text().strip()
            if question:
                self.asked.emit(question)
            else:
                self.keys_done.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.keys_done.emit()
        else:
            super().keyPressEvent(event)
