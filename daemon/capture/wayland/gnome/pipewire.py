"""Reads pictures from PipeWire by its own C library, which is there wherever a portal shares the screen.

PipeWire's thread calls us for each picture. Nothing is copied then: the newest buffer is kept, and the one before goes
back. What is in it is copied when it is asked for, and only the part that is.
"""

import ctypes
import struct
import sys
from collections.abc import Callable, Iterator, Mapping
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from typing import TYPE_CHECKING, Any

assert sys.platform == "linux"  # nothing else has it

import numpy as np

from daemon.capture.surroundings.streams import OWN_STREAM
from storage.errors import EnvironmentFault
from storage.records import Box

if TYPE_CHECKING:
    from daemon.capture.diff import Pixels

_LIBRARY = "libpipewire-0.3.so.0"
_ID, _INT, _RECTANGLE, _FRACTION, _OBJECT, _CHOICE = 3, 4, 10, 11, 15, 19
"""Kinds of values in PipeWire's parameters."""

_RANGE, _ENUM, _FLAGS = 1, 3, 4
_ENUM_FORMAT, _FORMAT, _BUFFERS, _META = 3, 4, 5, 6
"""Parameters."""

_FORMAT_TYPE, _BUFFERS_TYPE, _META_TYPE = 0x40003, 0x40004, 0x40005
_MEDIA_TYPE, _MEDIA_SUBTYPE, _VIDEO_FORMAT, _VIDEO_SIZE, _VIDEO_RATE = 1, 2, 0x20001, 0x20003, 0x20004
_VIDEO, _RAW, _RGB, _BGR = 2, 1, (7, 11), (8, 12)
_BUFFER_COUNT, _DATA_TYPE, _HEADER_SIZE = 1, 6, 32
_MEMORY = 1 << 1 | 1 << 2
"""Memory that can be read as it is, and none of a graphics card."""

_CORRUPTED = 1
_INPUT, _AUTOCONNECT, _INACTIVE, _MAP = 0, 1, 2, 4
_ERROR = -1
_PIXEL = 4


class _Hook(Structure):
    _fields_ = [("space", c_void_p * 6)]


class _Meta(Structure):
    _fields_ = [("type", c_uint32), ("size", c_uint32), ("data", c_void_p)]


class _Header(Structure):
    _fields_ = [("flags", c_uint32), ("offset", c_uint32), ("pts", c_int64), ("dts", c_int64), ("seq", c_uint64)]


class _Chunk(Structure):
    _fields_ = [("offset", c_uint32), ("size", c_uint32), ("stride", c_int32), ("flags", c_int32)]


class _Data(Structure):
    _fields_ = [
        *(("type", c_uint32), ("flags", c_uint32), ("fd", c_int64), ("mapoffset", c_uint32), ("maxsize", c_uint32)),
        *(("data", c_void_p), ("chunk", POINTER(_Chunk))),
    ]


class _SpaBuffer(Structure):
    _fields_ = [("n_metas", c_uint32), ("n_datas", c_uint32), ("metas", POINTER(_Meta)), ("datas", POINTER(_Data))]


class _Buffer(Structure):
    _fields_ = [("buffer", POINTER(_SpaBuffer)), ("user_data", c_void_p), ("size", c_uint64)]


_Process = CFUNCTYPE(None, c_void_p)
_StateChanged = CFUNCTYPE(None, c_void_p, c_int32, c_int32, c_char_p)
_ParamChanged = CFUNCTYPE(None, c_void_p, c_uint32, c_void_p)
_BufferRemoved = CFUNCTYPE(None, c_void_p, c_void_p)


class _Events(Structure):
    _fields_ = [
        *(("version", c_uint32), ("destroy", c_void_p), ("state_changed", _StateChanged), ("control_info", c_void_p)),
        *(("io_changed", c_void_p), ("param_changed", _ParamChanged), ("add_buffer", c_void_p)),
        *(("remove_buffer", _BufferRemoved), ("process", _Process), ("drained", c_void_p), ("command", c_void_p)),
        ("trigger_done", c_void_p),
    ]


