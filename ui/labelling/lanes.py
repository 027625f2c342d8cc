"""The time line under the video: the rater's stretches, those of others, what was said and done, and Kairos' rows.

What others and Kairos said is painted only over time that the rater has judged. Drawn once into a picture, and again
only when something changed; the place in time is a line on it.
"""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap, QRegion, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from storage.records import LabelTask, SegmentLabel
from storage.timeline import Moment, MomentKind, SessionToLabel
from storage.translation import tr
from ui.theme import Theme, scaled_font
from ui.views.labelling import BY_KAIROS, DONE, KEYS, OTHERS, SAID, TIME_LINE, YOU, clock_at

_GAP, _OFFER = 4.0, 4.0
_TICKS_S = (10, 30, 60, 300, 600, 1800, 3600, 7200)
_LEAST_TICK = 90


class Lanes(QWidget):
    """Shows a session from its beginning to its end; `went` gives the session time of a place that was clicked."""

    went = Signal(object)

    def __init__(self, theme: Theme) -> None:
        """Make the time line, empty."""
        super().__init__()
        self.setObjectName("lanes")
        self.setAccessibleName(tr(TIME_LINE))
        self.setAccessibleDescription(tr(KEYS))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._theme = theme
        self._font = scaled_font(0.85)
        self._session: SessionToLabel | None = None
        self._task = LabelTask()
        self._own: Sequence[SegmentLabel] = ()
        self._others: Sequence[SegmentLabel] = ()
        self._chosen: SegmentLabel | None = None
        self._begin_ns: int | None = None
        self._at_ns = 0
        self._lanes = [YOU, DONE, BY_KAIROS]
        self._picture: QPixmap | None = None

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """Return the size of the lanes and the times below."""
        return QSize(600, round(self._floor() + 1.4 * self.fontMetrics().height() + 2 * _GAP))

    def show_session(self, session: SessionToLabel, rater: str, task: LabelTask) -> None:
        """Show a session with the labels that it has; `task` says of which enough is said."""
        self._task = task
        self._session = session
        self._own = [label for label in session.labels if label.rater == rater]
        self._others = [label for label in session.labels if label.rater != rater]
        lanes = {YOU: True, OTHERS: bool(self._others), SAID: bool(session.words), DONE: True, BY_KAIROS: True}
        self._lanes = [name for name, is_shown in lanes.items() if is_shown]
        self.updateGeometry()
        self._picture = None
        self.update()

    def show_chosen(self, chosen: SegmentLabel | None, begin_ns: int | None) -> None:
        """Mark the stretch that is chosen, and where the next one begins."""
        self._chosen, self._begin_ns = chosen, begin_ns
        self.update()

    def show_place(self, at_ns: int) -> None:
        """Mark a time."""
        self._at_ns = at_ns
        self.update()

    # ------------------------------------------------------------ painting

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        """Draw anew in another size."""
        super().resizeEvent(event)
        self._picture = None

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        """Show the picture, and on it what is chosen and the place in time."""
        if self._picture is None or self._picture.devicePixelRatio() != self.devicePixelRatio():
            self._picture = self._draw()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        accent, text = QColor(self._theme.accent), QColor(self._theme.text)
        if self._chosen is not None:
            place = self._place(YOU, self._chosen.start_ns, self._chosen.end_ns)
            painter.setPen(QPen(text, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(place.adjusted(-1, -1, 1, 1), 3, 3)
        if self._begin_ns is not None:
            x = self._x(self._begin_ns)
            painter.setPen(QPen(text, 1.5, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x, 0), QPointF(x, self._lane()))
        if self._session is not None:
            x = self._x(self._at_ns)
            painter.setPen(QPen(text, 1.5))
            painter.drawLine(QPointF(x, 0), QPointF(x, self._floor()))
        if self.hasFocus():
            painter.setPen(QPen(accent, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 4, 4)

    def _draw(self) -> QPixmap:
        ratio = self.devicePixelRatio()
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(QColor(self._theme.surface))
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._font)
        for number, name in enumerate(self._lanes):
            top = number * self._lane()
            painter.fillRect(QRectF(self._left(), top + self._lane() - 1, self.width(), 1), QColor(self._theme.edge))
            painter.setPen(QColor(self._theme.faint))
            align = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
            painter.drawText(QRectF(_GAP + 2, top, self._left() - _GAP, self._lane()), align, tr(name))
        if self._session is not None:
            self._draw_session(painter, self._session)
        painter.end()
        return picture

    def _draw_session(self, painter: QPainter, session: SessionToLabel) -> None:
        accent, faint = QColor(self._theme.accent), QColor(self._theme.faint)
        self._draw_times(painter, session)
        for label in self._own:
            brush = QBrush(accent) if self._task.is_said(label) else QBrush(accent, Qt.BrushStyle.BDiagPattern)
            self._draw_bar(painter, self._place(YOU, label.start_ns, label.end_ns), brush)
        for act in session.acts:
            self._draw_bar(painter, self._place(DONE, act.start_ns, act.end_ns), QBrush(faint))
        for word in session.words:
            self._draw_bar(painter, self._place(SAID, word.start_ns, word.end_ns), QBrush(faint))
        opened = QRegion()
        for begin_ns, end_ns in (label.judged_ns for label in self._own if label.judged_ns is not None):
            left = round(self._x(begin_ns))
            opened += QRegion(left, 0, max(1, round(self._x(end_ns)) - left), self.height())
        painter.setClipRegion(opened)
        for label in self._others:
            self._draw_bar(painter, self._place(OTHERS, label.start_ns, label.end_ns), QBrush(accent))
        for moment in session.moments:
            self._draw_moment(painter, moment)
        painter.setClipping(False)

    def _draw_moment(self, painter: QPainter, moment: Moment) -> None:
        """Draw a window of work as high as its need, an offer as a diamond, and time without watching hatched."""
        place = self._place(BY_KAIROS, moment.start_ns, moment.end_ns)
        if moment.kind is MomentKind.WORK:
            place.setTop(place.bottom() - place.height() * min(1.0, max(0.08, moment.help_need or 0.0)))
            painter.fillRect(place, QColor(self._theme.accent))
        elif moment.kind is MomentKind.OFF:
            painter.fillRect(place, QBrush(QColor(self._theme.faint), Qt.BrushStyle.BDiagPattern))
        elif moment.kind is MomentKind.OFFER:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._theme.text))
            middle = QPointF(place.left(), place.center().y())
            across, down = QPointF(_OFFER, 0), QPointF(0, _OFFER)
            painter.drawPolygon([middle - down, middle + across, middle + down, middle - across])

    def _draw_bar(self, painter: QPainter, place: QRectF, brush: QBrush) -> None:
        painter.setPen(QPen(QColor(self._theme.surface), 1))
        painter.setBrush(brush)
        painter.drawRoundedRect(place, 2, 2)

    def _draw_times(self, painter: QPainter, session: SessionToLabel) -> None:
        length_s = (session.end_ns - session.begin_ns) / 1e9
        least_s = length_s * _LEAST_TICK * self.fontMetrics().height() / 16 / max(1.0, self.width() - self._left())
        step_s = next((step for step in _TICKS_S if step >= least_s), _TICKS_S[-1])
        painter.setPen(QColor(self._theme.faint))
        for number in range(int(length_s // step_s) + 1):
            at_ns = session.begin_ns + number * step_s * 1_000_000_000
            place = QRectF(self._x(at_ns), self._floor(), 200, self.height() - self._floor())
            if place.left() + painter.fontMetrics().horizontalAdvance("00:00:00") < self.width():
                painter.drawText(place, int(Qt.AlignmentFlag.AlignVCenter), clock_at(session, at_ns))

    # ------------------------------------------------------------ places

    def _lane(self) -> float:
        return 1.5 * self.fontMetrics().height()

    def _floor(self) -> float:
        return len(self._lanes) * self._lane()

    def _left(self) -> float:
        return max(self.fontMetrics().horizontalAdvance(tr(name)) for name in self._lanes) + 4 * _GAP

    def _x(self, at_ns: int) -> float:
        if self._session is None:
            return self._left()
        share = (at_ns - self._session.begin_ns) / max(1, self._session.end_ns - self._session.begin_ns)
        return self._left() + min(max(0.0, share), 1.0) * (self.width() - self._left() - 4 * _GAP)

    def _place(self, name: str, start_ns: int, end_ns: int) -> QRectF:
        lane = self._lanes.index(name)
        left = self._x(start_ns)
        width = max(2.0, self._x(end_ns) - left)
        return QRectF(left, lane * self._lane() + _GAP, width, self._lane() - 2 * _GAP)

    # ------------------------------------------------------------ the pointer

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """Go to a time."""
        self._go(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """Go along."""
        self._go(event)

    def _go(self, event: QMouseEvent) -> None:
        if self._session is None:
            return
        share = (event.position().x() - self._left()) / max(1.0, self.width() - self._left() - 4 * _GAP)
        length_ns = self._session.end_ns - self._session.begin_ns
        self.went.emit(self._session.begin_ns + round(min(max(0.0, share), 1.0) * length_ns))
