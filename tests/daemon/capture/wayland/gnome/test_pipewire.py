"""What is asked of PipeWire, what is taken of its buffers, and that each of them goes back."""

import ctypes
import struct
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

from daemon.capture.surroundings.streams import OWN_STREAM
from daemon.capture.wayland.gnome import pipewire
from daemon.capture.wayland.gnome.pipewire import PictureStream
from storage.errors import EnvironmentFault
from storage.records import Box

SIZE = (6, 4)
WHOLE = Box(0, 0, *SIZE)
STRIDE = 32
HEADER, CURSOR = 1, 5


class Picture:
    """A buffer as PipeWire lends it: each pixel tells its row and column."""

    def __init__(self, made_ns: int, *, size: int = STRIDE * SIZE[1], flags: int = 0, kind: int = HEADER) -> None:
        self.pixels = np.zeros((SIZE[1], STRIDE // 4, 4), np.uint8)
        self.pixels[..., 0] = np.arange(SIZE[1])[:, None]
        self.pixels[..., 1] = np.arange(STRIDE // 4)
        self.header = pipewire._Header(flags=flags, pts=made_ns)
        self.metas = (pipewire._Meta * 2)(
            pipewire._Meta(CURSOR, 64, None), pipewire._Meta(kind, 32, ctypes.addressof(self.header))
        )
        self.chunk = pipewire._Chunk(offset=0, size=size, stride=STRIDE)
        self.data = pipewire._Data(
            maxsize=self.pixels.nbytes, data=self.pixels.ctypes.data, chunk=ctypes.pointer(self.chunk)
        )
        self.inner = pipewire._SpaBuffer(2, 1, self.metas, ctypes.pointer(self.data))
        self.buffer = pipewire._Buffer(buffer=ctypes.pointer(self.inner))


class FakeLibrary:
    """The functions of the library that a stream calls; None of them does more than to note it."""

    def __init__(self) -> None:
        self.waiting: list[Picture] = []
        self.lent: dict[int, Picture] = {}
        self.returned: list[Picture] = []
        self.words: tuple[Any, ...] = ()
        self.asked: list[list[bytes]] = []
        self.active: list[bool] = []
        self.connects = 0
        self.destroyed = 0

    def pw_properties_new(self, *words: bytes | None) -> int:
        self.words = words
        return 1

    def pw_stream_new(self, *_: object) -> int:
        return 2

    def pw_stream_add_listener(self, *_: object) -> None:
        """Nothing calls back by itself."""

    def pw_stream_connect(self, _stream: object, _way: int, _node: object, _flags: int, pods: Any, _count: int) -> int:
        self.asked.append([bytes(kept) for kept in pods.kept])
        return self.connects

    def pw_stream_update_params(self, _stream: object, pods: Any, _count: object) -> None:
        self.asked.append([bytes(kept) for kept in pods.kept])

    def pw_stream_dequeue_buffer(self, _stream: object) -> Any:
        if not self.waiting:
            return None
        picture = self.waiting.pop(0)
        self.lent[ctypes.addressof(picture.buffer)] = picture
        return ctypes.pointer(picture.buffer)

    def pw_stream_queue_buffer(self, _stream: object, buffer: Any) -> None:
        self.returned.append(self.lent.pop(ctypes.addressof(buffer.contents)))

    def pw_stream_set_active(self, _stream: object, on: bool) -> None:  # as the library has it
        self.active.append(on)

    def pw_stream_destroy(self, _stream: object) -> None:
        """The buffers go with it."""
        self.destroyed += 1


@pytest.fixture
def library() -> FakeLibrary:
    return FakeLibrary()


@pytest.fixture
def wakes() -> list[bool]:
    return []


@pytest.fixture
def stream(library: FakeLibrary, wakes: list[bool]) -> Iterator[PictureStream]:
    made = opened(library, wakes)
    tell_format(made, pipewire._BGR[0])
    made.activate(on=True)
    yield made
    made.end()


def opened(library: FakeLibrary, wakes: list[bool]) -> PictureStream:
    core = ctypes.c_void_p(1)
    owner: Any = nullcontext()
    return PictureStream(owner, library, core, 36, lambda: wakes.append(True))


def tell_format(stream: PictureStream, colours: int, kind: int = pipewire._FORMAT) -> None:
    """Have PipeWire say what pictures will be like."""
    told = {
        pipewire._VIDEO_FORMAT: pipewire._pod(pipewire._ID, struct.pack("=I", colours)),
        pipewire._VIDEO_SIZE: pipewire._choice(0, pipewire._RECTANGLE, struct.pack("=II", *SIZE)),
    }
    pod = ctypes.create_string_buffer(pipewire._object(pipewire._FORMAT_TYPE, kind, told))
    stream._on_param(None, kind, ctypes.addressof(pod))


def send(stream: PictureStream, library: FakeLibrary, *pictures: Picture) -> None:
    library.waiting += pictures
    stream._on_process(None)


def test_pictures_are_asked_for_in_plain_memory_under_a_name_of_our_own(
    library: FakeLibrary, stream: PictureStream
) -> None:
    """Whoever looks for calls knows it by that; buffers of a graphics card could not be read."""
    assert library.words[-3:] == (b"node.name", OWN_STREAM.encode(), None)
    (offered,), (buffers, header) = library.asked
    found = dict(pipewire._properties(offered))
    assert struct.unpack("=5I", found[pipewire._VIDEO_FORMAT]) == (8, 8, 12, 7, 11)
    assert struct.unpack("=II", found[pipewire._VIDEO_RATE][:8]) == (0, 1)  # when something was painted
    assert struct.unpack("=i", dict(pipewire._properties(buffers))[pipewire._DATA_TYPE]) == (0b110,)
    assert [struct.unpack("=i", value) for _, value in pipewire._properties(header)] == [(1,), (32,)]
    assert all(len(pod) % 8 == 0 for pod in (offered, buffers, header))
    stream._on_param(None, 99, None)  # of anything else nothing is asked
    assert len(library.asked) == 2


def test_a_picture_is_lent_until_a_newer_one_is_taken(
    library: FakeLibrary, stream: PictureStream, wakes: list[bool]
) -> None:
    first, second, third = Picture(11), Picture(12), Picture(13)
    send(stream, library, first)
    assert (stream.taken_ns, stream.take(), stream.taken_ns, len(wakes)) == (0, 11, 11, 1)
    send(stream, library, second, third)
    assert (library.returned, stream.taken_ns) == ([second], 11)
    assert stream.take() == 13
    assert library.returned == [second, first]
    assert stream.take() == 13
    stream.activate(on=False)
    assert library.returned == [second, first, third]
    assert (stream.take(), stream.taken_ns) == (0, 0)
    assert not stream.pixels(WHOLE, SIZE).any()


def test_what_is_no_picture_goes_back_at_once(library: FakeLibrary, stream: PictureStream, wakes: list[bool]) -> None:
    """A buffer of the pointer alone, a broken one, one without a time, and any that comes while none is wanted."""
    empty, broken, timeless = Picture(11, size=0), Picture(12, flags=1), Picture(13, kind=CURSOR)
    send(stream, library, empty, broken, timeless)
    stream.activate(on=False)
    stream.activate(on=False)
    late = Picture(14)
    send(stream, library, late)
    assert library.returned == [empty, broken, timeless, late]
    assert (library.active, wakes, stream.take()) == ([True, False], [], 0)


@pytest.mark.parametrize("colours", [*pipewire._BGR, *pipewire._RGB])
def test_a_part_of_a_picture_is_copied_with_blue_first(
    library: FakeLibrary, stream: PictureStream, colours: int
) -> None:
    tell_format(stream, colours)
    send(stream, library, Picture(11))
    stream.take()
    found = stream.pixels(Box(1, 2, 3, 2), SIZE)
    first = 2 if colours in pipewire._RGB else 0
    assert found[..., first].tolist() == [[2, 2, 2], [3, 3, 3]]
    assert found[..., 1].tolist() == [[1, 2, 3]] * 2
    found[...] = 0  # it is a copy


def test_of_a_screen_with_a_scale_each_nth_pixel_is_taken(library: FakeLibrary, stream: PictureStream) -> None:
    send(stream, library, Picture(11))
    stream.take()
    found = stream.pixels(Box(1, 0, 2, 2), (3, 2))
    assert (found[..., 0].tolist(), found[..., 1].tolist()) == ([[0, 0], [2, 2]], [[2, 4], [2, 4]])


@pytest.mark.parametrize("broken", [{"stride": 8}, {"offset": 4096}])
def test_a_buffer_that_is_smaller_than_its_picture_is_a_fault(
    library: FakeLibrary, stream: PictureStream, broken: dict[str, int]
) -> None:
    picture = Picture(11)
    for name, value in broken.items():
        setattr(picture.chunk, name, value)
    send(stream, library, picture)
    stream.take()
    with pytest.raises(EnvironmentFault):
        stream.pixels(WHOLE, SIZE)


def test_a_new_format_ends_the_use_of_all_that_came_before(library: FakeLibrary, stream: PictureStream) -> None:
    send(stream, library, Picture(11))
    stream.take()
    tell_format(stream, pipewire._RGB[0])
    assert (stream.take(), len(library.returned)) == (0, 1)


@pytest.mark.parametrize("is_taken", [True, False])
def test_a_buffer_that_pipewire_takes_away_is_not_touched_again(
    library: FakeLibrary, stream: PictureStream, *, is_taken: bool
) -> None:
    """Its memory is gone then: with a new format, or when the screen locks or somebody ends the session."""
    picture, other = Picture(11), Picture(12)
    send(stream, library, picture)
    if is_taken:
        stream.take()
    stream._events.remove_buffer(None, ctypes.addressof(other.buffer))
    stream._events.remove_buffer(None, ctypes.addressof(picture.buffer))
    assert (stream.take(), stream.taken_ns) == (0, 0)
    assert not stream.pixels(WHOLE, SIZE).any()
    stream.activate(on=False)
    assert library.returned == []


def test_a_stream_that_ends_says_so(stream: PictureStream, wakes: list[bool]) -> None:
    stream._on_state(None, 0, 3, None)
    assert (stream.has_ended, wakes) == (False, [])
    stream._on_state(None, 3, -1, b"why")
    assert (stream.has_ended, wakes) == (True, [True])


def test_a_stream_that_is_refused_is_a_fault(library: FakeLibrary, wakes: list[bool]) -> None:
    library.connects = -1
    with pytest.raises(EnvironmentFault):
        opened(library, wakes)
    assert library.destroyed == 1
