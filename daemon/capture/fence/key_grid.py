"""Knows windows of many small equal controls (keyboards on the screen, PIN pads): places in them tell what is typed.

Such a window is told by its picture: at least `ROWS` rows of at least `COLUMNS` cells of one size, between lines, or as
many signs or shapes as far apart on a plain ground. The
pointer's places there are left out, and what was painted there counts for the whole window. What cannot be looked at
counts as such a window. Used by the capture thread alone; nothing of a picture is kept.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from daemon.capture.diff import Pixels
from daemon.capture.scene import DesktopWindow, Scene, contains, intersection
from storage.clock import NS_PER_S
from storage.records import Box, ControlAct, EventKind, Frame, InputEvent, Record, TileDigests

ROWS, COLUMNS = 3, 3
LEAST_PX, MOST_PX = 20, 200
"""Height and width of a cell; a line of text or of a table is lower."""

WIDEST = 3.2
"""How many times as wide as high a cell may be; those of a sheet are wider."""

AREA = 640, 480
"""What is looked at around the pointer."""

AGAIN_NS, LATER_NS, BESIDE_NS = 2 * NS_PER_S, 10 * NS_PER_S, NS_PER_S // 4
"""How often a window in which the pointer moves is looked at: if as much of it was painted as a keyboard needs, if not,
and if the pointer is where it was not looked at. At each press it is in any case."""

LEAST_PAINTED_PX = ROWS * COLUMNS * LEAST_PX**2

STAYS_NS = 60 * NS_PER_S
"""How long a window is one after its picture said so last."""

GONE_NS = NS_PER_S
"""How long the place of one that closed stays closed: it may have closed with the last key."""

_EDGE = 6
_LINE = 0.8
_ROW_LINE = 0.25
_GLYPH = 0.6
_ALIKE = 0.12
_UNEVEN = 4

Luma = NDArray[np.uint8]
_Signs = list[tuple[int, int]]


def is_key_grid(picture: Pixels) -> bool:
    """Tell whether a picture (shape h, w, channels) shows rows of many small cells of one size."""
    if min(picture.shape[:2]) < ROWS * LEAST_PX:
        return False
    half = np.ascontiguousarray(picture[:, ::2, 1])  # enough for lines from side to side, at half the cost
    strength = _differs(half[1:], half[:-1]).sum(axis=1, dtype=np.uint16) / half.shape[1]
    tops = _lines(strength >= _ROW_LINE)
    bands = _bands(strength, tops)
    luma = np.ascontiguousarray(picture[..., 1])
    if _has_rows_of_shapes(luma):
        return True
    if len({top for top, *_ in bands}) < ROWS:
        return False
    across = _differs(luma[:, 1:], luma[:, :-1]).view(np.uint8)
    edges = sorted({edge for *_, begin, end in bands for edge in (begin, end)})
    parts = (across[above:below].sum(axis=0, dtype=np.uint16) for above, below in pairwise(edges))
    nothing = np.zeros(across.shape[1], np.uint16)
    differing = dict(zip(edges, accumulate(parts, initial=nothing), strict=True))
    rows: dict[int, tuple[int, int]] = {}
    for top, height, begin, end in bands:
        width = _cell_width(_lines(differing[end] - differing[begin] >= _LINE * (end - begin)))
        if width and width <= WIDEST * height:
            rows.setdefault(top, (height, width))
    return any(_rows_alike(rows, size) >= ROWS for size in rows.values())


def _has_rows_of_shapes(luma: Luma) -> bool:
    """Tell whether rows of signs or shapes stand as far apart as keys do, without lines between them."""
    ground = np.bincount(luma[::4, ::4].ravel(), minlength=256).argmax()
    mask = _differs(luma, np.full_like(luma, ground))
    painted = mask.sum(axis=1, dtype=np.uint16)
    least = int(painted.min()) + 1
    rows = [(top, end, keys) for top, end in _runs(painted > least, 3) if (keys := _signs(mask[top:end]))]
    for (top, end, keys), (second, _, others), (third, third_end, last) in zip(rows, rows[1:], rows[2:], strict=False):
        pitch = second - top
        is_even = abs(third - second - pitch) <= _UNEVEN and abs(third_end - third - end + top) <= _UNEVEN + pitch // 8
        if is_even and 2 * LEAST_PX <= pitch <= MOST_PX and _are_alike(keys, others, last, WIDEST * pitch):
            return True
    return False


def _are_alike(first: _Signs, second: _Signs, third: _Signs, widest: float) -> bool:
    """Tell whether three rows have signs below each other, or are long ones of the same gap, as letters' are."""
    for place, gap in first:
        near = [[at for at, other in row if abs(gap - other) <= _UNEVEN] for row in (first, second, third)]
        is_below = all(any(abs(place - at) <= _UNEVEN for at in row) for row in near)
        if gap <= widest and (is_below or min(map(len, near)) > COLUMNS):
            return True
    return False