def _declared(library: ctypes.CDLL) -> ctypes.CDLL:
    pointers = ("thread_loop_new", "thread_loop_get_loop", "context_new", "context_connect_fd", "stream_new")
    for name in (*pointers, "properties_new", "stream_dequeue_buffer"):
        getattr(library, f"pw_{name}").restype = c_void_p
    library.pw_stream_dequeue_buffer.restype = POINTER(_Buffer)
    return library


def has_pipewire() -> bool:
    """Return whether the library is there."""
    try:
        ctypes.CDLL(_LIBRARY)
    except OSError:
        return False
    return True


class PipeWireLink:
    """A connection over an open file that a portal gave. Its streams call back in a thread of the library."""

    def __init__(self, file: int) -> None:
        """Take the file over, and connect.

        Raises:
            EnvironmentFault: PipeWire refuses.
        """
        self._library = library = _declared(ctypes.CDLL(_LIBRARY))
        library.pw_init(None, None)
        self._loop = c_void_p(library.pw_thread_loop_new(b"kairos-pictures", None))
        inner = c_void_p(library.pw_thread_loop_get_loop(self._loop))
        self._context = c_void_p(library.pw_context_new(inner, None, c_size_t(0)))
        self._streams: list[PictureStream] = []
        library.pw_thread_loop_start(self._loop)
        with self:
            core = library.pw_context_connect_fd(self._context, file, None, c_size_t(0))
        self._core = c_void_p(core)
        if not core:
            self.close()
            raise _unreadable()

    def __enter__(self) -> None:
        """Keep the library's thread from calling back; may be nested."""
        self._library.pw_thread_loop_lock(self._loop)

    def __exit__(self, *_: object) -> None:
        """Let it go on."""
        self._library.pw_thread_loop_unlock(self._loop)

    def stream(self, node: int, wake: Callable[[], None]) -> "PictureStream":
        """Return the pictures of a node; `wake` is called from another thread when one has come, or they have ended."""
        made = PictureStream(self, self._library, self._core, node, wake)
        self._streams.append(made)
        return made

    def close(self) -> None:
        """End all streams and the connection."""
        library = self._library
        with self:
            for stream in self._streams:
                stream.end()
            if getattr(self, "_core", None):
                library.pw_core_disconnect(self._core)
        library.pw_thread_loop_stop(self._loop)
        library.pw_context_destroy(self._context)
        library.pw_thread_loop_destroy(self._loop)


