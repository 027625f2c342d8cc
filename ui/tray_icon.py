"""The tray icon, drawn: one shape for each state, so that colour is never the only difference.

The shapes are on a grid of 22, the size of a tray icon, and in middle tones with a symbol cut in white or near
black, so that they stand out on light and on dark panels.
"""

from functools import cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap, QPolygonF

from ui.views.tray import Glyph

_SIZES = (16, 22, 24, 32, 48, 64)
_GRID = 22.0

_BLUE = QColor("#2b78d4")
_GREY = QColor("#8a929e")
_AMBER = QColor("#f0a520")
_SLATE = QColor("#66707f")
_RED = QColor("#d83b3b")
_WHITE = QColor("#ffffff")
_INK = QColor("#1b1f26")


@cache
def make_icon(glyph: Glyph, *, recording: bool, microphone: bool = False) -> QIcon:
    """Draw the icon in every size a tray asks for."""
    icon = QIcon()
    for size in _SIZES:
        pixmap = QPixmap(size, size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(size / _GRID, size / _GRID)
        _draw(painter, glyph)
        if recording:
            _disc(painter, 16.5, 16.5, 5.0, _WHITE)
            _disc(painter, 16.5, 16.5, 3.7, _RED)
        if microphone:
            _microphone(painter)
        painter.end()
        icon.addPixmap(pixmap)
    return icon


def _draw(painter: QPainter, glyph: Glyph) -> None:
    """Draw one state: an open eye, an empty ring, pause bars, a shut eye, a warning triangle, an eye and a minus."""
    match glyph:
        case Glyph.DOT:
            _eye(painter)
        case Glyph.NO_MODEL:
            _eye(painter)
            _disc(painter, 5.8, 16.2, 5.8, _WHITE)
            _disc(painter, 5.8, 16.2, 4.8, _INK)
            painter.setPen(QPen(_WHITE, 2))
            painter.drawLine(QPointF(3.4, 16.2), QPointF(8.2, 16.2))
        case Glyph.HOLLOW:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(_GREY, 2.6))
            painter.drawEllipse(QPointF(11, 11), 8.2, 8.2)
        case Glyph.BARS:
            _disc(painter, 11, 11, 10, _AMBER)
            painter.setBrush(_INK)
            painter.drawRect(QRectF(6.6, 6, 3, 10))
            painter.drawRect(QRectF(12.4, 6, 3, 10))
        case Glyph.CLOSED:
            _disc(painter, 11, 11, 10, _SLATE)
            painter.setPen(QPen(_WHITE, 2.4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawLine(QPointF(5.8, 11), QPointF(16.2, 11))
        case Glyph.BANG:
            painter.setPen(QPen(_RED, 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin))
            painter.setBrush(_RED)
            painter.drawPolygon(QPolygonF([QPointF(11, 2.2), QPointF(20.4, 19), QPointF(1.6, 19)]))
            painter.setPen(QPen(_WHITE, 2.4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawLine(QPointF(11, 8), QPointF(11, 12.4))
            _disc(painter, 11, 16.3, 1.4, _WHITE)


def _microphone(painter: QPainter) -> None:
    """Draw a microphone in the corner above the mark of the recording."""
    _disc(painter, 16.5, 5.5, 5.5, _WHITE)
    painter.setBrush(_RED)
    painter.drawRoundedRect(QRectF(15, 1.2, 3, 5.4), 1.5, 1.5)
    painter.drawRect(QRectF(14.2, 8.6, 4.6, 1.2))
    painter.drawRect(QRectF(15.9, 6.8, 1.2, 2.4))


def _eye(painter: QPainter) -> None:
    _disc(painter, 11, 11, 10, _BLUE)
    _disc(painter, 11, 11, 5.6, _WHITE)
    _disc(painter, 11, 11, 2.8, _BLUE)


def _disc(painter: QPainter, x: float, y: float, radius: float, colour: QColor) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawEllipse(QPointF(x, y), radius, radius)