def _signs(row: NDArray[np.bool_]) -> _Signs:
    """Return where `COLUMNS` signs of a row begin that are as far apart as keys, and how far that is."""
    runs = _runs(row.max(axis=0), 8) if len(row) >= LEAST_PX // 2 else []
    centres = [(begin + end) // 2 for begin, end in runs if end - begin > _UNEVEN]
    found = (
        (place, after - place, last - after)
        for place, after, last in zip(centres, centres[1:], centres[2:], strict=False)
    )
    return [
        (place, gap) for place, gap, other in found if abs(gap - other) <= _UNEVEN and 2 * LEAST_PX <= gap <= MOST_PX
    ]


def _runs(holds: NDArray[np.bool_], joined: int) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(holds, prepend=False, append=False)).tolist()
    found: list[tuple[int, int]] = []
    for begin, end in zip(edges[::2], edges[1::2], strict=True):
        found.append((found.pop()[0] if found and begin - found[-1][1] < joined else begin, end))
    return found


def _bands(strength: NDArray[np.float64], tops: Sequence[int]) -> list[tuple[int, int, int, int]]:
    """Return where a row of keys may lie: top, height, and between what it is without its lines and round corners.

    That is between two lines as far apart as that, where nothing between them is as strong. All pairs are compared at
    once, since a picture full of lines has ten thousand of them.
    """
    lines = np.array(tops, np.intp)
    heights = lines[None, :] - lines[:, None]
    above, below = np.nonzero((heights >= LEAST_PX) & (heights <= MOST_PX))
    top, bottom = lines[above], lines[below]
    corner = (bottom - top) // 5
    begin, end = top + 1 + corner, bottom - corner
    level = np.log2(end - begin).astype(np.intp)
    is_band = np.zeros(len(top), bool)
    strongest, length = strength, 1  # of each place and the next ones, `length` in all
    for number in range(level.max(initial=-1) + 1):
        these = np.flatnonzero(level == number)
        inner = np.maximum(strongest[begin[these]], strongest[end[these] - length])
        is_band[these] = inner <= _GLYPH * np.minimum(strength[top[these]], strength[bottom[these]])
        strongest, length = np.maximum(strongest[:-length], strongest[length:]), 2 * length
    found = np.stack((top, bottom - top, begin, end), axis=1)[is_band].tolist()
    return [(top, height, begin, end) for top, height, begin, end in found]


def _differs(first: Luma, second: Luma) -> NDArray[np.bool_]:
    differs: NDArray[np.bool_] = np.maximum(first, second) - np.minimum(first, second) > _EDGE
    return differs


def _lines(is_line: NDArray[np.bool_]) -> list[int]:
    places = np.flatnonzero(is_line).tolist()
    return [place for place, before in zip(places, [-2, *places], strict=False) if place > before + 1]


def _cell_width(lines: Sequence[int]) -> int:
    """Return the width that at least `COLUMNS` cells beside each other share; 0 if they share none."""
    widths = [after - before for before, after in pairwise(lines)]
    cells = [width for width in widths if LEAST_PX <= width <= MOST_PX]
    for width in cells:
        if sum(abs(width - other) <= 1 for other in cells) >= COLUMNS:
            return width
    return 0


def _rows_alike(rows: Mapping[int, tuple[int, int]], size: tuple[int, int]) -> int:
    """Return how many rows, none over another, have cells of a size; `rows` are by their tops."""
    count, below = 0, 0
    for top, other in rows.items():
        if top >= below and all(abs(one - two) <= 1 + _ALIKE * one for one, two in zip(size, other, strict=True)):
            count, below = count + 1, top + other[0] * 9 // 10
    return count


@dataclass(slots=True)
class _Look:
    """When and where a window was looked at, and how much of it was painted since."""

    at_ns: int
    area: Box
    is_unknown: bool
    painted_px: int = 0


