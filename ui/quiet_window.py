"""A window of ours that never takes focus: the ground on which card and notice stand.

The flags were tried on three window managers: keys keep going to the program below, and the active window never
changes. Without a compositor a translucent window is black, so there it is opaque with a rounded mask. Whether one
runs is asked anew for each window, which is why a window is made for one showing and thrown away after it.
"""

from collections.abc import Sequence
from typing import ClassVar

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QColor,
    QCursor,
    QGuiApplication,
    QKeyEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QRegion,
    QResizeEvent,
    QScreen,
)
from PySide6.QtWidgets import QLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from storage.records import Box
from storage.translation import tr
from ui.desktop.current import current_desktop
from ui.desktop.protocol import OPEN, Knock
from ui.spotlight import in_units, screen_at
from ui.theme import current_theme, style_sheet
from ui.views.notice import LOOK

MARGIN = 20  # free pixels inside the window's edge
GAP = 16  # free pixels between the window and the edge of the work area
CLEAR = 24  # pixels that a window keeps from pointer and caret when it comes up
BUTTONS = 80  # how far from its lower edge the buttons of a dialog reach, in pixels; a guess
WIDTH = 340
WIDTH_IN_CHARACTERS = 46
RADIUS = 10

_OTHER = {"top": "bottom", "bottom": "top", "left": "right", "right": "left"}

_FLAGS = (
    Qt.WindowType.Tool
    | Qt.WindowType.FramelessWindowHint
    | Qt.WindowType.WindowStaysOnTopHint
    | Qt.WindowType.WindowDoesNotAcceptFocus
    | Qt.WindowType.NoDropShadowWindowHint
)

_UNMANAGED = Qt.WindowType.X11BypassWindowManagerHint


