"""The list of the timeline: a model that holds the moments of a day, and a delegate that paints the rows in view.

Windows of work stand in stretches of one program, which a person opens. Only rows in view are put into words and
painted, so a day of thousands costs what a screenful costs. Small pictures are requested for rows in view, and a
limited number is kept.
"""

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QKeyEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from storage.timeline import Moment, MomentKind, Thumbnail
from storage.translation import tr
from ui.theme import Theme, scaled_font
from ui.views.day import fold_work, merge_work
from ui.views.timeline import (
    LIST_NAME,
    NOTHING_FOUND,
    NOTHING_MARKED,
    NOTHING_ON_DAY,
    READING,
    TimelineRowView,
    has_words,
    is_marked,
    view_row,
)

MAX_THUMBNAILS = 120  # small pictures that are kept; one takes 230 kB
BAR_WIDTH = 5
_PAD = 10
_STEP = 18  # room for the arrow of a stretch
_NO_INDEX = QModelIndex()

Index = QModelIndex | QPersistentModelIndex


class MomentsModel(QAbstractListModel):
    """The moments of a day, in the order of time; of all of them, or those that stand out or have some words.

    Work is shown as stretches, and as its windows where a stretch is `open` or all of them are to be shown.
    """

    def __init__(self, parent: QObject) -> None:
        """Start without any."""
        super().__init__(parent)
        self._all: dict[str, Moment] = {}
        self._shown: list[Moment] = []
        self._keys: list[tuple[int, str]] = []
        self._only_marked = self._in_detail = False
        self._words: tuple[str, ...] = ()
        self.open: set[str] = set()
        self.thumbnails: OrderedDict[str, QPixmap | None] = OrderedDict()

    @property
    def everything(self) -> list[Moment]:
        """All moments, whether they are shown or not."""
        return list(self._all.values())

    @property
    def is_searched(self) -> bool:
        """Whether only rows with some words are shown."""
        return bool(self._words)

    def rowCount(self, parent: Index = _NO_INDEX) -> int:  # noqa: N802  # Qt's name
        """Return how many rows are shown."""
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the words of a row."""
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return view_row(self._shown[index.row()]).spoken
        return None

    def moment(self, row: int) -> Moment:
        """Return the moment of a row."""
        return self._shown[row]

    def rows_between(self, begin_wall_ns: int, end_wall_ns: int) -> tuple[int, int] | None:
        """Return the first and last row that lie in a stretch, or the nearest one; None without rows."""
        if not self._shown:
            return None
        first = bisect_left(self._keys, (begin_wall_ns, ""))
        if first and self._shown[first - 1].end_wall_ns > begin_wall_ns:
            first -= 1
        last = bisect_left(self._keys, (end_wall_ns, "")) - 1
        first = min(first, len(self._shown) - 1)
        return first, max(first, last)

    def show(self, moments: Iterable[Moment]) -> None:
        """Show a day in place of another one."""
        self._all = {moment.moment_id: moment for moment in moments}
        self.thumbnails.clear()
        self.open.clear()
        self._show_anew()

    def show_only_marked(self, only: bool) -> None:
        """Show offers and what the person said, or everything."""
        self._only_marked = only
        self._show_anew()

    def show_in_detail(self, on: bool) -> None:
        """Show every window of work, or stretches."""
        self._in_detail = on
        self._show_anew()

    def search(self, text: str) -> None:
        """Show rows that have all of these words, in any order; of none all rows."""
        self._words = tuple(text.casefold().split())
        self._show_anew()

    def toggle(self, row: int) -> None:
        """Show the windows of a stretch below it, or no longer."""
        self.open ^= {self._shown[row].moment_id}
        self._show_anew()

    def put(self, moments: Iterable[Moment]) -> bool:
        """Add moments, or replace those that are there; return whether rows stand in other places now."""
        self._all |= {moment.moment_id: moment for moment in moments}
        shown, before = self._rows(), [moment.moment_id for moment in self._shown]
        if [moment.moment_id for moment in shown[: len(before)]] != before:
            self._show_anew()
            return True
        if len(shown) > len(before):
            self.beginInsertRows(_NO_INDEX, len(before), len(shown) - 1)
            self._take(shown)
            self.endInsertRows()
        else:
            self._take(shown)
        self.dataChanged.emit(self.index(0), self.index(max(0, len(shown) - 1)))
        return False

    def keep_thumbnail(self, thumbnail: Thumbnail) -> None:
        """Keep a small picture; the oldest ones go."""
        image = None
        if thumbnail.rgb:
            size = thumbnail.width, thumbnail.height
            image = QPixmap.fromImage(QImage(thumbnail.rgb, *size, 3 * size[0], QImage.Format.Format_RGB888))
        self.thumbnails[thumbnail.moment_id] = image
        while len(self.thumbnails) > MAX_THUMBNAILS:
            self.thumbnails.popitem(last=False)

    def _show_anew(self) -> None:
        self.beginResetModel()
        self._take(self._rows())
        self.endResetModel()

    def _take(self, shown: list[Moment]) -> None:
        self._shown = shown
        self._keys = [_key(moment) for moment in shown]

    def _rows(self) -> list[Moment]:
        rows = sorted(self._all.values(), key=_key)
        if self._only_marked:
            rows = [moment for moment in rows if is_marked(moment)]
        elif not self._in_detail:
            stretches = fold_work(rows)
            kept = {part.moment_id for name in self.open & stretches.keys() for part in stretches[name]}
            rows = [moment for moment in rows if moment.kind is not MomentKind.WORK or moment.moment_id in kept]
            rows = sorted([*rows, *(merge_work(name, parts) for name, parts in stretches.items())], key=_key)
        if self._words:
            rows = [moment for moment in rows if has_words(moment, self._words)]
        return rows


def _key(moment: Moment) -> tuple[int, str]:
    return moment.begin_wall_ns, moment.moment_id


class MomentsList(QListView):
    """The list; Return or a double click opens a stretch, or shows the picture of a window.

    `selected` says that other rows are selected; `wanted` names moments in view without a picture.
    """

    selected = Signal()
    wanted = Signal(object)
    looked_at = Signal(object)
    """A moment whose picture is to be seen in full size."""

    def __init__(self, theme: Theme) -> None:
        """Make the list, empty."""
        super().__init__()
        self.setObjectName("moments")
        self.setAccessibleName(tr(LIST_NAME))
        self._theme = theme
        self._was_read = False
        self._asked: tuple[str, ...] = ()
        self.moments = MomentsModel(self)
        self.setModel(self.moments)
        self.setItemDelegate(_RowDelegate(self, theme))
        self.setUniformItemSizes(True)
        self.setMinimumHeight(self.sizeHint().height())
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.selectionModel().selectionChanged.connect(lambda *_: self.selected.emit())
        self.activated.connect(self._activate)
        self.verticalScrollBar().valueChanged.connect(lambda *_: self._want_pictures())

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """Return the least that is of use: the list takes what others leave."""
        return QSize(200, 6 * self.fontMetrics().height())

    def show(self, moments: Sequence[Moment]) -> None:  # type: ignore[override]  # a day is what this list shows
        """Show a day, at its end."""
        self._was_read = True
        self._asked = ()
        self.moments.show(moments)
        self._stand_at_end()
        self.scrollToBottom()
        self._want_pictures()
        self.viewport().update()

    def put(self, moments: Sequence[Moment]) -> None:
        """Add or replace moments; stay at the end if it was in view, and keep the selection."""
        bar = self.verticalScrollBar()
        was_at_end = bar.value() >= bar.maximum()
        chosen = {moment.moment_id for moment in self.chosen}
        if self.moments.put(moments) and chosen:
            rows = [row for row in range(self.moments.rowCount()) if self.moments.moment(row).moment_id in chosen]
            if rows:
                self._select(min(rows), max(rows), scroll=False)
        if was_at_end:
            self.scrollToBottom()
        self._want_pictures()

    def show_otherwise(self, change: Callable[[], object]) -> None:
        """Show other rows of the same day: `change` says to the model which."""
        change()
        self._stand_at_end()
        self.scrollToBottom()
        self.selected.emit()
        self._want_pictures()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        """Open and close a stretch with the keys that open and close a branch."""
        row = self.currentIndex().row()
        moment = self.moments.moment(row) if row >= 0 else None
        is_open = moment is not None and moment.moment_id in self.moments.open
        opens = event.key() == Qt.Key.Key_Right and not is_open
        if (
            moment is not None
            and moment.kind is MomentKind.STRETCH
            and (opens or (event.key() == Qt.Key.Key_Left and is_open))
        ):
            self._toggle(row)
        else:
            super().keyPressEvent(event)

    def _activate(self, index: QModelIndex) -> None:
        moment = self.moments.moment(index.row())
        if moment.kind is MomentKind.STRETCH:
            self._toggle(index.row())
        elif moment.frame:
            self.looked_at.emit(moment)

    def _toggle(self, row: int) -> None:
        """Open or close a stretch, which stays selected where it is."""
        at = self.verticalScrollBar().value()
        self.moments.toggle(row)
        self._select(row, row, scroll=False)
        self.verticalScrollBar().setValue(at)
        self._want_pictures()

    def _stand_at_end(self) -> None:
        """Let the keys begin at the newest row, which is not selected yet."""
        last = self.moments.index(self.moments.rowCount() - 1)
        self.selectionModel().setCurrentIndex(last, QItemSelectionModel.SelectionFlag.NoUpdate)

    @property
    def chosen(self) -> list[Moment]:
        """The moments that are selected, in the order of time."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return [self.moments.moment(row) for row in rows]

    def select_between(self, begin_wall_ns: int, end_wall_ns: int) -> None:
        """Select the rows of a stretch."""
        found = self.moments.rows_between(begin_wall_ns, end_wall_ns)
        if found is not None:
            self._select(*found)

    def keep_thumbnail(self, thumbnail: Thumbnail) -> None:
        """Show a small picture in its row."""
        self.moments.keep_thumbnail(thumbnail)
        self.viewport().update()

    @property
    def empty_text(self) -> str:
        """What is said where there are no rows."""
        if not self._was_read:
            return tr(READING)
        if self.moments.is_searched and self.moments.everything:
            return tr(NOTHING_FOUND)
        return tr(NOTHING_MARKED) if self.moments.everything else tr(NOTHING_ON_DAY)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        """Draw the rows, or say that there are none."""
        super().paintEvent(event)
        if self.moments.rowCount() == 0:
            painter = QPainter(self.viewport())
            painter.setPen(QColor(self._theme.faint))
            painter.drawText(self.viewport().rect(), Qt.AlignmentFlag.AlignCenter, self.empty_text)

    def _select(self, first: int, last: int, *, scroll: bool = True) -> None:
        model = self.moments
        chosen = QItemSelection(model.index(first), model.index(last))
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.selectionModel().setCurrentIndex(model.index(last), QItemSelectionModel.SelectionFlag.NoUpdate)
        self.selectionModel().select(chosen, flags)
        if scroll:
            self.scrollTo(model.index(first), QAbstractItemView.ScrollHint.PositionAtCenter)

    def _want_pictures(self) -> None:
        top, bottom = self.indexAt(QPoint(1, 1)), self.indexAt(QPoint(1, self.viewport().height() - 2))
        if not top.isValid():
            return
        last = bottom.row() if bottom.isValid() else self.moments.rowCount() - 1
        rows = [self.moments.moment(row) for row in range(top.row(), last + 1)]
        missing = [row for row in rows if row.frame and row.moment_id not in self.moments.thumbnails]
        names = tuple(moment.moment_id for moment in missing)
        if missing and names != self._asked:
            self._asked = names
            self.wanted.emit(missing)


