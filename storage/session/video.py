"""The video of a session: short fragmented mp4 files, one fragment a picture.

A kill loses at most the last picture, because a muxer writes a packet only when the next one comes; so capture sends
the last one again when the screen goes still. `VideoPlan` decides where a picture goes before it is encoded, so that a
`Frame` row can name it at once. PyAV is loaded only where pictures are written or read.
"""

import logging
import os
import re
from collections import OrderedDict, deque
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from storage.clock import NS_PER_MS, NS_PER_S
from storage.errors import BadFile
from storage.files import create_file, open_regular
from storage.records import Frame, Record
from storage.session.video_sandbox import open_pinned
from storage.translation.sentences import translatable

if TYPE_CHECKING:
    import av
    import numpy as np
    from av.container import OutputContainer
    from numpy.typing import NDArray

logger = logging.getLogger(__name__)

GOP = 120
"""Pictures from one key picture to the next: a trade of file size against what is decoded to reach one picture."""

ENCODER: Mapping[str, object] = {
    "preset": "ultrafast",
    "tune": "zerolatency",
    "qp": "37",
    "x264-params": "cabac=1:deadzone-inter=6",
}
"""One quality for all pictures: a rate control looks at each twice, and leaves text unreadable after a scroll. With the
usual dead zone of 21 a row that is lit up by 8 of 255 would not be stored."""

MOVFLAGS = "empty_moov+default_base_moof+frag_every_frame"
"""Any other way to write mp4 loses everything since the last key picture, or the whole file, on a kill."""

MAX_CACHED_JPEGS = 128
"""Four prefixes of at most 32 pictures each."""

MAX_OFFSET_MS = 50
"""How far a picture may be from the time named: 0 in our own videos, half a picture's time in others."""

JPEG_QUALITY = 80

MAX_KEPT, KEPT_BACK = 24, 12
"""Pictures of a window that are kept, and how many of them for further steps back."""

MAX_OPEN = 16
"""Files of a session that stay open: an hour and more."""

FEW, ON_MS, BACK_MS = 8, 5_000, 15_000
"""Pictures that are decoded at once, and how far a step leads on and back; farther, what is ready is shown first."""

SmallPicture = tuple[int, int, bytes]
"""Width, height and RGB bytes."""

