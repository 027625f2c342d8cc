"""The window in which a person joins a study: who asks, the key in eight words, the whole text, a switch for each.

Nothing is switched on beforehand. What comes from the study is painted as plain text. The window is no taller than the
screen: then all of it but the buttons scrolls, and the consent text always scrolls in its own frame.
"""

from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontDatabase, QFontMetrics, QGuiApplication, QTextOption
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from storage.study_text import (
    JOIN_LEAD,
    JOIN_TITLE,
    LEAVE_NOTE,
    NOTHING_CHOSEN,
    RENEW_LEAD,
    RENEW_TITLE,
    WORDS_NOTE,
    StudyConsentAnswer,
    StudyInvitationView,
    can_join,
)
from storage.translation import tr
from ui.theme import current_theme, scaled_font, style_sheet
from ui.widgets import BUTTON_HEIGHT, BUTTON_WIDTH, TICK_BOX, TICK_GAP, Prose, TickBox

WIDTH = 820
WIDTH_IN_CHARACTERS = 78
TEXT_LINES = 11
"""How many lines of the consent text are seen at once."""

DIGEST = "SHA-256"
"""The same in every language."""

_MARGIN = 28
_FREE = 60
"""Pixels of the screen that are left to its panels and to the window's frame."""

_INDENT = TICK_BOX + 4 + TICK_GAP


