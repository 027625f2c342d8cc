"""The card of a study's question: at most three taps, one item after the other, and two ways not to answer.

It is as quiet as the card of an offer: it takes no focus and no key of the program below, never moves by itself, and a
click in the first moment is no answer. Who wants to answer by keyboard clicks its surface once; from then on it takes
keys: digits choose, Tab and Space press buttons, Escape is "not now". It goes when the question expires.
"""

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QFont, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from storage.records import AnswerKind
from storage.translation import tr, translatable
from ui.card.card import GUARD_MS
from ui.quiet_window import QuietWindow
from ui.theme import scaled_font
from ui.views.question import DECLINE, QuestionView
from ui.widgets import CHIP_HEIGHT, Prose, make_button

TITLE = "Kairos question"
"""WM_NAME of the card."""

KEYS = translatable("Click the card to answer by keyboard: digits choose, Escape is not now.")

Reply = Callable[[AnswerKind, Mapping[str, int]], None]


class QuestionCard(QuietWindow):
    """The window of one question. `reply` gets the kind of reply and the choices, at most once."""

    def __init__(self, view: QuestionView, reply: Reply, *, corner: str) -> None:
        """Lay the card out, hidden; show it with `appear`."""
        super().__init__(TITLE, corner=corner)
        self.view = view
        self._reply = reply
        self._armed = False
        self._choices: dict[str, int] = {}
        self._first: QPushButton | None = None
        self._lay_out()
        self._show_item()

    def appear(self, *, above: QWidget | None = None) -> None:
        """Show the card; answers count from a moment later."""
        super().appear(above=above)
        QTimer.singleShot(GUARD_MS, self, self._arm)

    def _lay_out(self) -> None:
        """Stack what stays: the heading, the words, a place for the choices, and the ways not to answer."""
        heading = QHBoxLayout()
        eyebrow = QLabel(self.view.eyebrow)
        eyebrow.setObjectName("eyebrow")
        self._place = QLabel()
        self._place.setObjectName("place")
        for label in (eyebrow, self._place):
            label.setProperty("role", "faint")
            label.setFont(scaled_font(0.9))
        heading.addWidget(eyebrow)
        heading.addStretch()
        heading.addWidget(self._place)
        self._words = Prose("", "words")
        self._words.setFont(scaled_font(1.15, QFont.Weight.DemiBold))
        self._rows = QVBoxLayout()
        self._rows.setSpacing(6)
        self.column.addLayout(heading)
        self.column.addSpacing(6)
        self.column.addWidget(self._words)
        self.column.addSpacing(12)
        self.column.addLayout(self._rows)
        self.column.addSpacing(12)
        self.column.addLayout(self._make_declines())

    def _make_declines(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(18)
        for kind, text, hint in DECLINE:
            button = make_button(tr(text), kind.value, "quiet")
            button.setToolTip(tr(hint))
            button.setAccessibleDescription(tr(hint))
            button.clicked.connect(lambda _=False, kind=kind: self._decline(kind))
            row.addWidget(button)
        row.addStretch()
        return row

    def _show_item(self) -> None:
        """Show the item that is next, with a button for each choice."""
        item = self.view.items[len(self._choices)]
        self._place.setText(item.place)
        self._words.setText(item.text)
        self._words.updateGeometry()
        self.setAccessibleName(f"{self.view.eyebrow}. {item.text}")
        self.setAccessibleDescription(tr(KEYS))
        self._words.setToolTip(tr(KEYS))
        self._clear_choices()
        self._first = None
        for number, text in enumerate(item.choices):
            button = make_button(text, f"choice-{number}", "choice")
            button.setAccessibleName(text)
            place = tr("{number} of {count}", number=number + 1, count=len(item.choices))
            button.setAccessibleDescription(f"{item.text} {place}")
            button.clicked.connect(lambda _=False, number=number: self._choose(number))
            self._first = self._first or button
            button.setMinimumHeight(CHIP_HEIGHT)
            self._rows.addWidget(button)
            button.show()  # one that is made later would be left out of the height

    def _clear_choices(self) -> None:
        while (entry := self._rows.takeAt(0)) is not None:
            widget = entry.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()

    def _arm(self) -> None:
        """Let answers count."""
        self._armed = True

    def _choose(self, number: int) -> None:
        """Note a choice; go on to the next item, or hand all of them over."""
        item = self.view.items[len(self._choices)]
        if not self._armed or number >= len(item.choices):
            return
        self._choices[item.code] = number
        if len(self._choices) < len(self.view.items):
            self._armed = False  # the second click of a double click is no answer to the next item
            QTimer.singleShot(GUARD_MS, self, self._arm)
            self._show_item()
            if self.takes_keys:
                self.take_keys(self._first)
            self.settle()
            return
        self._finish(AnswerKind.ANSWERED, self._choices)

    def _decline(self, kind: AnswerKind) -> None:
        """Hand over that the person does not answer; of a study's question what they had chosen is left out."""
        if self._armed:
            self._finish(kind, self._choices if self.view.keeps_partial else {})

    def _finish(self, kind: AnswerKind, choices: Mapping[str, int]) -> None:
        self._armed = False
        self._reply(kind, choices)
        self.close()

    # ------------------------------------------------------------ keyboard, once it was asked for

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """Take the keyboard: somebody clicked the card itself, and no button."""
        super().mousePressEvent(event)
        self.take_keys(self._first)

    def reach(self) -> None:
        """Give the card the keyboard, beginning at the first choice."""
        self.take_keys(self._first)

    def dismiss(self) -> None:
        """Answer "not now"."""
        self._decline(AnswerKind.NOT_NOW)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        """Digits choose, from 1 on; Escape is "not now"."""
        number = event.key() - Qt.Key.Key_1
        if event.key() == Qt.Key.Key_Escape:
            self._decline(AnswerKind.NOT_NOW)
        elif 0 <= number < len(self.view.items[len(self._choices)].choices):
            self._choose(number)
        else:
            super().keyPressEvent(event)
