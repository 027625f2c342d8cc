"""Replaces the PNG pictures in the file on standard input by JPEG; run as a limited child process."""

import os
import sys
from collections.abc import Sequence

from daemon.history.trajectory.pictures.decoding import read_pictures, write_pictures
from storage.errors import BadFile
from storage.limited_child import limit_self, report_refusal

_QUALITY = 95


def png_as_jpeg(raw: bytes) -> bytes:
    """Return a PNG picture as JPEG.

    Raises:
        BadFile: it is damaged.
    """
    import simplejpeg
    from av import Packet
    from av.codec.context import CodecContext
    from av.error import FFmpegError

    context = CodecContext.create("png", "r")
    context.thread_count = 1  # threads would multiply the memory that a hostile file can claim
    try:
        frames = [*context.decode(Packet(raw)), *context.decode(None)]
    except (FFmpegError, ValueError):
        frames = []
    shown = next((frame for frame in frames if not frame.is_corrupt), None)
    if shown is None:
        raise BadFile("a picture is damaged")
    jpeg: bytes = simplejpeg.encode_jpeg(
        shown.to_ndarray(format="rgb24"), quality=_QUALITY, colorspace="RGB", colorsubsampling="444"
    )
    return jpeg


def main(arguments: Sequence[str]) -> int:
    """Decode the pictures on standard input."""
    cpu_s, file_bytes = map(int, arguments)
    limit_self(cpu_s, file_bytes=file_bytes)
    try:
        with os.fdopen(sys.stdin.fileno(), "r+b", closefd=False) as file:
            write_pictures(file, [png_as_jpeg(raw) for raw in read_pictures(file)])
    except BadFile as error:
        return report_refusal(error)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
