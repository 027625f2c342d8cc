"""The screen diff finds every changed pixel and few others, and its digest depends on the picture alone."""

import shutil
import subprocess
import sysconfig
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.capture import diff
from daemon.capture.diff import BAND, MAX_BOXES, TILE, FrameDigest, changed_boxes, changed_tiles
from storage.records import Box


def _picture(height: int, width: int, seed: int = 0) -> "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]":
    return np.random.default_rng(seed).integers(0, 256, (height, width, 4), dtype=np.uint8)


@st.composite
def _changes(draw: st.DrawFn) -> tuple[Any, Any, Any]:
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


@pytest.mark.parametrize("compiled", [diff.compiled, None])
@given(change=_changes())
def test_without_too_many_changes_every_tile_of_a_box_has_one(
    compiled: ModuleType | None, change: tuple[Any, Any, Any]
) -> None:
    """Few changes are reported tile by tile: the boxes hold as many tiles as truly differ, whoever compares."""
    before, after, different = change
    with mock.patch.object(diff, "compiled", compiled):
        tiles = changed_tiles(before, after)
    for band, column in np.ndindex(tiles.shape):
        inside = different[band * BAND : (band + 1) * BAND, column * TILE : (column + 1) * TILE]
        assert tiles[band, column] == inside.any()


@given(_changes(), st.booleans())
def test_what_is_taken_is_the_same_whoever_takes_it(change: tuple[Any, Any, Any], compare: bool) -> None:
    """Marks, pixels and hashes, of all sizes; and what was not marked stays as it was."""
    before, after, _ = change
    found = []
    for compiled in (diff.compiled, None):
        with mock.patch.object(diff, "compiled", compiled):
            digest, canvas = FrameDigest(b"k" * 16), before.copy()
            digest.begin(canvas)
            tiles = np.arange(digest.hashes.size).reshape(digest.hashes.shape) % 3 == 0
            digest.take(after, tiles, canvas, digest.hashes, compare=compare)
            found.append((tiles.tolist(), canvas.tolist(), digest.hashes.tolist(), digest.digest()))
            fresh = FrameDigest(b"k" * 16)
            fresh.begin(canvas)
            assert fresh.digest() == digest.digest()
            assert np.array_equal(canvas[..., :3], after[..., :3]) or not compare
    assert found[0] == found[1]


def test_a_scattered_change_is_reported_in_few_boxes() -> None:
    """A checkerboard of changes is reported by one box a band, not by hundreds."""
    before = _picture(1080, 1920)
    after = before.copy()
    for band in range(34):
        after[band * BAND, (band % 2) * TILE :: 2 * TILE, :3] ^= 1
    assert len(changed_boxes(before, after)) <= MAX_BOXES


@pytest.mark.parametrize("compiled", [diff.compiled, None])
def test_views_of_larger_pictures_compare_like_copies(
    compiled: ModuleType | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part of a picture need not be copied to be compared, nor one whose colours stand the other way round."""
    monkeypatch.setattr(diff, "compiled", compiled)
    before = _picture(200, 400)
    after = before.copy()
    after[30, 70, 1] ^= 1
    after[:, :64] ^= 1
    for part in (np.s_[10:90, 64:333], np.s_[10:90, 64:333, (2, 1, 0, 3)]):
        boxes = changed_boxes(before[part], after[part])
        assert boxes == changed_boxes(before[part].copy("C"), after[part].copy("C")) == (Box(0, 0, 64, 32),)


@pytest.mark.parametrize("seed", range(3))
def test_the_digest_differs_between_pictures_and_is_the_same_for_the_same_one(seed: int) -> None:
    """Hashing only what changed gives the same digest as hashing everything; another key gives another digest."""
    first, second = _picture(100, 200, seed), _picture(100, 200, seed)
    second[50, 100, 0] ^= 1
    middle = np.zeros((4, 4), np.bool_)
    middle[1, 1] = True

    def begun(picture: diff.Pixels, key: bytes = b"k" * 16) -> FrameDigest:
        digest = FrameDigest(key)
        digest.begin(picture)
        return digest

    updated = begun(first)
    before = updated.digest()
    updated.take(second, middle, second, updated.hashes)
    changed = updated.digest()
    updated.take(first, middle, first, updated.hashes)
    assert before == updated.digest() != changed
    assert begun(second).digest() == changed
    assert begun(first, b"x" * 16).digest() != before


@pytest.mark.parametrize("compiled", [diff.compiled, None])
def test_equal_pictures_have_no_box(compiled: ModuleType | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing changed means no box, also where only the padding byte differs."""
    monkeypatch.setattr(diff, "compiled", compiled)
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


def test_the_file_of_c_compiles() -> None:
    """Set-up would say nothing: without it numpy does the same."""
    compiler, headers = shutil.which("gcc"), sysconfig.get_path("include")
    if compiler is None or not Path(headers, "Python.h").is_file():
        pytest.skip("no compiler, or no headers of Python")
    source = Path(diff.__file__).with_name("_pixels.c")
    flags = ["-fsyntax-only", "-Wall", "-Werror=implicit", f"-I{headers}"]
    subprocess.run([compiler, *flags, source], check=True)


def test_what_was_compiled_takes_no_arrays_that_do_not_fit() -> None:
    """It would write beside them."""
    compiled = diff.compiled or pytest.skip("nothing was compiled here")
    picture, plane = _picture(64, 128), np.zeros((32, 64), np.uint8)
    tiles = np.zeros((2, 2), np.bool_)
    for wrong in (
        (picture, picture[:32], tiles),
        (picture, picture, tiles[:1]),
        (picture[:, ::2], picture[:, ::2], tiles[:, :1]),
        (picture[..., :3], picture[..., :3], tiles),
    ):
        with pytest.raises(ValueError, match="fit"):
            compiled.mark_changed(*wrong)
    for planes in ((plane, plane, plane), (plane, plane[:16, :32], plane[:16, :31]), (plane.T, *[plane[:16, :32]] * 2)):
        with pytest.raises(ValueError, match="fit"):
            compiled.halve(picture, *planes)
    with pytest.raises(ValueError, match="fit"):
        compiled.halve(picture[:63], plane, plane[:16, :32], plane[:16, :32])
    hashes, weights = np.zeros((2, 2), np.uint64), np.zeros(BAND * TILE, np.uint32)
    numbers = np.zeros(64, np.uint64)
    untaken: list[tuple[Any, ...]] = [
        (picture, weights[:-1], tiles, picture, hashes),
        (picture[:32], weights, tiles, picture, hashes),
        (picture, weights, tiles, picture, hashes[:1]),
        (picture, weights, tiles, picture, hashes.astype(np.uint32)),
    ]
    for given_arrays in untaken:
        with pytest.raises(ValueError, match="fit"):
            compiled.take_tiles(*given_arrays, True)
    unsought: list[tuple[Any, ...]] = [
        (picture, weights, numbers, numbers, numbers),
        (picture[:, :TILE], weights[:9], numbers, numbers, numbers),
        (picture[:, :TILE], weights, numbers[:63], numbers, numbers),
        (picture[:, :TILE], weights, numbers, numbers, numbers[:9]),
    ]
    for given_arrays in unsought:
        with pytest.raises(ValueError, match="fit"):
            compiled.find_patches(*given_arrays, 1, 59, 6)
    tiles.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        compiled.mark_changed(picture, picture, tiles)
