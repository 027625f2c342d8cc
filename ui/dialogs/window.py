"""Windows that somebody asked for, so they may take the focus. What they show is plain text."""

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QPushButton, QVBoxLayout, QWidget

from storage.translation import tr, translatable
from ui.theme import current_theme, style_sheet
from ui.views.settings import CANCEL
from ui.widgets import Prose, beside, bring_up, filled, make_area, make_wide_button

LIMITS_TITLE = translatable("Kairos cannot watch this desktop")

MARGIN = 24  # free pixels inside the window's edge
WIDTH_IN_CHARACTERS = 62  # of a window that asks one question
SCROLLED_IN_CHARACTERS = 70
_BESIDE = 180  # pixels of the screen for all but the part that scrolls


class AskedWindow(QDialog):
    """A window for one showing: closing it emits `gone` and deletes it."""

    gone = Signal()

    def __init__(self, title: str) -> None:
        """Make the window, hidden, with its heading."""
        super().__init__()
        self.theme = current_theme()
        self.setWindowTitle(f"Kairos: {title}")
        self.setStyleSheet(style_sheet(self.theme, "asked"))
        self.column = filled(
            QVBoxLayout(self),
            Prose(title, "title", size=1.4, bold=True),
            spacing=10,
            margins=(MARGIN, MARGIN - 4, MARGIN, MARGIN - 4),
        )
        self.finished.connect(self._on_finished)

    def fit_question(self) -> None:
        """Give the window the width of a question, and the height that its text needs; the last step of laying out."""
        self.setFixedWidth(self.fontMetrics().averageCharWidth() * WIDTH_IN_CHARACTERS + 2 * MARGIN)
        self.setFixedHeight(self.column.totalHeightForWidth(self.width()))

    def add_scrolled(self, name: str, *, spacing: int) -> QVBoxLayout:
        """Return the column of a part that scrolls where the screen is too low for it; `fit_scrolled` is last."""
        content = QWidget()
        content.setObjectName("content")
        self._area = make_area(content, focus=True)
        self._area.setAccessibleName(name)
        self._area.setStyleSheet(f"QScrollArea {{ border: 0; }} #content {{ background: {self.theme.surface}; }}")
        self.column.addWidget(self._area, 1)
        return filled(QVBoxLayout(content), spacing=spacing, margins=(0, 0, 8, 0))

    def fit_scrolled(self, inner: QVBoxLayout) -> None:
        """Give the window a width and, as far as the screen has it, the height that its part that scrolls needs."""
        available = QGuiApplication.primaryScreen().availableGeometry()
        width = min(self.fontMetrics().averageCharWidth() * SCROLLED_IN_CHARACTERS, available.width() - 120)
        self._area.setMinimumHeight(min(inner.totalHeightForWidth(width - 60) + 4, available.height() - _BESIDE))
        self.setFixedWidth(width)
        self.resize(width, min(self.column.totalHeightForWidth(width), available.height() - 40))

    def appear(self) -> None:
        """Show the window in front."""
        bring_up(self)

    def add_buttons(self, *buttons: QPushButton) -> None:
        """Add the row of buttons, the way on at the right."""
        self.column.addLayout(beside(None, *buttons))

    def _on_finished(self) -> None:
        """Say that this window is over, whichever way it was closed, and give it back."""
        self.gone.emit()
        self.deleteLater()


class ConfirmWindow(AskedWindow):
    """Asks before something is agreed to or excluded; `go` is called for yes, `stay` for anything else."""

    def __init__(self, title: str, text: str, yes: str, go: Callable[[], None], stay: Callable[[], None]) -> None:
        """Lay the window out, hidden; show it with `appear`."""
        super().__init__(title)
        self._go, self._stay = go, stay
        self.setAccessibleName(title)
        self.setAccessibleDescription(text)
        self.column.addWidget(Prose(text, "text"))
        self.column.addSpacing(6)
        cancel = make_wide_button(tr(CANCEL), "cancel", "chip", self.reject, default=True)
        self.add_buttons(cancel, make_wide_button(yes, "agree", "primary", self.accept))
        self.fit_question()
        cancel.setFocus(Qt.FocusReason.OtherFocusReason)

    def done(self, result: int) -> None:
        """Hand the answer over, once."""
        super().done(result)
        (self._go if result == int(self.DialogCode.Accepted) else self._stay)()


class LimitsWindow(AskedWindow):
    """Says what will not work on a desktop where Kairos cannot do its work, and what to do."""

    def __init__(self, limits: str) -> None:
        """Lay the window out, hidden; show it with `exec`."""
        super().__init__(tr(LIMITS_TITLE))
        self.column.addWidget(Prose(tr(limits), "limits"))
        self.add_buttons(make_wide_button(tr("&Close"), "close", "primary", self.accept, default=True))
        self.fit_question()