class KeyGrids:
    """Which windows are such, for as long as they are there."""

    def __init__(self, look: Callable[[Box], Pixels | None]) -> None:
        """Look at windows with `look`, which returns what a part of the desktop shows; None where it cannot be read."""
        self._look = look
        self._grids: dict[int, tuple[Box, int]] = {}
        self._looked: dict[int, _Look] = {}
        self._boxes: Mapping[int, Box] = {}

    def without_places(self, events: Sequence[InputEvent], scene: Scene, now_ns: int) -> list[InputEvent]:
        """Return the events; those in such a window, or where one was just now, without their place."""
        self._boxes = present = {window.client: window.box for window in scene.windows}
        self._looked = {client: look for client, look in self._looked.items() if client in present}
        for client, (box, end_ns) in tuple(self._grids.items()):
            left_ns = end_ns if client in present else min(end_ns, now_ns + GONE_NS)
            self._grids[client] = present.get(client, box), left_ns
            if left_ns <= now_ns:
                del self._grids[client]
        gone = [box for client, (box, _) in self._grids.items() if client not in present]
        windows = [_window_at(event, scene) for event in events]
        found = [(event, window) for event, window in zip(events, windows, strict=True) if window is not None]
        for event, window in sorted(found, key=lambda pair: pair[0].kind is not EventKind.BUTTON_DOWN):
            self._look_at(event, window, now_ns)  # presses first, before any way that led there
        return [
            replace(event, x=None, y=None) if self._hides(event, window, gone) else event
            for event, window in zip(events, windows, strict=True)
        ]

    def _hides(self, event: InputEvent, window: DesktopWindow | None, gone: Sequence[Box]) -> bool:
        if event.x is None or event.y is None or event.own:
            return False
        if window is not None and (window.client in self._grids or self._looked[window.client].is_unknown):
            return True
        return contains(gone, event.x, event.y)

    def _look_at(self, event: InputEvent, window: DesktopWindow, now_ns: int) -> None:
        client, area = window.client, _around(window.box, event.x or 0, event.y or 0)
        before = self._looked.get(client)
        if client in self._grids or (before is not None and not _must_look(before, event, area, now_ns)):
            return
        picture = self._look(area)
        self._looked[client] = _Look(now_ns, area, is_unknown=picture is None)
        if picture is not None and is_key_grid(picture):
            self._grids[client] = window.box, now_ns + STAYS_NS

    def _note_painted(self, changed: Sequence[Box]) -> None:
        for client, look in self._looked.items():
            parts = [intersection(box, self._boxes[client]) for box in changed]
            look.painted_px += sum(part.w * part.h for part in parts if part is not None)

    def coarse(self, records: Sequence[Record]) -> list[Record]:
        """Return records without what tells which control of such a window was used: what changed is all of it.

        No digest tells which part that was, and acts on its controls are left out.
        """
        for record in records:
            if isinstance(record, Frame):
                self._note_painted(record.changed)
        boxes = [box for box, _ in self._grids.values()]
        found: list[Record] = []
        is_coarse = False
        for record in records if boxes else ():
            if isinstance(record, Frame):
                changed = tuple(dict.fromkeys(_widened(box, boxes) for box in record.changed))
                is_coarse = changed != record.changed
                digest = hashlib.sha256(f"{record.digest} {record.t_ns}".encode()).hexdigest()[: len(record.digest)]
                found.append(replace(record, changed=changed, digest=digest) if is_coarse else record)
            elif isinstance(record, ControlAct):
                found += [record] if record.box is not None and not _overlaps(record.box, boxes) else []
            elif not (isinstance(record, TileDigests) and is_coarse):
                found.append(record)
        return found if boxes else list(records)


def _must_look(before: _Look, event: InputEvent, area: Box, now_ns: int) -> bool:
    if event.kind is EventKind.BUTTON_DOWN or before.is_unknown:
        return (before.at_ns, before.area) != (now_ns, area)
    again_ns = AGAIN_NS if before.painted_px >= LEAST_PAINTED_PX else LATER_NS
    if not contains((before.area,), event.x or 0, event.y or 0):
        again_ns = BESIDE_NS  # nobody has looked there yet
    return event.kind is EventKind.MOTION and now_ns - before.at_ns >= again_ns


def _window_at(event: InputEvent, scene: Scene) -> DesktopWindow | None:
    if event.x is None or event.y is None or event.own:
        return None
    return next((found for found in reversed(scene.windows) if contains((found.box,), event.x, event.y)), None)


def _around(window: Box, x: int, y: int) -> Box:
    """Return what is looked at around a point in a window: all of it, or as much as `AREA` inside of it."""
    width, height = min(AREA[0], window.w), min(AREA[1], window.h)
    left = min(max(x - width // 2, window.x), window.x + window.w - width)
    top = min(max(y - height // 2, window.y), window.y + window.h - height)
    return Box(left, top, width, height)


def _widened(box: Box, grids: Sequence[Box]) -> Box:
    return next((grid for grid in grids if intersection(box, grid) is not None), box)


def _overlaps(box: Box, grids: Sequence[Box]) -> bool:
    return any(intersection(box, grid) is not None for grid in grids)
