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
Hashes = NDArray[np.uint64]


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
    tiles = np.zeros((-(-cur.shape[0] // BAND), -(-cur.shape[1] // TILE)), np.bool_)
    mark_changed(prev, cur, tiles)
    return tiles


def mark_changed(prev: Pixels, cur: Pixels, tiles: Tiles) -> None:
    """Mark the tiles that differ, of shape (bands, columns)."""
    height, width = cur.shape[:2]
    if compiled is not None:
        compiled.mark_changed(_packed(prev), _packed(cur), tiles)
        return
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
        tiles[top // BAND : top // BAND + len(found)] |= found


def merge_tiles(tiles: Tiles, width: int, height: int) -> tuple[Box, ...]:
    """Return the changed tiles as few boxes inside a picture of the given size.

    Runs of tiles of a band become boxes, equal runs of neighbouring bands one box; where that leaves more than
    `MAX_BOXES`, each band becomes one box from its first to its last changed tile.
    """
    marks, columns = tiles.tobytes(), tiles.shape[1]
    runs: list[tuple[int, int, int]] = []
    at = marks.find(1)
    while at >= 0:
        band, first = divmod(at, columns)
        end = (band + 1) * columns
        after = marks.find(0, at, end)
        at = end if after < 0 else after
        runs.append((band, first, at - band * columns))
        at = marks.find(1, at)
    boxes = _stacked(runs)
    if len(boxes) > MAX_BOXES:
        spans: dict[int, tuple[int, int]] = {}
        for band, first, last in runs:
            spans[band] = spans.get(band, (first, last))[0], last
        boxes = _stacked([(band, *span) for band, span in spans.items()])
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
    """A digest of the whole picture, keyed per session, updated by hashing only the tiles that changed."""

    def __init__(self, key: bytes) -> None:
        """Take the session's key, 16 to 64 bytes."""
        self._key = key
        drawn = hashlib.shake_256(b"weights of pixels" + key).digest(BAND * TILE * 4)
        self._weights = np.frombuffer(drawn, np.uint32)
        self.hashes: Hashes = np.zeros((0, 0), np.uint64)
        """What each tile shows: two others are alike once in 2**32. They never leave the process."""

    def begin(self, pixels: Pixels) -> None:
        """Hash all of a picture."""
        tiles = np.ones((-(-pixels.shape[0] // BAND), -(-pixels.shape[1] // TILE)), np.bool_)
        self.hashes = np.zeros(tiles.shape, np.uint64)
        self.take(pixels, tiles, pixels, self.hashes)

    def take(self, source: Pixels, tiles: Tiles, target: Pixels, hashes: Hashes, *, compare: bool = False) -> None:
        """Copy marked tiles of a picture into another of its size, and hash them; first mark what differs, if asked to.

        Colours of the left half of a tile are weighted and multiplied with those of the right half; beyond the picture
        all is black. `hashes` are those of the tiles, a part of ours.
        """
        if compiled is not None:
            compiled.take_tiles(_packed(source), self._weights, tiles, target, hashes, compare)
            return
        if compare:
            mark_changed(target, source, tiles)
        for x, y, w, h in merge_tiles(tiles, source.shape[1], source.shape[0]):
            target[y : y + h, x : x + w] = source[y : y + h, x : x + w]
        words, weights = _words(target), self._weights.reshape(BAND, 1, TILE)
        for band in np.flatnonzero(tiles.any(axis=1)).tolist():
            rows = words[band * BAND : (band + 1) * BAND] & COLOUR
            rows = np.pad(rows, ((0, 0), (0, tiles.shape[1] * TILE - rows.shape[1])))
            found = rows.reshape(len(rows), -1, TILE)[:, tiles[band]] + weights[: len(rows)]
            left, right = found[..., : TILE // 2].astype(np.uint64), found[..., TILE // 2 :]
            hashes[band, tiles[band]] = (left * right).sum(axis=(0, 2))

    def digest(self) -> str:
        """Return the digest of the picture as hexadecimal digits."""
        return hashlib.blake2b(self.hashes.data, key=self._key, digest_size=16).hexdigest()


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
