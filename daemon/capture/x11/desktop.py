"""The X11 backend: one python-xlib connection for painting, windows, monitors and the screen saver; mss and pynput.

All state comes from events; `sync`, `event_time_ms` and `take_damage` are the only round trips while no window
appears. A reply may bring events along into python-xlib's own queue, where no poll sees them: every query ends with
`read`. Damage is re-armed by taking it into a region and reading that: with a plain flush no further event came.

Where the order of painting and window changes matters, the server reports every painted rectangle by an event of its
own: events of one connection come in the order in which things happened. What it paints itself at an exposure is among
them; where a window without a background is exposed it paints nothing, and the old pixels stay. What a window paints
into its own picture is reported of that window alone. The server's copies are reported like painting when a window
moves or changes its size, after the event that says so: then the window gets a new report, as the old one is not read.
"""

import logging
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from Xlib import XK, X, Xatom, error
from Xlib.display import Display
from Xlib.ext import damage, randr, screensaver
from Xlib.protocol import request

from daemon.capture.backend import CaptureBackend
from daemon.capture.input import InputQueue
from daemon.capture.scene import Monitor, Scene
from daemon.capture.x11.input import InputListeners
from daemon.capture.x11.regions import create_region, fetch_region
from daemon.capture.x11.windows import WindowTable, is_at_or_after
from storage.clock import NS_PER_S, Clock
from storage.errors import EnvironmentFault
from storage.records import Box

if TYPE_CHECKING:
    from daemon.capture.diff import Pixels

logger = logging.getLogger(__name__)

MAX_REPORTS = 2000
"""So many painted rectangles are followed between two looks; where there are more, none for `PAUSE_NS`."""

PAUSE_NS = 5 * NS_PER_S
_MORE = 0x80
"""Set in the level of a damage event whose report goes on with the next one."""

_LOST = (error.ConnectionClosedError, error.DisplayError, OSError)
_US_LETTERS = {24: "qwertyuiop", 38: "asdfghjkl", 52: "zxcvbnm"}
"""Letters of a US keyboard by the keycode of each row's first, for layouts without any Latin group."""