class PictureStream:
    """The pictures of one monitor: none before `activate`."""

    def __init__(self, owner: PipeWireLink, library: Any, core: c_void_p, node: int, wake: Callable[[], None]) -> None:
        self._owner, self._library, self._wake = owner, library, wake
        self.has_ended = False
        """Whether there will be no more."""
        self.arrived = 0
        """How many have come."""
        self._size, self._is_rgb = (0, 0), False
        self.is_active = False
        """Whether pictures are sent."""
        self._newest: Any = None
        self._taken: Any = None
        self._hook = _Hook()
        self._events = _Events(
            version=0,
            state_changed=_StateChanged(self._on_state),
            param_changed=_ParamChanged(self._on_param),
            remove_buffer=_BufferRemoved(self._on_removed),
            process=_Process(self._on_process),
        )
        name = OWN_STREAM.encode()
        words = [b"media.type", b"Video", b"media.category", b"Capture", b"media.role", b"Screen", b"node.name", name]
        offered = _format_offer()
        with owner:
            self._stream = c_void_p(
                library.pw_stream_new(core, name, c_void_p(library.pw_properties_new(*words, None)))
            )
            library.pw_stream_add_listener(self._stream, ctypes.byref(self._hook), ctypes.byref(self._events), None)
            flags = _AUTOCONNECT | _INACTIVE | _MAP
            done = library.pw_stream_connect(self._stream, _INPUT, c_uint32(node), flags, *_parameters(offered))
            if done < 0:
                self.end()  # its owner does not know it yet
                raise _unreadable()

    def activate(self, *, on: bool) -> None:
        """Have pictures sent, or none; none that was sent before is kept."""
        if on == self.is_active:
            return
        with self._owner:
            self.is_active = on
            self._give_back()
            self._library.pw_stream_set_active(self._stream, on)

    @property
    def taken_ns(self) -> int:
        """When the picture was made that `pixels` are of, by the clock that counts no suspend; 0: there is none."""
        with self._owner:
            return _made_ns(self._taken)

    def take(self) -> int:
        """Have `pixels` be of the newest picture from now on; return when that was made, 0 where there is none."""
        with self._owner:
            if self._newest:
                if self._taken:
                    self._library.pw_stream_queue_buffer(self._stream, self._taken)
                self._taken, self._newest = self._newest, None
            return _made_ns(self._taken)

    def pixels(self, part: Box, scaled: tuple[int, int]) -> "Pixels":
        """Return a part of the picture that was taken, BGRA, of a monitor that is `scaled` large."""
        left, top, width, height = part
        picture: Pixels = np.zeros((height, width, _PIXEL), np.uint8)
        with self._owner:
            if not self._taken:
                return picture
            (wide, high), data = self._size, self._taken.contents.buffer.contents.datas[0]
            stride = data.chunk.contents.stride
            end = data.chunk.contents.offset + stride * high
            if not data.data or stride < wide * _PIXEL or end > data.maxsize:
                raise _unreadable()
            memory = (ctypes.c_uint8 * (stride * high)).from_address(data.data + data.chunk.contents.offset)
            rows: Pixels = np.frombuffer(memory, np.uint8).reshape(high, stride)[:, : wide * _PIXEL]
            pixels = rows.reshape(high, wide, _PIXEL)
            if (wide, high) == scaled:
                found = pixels[top : top + height, left : left + width]
            else:  # on a screen with a scale each nth pixel
                found = pixels[(top + np.arange(height)) * high // scaled[1]][
                    :, (left + np.arange(width)) * wide // scaled[0]
                ]
            picture[...] = found[..., [2, 1, 0, 3]] if self._is_rgb else found
        return picture

    def end(self) -> None:
        """Destroy it; its owner keeps the library's thread still meanwhile."""
        self._newest = self._taken = None
        self._library.pw_stream_destroy(self._stream)

    # ------------------------------------------------------------ called by the library's thread

    def _on_process(self, _data: object) -> None:
        while buffer := self._library.pw_stream_dequeue_buffer(self._stream):
            header, data = _header(buffer), buffer.contents.buffer.contents.datas[0]
            is_picture = data.chunk.contents.size > 0 and header is not None and not header.flags & _CORRUPTED
            if not self.is_active or not is_picture:
                self._library.pw_stream_queue_buffer(self._stream, buffer)
                continue
            if self._newest:
                self._library.pw_stream_queue_buffer(self._stream, self._newest)
            self._newest = buffer
            self.arrived += 1
            self._wake()

    def _on_state(self, _data: object, _old: int, state: int, _why: bytes | None) -> None:
        if state <= 0:  # an error, or no longer connected
            self.has_ended = True
            self._wake()

    def _on_param(self, _data: object, kind: int, parameter: int | None) -> None:
        if kind != _FORMAT or not parameter:
            return
        self._give_back()
        (size,) = struct.unpack("=I", ctypes.string_at(parameter, 4))
        found = dict(_properties(ctypes.string_at(parameter, 8 + size)))
        self._size = struct.unpack("=II", found[_VIDEO_SIZE][:8])
        self._is_rgb = struct.unpack("=I", found[_VIDEO_FORMAT][:4])[0] in _RGB
        buffers = {_BUFFER_COUNT: _choice(_RANGE, _INT, b"".join(struct.pack("=i", n) for n in (6, 4, 16)))}
        buffers[_DATA_TYPE] = _choice(_FLAGS, _INT, struct.pack("=i", _MEMORY))
        header = {1: _pod(_ID, struct.pack("=I", 1)), 2: _pod(_INT, struct.pack("=i", _HEADER_SIZE))}
        asked = _parameters(_object(_BUFFERS_TYPE, _BUFFERS, buffers), _object(_META_TYPE, _META, header))
        self._library.pw_stream_update_params(self._stream, *asked)

    def _on_removed(self, _data: object, buffer: int | None) -> None:
        """Let a buffer go whose memory is gone as soon as this returns: with a new format, and at the end."""
        if self._newest and ctypes.addressof(self._newest.contents) == buffer:
            self._newest = None
        if self._taken and ctypes.addressof(self._taken.contents) == buffer:
            self._taken = None

    def _give_back(self) -> None:
        for buffer in filter(None, (self._newest, self._taken)):
            self._library.pw_stream_queue_buffer(self._stream, buffer)
        self._newest = self._taken = None


