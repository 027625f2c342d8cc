"""The window before the first frame: what is watched, what is kept, where, for how long, and separate choices.

Nothing is ticked beforehand, and without the journal there is no start. This is the one window of ours that takes
the focus: the person has just started it.
"""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics, QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from storage.consent_text import (
    CONSENT_JOURNAL,
    CONSENT_LEAD,
    CONSENT_QUIET,
    CONSENT_RECORDING,
    CONSENT_TITLE,
    CONTROLS_CHOICE,
    ConsentItem,
    consent_facts,
    words_digest,
)
from storage.ports import ConsentAnswer
from storage.settings import StorageSettings
from storage.translation import current_language, tr
from ui.theme import current_theme, scaled_font, style_sheet
from ui.widgets import BUTTON_HEIGHT, BUTTON_WIDTH, TICK_BOX, TICK_GAP, Prose, TickBox

WIDTH = 820
_MARGIN = 28
_TITLE_BAR = 48
"""Pixels left for what window managers draw around the window."""

_INDENT = TICK_BOX + 4 + TICK_GAP


class ConsentWindow(QDialog):
    """Asks; `answer` is None until "Start watching" was pressed."""

    def __init__(self, sessions_dir: Path, storage: StorageSettings, sent: str = "") -> None:
        """Lay the window out, hidden; ask with `exec`. `sent` says what is sent to models; empty: nothing."""
        super().__init__()
        self._theme = current_theme()
        self.answer: ConsentAnswer | None = None
        self.setWindowTitle(tr("Welcome to Kairos"))
        wide = self.fontMetrics().averageCharWidth() * 78
        self.setFixedWidth(max(WIDTH, min(wide, QGuiApplication.primaryScreen().availableGeometry().width())))
        self.setStyleSheet(
            style_sheet(self._theme)
            + f"QDialog {{ background: {self._theme.surface}; }}"
            + f"QFrame#choices {{ border: 1px solid {self._theme.edge}; border-radius: 8px; }}"
        )
        self._start = QPushButton(tr("&Start watching"))
        self._journal = self._make_box(CONSENT_JOURNAL, "journal")
        self._recording = self._make_box(CONSENT_RECORDING, "recording")
        self._controls = self._make_box(CONTROLS_CHOICE, "controls")
        self._quiet = self._make_box(CONSENT_QUIET, "quiet")
        self._lay_out(consent_facts(sessions_dir, storage, sent, current_language()))
        self._journal.toggled.connect(self._on_journal)
        self._on_journal(False)
        self._journal.setFocus()

    def _lay_out(self, facts: Sequence[ConsentItem]) -> None:
        """Stack title, facts and choices, which scroll where the screen is too low for them, and buttons below."""
        content = QWidget()
        content.setObjectName("content")
        column = QVBoxLayout(content)
        column.setContentsMargins(_MARGIN, 0, _MARGIN, 0)
        column.setSpacing(0)
        title = Prose(tr(CONSENT_TITLE), "title")
        title.setFont(scaled_font(1.6, QFont.Weight.DemiBold))
        column.addWidget(title)
        column.addSpacing(8)
        column.addWidget(Prose(tr(CONSENT_LEAD), "lead"))
        column.addSpacing(12)
        column.addLayout(self._make_facts(facts))
        column.addSpacing(12)
        column.addWidget(self._make_choices())
        area = self._make_area(content)
        buttons = self._make_buttons()
        buttons.setContentsMargins(_MARGIN, 0, _MARGIN, 0)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, _MARGIN - 4, 0, _MARGIN - 4)
        outer.setSpacing(12)
        outer.addWidget(area)
        outer.addLayout(buttons)
        area.setFixedHeight(0)
        rest = outer.totalSizeHint().height()
        full = column.totalHeightForWidth(self.width())
        height = min(full, QGuiApplication.primaryScreen().availableGeometry().height() - _TITLE_BAR - rest)
        policy = Qt.ScrollBarPolicy
        area.setVerticalScrollBarPolicy(policy.ScrollBarAlwaysOff if height == full else policy.ScrollBarAlwaysOn)
        area.setFixedHeight(height)
        self.setFixedHeight(rest + height)
        self.setTabOrder(self._journal, self._recording)
        self.setTabOrder(self._recording, self._controls)
        self.setTabOrder(self._controls, self._quiet)
        self.setTabOrder(self._quiet, self._start)

    def _make_area(self, content: QWidget) -> QScrollArea:
        """Make the part that can scroll."""
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # what has the focus is scrolled to
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setStyleSheet(f"QScrollArea, QWidget#content {{ background: {self._theme.surface}; }}")
        area.setWidget(content)
        return area

    def _make_facts(self, facts: Sequence[ConsentItem]) -> QGridLayout:
        """Make the table of what is watched and kept."""
        grid = QGridLayout()
        grid.setHorizontalSpacing(20)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        bold = scaled_font(1.0, QFont.Weight.DemiBold)
        head_width = max(QFontMetrics(bold).horizontalAdvance(fact.head) for fact in facts) + 1
        for row, fact in enumerate(facts):
            head = Prose(fact.head, f"head_{row}")
            head.setFont(bold)
            head.setFixedWidth(head_width)
            text = Prose(fact.text, f"fact_{row}", faint=True)
            grid.addWidget(head, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(text, row, 1)
        return grid

    def _make_choices(self) -> QFrame:
        """Make the frame with the choices and what each means."""
        frame = QFrame()
        frame.setObjectName("choices")
        column = QVBoxLayout(frame)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(4)
        boxes = {
            self._journal: CONSENT_JOURNAL,
            self._recording: CONSENT_RECORDING,
            self._controls: CONTROLS_CHOICE,
            self._quiet: CONSENT_QUIET,
        }
        for box, choice in boxes.items():
            text = Prose(tr(choice.text), f"{box.objectName()}_text", faint=True)
            text.setContentsMargins(_INDENT, 0, 0, 0)
            if box is not self._journal:
                column.addSpacing(5)
            column.addWidget(box)
            column.addWidget(text)
        return frame

    def _make_buttons(self) -> QHBoxLayout:
        """Make the row of buttons, the way on at the right."""
        row = QHBoxLayout()
        row.setSpacing(8)
        not_now = QPushButton(tr("&Not now"))
        not_now.setObjectName("not_now")
        not_now.setProperty("role", "chip")
        not_now.setAutoDefault(False)
        not_now.setMinimumSize(BUTTON_WIDTH, BUTTON_HEIGHT)
        not_now.clicked.connect(self.reject)
        self._start.setObjectName("start")
        self._start.setProperty("role", "primary")
        self._start.setDefault(True)
        self._start.setMinimumSize(BUTTON_WIDTH, BUTTON_HEIGHT)
        self._start.clicked.connect(self._agree)
        row.addStretch()
        row.addWidget(not_now)
        row.addWidget(self._start)
        return row

    def _on_journal(self, on: bool) -> None:
        """Without the journal there is nothing to start and nothing to record."""
        self._start.setEnabled(on)
        for box in (self._recording, self._controls, self._quiet):
            box.setEnabled(on)
            if not on:
                box.setChecked(False)

    def _agree(self) -> None:
        """Take the choices as they stand."""
        self.answer = ConsentAnswer(
            journal=True,
            recording=self._recording.isChecked(),
            quiet_first_day=self._quiet.isChecked(),
            controls=self._controls.isChecked(),
            language=current_language().code,
            text_sha256=words_digest(current_language()),
        )
        self.accept()

    def _make_box(self, choice: ConsentItem, name: str) -> TickBox:
        """Make a tick box, empty."""
        box = TickBox(tr(choice.head), name, self._theme)
        box.setFont(scaled_font(1.0, QFont.Weight.DemiBold))
        return box
