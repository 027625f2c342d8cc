"""Marks stand around their controls and say their numbers; nothing else of the picture changes."""

import numpy as np
import pytest
import simplejpeg

from daemon.help.marks import MAX_MARKS, Pixels, draw_marks, mark_picture
from storage.records import Box, Element

AREA = Box(1000, 500, 400, 300)


def button(x: int, y: int, w: int = 80, h: int = 30) -> Element:
    return Element(role="button", box=Box(x, y, w, h), name="Save")


def blank(width: int = 400, height: int = 300) -> Pixels:
    return np.full((height, width, 3), 128, np.uint8)


def changed(pixels: Pixels) -> set[tuple[int, int]]:
    rows, columns = np.nonzero((pixels != 128).any(axis=2))
    return {(int(x), int(y)) for x, y in zip(columns, rows, strict=True)}


def test_a_mark_is_a_box_around_the_control_and_its_number_above() -> None:
    pixels = blank()
    assert draw_marks(pixels, [button(1100, 600)], area=AREA) == {1: button(1100, 600)}
    points = changed(pixels)
    edge = {(x, y) for x in range(100, 180) for y in (100, 129)} | {(x, y) for x in (100, 179) for y in range(100, 130)}
    plate = points - edge
    assert edge <= points
    assert plate == {(x, y) for x in range(100, 110) for y in range(86, 100)}


def test_numbers_are_places_and_differ() -> None:
    elements = [button(1000, 500), button(0, 0), button(1100, 600, 2, 2), button(1200, 700), button(1380, 780)]
    numbers = draw_marks(blank(), elements, area=AREA)
    assert list(numbers) == [1, 4, 5]
    plates = set()
    for number in range(1, 31):
        pixels = blank()
        draw_marks(pixels, [button(0, 0)] * (number - 1) + [button(1100, 600)], area=AREA)
        plates.add((pixels[86:100, 100:130] == 255).tobytes())
    assert len(plates) == 30


def test_a_jpeg_picture_is_marked() -> None:
    marked = mark_picture(simplejpeg.encode_jpeg(blank()), [button(1100, 600)], area=AREA)
    pixels = simplejpeg.decode_jpeg(marked.jpeg)
    assert pixels.shape == (300, 400, 3)
    assert abs(int(pixels[115, 140, 0]) - 128) < 8
    assert np.abs(pixels[100, 150].astype(int) - 128).max() > 40
    assert list(marked.numbers) == [1]
    with pytest.raises(ValueError, match=r".*"):
        mark_picture(b"no picture", [], area=AREA)
    with pytest.raises(ValueError, match="empty"):
        mark_picture(marked.jpeg, [], area=Box(0, 0, 0, 10))


def test_a_picture_of_another_size_is_marked_at_its_own_scale() -> None:
    """Half as wide and high, a control is half as far from the corner."""
    pixels = blank(200, 150)
    draw_marks(pixels, [button(1100, 600)], area=AREA)
    assert (50, 50) in changed(pixels)
    assert (89, 64) in changed(pixels)
    assert max(x for x, _ in changed(pixels)) == 89


def test_marks_are_limited_and_never_fail_at_the_edges() -> None:
    many = [button(1000 + 7 * n % 400, 500 + 3 * n % 300) for n in range(MAX_MARKS + 50)]
    assert len(draw_marks(blank(), many, area=AREA)) == MAX_MARKS
    whole = [button(900, 400, 900, 900), button(1395, 500, 80, 30), button(1000, 795, 80, 30), button(990, 490)]
    assert list(draw_marks(blank(), whole, area=AREA)) == [1, 2, 3, 4]
