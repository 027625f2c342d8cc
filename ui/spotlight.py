"""A ring around a control: shows where a step is, and lets everything through.

It is four strips, one for each side, so that nothing of ours lies over the control itself: capture takes our windows
for our own, and neither the control's pixels nor a click on it may be lost for that. Window managers know nothing of
the strips, which is what makes them click-through under all that were tried, and they never have the focus. Without a
compositor a translucent window is black: there each strip is cut out along the ring.
"""

from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPainterPath, QPaintEvent, QPen, QRegion, QScreen
from PySide6.QtWidgets import QWidget

from storage.ports import SPOTLIGHT_TITLE
from storage.records import Box
from ui.desktop.current import current_desktop
from ui.theme import Theme, current_theme, scaled_font
from ui.views.spotlight import label_place, label_text

LINE = 3  # width of the ring
HALO = 2  # width of the light edge on both sides of it, so that it shows on any ground
GAP = 2  # free pixels of the desktop between a control and the ring; rounding to Qt's units adds less than one unit
RADIUS = 6
PADDING = 8

_FLAGS = (
    Qt.WindowType.Tool
    | Qt.WindowType.FramelessWindowHint
    | Qt.WindowType.WindowStaysOnTopHint
    | Qt.WindowType.WindowDoesNotAcceptFocus
    | Qt.WindowType.NoDropShadowWindowHint
    | Qt.WindowType.WindowTransparentForInput
    | Qt.WindowType.X11BypassWindowManagerHint
)


