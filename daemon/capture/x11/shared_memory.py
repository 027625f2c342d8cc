"""Memory that the X server writes pictures of the screen into, so that they are looked at where they are: MIT-SHM.

python-xlib lacks the extension. There is none where the server is on another machine or may not reach our memory.
"""

import ctypes
import struct
import weakref
from typing import Any

import numpy as np
from Xlib import X, error
from Xlib.protocol import rq

from daemon.capture.diff import Pixels
from daemon.capture.x11.requests import Asked
from storage.records import Box

_IPC_PRIVATE, _IPC_CREAT, _IPC_RMID = 0, 0o1000, 0
_FAILED = ctypes.c_void_p(-1).value
_PIXEL = 4
_RED = 0xFF0000
_GET_IMAGE, _GET_IMAGE_CODE = struct.Struct("=BBHIhhHHIBxxxII"), 4
_ALL_PLANES = 0xFFFFFFFF


class NotSharedError(Exception):
    """The server does not write into memory of ours."""


class SharedPictures:
    """One segment, for pictures of a screen up to a size."""

    def __init__(self, display: Any, pixels: int) -> None:
        """Make it: twice as large as a picture of all.

        Raises:
            NotSharedError: the server does not write into memory of ours, or other pixels than BGRA.
        """
        found, screen = display.query_extension("MIT-SHM"), display.screen()
        visuals = {visual.visual_id: visual for depth in screen.allowed_depths for visual in depth.visuals}
        if found is None or visuals[screen.root_visual].red_mask != _RED:
            raise NotSharedError
        self._display, self._opcode, self._half = display, found.major_opcode, pixels * _PIXEL
        self._memory = _segment(2 * self._half)
        self._used = 0
        self._asked: list[Asked] = []
        self._root = screen.root.id
        self._name = display.display.allocate_resource_id()
        refused = error.CatchError()
        _Attach(display.display, refused, opcode=self._opcode, name=self._name, segment=self._memory.segment)
        display.sync()
        if refused.get_error() is not None:
            raise NotSharedError

    def begin(self) -> None:
        """Take the room of all pictures for those that follow."""
        self._used = 0

    def ask(self, box: Box) -> Pixels:
        """Return a rectangle of the screen, which is there once `finish` returns, and stays until after `begin`."""
        size = box.w * box.h * _PIXEL
        fits = self._used + size <= self._half
        at = self._used if fits else self._half
        packed = _GET_IMAGE.pack(
            *(self._opcode, _GET_IMAGE_CODE, _GET_IMAGE.size // 4, self._root, *box),
            *(_ALL_PLANES, X.ZPixmap, self._name, at),
        )
        self._asked.append(Asked(self._display, packed))
        pixels = np.frombuffer(self._memory, np.uint8, size, at).reshape(box.h, box.w, _PIXEL)
        if not fits:
            self.finish()
            return pixels.copy()
        self._used += size
        return pixels

    def finish(self) -> bool:
        """Wait for all that was asked for; return whether that was anything.

        Raises:
            XError: A rectangle is not on the screen.
        """
        asked, self._asked = self._asked, []
        for picture in asked:
            picture.reply()
        return bool(asked)

    def close(self) -> None:
        """Have the server forget it; it is there for as long as a picture in it."""
        _Detach(self._display.display, opcode=self._opcode, name=self._name)


def _segment(size: int) -> Any:
    """Return memory with the number of its `segment`, which goes with the last reference to it, or with us."""
    system = ctypes.CDLL(None)
    system.shmat.restype, system.shmat.argtypes = ctypes.c_void_p, (ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
    segment = system.shmget(_IPC_PRIVATE, ctypes.c_size_t(size), _IPC_CREAT | 0o600)
    address = system.shmat(segment, None, 0) if segment >= 0 else _FAILED
    system.shmctl(segment, _IPC_RMID, None)
    if address == _FAILED:
        raise NotSharedError
    kind: Any = type("Memory", (ctypes.c_char * size,), {"segment": segment})
    memory = kind.from_address(address)
    weakref.finalize(memory, system.shmdt, ctypes.c_void_p(address))
    return memory


class _Attach(rq.Request):
    _request = rq.Struct(
        *(rq.Card8("opcode"), rq.Opcode(1), rq.RequestLength()),
        *(rq.Card32("name"), rq.Card32("segment"), rq.Bool("read_only", 0), rq.Pad(3)),
    )


class _Detach(rq.Request):
    _request = rq.Struct(rq.Card8("opcode"), rq.Opcode(2), rq.RequestLength(), rq.Card32("name"))
