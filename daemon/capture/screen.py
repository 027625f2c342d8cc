"""The pixels: grabs what was painted, lays the fence over it, and finds what changed.

One picture of the monitor is kept, as it looks behind the fence; only the parts that were painted are grabbed and
compared with it. Excluded rectangles are filled before anything else reads the pixels; our own windows keep the
pixels that were there before them, so that nothing ever changes under them. Used by the capture thread alone.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from daemon.capture.backend import Monitor, intersection
from daemon.capture.diff import BAND, TILE, FrameDigest, Pixels, Tiles, changed_tiles, merged
from daemon.capture.fence.rules import Zones, remainder
from daemon.capture.ticking import Ticking
from storage.clock import NS_PER_S
from storage.errors import EnvironmentFault
from storage.records import Box, Frame

FILL = 64
"""What covered pixels are set to, in every channel: a dark grey."""

WHOLE_NS = 60 * NS_PER_S
"""A whole grab this often while things are painted, in case a driver did not report all it painted."""

GRAB_PIXELS = 80_000
"""What a grab costs by itself, in pixels grabbed and compared: a quarter of a millisecond; measured."""

_MAX_GRABS = 3


class Grabber:
    """One long-lived mss object; used by the thread that made it."""

    def __init__(self) -> None:
        """Connect.

        Raises:
            EnvironmentFault: the screen cannot be read.
        """
        import mss
        from mss.exception import ScreenShotError

        self._faults: tuple[type[Exception], ...] = (ScreenShotError,)
        try:
            self._mss = mss.MSS()
        except self._faults as fault:
            raise _unreadable() from fault

    def grab(self, box: Box) -> Pixels:
        """Return a fresh picture of a rectangle of the desktop, of shape (h, w, 4), BGRA with padding for A.

        Raises:
            EnvironmentFault: it cannot be read; after a change of resolution a new grabber is needed.
        """
        try:
            shot = self._mss.grab({"left": box.x, "top": box.y, "width": box.w, "height": box.h})
        except self._faults as fault:
            raise _unreadable() from fault
        return np.frombuffer(shot.raw, np.uint8).reshape(box.h, box.w, 4)

    def close(self) -> None:
        """Disconnect."""
        self._mss.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """What was grabbed at `t_ns`, not yet behind the fence: parts of the monitor, in its own coordinates."""

    t_ns: int
    parts: tuple[tuple[Box, Pixels], ...]


class Screen:
    """One monitor's picture behind the fence."""

    def __init__(self, grab: Callable[[Box], Pixels], monitor: Monitor, key: bytes) -> None:
        """Know nothing of the monitor yet: the first frame is a whole one."""
        self.monitor = monitor
        self._grab = grab
        self._digest = FrameDigest(key)
        self._canvas: Pixels = np.full((monitor.box.h, monitor.box.w, 4), FILL, np.uint8)
        self._grid = (-(-monitor.box.h // BAND), -(-monitor.box.w // TILE))
        self._ticking = Ticking()
        self._zones = Zones()
        self._stale: list[Box] = [monitor.box]
        self._fresh = True
        self._whole_ns = 0

    @property
    def canvas(self) -> Pixels:
        """The picture behind the fence; it changes with the next `develop`."""
        return self._canvas

    def take(self, damage: Iterable[Box], zones: Zones, now_ns: int) -> Shot:
        """Grab what was painted or uncovered and is not closed now; a shot without parts is worth developing too."""
        wanted = [*damage, *self._stale, *(self._zones.covered - zones.covered), *(self._zones.own - zones.own)]
        if wanted and now_ns - self._whole_ns >= WHOLE_NS:
            wanted, self._whole_ns = [self.monitor.box], now_ns
        closed = [*zones.covered, *zones.own]
        self._stale = []
        open_parts = [part for box in wanted for part in remainder(self._clip(box), closed)]
        areas = clustered(open_parts, self.monitor.box)
        left, top = self.monitor.box.x, self.monitor.box.y
        parts = tuple((area, self._grab(Box(area.x + left, area.y + top, area.w, area.h))) for area in areas)
        return Shot(t_ns=now_ns, parts=parts)

    def develop(self, shot: Shot, zones: Zones, *, flows: bool) -> Frame | None:
        """Lay the fence over a shot, and return the frame if anything changed that does more than tick.

        Args:
            shot: what was grabbed; its pixels are overwritten.
            zones: all that was closed at any moment from before the grab until now.
            flows: whether input flows; then nothing is taken for a mere ticking.
        """
        whole = Box(0, 0, self.monitor.box.w, self.monitor.box.h)
        covered = self._local(zones.covered)
        own = self._local(zones.own)
        fills = self._local(zones.covered - self._zones.covered)
        tiles = np.zeros(self._grid, np.bool_)
        for area, pixels in shot.parts:
            for box in own:
                _copy(self._canvas, whole, pixels, area, box)
            for box in covered:
                _fill(pixels, area, box)
            _mark(tiles, area, changed_tiles(_view(self._canvas, area), pixels))
        for box in fills:
            area = _on_grid(box, self.monitor.box)
            filled = _view(self._canvas, area).copy()
            _fill(filled, area, box)
            _mark(tiles, area, changed_tiles(_view(self._canvas, area), filled))
        left, top = self.monitor.box.x, self.monitor.box.y
        if not fills and tiles.any() and self._ticking.is_all(tiles, shot.t_ns, flows=flows):
            self._stale.extend(Box(area.x + left, area.y + top, area.w, area.h) for area, _ in shot.parts)
            return None
        boxes = merged(tiles, whole.w, whole.h)
        for box in boxes:
            for area, pixels in shot.parts:
                _copy(pixels, area, self._canvas, whole, box)
        for box in fills:
            _fill(self._canvas, whole, box)
        self._zones = zones
        fresh, self._fresh = self._fresh, False
        if not fresh and not tiles.any():
            return None
        changed = (whole,) if fresh else boxes
        return Frame(
            t_ns=shot.t_ns,
            monitor=self.monitor.name,
            size=(self.monitor.box.w, self.monitor.box.h),
            digest=self._digest.update(self._canvas, np.logical_or.reduce(tiles, axis=1) | fresh),
            changed=tuple(Box(box.x + left, box.y + top, box.w, box.h) for box in changed),
            own=tuple(sorted(self._clip(box) for box in zones.own if self._on_monitor(box))),
            covered=tuple(sorted(self._clip(box) for box in zones.covered if self._on_monitor(box))),
        )

    def forget(self) -> None:
        """Grab all of the monitor the next time: something that was grabbed was thrown away."""
        self._stale = [self.monitor.box]

    def _on_monitor(self, box: Box) -> bool:
        return intersection(box, self.monitor.box) is not None

    def _clip(self, box: Box) -> Box:
        return intersection(box, self.monitor.box) or Box(0, 0, 0, 0)

    def _local(self, boxes: Iterable[Box]) -> list[Box]:
        left, top = self.monitor.box.x, self.monitor.box.y
        clipped = (intersection(box, self.monitor.box) for box in boxes)
        return [Box(box.x - left, box.y - top, box.w, box.h) for box in clipped if box is not None]


def clustered(parts: Iterable[Box], monitor: Box) -> list[Box]:
    """Return few rectangles on the tile grid that hold all parts, in the monitor's own coordinates.

    A grab costs something by itself, so parts that lie apart in height are grabbed one by one only up to `_MAX_GRABS`.
    """
    areas: list[Box] = []
    for box in sorted((_on_grid(_moved(box, monitor), monitor) for box in parts), key=lambda box: box.y):
        if areas and (box.y <= areas[-1].y + areas[-1].h or _is_cheaper(areas[-1], box)):
            areas[-1] = _around(areas[-1], box)
        else:
            areas.append(box)
    while len(areas) > _MAX_GRABS:
        gaps = [below.y - above.y - above.h for above, below in pairwise(areas)]
        nearest = gaps.index(min(gaps))
        areas[nearest : nearest + 2] = [_around(*areas[nearest : nearest + 2])]
    return areas


def _is_cheaper(above: Box, below: Box) -> bool:
    """Tell whether one grab around both costs less than two."""
    both = _around(above, below)
    return both.w * both.h - above.w * above.h - below.w * below.h < GRAB_PIXELS


def _moved(box: Box, monitor: Box) -> Box:
    return Box(box.x - monitor.x, box.y - monitor.y, box.w, box.h)


def _around(one: Box, other: Box) -> Box:
    x, y = min(one.x, other.x), min(one.y, other.y)
    return Box(x, y, max(one.x + one.w, other.x + other.w) - x, max(one.y + one.h, other.y + other.h) - y)


def _on_grid(box: Box, monitor: Box) -> Box:
    x, y = box.x - box.x % TILE, box.y - box.y % BAND
    right = min(-(-(box.x + box.w) // TILE) * TILE, monitor.w)
    bottom = min(-(-(box.y + box.h) // BAND) * BAND, monitor.h)
    return Box(x, y, right - x, bottom - y)


def _view(pixels: Pixels, box: Box) -> Pixels:
    return pixels[box.y : box.y + box.h, box.x : box.x + box.w]


def _mark(tiles: Tiles, area: Box, found: Tiles) -> None:
    top, left = area.y // BAND, area.x // TILE
    tiles[top : top + found.shape[0], left : left + found.shape[1]] |= found


def _fill(pixels: Pixels, area: Box, box: Box) -> None:
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


def _unreadable() -> EnvironmentFault:
    return EnvironmentFault(
        "the screen cannot be read", remedy="Kairos tries again by itself", code="screen_unreadable"
    )