class Spotlight:
    """The ring. It stands where it is put; whoever shows it follows the window, or hides it with the window."""

    def __init__(self) -> None:
        """Make nothing yet."""
        self._strips: list[_Strip] = []
        self.box: Box | None = None
        """What it rings, in pixels of the desktop; None while it is hidden."""

        self._label = ""

    def show(self, box: Box, label: str = "") -> None:
        """Ring a control, with a few words beside it, unless that took keys; `box` is in pixels of the desktop."""
        self.hide()
        self.box, self._label = box, label
        translucent = current_desktop().is_translucent()
        self._strips = [_Strip(translucent=translucent) for _ in range(4)]
        words = label_text(label)
        if words:
            self._strips.append(_Label(words, translucent=translucent))
        self._place()
        for strip in self._strips:
            current_desktop().layer(strip, takes_pointer=False)
            strip.show()

    def move(self, box: Box) -> None:
        """Ring the same control at another place; nothing where the ring is hidden."""
        if self._strips and box != self.box:
            if current_desktop().windows_take_focus:  # a layer stays on its screen
                self.show(box, self._label)
                return
            self.box = box
            self._place()

    def hide(self) -> None:
        """Take the ring away."""
        for strip in self._strips:
            strip.close()
            strip.deleteLater()
        self._strips, self.box = [], None

    def _place(self) -> None:
        """Put the strips around the box: top and bottom are as wide as the ring, left and right stand between them."""
        assert self.box is not None  # noqa: S101  # callers put it there
        screen = screen_at(self.box.x + self.box.w // 2, self.box.y + self.box.h // 2)
        free = Box(self.box.x - GAP, self.box.y - GAP, self.box.w + 2 * GAP, self.box.h + 2 * GAP)
        inner = in_units(free, screen)
        width = LINE + 2 * HALO
        ring = inner.adjusted(-width, -width, width, width)
        places = (
            QRect(ring.left(), ring.top(), ring.width(), width),
            QRect(ring.left(), inner.bottom() + 1, ring.width(), width),
            QRect(ring.left(), inner.top(), width, inner.height()),
            QRect(inner.right() + 1, inner.top(), width, inner.height()),
        )
        for strip, place in zip(self._strips, places, strict=False):
            strip.setScreen(screen)  # which scale its place is in
            strip.put(place, ring)
        for label in self._strips[len(places) :]:
            area = screen.geometry()
            size = label.size()
            x, y = label_place(
                (ring.x(), ring.y(), ring.width(), ring.height()),
                (size.width(), size.height()),
                (area.x(), area.y(), area.width(), area.height()),
            )
            label.setScreen(screen)
            label.put(QRect(QPoint(x, y), size), ring)


class _Strip(QWidget):
    """One side of the ring."""

    def __init__(self, *, translucent: bool) -> None:
        super().__init__(None, _FLAGS)
        self._translucent = translucent
        self._theme: Theme = current_theme()
        self._ring = QRect()
        self.setWindowTitle(SPOTLIGHT_TITLE)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setAttribute(Qt.WidgetAttribute.WA_X11DoNotAcceptFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground, translucent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def put(self, place: QRect, ring: QRect) -> None:
        """Stand at a place, as a part of a ring."""
        self._ring = ring.translated(-place.topLeft())
        self.setGeometry(place)
        if not self._translucent:
            self.setMask(self._shape())
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        """Draw the part of the ring that falls on this strip: a line of the accent colour between two light ones."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, self._translucent)
        middle = HALO + LINE / 2
        for colour, width in ((self._theme.on_accent, LINE + 2 * HALO), (self._theme.accent, LINE)):
            painter.setPen(QPen(QColor(colour), width))
            painter.drawRoundedRect(QRectF(self._ring).adjusted(middle, middle, -middle, -middle), RADIUS, RADIUS)

    def _shape(self) -> QRegion:
        """Return what of the strip belongs to the ring."""
        width = LINE + 2 * HALO
        outer, inner = QPainterPath(), QPainterPath()
        outer.addRoundedRect(QRectF(self._ring), RADIUS + HALO, RADIUS + HALO)
        inner.addRoundedRect(QRectF(self._ring).adjusted(width, width, -width, -width), HALO, HALO)
        return QRegion(outer.subtracted(inner).toFillPolygon().toPolygon()) & QRegion(self.rect())


class _Label(_Strip):
    """The words beside the ring."""

    def __init__(self, words: str, *, translucent: bool) -> None:
        super().__init__(translucent=translucent)
        self._words = words
        self.setFont(scaled_font(1.0))
        metrics = self.fontMetrics()
        self.setFixedSize(metrics.horizontalAdvance(words) + 2 * PADDING, metrics.height() + PADDING)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        """Draw the words on the ring's colour."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, self._translucent)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.accent))
        painter.drawRoundedRect(QRectF(self.rect()), RADIUS, RADIUS)
        painter.setPen(QColor(self._theme.on_accent))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._words)

    def _shape(self) -> QRegion:
        path = QPainterPath()
        path.addRoundedRect(QRectF(self.rect()), RADIUS, RADIUS)
        return QRegion(path.toFillPolygon().toPolygon())


def screen_at(x: int, y: int) -> QScreen:
    """Return the screen that a pixel of the desktop is on; Qt keeps its origin in pixels and scales only its size."""
    for screen in QGuiApplication.screens():
        geometry = screen.geometry()
        if QRect(geometry.topLeft(), geometry.size() * _ratio(screen)).contains(x, y):
            return screen
    return QGuiApplication.primaryScreen()


def in_units(box: Box, screen: QScreen) -> QRect:
    """Return a box of the desktop in Qt's units on a screen, rounded outwards."""
    origin, ratio = screen.geometry().topLeft(), _ratio(screen)
    left = int((box.x - origin.x()) // ratio)
    top = int((box.y - origin.y()) // ratio)
    right = -int(-(box.x + box.w - origin.x()) // ratio)
    bottom = -int(-(box.y + box.h - origin.y()) // ratio)
    return QRect(origin.x() + left, origin.y() + top, right - left, bottom - top)


def _ratio(screen: QScreen) -> float:
    """Return how many pixels of the desktop a unit of Qt's has; on Wayland both are units of the compositor's."""
    return 1.0 if current_desktop().windows_take_focus else screen.devicePixelRatio()
