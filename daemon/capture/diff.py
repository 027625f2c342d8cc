"""Where two pictures of the screen differ: every differing pixel is found, and reported by tiles of 64 x 32.

Tiles are compared only inside bands of 32 rows that differ. The fourth byte of a pixel is padding and does not count.
"""

import ctypes
import hashlib
from typing import Any

import numpy as np
import xxhash
from numpy.typing import NDArray

from storage.records import Box
from storage.records import tiles as layout

BAND = layout.BAND
TILE = layout.TILE
MAX_BOXES = 64
COLOUR = np.uint32(0x00FFFFFF) if np.little_endian else np.uint32(0xFFFFFF00)
"""The bits of a pixel that are colour."""

_memcmp = ctypes.CDLL(None).memcmp
_memcmp.argtypes = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t

Pixels = NDArray[np.uint8]
Tiles = NDArray[np.bool_]


def changed_boxes(prev: Pixels, cur: Pixels) -> tuple[Box, ...]:
    """Return at most `MAX_BOXES` boxes that hold every differing pixel of two pictures (h, w, 4) in BGRA."""
    return merge_tiles(changed_tiles(prev, cur), cur.shape[1], cur.shape[0])


def changed_tiles(prev: Pixels, cur: Pixels) -> Tiles:
    """Return which tiles differ, as booleans of shape (bands, columns)."""
    height, width = cur.shape[:2]
    tiles = np.zeros((-(-height // BAND), -(-width // TILE)), np.bool_)
    before, after = _words(prev), _words(cur)
    columns = np.arange(0, width, TILE)
    buffer = np.empty((BAND, width), np.uint32)  # stays in the processor's cache from band to band
    is_packed = before.flags.c_contiguous and after.flags.c_contiguous
    first, second, row_bytes = before.ctypes.data, after.ctypes.data, before.strides[0]
    for band in range(tiles.shape[0]):
        rows = slice(band * BAND, min((band + 1) * BAND, height))
        at = rows.start * row_bytes
        if is_packed and not _memcmp(first + at, second + at, rows.stop * row_bytes - at):
            continue  # in half the time that finding out where takes
        differing = np.bitwise_xor(before[rows], after[rows], out=buffer[: rows.stop - rows.start])
        by_column = np.bitwise_or.reduce(differing, axis=0) & COLOUR
        if by_column.any():
            tiles[band] = np.bitwise_or.reduceat(by_column, columns) != 0
    return tiles


def merge_tiles(tiles: Tiles, width: int, height: int) -> tuple[Box, ...]:
    """Return the changed tiles as few boxes inside a picture of the given size.

    Runs of tiles of a band become boxes, equal runs of neighbouring bands one box; where that leaves more than
    `MAX_BOXES`, each band becomes one box from its first to its last changed tile.
    """
    runs = [(band, _runs(row)) for band, row in enumerate(tiles.tolist())]
    boxes = _stacked([(band, *run) for band, found in runs for run in found])
    if len(boxes) > MAX_BOXES:
        boxes = _stacked([(band, found[0][0], found[-1][1]) for band, found in runs if found])
    return tuple(
        Box(
            x := first * TILE,
            y := top * BAND,
            min(last * TILE, width) - x,
            min(bottom * BAND, height) - y,
        )
        for top, bottom, first, last in boxes
    )


class FrameDigest:
    """A digest of the whole picture, keyed per session, updated by hashing only the bands that changed."""

    def __init__(self, key: bytes) -> None:
        """Take the session's key, 16 to 64 bytes."""
        self._key = key
        self._hashes: list[bytes] = []

    def update(self, pixels: Pixels, bands: NDArray[np.bool_]) -> str:
        """Hash the bands that changed, and return the digest of the picture as hexadecimal digits."""
        if len(self._hashes) != len(bands):
            self._hashes = [b""] * len(bands)
            bands = np.ones(len(bands), np.bool_)
        for band in np.flatnonzero(bands):
            rows = np.ascontiguousarray(pixels[band * BAND : (band + 1) * BAND])
            self._hashes[band] = xxhash.xxh3_64_digest(rows.data)
        return hashlib.blake2b(b"".join(self._hashes), key=self._key, digest_size=16).hexdigest()


def _words(pixels: Pixels) -> NDArray[np.uint32]:
    """Return the picture as one 32-bit word a pixel, without a copy where its rows are packed."""
    packed = pixels if pixels.strides[1:] == (4, 1) else np.ascontiguousarray(pixels)
    words: NDArray[Any] = packed.view(np.uint32)
    return words[:, :, 0]


def _runs(row: list[bool]) -> list[tuple[int, int]]:
    """Return the runs of true values as (first, one past the last); plain lists are faster than arrays this short."""
    runs = []
    first = -1
    for column, on in enumerate(row):
        if on and first < 0:
            first = column
        elif not on and first >= 0:
            runs.append((first, column))
            first = -1
    if first >= 0:
        runs.append((first, len(row)))
    return runs


def _stacked(runs: list[tuple[int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Join equal runs of neighbouring bands; (band, first, last) becomes (top, bottom, first, last)."""
    done: list[tuple[int, int, int, int]] = []
    growing: dict[tuple[int, int], int] = {}
    for band, first, last in runs:
        index = growing.get((first, last))
        if index is not None and done[index][1] == band:
            done[index] = (done[index][0], band + 1, first, last)
        else:
            growing[first, last] = len(done)
            done.append((band, band + 1, first, last))
    return done
