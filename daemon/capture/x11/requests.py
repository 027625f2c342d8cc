"""What is asked of the server and told by it for every picture, packed by us: python-xlib takes .2 ms for each.

Serial numbers, queues and errors stay python-xlib's, so these mix with its own.
"""

import struct
from typing import Any

from Xlib.protocol import rq

from storage.records import Box

_SERIAL, _SERIAL_AT = struct.Struct("=H"), 2
_INPUT_FOCUS = struct.pack("=BBH", 43, 0, 1)
_SUBTRACT, _SUBTRACT_CODE = struct.Struct("=BBHIII"), 3
_FETCH, _FETCH_CODE = struct.Struct("=BBHI"), 19
_PAINTED = struct.Struct("=BBHIIIhhHH")
_RECTANGLE = struct.Struct("=hhHH")
_HEAD_BYTES = 32


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
