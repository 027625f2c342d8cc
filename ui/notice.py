"""A notice: one problem and what to do about it, told once, quietly, and gone by itself; or something to read."""

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QWidget

from storage.translation import tr
from ui.quiet_window import QuietWindow
from ui.theme import scaled_font
from ui.views.notice import CLOSE, NoticeView
from ui.widgets import BUTTON_HEIGHT, Prose, make_button

STAY_MS = 20_000
"""How long a notice stays; a guess: time to read it twice. The tray keeps showing the problem."""


class Notice(QuietWindow):
    """The window of one notice."""

    def __init__(
        self,
        code: str,
        view: NoticeView,
        *,
        corner: str,
        stays: bool = False,
        act: tuple[str, Callable[[], None]] | None = None,
    ) -> None:
        """Lay it out, hidden; show it with `appear`.

        `code` is the problem's; what `stays` is closed by hand. `act` is a button with what it does.
        """
        super().__init__("Kairos notice", corner=corner)
        self.code = code
        self.setAccessibleName(f"Kairos: {view.title}")
        self.setAccessibleDescription(view.text)
        self._stays = stays
        eyebrow = Prose("Kairos", "eyebrow", faint=True)
        eyebrow.setFont(scaled_font(0.9))
        title = Prose(view.title, "title")
        title.setFont(scaled_font(1.15, QFont.Weight.DemiBold))
        close = make_button(tr(CLOSE), "close", "chip")
        close.setMinimumHeight(BUTTON_HEIGHT)
        close.clicked.connect(self.close)
        row = QHBoxLayout()
        if act is not None:
            text, do = act
            button = make_button(text, "act", "primary")
            button.clicked.connect(do)
            button.clicked.connect(self.close)
            row.addWidget(button)
        row.addStretch()
        row.addWidget(close)
        self.column.addWidget(eyebrow)
        self.column.addSpacing(4)
        self.column.addWidget(title)
        self.column.addSpacing(6)
        self.column.addWidget(Prose(view.text, "text", faint=True))
        self.column.addSpacing(16)
        self.column.addLayout(row)

    def appear(self, *, above: QWidget | None = None) -> None:
        """Show the notice."""
        super().appear(above=above)
        if not self._stays:
            QTimer.singleShot(STAY_MS, self, self.close)