_MILLISECOND = Fraction(1, 1000)
_REF = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]{0,99})@(\d{1,12})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A scaled full-range YUV 4:2:0 picture after the fence.

    `planes` is one I420 buffer of shape (height * 3 / 2, width), uint8, contiguous; width and height are even. It must
    not change after it was handed over. `repeat` marks a picture that is sent again and has no `Frame` row.
    """

    t_ns: int
    ref: str
    planes: "NDArray[np.uint8]"
    width: int
    height: int
    repeat: bool = False


class VideoPlan:
    """Decides into which file and at which millisecond of it each picture goes; pure, used by one thread."""

    def __init__(self, video_file_s: float) -> None:
        """Begin a new file every `video_file_s` seconds, and whenever the size of pictures changes."""
        self._file_ns = round(video_file_s * NS_PER_S)
        self._number = -1
        self._start_ns = 0
        self._last_ms = -1
        self._size: tuple[int, int] | None = None

    def ref(self, t_ns: int, size: tuple[int, int]) -> str:
        """Return the `image_ref` of a picture taken at `t_ns` with this width and height.

        Milliseconds strictly increase within a file, as containers require.
        """
        if size != self._size or t_ns - self._start_ns >= self._file_ns:
            self._number += 1
            self._start_ns = t_ns
            self._last_ms = -1
            self._size = size
        self._last_ms = max(self._last_ms + 1, (t_ns - self._start_ns) // NS_PER_MS)
        return f"screen-{self._number:03}.mp4@{self._last_ms}"

    def cut(self) -> None:
        """Begin a new file with the next picture: the recorder has abandoned the present one."""
        self._size = None


def split_ref(image_ref: str) -> tuple[str, int]:
    """Return the file name and the millisecond of an `image_ref`.

    Raises:
        BadFile: it names no plain file.
    """
    match = _REF.fullmatch(image_ref)
    if match is None:
        raise BadFile(translatable("a row names a picture in no file of its session"))
    return match[1], int(match[2])


class VideoWriter:
    """Encodes pictures into the files their references name; used by one thread."""

    def __init__(self, folder: Path) -> None:
        """Write into a session's folder; nothing is opened before the first picture."""
        self._folder = folder
        self._container: OutputContainer | None = None
        self._stream: Any = None
        self._file = ""
        self._last_ms = -1

    def write(self, picture: Picture) -> bool:
        """Encode a picture; return whether it was: an abandoned file takes none any more.

        Raises:
            OSError: it could not be written.
            av.error.FFmpegError: it could not be encoded.
        """
        import av

        file, ms = split_ref(picture.ref)
        if file != self._file:
            self.close()
            self._file = file
            self._open(picture.width, picture.height)
        if self._container is None or ms <= self._last_ms:
            return False
        self._last_ms = ms
        frame = av.VideoFrame.from_numpy_buffer(picture.planes, format="yuv420p")
        frame.color_range = 2  # full range, as the planes are
        frame.pts = ms
        frame.time_base = _MILLISECOND
        self._container.mux(self._stream.encode(frame))
        return True

    def close(self) -> None:
        """Finish the present file; it takes no more pictures.

        Raises:
            OSError: its end could not be written; what was written before stays readable.
        """
        container, self._container = self._container, None
        if container is None:
            return
        try:
            container.mux(self._stream.encode(None))
        finally:
            container.close()

    def _open(self, width: int, height: int) -> None:
        import av

        path = self._folder / self._file
        create_file(path).close()
        options = {"movflags": MOVFLAGS, "flush_packets": "1", "video_track_timescale": "1000"}
        container = av.open(str(path), "w", format="mp4", options=options)
        stream = container.add_stream("libx264", rate=1000)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.time_base = stream.codec_context.time_base = _MILLISECOND
        stream.codec_context.color_range = 2
        stream.codec_context.gop_size = GOP
        stream.codec_context.thread_count = 1
        stream.options = dict(ENCODER)
        self._container, self._stream, self._last_ms = container, stream, -1


class SessionImages:
    """Pictures of a session's frames, decoded on demand; implements `detectors.protocol.Images`.

    Read frames in time order: then each file is decoded once, in one pass.
    """

    def __init__(self, folder: Path, records: Iterable[Record]) -> None:
        self._folder = folder
        self._refs = {row.seq: row.image_ref for row in records if isinstance(row, Frame) and row.image_ref}
        self._cached: OrderedDict[str, bytes | None] = OrderedDict()
        self._pass: _Pass | None = None

    def jpeg(self, frame_seq: int) -> bytes | None:
        """Return the picture of the frame with this `seq` as JPEG, or None if it was not stored or cannot be read."""
        ref = self._refs.get(frame_seq)
        return None if ref is None else self.jpeg_of(ref)

    def jpeg_of(self, ref: str) -> bytes | None:
        """Return the picture with this `image_ref` as JPEG, or None if it cannot be read."""
        if ref not in self._cached:
            self._cached[ref] = self._decode(ref)
            if len(self._cached) > MAX_CACHED_JPEGS:
                self._cached.popitem(last=False)
        return self._cached[ref]

    def close(self) -> None:
        """Close the file that is open."""
        if self._pass is not None:
            self._pass.close()
            self._pass = None

    def _decode(self, ref: str) -> bytes | None:
        try:
            file, ms = split_ref(ref)
            if self._pass is None or not self._pass.reaches(file, ms):
                self.close()
                self._pass = _Pass(self._folder / file)
            frame = self._pass.at(ms)
        except BadFile:
            logger.warning("a picture of %s cannot be read", self._folder.name)
            return None
        return None if frame is None else _as_jpeg(frame)


def read_picture(folder: Path, image_ref: str) -> bytes | None:
    """Return one picture of a session as JPEG; None if it was lost.

    Raises:
        BadFile: the reference names no plain file, or the file is damaged or no video.
    """
    file, ms = split_ref(image_ref)
    decoding = _Pass(folder / file)
    try:
        frame = decoding.at(ms)
    finally:
        decoding.close()
    return None if frame is None else _as_jpeg(frame)


