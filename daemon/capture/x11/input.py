"""Keys and pointer by the RECORD extension: one thread that hands each event to an `InputQueue` as the server tells it.

Changes of the keyboard's map are recorded in the same stream, so a key is read by the map that it was pressed under.
"""

import contextlib
import logging
import struct
import threading
from typing import Any

from Xlib import X, error
from Xlib.display import Display
from Xlib.ext import record

from daemon.capture.input import InputQueue
from daemon.capture.x11.keymap import Keymap, query_keymap
from storage.errors import EnvironmentFault

logger = logging.getLogger(__name__)

_READY_S = 5.0
_EVENT = struct.Struct("<BBHIIIIhhhhHBx")
"""An event on the wire: type, detail, serial, time, root, window, child, place on the root, in the window, state."""

_ENABLE, _ENABLE_CODE = struct.Struct("=BBHI"), 5
_HEAD = struct.Struct("=BBxxI24x")
"""What all packets begin with: kind, category, and how many words follow in a reply; events are no longer than that."""

_ERROR, _REPLY = 0, 1
_CATEGORY, _SWAPPED = 1, 9
_MOST_BYTES = 1 << 16

_BUTTONS = {1: "left", 2: "middle", 3: "right"}
_WHEEL = {4: (0, 1), 5: (0, -1), 6: (-1, 0), 7: (1, 0)}
_RANGES = {
    "core_requests": (0, 0),
    "core_replies": (0, 0),
    "ext_requests": (0, 0, 0, 0),
    "ext_replies": (0, 0, 0, 0),
    "delivered_events": (X.MappingNotify, X.MappingNotify),
    "device_events": (X.KeyPress, X.MotionNotify),
    "errors": (0, 0),
    "client_started": False,
    "client_died": False,
}


class InputListener:
    """Records the input of a display, and feeds a queue."""

    def __init__(self, queue: InputQueue) -> None:
        """Start, and return once events arrive.

        Raises:
            EnvironmentFault: The server records nothing, or does not begin.
        """
        self._queue = queue
        self._control, self._data = Display(), Display()
        self._keymap: Keymap | None = None
        if not self._data.has_extension("RECORD"):
            self._close()
            raise EnvironmentFault(
                "the X server has no RECORD extension, so keys and pointer cannot be listened to",
                remedy="start it with that extension: X.Org, Xvfb and VNC's servers have it unless it is turned off",
                code="no_input",
            )
        self._context = self._data.record_create_context(0, [record.AllClients], [_RANGES])
        self._began = threading.Event()
        self._thread = threading.Thread(target=self._run, name="input", daemon=True)
        self._thread.start()
        if not self._began.wait(_READY_S) or not self.alive:
            self.stop()
            raise EnvironmentFault(
                "listening to keys and pointer did not start",
                remedy="the X server is busy or hangs: try again, or log in again",
                code="no_input",
            )

    @property
    def alive(self) -> bool:
        """Whether it still listens."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """End it, if it still runs."""
        with contextlib.suppress(Exception):  # whatever a dead X connection raises here
            display = Display(self._data.get_display_name())  # the listener's own may be in use there
            try:
                display.record_disable_context(self._context)
                display.sync()
            finally:
                display.display.socket.close()
        self._thread.join(1.0)

    def _run(self) -> None:
        try:
            self._data.sync()
            self._record(self._data.display)
        except (error.ConnectionClosedError, error.DisplayError, error.XError, OSError) as fault:
            logger.debug("listening to input ended: %s", type(fault).__name__)
        finally:
            self._close()

    def _close(self) -> None:
        for display in (self._control, self._data):
            display.display.socket.close()

    def _record(self, connection: Any) -> None:
        """Read what the server records until it ends, past python-xlib: that takes longer for a packet than we do."""
        opcode = connection.get_extension_major(record.extname)
        connection.socket.sendall(_ENABLE.pack(opcode, _ENABLE_CODE, _ENABLE.size // 4, self._context))
        received = b""
        while fresh := connection.socket.recv(_MOST_BYTES):
            received += fresh
            while len(received) >= _HEAD.size:
                kind, category, length = _HEAD.unpack_from(received)
                if kind == _ERROR or (kind == _REPLY and category == record.EndOfData):
                    return
                size = _HEAD.size + (4 * length if kind == _REPLY else 0)
                if len(received) < size:
                    break
                if kind == _REPLY:
                    self._take(received[:size])
                received = received[size:]

    def _take(self, packet: bytes) -> None:
        """Take in what the server recorded."""
        if packet[_CATEGORY] == record.StartOfData:
            self._began.set()
        if packet[_CATEGORY] != record.FromServer or packet[_SWAPPED]:
            return
        for at in range(_HEAD.size, len(packet) - _EVENT.size + 1, _EVENT.size):
            kind, detail, _, time_ms, _, _, _, x, y, _, _, state, _ = _EVENT.unpack_from(packet, at)
            if kind & 0x7F == X.MappingNotify:
                self._keymap = None
            elif self._queue.accepts(time_ms):
                self._pass_on(kind, detail, x, y, state)

    def _pass_on(self, kind: int, detail: int, x: int, y: int, state: int) -> None:
        if kind == X.MotionNotify:
            self._queue.move(x, y)
        elif kind == X.KeyPress:
            self._queue.press(self._map().press(detail, state))
        elif kind in (X.ButtonPress, X.ButtonRelease):
            if detail not in _WHEEL:
                self._queue.click(x, y, _BUTTONS.get(detail, "other"), kind == X.ButtonPress)
            elif kind == X.ButtonPress:
                self._queue.scroll(x, y, *_WHEEL[detail])

    def _map(self) -> Keymap:
        """Return the keyboard's map, asked for anew after a change."""
        if self._keymap is None:
            self._keymap = query_keymap(self._control)
            while self._control.display.event_queue:  # the same changes, told to this connection
                self._control.next_event()
        return self._keymap
