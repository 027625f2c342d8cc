"""Where two pictures of the screen differ: every differing pixel is found, and reported by tiles of 64 x 32.

The fourth byte of a pixel is padding and does not count. `compiled` finds the same in a third of the time or less;
without it as many bands of 32 rows are compared together as stay in the processor's cache.
"""

import ctypes
import hashlib
from importlib import import_module
from types import ModuleType
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

CACHED = 1 << 17
"""How many pixels are looked at together."""

_memcmp = ctypes.CDLL(None).memcmp
_memcmp.argtypes = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t

Pixels = NDArray[np.uint8]
Tiles = NDArray[np.bool_]


def _compiled() -> ModuleType | None:
    try:
        return import_module("daemon.capture._pixels") if np.little_endian else None
    except ImportError:
        return None


compiled = _compiled()
"""What does the same as some functions here, sooner; None where there was no compiler."""


def changed_boxes(prev: Pixels, cur: Pixels) -> tuple[Box, ...]:
    """Return at most `MAX_BOXES` boxes that hold every differing pixel of two pictures (h, w, 4) in BGRA."""
    return merge_tiles(changed_tiles(prev, cur), cur.shape[1], cur.shape[0])


def changed_tiles(prev: Pixels, cur: Pixels) -> Tiles:
    """Return which tiles differ, as booleans of shape (bands, columns)."""
    height, width = cur.shape[:2]
    tiles = np.zeros((-(-height // BAND), -(-width // TILE)), np.bool_)
    if compiled is not None:
        compiled.mark_changed(_packed(prev), _packed(cur), tiles)
        return tiles
    before, after = _words(prev), _words(cur)
    columns = np.arange(0, width, TILE)
    many = max(1, CACHED // (BAND * width)) * BAND
    buffer = np.empty((min(many, height), width), np.uint32)
    is_packed = before.flags.c_contiguous and after.flags.c_contiguous
    for top in range(0, height, many):
        rows, whole = min(many, height - top), min(many, height - top) // BAND
        old, new = before[top : top + rows], after[top : top + rows]
        if is_packed and not _memcmp(old.ctypes.data, new.ctypes.data, old.nbytes):
            continue  # in half the time that finding out where takes
        differing = np.bitwise_xor(old, new, out=buffer[:rows])
        by_band = np.bitwise_or.reduce(differing[: whole * BAND].reshape(whole, BAND, width), axis=1)
        if rows > whole * BAND:
            rest = np.bitwise_or.reduce(differing[whole * BAND :], axis=0, keepdims=True)
            by_band = np.concatenate((by_band, rest))
        by_band &= COLOUR
        found = np.bitwise_or.reduceat(by_band, columns, axis=1) != 0
        tiles[top // BAND : top // BAND + len(found)] = found
    return tiles


def merge_tiles(tiles: Tiles, width: int, height: int) -> tuple[Box, ...]:
    """Return the changed tiles as few boxes inside a picture of the given size.

    Runs of tiles of a band become boxes, equal runs of neighbouring bands one box; where that leaves more than
    `MAX_BOXES`, each band becomes one box from its first to its last changed tile.
    """
    edges = np.zeros((tiles.shape[0], tiles.shape[1] + 2), np.int8)
    edges[:, 1:-1] = tiles
    steps = np.diff(edges, axis=1)
    bands, firsts = np.nonzero(steps == 1)
    ends = np.nonzero(steps == -1)[1]
    boxes = _stacked(list(zip(bands.tolist(), firsts.tolist(), ends.tolist(), strict=True)))
    if len(boxes) > MAX_BOXES:
        used = np.flatnonzero(tiles.any(axis=1))
        last = tiles.shape[1] - tiles[used, ::-1].argmax(axis=1)
        boxes = _stacked(list(zip(used.tolist(), tiles[used].argmax(axis=1).tolist(), last.tolist(), strict=True)))
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
        for band in np.flatnonzero(bands).tolist():
            rows = np.ascontiguousarray(pixels[band * BAND : (band + 1) * BAND])
            self._hashes[band] = xxhash.xxh3_64_digest(rows.data)
        return hashlib.blake2b(b"".join(self._hashes), key=self._key, digest_size=16).hexdigest()


def _words(pixels: Pixels) -> NDArray[np.uint32]:
    """Return the picture as one 32-bit word a pixel, without a copy where its rows are packed."""
    words: NDArray[Any] = _packed(pixels).view(np.uint32)
    return words[:, :, 0]


def _packed(pixels: Pixels) -> Pixels:
    """Return the picture with rows that are packed."""
    return pixels if pixels.strides[1:] == (4, 1) else np.ascontiguousarray(pixels)


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
