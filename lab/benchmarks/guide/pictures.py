"""The pictures of a benchmark's clips: each file is decoded once, forward, for all prefixes of all clips in it.

A video is a file from outside: a limited child process (`storage.session.video_sandbox`) opens it and leaves JPEGs,
and this module is that child when it is run as a program. The picture of a moment is the last one shown by then, so a
video in which pictures are seconds apart, as ours are, is equivalent to one with thirty a second. A picture that was on
the screen at several moments is encoded once.
"""

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, BinaryIO, Self

from detectors.mllm.questions import Pictures, QueryPicture
from lab.benchmarks.guide.clips import Clip, Video
from storage.errors import BadFile
from storage.files import open_regular
from storage.limited_child import limit_self, report_refusal, run_limited
from storage.session.video import JPEG_QUALITY
from storage.session.video_sandbox import cpu_allowance_s, open_pinned

if TYPE_CHECKING:  # PyAV is loaded in the child only
    from av import VideoFrame

FRAMES = 32
"""Pictures of a prefix (GUIDE 4.1)."""

WIDTH = 960
"""Pictures are made no wider than those a recording of ours holds, so that figures are of what Kairos would send."""

MAX_JPEG_BYTES = 16 << 20
MAX_MOMENTS = 200_000

_WANTED = "wanted.json"

Decode = Callable[[Path, Sequence[int], Path], Sequence[int]]
"""Decodes a file once: takes milliseconds in order and a folder for JPEGs; returns for each the number of its JPEG."""


def decode(path: Path, wanted_ms: Sequence[int], into: Path) -> list[int]:
    """Decode a video once in a limited child process, which leaves the wanted pictures as `N.jpg` in a folder.

    Raises:
        BadFile: the file is refused, or took too much time or memory.
    """
    (into / _WANTED).write_text(json.dumps(list(wanted_ms)))
    with open_regular(path) as file:
        cpu_s = 5 * cpu_allowance_s(file.seek(0, 2))  # scaling and encoding come on top of decoding
        file.seek(0)
        answer = run_limited(
            "lab.benchmarks.guide.pictures",
            [path.name, str(cpu_s), str(into)],
            file=file,
            name=path.name,
            cpu_s=cpu_s,
        )
    shown: list[int] = json.loads(answer)
    if len(shown) != len(wanted_ms):
        raise BadFile(f"{path.name} cannot be read as a video")
    return shown


class PictureStore:
    """The pictures of one video's clips, in a folder that is deleted when it is closed; loaded when needed."""

    def __init__(self, video: Video, moments_s: Iterable[float], *, decode: Decode = decode) -> None:
        """Decode every file of the video that holds a wanted moment, once.

        Raises:
            BadFile: one is refused or damaged from its beginning.
        """
        self._video = video
        self._pictures = Pictures()
        self._folder = TemporaryDirectory(prefix="kairos-guide-")
        wanted: dict[str, set[int]] = {}
        for moment in moments_s:
            path, ms = video.at(moment)
            wanted.setdefault(path, set()).add(ms)
        self._files: dict[tuple[str, int], Path] = {}
        try:
            for number, (path, all_ms) in enumerate(sorted(wanted.items())):
                into = Path(self._folder.name) / str(number)
                into.mkdir()
                order = sorted(all_ms)
                for ms, shown in zip(order, decode(Path(path), order, into), strict=True):
                    self._files[path, ms] = into / f"{shown}.jpg"
        except BaseException:
            self.close()
            raise

    def of(self, clip: Clip, percent: int, count: int = FRAMES) -> tuple[tuple[QueryPicture, ...], tuple[float, ...]]:
        """Return the pictures of a prefix, oldest first, and their times within the clip in seconds."""
        moments = clip.moments(percent, count)
        files = [self._files[self._video.at(moment)] for moment in moments]
        pictures = {file: self._pictures.picture_of(file.read_bytes()) for file in set(files)}
        return tuple(pictures[file] for file in files), tuple(round(moment - clip.start_s, 3) for moment in moments)

    def close(self) -> None:
        """Delete the pictures."""
        self._folder.cleanup()

    def __enter__(self) -> Self:
        """Return the store, which is closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()


def moments_of(clips: Iterable[Clip], percents: Iterable[int], count: int = FRAMES) -> list[float]:
    """Return every moment whose picture is needed."""
    return [moment for clip in clips for percent in percents for moment in clip.moments(percent, count)]


# ---------------------------------------------------------------------- the child


def decode_wanted(
    file: BinaryIO, name: str, wanted_ms: Sequence[int], save: Callable[[int, "VideoFrame"], None]
) -> list[int]:
    """Go once through a video; hand over each picture that is wanted, and return which one each moment shows.

    A moment before the first picture shows that one; a damaged end leaves the last good picture standing.

    Raises:
        BadFile: the video is refused, or not one picture of it can be decoded.
    """
    from av.error import FFmpegError

    shown: list[int] = []
    last: VideoFrame | None = None
    saved = -1
    number = -1

    def assign(until_ms: float) -> None:
        """Give the last picture to all moments before `until_ms`."""
        nonlocal saved
        while last is not None and len(shown) < len(wanted_ms) and wanted_ms[len(shown)] < until_ms:
            if saved != number:
                save(number, last)
                saved = number
            shown.append(number)

    with open_pinned(file, name) as container:
        try:
            for frame in container.decode(container.streams.video[0]):
                if frame.pts is None or frame.is_corrupt:
                    continue
                assign(frame.time * 1000 - 0.5)
                last, number = frame, number + 1
                if len(shown) == len(wanted_ms):
                    break
        except FFmpegError as error:
            if last is None:
                raise BadFile(f"{name} cannot be read as a video: {error}") from error
        assign(float("inf"))
    if last is None:
        raise BadFile(f"{name} holds no pictures")
    return shown


def save_wanted(file: BinaryIO, name: str, into: Path) -> list[int]:
    """Save the wanted pictures as JPEGs in a folder; return which one each moment shows.

    Raises:
        BadFile: the video is refused, or not one picture of it can be decoded.
    """
    wanted: list[int] = json.loads((into / _WANTED).read_text())[:MAX_MOMENTS]

    def save(number: int, frame: "VideoFrame") -> None:
        (into / f"{number}.jpg").write_bytes(encoded(frame))

    return decode_wanted(file, name, wanted, save)


def encoded(frame: "VideoFrame") -> bytes:
    """Return a picture as JPEG, made smaller if it is wider than `WIDTH`."""
    import simplejpeg

    width = min(WIDTH, frame.width)
    height = max(1, round(frame.height * width / frame.width))
    small = frame.reformat(width=width, height=height, format="rgb24")
    jpeg: bytes = simplejpeg.encode_jpeg(small.to_ndarray(), quality=JPEG_QUALITY)
    return jpeg


def main(arguments: Sequence[str]) -> int:
    """Decode the video on standard input; print which picture each wanted moment shows."""
    name, cpu_s, into = arguments
    limit_self(int(cpu_s), file_bytes=MAX_JPEG_BYTES)
    try:
        shown = save_wanted(sys.stdin.buffer, name, Path(into))
    except BadFile as error:
        return report_refusal(error)
    print(json.dumps(shown))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
