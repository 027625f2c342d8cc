"""Parts of the screen as rectangles: what is left of one under others, and what lies in which."""

from collections.abc import Iterable

from daemon.capture.scene import intersection
from storage.records import Box

MAX_PARTS = 256


def remainder(box: Box, above: Iterable[Box]) -> list[Box]:
    """Return the parts of `box` not hidden by any box of `above`; the whole box where there are too many parts."""
    pieces = [box] if box.w > 0 and box.h > 0 else []
    for cover in above:
        pieces = [part for piece in pieces for part in _without(piece, cover)]
        if len(pieces) > MAX_PARTS:
            return [box]
    return pieces


def contains(boxes: Iterable[Box], x: int, y: int) -> bool:
    """Return whether a point lies in any of the boxes."""
    return any(box.x <= x < box.x + box.w and box.y <= y < box.y + box.h for box in boxes)


def around(boxes: Iterable[Box]) -> Box:
    """Return the smallest rectangle that holds all of these, of which there is at least one."""
    left, top, right, bottom = zip(*((box.x, box.y, box.x + box.w, box.y + box.h) for box in boxes), strict=True)
    return Box(min(left), min(top), max(right) - min(left), max(bottom) - min(top))


def _without(piece: Box, cover: Box) -> list[Box]:
    shared = intersection(piece, cover)
    if shared is None:
        return [piece]
    right, bottom = piece.x + piece.w, piece.y + piece.h
    shared_right, shared_bottom = shared.x + shared.w, shared.y + shared.h
    parts = (
        Box(piece.x, piece.y, piece.w, shared.y - piece.y),
        Box(piece.x, shared_bottom, piece.w, bottom - shared_bottom),
        Box(piece.x, shared.y, shared.x - piece.x, shared.h),
        Box(shared_right, shared.y, right - shared_right, shared.h),
    )
    return [part for part in parts if part.w > 0 and part.h > 0]
