"""The small window where no panel shows tray icons: what Kairos is doing, and every line of the tray's menu.

It was opened by the person, so it may take the focus. Closing it closes only the window.
"""

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from ui.theme import current_theme, style_sheet
from ui.widgets import Prose, filled, make_button

CONTROL_TITLE = "Kairos"
_MARGIN = 16
_WIDTH_IN_CHARACTERS = 38


class ControlWindow(QWidget):
    """A window with a button for each line of the menu; the lines are the tray's own, so both always say the same."""

    def __init__(self, actions: list[QAction]) -> None:
        """Lay the window out, hidden. The first action is the line that says what Kairos is doing."""
        super().__init__()
        theme = current_theme()
        self.setWindowTitle(CONTROL_TITLE)
        self.setObjectName("control")
        self.setStyleSheet(style_sheet(theme) + f"QWidget#control {{ background: {theme.surface}; }}")
        self._actions = actions
        self._line = Prose("", "line", size=1.1, bold=True)
        column = filled(QVBoxLayout(self), self._line, 8, spacing=4, margins=(_MARGIN,) * 4)
        self._buttons: list[tuple[QAction, QPushButton]] = []
        for action in actions[1:]:
            if not action.isSeparator():
                button = make_button("", action.text(), "choice", action.trigger)
                button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
                self._buttons.append((action, button))
                column.addWidget(button)
        for action in actions:
            action.changed.connect(self._refresh)
        self._refresh()
        widest = max(button.sizeHint().width() for _, button in self._buttons)
        self.setFixedWidth(max(self.fontMetrics().averageCharWidth() * _WIDTH_IN_CHARACTERS, widest + 2 * _MARGIN))
        self.resize(self.width(), column.totalHeightForWidth(self.width()))

    def _refresh(self) -> None:
        self._line.say(self._actions[0].text())
        for action, button in self._buttons:
            mark = "✓ " if action.isChecked() else ""
            button.setText(mark + action.text().replace("&", "&&"))
            button.setAccessibleName(action.text())
            button.setEnabled(action.isEnabled())
            button.setVisible(action.isVisible())
