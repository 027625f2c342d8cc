"""The card: one offer of help, its reason, the ways to answer it, and behind "Show me" the steps of a page.

It never takes focus and never moves by itself. The "Show me" button stands at `storage.ports.ACCEPT_POINT`. A click
in the first moment is not an answer: it was meant for the program that the card has just covered.
"""

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from storage.ports import CARD_TITLE
from storage.records import FeedbackKind
from ui.quiet_window import QuietWindow
from ui.theme import Theme, scaled_font
from ui.views.card import ACCEPT, DISMISS, FOLDED_STEPS, MORE, Button, CardView, StepView, named
from ui.widgets import BUTTON_HEIGHT, BUTTON_WIDTH, Prose, make_button

_Layout = TypeVar("_Layout", QVBoxLayout, QHBoxLayout)

GUARD_MS = 400
"""A click this soon after the card appeared is no answer; a guess, above the time of a reflex."""

ADVICE_MS = 120_000
"""How long advice stays without being closed; a guess."""

LINGER_MS = 10_000
"""How long it stays on when the pointer is still over it."""


NUMBER_SIZE = 22
"""Width and height of a step's number."""


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
        self._steps: list[StepRow] = []
        self._fold: QWidget | None = None
        self._lay_out()
        if view.asked:
            self._open()

    def appear(self, *, above: QWidget | None = None) -> None:
        """Show the card; answers count from a moment later."""
        super().appear(above=above)
        QTimer.singleShot(GUARD_MS, self, self._arm)

    def mark(self, number: int) -> None:
        """Mark the step that is next, and unfold the steps if it is among those folded."""
        for row in self._steps:
            row.mark(on=row.step.number == number)
            if row.step.number == number and row.isHidden():
                self._unfold()

    def _lay_out(self) -> None:
        """Stack the parts; those that come later are hidden."""
        eyebrow = Prose(self.view.eyebrow, "eyebrow", faint=True)
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
        if self.view.steps:
            column.addWidget(self._make_steps())
        else:
            column.addWidget(Prose(self.view.advice, "advice"))
        if self.view.guess:
            guess = Prose(f"It looks like: {self.view.guess} (a guess)", "guess", faint=True)
            guess.setFont(scaled_font(0.9))
            column.addWidget(guess)
        if self.view.note:
            note = Prose(self.view.note, "note", faint=True)
            note.setFont(scaled_font(0.9))
            column.addWidget(note)
        return part

    def _make_steps(self) -> QWidget:
        """Make the steps, those beyond the first few folded away."""
        part, column = _part(QVBoxLayout())
        column.setSpacing(8)
        self._steps = [StepRow(step, self._theme) for step in self.view.steps]
        for row in self._steps:
            column.addWidget(row)
        if self.view.fold_text:
            for row in self._steps[FOLDED_STEPS:]:
                row.hide()
            self._fold = make_button(self.view.fold_text, "fold", "quiet")
            self._fold.clicked.connect(self._unfold)
            line = QHBoxLayout()
            line.addWidget(self._fold)
            line.addStretch()
            column.addLayout(line)
        return part

    def _unfold(self) -> None:
        """Show all steps."""
        for row in self._steps:
            row.show()
        if self._fold is not None:
            self._fold.hide()
        self.settle()

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
        self._open()
        self.settle()

    def _open(self) -> None:
        """Show the help in place of the answers."""
        self.accepted = True
        self._more.hide()
        self._answers.hide()
        self._advice.show()
        self._end.show()
        self._stay.start(ADVICE_MS)

    def _leave(self) -> None:
        """Close advice that was left alone, unless the pointer rests on it."""
        if self.underMouse():
            self._stay.start(LINGER_MS)
        else:
            self.close()


class StepRow(QWidget):
    """One step: its number, which shows where somebody is, and its text."""

    def __init__(self, step: StepView, theme: Theme) -> None:
        """Lay the step out."""
        super().__init__()
        self.step = step
        self._theme = theme
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.setAccessibleName(step.spoken)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        self._number = QLabel(str(step.number + 1))
        self._number.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._number.setFixedSize(NUMBER_SIZE, NUMBER_SIZE)
        row.addWidget(self._number, 0, Qt.AlignmentFlag.AlignTop)
        texts = QVBoxLayout()
        texts.setSpacing(2)
        texts.addWidget(Prose(step.text, "step", faint=bool(step.remark)))
        if step.remark:
            remark = Prose(step.remark, "remark", faint=True)
            remark.setFont(scaled_font(0.9))
            texts.addWidget(remark)
        row.addLayout(texts, 1)
        self.mark(on=False)

    def mark(self, *, on: bool) -> None:
        """Show whether this is the step that is next."""
        theme = self._theme
        ground, ink = (theme.accent, theme.on_accent) if on else (theme.hover, theme.text)
        self._number.setStyleSheet(f"background: {ground}; color: {ink}; border-radius: {NUMBER_SIZE // 2}px;")


def _part(layout: _Layout) -> tuple[QWidget, _Layout]:
    """Make a widget around a layout without margins."""
    part = QWidget()
    part.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
    part.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    part.setLayout(layout)
    layout.setContentsMargins(0, 0, 0, 0)
    return part, layout
