"""A window that somebody asked for, so it may take the focus. What it shows is plain text."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QPushButton, QVBoxLayout

from ui.theme import current_theme, style_sheet
from ui.widgets import Prose, beside, bring_up, filled

MARGIN = 24
"""Free pixels inside the window's edge."""

WIDTH_IN_CHARACTERS = 62
"""Of a window that asks one question."""


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
