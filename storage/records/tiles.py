"""Which tiles of a frame have a digest, and how digests are packed: shared by who writes and who reads them.

The tiles follow from the frame alone, so a row holds no places. Where many tiles changed only some have a digest, by
their place on the screen: the same picture that comes back gives the same tiles, and fewer of them are always some of
the more.
"""

import struct
from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Iterable

from storage.records.desktop import Frame

TILE = 64
BAND = 32
"""Width and height of a tile in pixels."""

MAX_TILES = 40
"""Most tiles of a frame that have a digest."""

MAX_BANDS = 16_384
MAX_WIDTH = 1 << 20
MAX_CLOSED = 256
"""A frame with more bands of tiles, wider or with more closed boxes is none that was captured, and has no digests."""

MAX_PATCHES = 64
"""Most patches of a frame that have a digest."""

DIGEST_BYTES = 2
_SHEAR = 5  # columns that the pattern moves from band to band, so that it shows no lines

Place = tuple[int, int]
"""Left and top of a tile, in pixels of the desktop."""


def digested_tiles(frame: Frame) -> list[Place]:
    """Return the tiles of a frame that have a digest, in their order: none that touches a covered window or ours."""
    closed = (*frame.covered, *frame.own)
    bands = count = widest = 0
    for _, _, w, h in frame.changed:
        high = max(0, -(-h // BAND))
        bands += high
        count += high * max(0, -(-w // TILE))
        widest = max(widest, w)
    if bands > MAX_BANDS or len(closed) > MAX_CLOSED or widest > MAX_WIDTH:
        return []
    stride = 1
    while count > MAX_TILES * stride:
        stride *= 2
    tiles = [
        (left, top)
        for x, y, w, h in frame.changed
        for top in range(y, y + h, BAND)
        for left in range(x + -(x // TILE + _SHEAR * (top // BAND)) % stride * TILE, x + w, stride * TILE)
    ]
    for x, y, w, h in closed:
        tiles = [(left, top) for left, top in tiles if not (x - TILE < left < x + w and y - BAND < top < y + h)]
    return tiles[:MAX_TILES]


def pack(digests: Iterable[bytes]) -> str:
    """Return digests of `DIGEST_BYTES` bytes each as base64 without padding."""
    return b64encode(b"".join(digests)).rstrip(b"=").decode()


def unpack(packed: str, count: int) -> list[int] | None:
    """Return `count` digests as numbers; None if the text does not hold exactly so many: a row may be foreign."""
    if len(packed) != -(-4 * DIGEST_BYTES * count // 3):
        return None
    try:
        raw = b64decode(packed + "=" * (-len(packed) % 4), validate=True)
    except (Error, ValueError):
        return None
    if len(raw) != count * DIGEST_BYTES:
        return None
    return list(struct.unpack(f">{count}H", raw))


def unpack_patches(packed: str) -> frozenset[int]:
    """Return the digests of patches as numbers; none if the text is no list of them, or too long: it may be foreign."""
    count = len(packed) * 3 // 4 // DIGEST_BYTES
    return frozenset(unpack(packed, count) or ()) if count <= MAX_PATCHES else frozenset()
