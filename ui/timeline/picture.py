"""A recorded moment in full size: the picture as large as its window, and what the row says."""

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from storage.timeline import FullPicture, Moment
from storage.translation import tr
from ui.theme import current_theme, style_sheet
from ui.views.timeline import PICTURE_LOST, READING, view_row
from ui.widgets import Prose, bring_up, centred, filled

_FREE, _MARGIN = 40, 12


class PictureWindow(QDialog):
    """Shows one picture, as large as there is room for and no larger than it is; Escape closes it."""

    gone = Signal()

    def __init__(self, parent: QWidget, moment: Moment) -> None:
        """Lay the window out; `take` shows the picture once it was read."""
        super().__init__(parent)
        row = view_row(moment)
        self._moment_id = moment.moment_id
        self.setWindowTitle(f"Kairos: {row.time} {row.head}")
        self.setStyleSheet(style_sheet(current_theme(), "timeline"))
        self._words = Prose(row.spoken, "words", faint=True)
        self._note = Prose(tr(READING), "note")
        self._canvas = PictureCanvas(row.spoken)
        column = filled(QVBoxLayout(self), self._words, self._note, self._canvas, spacing=8, margins=(_MARGIN,) * 4)
        column.setStretchFactor(self._canvas, 1)
        centred(self, 10_000, 10_000, free=_FREE)
        bring_up(self)

    def take(self, picture: FullPicture) -> None:
        """Show the picture, or that it is gone."""
        if picture.moment_id != self._moment_id:
            return
        self._note.say("" if picture.rgb else tr(PICTURE_LOST))
        size = picture.width, picture.height
        self._canvas.show_image(QImage(picture.rgb, *size, 3 * size[0], QImage.Format.Format_RGB888).copy())

    def done(self, result: int) -> None:
        """Close, and give the picture back."""
        super().done(result)
        self.gone.emit()
        self.deleteLater()


class PictureCanvas(QWidget):
    """Paints an image in the middle, as large as it was on the screen, or scaled down to the room there is."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName("picture")
        self.setAccessibleName(name)
        self._image = QImage()

    def show_image(self, image: QImage) -> None:
        """Show an image in place of the one before."""
        self._image = image
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        """Draw the image; on a screen of many pixels it is as large as on another."""
        if self._image.isNull():
            return
        room: QSize = self.size() * self.devicePixelRatio()
        fitted: QSize = self._image.size() * self.devicePixelRatio()
        if fitted.width() > room.width() or fitted.height() > room.height():
            fitted = fitted.scaled(room, Qt.AspectRatioMode.KeepAspectRatio)
        fitted /= self.devicePixelRatio()
        place = QRect(0, 0, fitted.width(), fitted.height())
        place.moveCenter(self.rect().center())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(place, self._image)
