"""The X11 backend: one python-xlib connection for painting, windows, monitors, the screen saver and pixels.

Where the server cannot write pixels into memory of ours, mss gets them.

All state comes from events. A reply may bring events along into python-xlib's own queue, where no poll sees them: every
query ends with `read`. Damage is re-armed by taking it into a region and reading that.
"""

import logging
from collections.abc import Collection
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from Xlib import X, Xatom, error
from Xlib.ext import damage, randr, screensaver, xfixes
from Xlib.protocol import rq

from daemon.capture.backend import XWAYLAND, CaptureBackend
from daemon.capture.input import InputQueue
from daemon.capture.scene import Monitor, Scene
from daemon.capture.x11.connecting import LOST, connected, open_display
from daemon.capture.x11.input import InputListener
from daemon.capture.x11.reports import PaintReports
from daemon.capture.x11.requests import Painted, exchange, take_region, wait_for_all
from daemon.capture.x11.shared_memory import NotSharedError, SharedPictures
from daemon.capture.x11.windows import WindowTable
from daemon.capture.x11.xwayland import is_xwayland
from storage.capabilities import Capabilities
from storage.clock import Clock
from storage.errors import EnvironmentFault
from storage.records import Box

if TYPE_CHECKING:
    from daemon.capture.diff import Pixels

logger = logging.getLogger(__name__)

_DEPTHS = (24, 32)
"""Bits of colour of screens that can be read: the pictures have 8 for each of red, green and blue."""

_RED_FIRST = 0xFF
"""The mask of red where a server keeps pixels as RGBA, as VNC's can be told to, and not as BGRA."""

_MANY_EVENTS = 64
"""After so many there may be more to read: python-xlib takes 4096 bytes at once."""

_LOOK_NS = 200_000_000
"""For how long events are read at most before what they say is looked at."""