class StudyConsentWindow(QDialog):
    """Asks; `answer` is None until "Take part" was pressed."""

    def __init__(self, view: StudyInvitationView) -> None:
        """Lay the window out, hidden; ask with `exec`."""
        super().__init__()
        self._theme = current_theme()
        self._view = view
        self.answer: StudyConsentAnswer | None = None
        self.setWindowTitle(tr("Kairos study"))
        self.setStyleSheet(
            style_sheet(self._theme)
            + f"QDialog, QWidget#content {{ background: {self._theme.surface}; }}"
            + f"QFrame#choices, QPlainTextEdit {{ border: 1px solid {self._theme.edge}; border-radius: 8px; }}"
            + f"QPlainTextEdit {{ color: {self._theme.text}; background: {self._theme.surface}; padding: 6px; }}"
            + f"QPlainTextEdit:focus {{ border-color: {self._theme.accent}; }}"
            + f"QScrollArea {{ border: none; }} QFrame#line {{ background: {self._theme.edge}; border: none; }}"
        )
        self._boxes = {choice.code: self._make_box(choice.head, choice.code) for choice in view.choices}
        self._text = self._make_text(view.text)
        self._join = QPushButton(tr("&Take part"))
        self._not_now = QPushButton(tr("&Not now"))
        self._hint = Prose(tr(NOTHING_CHOSEN), "hint", faint=True)
        self._lay_out()
        for box in self._boxes.values():
            box.toggled.connect(self._on_switch)
        self._on_switch()
        self._text.setFocus()

    # ------------------------------------------------------------ what is shown

    def _lay_out(self) -> None:
        """Put everything but the buttons into one area that scrolls where the screen is too small."""
        available = QGuiApplication.primaryScreen().availableGeometry()
        most = max(200, available.width() - _FREE)
        width = min(most, max(WIDTH, self.fontMetrics().averageCharWidth() * WIDTH_IN_CHARACTERS))
        content = QWidget()
        content.setObjectName("content")
        column = QVBoxLayout(content)
        column.setContentsMargins(_MARGIN, _MARGIN - 4, _MARGIN, 12)
        column.setSpacing(0)
        self._fill(column)
        area = QScrollArea()
        area.setObjectName("area")
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(content)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(area, 1)
        line = QFrame()
        line.setObjectName("line")
        line.setFixedHeight(1)
        outer.addWidget(line)
        buttons = self._make_buttons()
        outer.addLayout(buttons)
        needed = column.totalHeightForWidth(width) + buttons.totalHeightForWidth(width)
        tallest = max(200, available.height() - _FREE)
        if needed > tallest:  # the scroll bar takes from the width
            width = min(most, width + area.verticalScrollBar().sizeHint().width())
        self.resize(width, min(needed, tallest))
        self.setMinimumWidth(min(width, WIDTH))
        self._area = area
        order: list[QWidget] = [self._text, *self._boxes.values(), self._not_now, self._join]
        for before, after in pairwise(order):
            self.setTabOrder(before, after)

    def _fill(self, column: QVBoxLayout) -> None:
        """Stack title, facts, text and switches."""
        view = self._view
        title = Prose(tr(RENEW_TITLE) if view.renewed else tr(JOIN_TITLE), "title")
        title.setFont(scaled_font(1.6, QFont.Weight.DemiBold))
        column.addWidget(title)
        column.addSpacing(6)
        column.addWidget(Prose(tr(RENEW_LEAD) if view.renewed else tr(JOIN_LEAD), "lead"))
        column.addSpacing(12)
        column.addLayout(self._make_facts())
        column.addSpacing(14)
        heading = Prose(tr("Consent text, version {version}", version=view.version), "text_heading")
        heading.setFont(scaled_font(1.0, QFont.Weight.DemiBold))
        column.addWidget(heading)
        column.addSpacing(4)
        column.addWidget(self._text)
        column.addSpacing(4)
        digest = Prose(f"{DIGEST} {view.text_sha256}", "digest", faint=True)
        digest.setFont(_fixed_font(0.8))
        column.addWidget(digest)
        column.addSpacing(14)
        column.addWidget(self._make_choices())
        column.addSpacing(10)
        column.addWidget(Prose(tr(LEAVE_NOTE), "leave", faint=True))
        column.addStretch()

    def _make_facts(self) -> QGridLayout:
        """Make the table of who asks, the key's words, days and phases."""
        view = self._view
        rows: list[tuple[str, str, bool]] = [
            (tr("Study"), view.title, True),
            (tr("Who asks"), f"{view.contact}\n{tr('Ethics: {ethics}', ethics=view.ethics)}", False),
            (tr("Its key"), " ".join(view.words), True),
            ("", tr(WORDS_NOTE), False),
            (
                tr("How long"),
                "\n".join((tr("{days} days, in this order:", days=view.days), *_points(view.phases))),
                False,
            ),
            (tr("Besides"), "\n".join(_points(view.facts)), False),
        ]
        grid = QGridLayout()
        grid.setHorizontalSpacing(20)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        bold = scaled_font(1.0, QFont.Weight.DemiBold)
        head_width = max(QFontMetrics(bold).horizontalAdvance(head) for head, _, _ in rows) + 1
        for row, (head, text, strong) in enumerate(rows):
            if not text:
                continue
            name = Prose(head, f"head_{row}")
            name.setFont(bold)
            name.setFixedWidth(head_width)
            words = Prose(text, f"fact_{row}", faint=not strong)
            if strong:
                words.setFont(bold)
            grid.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(words, row, 1)
        return grid

    def _make_text(self, text: str) -> QPlainTextEdit:
        """Make the frame with the consent text; Tab leaves it, arrows and the wheel move it."""
        frame = QPlainTextEdit()
        frame.setObjectName("text")
        frame.setPlainText(text)
        frame.setReadOnly(True)
        frame.setTabChangesFocus(True)
        frame.setUndoRedoEnabled(False)
        frame.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        frame.setAccessibleName(tr("Consent text"))
        frame.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        lines = min(TEXT_LINES, max(3, text.count("\n") + len(text) // WIDTH_IN_CHARACTERS + 1))
        frame.setFixedHeight(frame.fontMetrics().lineSpacing() * lines + 26)
        return frame

    def _make_choices(self) -> QFrame:
        """Make the frame with the switches and what each means."""
        frame = QFrame()
        frame.setObjectName("choices")
        column = QVBoxLayout(frame)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(4)
        for at, choice in enumerate(self._view.choices):
            text = Prose(tr(choice.text), f"{choice.code}_text", faint=True)
            text.setContentsMargins(_INDENT, 0, 0, 0)
            if at:
                column.addSpacing(5)
            column.addWidget(self._boxes[choice.code])
            column.addWidget(text)
        return frame

    def _make_buttons(self) -> QHBoxLayout:
        """Make the row of buttons, the way on at the right, with what is missing beside them."""
        row = QHBoxLayout()
        row.setContentsMargins(_MARGIN, 10, _MARGIN, _MARGIN - 8)
        row.setSpacing(8)
        self._not_now.setObjectName("not_now")
        self._not_now.setProperty("role", "chip")
        self._not_now.setAutoDefault(False)
        self._not_now.clicked.connect(self.reject)
        self._join.setObjectName("join")
        self._join.setProperty("role", "primary")
        self._join.setDefault(True)
        self._join.clicked.connect(self._agree)
        for button in (self._not_now, self._join):
            button.setMinimumSize(BUTTON_WIDTH, BUTTON_HEIGHT)
        row.addWidget(self._hint, 1, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self._not_now)
        row.addWidget(self._join)
        return row

    def _make_box(self, head: str, code: str) -> TickBox:
        """Make a switch, off."""
        box = TickBox(tr(head).replace("&", "&&"), code, self._theme)
        box.setFont(scaled_font(1.0, QFont.Weight.DemiBold))
        return box

    # ------------------------------------------------------------ what the person does

    @property
    def _switched_on(self) -> tuple[str, ...]:
        return tuple(code for code, box in self._boxes.items() if box.isChecked())

    def _on_switch(self) -> None:
        """Turn off what needs a switch that is off; without any switch there is nothing to take part with."""
        for choice in self._view.choices:
            if choice.needs is not None:
                usable = choice.needs in self._switched_on
                self._boxes[choice.code].setEnabled(usable)
                if not usable:
                    self._boxes[choice.code].setChecked(False)
        ready = can_join(self._view, self._switched_on)
        self._join.setEnabled(ready)
        self._hint.setText("" if ready else tr(NOTHING_CHOSEN))

    def _agree(self) -> None:
        """Take the switches as they stand."""
        if can_join(self._view, self._switched_on):
            self.answer = StudyConsentAnswer(switched_on=self._switched_on)
            self.accept()


def _points(lines: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"\u2022 {line}" for line in lines)


def _fixed_font(factor: float, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """Return a font whose characters are equally wide, in the size of the person's own, larger or smaller."""
    font = scaled_font(factor, weight)
    font.setFamilies(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).families())
    return font
