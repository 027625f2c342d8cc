"""The redacted picture of a monitor: grabs what was painted, covers what is excluded, and finds what changed.

Excluded rectangles are filled before anything else reads the pixels; our own windows keep the pixels that were there
before them, so that nothing ever changes under them. Used by the capture thread alone.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daemon.capture.diff import BAND, TILE, FrameDigest, Pixels, Tiles, mark_changed, merge_tiles
from daemon.capture.fence.rules import Zones
from daemon.capture.scene import Monitor, around, intersection, remainder
from daemon.capture.tile_digests import TileDigester
from storage.clock import NS_PER_S
from storage.records import Box, Frame, TileDigests

FILL = 64
"""What covered pixels are set to, in every channel: a dark grey."""

WHOLE_NS = 60 * NS_PER_S
"""A whole grab this often while things are painted, in case a driver did not report all it painted."""

GRAB_PIXELS = 80_000
"""Fixed cost of a grab, in pixels grabbed and compared: a quarter of a millisecond; measured."""

_MAX_GRABS = 3

LEARN = 4
"""A tile is periodic after this many changes in a row."""

MAX_PERIODIC_TILES = 24
FORGET_NS = 10 * NS_PER_S
"""A tile that did not change for this long is not periodic any more."""

REFRESH_NS = 30 * NS_PER_S
"""Periodic changes are let through this often."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RawGrab:
    """Parts of the monitor, in its coordinates, not yet redacted, and boxes that were painted and not grabbed."""

    t_ns: int
    parts: tuple[tuple[Box, Pixels], ...]
    painted: tuple[Box, ...] = ()


class PeriodicChangeFilter:
    """Finds small changes that repeat without input: a blinking caret, a clock.

    They are not lost: what is held back stays a difference, and appears with the next frame that shows anything else,
    or after `REFRESH_NS`. Input resets what was learned: a change after it may be an answer.
    """

    def __init__(self) -> None:
        self._counts: NDArray[np.uint8] = np.zeros((0, 0), np.uint8)
        self._changed_ns: NDArray[np.int64] = np.zeros((0, 0), np.int64)
        self._passed_ns = 0

    def holds_back(self, tiles: Tiles, now_ns: int, *, input_active: bool) -> bool:
        """Take in which tiles changed; return whether all of them are periodic, at most `MAX_PERIODIC_TILES`."""
        if input_active:
            self._counts, self._passed_ns = self._counts[:0], now_ns
            return False
        if self._counts.shape != tiles.shape:
            self._counts = np.zeros(tiles.shape, np.uint8)
            self._changed_ns = np.full(tiles.shape, now_ns, np.int64)
        few = bool(np.count_nonzero(tiles) <= MAX_PERIODIC_TILES)
        counts = np.where(now_ns - self._changed_ns[tiles] > FORGET_NS, 0, self._counts[tiles])
        periodic = few and bool((counts >= LEARN).all())
        if few:
            self._counts[tiles] = np.minimum(counts + 1, LEARN)
        self._changed_ns[tiles] = now_ns
        hold = periodic and now_ns - self._passed_ns < REFRESH_NS
        if not hold:
            self._passed_ns = now_ns
        return hold


