"""The screen diff finds every changed pixel and few others, and its digest depends on the picture alone."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.capture.diff import BAND, MAX_BOXES, TILE, FrameDigest, changed_boxes, changed_tiles
from storage.records import Box


def _picture(height: int, width: int, seed: int = 0) -> "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]":
    return np.random.default_rng(seed).integers(0, 256, (height, width, 4), dtype=np.uint8)


@st.composite
def _changes(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    """Return a picture, one in which some pixels are others, and which these are."""
    height, width = draw(st.integers(1, 150)), draw(st.integers(1, 300))
    places = st.tuples(st.integers(0, height - 1), st.integers(0, width - 1), st.integers(0, 2))
    before = _picture(height, width)
    after = before.copy()
    for y, x, channel in draw(st.lists(places, max_size=40)):
        after[y, x, channel] ^= 1
    return before, after, (before[:, :, :3] != after[:, :, :3]).any(axis=2)


@given(_changes())
def test_every_changed_pixel_lies_in_exactly_one_box(change: tuple[Any, Any, Any]) -> None:
    """Whatever the size and the pixels: all of them are covered, boxes lie inside and do not overlap."""
    before, after, different = change
    height, width = different.shape
    covered = np.zeros((height, width), np.int64)
    for box in changed_boxes(before, after):
        assert box.w > 0
        assert box.h > 0
        assert box.x + box.w <= width
        assert box.y + box.h <= height
        covered[box.y : box.y + box.h, box.x : box.x + box.w] += 1
    assert covered[different].all()
    assert covered.max(initial=0) <= 1


@given(_changes())
def test_without_too_many_changes_every_tile_of_a_box_has_one(
    change: tuple[Any, Any, Any],
) -> None:
    """Few changes are reported tile by tile: the boxes hold as many tiles as truly differ."""
    before, after, different = change
    tiles = changed_tiles(before, after)
    for band, column in np.ndindex(tiles.shape):
        inside = different[band * BAND : (band + 1) * BAND, column * TILE : (column + 1) * TILE]
        assert tiles[band, column] == inside.any()


def test_a_scattered_change_is_reported_in_few_boxes() -> None:
    """A checkerboard of changes is reported by one box a band, not by hundreds."""
    before = _picture(1080, 1920)
    after = before.copy()
    for band in range(34):
        after[band * BAND, (band % 2) * TILE :: 2 * TILE, :3] ^= 1
    assert len(changed_boxes(before, after)) <= MAX_BOXES


def test_views_of_larger_pictures_compare_like_copies() -> None:
    """A part of a picture need not be copied to be compared."""
    before, after = _picture(200, 400), _picture(200, 400, seed=1)
    part = np.s_[10:90, 64:333]
    assert changed_boxes(before[part], after[part]) == changed_boxes(before[part].copy(), after[part].copy())


@pytest.mark.parametrize("seed", range(3))
def test_the_digest_differs_between_pictures_and_is_the_same_for_the_same_one(seed: int) -> None:
    """Hashing only what changed gives the same digest as hashing everything; another key gives another digest."""
    first, second = _picture(100, 200, seed), _picture(100, 200, seed)
    second[50, 100, 0] ^= 1
    updated = FrameDigest(b"k" * 16)
    whole = np.ones(4, np.bool_)
    before = updated.update(first, whole)
    changed = updated.update(second, np.array([False, True, False, False]))
    again = updated.update(first, np.array([False, True, False, False]))
    assert before == again != changed
    assert FrameDigest(b"k" * 16).update(second, whole) == changed
    assert FrameDigest(b"x" * 16).update(first, whole) != before


def test_equal_pictures_have_no_box() -> None:
    """Nothing changed means no box, also where only the padding byte differs."""
    before = _picture(100, 200)
    after = before.copy()
    assert changed_boxes(before, after) == ()
    after[:, :, 3] ^= 255
    assert changed_boxes(before, after) == ()


def test_a_changed_area_becomes_one_box() -> None:
    """A rectangle that changed as a whole is one box on the grid."""
    before = _picture(200, 400)
    after = before.copy()
    after[40:100, 70:200, :3] ^= 1
    assert changed_boxes(before, after) == (Box(64, 32, 192, 96),)
