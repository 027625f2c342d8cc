"""Knows windows of many small equal controls (keyboards on the screen, PIN pads): places in them tell what is typed.

Such a window is told by its picture: at least `ROWS` rows of at least `COLUMNS` cells of one size, between lines. The
pointer's places there are left out, and what was painted there counts for the whole window. What cannot be looked at
counts as such a window. Used by the capture thread alone; nothing of a picture is kept.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

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

AGAIN_NS = NS_PER_S
"""A window in which the pointer moves is looked at so often; at each press in any case."""

STAYS_NS = 60 * NS_PER_S
"""How long a window is one after its picture said so last."""

GONE_NS = NS_PER_S
"""How long the place of one that closed stays closed: it may have closed with the last key."""

_EDGE = 6
_LINE = 0.8
_ROW_LINE = 0.25
_GLYPH = 0.6
_ALIKE = 0.12

Luma = NDArray[np.uint8]


def is_key_grid(picture: Pixels) -> bool:
    """Tell whether a picture (shape h, w, channels) shows rows of many small cells of one size."""
    luma = np.ascontiguousarray(picture[..., 1])
    if min(luma.shape) < ROWS * LEAST_PX:
        return False
    strength = _differs(luma[1:], luma[:-1]).mean(axis=1)
    tops = _lines(strength >= _ROW_LINE)
    rows: dict[int, tuple[int, int]] = {}
    for place, top in enumerate(tops):
        for bottom in tops[place + 1 :]:
            height = bottom - top
            if height > MOST_PX:
                break
            outer = min(strength[top], strength[bottom])
            inner = slice(top + 1 + height // 5, bottom - height // 5)  # without round corners
            if height < LEAST_PX or strength[inner].max() > _GLYPH * outer:
                continue  # too low for a key, or more than one row
            row = luma[inner]
            width = _cell_width(_lines(_differs(row[:, 1:], row[:, :-1]).mean(axis=0) >= _LINE))
            if width and width <= WIDEST * height:
                rows.setdefault(top, (height, width))
    return any(_rows_alike(rows, size) >= ROWS for size in rows.values())


def _differs(first: Luma, second: Luma) -> NDArray[np.bool_]:
    differs: NDArray[np.bool_] = np.maximum(first, second) - np.minimum(first, second) > _EDGE
    return differs


def _lines(is_line: NDArray[np.bool_]) -> list[int]:
    """Return where lines are; neighbours are one."""
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


class KeyGrids:
    """Which windows are such, for as long as they are there."""

    def __init__(self, look: Callable[[Box], Pixels | None]) -> None:
        """Look at windows with `look`, which returns what a part of the desktop shows; None where it cannot be read."""
        self._look = look
        self._grids: dict[int, tuple[Box, int]] = {}
        self._looked: dict[int, int] = {}

    def without_places(self, events: Sequence[InputEvent], scene: Scene, now_ns: int) -> list[InputEvent]:
        """Return the events; those in such a window, or where one was just now, without their place."""
        present = {window.client: window.box for window in scene.windows}
        self._looked = {client: at_ns for client, at_ns in self._looked.items() if client in present}
        for client, (box, end_ns) in tuple(self._grids.items()):
            left_ns = end_ns if client in present else min(end_ns, now_ns + GONE_NS)
            self._grids[client] = present.get(client, box), left_ns
            if left_ns <= now_ns:
                del self._grids[client]
        gone = [box for client, (box, _) in self._grids.items() if client not in present]
        return [self._without_place(event, scene, gone, now_ns) for event in events]

    def _without_place(self, event: InputEvent, scene: Scene, gone: Sequence[Box], now_ns: int) -> InputEvent:
        if event.x is None or event.y is None or event.own:
            return event
        window = next((found for found in reversed(scene.windows) if contains((found.box,), event.x, event.y)), None)
        hides = contains(gone, event.x, event.y) or (window is not None and self._is_grid(window, event, now_ns))
        return replace(event, x=None, y=None) if hides else event

    def _is_grid(self, window: DesktopWindow, event: InputEvent, now_ns: int) -> bool:
        client = window.client
        is_press = event.kind is EventKind.BUTTON_DOWN
        if client not in self._grids and (is_press or now_ns - self._looked.get(client, -AGAIN_NS) >= AGAIN_NS):
            self._looked[client] = now_ns
            picture = self._look(_around(window.box, event.x or 0, event.y or 0))
            if picture is None:
                return True
            if is_key_grid(picture):
                self._grids[client] = window.box, now_ns + STAYS_NS
        return client in self._grids

    def coarse(self, records: Sequence[Record]) -> list[Record]:
        """Return records without what tells which control of such a window was used: what changed is all of it.

        No digest tells which part that was, and acts on its controls are left out.
        """
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
