"""Numbers drawn on a picture, so that a model can name a control by its number ("set of marks"). Pure but for JPEG.

A box in one of a few colours around each control, and its number on a plate of that colour, beside the box where there
is room. The number is the place of the control among the elements, from 1 on: what a model answers can be checked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from storage.records import Box, Element

MAX_MARKS = 150
"""More would cover each other."""

LEAST_SIDE = 4
"""A control that is smaller than this in the picture gets no mark."""

JPEG_QUALITY = 85
_SCALE = 2
_EDGE = 2
_COLOURS = ((200, 20, 20), (20, 90, 200), (10, 120, 40), (150, 30, 160), (150, 75, 0))
_INK = (255, 255, 255)
_DIGITS = (
    *("111101101101111", "010110010010111", "111001111100111", "111001111001111", "101101111001001"),
    *("111100111001111", "111100111101111", "111001001010010", "111101111101111", "111101111001111"),
)
"""Three by five dots each, by rows."""

Pixels = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedPicture:
    """A picture with marks, and which control each number stands for."""

    jpeg: bytes
    numbers: Mapping[int, Element]


def mark_picture(jpeg: bytes, elements: Sequence[Element], *, area: Box) -> MarkedPicture:
    """Return a picture with numbered boxes around controls.

    Args:
        jpeg: the picture.
        elements: the controls; one that is off the picture, or tiny in it, gets no mark.
        area: the rectangle of the desktop that the picture shows.

    Raises:
        ValueError: these bytes are no JPEG picture, or the area is empty.
    """
    import simplejpeg

    if area.w <= 0 or area.h <= 0:
        raise ValueError("the area of the picture is empty")
    pixels: Pixels = simplejpeg.decode_jpeg(jpeg, colorspace="RGB")
    numbers = draw_marks(pixels, elements, area=area)
    marked: bytes = simplejpeg.encode_jpeg(pixels, quality=JPEG_QUALITY, colorspace="RGB", colorsubsampling="444")
    return MarkedPicture(jpeg=marked, numbers=numbers)


def draw_marks(pixels: Pixels, elements: Sequence[Element], *, area: Box) -> dict[int, Element]:
    """Draw marks into pixels, shape (h, w, 3), RGB; return which control each number stands for."""
    height, width = pixels.shape[:2]
    numbers: dict[int, Element] = {}
    for number, element in enumerate(elements, 1):
        place = _in_picture(element.box, area, (width, height))
        if place is not None and len(numbers) < MAX_MARKS:
            numbers[number] = element
            colour = _COLOURS[number % len(_COLOURS)]
            _outline(pixels, place, colour)
            _plate(pixels, place, number, colour)
    return numbers


def _in_picture(box: Box, area: Box, size: tuple[int, int]) -> Box | None:
    """Return where a box of the desktop is in the picture, as far as it is on it."""
    across, down = size[0] / area.w, size[1] / area.h
    left, top = max(0, round((box.x - area.x) * across)), max(0, round((box.y - area.y) * down))
    right = min(size[0], round((box.x + box.w - area.x) * across))
    bottom = min(size[1], round((box.y + box.h - area.y) * down))
    if right - left < LEAST_SIDE or bottom - top < LEAST_SIDE:
        return None
    return Box(left, top, right - left, bottom - top)


def _outline(pixels: Pixels, place: Box, colour: tuple[int, int, int]) -> None:
    x, y, w, h = place
    for rows, columns in (
        (slice(y, y + 1), slice(x, x + w)),
        (slice(y + h - 1, y + h), slice(x, x + w)),
        (slice(y, y + h), slice(x, x + 1)),
        (slice(y, y + h), slice(x + w - 1, x + w)),
    ):
        pixels[rows, columns] = colour


def _plate(pixels: Pixels, place: Box, number: int, colour: tuple[int, int, int]) -> None:
    """Draw the number: right above the upper left corner, or in it at the upper edge of the picture."""
    dots = _dots(number)
    height, width = dots.shape[0] + 2 * _EDGE, dots.shape[1] + 2 * _EDGE
    x = max(0, min(place.x, pixels.shape[1] - width))
    y = place.y - height if place.y >= height else place.y
    plate = np.empty((height, width, 3), np.uint8)
    plate[:] = colour
    plate[_EDGE:-_EDGE, _EDGE:-_EDGE][dots] = _INK
    part = pixels[y : y + height, x : x + width]
    part[:] = plate[: part.shape[0], : part.shape[1]]


def _dots(number: int) -> NDArray[np.bool_]:
    """Return the dots of a number, shape (10, 8 * digits - 2) at twice the size."""
    columns = []
    for digit in str(number):
        dots = np.array([dot == "1" for dot in _DIGITS[int(digit)]]).reshape(5, 3)
        columns += [dots, np.zeros((5, 1), bool)]
    small = np.concatenate(columns[:-1], axis=1)
    return small.repeat(_SCALE, axis=0).repeat(_SCALE, axis=1)
