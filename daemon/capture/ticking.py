"""Finds what only ticks: a blinking caret, a clock. Small things that change again and again without input.

They are not lost: what is held back stays a difference, and appears with the next frame that shows anything else, or
after `REFRESH_NS`. What did not change for `FORGET_NS` has stopped. Input makes it forget what it learned: what
changes then may be an answer.
"""

import numpy as np
from numpy.typing import NDArray

from daemon.capture.diff import Tiles
from storage.clock import NS_PER_S

LEARN = 4
MAX_TILES = 24
FORGET_NS = 10 * NS_PER_S
REFRESH_NS = 30 * NS_PER_S


class Ticking:
    """Counts, for each tile, how often it was among the few that changed."""

    def __init__(self) -> None:
        """Know nothing."""
        self._counts: NDArray[np.uint8] = np.zeros((0, 0), np.uint8)
        self._changed_ns: NDArray[np.int64] = np.zeros((0, 0), np.int64)
        self._told_ns = 0

    def is_all(self, tiles: Tiles, now_ns: int, *, flows: bool) -> bool:
        """Tell whether all that changed is known to tick, and take it in.

        `flows` says that input flows. At most `MAX_TILES` tiles may tick.
        """
        if flows or self._counts.shape != tiles.shape:
            self._counts = np.zeros(tiles.shape, np.uint8)
            self._changed_ns = np.full(tiles.shape, now_ns, np.int64)
        few = bool(np.count_nonzero(tiles) <= MAX_TILES)
        counts = np.where(now_ns - self._changed_ns[tiles] > FORGET_NS, 0, self._counts[tiles])
        known = few and bool((counts >= LEARN).all())
        if few and not flows:
            self._counts[tiles] = np.minimum(counts + 1, LEARN)
        self._changed_ns[tiles] = now_ns
        hold = known and now_ns - self._told_ns < REFRESH_NS
        if not hold:
            self._told_ns = now_ns
        return hold