class X11Backend(CaptureBackend):
    """Captures the display that DISPLAY names."""

    def __init__(self, clock: Clock) -> None:
        """Connect, and select all events.

        Raises:
            EnvironmentFault: the display cannot be reached, or it lacks an extension that is needed.
        """
        try:
            self._display = Display()
        except (*_LOST, error.XauthError) as fault:
            raise EnvironmentFault(
                "the X display cannot be reached", remedy="check DISPLAY and XAUTHORITY", code="no_display"
            ) from fault
        self._display.set_error_handler(_ignore)
        self._root = self._display.screen().root
        self.damaged, self.resized, self.layout_changed, self.locked = True, False, True, None
        self._screenshots: Any = None  # an `mss.MSS`
        self._listeners: InputListeners | None = None
        for name in ("DAMAGE", "XFIXES"):
            if not self._display.has_extension(name):
                self._display.close()
                raise EnvironmentFault(
                    f"the X server has no {name} extension", remedy="use a current X.Org server", code="no_display"
                )
        try:
            self._display.damage_query_version()
            self._display.xfixes_query_version()
            self._damage = self._root.damage_create(damage.DamageReportNonEmpty)
            self._region = create_region(self._display)
            self._damage_event = self._event_code(damage.extname)
            self._randr_event = self._select_randr()
            self._saver_event = self._select_saver()
            self._selection_event = self._event_code("XFIXES")
            self._shape_event = self._event_code("SHAPE")
            self._monitors: tuple[Monitor, ...] = ()
            self._reports = 0
            self._reports_inside: dict[int, int] = {}  # by window
            self._windows_of_reports: dict[int, int] = {}
            self._counted_from: dict[int, int] = {}
            """By report the serial number from which on its events tell of painting; dropped with the first of them."""
            self._report_count = 0
            self._parts: list[Box] = []
            self._pause_until_ns = 0
            self._clock = clock
            self._table = WindowTable(self._display, clock)
            self._time_window = self._root.create_window(
                *(-1, -1, 1, 1, 0, 0), window_class=X.InputOnly, override_redirect=True, event_mask=X.PropertyChangeMask
            )
            self._time_atom = self._display.intern_atom("_KAIROS_TIME")
            self._server_ms = 0
            self._display.sync()
        except _LOST as fault:
            raise _gone() from fault

    def fileno(self) -> int:
        """Return the connection's descriptor."""
        descriptor: int = self._display.fileno()
        return descriptor

    def read(self) -> None:
        """Process the events that have arrived, and check that input still arrives."""
        try:
            while self._display.pending_events():
                self._handle(self._display.next_event())
        except _LOST as fault:
            raise _gone() from fault
        if self._listeners is not None and not self._listeners.alive:
            raise EnvironmentFault("keys and pointer no longer arrive", code="no_input")

    def sync(self) -> None:
        """Process everything that happened before this call: one round trip."""
        try:
            self._display.sync()
            self._handle_queued()
        except _LOST as fault:
            raise _gone() from fault

    def event_time_ms(self) -> int:
        """Return the server's time, which comes only with an event: a property of a window of ours is written."""
        try:
            self._time_window.change_property(self._time_atom, Xatom.INTEGER, 8, b"")
        except _LOST as fault:
            raise _gone() from fault
        self.sync()
        return self._server_ms

    def take_scenes(self) -> tuple[Scene, ...]:
        """Return the states passed through since the last call, oldest first."""
        self._report_count = 0
        return self._table.take_scenes()

    def watch_painting(self, *, on: bool, inside: frozenset[int] = frozenset()) -> None:
        """Say in the states what was painted between them, from now on, or no more; cheap if that is so already."""
        if on == bool(self._reports) and inside == self._reports_inside.keys():
            return
        may_begin = self._clock.now_ns() >= self._pause_until_ns
        try:
            self._end_reports(root=not on, inside=self._reports_inside.keys() - inside)
            if may_begin and on and not self._reports:
                self._reports = self._create_reports(self._root)
            if may_begin:
                self._begin_reports_inside(inside - self._reports_inside.keys())
            self._display.flush()
        except _LOST as fault:
            raise _gone() from fault

    def take_damage(self) -> tuple[Box, ...]:
        """Return what was painted since the last call: one round trip."""
        try:
            self._display.damage_subtract(self._damage, X.NONE, self._region)
            boxes = fetch_region(self._display, self._region)
            self.damaged = False
            self._handle_queued()  # an event that was on its way belongs to what was just taken, or to something newer
        except _LOST as fault:
            raise _gone() from fault
        return boxes

    def monitors(self) -> tuple[Monitor, ...]:
        """Return the monitors; a change also reopens mss, which keeps the old resolution."""
        if not self._monitors:
            self._close_screenshots()
            try:
                self._monitors = self._query_monitors()
            except _LOST as fault:
                raise _gone() from fault
            self.read()
        return self._monitors

    def pointer(self) -> tuple[int, int]:
        """Return the position of the pointer."""
        try:
            place = self._root.query_pointer()
        except _LOST as fault:
            raise _gone() from fault
        self.read()
        return place.root_x, place.root_y

    def latin_letters(self) -> Mapping[int, str]:
        """Return the Latin letter on the key of each key symbol."""
        try:
            latin = self._query_latin()
        except _LOST as fault:
            raise _gone() from fault
        self.read()
        return latin

    def grab(self, box: Box) -> "Pixels":
        """Return a picture of a rectangle of the desktop, by mss, opened by the thread that grabs first."""
        import mss
        import numpy as np
        from mss.exception import ScreenShotError

        try:
            if self._screenshots is None:
                self._screenshots = mss.MSS()
            shot = self._screenshots.grab({"left": box.x, "top": box.y, "width": box.w, "height": box.h})
        except ScreenShotError as fault:
            raise EnvironmentFault(
                "the screen cannot be read", remedy="Kairos tries again by itself", code="screen_unreadable"
            ) from fault
        return np.frombuffer(shot.raw, np.uint8).reshape(box.h, box.w, 4)

    def start_input(self, queue: InputQueue) -> None:
        """Start pynput's listeners."""
        self._listeners = InputListeners(queue)

    def close(self) -> None:
        """End the listeners, mss and the connection; no error if they are broken."""
        if self._listeners is not None:
            self._listeners.stop()
        self._close_screenshots()
        try:
            self._display.close()
        except _LOST:
            logger.debug("the X connection was gone before it was closed")
            self._display.display.socket.close()

    def _close_screenshots(self) -> None:
        if self._screenshots is not None:
            self._screenshots.close()
            self._screenshots = None

    # ------------------------------------------------------------ events

    def _handle_queued(self) -> None:
        """Process the events that came along with a reply, without reading the socket again."""
        while self._display.display.event_queue:
            self._handle(self._display.next_event())

    def _handle(self, event: Any) -> None:
        kind = event.type
        self._table.note_serial(event.sequence_number)
        if kind == self._damage_event:
            self._take_report(event)
        elif kind == self._randr_event:
            self.resized, self._monitors = True, ()
        elif kind == self._saver_event:
            self.locked = event.state == screensaver.StateOn
        elif kind == self._shape_event:
            if event.shape_kind == 0:
                self._table.reshape(event.affected_window.id, shaped=bool(event.shaped))
        elif kind == self._selection_event:
            self._table.note_selection_owner(event.selection)
        elif kind == X.PropertyNotify and event.window == self._time_window:
            self._server_ms = event.time
        elif kind == X.MappingNotify:
            self._display.refresh_keyboard_mapping(event)
            self.layout_changed = True
        else:
            if kind == X.ConfigureNotify and event.window == self._root:
                self.resized, self._monitors = True, ()
            elif kind == X.ConfigureNotify and self._reports_inside:
                self._renew_reports_inside(event.window.id)
            self._table.handle(event)

    def _take_report(self, event: Any) -> None:
        """Note that something was painted; where, if it is an event of a report."""
        number = event.damage
        if number == self._damage:
            self.damaged = True
            return
        first = self._counted_from.get(number)
        if first is not None:
            if not is_at_or_after(event.sequence_number, first):
                return
            del self._counted_from[number]
        self._parts.append(Box(event.area.x, event.area.y, event.area.width, event.area.height))
        if event.level & _MORE:
            return
        parts, self._parts = self._parts, []
        if number == self._reports:
            for part in parts:
                self._table.note_painted(part)
        elif number in self._windows_of_reports:
            self._table.note_painted_inside(self._windows_of_reports[number], parts)
        else:
            return  # of a report that has ended
        self._report_count += 1
        if self._report_count > MAX_REPORTS:
            logger.debug("too much is painted to be followed")
            self._pause_until_ns = self._clock.now_ns() + PAUSE_NS
            self._end_reports(root=True, inside=tuple(self._reports_inside))
            self._display.flush()

    def _create_reports(self, window: Any) -> int:
        """Have painting reported, and tell it from what comes first: everything visible, which nobody painted.

        The number may be that of a report which has just ended; events of that one may be on their way.
        """
        number: int = window.damage_create(damage.DamageReportRawRectangles)
        self._counted_from[number] = self._display.display.request_serial  # that of the next request
        request.NoOperation(display=self._display.display)
        return number

    def _begin_reports_inside(self, xids: Iterable[int]) -> None:
        for xid in xids:
            number = self._create_reports(self._display.create_resource_object("window", xid))
            self._reports_inside[xid], self._windows_of_reports[number] = number, xid

    def _end_reports(self, *, root: bool = False, inside: Iterable[int] = ()) -> None:
        ended = [self._reports] if root and self._reports else []
        for xid in inside:
            ended.append(self._reports_inside.pop(xid))
            del self._windows_of_reports[ended[-1]]
        if root:
            self._reports = 0
        for number in ended:
            self._display.damage_destroy(number)  # an error where it went with its window
            self._counted_from.pop(number, None)

    def _renew_reports_inside(self, xid: int) -> None:
        """Leave out the server's copies where a window, or one in it, moved or changed its size."""
        top = self._table.top_of(xid)
        if top in self._reports_inside:
            self._end_reports(inside=(top,))
            self._begin_reports_inside((top,))
            self._display.flush()

    def _event_code(self, extension: str) -> int:
        found = self._display.query_extension(extension)
        return -1 if found is None else int(found.first_event)

    def _select_randr(self) -> int:
        if not self._display.has_extension("RANDR"):
            return -1
        self._root.xrandr_select_input(randr.RRScreenChangeNotifyMask)
        return self._event_code("RANDR")

    def _select_saver(self) -> int:
        if not self._display.has_extension("MIT-SCREEN-SAVER"):
            return -1
        self._root.screensaver_select_input(screensaver.NotifyMask)
        self.locked = self._root.screensaver_query_info().state == screensaver.StateOn
        return self._event_code("MIT-SCREEN-SAVER")

    # ------------------------------------------------------------ queries

    def _query_monitors(self) -> tuple[Monitor, ...]:
        found: list[Monitor] = []
        if hasattr(self._root, "xrandr_get_monitors"):
            for monitor in self._root.xrandr_get_monitors().monitors:
                name = str(self._display.get_atom_name(monitor.name))
                box = Box(monitor.x, monitor.y, monitor.width_in_pixels, monitor.height_in_pixels)
                found.append(Monitor(name=name, box=box))
        if not found:
            whole = self._root.get_geometry()
            found.append(Monitor(name="screen", box=Box(0, 0, whole.width, whole.height)))
        return tuple(found)

    def _query_latin(self) -> dict[int, str]:
        """Map every symbol to the Latin letter that the same key has in another group, or on a US keyboard."""
        first = self._display.display.info.min_keycode
        count = self._display.display.info.max_keycode - first + 1
        by_keycode = {row + at: letter for row, letters in _US_LETTERS.items() for at, letter in enumerate(letters)}
        latin: dict[int, str] = {}
        rows = self._display.get_keyboard_mapping(first, count)
        letters_of = [[chr(sym).lower() for sym in row if _is_letter(sym)] for row in rows]
        has_latin = any(letters_of)
        for keycode, (row, letters) in enumerate(zip(rows, letters_of, strict=True), first):
            letter = letters[0] if letters else None if has_latin else by_keycode.get(keycode)
            if letter is not None:
                for symbol in row:
                    latin.setdefault(symbol, letter)
        latin.pop(XK.NoSymbol, None)
        return latin


def _is_letter(symbol: int) -> bool:
    return XK.XK_a <= symbol <= XK.XK_z or XK.XK_A <= symbol <= XK.XK_Z


def _ignore(fault: error.XError, _request: object) -> None:
    """Log an error about a window that is gone; python-xlib would print it."""
    logger.debug("X error %s", type(fault).__name__)


def _gone() -> EnvironmentFault:
    return EnvironmentFault(
        "the connection to the X server broke", remedy="Kairos tries again by itself", code="display_gone"
    )