def _header(buffer: Any) -> _Header | None:
    inner = buffer.contents.buffer.contents
    found = (inner.metas[at] for at in range(inner.n_metas))
    address = next((meta.data for meta in found if meta.type == 1 and meta.size >= _HEADER_SIZE), None)
    return _Header.from_address(address) if address else None


def _made_ns(buffer: Any) -> int:
    header = _header(buffer) if buffer else None
    return max(0, header.pts) if header is not None else 0


# ---------------------------------------------------------------- parameters


def _format_offer() -> bytes:
    """Return what is asked for: pixels of four bytes, of any size, when something was painted."""
    formats = b"".join(struct.pack("=I", number) for number in (_BGR[0], *_BGR, *_RGB))
    sizes = struct.pack("=IIIIII", 1920, 1080, 1, 1, 16384, 16384)
    rates = struct.pack("=IIIIII", 0, 1, 0, 1, 240, 1)
    asked = {
        _MEDIA_TYPE: _pod(_ID, struct.pack("=I", _VIDEO)),
        _MEDIA_SUBTYPE: _pod(_ID, struct.pack("=I", _RAW)),
        _VIDEO_FORMAT: _choice(_ENUM, _ID, formats),
        _VIDEO_SIZE: _choice(_RANGE, _RECTANGLE, sizes),
        _VIDEO_RATE: _choice(_RANGE, _FRACTION, rates),
    }
    return _object(_FORMAT_TYPE, _ENUM_FORMAT, asked)


def _pod(kind: int, body: bytes) -> bytes:
    return struct.pack("=II", len(body), kind) + body + b"\0" * (-len(body) % 8)


def _choice(choice: int, kind: int, values: bytes) -> bytes:
    size = 8 if kind in (_RECTANGLE, _FRACTION) else 4
    return _pod(_CHOICE, struct.pack("=IIII", choice, 0, size, kind) + values)


def _object(kind: int, number: int, properties: Mapping[int, bytes]) -> bytes:
    body = b"".join(struct.pack("=II", key, 0) + value for key, value in properties.items())
    return _pod(_OBJECT, struct.pack("=II", kind, number) + body)


def _properties(pod: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the properties of an object: key, and the first value."""
    at = 16
    while at + 16 <= len(pod):
        key, _, size, kind = struct.unpack_from("=IIII", pod, at)
        yield key, pod[at + 16 + (16 if kind == _CHOICE else 0) : at + 16 + size]
        at += 16 + size + -size % 8


def _parameters(*pods: bytes) -> tuple[Any, c_uint32]:
    """Return an array of addresses of parameters, which are kept with it, and how many there are."""
    kept = [ctypes.create_string_buffer(pod, len(pod)) for pod in pods]
    array = (c_void_p * len(kept))(*map(ctypes.addressof, kept))
    array.kept = kept  # type: ignore[attr-defined]  # no longer than the call
    return array, c_uint32(len(kept))


def _unreadable() -> EnvironmentFault:
    return EnvironmentFault("the pictures that GNOME sends cannot be read", code="screen_unreadable")
