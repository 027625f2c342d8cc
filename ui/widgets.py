"""The parts that our windows are made of: running text, buttons and tick boxes, in one look.

Text is painted as it is and never read as mark-up. Lines stand further apart than Qt puts them, which is what makes a
paragraph of small type easy to read.
"""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QTextLayout, QTextOption
from PySide6.QtWidgets import QCheckBox, QLabel, QPushButton, QSizePolicy

from ui.theme import Theme

BUTTON_HEIGHT = 36
BUTTON_WIDTH = 108
CHIP_HEIGHT = 30
LINE_HEIGHT = 1.3
"""Distance of lines, in heights of the font."""

TICK_BOX = 18
TICK_GAP = 10


class Prose(QLabel):
    """Wrapped text, as tall as it needs to be for its width."""

    def __init__(self, text: str, name: str, *, faint: bool = False) -> None:
        """Make the text; `faint` is for what may be read second."""
        super().__init__(text)
        self.setObjectName(name)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        if faint:
            self.setProperty("role", "faint")

    def hasHeightForWidth(self) -> bool:  # noqa: N802  # Qt's name
        """Say that the height depends on the width."""
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802  # Qt's name
        """Return the height of the text broken to this width."""
        margins = self.contentsMargins()
        _, height = self._broken(width - margins.left() - margins.right())
        return round(height + 0.5)

    def minimumSizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """Return the least size: one line of a few words."""
        return QSize(self.fontMetrics().averageCharWidth() * 12, self.fontMetrics().height())

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """Return a comfortable size; layouts ask `heightForWidth` for the true height."""
        width = self.fontMetrics().averageCharWidth() * 40
        return QSize(width, self.heightForWidth(width))

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        """Draw the lines."""
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        area = self.contentsRect()
        layout, _ = self._broken(area.width())
        layout.draw(painter, QPointF(area.topLeft()))

    def _broken(self, width: int) -> tuple[QTextLayout, float]:
        """Break the text into lines of this width; also return how tall they are."""
        layout = QTextLayout(self.text().replace("\n", "\u2028"), self.font())
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        y = 0.0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(max(1, width))
            lead = line.height() * (LINE_HEIGHT - 1)
            line.setPosition(QPointF(0, y + lead / 2))
            y += line.height() + lead
        layout.endLayout()
        return layout, y


class TickBox(QCheckBox):
    """A tick box in our colours, with a ring around it while it has the keyboard."""

    def __init__(self, text: str, name: str, theme: Theme) -> None:
        """Make the box, empty."""
        super().__init__(text)
        self.setObjectName(name)
        self._theme = theme

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """Return the size of box, gap and text."""
        text = self.fontMetrics().size(Qt.TextFlag.TextShowMnemonic, self.text())
        return QSize(TICK_BOX + 4 + TICK_GAP + text.width(), max(TICK_BOX + 6, text.height()))

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        """Draw ring, box, tick and text."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(1.0 if self.isEnabled() else 0.55)
        theme, top = self._theme, (self.height() - TICK_BOX) / 2
        box = QRectF(2.5, top + 0.5, TICK_BOX - 1, TICK_BOX - 1)
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme.accent), 1.5))
            painter.drawRoundedRect(box.adjusted(-2, -2, 2, 2), 6, 6)
        painter.setPen(QPen(QColor(theme.accent if self.isChecked() else theme.faint), 1))
        painter.setBrush(QColor(theme.accent if self.isChecked() else theme.surface))
        painter.drawRoundedRect(box, 4, 4)
        if self.isChecked():
            solid, cap, join = Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin
            painter.setPen(QPen(QColor(theme.on_accent), 2, solid, cap, join))
            painter.drawPolyline([box.topLeft() + QPointF(x, y) for x, y in ((4, 8.5), (7.4, 12), (13, 5.5))])
        painter.setPen(QColor(theme.text))
        area = self.rect().adjusted(TICK_BOX + 4 + TICK_GAP, 0, 0, 0)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextShowMnemonic
        painter.drawText(area, int(flags), self.text())


def make_button(text: str, name: str, role: str = "") -> QPushButton:
    """Make a button that leaves the focus alone; `role` is "primary", "chip", "icon" or nothing."""
    button = QPushButton(text.replace("&", "&&"))
    button.setObjectName(name)
    button.setProperty("role", role)
    button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    button.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
    button.setMinimumHeight(CHIP_HEIGHT if role == "chip" else BUTTON_HEIGHT)
    return button