class QuietWindow(QWidget):
    """A small window in a corner of the work area, as tall as its content, that leaves the focus alone.

    Somebody who wants its keyboard clicks where it says so (`take_keys`); it goes back to the program that had it
    (`give_keys_back`). It is for one showing: closing it emits `gone` and deletes it.
    """

    gone = Signal()
    answers: ClassVar[Sequence[str]] = ()
    """The buttons that a notification has, by name, where it stands for the window."""

    def __init__(self, title: str, *, corner: str, clear_of: Box | None = None) -> None:
        """Make the window, hidden; `corner` is as in `InterfaceSettings`.

        `clear_of` are pixels of the desktop that it comes up clear of, as of the pointer.
        """
        self._desktop = current_desktop()
        self._flags = _FLAGS | _UNMANAGED if self._desktop.places_itself else _FLAGS
        super().__init__(None, self._flags)
        self._clear_of = clear_of
        self.corner = corner
        """The corner that the window stands in."""

        self.lift = 0
        """Pixels that the window stands further in than its corner, clear of another one."""
        self.takes_keys = self._was_active = False
        """Whether the window may have the keyboard now, and whether it was active since."""

        self._is_closing = False
        self._knock: Knock | None = None
        self._layer_area: QRect | None = None
        self._program: int | None = None
        self._theme = current_theme()
        self._translucent = self._desktop.is_translucent()
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setAttribute(Qt.WidgetAttribute.WA_X11DoNotAcceptFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground, self._translucent)
        self.setAttribute(Qt.WidgetAttribute.WA_AlwaysShowToolTips)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setStyleSheet(style_sheet(self._theme))
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(MARGIN, MARGIN - 4, MARGIN, MARGIN)
        self.column.setSpacing(0)
        self._screen = _screen_at_work()
        self.setScreen(self._screen)  # which scale its place is in
        wide = self.fontMetrics().averageCharWidth() * WIDTH_IN_CHARACTERS
        self.setFixedWidth(min(max(WIDTH, wide), self.screen_area().width() - 2 * GAP))

    def appear(self, *, above: QWidget | None = None) -> None:
        """Show the window in its corner, or clear of a window that is already there."""
        if self._desktop.windows_take_focus and not self._find_layer():
            self._leave_layer()
            return
        lift = 0
        if above is not None and above.isVisible():
            lift = above.height() + GAP // 2
            if isinstance(above, QuietWindow):
                self.corner = above.corner
        self._choose_place(lift)
        self.settle()
        self._desktop.offer_focus(int(self.winId()), on=False)
        self.show()
        self.raise_()

    def _find_layer(self) -> bool:
        """Look for a layer to stand on, where an ordinary window would take the keyboard."""
        layer = self._desktop.layer(self)
        found = layer.area_at_work() if layer is not None else None
        if layer is None or found is None:
            return False
        self._screen, self._layer_area = found
        self.setScreen(self._screen)
        layer.failed.connect(self._leave_layer)
        return True

    def _leave_layer(self) -> None:
        self.hide()
        self.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen, False)
        self._layer_area = None
        self._say_outside()

    def _say_outside(self) -> None:
        """Have a notification say it, whose buttons press ours; the window comes up where somebody wants more."""
        buttons = [button for name in self.answers if (button := self.findChild(QPushButton, name)) is not None]
        acts = [(button.objectName(), button.text()) for button in buttons if button.isVisibleTo(self)]
        words = self.accessibleName().removeprefix("Kairos: "), self.accessibleDescription()
        self._knock = knock = self._desktop.knock(*words, [(OPEN, tr(LOOK)), *acts], self)
        knock.chosen.connect(self._on_chosen)
        knock.dismissed.connect(self.dismiss)
        knock.failed.connect(self.close)

    def _on_chosen(self, key: str) -> None:
        if self._knock is not None:
            self._knock.close()
        button = self.findChild(QPushButton, key)
        if button is not None:
            button.click()
        if not self._is_closing and not self.isVisible():
            self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating, False)
            self.setWindowFlags(Qt.WindowType.Window)
            self.takes_keys = True
            self.refresh_tab_order()
            self.show()

    def _choose_place(self, lift: int) -> None:
        """Go to another corner if the person points, types or is asked something at this one.

        Nothing of ours comes up under their hand, nor on the buttons of a dialog that is open. `lift` is for the first
        corner, where another window of ours is.
        """
        self.lift = lift
        self.settle()
        hand = [QRect(QCursor.pos(), QSize(1, 1))]
        if self._clear_of is not None:
            hand.append(in_units(self._clear_of, self._screen))
        dialogs = [in_units(box, self._screen) for box in self._desktop.open_dialogs()]
        corners = [(corner, lift if corner == self.corner else 0) for corner in _from(self.corner)]
        places = [(corner, up, _place(self.size(), corner, up, self.screen_area())) for corner, up in corners]
        buttons = [box.adjusted(0, max(0, box.height() - BUTTONS), 0, 0) for box in dialogs]
        # Where a dialog reaches into every corner, at least its buttons stay free.
        for clear, taken in ((CLEAR, hand + dialogs), (0, hand + dialogs), (0, hand + buttons)):
            for corner, up, place in places:
                if not any(place.adjusted(-clear, -clear, clear, clear).intersects(other) for other in taken):
                    self.corner, self.lift = corner, up
                    return
        # And where these do too, as little of them as may be is covered, and what is under the hand last of all.
        self.corner, self.lift, _ = min(places, key=lambda one: (_covered(one[2], hand), _covered(one[2], buttons)))

    def keep_clear(self, box: Box) -> None:
        """Go to another corner if the window lies over what is pointed at, and no hand is on it.

        `box` is in pixels of the desktop.
        """
        self._clear_of = box
        if not self.underMouse() and self.geometry().intersects(in_units(box, self._screen)):
            self._choose_place(self.lift)
            self.settle()

    def settle(self) -> None:
        """Fit the window to its content, keeping it in its corner."""
        activate_layouts(self)
        size = QSize(self.width(), height_of(self.column, self.width()))
        self.setGeometry(_place(size, self.corner, self.lift, self.screen_area()))

    def screen_area(self) -> QRect:
        """Return the work area of the screen that the window is on."""
        return self._layer_area or self._screen.availableGeometry()

    def take_keys(self, at: QWidget | None = None) -> None:
        """Let the window take keys until `give_keys_back`, beginning in this part of it; only because a person says so.

        The flags are changed in place, since a window that is made anew would flicker. One that is placed past the
        window manager has to be made anew, since it never gets a key: the manager then puts it where it likes.
        """
        if self._knock is not None and not self.isVisible():
            self._on_chosen(OPEN)
        if not self.takes_keys:
            self.takes_keys, self._was_active = True, False
            self._program = self._desktop.active_window()
            self._accept_focus(on=True)
            QTimer.singleShot(0, self, self._become_active)
        self.refresh_tab_order()
        if at is not None:
            at.setFocus(Qt.FocusReason.OtherFocusReason)

    def _become_active(self) -> None:
        """Ask for the keyboard, once the window manager can know that the window takes it now."""
        if not self.takes_keys:
            return
        if not self._desktop.activate(int(self.winId()), ours=True):
            self.activateWindow()

    def reach(self) -> None:
        """Give the window the keyboard because somebody pressed its shortcut."""
        self.take_keys(self.findChild(QPushButton))

    def dismiss(self) -> None:
        """Take the window away because somebody pressed that shortcut."""
        self.close()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        """Press what has the focus on Enter, and give the keyboard back on Escape."""
        focus = self.focusWidget()
        if event.key() == Qt.Key.Key_Escape and self._knock is not None:
            self.dismiss()  # an ordinary window, which keeps the keyboard
        elif event.key() == Qt.Key.Key_Escape:
            self.give_keys_back()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and isinstance(focus, QPushButton):
            focus.click()
        else:
            super().keyPressEvent(event)

    def give_keys_back(self) -> None:
        """Let the program that had the keyboard have it again; from now on the window takes none."""
        if not self.takes_keys or (self._knock is not None and not self._is_closing):  # an ordinary window keeps it
            return
        self.takes_keys = False
        program, self._program = self._program, None
        focus = self.focusWidget()
        if focus is not None:
            focus.clearFocus()
        self.refresh_tab_order()
        self._accept_focus(on=False)
        if program is not None and self._desktop.active_window() == int(self.winId()):
            self._desktop.activate(program)

    def refresh_tab_order(self) -> None:
        """Give buttons and fields a place in the order of Tab while the window takes keys, and none otherwise."""
        policy = Qt.FocusPolicy.StrongFocus if self.takes_keys else Qt.FocusPolicy.NoFocus
        for part in (*self.findChildren(QPushButton), *self.findChildren(QLineEdit)):
            part.setFocusPolicy(policy)

    def _accept_focus(self, *, on: bool) -> None:
        is_layered = self._layer_area is not None
        if self._desktop.places_itself or is_layered:
            ordinary = _FLAGS & ~Qt.WindowType.WindowDoesNotAcceptFocus
            self.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen, is_layered and not on)
            self.setAttribute(Qt.WidgetAttribute.WA_X11DoNotAcceptFocus, not on)
            self.setWindowFlags(ordinary if on else self._flags)
            if not self._is_closing:
                self.show()
            if not on:
                self.settle()
            return
        handle = self.windowHandle()
        if handle is not None:
            handle.setFlag(Qt.WindowType.WindowDoesNotAcceptFocus, on=not on)
            self._desktop.offer_focus(int(self.winId()), on=on)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Take no more keys once the person has gone on to another window: they have chosen where keys go."""
        super().changeEvent(event)
        if event.type() != QEvent.Type.ActivationChange or not self.takes_keys:
            return
        if self.isActiveWindow():
            self._was_active = True
        elif self._was_active:
            self.give_keys_back()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802  # Qt's name
        """Say that this window is over, and give it back."""
        self._is_closing = True
        self.give_keys_back()
        if self._knock is not None:
            self._knock.close()
        super().closeEvent(event)
        self.gone.emit()
        self.deleteLater()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        """Draw the surface: one colour and a fine edge."""
        painter = QPainter(self)
        if not self._translucent:
            painter.fillRect(self.rect(), QColor(self._theme.edge))  # a whole edge where the mask cuts through it
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._theme.edge), 1))
        painter.setBrush(QColor(self._theme.surface))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        """Cut the corners off where nothing can be translucent."""
        super().resizeEvent(event)
        if not self._translucent:
            path = QPainterPath()
            path.addRoundedRect(QRectF(self.rect()), RADIUS, RADIUS)
            self.setMask(QRegion(path.toFillPolygon().toPolygon()))


def activate_layouts(widget: QWidget) -> None:
    """Have all layouts in a widget take up what has changed, the innermost first: Qt would only do so later."""
    for child in widget.children():
        if isinstance(child, QWidget):
            activate_layouts(child)
    layout = widget.layout()
    if layout is not None:
        layout.activate()


def height_of(layout: QLayout, width: int) -> int:
    """Return how tall what a layout holds is at this width."""
    return layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else layout.totalSizeHint().height()


def _from(corner: str) -> tuple[str, ...]:
    """Return all corners in the order in which they are tried: the chosen one, above or below it, then across."""
    row, side = corner.split("-")
    other_row, other_side = _OTHER[row], _OTHER[side]
    return corner, f"{other_row}-{side}", f"{row}-{other_side}", f"{other_row}-{other_side}"


def _place(size: QSize, corner: str, lift: int, area: QRect) -> QRect:
    x = area.left() + GAP if "left" in corner else area.right() + 1 - GAP - size.width()
    y = area.top() + GAP + lift if "top" in corner else area.bottom() + 1 - GAP - lift - size.height()
    return QRect(QPoint(max(area.left(), x), max(area.top(), y)), size)


def _covered(place: QRect, others: list[QRect]) -> int:
    shared = (place.intersected(other) for other in others)
    return sum(rect.width() * rect.height() for rect in shared)


def _screen_at_work() -> QScreen:
    """Return the screen with the active window, else the one with the pointer."""
    centre = current_desktop().active_window_centre()
    if centre is not None:
        return screen_at(*centre)
    return QGuiApplication.screenAt(QCursor.pos()) or QGuiApplication.primaryScreen()
