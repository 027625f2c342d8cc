"""The two windows that the tray opens for a study: what waits to be sent, and the question before somebody leaves.

Both were asked for by the person, so they may take the focus. What they show is plain text.
"""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase, QGuiApplication

from storage.translation import tr
from ui.dialogs.window import AskedWindow
from ui.views.study import LEAVE_KEEP, LEAVE_OUT, LEAVE_TEXT, LEAVE_TITLE, REVIEW_TITLE, ReviewView
from ui.widgets import Prose, TickBox, make_text_frame, make_wide_button

REVIEW_SIZE = (860, 560)
_FREE = 60


class ReviewWindow(AskedWindow):
    """What waits to be sent; `send` gets the digest of the last parcel shown, so that nothing else goes."""

    def __init__(self, view: ReviewView, send: Callable[[str], None]) -> None:
        """Lay the window out, hidden; show it with `appear`."""
        super().__init__(tr(REVIEW_TITLE))
        self.view = view
        self._send = send
        self.column.addWidget(Prose(view.lead, "lead"))
        self._text = make_text_frame(view.text, tr("What waits to be sent"))
        fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        fixed.setPointSizeF(self.font().pointSizeF())  # as large as the person has text
        self._text.setFont(fixed)
        close = make_wide_button(tr("&Close"), "close", "chip", self.reject, default=True)
        self.send_button = make_wide_button(tr("&Send"), "send", "primary", self._let_go)
        if view.through:
            self.column.addWidget(self._text, 1)
            self.column.addWidget(Prose(tr(LEAVE_OUT), "leave_out", faint=True))
            self.add_buttons(close, self.send_button)
            area = QGuiApplication.primaryScreen().availableGeometry()
            width = max(REVIEW_SIZE[0], self.fontMetrics().averageCharWidth() * 90)
            self.resize(min(width, area.width() - _FREE), min(REVIEW_SIZE[1], area.height() - _FREE))
        else:
            self.add_buttons(close)
        close.setFocus()

    def _let_go(self) -> None:
        """Hand over which parcels the person has seen, once."""
        self.send_button.setEnabled(False)
        self._send(self.view.through)
        self.accept()


class LeaveWindow(AskedWindow):
    """Asks once more; `leave` gets whether what was sent may be kept."""

    def __init__(self, leave: Callable[[bool], None]) -> None:
        """Lay the window out, hidden; show it with `appear`."""
        super().__init__(tr(LEAVE_TITLE))
        self._leave = leave
        self.column.addWidget(Prose(tr(LEAVE_TEXT), "text"))
        self.keep = TickBox(tr(LEAVE_KEEP), "keep", self.theme)
        self.column.addWidget(self.keep)
        stay = make_wide_button(tr("&Stay"), "stay", "chip", self.reject, default=True)
        self.add_buttons(stay, make_wide_button(tr("&Leave"), "leave", "primary", self._go))
        self.fit_question()
        stay.setFocus(Qt.FocusReason.OtherFocusReason)

    def _go(self) -> None:
        """Leave, once."""
        self._leave(self.keep.isChecked())
        self.accept()
