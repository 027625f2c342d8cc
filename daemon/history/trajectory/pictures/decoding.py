"""Decodes PNG and JPEG pictures from outside: their size is read before anything else, PNG in a limited child."""

import struct
import sys
from collections.abc import Iterable, Iterator, Sequence
from tempfile import TemporaryFile
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from storage.errors import BadFile
from storage.limited_child import run_limited

MAX_SIDE = 65_000
MAX_PIXELS = 50_000_000
"""A page of 1,280 x 39,000 pixels; a fifth of the pages of Mind2Web are higher than 7,000."""

MAX_JPEG_BYTES = 64 << 20
CPU_S, CPU_S_EACH = 30, 10
LENGTH = ">Q"
"""Before each picture that the child gets, and gives."""

PNG = b"\x89PNG\r\n\x1a\n"
JPEG = b"\xff\xd8\xff"

Pixels = NDArray[np.uint8]


def decode_picture(raw: bytes) -> Pixels:
    """Return the pixels of a picture, shape (h, w, 3), RGB; they may be written to.

    Raises:
        BadFile: it is no PNG or JPEG picture, is damaged, or has more than `MAX_PIXELS`.
    """
    import simplejpeg

    (jpeg,) = as_jpegs([raw])
    try:
        found: Any = simplejpeg.decode_jpeg(jpeg, colorspace="RGB")
    except ValueError:
        raise BadFile("a picture is damaged") from None
    return np.array(found, np.uint8)


def as_jpegs(raws: Sequence[bytes]) -> list[bytes]:
    """Return pictures as JPEG: those that are PNG are decoded together in one child, the others stay as they are.

    Raises:
        BadFile: one is no PNG or JPEG picture, is damaged, or has more than `MAX_PIXELS`.
    """
    for raw in raws:
        width, height = picture_size(raw)
        if not (0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE and width * height <= MAX_PIXELS):
            raise BadFile(f"a picture of {width} x {height} pixels is too large")
    pngs = [place for place, raw in enumerate(raws) if raw.startswith(PNG)]
    converted = dict(zip(pngs, _pngs_as_jpegs([raws[place] for place in pngs]) if pngs else [], strict=True))
    return [converted.get(place, raw) for place, raw in enumerate(raws)]


def picture_size(raw: bytes) -> tuple[int, int]:
    """Return width and height as the head of a picture says.

    Raises:
        BadFile: it is no PNG or JPEG picture.
    """
    if raw.startswith(PNG) and len(raw) > 24 and raw[12:16] == b"IHDR":  # noqa: PLR2004  # where the size ends
        width, height = struct.unpack(">II", raw[16:24])
        return int(width), int(height)
    if raw.startswith(JPEG):
        import simplejpeg

        try:
            height, width, *_ = simplejpeg.decode_jpeg_header(raw)
        except ValueError:
            raise BadFile("a picture is damaged") from None
        return int(width), int(height)
    raise BadFile("a picture is neither PNG nor JPEG, whatever its name says")


def _pngs_as_jpegs(raws: Sequence[bytes]) -> list[bytes]:
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
    cpu_s = CPU_S + CPU_S_EACH * len(raws)
    with TemporaryFile() as file:  # it has no name: whatever is killed, no picture is left
        write_pictures(file, raws)
        run_limited(
            "daemon.history.trajectory.pictures.png_child",
            [str(cpu_s), str(MAX_JPEG_BYTES * len(raws))],
            file=file,
            name="a picture",
            cpu_s=cpu_s,
        )
        file.seek(0)
        return list(read_pictures(file))


def write_pictures(file: BinaryIO, pictures: Iterable[bytes]) -> None:
    """Let a file hold these pictures, each behind its length, and nothing else; it is to be read from its beginning."""
    file.truncate(0)
    file.seek(0)
    file.writelines(struct.pack(LENGTH, len(picture)) + picture for picture in pictures)
    file.flush()
    file.seek(0)


def read_pictures(file: BinaryIO) -> Iterator[bytes]:
    """Yield the pictures that a file holds from here on."""
    while head := file.read(struct.calcsize(LENGTH)):
        (length,) = struct.unpack(LENGTH, head)
        yield file.read(length)
