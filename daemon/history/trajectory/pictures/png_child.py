"""Decodes PNG pictures from standard input and leaves them as JPEG in a folder; run as a limited child process."""

import struct
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from daemon.history.trajectory.pictures.decoding import LENGTH, MAX_JPEG_BYTES
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


def save_all(file: BinaryIO, into: Path) -> None:
    """Leave each picture, which comes behind its length, as `N.jpg` in a folder.

    Raises:
        BadFile: one is damaged.
    """
    number = 0
    while head := file.read(struct.calcsize(LENGTH)):
        (length,) = struct.unpack(LENGTH, head)
        (into / f"{number}.jpg").write_bytes(png_as_jpeg(file.read(length)))
        number += 1


def main(arguments: Sequence[str]) -> int:
    """Decode the pictures on standard input."""
    cpu_s, into = arguments
    limit_self(int(cpu_s), file_bytes=MAX_JPEG_BYTES)
    try:
        save_all(sys.stdin.buffer, Path(into))
    except BadFile as error:
        return report_refusal(error)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
