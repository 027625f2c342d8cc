"""The parts that our windows are made of: running text, buttons and tick boxes, in one look.

Text is painted as it is and never read as mark-up. Lines stand further apart than Qt puts them, which is what makes a
paragraph of small type easy to read.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt, SignalInstance
from PySide6.QtGui import (
    QColor,
    QFont,
    QGuiApplication,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from ui.theme import Theme, scaled_font

Clicked = Callable[..., Any] | SignalInstance
Part = QWidget | QLayout | int | None
Margins = tuple[int, int, int, int]  # left, top, right, bottom
_Layout = TypeVar("_Layout", bound=QBoxLayout)

BUTTON_HEIGHT = 36
BUTTON_WIDTH = 108
CHIP_HEIGHT = 30
LINE_HEIGHT = 1.3  # distance of lines, in heights of the font
TICK_BOX = 18
TICK_GAP = 10
BREAK_MARGIN = 16  # pixels of a button beside its words
_WIDTHS = 8  # of how many a text remembers its height


class Prose(QLabel):
    """Wrapped text, as tall as it needs to be for its width."""

    def __init__(
        self, text: str, name: str, *, faint: bool = False, role: str = "", size: float = 0.0, bold: bool = False
    ) -> None:
        """Make the text; `faint` is for what may be read second, `size` in sizes of the person's own font."""
        super().__init__(text)
        self._heights: dict[tuple[str, str, int], float] = {}
        self.setObjectName(name)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        if faint or role:
            self.setProperty("role", role or "faint")
        if size or bold:
            self.setFont(scaled_font(size or 1.0, QFont.Weight.DemiBold if bold else QFont.Weight.Normal))

    def say(self, text: str) -> None:
        """Show a text in place of the one before, or nothing."""
        if text != self.text():
            self.setText(text)
            self.updateGeometry()
        self.setVisible(bool(text))

    def hasHeightForWidth(self) -> bool:  # noqa: N802  # Qt's name
        """Say that the height depends on the width."""
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802  # Qt's name
        """Return the height of the text broken to this width."""
        around = self.size() - self.contentsRect().size()  # with the padding of a style
        asked = self.text(), self.font().key(), width - around.width()
        if asked not in self._heights:  # a layout asks for the same ones again and again
            self._heights = dict([*self._heights.items()][1 - _WIDTHS :])
            _, self._heights[asked] = self._broken(asked[2])
        return round(self._heights[asked] + 0.5) + around.height()

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


class WrappedButton(QPushButton):
    """A button with a sentence that is broken to its width, so that it forces no window to be wide."""

    def __init__(self, name: str, role: str) -> None:
        """Make the button, without words."""
        super().__init__()
        self.setObjectName(name)
        self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAutoDefault(False)
        self._sentence = ""

    def say(self, sentence: str) -> None:
        """Show a sentence, or nothing."""
        self._sentence = sentence
        self.setAccessibleName(sentence)
        self.setVisible(bool(sentence))
        self._break()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        """Break the sentence anew."""
        super().resizeEvent(event)
        self._break()

    def _break(self) -> None:
        lines = [""]
        for word in self._sentence.split():
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and self.fontMetrics().horizontalAdvance(longer) > self.width() - BREAK_MARGIN:
                lines.append(word)
            else:
                lines[-1] = longer
        text = "\n".join(lines).replace("&", "&&")
        if text != self.text():
            self.setText(text)


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


def make_button(
    text: str, name: str, role: str = "", clicked: Clicked | None = None, *, hint: str = "", height: int = 0
) -> QPushButton:
    """Make a button that leaves the focus alone; `role` is "primary", "chip", "icon" or nothing."""
    button = QPushButton(text.replace("&", "&&"))
    button.setObjectName(name)
    button.setProperty("role", role)
    button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    button.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
    button.setMinimumHeight(height or (CHIP_HEIGHT if role == "chip" else BUTTON_HEIGHT))
    button.setToolTip(hint)
    if clicked is not None:
        button.clicked.connect(clicked)
    return button


def make_wide_button(
    text: str, name: str, role: str, clicked: Clicked | None = None, *, default: bool = False
) -> QPushButton:
    """Make a button that takes keys, of a comfortable size; Return presses the `default` and no other."""
    button = QPushButton(text)
    button.setObjectName(name)
    button.setProperty("role", role)
    button.setMinimumSize(BUTTON_WIDTH, BUTTON_HEIGHT)
    button.setAutoDefault(default)
    button.setDefault(default)
    if clicked is not None:
        button.clicked.connect(clicked)
    return button


def filled(
    layout: _Layout, *parts: Part, spacing: int = -1, margins: tuple[int, int, int, int] | None = None
) -> _Layout:
    """Put parts into a layout: widgets, layouts, free pixels (a number), and what stretches (None); return it."""
    layout.setSpacing(spacing)
    if margins is not None:
        layout.setContentsMargins(*margins)
    for part in parts:
        if part is None:
            layout.addStretch()
        elif isinstance(part, int):
            layout.addSpacing(part)
        elif isinstance(part, QWidget):
            layout.addWidget(part)
        else:
            layout.addLayout(part)
    return layout


def beside(*parts: Part, spacing: int = 8) -> QHBoxLayout:
    """Return parts side by side."""
    return filled(QHBoxLayout(), *parts, spacing=spacing)


def clear(layout: QLayout) -> None:
    """Take all widgets out of a layout, for good."""
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()


def make_line() -> QFrame:
    """Make a fine line from side to side."""
    line = QFrame()
    line.setObjectName("line")
    line.setFixedHeight(1)
    return line


def make_area(content: QWidget, name: str = "", *, focus: bool = False) -> QScrollArea:
    """Make a part that scrolls up and down where there is too little room; only with `focus` Tab goes to it."""
    area = QScrollArea()
    area.setObjectName(name)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.StrongFocus if focus else Qt.FocusPolicy.NoFocus)
    area.setWidget(content)
    return area


def make_text_frame(text: str, name: str) -> QPlainTextEdit:
    """Make a frame with long plain text to be read; Tab leaves it, arrows and the wheel move it."""
    frame = QPlainTextEdit()
    frame.setObjectName("text")
    frame.setPlainText(text)
    frame.setReadOnly(True)
    frame.setTabChangesFocus(True)
    frame.setUndoRedoEnabled(False)
    frame.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    frame.setAccessibleName(name)
    return frame


def centred(window: QWidget, width: int, height: int, *, free: int) -> None:
    """Give a window a size and a place in the middle of the screen, no larger than that less `free` pixels."""
    available = QGuiApplication.primaryScreen().availableGeometry()
    window.resize(min(width, available.width() - free), min(height, available.height() - free))
    place = QRect(QPoint(), window.size())
    place.moveCenter(available.center())
    window.move(max(available.left(), place.left()), max(available.top(), place.top() - free // 4))


def bring_up(window: QWidget) -> None:
    """Show a window in front."""
    window.show()
    window.raise_()
    window.activateWindow()