class _RowDelegate(QStyledItemDelegate):
    """Paints a row: time, a bar as long as the need, two lines of words, and a small picture."""

    def __init__(self, view: MomentsList, theme: Theme) -> None:
        super().__init__(view)
        self._view = view
        self._theme = theme
        self._plain, self._bold, self._small = (
            scaled_font(1.0),
            scaled_font(1.0, QFont.Weight.DemiBold),
            scaled_font(0.9),
        )
        self._metrics = {id(font): QFontMetrics(font) for font in (self._plain, self._bold, self._small)}
        self._line = self._of(self._bold).height()
        self._height = self._line + self._of(self._small).height() + 2 * _PAD
        self._time_width = self._of(self._plain).horizontalAdvance("00:00:00") + _PAD
        self._need_width = self._of(self._plain).horizontalAdvance("100 %") + _PAD

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:  # noqa: N802  # Qt's name
        """Return the size of every row."""
        return QSize(200, self._height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw a row."""
        moment = self._view.moments.moment(index.row())
        row, area, theme = view_row(moment), option.rect, self._theme
        state = option.state
        painter.save()
        painter.setClipRect(area)
        is_chosen = bool(state & QStyle.StateFlag.State_Selected)
        painter.fillRect(area, QColor(theme.hover if is_chosen else theme.surface))
        painter.fillRect(area.left(), area.bottom(), area.width(), 1, QColor(theme.hover))
        if is_chosen:
            painter.fillRect(area.left(), area.top(), 3, area.height(), QColor(theme.accent))
        left = area.left() + _PAD
        self._text(
            painter, QRect(left, area.top() + _PAD, self._time_width, self._line), row.time, self._plain, theme.faint
        )
        left += self._time_width
        self._draw_need(painter, row, QRect(left, area.top() + _PAD, BAR_WIDTH, area.height() - 2 * _PAD), is_chosen)
        left += BAR_WIDTH + _PAD
        if moment.kind is MomentKind.STRETCH:
            self._draw_arrow(
                painter, QPointF(left, area.top() + _PAD), is_open=moment.moment_id in self._view.moments.open
            )
        left += _STEP
        right = self._draw_picture(painter, moment, area)
        need = QRect(right - self._need_width, area.top() + _PAD, self._need_width, self._line)
        if row.need_text:
            self._text(painter, need, row.need_text, self._plain, theme.faint, Qt.AlignmentFlag.AlignRight)
        width = need.left() - left - _PAD
        colour = theme.accent if row.mark in {"offer", "stuck", "fine"} else theme.text
        self._text(painter, QRect(left, area.top() + _PAD, width, self._line), row.head, self._bold, colour)
        below = area.top() + _PAD + self._line
        self._text(painter, QRect(left, below, right - left - _PAD, self._line), row.line, self._small, theme.faint)
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(QColor(theme.accent), 1.5))
            painter.drawRect(area.adjusted(1, 1, -2, -2))
        painter.restore()

    def _draw_arrow(self, painter: QPainter, at: QPointF, *, is_open: bool) -> None:
        size, middle = self._line / 4, at + QPointF(_STEP / 3, self._line / 2)
        points = [QPointF(-size / 2, -size), QPointF(size / 2, 0), QPointF(-size / 2, size)]
        if is_open:
            points = [QPointF(-point.y(), point.x()) for point in points]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._theme.faint), 1.5))
        painter.drawPolyline([middle + point for point in points])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)

    def _draw_need(self, painter: QPainter, row: TimelineRowView, place: QRect, is_chosen: bool) -> None:
        if row.need is None:
            return
        painter.fillRect(place, QColor(self._theme.edge if is_chosen else self._theme.hover))
        height = max(2, round(place.height() * min(1.0, row.need)))
        bar = QRect(place.left(), place.bottom() + 1 - height, place.width(), height)
        painter.fillRect(bar, QColor(self._theme.accent))

    def _draw_picture(self, painter: QPainter, moment: Moment, area: QRect) -> int:
        """Draw the small picture at the right, if there is one; return where the words end."""
        right = area.right() - _PAD
        if not moment.frame:
            return right
        height = area.height() - _PAD
        place = QRect(right - height * 16 // 9, area.top() + _PAD // 2, height * 16 // 9, height)
        picture = self._view.moments.thumbnails.get(moment.moment_id)
        if picture is not None:
            fitted = picture.size().scaled(place.size(), Qt.AspectRatioMode.KeepAspectRatio)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawPixmap(
                QRect(place.right() + 1 - fitted.width(), place.top(), fitted.width(), fitted.height()), picture
            )
        else:
            painter.setPen(QColor(self._theme.hover))
            painter.drawRect(place.adjusted(0, 0, -1, -1))
        return place.left() - _PAD

    def _text(  # noqa: PLR0917  # all that a text needs to be drawn
        self,
        painter: QPainter,
        place: QRect,
        text: str,
        font: QFont,
        colour: str,
        align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
    ) -> None:
        painter.setFont(font)
        painter.setPen(QColor(colour))
        shown = self._of(font).elidedText(text, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, int(align | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine), shown)

    def _of(self, font: QFont) -> QFontMetrics:
        return self._metrics[id(font)]