def read_small(folder: Path, image_ref: str, width: int) -> SmallPicture | None:
    """Return one picture of a session of our own, scaled down: its width, height and RGB bytes; None if it was lost.

    Only what follows the key picture before it is decoded.

    Raises:
        BadFile: the reference names no plain file, or the file is damaged or no video.
    """
    seeker = PictureSeeker(folder)
    try:
        return seeker.read(image_ref, width)
    finally:
        seeker.close()


def _as_small(frame: "av.VideoFrame", width: int) -> SmallPicture:
    width = min(width, frame.width)
    height = max(1, round(frame.height * width / frame.width))
    return width, height, frame.to_ndarray(format="rgb24", width=width, height=height).tobytes()


class PictureSeeker:
    """Pictures of a session by their references, in any order, scaled down; used by one thread.

    Files stay open, since opening one decodes a picture of it. A step forward decodes what lies between, and a step
    back all since the key picture before it; of these the ones that more steps of this length lead to are kept.
    """

    def __init__(self, folder: Path) -> None:
        """Begin; nothing is opened before the first picture."""
        self._folder = folder
        self._file = ""
        self._opened: OrderedDict[str, tuple[BinaryIO, av.container.InputContainer]] = OrderedDict()
        self._decoder: Any = None
        self._packets: list[av.Packet[Any]] = []
        self._next = 0
        self._last: av.VideoFrame | None = None
        self._asked = self._aimed = "", 0
        self._kept: OrderedDict[tuple[str, int, int], SmallPicture] = OrderedDict()

    def read(self, image_ref: str, width: int) -> SmallPicture | None:
        """Return a picture, at most so wide: its width, height and RGB bytes; None if it was lost.

        Raises:
            BadFile: the reference names no plain file, or the file is damaged or no video.
        """
        file, ms = split_ref(image_ref)
        key = (file, ms, width)
        back_ms = self._asked[1] - ms if self._asked[0] == file else 0
        self._asked = file, ms
        if any(map(self._is_replaced, self._opened)):
            self.close()
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        self._turn_to(file)
        found = self._decode(ms, width, max(0, back_ms))
        if found is None or abs(_ms_of(found) - ms) > MAX_OFFSET_MS:
            return None
        return self._keep(key, found)

    def ready_before(self, image_ref: str) -> str | None:
        """Return what can be shown at once in place of a picture that is far from where this was asked last.

        That is the key picture before it, or the last one that was read, if that is nearer; None where few are decoded.

        Raises:
            BadFile: the reference names no plain file, or the file is damaged or no video.
        """
        file, ms = split_ref(image_ref)
        aimed, self._aimed = self._aimed, (file, ms)
        if aimed[0] == file and -BACK_MS <= ms - aimed[1] <= ON_MS:
            return None
        self._turn_to(file)
        key = self._key(ms)
        read_ms = _ms_of(self._last) if self._last is not None else -1
        first = self._next if self._packets and _ms_of(self._packets[key]) <= read_ms <= ms else key
        if sum(_ms_of(packet) <= ms for packet in self._packets[first:]) <= FEW:
            return None
        return f"{file}@{_ms_of(self._packets[key]) if first == key else read_ms}"

    def close(self) -> None:
        """Give everything back."""
        self._packets.clear()
        self._kept.clear()
        self._last, self._file, self._decoder = None, "", None
        while self._opened:
            self._shut()

    def _shut(self) -> None:
        """Close the file that was turned to longest ago."""
        file, container = self._opened.popitem(last=False)[1]
        container.close()
        file.close()

    def _is_replaced(self, name: str) -> bool:
        """Tell whether a purge has put a shorter file in the place of one that is open, or removed it."""
        try:
            return (self._folder / name).stat().st_ino != os.fstat(self._opened[name][0].fileno()).st_ino
        except OSError:
            return True

    def _turn_to(self, file: str) -> None:
        import av
        from av.error import FFmpegError

        if file == self._file:
            return
        self._file, self._packets, self._next, self._last = "", [], 0, None
        if file not in self._opened:
            opened = open_regular(self._folder / file)
            try:
                self._opened[file] = opened, open_pinned(opened, file)
            except BadFile:
                opened.close()
                raise
        self._opened.move_to_end(file)
        if len(self._opened) > MAX_OPEN:
            self._shut()
        container = self._opened[file][1]
        stream = container.streams.video[0]
        with suppress(FFmpegError):  # a file that was cut off is read up to there
            container.seek(0)
            self._packets.extend(packet for packet in container.demux(stream) if packet.pts is not None)
        self._decoder = av.VideoCodecContext.create(stream.codec_context.name, "r")
        self._decoder.extradata, self._decoder.thread_count = stream.codec_context.extradata, 1
        self._file = file

    def _key(self, ms: int) -> int:
        keys = (n for n, packet in enumerate(self._packets) if packet.is_keyframe and _ms_of(packet) <= ms)
        return max(keys, default=0)

    def _decode(self, ms: int, width: int, back_ms: int) -> "av.VideoFrame | None":
        """Return the picture nearest to a millisecond, decoded from the last one, or else from a key picture.

        Those are kept that stood 1, 2, 3 times `back_ms` before it.
        """
        from av.error import FFmpegError

        if self._decoder is None:
            return None
        key = self._key(ms)
        passed: deque[av.VideoFrame] = deque(maxlen=2)
        before: deque[av.VideoFrame] = deque(maxlen=KEPT_BACK)
        if self._last is None or _ms_of(self._last) > ms or key > self._next:
            self._next = key
            self._decoder.flush_buffers()
        else:
            passed.append(self._last)
        try:
            while self._next < len(self._packets) and (not passed or _ms_of(passed[-1]) < ms):
                self._next += 1
                for frame in self._decoder.decode(self._packets[self._next - 1]):
                    if frame.pts is None or frame.is_corrupt:
                        continue
                    if back_ms and passed and (ms - _ms_of(passed[-1])) // back_ms > (ms - _ms_of(frame)) // back_ms:
                        before.append(passed[-1])
                    passed.append(frame)
        except FFmpegError:
            self._next = len(self._packets)
        self._last = passed[-1] if passed else None
        for frame in before:
            self._keep((self._file, _ms_of(frame), width), frame)
        return min(passed, key=lambda frame: abs(_ms_of(frame) - ms), default=None)

    def _keep(self, key: tuple[str, int, int], frame: "av.VideoFrame") -> SmallPicture:
        self._kept[key] = _as_small(frame, key[2])
        if len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        return self._kept[key]


