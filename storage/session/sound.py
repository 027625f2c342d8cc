"""The sound of a session: what somebody says, in short fragmented mp4 files (Opus) beside the video.

Each block stands in its file at the time at which it was heard, by the session's clock, so nothing stands where nothing
was kept. A kill loses what waits for a fragment, at most `FRAGMENT_US`. PyAV is loaded only where there is sound.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from storage.clock import NS_PER_S
from storage.files import create_file, open_regular
from storage.session.video_sandbox import SOUND, open_pinned

if TYPE_CHECKING:
    import numpy as np
    from av.container import OutputContainer
    from numpy.typing import NDArray

RATE = 48_000
"""Samples a second, of one channel."""

BLOCK = 960
"""Samples of a block: 20 ms."""

BLOCK_MS = BLOCK * 1000 // RATE
BIT_RATE = 32_000
FRAGMENT_US = 300_000

_SAMPLE = Fraction(1, RATE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SoundBlock:
    """`BLOCK` samples (signed, 16 bits) and their place: a file, and samples since it began."""

    file: str
    at: int
    samples: bytes


class SoundPlan:
    """Decides into which file and where in it each block goes; pure, used by one thread."""

    def __init__(self, file_s: float) -> None:
        """Begin a new file every `file_s` seconds."""
        self._file_ns = round(file_s * NS_PER_S)
        self._number = -1
        self._start_ns = 0
        self._last = 0
        self._is_cut = True

    def place(self, t_ns: int, samples: bytes) -> SoundBlock:
        """Return a block with the place of what was heard at `t_ns`; places strictly increase within a file."""
        if self._is_cut or t_ns - self._start_ns >= self._file_ns:
            self._number += 1
            self._start_ns, self._last, self._is_cut = t_ns, -1, False
        self._last = max(self._last + 1, (t_ns - self._start_ns) * RATE // NS_PER_S)
        return SoundBlock(file=f"{SOUND}{self._number:03}.mp4", at=self._last, samples=samples)

    def cut(self) -> None:
        """Begin a new file with the next block: the recorder has abandoned the present one."""
        self._is_cut = True


def sound_ref(block: SoundBlock) -> str:
    """Return the `sound_ref` of a block."""
    return f"{block.file}@{block.at * 1000 // RATE}"


class SoundWriter:
    """Encodes blocks into their files; used by one thread."""

    def __init__(self, folder: Path) -> None:
        """Write into a session's folder; nothing is opened before the first block."""
        self._folder = folder
        self._container: OutputContainer | None = None
        self._stream: Any = None
        self._file = ""
        self._at = 0

    def write(self, block: SoundBlock) -> bool:
        """Encode a block; return whether it was: an abandoned file takes none any more.

        Raises:
            OSError: it could not be written.
            av.error.FFmpegError: it could not be encoded.
        """
        import av
        import numpy as np

        if block.file != self._file:
            self.close()
            self._file = block.file
            self._open()
        if self._container is None:
            return False
        frame = av.AudioFrame.from_ndarray(np.frombuffer(block.samples, "<i2")[None], format="s16", layout="mono")
        frame.sample_rate, frame.time_base, frame.pts = RATE, _SAMPLE, self._at
        self._at += BLOCK  # the encoder counts samples; where they were heard the packet says
        for packet in self._stream.encode(frame):
            packet.time_base, packet.pts, packet.dts = _SAMPLE, block.at, block.at
            self._container.mux(packet)
        return True

    def close(self) -> None:
        """Finish the present file; it takes no more blocks.

        Raises:
            OSError: its end could not be written; what was written before stays readable.
        """
        container, self._container = self._container, None
        if container is not None:
            container.close()

    def _open(self) -> None:
        import av

        path = self._folder / self._file
        create_file(path).close()
        flags = {
            "movflags": "empty_moov+default_base_moof",
            "frag_duration": str(FRAGMENT_US),
            "flush_packets": "1",
        }
        self._container, self._at = av.open(str(path), "w", format="mp4", options=flags), 0
        self._stream = self._container.add_stream("libopus", rate=RATE)
        self._stream.layout, self._stream.bit_rate = "mono", BIT_RATE
        self._stream.options = {"application": "voip", "compression_level": "5"}


def read_sound(path: Path, rate: int = RATE, *, every: int = 1) -> "Iterator[tuple[float, NDArray[np.int16]]]":
    """Yield what a file holds: seconds since it began and samples, mono, `rate` a second, in order.

    With `every` only one packet of so many is read, which is enough to tell how loud it is.

    Raises:
        BadFile: it is damaged or no sound.
    """
    import av
    from av.error import FFmpegError

    with open_regular(path) as file, open_pinned(file, path.name, sound=True) as container:
        stream = container.streams.audio[0]
        resampler = av.AudioResampler(format="s16", layout="mono", rate=rate)
        try:
            for number, packet in enumerate(container.demux(stream)):
                if packet.pts is None or packet.time_base is None:
                    continue
                if number % every:
                    continue
                begins_s = float(packet.pts * packet.time_base)
                for decoded in packet.decode():
                    for frame in resampler.resample(decoded):
                        yield begins_s, frame.to_ndarray()[0]
        except FFmpegError:
            return  # a file that was cut off is read up to there
