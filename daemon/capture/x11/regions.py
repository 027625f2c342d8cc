"""Two requests of the XFIXES extension that python-xlib lacks: a region to collect damage in, and reading it.

With them the damage is read in the one round trip that is needed anyway.
"""

import struct
from typing import Any

from Xlib.ext import xfixes
from Xlib.protocol import rq, structs

from storage.records import Box

_RECTANGLE = struct.Struct("=hhHH")


class _CreateRegion(rq.Request):
    _request = rq.Struct(rq.Card8("opcode"), rq.Opcode(5), rq.RequestLength(), rq.Card32("region"))


class _FetchRegion(rq.ReplyRequest):
    _request = rq.Struct(rq.Card8("opcode"), rq.Opcode(19), rq.RequestLength(), rq.Card32("region"))
    _reply = rq.Struct(
        rq.ReplyCode(),
        rq.Pad(1),
        rq.Card16("sequence_number"),
        rq.ReplyLength(),
        rq.Object("extents", structs.Rectangle),
        rq.Pad(16),
        rq.Binary("rectangles"),
    )


def create_region(display: Any) -> int:
    """Create an empty region on the server and return its id; needs `xfixes_query_version` first."""
    region: int = display.display.allocate_resource_id()
    opcode = display.display.get_extension_major(xfixes.extname)
    _CreateRegion(display=display.display, opcode=opcode, region=region)
    return region


def fetch_region(display: Any, region: int) -> tuple[Box, ...]:
    """Return the rectangles of a region: one round trip."""
    opcode = display.display.get_extension_major(xfixes.extname)
    raw = bytes(_FetchRegion(display=display.display, opcode=opcode, region=region).rectangles)
    usable = len(raw) - len(raw) % _RECTANGLE.size
    return tuple(Box(*_RECTANGLE.unpack_from(raw, at)) for at in range(0, usable, _RECTANGLE.size))
