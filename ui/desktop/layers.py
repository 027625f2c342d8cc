"""Windows as surfaces of `zwlr_layer_shell_v1`: above all others, where they want to be, and never with the keyboard.

Qt does not speak this protocol, and its windows on Wayland take the focus. So to Qt such a widget is shown nowhere
(`WA_DontShowOnScreen`); here it is painted into shared memory, and told what the pointer does over it. Each has a
connection while it is shown, so a compositor that is told nothing takes it away with the process.
"""

import math
import os
import sys
from collections.abc import Callable, Sequence

assert sys.platform == "linux"  # nothing else has a compositor of this kind

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QObject,
    QPoint,
    QPointF,
    QRect,
    QSize,
    QSocketNotifier,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QEnterEvent, QGuiApplication, QImage, QMouseEvent, QPainter, QScreen, QWheelEvent
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from storage.clock import SystemClock
from storage.errors import EnvironmentFault
from storage.ports import OWN_PLACES
from storage.records import Box
from storage.settings import InterfaceSettings
from storage.wayland import Event, WaylandConnection
from ui.desktop.protocol import Desktop, Knock, Layer, Shortcuts
from ui.desktop.wayland import Notification, PortalShortcuts

_NEEDED = {"wl_compositor": 4, "wl_shm": 1, "zwlr_layer_shell_v1": 1}
_ABOVE_ALL, _LEFT_TOP, _ALL_EDGES, _PAST_PANELS = 3, 1 | 4, 15, -1
_HAS_POINTER, _LEFT_BUTTON, _UPRIGHT = 1, 0x110, 0
_FIXED = 256
_PER_NOTCH = 120 / 15
"""What Qt counts for what a wheel scrolls."""

_ARROW = ((0, 0), (0, 16), (4, 12), (7, 18), (9, 17), (6, 11), (11, 11))
_CHANGED = (QEvent.Type.UpdateRequest, QEvent.Type.Resize, QEvent.Type.Move)