class RedactedScreen:
    """One monitor's redacted picture."""

    def __init__(self, grab: Callable[[Box], Pixels], monitor: Monitor, key: bytes) -> None:
        """Grab `monitor` with `grab`; the first frame is a whole one, digests use `key`."""
        self.monitor = monitor
        self._grab_box = grab
        self._digest = FrameDigest(key)
        self._tile_digester = TileDigester(key, monitor.box)
        self._tile_digests: TileDigests | None = None
        self.canvas: Pixels = np.full((monitor.box.h, monitor.box.w, 4), FILL, np.uint8)
        """The redacted picture; the next `redact` changes it."""
        self._digest.begin(self.canvas)
        self._periodic = PeriodicChangeFilter()
        self._zones = Zones()
        self._stale: list[Box] = [monitor.box]
        self._unseen: tuple[Box, ...] = ()
        self._fresh = True
        self._whole_ns = 0

    def grab(self, damage: Iterable[Box], zones: Zones, now_ns: int) -> RawGrab:
        """Grab what was painted or uncovered and is not closed now; a grab without parts must be redacted too.

        Its pixels are there once the desktop was synced.
        """
        damage = list(damage)
        painted = [shared for box in damage for veil in zones.veiled if (shared := intersection(box, veil)) is not None]
        wanted = [*damage, *self._stale, *(self._zones.hidden - zones.hidden), *(self._zones.own - zones.own)]
        if wanted and now_ns - self._whole_ns >= WHOLE_NS:
            wanted, self._whole_ns = [self.monitor.box], now_ns
        closed = [*zones.hidden, *zones.own]
        self._stale = []
        open_parts = [part for box in wanted for part in remainder(self._clip(box), closed)]
        areas = clustered(open_parts, self.monitor.box)
        parts = tuple((area, self._grab_box(self._on_desktop(area))) for area in areas)
        return RawGrab(t_ns=now_ns, parts=parts, painted=(*self._unseen, *painted))

    def redact(self, raw: RawGrab, zones: Zones, *, input_active: bool) -> Frame | None:
        """Apply the fence to a grab, whose pixels are overwritten; return the frame if anything changed.

        `zones` are all that was closed from before the grab until now; with active input no change counts as periodic.
        """
        whole = Box(0, 0, self.monitor.box.w, self.monitor.box.h)
        covered, own = self._local(zones.hidden), self._local(zones.own)
        fills = self._local(zones.hidden - self._zones.hidden)
        stood = self._digest.hashes.copy()
        tiles = np.full(stood.shape, self._fresh)
        is_taken = input_active or self._fresh or bool(fills)  # nothing is held back
        for area, pixels in raw.parts:
            for box in own:
                _copy(self.canvas, whole, pixels, area, box)
            for box in covered:
                fill(pixels, area, box)
            if is_taken:
                self._take(pixels, area, tiles, compare=True)
            else:
                mark_changed(_view(self.canvas, area), pixels, _part(tiles, area))
        for box in fills:
            area = _on_grid(box, self.monitor.box)
            filled = _view(self.canvas, area).copy()
            fill(filled, area, box)
            self._take(filled, area, tiles, compare=True)
        self._mark_painted(tiles, raw.painted, zones)
        dirty = merge_tiles(tiles, whole.w, whole.h)
        if dirty and not fills and self._periodic.holds_back(tiles, raw.t_ns, input_active=input_active):
            self._stale.extend(self._on_desktop(area) for area, _ in raw.parts)
            self._unseen = raw.painted
            return None
        if not is_taken:
            for area, pixels in raw.parts:
                self._take(pixels, area, tiles)
        fresh, self._fresh, self._unseen, self._zones = self._fresh, False, (), zones
        if not dirty:
            return None
        frame = Frame(
            t_ns=raw.t_ns,
            monitor=self.monitor.name,
            size=(self.monitor.box.w, self.monitor.box.h),
            digest=self._digest.digest(),
            changed=tuple(map(self._on_desktop, dirty)),
            own=self._visible(zones.own),
            covered=self._visible(zones.hidden),
        )
        self._tile_digests = self._tile_digester.digests(
            frame, tiles, self.canvas, None if fresh else stood, self._digest.hashes
        )
        return frame

    def _take(self, pixels: Pixels, area: Box, tiles: Tiles, *, compare: bool = False) -> None:
        """Take marked tiles of an area onto the canvas, or those that differ as well."""
        hashes = _part(self._digest.hashes, area)
        self._digest.take(pixels, _part(tiles, area), _view(self.canvas, area), hashes, compare=compare)

    def take_tile_digests(self) -> TileDigests | None:
        """Return the digests of the newest frame's tiles, once; None where it has none."""
        taken, self._tile_digests = self._tile_digests, None
        return taken

    @property
    def is_stale(self) -> bool:
        """Whether parts of the picture are known to be older than what was grabbed last."""
        return bool(self._stale)

    def invalidate(self) -> None:
        """Grab all of the monitor the next time: a grab was discarded."""
        self._stale, self._unseen = [self.monitor.box], ()

    def _mark_painted(self, tiles: Tiles, painted: Iterable[Box], zones: Zones) -> None:
        """Mark where something was painted in windows whose pixels are covered and whose changes count.

        The pixels themselves are not read, so a mark says that a window painted there, not that it looks different.
        """
        closed = [*zones.covered, *zones.own]
        for box in painted:
            for part in remainder(self._clip(box), closed):
                _part(tiles, _on_grid(_moved(part, self.monitor.box), self.monitor.box))[...] = True

    def _clip(self, box: Box) -> Box:
        return intersection(box, self.monitor.box) or Box(0, 0, 0, 0)

    def _visible(self, boxes: Iterable[Box]) -> tuple[Box, ...]:
        return tuple(sorted(box for box in map(self._clip, boxes) if box.w))

    def _local(self, boxes: Iterable[Box]) -> list[Box]:
        return [_moved(box, self.monitor.box) for box in map(self._clip, boxes) if box.w]

    def _on_desktop(self, box: Box) -> Box:
        return Box(box.x + self.monitor.box.x, box.y + self.monitor.box.y, box.w, box.h)


