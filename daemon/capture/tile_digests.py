"""Digests of changed tiles, so that a log without pictures tells whether a place shows what it showed before.

A digest depends on the tile's place and on a key that lives in memory alone, and has two bytes: a log holds nothing by
which a text could be looked for, and equal letters at different places are not alike. What the rows of an hour take is
bounded.
"""

import hashlib
from collections.abc import Sequence

import numpy as np
import xxhash

from daemon.capture.diff import BAND, COLOUR, TILE, Pixels, Tiles
from daemon.capture.patch_digests import PatchDigester
from storage.clock import NS_PER_S
from storage.records import Box, Frame, TileDigests
from storage.tiles import DIGEST_BYTES, Place, digested_tiles, pack

BYTES_PER_S = 240
"""What rows may take in the long run: 0.86 MB an hour."""

BURST_BYTES = 120_000
"""What they may take at once, after a while with few changes."""

ROW_BYTES = 84
"""What a row takes in the database besides its digests; measured."""

FIELD_BYTES = len(',"patches":""')
"""What a row with patches takes besides them. It is taken off afterwards: the budget may fall below zero by one row."""


class TileDigester:
    """Makes the digests of one monitor's frames. Used by the capture thread alone."""

    def __init__(self, key: bytes, monitor: Box) -> None:
        """Take the session's key, 16 to 64 bytes, of which one of its own is made, and the monitor's box."""
        self._key = hashlib.blake2b(b"tiles", key=key, digest_size=32).digest()
        self._monitor = monitor
        self._patches = PatchDigester(key, monitor)
        self._known: Tiles = np.zeros((-(-monitor.h // BAND), -(-monitor.w // TILE)), np.bool_)
        self._buffer = np.empty((BAND, TILE), np.uint32)
        self._left = float(BURST_BYTES)
        self._t_ns: int | None = None

    def before(self, frame: Frame, tiles: Tiles, canvas: Pixels, *, fresh: bool) -> "PendingDigests | None":
        """Take in a frame before its pixels are on the canvas.

        Args:
            frame: the frame; its boxes are on the desktop.
            tiles: the grid of the monitor, true where something changed.
            canvas: the redacted picture before the frame, in its own coordinates, BGRA.
            fresh: whether there was no picture before.

        Returns:
            What `after` takes, or None where the frame gets no digests.
        """
        places = digested_tiles(frame)
        cells = [self._cell(place) for place in places]
        known = not fresh and all(self._known[cell] for cell in cells)
        self._known[tiles] = False
        length = -(-len(places) * DIGEST_BYTES * 4 // 3) * (1 if known or fresh else 2)
        if not places or not self._affords(ROW_BYTES + length, frame.t_ns):
            return None
        before = "" if known or fresh else self._digests(places, canvas)
        return PendingDigests(frame, tiles, places, before)

    def after(self, pending: "PendingDigests", canvas: Pixels) -> TileDigests:
        """Return the row of a frame whose pixels are on the canvas."""
        for place in pending.places:
            self._known[self._cell(place)] = True
        patches = self._patches.digests(pending.frame, pending.tiles, canvas)
        if patches:
            self._left -= len(patches) + FIELD_BYTES
        return TileDigests(now=self._digests(pending.places, canvas), before=pending.before, patches=patches)

    def _affords(self, size: int, t_ns: int) -> bool:
        if self._t_ns is not None:
            grown = self._left + (t_ns - self._t_ns) * BYTES_PER_S / NS_PER_S
            self._left = min(float(BURST_BYTES), grown)
        self._t_ns = t_ns
        if size > self._left:
            return False
        self._left -= size
        return True

    def _cell(self, place: Place) -> tuple[int, int]:
        return (place[1] - self._monitor.y) // BAND, (place[0] - self._monitor.x) // TILE

    def _digests(self, places: Sequence[Place], canvas: Pixels) -> str:
        words = canvas.view(np.uint32)[:, :, 0]
        left, top = self._monitor.x, self._monitor.y
        return pack(
            [self._digest(words[y - top : y - top + BAND, x - left : x - left + TILE], x, y) for x, y in places]
        )

    def _digest(self, tile: np.ndarray[tuple[int, int], np.dtype[np.uint32]], x: int, y: int) -> bytes:
        height, width = tile.shape
        whole = (height, width) == self._buffer.shape  # not at the right and lower edge
        colours = np.bitwise_and(tile, COLOUR, out=self._buffer) if whole else tile & COLOUR
        content = xxhash.xxh3_128_digest(colours.data)
        place = x.to_bytes(4, "little", signed=True) + y.to_bytes(4, "little", signed=True)
        return hashlib.blake2b(content + place, key=self._key, digest_size=DIGEST_BYTES).digest()


class PendingDigests:
    """A frame, which tiles of it have digests, and the digests of what stood there before it."""

    __slots__ = ("before", "frame", "places", "tiles")

    def __init__(self, frame: Frame, tiles: Tiles, places: list[Place], before: str) -> None:
        """Take the frame, where it changed, its tiles, and their packed digests or nothing."""
        self.frame = frame
        self.tiles = tiles
        self.places = places
        self.before = before
