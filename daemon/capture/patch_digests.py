"""Digests of patches of a large change, which are alike wherever they are scrolled to.

A tile's digest holds for its place, so text that comes back a line higher has others. A patch is as large as a tile, at
any height: which of them have a digest is decided by what they show, so the same text gives the same patches wherever
it stands in its column. Like those of tiles, digests are keyed with what lives in memory alone, and have two bytes.
"""

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from daemon.capture.diff import BAND, COLOUR, TILE, Pixels, Tiles
from storage.records import Box, Frame
from storage.tiles import DIGEST_BYTES, MAX_PATCHES, pack

FEWEST_BANDS = 6
"""A column of tiles with patches changed over so many bands; less is typing, a selection or a small menu."""

MOST_COLUMNS = 8
"""At most about so many columns have patches: of more tall ones every second, fourth, ..., by place on the screen."""

FEWEST_STEPS = 6
"""At least so many rows of a patch differ from the row above: it shows something, and more than a line."""

_RARITY = np.uint64(59)
"""A patch counts where its hash begins with five zero bits: one of 32."""

_MIX = np.uint64(0x9E3779B97F4A7C15)


class PatchDigester:
    """Makes the digests of one monitor's patches. Used by the capture thread alone."""

    def __init__(self, key: bytes, monitor: Box) -> None:
        """Take the session's key, 16 to 64 bytes, of which one of its own is made, and the monitor's box."""
        self._key = hashlib.blake2b(b"patches", key=key, digest_size=32).digest()
        self._monitor = monitor
        drawn = np.frombuffer(hashlib.shake_256(self._key).digest(8 * TILE + 8), np.uint64)
        self._weights = drawn[:TILE].astype(np.uint32) | np.uint32(1)
        factor = int(drawn[TILE]) | 1
        self._powers = _powers(factor, monitor.h)
        self._inverse = _powers(pow(factor, -1, 1 << 64), monitor.h)
        self._colours = np.empty((monitor.h, TILE), np.uint32)  # a new one for each column would grow the process

    def digests(self, frame: Frame, tiles: Tiles, canvas: Pixels) -> str:
        """Return the packed digests of a frame's patches, at most `MAX_PATCHES`; empty where no change is tall.

        Args:
            frame: the frame; its boxes are on the desktop.
            tiles: the grid of the monitor, true where something changed.
            canvas: the redacted picture of the frame, in its own coordinates, BGRA.
        """
        height, width = canvas.shape[:2]
        words = canvas.view(np.uint32)[:, :, 0]
        closed = [*frame.covered, *frame.own]
        found: list[tuple[int, int, int]] = []
        tall = self._tall_columns(tiles)
        stride = 1
        while len(tall) > MOST_COLUMNS * stride:
            stride *= 2
        for column, first, last in tall:
            left = column * TILE
            if column % stride or left + TILE > width:
                continue
            x = self._monitor.x + left
            for top, bottom in self._open_rows(x, first * BAND, min(last * BAND, height), closed):
                found += [(*one, x) for one in self._patches(words[top:bottom, left : left + TILE])]
        rarest = sorted(set(found))[:MAX_PATCHES]
        return pack(sorted({self._digest(content, x) for _, content, x in rarest}))

    def _tall_columns(self, tiles: Tiles) -> list[tuple[int, int, int]]:
        """Return the columns that changed by half or more over enough bands: number, first band, one past the last."""
        tall = []
        for column in np.flatnonzero(tiles.sum(axis=0) * 2 >= FEWEST_BANDS).tolist():
            bands = np.flatnonzero(tiles[:, column])
            first, last = int(bands[0]), int(bands[-1]) + 1
            if FEWEST_BANDS <= last - first <= 2 * len(bands):
                tall.append((column, first, last))
        return tall

    def _digest(self, content: int, x: int) -> bytes:
        shown = content.to_bytes(8, "little") + x.to_bytes(4, "little", signed=True)
        return hashlib.blake2b(shown, key=self._key, digest_size=DIGEST_BYTES).digest()

    def _open_rows(self, x: int, top: int, bottom: int, closed: Sequence[Box]) -> Iterable[tuple[int, int]]:
        """Yield the rows of a column that touch no closed window, in runs that hold a patch."""
        spans = sorted(
            (box.y - self._monitor.y, box.y + box.h - self._monitor.y)
            for box in closed
            if box.x < x + TILE and x < box.x + box.w
        )
        for start, end in (*spans, (bottom, bottom)):
            if min(start, bottom) - top >= BAND:
                yield top, min(start, bottom)
            top = max(top, end)

    def _patches(self, words: NDArray[np.uint32]) -> Iterable[tuple[int, int]]:
        """Return (order, content) of the patches of a column that count; content is a keyed hash of 64 bits."""
        many = len(words)
        colours = np.bitwise_and(words, COLOUR, out=self._colours[:many])
        rows = np.einsum("ij,j->i", colours, self._weights).astype(np.uint64)  # faster than @ for integers
        sums = np.zeros(many + 1, np.uint64)
        np.cumsum(rows * self._powers[:many], out=sums[1:])
        content = (sums[BAND:] - sums[:-BAND]) * self._inverse[: many - BAND + 1]
        order = content * _MIX
        rare = np.flatnonzero(order >> _RARITY == 0)
        steps = np.zeros(many, np.int32)
        np.cumsum(rows[1:] != rows[:-1], out=steps[1:])
        rare = rare[steps[rare + BAND - 1] - steps[rare] >= FEWEST_STEPS]
        return zip(order[rare].tolist(), content[rare].tolist(), strict=True)


def _powers(factor: int, many: int) -> NDArray[np.uint64]:
    """Return the first powers of a factor, modulo 2**64."""
    powers = np.full(many, factor, np.uint64)
    powers[:1] = 1
    return np.cumprod(powers)