def clustered(parts: Iterable[Box], monitor: Box) -> list[Box]:
    """Return at most `_MAX_GRABS` rectangles of the tile grid that hold all parts, in the monitor's coordinates."""
    areas: list[Box] = []
    for box in sorted((_on_grid(_moved(box, monitor), monitor) for box in parts), key=lambda box: box.y):
        if areas and (box.y <= areas[-1].y + areas[-1].h or _is_cheaper(areas[-1], box)):
            areas[-1] = around((areas[-1], box))
        else:
            areas.append(box)
    while len(areas) > _MAX_GRABS:
        gaps = [below.y - above.y - above.h for above, below in pairwise(areas)]
        nearest = gaps.index(min(gaps))
        areas[nearest : nearest + 2] = [around(areas[nearest : nearest + 2])]
    return areas


def _is_cheaper(above: Box, below: Box) -> bool:
    """Return whether one grab of both costs less than two."""
    both = around((above, below))
    return both.w * both.h - above.w * above.h - below.w * below.h < GRAB_PIXELS


def _moved(box: Box, monitor: Box) -> Box:
    return Box(box.x - monitor.x, box.y - monitor.y, box.w, box.h)


def _on_grid(box: Box, monitor: Box) -> Box:
    x, y = box.x - box.x % TILE, box.y - box.y % BAND
    right = min(-(-(box.x + box.w) // TILE) * TILE, monitor.w)
    bottom = min(-(-(box.y + box.h) // BAND) * BAND, monitor.h)
    return Box(x, y, right - x, bottom - y)


def _view(pixels: Pixels, box: Box) -> Pixels:
    return pixels[box.y : box.y + box.h, box.x : box.x + box.w]


def _part(grid: NDArray[Any], area: Box) -> NDArray[Any]:
    """Return what a grid of tiles holds of an area of it."""
    return grid[area.y // BAND : -(-(area.y + area.h) // BAND), area.x // TILE : -(-(area.x + area.w) // TILE)]


def fill(pixels: Pixels, area: Box, box: Box) -> None:
    """Cover what lies in `box` in a picture of `area`."""
    shared = intersection(area, box)
    if shared is not None:
        _view(pixels, Box(shared.x - area.x, shared.y - area.y, shared.w, shared.h))[...] = FILL


def _copy(source: Pixels, source_area: Box, target: Pixels, target_area: Box, box: Box) -> None:
    """Copy what lies in `box` from a picture of one area to a picture of another."""
    both = intersection(source_area, target_area)
    shared = intersection(both, box) if both is not None else None
    if shared is not None:
        x, y, width, height = shared
        pixels = _view(source, Box(x - source_area.x, y - source_area.y, width, height))
        _view(target, Box(x - target_area.x, y - target_area.y, width, height))[...] = pixels
