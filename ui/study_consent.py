"""The window in which a person joins a study: who asks, the key in eight words, the whole text, a switch for each.

Nothing is switched on beforehand. What comes from the study is painted as plain text. The window is no taller than the
screen: then all of it but the buttons scrolls, and the consent text always scrolls in its own frame.
"""

from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

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
from ui.consent import ConsentDialog
from ui.theme import scaled_font
from ui.widgets import Prose, filled, make_area, make_line, make_text_frame, make_wide_button

WIDTH = 820
WIDTH_IN_CHARACTERS = 78
TEXT_LINES = 11  # how many lines of the consent text are seen at once
DIGEST = "SHA-256"  # the same in every language
_MARGIN = 28
_FREE = 60  # pixels of the screen that are left to its panels and to the window's frame


class StudyConsentWindow(ConsentDialog):
    """Asks; `answer` is None until "Take part" was pressed."""

    def __init__(self, view: StudyInvitationView) -> None:
        """Lay the window out, hidden; ask with `exec`."""
        super().__init__(tr("Kairos study"))
        self._view = view
        self.answer: StudyConsentAnswer | None = None
        self._boxes = {
            choice.code: self.make_box(tr(choice.head).replace("&", "&&"), choice.code) for choice in view.choices
        }
        self._text = self._make_text(view.text)
        self._join = make_wide_button(tr("&Take part"), "join", "primary", self._agree, default=True)
        self._not_now = make_wide_button(tr("&Not now"), "not_now", "chip", self.reject)
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
        column = self._fill(QVBoxLayout(content))
        self._area = make_area(content, "area")
        buttons = self.make_buttons(self._hint, self._not_now, self._join, (_MARGIN, 10, _MARGIN, _MARGIN - 8))
        buttons.setStretchFactor(self._hint, 1)
        buttons.setAlignment(self._hint, Qt.AlignmentFlag.AlignVCenter)
        outer = filled(QVBoxLayout(self), self._area, make_line(), buttons, spacing=0, margins=(0, 0, 0, 0))
        outer.setStretchFactor(self._area, 1)
        needed = column.totalHeightForWidth(width) + buttons.totalHeightForWidth(width)
        tallest = max(200, available.height() - _FREE)
        if needed > tallest:  # the scroll bar takes from the width
            width = min(most, width + self._area.verticalScrollBar().sizeHint().width())
        self.resize(width, min(needed, tallest))
        self.setMinimumWidth(min(width, WIDTH))
        for before, after in pairwise((self._text, *self._boxes.values(), self._not_now, self._join)):
            self.setTabOrder(before, after)

    def _fill(self, column: QVBoxLayout) -> QVBoxLayout:
        view = self._view
        title = Prose(tr(RENEW_TITLE) if view.renewed else tr(JOIN_TITLE), "title", size=1.6, bold=True)
        lead = Prose(tr(RENEW_LEAD) if view.renewed else tr(JOIN_LEAD), "lead")
        heading = Prose(tr("Consent text, version {version}", version=view.version), "text_heading", bold=True)
        digest = Prose(f"{DIGEST} {view.text_sha256}", "digest", faint=True)
        digest.setFont(_fixed_font(0.8))
        choices = self.make_choices([(self._boxes[choice.code], tr(choice.text)) for choice in view.choices])
        parts = (
            *(title, 6, lead, 12, self.make_facts(self._facts()), 14, heading, 4, self._text, 4, digest, 14),
            *(choices, 10, Prose(tr(LEAVE_NOTE), "leave", faint=True), None),
        )
        return filled(column, *parts, spacing=0, margins=(_MARGIN, _MARGIN - 4, _MARGIN, 12))

    def _facts(self) -> list[tuple[str, str, bool]]:
        view = self._view
        days = tr("{days} days, in this order:", days=view.days)
        return [
            (tr("Study"), view.title, True),
            (tr("Who asks"), f"{view.contact}\n{tr('Ethics: {ethics}', ethics=view.ethics)}", False),
            (tr("Its key"), " ".join(view.words), True),
            ("", tr(WORDS_NOTE), False),
            (tr("How long"), "\n".join((days, *_points(view.phases))), False),
            (tr("Besides"), "\n".join(_points(view.facts)), False),
        ]

    def _make_text(self, text: str) -> QPlainTextEdit:
        frame = make_text_frame(text, tr("Consent text"))
        frame.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        lines = min(TEXT_LINES, max(3, text.count("\n") + len(text) // WIDTH_IN_CHARACTERS + 1))
        frame.setFixedHeight(frame.fontMetrics().lineSpacing() * lines + 26)
        return frame

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
        if can_join(self._view, self._switched_on):
            self.answer = StudyConsentAnswer(switched_on=self._switched_on)
            self.accept()


def _points(lines: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"\u2022 {line}" for line in lines)


def _fixed_font(factor: float) -> QFont:
    """Return a font whose characters are equally wide, in the size of the person's own, larger or smaller."""
    font = scaled_font(factor)
    font.setFamilies(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).families())
    return font
