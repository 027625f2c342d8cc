"""The question before something is forgotten, and what was: what goes, what cannot be reached, what stays."""

from collections.abc import Callable

from PySide6.QtCore import Qt

from storage.timeline import ForgetReport
from storage.translation import tr
from ui.dialogs.window import AskedWindow
from ui.views.forget import CLOSE, FORGET_NOW, KEEP, view_forget
from ui.widgets import Prose, filled, make_wide_button


class ForgetWindow(AskedWindow):
    """Asks once, and for yes hands `forget` what it showed; with a report of what is done it says so."""

    def __init__(self, report: ForgetReport, forget: Callable[[ForgetReport], None]) -> None:
        """Lay the window out, hidden; show it with `appear`."""
        view = view_forget(report)
        super().__init__(view.title)
        self._report = report
        self._forget = forget
        self.setAccessibleName(view.title)
        inner = self.add_scrolled(view.title, spacing=4)
        for number, (head, lines) in enumerate(view.parts):
            said = Prose("\n".join(f"•  {line}" for line in lines), f"lines_{number}", faint=number > 0)
            filled(inner, Prose(head, f"part_{number}", bold=True), said, 8, spacing=4)
        inner.addStretch()
        keep = make_wide_button(tr(CLOSE) if report.done else tr(KEEP), "keep", "chip", self.reject, default=True)
        self.forget_button = make_wide_button(tr(FORGET_NOW), "forget_now", "primary", self._go)
        self.add_buttons(*([keep] if report.done else [keep, self.forget_button]))
        self.fit_scrolled(inner)
        keep.setFocus(Qt.FocusReason.OtherFocusReason)

    def _go(self) -> None:
        self.forget_button.setEnabled(False)
        self._forget(self._report)
        self.accept()
