"""The day at a glance: help need over time, offers, what the person said, and where nothing was watched.

Drawn once into a picture, and again only when something changed. Dragging selects a stretch; by keyboard the list
below does the same.
"""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from storage.clock import HOUR_NS, NS_PER_S
from storage.timeline import Moment, MomentKind
from storage.translation import tr
from ui.theme import Theme, scaled_font
from ui.views.text import local_time
from ui.views.timeline import BAND_HINT, BAND_NAME

LEAST_HOURS = 2
LEAST_SHOWN_NS = 600 * NS_PER_S
_TICKS_S = (60, 300, 900, 1800, 3600, 7200, 10_800, 14_400, 21_600)  # between two times on the line
_MARK = 5.0
_LEAST_TICK = 64
_WATCHED = 3.0  # height of the line where something was watched; need that is higher stands on it


class DayBand(QWidget):
    """Shows moments on a line of time; `dragged` gives the wall-clock nanoseconds of a stretch."""

    dragged = Signal(object, object)

    def __init__(self, theme: Theme) -> None:
        """Make the band, empty."""
        super().__init__()
        self.setObjectName("band")
        self.setAccessibleName(tr(BAND_NAME))
        self.setAccessibleDescription(tr(BAND_HINT))
        self.setToolTip(tr(BAND_HINT))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._theme = theme
        self._font = scaled_font(0.85)
        self._moments: Sequence[Moment] = ()
        self._begin_ns = self._end_ns = 0
        self._whole = (0, 0)
        self._chosen: tuple[int, int] | None = None
        self._dragging_from: int | None = None
        self._picture: QPixmap | None = None

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """Return a comfortable size."""
        return QSize(600, round(3.2 * self.fontMetrics().height()) + 30)

    def show_moments(self, moments: Sequence[Moment]) -> None:
        """Show these."""
        self._moments = moments
        first = min((moment.begin_wall_ns for moment in moments), default=0)
        last = max((moment.end_wall_ns for moment in moments), default=0)
        begin_ns = first // HOUR_NS * HOUR_NS
        end_ns = max(-(-last // HOUR_NS) * HOUR_NS, begin_ns + LEAST_HOURS * HOUR_NS)
        if (begin_ns, end_ns) != self._whole:
            self._whole = begin_ns, end_ns
            self._begin_ns, self._end_ns = self._whole
        self._picture = None
        self.update()

    def zoom(self, steps: int, at_ns: int | None = None) -> None:
        """Show a shorter time, or a longer one, around a time; around what is selected, or the middle, without one."""
        middle_ns = self._chosen[0] if self._chosen is not None else (self._begin_ns + self._end_ns) // 2
        at_ns = middle_ns if at_ns is None else at_ns
        whole_ns, shown_ns = self._whole[1] - self._whole[0], self._end_ns - self._begin_ns
        wanted_ns = min(whole_ns, max(LEAST_SHOWN_NS, round(shown_ns / 2**steps)))
        share = (at_ns - self._begin_ns) / max(1, shown_ns)
        begin_ns = round(at_ns - wanted_ns * (share if 0 <= share <= 1 else 0.5))
        self._begin_ns = max(self._whole[0], min(begin_ns, self._whole[1] - wanted_ns))
        self._end_ns = self._begin_ns + wanted_ns
        self._picture = None
        self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802  # Qt's name
        """Zoom around the pointer."""
        turned = event.angleDelta().y()
        if turned and self._moments:
            self.zoom(1 if turned > 0 else -1, self._time_at(event.position().x()))
        event.accept()

    def show_chosen(self, begin_wall_ns: int | None, end_wall_ns: int | None) -> None:
        """Mark the stretch that is selected."""
        chosen = None if begin_wall_ns is None or end_wall_ns is None else (begin_wall_ns, end_wall_ns)
        if chosen != self._chosen:
            self._chosen = chosen
            self.update()

    # ------------------------------------------------------------ painting

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        """Draw anew in another size."""
        super().resizeEvent(event)
        self._picture = None

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        """Show the picture, and on it the stretch that is selected."""
        if self._picture is None or self._picture.devicePixelRatio() != self.devicePixelRatio():
            self._picture = self._draw()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._picture)
        if self._chosen is not None and self._moments:
            left, right = self._x(self._chosen[0]), self._x(self._chosen[1])
            place = QRectF(left - 1, 1, max(3.0, right - left + 2), self._floor() + 6)
            accent = QColor(self._theme.accent)
            painter.setPen(QPen(accent, 1.5))
            accent.setAlpha(40)
            painter.setBrush(accent)
            painter.drawRoundedRect(place, 3, 3)

    def _draw(self) -> QPixmap:
        ratio = self.devicePixelRatio()
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(QColor(self._theme.surface))
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(QRectF(0, self._floor(), self.width(), 1), QColor(self._theme.edge))
        if self._moments:
            self._draw_hours(painter)
            begin_ns, end_ns = self._begin_ns, self._end_ns
            shown = [
                moment for moment in self._moments if moment.end_wall_ns >= begin_ns and moment.begin_wall_ns <= end_ns
            ]
            self._draw_work(painter, [moment for moment in shown if moment.kind is MomentKind.WORK])
            for moment in shown:
                if moment.kind is not MomentKind.WORK and not moment.asked:
                    self._draw_mark(painter, moment)
        painter.end()
        return picture

    def _draw_hours(self, painter: QPainter) -> None:
        painter.setFont(self._font)
        least_s = (self._end_ns - self._begin_ns) / NS_PER_S * _LEAST_TICK / max(1, self.width())
        step_ns = next((step for step in _TICKS_S if step >= least_s), _TICKS_S[-1]) * NS_PER_S
        first_ns = -((self._whole[0] - self._begin_ns) // step_ns) * step_ns + self._whole[0]
        for at_ns in range(first_ns, self._end_ns + 1, step_ns):
            at = local_time(at_ns)
            if at is None:
                continue
            x = self._x(at_ns)
            painter.fillRect(QRectF(x, self._floor(), 1, 4), QColor(self._theme.edge))
            painter.setPen(QColor(self._theme.faint))
            place = QRect(round(x) - 40, round(self._floor()) + 8, 80, self.height() - round(self._floor()) - 8)
            place.moveLeft(max(0, min(place.left(), self.width() - place.width())))
            align = Qt.AlignmentFlag.AlignHCenter
            if x < 40:  # noqa: PLR2004  # half of the place of the words
                align = Qt.AlignmentFlag.AlignLeft
            elif x > self.width() - 40:  # half of the place of the words
                align = Qt.AlignmentFlag.AlignRight
            painter.drawText(place, int(align | Qt.AlignmentFlag.AlignTop), f"{at:%H:%M}")

    def _draw_work(self, painter: QPainter, shown: Sequence[Moment]) -> None:
        """Draw windows of work: a line where something was watched, and need above it."""
        floor, tall = self._floor(), self._floor() - self._top()
        watched, needed = [], []
        for moment in shown:
            left = self._x(moment.begin_wall_ns)
            width = max(1.0, self._x(moment.end_wall_ns) - left)
            height = tall * min(1.0, moment.help_need or 0.0)
            if height > _WATCHED:
                needed.append(QRectF(left, floor - height, width, height))
            else:
                watched.append(QRectF(left, floor - _WATCHED, width, _WATCHED))
        painter.setPen(Qt.PenStyle.NoPen)
        for places, colour in ((watched, self._theme.edge), (needed, self._theme.accent)):
            painter.setBrush(QColor(colour))
            painter.drawRects(places)

    def _draw_mark(self, painter: QPainter, one: Moment) -> None:
        """Draw an offer as a diamond, what the person said as a bar above, and time without watching hatched."""
        left, right = self._x(one.begin_wall_ns), self._x(one.end_wall_ns)
        if one.kind is MomentKind.OFF:
            brush = QBrush(QColor(self._theme.faint), Qt.BrushStyle.BDiagPattern)
            painter.fillRect(QRectF(left, self._top(), max(1.0, right - left), self._floor() - self._top()), brush)
            return
        painter.setPen(QPen(QColor(self._theme.text), 1.2))
        if one.kind is MomentKind.OFFER:
            middle = QPointF(left, 2 + _MARK)
            points = [QPointF(0, -_MARK), QPointF(_MARK, 0), QPointF(0, _MARK), QPointF(-_MARK, 0)]
            painter.setBrush(QColor(self._theme.text))
            painter.drawPolygon(QPolygonF([middle + point for point in points]))
            return
        painter.setBrush(QColor(self._theme.text) if one.needed else QColor(self._theme.surface))
        painter.drawRoundedRect(QRectF(left, 2 + 2 * _MARK + 3, max(6.0, right - left), 5), 2, 2)

    def _top(self) -> float:
        return 2 + 2 * _MARK + 10

    def _floor(self) -> float:
        return self.height() - 1.4 * self.fontMetrics().height() - 4

    # ------------------------------------------------------------ the pointer

    def _x(self, wall_ns: int) -> float:
        share = (wall_ns - self._begin_ns) / max(1, self._end_ns - self._begin_ns)
        return min(max(0.0, share), 1.0) * (self.width() - 1)

    def _time_at(self, x: float) -> int:
        share = min(max(0.0, x / max(1, self.width() - 1)), 1.0)
        return self._begin_ns + round(share * (self._end_ns - self._begin_ns))

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """Begin a stretch."""
        if event.button() is Qt.MouseButton.LeftButton and self._moments:
            self._dragging_from = self._time_at(event.position().x())
            self.show_chosen(self._dragging_from, self._dragging_from)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """Extend it."""
        if self._dragging_from is not None:
            at_ns = self._time_at(event.position().x())
            self.show_chosen(min(at_ns, self._dragging_from), max(at_ns, self._dragging_from))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """Select it."""
        if self._dragging_from is not None:
            begin_ns, self._dragging_from = self._dragging_from, None
            at_ns = self._time_at(event.position().x())
            self.dragged.emit(min(at_ns, begin_ns), max(at_ns, begin_ns) + 1)
