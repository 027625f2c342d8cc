"""A notice: one problem and what to do about it, told once, quietly, and gone by itself; or something to read."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from storage.translation import tr
from ui.quiet_window import QuietWindow
from ui.views.acts import carry_out, with_buttons
from ui.views.notice import CLOSE, NoticeView
from ui.widgets import BUTTON_HEIGHT, Prose, beside, filled, make_button

STAY_MS = 20_000  # how long a notice stays; a guess: time to read it twice. The tray keeps showing the problem.


class Notice(QuietWindow):
    """The window of one notice."""

    answers = ("act", "act_1")

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
        text, acts = with_buttons(view.text)
        self.setAccessibleDescription(text)
        self._stays = stays
        buttons = beside(None, make_button(tr(CLOSE), "close", "chip", self.close, height=BUTTON_HEIGHT), spacing=-1)
        named: list[tuple[str, Callable[[], None]]] = [(do.text, partial(carry_out, do)) for do in acts]
        for number, (words, clicked) in enumerate([act] if act is not None else named):
            button = make_button(words, f"act_{number}" if number else "act", "chip" if number else "primary", clicked)
            button.clicked.connect(self.close)
            buttons.insertWidget(number, button)
        parts = (
            *(Prose("Kairos", "eyebrow", faint=True, size=0.9), 4, Prose(view.title, "title", size=1.15, bold=True), 6),
            *(Prose(text, "text", faint=True), 16, buttons),
        )
        filled(self.column, *parts, spacing=0)

    def appear(self, *, above: QWidget | None = None) -> None:
        """Show the notice."""
        super().appear(above=above)
        if not self._stays:
            QTimer.singleShot(STAY_MS, self, self.close)
