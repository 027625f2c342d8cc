"""The window before the first frame: what is watched, what is kept, where, for how long, and separate choices.

Nothing is ticked beforehand, and without the journal there is no start. This is the one window of ours that takes
the focus: the person has just started it.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics, QGuiApplication
from PySide6.QtWidgets import QDialog, QFrame, QGridLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from storage.consent_text import (
    CONSENT_JOURNAL,
    CONSENT_LEAD,
    CONSENT_QUIET,
    CONSENT_RECORDING,
    CONSENT_STORED,
    CONSENT_TITLE,
    CONSENT_UNWATCHED,
    CONTROLS_CHOICE,
    SPEECH_CHOICE,
    ConsentItem,
    consent_facts,
    words_digest,
)
from storage.ports import ConsentAnswer
from storage.settings import StorageSettings
from storage.translation import current_language, tr, translatable
from ui.theme import current_theme, scaled_font, style_sheet
from ui.widgets import TICK_BOX, TICK_GAP, Margins, Part, Prose, TickBox, filled, make_area, make_wide_button

WIDTH = 820
_MARGIN = 28
_TITLE_BAR = 48  # pixels left for what window managers draw around the window
_WIDEN, _WIDEN_BY = 1.4, 20
"""How much wider the window gets at most, and in which steps, where the screen is too low for it."""

_BELOW = translatable("There is more below.")
_INDENT = TICK_BOX + 4 + TICK_GAP
_CHOICES = {
    "journal": CONSENT_JOURNAL,
    "recording": CONSENT_RECORDING,
    "speech": SPEECH_CHOICE,
    "controls": CONTROLS_CHOICE,
    "quiet": CONSENT_QUIET,
}


def stored_sessions(sessions_dir: Path) -> int:
    """Return how many sessions are stored."""
    return sum(1 for _ in sessions_dir.glob("*/session.db"))


def consent_lead(stored: int) -> str:
    """Say what Kairos is; who comes back is told what is still stored, in place of that nothing has been watched."""
    watched = tr(CONSENT_STORED, sessions=stored) if stored else tr(CONSENT_UNWATCHED)
    return f"{tr(CONSENT_LEAD)} {watched}"


class ConsentDialog(QDialog):
    """What both windows of consent have: headed facts, a frame of choices, and buttons that are always in sight."""

    def __init__(self, title: str) -> None:
        """Make the window, empty and hidden."""
        super().__init__()
        self.theme = current_theme()
        self.setWindowTitle(title)
        self.setStyleSheet(style_sheet(self.theme, "consent"))

    def make_facts(self, rows: Sequence[tuple[str, str, bool]]) -> QGridLayout:
        """Make a table of heads, texts, and whether a text is as strong as its head."""
        grid = QGridLayout()
        grid.setHorizontalSpacing(20)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        bold = QFontMetrics(scaled_font(1.0, QFont.Weight.DemiBold))
        head_width = max(bold.horizontalAdvance(head) for head, _, _ in rows) + 1
        for row, (head, text, strong) in enumerate(rows):
            if text:
                name = Prose(head, f"head_{row}", bold=True)
                name.setFixedWidth(head_width)
                grid.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop)
                grid.addWidget(Prose(text, f"fact_{row}", faint=not strong, bold=strong), row, 1)
        return grid

    def make_choices(self, choices: Sequence[tuple[TickBox, str]]) -> QFrame:
        """Make the frame with tick boxes and what each means."""
        frame = QFrame()
        frame.setObjectName("choices")
        parts: list[Part] = []
        for box, meaning in choices:
            text = Prose(meaning, f"{box.objectName()}_text", faint=True)
            text.setContentsMargins(_INDENT, 0, 0, 0)
            parts += [*([3] if parts else []), box, text]
        filled(QVBoxLayout(frame), *parts, spacing=4, margins=(16, 10, 16, 10))
        return frame

    def make_buttons(self, hint: Part, not_now: QPushButton, go: QPushButton, margins: Margins) -> QHBoxLayout:
        """Make the row of buttons, the way on at the right."""
        return filled(QHBoxLayout(), hint, not_now, go, spacing=8, margins=margins)

    def make_box(self, head: str, name: str) -> TickBox:
        """Make a tick box, empty."""
        box = TickBox(head, name, self.theme)
        box.setFont(scaled_font(1.0, QFont.Weight.DemiBold))
        return box


class ConsentWindow(ConsentDialog):
    """Asks; `answer` is None until "Start watching" was pressed."""

    def __init__(
        self,
        sessions_dir: Path,
        storage: StorageSettings,
        sent: str = "",
        desktop: Sequence[str] = (),
        forget_all: Callable[[], bool] | None = None,
    ) -> None:
        """Lay the window out, hidden; ask with `exec`. `sent` says what is sent to models; empty: nothing.

        `desktop` are lines about what this desktop does not tell in full. `forget_all` deletes what is still stored,
        and tells whether that is done.
        """
        super().__init__(tr("Welcome to Kairos"))
        self._desktop = desktop
        self._forget_all = forget_all
        self.answer: ConsentAnswer | None = None
        stored = stored_sessions(sessions_dir)
        self._lead = Prose(consent_lead(stored), "lead")
        self._keep = make_wide_button(tr("&Keep"), "keep", "chip", self._close_stored)
        self._delete = make_wide_button(tr("&Delete…"), "delete", "chip", self._delete_stored)
        self._stored = QWidget()
        filled(QHBoxLayout(self._stored), self._keep, self._delete, None, spacing=8, margins=(0, 6, 0, 0))
        self._has_stored = forget_all is not None and bool(stored)
        self._is_warned = False
        wide = self.fontMetrics().averageCharWidth() * 78
        self.setFixedWidth(max(WIDTH, min(wide, QGuiApplication.primaryScreen().availableGeometry().width())))
        self._start = make_wide_button(tr("&Start watching"), "start", "primary", self._agree, default=True)
        self._boxes = {name: self.make_box(tr(choice.head), name) for name, choice in _CHOICES.items()}
        self._lay_out(consent_facts(sessions_dir, storage, sent, current_language(), desktop))
        self._boxes["journal"].toggled.connect(self._on_journal)
        self._on_journal(False)
        self._boxes["journal"].setFocus()

    def _lay_out(self, facts: Sequence[ConsentItem]) -> None:
        content = QWidget()
        content.setObjectName("content")
        rows = [(fact.head, fact.text, False) for fact in facts]
        choices = [(self._boxes[name], tr(choice.text)) for name, choice in _CHOICES.items()]
        above: list[Part] = [Prose(tr(CONSENT_TITLE), "title", size=1.6, bold=True), 8, self._lead]
        above += [self._stored] if self._has_stored else []
        parts = (8, self.make_facts(rows), 8, self.make_choices(choices))
        column = filled(QVBoxLayout(content), *above, *parts, spacing=0, margins=(_MARGIN, 0, _MARGIN, 0))
        area = make_area(content)  # what has the focus is scrolled to
        not_now = make_wide_button(tr("&Not now"), "not_now", "chip", self.reject)
        below = Prose("", "below", faint=True)
        buttons = self.make_buttons(below, not_now, self._start, (_MARGIN, 0, _MARGIN, 0))
        buttons.setStretchFactor(below, 1)
        buttons.setAlignment(below, Qt.AlignmentFlag.AlignVCenter)
        outer = filled(QVBoxLayout(self), area, buttons, spacing=12, margins=(0, _MARGIN - 10, 0, _MARGIN - 10))
        area.setFixedHeight(0)
        rest = outer.totalSizeHint().height()
        screen = QGuiApplication.primaryScreen().availableGeometry()
        room = screen.height() - _TITLE_BAR - rest
        widths = range(self.width(), min(screen.width(), round(self.width() * _WIDEN)) + 1, _WIDEN_BY)
        width = next((wide for wide in widths if column.totalHeightForWidth(wide) <= room), self.width())
        self.setFixedWidth(width)
        full = column.totalHeightForWidth(width)
        height = min(full, room)
        policy, bar = Qt.ScrollBarPolicy, area.verticalScrollBar()
        area.setVerticalScrollBarPolicy(policy.ScrollBarAlwaysOff if height == full else policy.ScrollBarAlwaysOn)
        if height < full:
            below.setText(tr(_BELOW))
            bar.valueChanged.connect(lambda value: below.setText(tr(_BELOW) if value < bar.maximum() else ""))
        area.setFixedHeight(height)
        self.setFixedHeight(rest + height)
        for before, after in pairwise((*self._boxes.values(), self._start)):
            self.setTabOrder(before, after)

    def _close_stored(self) -> None:
        self._stored.hide()

    def _delete_stored(self) -> None:
        """Delete what is stored from before, once it was pressed again."""
        if not self._is_warned:
            self._is_warned = True
            self._delete.setText(tr("&Delete for good"))
            return
        self._close_stored()
        is_done = self._forget_all is not None and self._forget_all()
        left = tr("Not all of it could be deleted. See: kairos doctor")
        self._lead.say(tr("What was stored is deleted.") if is_done else left)

    def _on_journal(self, on: bool) -> None:
        """Without the journal there is nothing to start and nothing to record."""
        self._start.setEnabled(on)
        for name, box in self._boxes.items():
            if name != "journal":
                box.setEnabled(on)
                box.setChecked(on and box.isChecked())

    def _agree(self) -> None:
        self.answer = ConsentAnswer(
            journal=True,
            recording=self._boxes["recording"].isChecked(),
            quiet_first_day=self._boxes["quiet"].isChecked(),
            controls=self._boxes["controls"].isChecked(),
            speech=self._boxes["speech"].isChecked(),
            language=current_language().code,
            text_sha256=words_digest(current_language(), self._desktop),
        )
        self.accept()
