"""What is asked of the server and told by it for every picture and property, packed by us.

python-xlib takes .2 ms for each. Serial numbers, queues and errors stay its own, so these mix with what it asks.
"""

import socket
import struct
from collections.abc import Iterable
from typing import Any, NamedTuple

from Xlib.protocol import request as protocol
from Xlib.protocol import rq

from storage.records import Box

_SERIAL, _SERIAL_AT = struct.Struct("=H"), 2
_INPUT_FOCUS = struct.pack("=BBH", 43, 0, 1)
_SUBTRACT, _SUBTRACT_CODE = struct.Struct("=BBHIII"), 3
_FETCH, _FETCH_CODE = struct.Struct("=BBHI"), 19
_PAINTED = struct.Struct("=BBHIIIhhHH")
_RECTANGLE = struct.Struct("=hhHH")
_GET_PROPERTY, _GET_PROPERTY_CODE = struct.Struct("=BBHIIIII"), 20
_PROPERTY, _TEXT_FORMAT = struct.Struct("=xB6xIII"), 8
_HEAD_BYTES = 32
_AT_ONCE: int = getattr(socket, "MSG_DONTWAIT", 0)
"""Windows has none."""


class _Packed:
    """Leaves requests and replies as they are."""

    @staticmethod
    def to_binary(packed: bytes) -> bytes:
        return packed

    @staticmethod
    def parse_binary(reply: bytes, _display: Any, *, rawdict: bool) -> tuple[dict[str, Any], bytes]:  # noqa: ARG004  # python-xlib's call
        raw = bytes(reply)
        return {"raw": raw, "sequence_number": _SERIAL.unpack_from(raw, _SERIAL_AT)[0]}, b""


class _Silent(rq.Request):
    _request = _Packed


class Asked(rq.ReplyRequest):
    """A request with a reply; it is sent with the next one that is waited for, `reply` waits and raises `XError`."""

    _request = _reply = _Packed

    def __init__(self, display: Any, packed: bytes) -> None:
        super().__init__(display.display, True, packed)


class Property(NamedTuple):
    """What a property holds: bytes or numbers, and how many bytes follow."""

    value: bytes | tuple[int, ...]
    bytes_after: int


class AskedProperty(Asked):
    """A property of a window."""

    def __init__(self, display: Any, window: int, atom: int, longs: int) -> None:
        super().__init__(
            display, _GET_PROPERTY.pack(_GET_PROPERTY_CODE, 0, _GET_PROPERTY.size // 4, window, atom, 0, 0, longs)
        )

    def found(self) -> Property | None:
        """Wait for it; None where it is missing."""
        self.reply()
        bits, kind, bytes_after, count = _PROPERTY.unpack_from(self.raw)
        if not kind:
            return None
        if bits == _TEXT_FORMAT:
            return Property(self.raw[_HEAD_BYTES : _HEAD_BYTES + count], bytes_after)
        letter = "I" if bits > 2 * _TEXT_FORMAT else "H"
        return Property(struct.unpack_from(f"={count}{letter}", self.raw, _HEAD_BYTES), bytes_after)


def atoms_of(display: Any, names: Iterable[str]) -> dict[str, int]:
    """Return the atoms of names, in one round trip."""
    asked = {name: protocol.InternAtom(display.display, True, name=name, only_if_exists=False) for name in names}
    for each in asked.values():
        each.reply()
    return {name: each.atom for name, each in asked.items()}


def exchange(
    wire: Any, *, flush: bool = False, event: bool = False, request: int | None = None, recv: bool = False
) -> None:
    """Do what `send_and_recv` of python-xlib does, for a connection of one thread: in two system calls, not six."""
    wire.check_for_error()
    try:
        if wire.request_queue:
            wire.sent_requests += [asked for asked, is_awaited in wire.request_queue if is_awaited]
            packed = b"".join([asked._binary for asked, _ in wire.request_queue])  # noqa: SLF001  # python-xlib's own
            wire.request_queue.clear()
            wire.socket.sendall(packed)
        is_found = flush
        while not is_found:
            size = max(wire.recv_buffer_size, wire.recv_packet_len - len(wire.data_recv))
            fresh = wire.socket.recv(size, _AT_ONCE if recv else 0)
            if not fresh:
                raise ConnectionResetError("server")
            wire.data_recv = bytes(wire.data_recv) + fresh
            is_found = wire.parse_response(request) or recv or (event and bool(wire.event_queue))
    except BlockingIOError:
        pass  # nothing has arrived
    except OSError as fault:
        wire.close_internal(f"server: {fault}")
        wire.check_for_error()


def wait_for_all(display: Any) -> None:
    """Wait until the server has answered everything that was asked before: the least round trip there is."""
    Asked(display, _INPUT_FOCUS).reply()


def take_region(display: Any, *, damage_code: int, damage: int, xfixes_code: int, region: int) -> tuple[Box, ...]:
    """Take what was painted into a region, and return its rectangles: one round trip."""
    _Silent(display.display, None, _SUBTRACT.pack(damage_code, _SUBTRACT_CODE, _SUBTRACT.size // 4, damage, 0, region))
    fetching = Asked(display, _FETCH.pack(xfixes_code, _FETCH_CODE, _FETCH.size // 4, region))
    fetching.reply()
    rectangles = fetching.raw[_HEAD_BYTES:]
    usable = len(rectangles) - len(rectangles) % _RECTANGLE.size
    return tuple(Box(*found) for found in _RECTANGLE.iter_unpack(rectangles[:usable]))


class Painted(rq.Event):
    """The event that something was painted."""

    def __init__(self, display: Any, binarydata: bytes) -> None:  # noqa: ARG002  # python-xlib's call
        kind, level, serial, _, number, _, *area = _PAINTED.unpack_from(binarydata)
        self._data = {
            "type": kind & 0x7F,
            "level": level,
            "sequence_number": serial,
            "damage": number,
            "area": Box(*area),
        }
