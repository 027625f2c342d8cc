"""Decodes a foreign video once, in a limited child process: finds its changes and re-encodes the changed pictures.

The child has limited time and memory (`storage.session.video_sandbox`). It returns plain numbers and a video that we
encoded ourselves, so no foreign byte is ever decoded again. Changes are found as in our own capture; an encoder makes
still areas flicker, so differences too small to see are removed first.
"""

import json
import secrets
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from daemon.capture.diff import FrameDigest, Pixels, changed_tiles, merge_tiles
from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.files import open_regular
from storage.limited_child import limit_self, report_refusal, run_limited
from storage.session.video import Picture, VideoPlan, VideoWriter
from storage.session.video_sandbox import cpu_allowance_s, open_pinned

if TYPE_CHECKING:  # PyAV is loaded in the child only
    from av import VideoFrame

FPS = 2
"""Pictures compared per second: the maximum of our own capture."""

NOISE = 16
"""Difference of a colour value (0..255), as the mean of a block, that an encoder causes by itself."""

BLOCK = 4
"""Side of a block in pixels. At the edges of letters an encoder is wrong by far more than `NOISE`, to both sides by
turns: in the mean of a block that cancels out, while a caret or a letter stays."""

MAX_FRAMES = 200_000
"""Over a day at `FPS`."""

MAX_OUT_BYTES = 4 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedPicture:
    """One picture in which something changed: its time in the video, and boxes (x, y, w, h) in its own pixels."""

    ms: int
    boxes: list[list[int]]
    digest: str
    ref: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoScan:
    """The size, length and changes of a video; `cut` if its end is missing."""

    width: int
    height: int
    end_ms: int
    frames: list[ChangedPicture]
    cut: bool


def scan_video(path: Path, into: Path, *, store_width: int, video_file_s: float) -> VideoScan:
    """Decode a video in a limited child; write a smaller copy of its changed pictures into the folder `into`.

    Raises:
        BadFile: the video is refused, or took too much time or memory.
    """
    with open_regular(path) as file:
        cpu_s = 5 * cpu_allowance_s(file.seek(0, 2))  # for encoding and comparing besides decoding
        file.seek(0)
        arguments = [path.name, str(cpu_s), str(into), str(store_width), str(video_file_s)]
        answer = run_limited("daemon.replay.imports.video_frames", arguments, file=file, name=path.name, cpu_s=cpu_s)
    found = json.loads(answer)
    frames = [ChangedPicture(**frame) for frame in found.pop("frames")]
    return VideoScan(frames=frames, **found)


class ChangeCollector:
    """Takes decoded pictures in order; stores those in which something changed."""

    def __init__(self, into: Path, store_width: int, plan: VideoPlan) -> None:
        """Write pictures of at most `store_width` pixels into a folder, as the plan says."""
        self._store_width = store_width
        self._plan = plan
        self._writer = VideoWriter(into)
        self._digest = FrameDigest(secrets.token_bytes(32))
        self._shown: Pixels | None = None
        self._next_ms = 0
        self.frames: list[ChangedPicture] = []
        self.end_ms = 0

    def take(self, picture: "VideoFrame") -> None:
        """Compare one picture with the last changed one, at most `FPS` times a second."""
        ms = max(0, round(picture.time * 1000))
        self.end_ms = max(self.end_ms, ms)
        if self._next_ms > ms:
            return
        self._next_ms = ms + 1000 // FPS
        pixels = picture.to_ndarray(format="bgra").astype(np.uint8, copy=False)
        if self._shown is None:
            tiles = changed_tiles(np.bitwise_not(pixels), pixels)
            self._digest.begin(pixels)
        else:
            pixels = without_noise(self._shown, pixels)
            tiles = changed_tiles(self._shown, pixels)
            self._digest.take(pixels, tiles, pixels, self._digest.hashes)
        if not tiles.any():
            return
        self._shown = pixels
        boxes = [list(box) for box in merge_tiles(tiles, picture.width, picture.height)]
        digest = self._digest.digest()
        self.frames.append(ChangedPicture(ms=ms, boxes=boxes, digest=digest, ref=self._store(picture, ms)))

    def close(self) -> None:
        """Finish the video."""
        self._writer.close()

    def _store(self, picture: "VideoFrame", ms: int) -> str:
        width = min(self._store_width, picture.width) & ~1
        height = max(2, round(picture.height * width / picture.width) & ~1)
        small = picture.reformat(width=width, height=height, format="yuv420p", dst_color_range="JPEG")
        ref = self._plan.ref(ms * (NS_PER_S // 1000), (width, height))
        planes = np.ascontiguousarray(small.to_ndarray(), np.uint8)
        self._writer.write(Picture(t_ns=0, ref=ref, planes=planes, width=width, height=height))
        return ref


def without_noise(shown: Pixels, pixels: Pixels) -> Pixels:
    """Return the picture with every block whose mean differs by no more than `NOISE` as it was in `shown`.

    `shown` is the last changed picture, not the last picture, so that slow changes add up and are found.
    """
    height, width = pixels.shape[:2]
    differences = np.subtract(pixels, shown, dtype=np.int16)
    for axis, side in ((0, height), (1, width)):
        differences = np.add.reduceat(differences, np.arange(0, side, BLOCK), axis=axis, dtype=np.int16)
    across, down = (np.diff(np.append(np.arange(0, side, BLOCK), side)) for side in (width, height))
    noise = (NOISE * np.outer(down, across)).astype(np.int16)
    differing = (np.abs(differences) > noise[:, :, None]).any(axis=2)
    by_pixel = differing.repeat(down, axis=0).repeat(across, axis=1)
    return np.where(by_pixel[:, :, None], pixels, shown)


def scan_stream(file: BinaryIO, name: str, collector: ChangeCollector) -> VideoScan:
    """Decode a video in this process.

    Raises:
        BadFile: the video is refused.
    """
    from av.error import FFmpegError

    cut = False
    with open_pinned(file, name) as container:
        stream = container.streams.video[0]
        width, height = stream.width, stream.height
        try:
            for picture in container.decode(stream):
                if (picture.width, picture.height) != (width, height):
                    raise BadFile(f"{name} changes the size of its pictures, which cannot be imported")
                collector.take(picture)
                if len(collector.frames) >= MAX_FRAMES:
                    cut = True
                    break
        except FFmpegError as error:
            if not collector.frames:
                raise BadFile(f"{name} cannot be read as a video: {error}") from error
            cut = True  # its end is damaged, the pictures before are fine
    collector.close()
    return VideoScan(width=width, height=height, end_ms=collector.end_ms, frames=collector.frames, cut=cut)


def main(arguments: Sequence[str]) -> int:
    """Scan the video on standard input; print the result as one JSON object."""
    name, cpu_s, into, store_width, video_file_s = arguments
    limit_self(int(cpu_s), file_bytes=MAX_OUT_BYTES)
    collector = ChangeCollector(Path(into), int(store_width), VideoPlan(float(video_file_s)))
    try:
        found = scan_stream(sys.stdin.buffer, name, collector)
    except BadFile as error:
        return report_refusal(error)
    print(json.dumps(asdict(found)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