class LayerWindow(Layer):
    """What shows one widget: from when it is shown until it is hidden, while Qt is to show it nowhere."""

    _pointed = Signal(object, QPointF, int)
    """What the pointer did, where in the window, and how far its wheel was turned."""

    _lost = Signal()

    def __init__(self, widget: QWidget, *, takes_pointer: bool) -> None:
        """Have Qt show it nowhere from now on; where it takes no pointer, what is below it does."""
        super().__init__(widget)
        self._widget, self._takes_pointer = widget, takes_pointer
        self._connection: WaylandConnection
        self._notifier: QSocketNotifier
        self._is_connected = self._is_over = False
        self._surface = self._layer = 0
        self._held: QWidget | None = None
        self._painting = QTimer(self, singleShot=True)
        self._painting.timeout.connect(lambda: self._attempt(self._paint))
        # Later, once all has been read: what comes of a click may show windows and close them.
        self._pointed.connect(self._on_pointed, Qt.ConnectionType.QueuedConnection)
        self._lost.connect(self._on_lost, Qt.ConnectionType.QueuedConnection)
        widget.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        widget.setAttribute(Qt.WidgetAttribute.WA_AlwaysShowToolTips, False)  # a tip is a window of Qt's
        widget.installEventFilter(self)

    def area_at_work(self) -> tuple[QScreen, QRect] | None:
        """Return the screen that the compositor chooses, and what of it no panel stands in, at whatever edge it is."""
        screens = QGuiApplication.screens() if self._attempt(self._probe) else []
        for screen in screens:
            if self._outputs.get(screen.name()) in (self._entered or self._outputs.values()):
                full = screen.geometry()
                width, height = self._sizes[-1]
                across, down = max(0, full.width() - width), max(0, full.height() - height)
                return screen, full.adjusted(across, down, -across, -down)
        return None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802  # Qt's name
        """Come, change and go with the widget."""
        if watched is self._widget:
            kind = event.type()
            if kind is QEvent.Type.Show and self._widget.testAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen):
                self._attempt(self._open)
            elif kind is QEvent.Type.Hide:
                self._end()
            elif kind in _CHANGED and self._surface:
                self._painting.start()
        return False

    def _attempt(self, do: Callable[[], None]) -> bool:
        """Do what the compositor may refuse; return whether it did not."""
        try:
            do()
        except EnvironmentFault:
            self._end()
            self._lost.emit()
            return False
        return True

    def _probe(self) -> None:
        """Learn of the screen at work by a surface that fills it, and is gone again."""
        self._connect()
        self._make(0)
        self._request(self._layer, 1, _ALL_EDGES)
        self._request(self._surface, 6)
        self._connection.wait(lambda: bool(self._sizes))
        if len(self._outputs) > 1:  # which one is told once something is shown: a pixel with nothing in it
            self._let_through()
            self._show(self._surface, _blank(QSize(1, 1)))
            self._connection.round_trip()
        self._request(self._layer, 7)
        self._request(self._surface, 0)
        self._surface = self._layer = 0

    def _connect(self) -> None:
        if self._is_connected:
            return
        self._connection = connection = WaylandConnection(os.environ, SystemClock())
        self._notifier = QSocketNotifier(connection.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(lambda: self._attempt(connection.read))
        self._request, self._is_connected = connection.request, True
        self._outputs: dict[str, int] = {}
        self._at, self._cursor = (0, 0), 0
        if not all(map(connection.offers, _NEEDED)):
            raise EnvironmentFault("the compositor shows no surfaces on layers", code="no_display")
        self._compositor, self._shm, self._shell = (
            connection.bind(connection.offers(name)[0], version) for name, version in _NEEDED.items()
        )
        for number in connection.offers("wl_output"):
            self._bind_output(number)
        for number in connection.offers("wl_seat"):
            self._bind_seat(number)
        connection.round_trip()

    def _open(self) -> None:
        self._connect()
        self._make(self._outputs.get(self._widget.screen().name(), 0))
        if not self._takes_pointer:
            self._let_through()
        self._request(self._layer, 1, _LEFT_TOP)
        self._request(self._layer, 2, _PAST_PANELS)
        self._place()
        self._request(self._surface, 6)
        self._connection.wait(lambda: bool(self._sizes))
        self._held = None
        self._painting.start()

    def _end(self) -> None:
        """Disconnect, and so take the window away. A second call changes nothing."""
        if self._is_connected:
            self._is_connected = False
            self._notifier.setEnabled(False)
            number = self._connection.fileno()
            self._connection.close()
            self._painting.stop()
            self._surface = self._layer = 0
            OWN_PLACES.boxes = {other: box for other, box in OWN_PLACES.boxes.items() if other != number}
            if self._is_over:
                self._is_over, OWN_PLACES.pointer = False, None
                self._hover(None, QPointF())

    def _on_lost(self) -> None:
        if self._widget.isVisible():
            self._end()
            self.failed.emit()

    def _make(self, output: int) -> None:
        """Make a surface and its layer on an output or, with 0, where the compositor likes."""
        self._entered: list[int] = []
        self._sizes: list[tuple[int, int]] = []
        self._surface = self._connection.create({0: ("u", self._entered.append)})
        self._request(self._compositor, 0, self._surface)
        layer = self._layer = self._connection.create(
            {0: ("uuu", lambda *told: self._on_configured(layer, *told)), 1: ("", self._lost.emit)}
        )
        self._request(self._shell, 0, layer, self._surface, output, _ABOVE_ALL, "kairos")

    def _on_configured(self, layer: int, serial: int, width: int, height: int) -> None:
        if layer == self._layer:
            self._sizes.append((width, height))
            self._request(layer, 6, serial)

    def _let_through(self) -> None:
        region = self._connection.create({})
        self._request(self._compositor, 1, region)
        self._request(self._surface, 5, region)
        self._request(region, 0)

    def _place(self) -> None:
        place, corner = self._widget.geometry(), self._widget.screen().geometry().topLeft()
        self._request(self._layer, 0, place.width(), place.height())
        self._request(self._layer, 3, place.y() - corner.y(), 0, 0, place.x() - corner.x())

    def _paint(self) -> None:
        place = self._widget.geometry()
        image = _blank(place.size(), math.ceil(self._widget.screen().devicePixelRatio()))
        self._widget.render(image)
        box = Box(place.x(), place.y(), place.width(), place.height())
        OWN_PLACES.boxes = {**OWN_PLACES.boxes, self._connection.fileno(): box}
        self._place()
        self._show(self._surface, image)

    def _show(self, surface: int, image: QImage) -> None:
        """Show a picture on a surface, and have whatever else was asked for it count."""
        file = os.memfd_create("kairos-window", os.MFD_CLOEXEC)
        try:
            os.write(file, image.constBits())
            layout = 0, image.width(), image.height(), image.bytesPerLine()
            buffer = self._connection.buffer(self._shm, file, layout, {0: ("", lambda: self._request(buffer, 0))})
        finally:
            os.close(file)
        self._request(surface, 8, round(image.devicePixelRatio()))
        self._request(surface, 1, buffer, 0, 0)
        self._request(surface, 2, 0, 0, image.width(), image.height())
        self._request(surface, 6)

    def _bind_output(self, number: int) -> None:
        output = self._connection.bind(number, 4, {4: ("s", lambda name: self._outputs.update({name: output}))})

    def _bind_seat(self, number: int) -> None:
        pointers: list[int] = []

        def on_capabilities(there: int) -> None:
            if not there & _HAS_POINTER:
                pointers.clear()
            elif not pointers:
                pointers.append(self._connection.create(events))
                self._request(seat, 0, pointers[0])

        def on_enter(serial: int, _surface: int, x: int, y: int) -> None:
            self._request(pointers[0], 0, serial, self._arrow(), 0, 0)
            self._point(QEvent.Type.MouseMove, x, y)

        events: dict[int, Event] = {
            0: ("uuii", on_enter),
            1: ("uu", lambda *_: self._point(QEvent.Type.Leave, *self._at)),
            2: ("uii", lambda _time, x, y: self._point(QEvent.Type.MouseMove, x, y)),
            3: ("uuuu", lambda _serial, _time, button, is_down: self._on_button(button, is_down=bool(is_down))),
            4: ("uui", lambda _time, axis, by: self._on_wheel(axis, by)),
        }
        seat = self._connection.bind(number, 1, {0: ("u", on_capabilities)})

    def _arrow(self) -> int:
        """Return a surface with the picture of the pointer, which otherwise stays that of the window below."""
        if not self._cursor:
            self._cursor = self._connection.create({})
            self._request(self._compositor, 0, self._cursor)
            image = _blank(QSize(13, 20))
            painter = QPainter(image)
            painter.setPen(Qt.GlobalColor.white)
            painter.setBrush(Qt.GlobalColor.black)
            painter.drawPolygon([QPoint(x, y) for x, y in _ARROW])
            painter.end()
            self._show(self._cursor, image)
        return self._cursor

    def _on_button(self, button: int, *, is_down: bool) -> None:
        if button == _LEFT_BUTTON:  # another one could open a menu, which is a window of Qt's
            self._point(QEvent.Type.MouseButtonPress if is_down else QEvent.Type.MouseButtonRelease, *self._at)

    def _on_wheel(self, axis: int, by: int) -> None:
        if axis == _UPRIGHT:
            self._point(QEvent.Type.Wheel, *self._at, round(-by / _FIXED * _PER_NOTCH))

    def _point(self, kind: QEvent.Type, x: int, y: int, by: int = 0) -> None:
        self._at, self._is_over = (x, y), kind is not QEvent.Type.Leave
        at = QPointF(x, y) / _FIXED
        place = self._widget.mapToGlobal(at).toPoint()
        OWN_PLACES.pointer = (place.x(), place.y()) if self._is_over else None
        self._pointed.emit(kind, at, by)

    def _on_pointed(self, kind: QEvent.Type, at: QPointF, by: int) -> None:
        """Give the part below what the pointer did, or the one in which the button went down."""
        widget = self._widget
        is_over = kind is not QEvent.Type.Leave and widget.rect().contains(at.toPoint())
        part = (widget.childAt(at.toPoint()) or widget) if is_over else None
        if self._held is not None and isValid(self._held):
            part = self._held
        else:
            self._held = None
            self._hover(part, at)
        if part is None or kind is QEvent.Type.Leave:
            return
        spot, place = part.mapFrom(widget, at), widget.mapToGlobal(at)
        left, none, keys = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
        if kind is QEvent.Type.Wheel:
            turned, phase = QPoint(0, by), Qt.ScrollPhase.NoScrollPhase
            QCoreApplication.sendEvent(part, QWheelEvent(spot, place, QPoint(), turned, none, keys, phase, False))
            return
        is_move = kind is QEvent.Type.MouseMove
        if not is_move:
            self._held = part if kind is QEvent.Type.MouseButtonPress else None
        held = left if self._held is not None else none
        QCoreApplication.sendEvent(part, QMouseEvent(kind, spot, place, none if is_move else left, held, keys))

    def _hover(self, part: QWidget | None, at: QPointF) -> None:
        """Tell each part whether the pointer is over it now: buttons change their colour then."""
        widget, over = self._widget, set[QWidget]()
        while part is not None:
            over.add(part)
            part = part.parentWidget() if part is not widget else None
        for each in (widget, *widget.findChildren(QWidget)):
            if (each in over) is not each.underMouse():
                enters = QEnterEvent(each.mapFrom(widget, at), at, widget.mapToGlobal(at))
                QCoreApplication.sendEvent(each, enters if each in over else QEvent(QEvent.Type.Leave))
                each.update()


class WaylandDesktop(Desktop):
    """The desktop that Qt speaks Wayland to: its windows stand where the compositor likes, and get the keyboard."""

    windows_take_focus = True

    def layer(self, window: QWidget, *, takes_pointer: bool = True) -> Layer | None:
        """Return what shows a window on the uppermost layer, and fails where the compositor has none."""
        return LayerWindow(window, takes_pointer=takes_pointer)

    def shortcuts(self, settings: InterfaceSettings) -> Shortcuts:
        """Return the shortcuts of the portal."""
        return PortalShortcuts(settings)

    def knock(self, title: str, text: str, buttons: Sequence[tuple[str, str]], parent: QObject) -> Knock:
        """Show a notification."""
        return Notification(title, text, buttons, parent)


def _blank(size: QSize, ratio: int = 1) -> QImage:
    image = QImage(size * ratio, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(0)
    return image