class _Pass:
    """One forward pass through one video file."""

    def __init__(self, path: Path) -> None:
        self._name = path.name
        self._file = open_regular(path)
        try:
            self._container = open_pinned(self._file, path.name)
        except BaseException:
            self._file.close()
            raise
        self._frames = self._container.decode(self._container.streams.video[0])
        self._last: av.VideoFrame | None = None
        self._next = self._read()

    def reaches(self, file: str, ms: int) -> bool:
        """Return whether this millisecond of this file is still ahead."""
        return file == self._name and (self._last is None or ms >= _ms_of(self._last))

    def at(self, ms: int) -> "av.VideoFrame | None":
        """Return the picture nearest to this millisecond; None if it was lost."""
        while self._next is not None and _ms_of(self._next) <= ms:
            self._last, self._next = self._next, self._read()
        near = [frame for frame in (self._last, self._next) if frame and abs(_ms_of(frame) - ms) <= MAX_OFFSET_MS]
        return min(near, key=lambda frame: abs(_ms_of(frame) - ms), default=None)

    def close(self) -> None:
        self._container.close()
        self._file.close()

    def _read(self) -> "av.VideoFrame | None":
        """Return the next whole picture; None at the end, which in a file that was cut off may be a torn one."""
        from av.error import FFmpegError

        try:
            return next((frame for frame in self._frames if frame.pts is not None and not frame.is_corrupt), None)
        except FFmpegError:
            return None


def _ms_of(frame: "av.VideoFrame | av.Packet[Any]") -> int:
    return round(frame.pts * frame.time_base * 1000) if frame.pts is not None and frame.time_base is not None else -1


def _as_jpeg(frame: "av.VideoFrame") -> bytes:
    import simplejpeg

    jpeg: bytes = simplejpeg.encode_jpeg(frame.to_ndarray(format="rgb24"), quality=JPEG_QUALITY)
    return jpeg
