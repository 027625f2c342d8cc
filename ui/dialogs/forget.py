"""The question before something is forgotten, and what was: what goes, what cannot be reached, what stays."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QVBoxLayout, QWidget

from storage.timeline import ForgetReport
from storage.translation import tr
from ui.dialogs.window import AskedWindow
from ui.views.forget import CLOSE, FORGET_NOW, KEEP, view_forget
from ui.widgets import Prose, filled, make_area, make_wide_button

WIDTH_IN_CHARACTERS = 70
_FREE = 120


class ForgetWindow(AskedWindow):
    """Asks once, and for yes hands `forget` what it showed; with a report of what is done it says so."""

    def __init__(self, report: ForgetReport, forget: Callable[[ForgetReport], None]) -> None:
        """Lay the window out, hidden; show it with `appear`."""
        view = view_forget(report)
        super().__init__(view.title)
        self._report = report
        self._forget = forget
        self.setAccessibleName(view.title)
        content = QWidget()
        content.setObjectName("content")
        inner = filled(QVBoxLayout(content), spacing=4, margins=(0, 0, 8, 0))
        for number, (head, lines) in enumerate(view.parts):
            said = Prose("\n".join(f"•  {line}" for line in lines), f"lines_{number}", faint=number > 0)
            filled(inner, Prose(head, f"part_{number}", bold=True), said, 8, spacing=4)
        inner.addStretch()
        area = make_area(content, focus=True)
        area.setAccessibleName(view.title)
        area.setStyleSheet(f"QScrollArea {{ border: none; }} QWidget#content {{ background: {self.theme.surface}; }}")
        self.column.addWidget(area, 1)
        keep = make_wide_button(tr(CLOSE) if report.done else tr(KEEP), "keep", "chip", self.reject, default=True)
        self.forget_button = make_wide_button(tr(FORGET_NOW), "forget_now", "primary", self._go)
        self.add_buttons(*([keep] if report.done else [keep, self.forget_button]))
        available = QGuiApplication.primaryScreen().availableGeometry()
        width = min(self.fontMetrics().averageCharWidth() * WIDTH_IN_CHARACTERS, available.width() - _FREE)
        area.setMinimumHeight(min(inner.totalHeightForWidth(width - 60) + 4, available.height() - 3 * _FREE))
        self.setFixedWidth(width)
        self.resize(width, self.column.totalHeightForWidth(width))
        keep.setFocus(Qt.FocusReason.OtherFocusReason)

    def _go(self) -> None:
        """Forget, once."""
        self.forget_button.setEnabled(False)
        self._forget(self._report)
        self.accept()
