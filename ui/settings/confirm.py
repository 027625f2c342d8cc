"""The question before something is agreed to or excluded: what it means, and an explicit yes."""

from collections.abc import Callable

from PySide6.QtCore import Qt

from storage.translation import tr
from ui.dialogs.window import AskedWindow
from ui.views.settings import CANCEL
from ui.widgets import Prose, make_wide_button


class ConfirmWindow(AskedWindow):
    """Asks once; `go` is called for yes, `stay` for anything else."""

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
