"""The card: one offer of help, its reason, and the ways to answer it.

It never takes focus and never moves by itself. The "Show me" button stands at `storage.ports.ACCEPT_POINT`. A click
in the first moment is not an answer: it was meant for the program that the card has just covered.
"""

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from storage.ports import CARD_TITLE
from storage.records import FeedbackKind
from ui.quiet_window import QuietWindow
from ui.theme import scaled_font
from ui.views.card import ACCEPT, DISMISS, MORE, Button, CardView, named
from ui.widgets import BUTTON_HEIGHT, BUTTON_WIDTH, Prose, make_button

_Layout = TypeVar("_Layout", QVBoxLayout, QHBoxLayout)

GUARD_MS = 400
"""A click this soon after the card appeared is no answer; a guess, above the time of a reflex."""

ADVICE_MS = 120_000
"""How long advice stays without being closed; a guess."""

LINGER_MS = 10_000
"""How long it stays on when the pointer is still over it."""


class Card(QuietWindow):
    """The window of one offer. `answer` gets the kind of each answer, at most once."""

    def __init__(self, view: CardView, answer: Callable[[FeedbackKind], None], *, corner: str) -> None:
        """Lay the card out, hidden; show it with `appear`."""
        super().__init__(CARD_TITLE, corner=corner)
        self.view = view
        self.accepted = False
        self._answer = answer
        self._armed = False
        self._stay = QTimer(self, singleShot=True)
        self._stay.timeout.connect(self._leave)
        self._lay_out()

    def appear(self, *, above: QWidget | None = None) -> None:
        """Show the card; answers count from a moment later."""
        super().appear(above=above)
        QTimer.singleShot(GUARD_MS, self, self._arm)

    def _lay_out(self) -> None:
        """Stack the parts; those that come later are hidden."""
        eyebrow = Prose("Kairos", "eyebrow", faint=True)
        eyebrow.setFont(scaled_font(0.9))
        title = Prose(self.view.title, "title")
        title.setFont(scaled_font(1.3, QFont.Weight.DemiBold))
        reason = Prose(self.view.reason, "reason", faint=True)
        self.column.addWidget(eyebrow)
        self.column.addSpacing(4)
        self.column.addWidget(title)
        self.column.addSpacing(6)
        self.column.addWidget(reason)
        self._advice = self._make_advice()
        self.column.addWidget(self._advice)
        self._more = self._make_more()
        self.column.addWidget(self._more)
        self.column.addSpacing(18)
        self._answers = self._make_answers()
        self.column.addWidget(self._answers)
        self._end = self._make_end()
        self.column.addWidget(self._end)
        for later in (self._advice, self._more, self._end):
            later.hide()

    def _make_advice(self) -> QWidget:
        """Make the part with the help itself."""
        part, column = _part(QVBoxLayout())
        column.setContentsMargins(0, 14, 0, 0)
        column.setSpacing(14)
        rule = QFrame()
        rule.setFixedHeight(1)
        rule.setStyleSheet(f"background: {self._theme.edge};")
        column.addWidget(rule)
        column.addWidget(Prose(self.view.advice, "advice"))
        if self.view.note:
            note = Prose(self.view.note, "note", faint=True)
            note.setFont(scaled_font(0.9))
            column.addWidget(note)
        return part

    def _make_more(self) -> QWidget:
        """Make the rows of the less common answers."""
        part, column = _part(QVBoxLayout())
        column.setContentsMargins(0, 16, 0, 0)
        column.setSpacing(8)
        for line in MORE:
            row = QHBoxLayout()
            row.setSpacing(8)
            for button in line:
                row.addWidget(self._make_answer(named(button, self.view.about), "chip"))
            row.addStretch()
            column.addLayout(row)
        return part

    def _make_answers(self) -> QWidget:
        """Make the row that is always there: the accept button first, where `ACCEPT_POINT` says."""
        part, row = _part(QHBoxLayout())
        row.setSpacing(8)
        accept = self._make_answer(ACCEPT, "primary")
        accept.setMinimumWidth(BUTTON_WIDTH)
        row.addWidget(accept)
        row.addWidget(self._make_answer(DISMISS, ""))
        row.addStretch()
        more = make_button("⋯", "more", "icon")
        more.setFixedWidth(BUTTON_HEIGHT)
        more.setFont(scaled_font(1.5, QFont.Weight.Bold))
        more.setToolTip("Other answers")
        more.setAccessibleName("Other answers")
        more.clicked.connect(self._toggle_more)
        row.addWidget(more)
        return part

    def _make_end(self) -> QWidget:
        """Make the row under the advice: closing is on the right, clear of the accept button's place."""
        part, row = _part(QHBoxLayout())
        row.addStretch()
        close = make_button("Close", "close", "chip")
        close.setMinimumHeight(BUTTON_HEIGHT)
        close.clicked.connect(self.close)
        row.addWidget(close)
        return part

    def _make_answer(self, button: Button, role: str) -> QWidget:
        """Make a button that answers the offer."""
        widget = make_button(button.text, button.kind.value, role)
        widget.setToolTip(button.hint)
        widget.clicked.connect(lambda: self._give(button.kind))
        return widget

    def _arm(self) -> None:
        """Let answers count."""
        self._armed = True

    def _toggle_more(self) -> None:
        """Show or hide the less common answers."""
        self._more.setVisible(self._more.isHidden())
        self.settle()

    def _give(self, kind: FeedbackKind) -> None:
        """Hand the answer over; stay with the advice if it was wanted, else leave."""
        if not self._armed:
            return
        self._armed = False
        self._answer(kind)
        if kind is not FeedbackKind.ACCEPTED:
            self.close()
            return
        self.accepted = True
        self._more.hide()
        self._answers.hide()
        self._advice.show()
        self._end.show()
        self.settle()
        self._stay.start(ADVICE_MS)

    def _leave(self) -> None:
        """Close advice that was left alone, unless the pointer rests on it."""
        if self.underMouse():
            self._stay.start(LINGER_MS)
        else:
            self.close()


def _part(layout: _Layout) -> tuple[QWidget, _Layout]:
    """Make a widget around a layout without margins."""
    part = QWidget()
    part.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
    part.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    part.setLayout(layout)
    layout.setContentsMargins(0, 0, 0, 0)
    return part, layout
