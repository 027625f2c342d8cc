"""Colours by which windows are found again in pictures, after a lossy codec too.

What is excluded has the most saturated colours there are, corners and edges of the RGB cube. Everything else lies well
inside of it, so that no blur of ordinary colours comes near an excluded one. Seen through half-transparent black an
excluded colour is half as bright, and still found.
"""

from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.uint8]

NOTHING = 0
"""The label of every colour that is no window's."""

FIRST_ORDINARY = 100
"""Labels from here on are ordinary windows', lower ones excluded windows'."""

DIM = 50
"""Added to the label of an excluded colour where it is half as bright. Icons have such colours, too."""

COVERED = 250
"""The label of what the fence fills covered parts with (`daemon.capture.screen.FILL`)."""

EXCLUDED_COLOURS = (
    *(0xFF00FF, 0xFF0000, 0x00FF00, 0xFFFF00, 0x00FFFF, 0x0000FF),
    *(0xFF0080, 0xFF8000, 0x80FF00, 0x8000FF, 0x00FF80),
)

_LEVELS = (70, 125, 180)
_UNSUITABLE = (
    (70, 70, 125),  # the background of the desktop
    *((70, 125, 125), (70, 125, 180), (125, 125, 180), (125, 180, 180)),  # title bars of Openbox
    (180, 125, 70),  # black letters on it have edges like an excluded colour half as bright
)
"""Colours that are on the screen elsewhere: a title bar must not count as a window that can be seen."""

ORDINARY_COLOURS = tuple(
    red << 16 | green << 8 | blue
    for red, green, blue in product(_LEVELS, repeat=3)
    if not red == green == blue and (red, green, blue) not in _UNSUITABLE
)

_WIDE = 44
_NARROW = 24
_SLIGHT = 8
_FILL = 0x404040
_BITS = 5


def excluded_label(index: int) -> int:
    """Return the label of the excluded colour with this index."""
    return 1 + index


def ordinary_label(index: int) -> int:
    """Return the label of the ordinary colour with this index."""
    return FIRST_ORDINARY + index


def labels(rgb: NDArray[np.uint8]) -> Labels:
    """Return the label of each pixel; the last axis of `rgb` is red, green, blue."""
    shift = 8 - _BITS
    red, green, blue = (rgb[..., channel].astype(np.uint16) >> shift for channel in range(3))
    found: Labels = _table()[(red << 2 * _BITS) | (green << _BITS) | blue]
    return found


@cache
def _table() -> Labels:
    """Return the label of each colour, cut to five bits a channel."""
    step = 1 << (8 - _BITS)
    axis = np.arange(0, 256, step, dtype=np.int16) + step // 2
    cells = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    table = np.zeros(len(cells), np.uint8)
    distance = np.full(len(cells), 256, np.int16)
    wanted = [(colour, ordinary_label(index), _NARROW) for index, colour in enumerate(ORDINARY_COLOURS)]
    wanted.append((_FILL, COVERED, _SLIGHT))
    for index, colour in enumerate(EXCLUDED_COLOURS):
        wanted.append((colour, excluded_label(index), _WIDE))
        wanted.append(((colour >> 1) & 0x7F7F7F, excluded_label(index) + DIM, _NARROW))
    for colour, label, reach in wanted:
        away = np.abs(cells - np.array(channels(colour), np.int16)).max(axis=1)
        nearest = (away <= reach) & (away < distance)
        table[nearest], distance[nearest] = label, away[nearest]
    return table


def channels(colour: int) -> tuple[int, int, int]:
    """Return red, green and blue."""
    return colour >> 16 & 255, colour >> 8 & 255, colour & 255
