"""The window before everything else, on a desktop where Kairos cannot do its work: it says so, and what to do."""

from storage.translation import tr, translatable
from ui.dialogs.window import AskedWindow
from ui.widgets import Prose, make_wide_button

LIMITS_TITLE = translatable("Kairos cannot watch this desktop")


class LimitsWindow(AskedWindow):
    """Says what will not work; there is nothing to choose."""

    def __init__(self, limits: str) -> None:
        """Lay the window out, hidden; show it with `exec`."""
        super().__init__(tr(LIMITS_TITLE))
        self.column.addWidget(Prose(tr(limits), "limits"))
        self.add_buttons(make_wide_button(tr("&Close"), "close", "primary", self.accept, default=True))
        self.fit_question()
