"""Digests of changed parts of a picture, so that a log without pictures tells whether a place shows what it showed.

A digest depends on its place and on a key that lives in memory alone, and has two bytes. A tall change also gets
digests of patches, as large as a tile at any height: which of them is decided by what they show, so the same text gives
the same patches wherever it is scrolled to in its column.
"""

import hashlib
import struct
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from daemon.capture import diff
from daemon.capture.diff import BAND, COLOUR, TILE, Hashes, Pixels, Tiles
from storage.clock import NS_PER_S
from storage.records import Box, Frame, TileDigests
from storage.records.tiles import DIGEST_BYTES, MAX_PATCHES, Place, digested_tiles, pack

BYTES_PER_S = 240
"""What rows may take in the long run: 0.86 MB an hour."""

BURST_BYTES = 120_000
"""What they may take at once, after a while with few changes."""

ROW_BYTES = 84
"""What a row takes in the database besides its digests; measured."""

FIELD_BYTES = len(',"patches":""')
"""What a row with patches takes besides them. It is taken off afterwards: the budget may fall below zero by one row."""

FEWEST_BANDS = 6
"""Over how many bands a column of tiles with patches changed; less is typing, a selection or a small menu."""

MOST_COLUMNS = 8
"""About how many columns have patches at most: of more tall ones every second, fourth, ..., by place on the screen."""

FEWEST_STEPS = 6
"""How many rows of a patch differ from the row above at least: it shows something, and more than a line."""

_RARITY = 59
"""A patch counts where its hash begins with five zero bits: one of 32."""

_SHOWN = struct.Struct("<Qii")
_MIX = 0x9E3779B97F4A7C15
_U64 = (1 << 64) - 1


class TileDigester:
    """Makes the digests of one monitor's frames. Used by the capture thread alone."""

    def __init__(self, key: bytes, monitor: Box) -> None:
        """Take the session's key, 16 to 64 bytes, of which one of its own is made, and the monitor's box."""
        self._key = hashlib.blake2b(b"tiles", key=key, digest_size=32).digest()
        self._monitor = monitor
        self._patches = PatchDigester(key, monitor)
        self._known: Tiles = np.zeros((-(-monitor.h // BAND), -(-monitor.w // TILE)), np.bool_)
        self._left = float(BURST_BYTES)
        self._t_ns: int | None = None

    def digests(
        self, frame: Frame, tiles: Tiles, canvas: Pixels, stood: Hashes | None, stands: Hashes
    ) -> TileDigests | None:
        """Return the row of a frame whose pixels are on the canvas; None if it gets none.

        `tiles` is the grid of the monitor, true where something changed. `stood` and `stands` are what each tile showed
        before and shows (`FrameDigest.hashes`); None if there was no picture before.
        """
        places = digested_tiles(frame)
        left, top = self._monitor.x, self._monitor.y
        cells = [(y - top) // BAND for _, y in places], [(x - left) // TILE for x, _ in places]
        is_told = stood is not None and not self._known[cells].all()
        self._known[tiles] = False
        length = -(-len(places) * DIGEST_BYTES * 4 // 3) * (2 if is_told else 1)
        if not places or not self._affords(ROW_BYTES + length, frame.t_ns):
            return None
        self._known[cells] = True
        patches = self._patches.digests(frame, tiles, canvas)
        if patches:
            self._left -= len(patches) + FIELD_BYTES
        return TileDigests(
            now=self._packed(places, stands[cells]),
            before=self._packed(places, stood[cells]) if is_told and stood is not None else "",
            patches=patches,
        )

    def _affords(self, size: int, t_ns: int) -> bool:
        if self._t_ns is not None:
            grown = self._left + (t_ns - self._t_ns) * BYTES_PER_S / NS_PER_S
            self._left = min(float(BURST_BYTES), grown)
        self._t_ns = t_ns
        if size > self._left:
            return False
        self._left -= size
        return True

    def _packed(self, places: Sequence[Place], contents: Hashes) -> str:
        return pack(
            [
                hashlib.blake2b(_SHOWN.pack(content, x, y), key=self._key, digest_size=DIGEST_BYTES).digest()
                for (x, y), content in zip(places, contents.tolist(), strict=True)
            ]
        )


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
        self._found = np.empty(monitor.h, np.uint64)

    def digests(self, frame: Frame, tiles: Tiles, canvas: Pixels) -> str:
        """Return the packed digests of a frame's patches, at most `MAX_PATCHES`; empty where no change is tall."""
        height, width = canvas.shape[:2]
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
                contents = self._patches(canvas[top:bottom, left : left + TILE])
                found += [(content * _MIX & _U64, content, x) for content in contents]
        rarest = sorted(set(found))[:MAX_PATCHES]
        return pack(sorted({self._digest(content, x) for _, content, x in rarest}))

    def _tall_columns(self, tiles: Tiles) -> list[tuple[int, int, int]]:
        """Return the columns that changed by half or more over enough bands: number, first band, one past the last."""
        many = tiles.sum(axis=0)
        first, last = tiles.argmax(axis=0), len(tiles) - tiles[::-1].argmax(axis=0)
        high = last - first
        tall = np.flatnonzero((high >= FEWEST_BANDS) & (high <= 2 * many))
        return list(zip(tall.tolist(), first[tall].tolist(), last[tall].tolist(), strict=True))

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

    def _patches(self, column: Pixels) -> list[int]:
        """Return the contents of the patches of a column that count; each is a keyed hash of 64 bits."""
        if diff.compiled is not None:
            rarity = self._powers, self._inverse, self._found, _MIX, _RARITY, FEWEST_STEPS
            many = diff.compiled.find_patches(column, self._weights, *rarity)
            return list(map(int, self._found[:many].tolist()))
        many = len(column)
        colours = np.bitwise_and(column.view(np.uint32)[:, :, 0], COLOUR, out=self._colours[:many])
        rows = np.einsum("ij,j->i", colours, self._weights).astype(np.uint64)  # faster than @ for integers
        sums = np.zeros(many + 1, np.uint64)
        np.cumsum(rows * self._powers[:many], out=sums[1:])
        content = (sums[BAND:] - sums[:-BAND]) * self._inverse[: many - BAND + 1]
        rare = np.flatnonzero(content * np.uint64(_MIX) >> np.uint64(_RARITY) == 0)
        steps = np.zeros(many, np.int32)
        np.cumsum(rows[1:] != rows[:-1], out=steps[1:])
        rare = rare[steps[rare + BAND - 1] - steps[rare] >= FEWEST_STEPS]
        return list(map(int, content[rare].tolist()))


def _powers(factor: int, many: int) -> NDArray[np.uint64]:
    """Return the first powers of a factor, modulo 2**64."""
    powers = np.full(many, factor, np.uint64)
    powers[:1] = 1
    return np.cumprod(powers)