class X11Backend(CaptureBackend):
    """Captures the display that DISPLAY names."""

    capabilities = Capabilities(desktop="X11")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._display = open_display()
        self._display.set_error_handler(_ignore)
        wire: Any = self._display.display
        self._wire = wire
        wire.send_and_recv = partial(exchange, wire)
        self._root = self._display.screen().root
        self.damaged, self.resized, self.locked, self.behind = True, False, None, False
        self._shared: SharedPictures | None = None
        self._screenshots: Any = None  # an `mss.MSS`
        self._listener: InputListener | None = None
        for name in ("DAMAGE", "XFIXES"):
            if not self._display.has_extension(name):
                self._display.close()
                raise EnvironmentFault(
                    f"the X server has no {name} extension", remedy="use a current X.Org server", code="no_display"
                )
        if is_xwayland(self._display):
            self._display.close()
            raise EnvironmentFault(
                "this X display is a part of a Wayland session and shows a part of its windows",
                remedy="check WAYLAND_DISPLAY and XDG_RUNTIME_DIR",
                code=XWAYLAND,
            )
        screen = self._display.screen()
        depth, visuals = screen.root_depth, (visual for each in screen.allowed_depths for visual in each.visuals)
        red = next(visual.red_mask for visual in visuals if visual.visual_id == screen.root_visual)
        self._red_first = red == _RED_FIRST
        if depth not in _DEPTHS:
            self._display.close()
            raise EnvironmentFault(
                f"the screen has {depth} bits of colour, and only those with 24 can be read",
                remedy="start the X server with 24 (DefaultDepth 24 in xorg.conf, or: vncserver -depth 24)",
                code="no_display",
            )
        with connected():
            self._display.damage_query_version()
            self._display.xfixes_query_version()
            self._damage = self._root.damage_create(damage.DamageReportNonEmpty)
            self._regions = {
                "damage": self._damage,
                "damage_code": self._display.display.get_extension_major(damage.extname),
                "region": _create_region(self._display),
                "xfixes_code": self._display.display.get_extension_major(xfixes.extname),
            }
            self._damage_event = self._event_code(damage.extname)
            # of this one alone: whoever connects next puts the library's own class into the table of all
            wire.event_classes = wire.event_classes.copy()
            wire.add_extension_event(self._damage_event, Painted)
            self._randr_event = self._select_randr()
            self._saver_event = self._select_saver()
            self._selection_event = self._event_code("XFIXES")
            self._shape_event = self._event_code("SHAPE")
            self._monitors: tuple[Monitor, ...] = ()
            self._time_window = self._root.create_window(
                *(-1, -1, 1, 1, 0, 0), window_class=X.InputOnly, override_redirect=True, event_mask=X.PropertyChangeMask
            )
            self._time_atom = self._display.intern_atom("_KAIROS_TIME")
            self._server_ms = 0
            self._display.sync()

    @cached_property
    def _table(self) -> WindowTable:
        """The windows; each is asked about, which takes time where only what this desktop can do is wanted."""
        with connected():
            return WindowTable(self._display, self._clock)

    @cached_property
    def _reports(self) -> PaintReports:
        return PaintReports(self._display, self._clock, self._table)

    def fileno(self) -> int:
        """Return the connection's descriptor."""
        descriptor: int = self._display.fileno()
        return descriptor

    def has_unread(self) -> bool:
        """Return whether events wait in python-xlib's queue: sending a request reads what has arrived as well."""
        return bool(self._wire.event_queue)

    def read(self) -> None:
        """Process the events that have arrived, and check that input still arrives."""
        until_ns, is_full = self._clock.now_ns() + _LOOK_NS, True
        with connected():
            while is_full and self._clock.now_ns() < until_ns:
                self._wire.send_and_recv(recv=True)
                is_full = len(self._wire.event_queue) >= _MANY_EVENTS
                self._handle_queued(until_ns)
        self.behind = is_full or self.has_unread()
        if self._listener is not None and not self._listener.alive:
            raise EnvironmentFault("keys and pointer no longer arrive", code="no_input")

    def sync(self) -> None:
        """Process everything that happened before this call: one round trip, that of pictures asked for as well."""
        with connected():
            if not self._finish_pictures():  # else their replies came behind all that happened before
                wait_for_all(self._display)
            self._handle_queued()

    def event_time_ms(self) -> int:
        """Return the server's time, which comes only with an event: a property of a window of ours is written."""
        with connected():
            self._time_window.change_property(self._time_atom, Xatom.INTEGER, 8, b"")
        self.sync()
        return self._server_ms

    def take_scenes(self) -> tuple[Scene, ...]:
        """Return the states passed through since the last call, oldest first."""
        self._reports.note_look()
        return self._table.take_scenes()

    def watch_painting(self, *, on: bool, inside: frozenset[int] = frozenset()) -> None:
        """Say in the states what was painted between them, from now on, or no more; cheap if that is so already."""
        with connected():
            self._reports.watch(on=on, inside=inside)

    def follow_damage(self, *, on: bool, hidden: Collection[Box] = ()) -> None:
        """Do nothing: damage is told without any pixel."""

    def take_damage(self) -> tuple[Box, ...]:
        """Return what was painted since the last call: one round trip; what was grabbed before is overwritten now."""
        if self._shared is not None:
            self._shared.begin()
        with connected():
            boxes = take_region(self._display, **self._regions)
            self.damaged = False
            self._handle_queued()  # an event that was on its way belongs to what was just taken, or to something newer
        return boxes

    def monitors(self) -> tuple[Monitor, ...]:
        """Return the monitors; after a change there is memory for pictures of the new size."""
        if not self._monitors:
            self._close_screenshots()
            with connected():
                if self._shared is not None:
                    self._shared.close()
                whole = self._root.get_geometry()
                try:
                    self._shared = SharedPictures(self._display, whole.width * whole.height)
                except NotSharedError:
                    self._shared = None
                self._monitors = self._query_monitors()
            self.read()
        return self._monitors

    def pointer(self) -> tuple[int, int]:
        """Return the position of the pointer."""
        with connected():
            place = self._root.query_pointer()
        self.read()
        return place.root_x, place.root_y

    def grab(self, box: Box) -> "Pixels":
        """Return a picture of a rectangle of the desktop."""
        pixels = self.ask(box)
        with connected():
            self._finish_pictures()
        return pixels

    def ask(self, box: Box) -> "Pixels":
        """Ask for a picture, which comes with the reply to the next `sync`."""
        if self._shared is None:
            return self._screenshot(box)
        try:
            with connected():
                return self._shared.ask(box)
        except error.XError as fault:  # where there is no room left, it waits
            raise _unreadable() from fault

    def _finish_pictures(self) -> bool:
        """Wait for pictures that were asked for; return whether there were any."""
        try:
            return self._shared is not None and self._shared.finish()
        except error.XError as fault:
            raise _unreadable() from fault

    def _screenshot(self, box: Box) -> "Pixels":
        """Return a picture by mss, opened by the thread that grabs first."""
        import numpy as np
        from mss.exception import ScreenShotError

        try:
            if self._screenshots is None:
                self._screenshots = _open_screenshots()
            shot = self._screenshots.grab({"left": box.x, "top": box.y, "width": box.w, "height": box.h})
        except ScreenShotError as fault:
            raise _unreadable() from fault
        pixels = np.frombuffer(shot.raw, np.uint8).reshape(box.h, box.w, 4)
        return pixels[..., (2, 1, 0, 3)] if self._red_first else pixels

    def start_input(self, queue: InputQueue) -> None:
        """Start the listener."""
        with connected():
            self._listener = InputListener(queue)

    def close(self) -> None:
        """End the listener, mss and the connection; no error if they are broken."""
        if self._listener is not None:
            self._listener.stop()
        self._close_screenshots()
        try:
            self._display.close()
        except LOST:
            logger.debug("the X connection was gone before it was closed")
            self._display.display.socket.close()

    def _close_screenshots(self) -> None:
        if self._screenshots is not None:
            self._screenshots.close()
            self._screenshots = None

    # ------------------------------------------------------------ events

    def _handle_queued(self, until_ns: int | None = None) -> None:
        """Process the events that came along with a reply, and until a time those that queries of theirs bring along.

        Without a limit that would not end while windows open and close faster than they can be asked about.
        """
        queue, until_ns = self._wire.event_queue, until_ns or self._clock.now_ns() + _LOOK_NS
        while queue:
            events, queue[:] = queue[:], []
            for event in self._table.expect(events):
                self._handle(event)
            self._table.expect(())
            if self._clock.now_ns() >= until_ns:
                break
        if not queue:
            self._table.settle()

    def _handle(self, event: Any) -> None:
        kind = event.type
        self._table.note_serial(event.sequence_number)
        if kind == self._damage_event:
            if event.damage == self._damage:
                self.damaged = True
            else:
                self._reports.take(event)
        elif kind == self._randr_event:
            self.resized, self._monitors = True, ()
        elif kind == self._saver_event:
            self.locked = event.state == screensaver.StateOn
        elif kind == self._shape_event:
            if event.shape_kind == 0:
                self._table.reshape(event.affected_window)
        elif kind == self._selection_event:
            self._table.note_selection_owner(event.selection)
        elif kind == X.PropertyNotify and event.window == self._time_window:
            self._server_ms = event.time
        elif kind == X.MappingNotify:
            pass  # the listener's concern
        else:
            if kind == X.ConfigureNotify:
                self._note_configured(event)
            self._table.handle(event)

    def _note_configured(self, event: Any) -> None:
        if event.window == self._root:
            self.resized, self._monitors = True, ()
        else:
            self._reports.renew(event)

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


class _CreateRegion(rq.Request):
    _request = rq.Struct(rq.Card8("opcode"), rq.Opcode(5), rq.RequestLength(), rq.Card32("region"))


def _create_region(display: Any) -> int:
    """Create an empty region on the server and return its id; python-xlib lacks this request."""
    region: int = display.display.allocate_resource_id()
    opcode = display.display.get_extension_major(xfixes.extname)
    _CreateRegion(display=display.display, opcode=opcode, region=region)
    return region


def _ignore(fault: error.XError, _request: object) -> None:
    """Log an error about a window that is gone; python-xlib would print it."""
    logger.debug("X error %s", type(fault).__name__)


def _unreadable() -> EnvironmentFault:
    return EnvironmentFault(
        "the screen cannot be read", remedy="Kairos tries again by itself", code="screen_unreadable"
    )


def _open_screenshots() -> Any:
    import mss
    from mss.exception import ScreenShotError

    try:
        return mss.MSS()
    except ScreenShotError:  # it takes only the first list of visuals of a depth, and VNC's servers have several
        return mss.MSS(backend="xlib")
