"""Opens a video or sound from outside: format pinned, no other file reachable, and parsed only in a limited child.

A file name proves nothing: a play-list named `screen.mp4` makes an unpinned demuxer open other files. So the format
comes from the first bytes, is given to the demuxer by name, and the demuxer gets an open file, never a path. Run as a
program this module is the child, which decodes one file and prints a `VideoInfo` as one line of JSON.
"""

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from storage.errors import BadFile
from storage.files import open_regular
from storage.limited_child import limit_self, report_refusal, run_limited

if TYPE_CHECKING:  # PyAV is loaded in the child only
    from av.container import InputContainer

MAX_SIDE = 16_384
"""Largest side of a picture that is decoded; the largest desktops have 15,360 pixels."""

MOST_SALVAGED = 64 << 20
"""Bytes at most of a file that was cut off; ours have a few million."""

SOUND = "sound-"
"""How the name of a file begins that holds sound alone."""

_HEAD_BYTES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoInfo:
    """The size of a video's pictures, and the times (ms) of those, or of the sound, that could be decoded."""

    width: int
    height: int
    times_ms: tuple[int, ...]


def container_name(start: bytes) -> str | None:
    """Return the demuxer for a file that begins with these (at least 8) bytes, or None if Kairos opens no such file."""
    if start[4:8] in (b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide"):
        return "mov"
    if start[:4] == b"\x1a\x45\xdf\xa3":
        return "matroska"
    return None


def open_pinned(file: BinaryIO, name: str, *, sound: bool = False) -> "InputContainer":
    """Open a video, or what holds `sound` alone, by its content with the container format pinned.

    Raises:
        BadFile: it is not an mp4, mov or mkv file, is damaged, or its picture is absurdly large.
    """
    import av
    from av.error import FFmpegError

    start = file.read(16)
    file.seek(0)
    container = container_name(start)
    if container is None:
        raise BadFile(f"{name} is not an mp4 or mkv video, whatever its name says")
    options = {"protocol_whitelist": "file"}
    try:
        opened = av.open(file, "r", format=container, options=options, metadata_errors="ignore")
    except (FFmpegError, ValueError) as error:
        whole = _whole_boxes(file)
        try:
            opened = av.open(whole, "r", format=container, options=options, metadata_errors="ignore")
        except (FFmpegError, ValueError):
            raise BadFile(f"{name} cannot be read as a video: {error}") from error
    if sound:
        if not opened.streams.audio or opened.streams.video:
            raise BadFile(f"{name} is not sound alone")
        return opened
    if not opened.streams.video:
        raise BadFile(f"{name} holds no pictures")
    stream = opened.streams.video[0]
    if not (0 < stream.width <= MAX_SIDE and 0 < stream.height <= MAX_SIDE):
        raise BadFile(f"{name} has pictures of {stream.width} x {stream.height} pixels")
    stream.thread_count = 1  # threads would multiply the memory a hostile file can claim
    return opened


def _whole_boxes(file: BinaryIO) -> BytesIO:
    """Return an mp4 up to its last whole box; no demuxer opens one that was cut off inside the head of a fragment."""
    size, end = os.fstat(file.fileno()).st_size, 0
    file.seek(0)
    while len(head := file.read(_HEAD_BYTES)) == _HEAD_BYTES:
        length = int.from_bytes(head[:4])
        if not _HEAD_BYTES <= length <= min(size, MOST_SALVAGED) - end:
            break
        end += length
        file.seek(end)
    file.seek(0)
    return BytesIO(file.read(end))


def probe_video(path: Path, *, cpu_s: int | None = None) -> VideoInfo:
    """Decode a whole video, or the sound in a file that is called so, in a limited child process.

    Args:
        path: a plain file.
        cpu_s: how long that may take; by default `cpu_allowance_s` of its size.

    Raises:
        BadFile: the file is refused, or took too much time or memory.
    """
    with open_regular(path) as file:
        limit_s = cpu_s or cpu_allowance_s(os.fstat(file.fileno()).st_size)
        output = run_limited(
            "storage.session.video_sandbox", [path.name, str(limit_s)], file=file, name=path.name, cpu_s=limit_s
        )
    found = json.loads(output)
    return VideoInfo(width=found["width"], height=found["height"], times_ms=tuple(found["times_ms"]))


def cpu_allowance_s(size: int) -> int:
    """Return the CPU seconds that decoding a video of `size` bytes may take."""
    return 60 + 2 * (size >> 20)


def _probe(file: BinaryIO, name: str) -> VideoInfo:
    """Decode every picture; a damaged end (a recording that was cut off) ends the list."""
    from av.error import FFmpegError

    with open_pinned(file, name, sound=name.startswith(SOUND)) as container:
        pictures = next(iter(container.streams.video), None)
        times: list[int] = []
        try:
            decoded: Any
            for decoded in container.decode(container.streams[0] if pictures is None else pictures):
                times.append(round(decoded.time * 1000))  # noqa: PERF401  # what came before a damage counts
        except FFmpegError as error:
            if not times:
                raise BadFile(f"{name} cannot be read as a video: {error}") from error
        width, height = (0, 0) if pictures is None else (pictures.width, pictures.height)
        return VideoInfo(width=width, height=height, times_ms=tuple(times))


def main(arguments: Sequence[str]) -> int:
    """Probe the video on standard input; its name and the CPU limit are the arguments."""
    name, cpu_s = arguments
    limit_self(int(cpu_s))
    try:
        facts = _probe(sys.stdin.buffer, name)
    except BadFile as error:
        return report_refusal(error)
    print(json.dumps(asdict(facts)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
