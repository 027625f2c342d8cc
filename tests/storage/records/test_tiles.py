"""Which tiles of a frame have a digest, and how digests are packed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.records import Box, Frame
from storage.records.tiles import (
    BAND,
    DIGEST_BYTES,
    MAX_PATCHES,
    MAX_TILES,
    TILE,
    digested_tiles,
    pack,
    unpack,
    unpack_patches,
)


def frame(*changed: Box, covered: tuple[Box, ...] = (), own: tuple[Box, ...] = ()) -> Frame:
    return Frame(t_ns=1, monitor="a", size=(1920, 1080), digest="", changed=changed, covered=covered, own=own)


def on_grid(column: int, row: int, columns: int, rows: int) -> Box:
    return Box(column * TILE, row * BAND, columns * TILE, rows * BAND)


def test_a_small_change_has_a_digest_for_each_tile() -> None:
    assert digested_tiles(frame(on_grid(1, 2, 2, 2))) == [(64, 64), (128, 64), (64, 96), (128, 96)]


@given(
    st.tuples(st.integers(0, 9), st.integers(0, 9)),
    st.tuples(st.integers(8, 20), st.integers(8, 24)),
    st.tuples(st.integers(0, 5), st.integers(0, 5)),
)
def test_a_part_of_a_large_change_has_the_same_tiles(
    corner: tuple[int, int], size: tuple[int, int], more: tuple[int, int]
) -> None:
    """Tiles are chosen by their place: what both changes cover, the larger one never has a tile of its own in."""
    small, large = on_grid(*corner, *size), on_grid(*corner, size[0] + more[0], size[1] + more[1])
    few = {(x, y) for x, y in digested_tiles(frame(large)) if x < small.x + small.w and y < small.y + small.h}
    assert few <= set(digested_tiles(frame(small)))


@given(st.integers(0, 20), st.integers(0, 20), st.integers(1, 60), st.integers(1, 68))
def test_there_are_some_and_never_too_many(column: int, row: int, columns: int, rows: int) -> None:
    box = on_grid(column, row, columns, rows)
    tiles = digested_tiles(frame(box))
    assert 1 <= len(tiles) <= MAX_TILES
    assert len(tiles) == min(len(tiles), columns * rows)
    assert all(box.x <= x < box.x + box.w and box.y <= y < box.y + box.h for x, y in tiles)


@pytest.mark.parametrize(
    "foreign",
    [
        frame(Box(0, 0, 64, 2**62)),
        frame(Box(0, 0, 2**62, 32)),
        frame(*(Box(0, 0, 64, 3200) for _ in range(200))),
        frame(Box(0, 0, 64, 32), covered=tuple(Box(900, 900, 1, 1) for _ in range(300))),
        frame(Box(0, 0, -64, -32)),
    ],
)
def test_a_frame_that_nobody_captured_has_no_digests(foreign: Frame) -> None:
    """It would keep a reader busy for ever; the control is a frame of a wall of screens."""
    assert digested_tiles(foreign) == []
    hidden = frame(Box(0, 0, -(2**40), 2**18), Box(0, 0, 2**20, 2**18))  # sides below zero must not make it look small
    assert len(digested_tiles(hidden)) <= MAX_TILES
    assert digested_tiles(frame(Box(0, 0, 15360, 8640)))


def test_a_tile_that_touches_a_closed_window_is_left_out() -> None:
    """By one pixel is enough; the control has it."""
    box, inside = on_grid(0, 0, 3, 1), Box(127, 31, 1, 1)
    assert digested_tiles(frame(box)) == [(0, 0), (64, 0), (128, 0)]
    assert digested_tiles(frame(box, covered=(inside,))) == [(0, 0), (128, 0)]
    assert digested_tiles(frame(box, own=(inside,))) == [(0, 0), (128, 0)]


@given(st.lists(st.binary(min_size=DIGEST_BYTES, max_size=DIGEST_BYTES), max_size=MAX_TILES))
def test_digests_come_back_as_numbers(digests: list[bytes]) -> None:
    packed = pack(digests)
    assert "=" not in packed
    assert unpack(packed, len(digests)) == [int.from_bytes(digest, "big") for digest in digests]
    assert unpack(packed, len(digests) + 1) is None


@pytest.mark.parametrize("packed", ["A*A", "AA=", "AÄA", ""])
def test_what_holds_no_digest_is_refused(packed: str) -> None:
    assert unpack(packed, 1) is None
    assert unpack("AAA", 1) == [0]


def test_more_patches_than_are_written_are_none() -> None:
    """A foreign row may hold any number of them; the control is as many as may be."""
    most = pack(bytes((0, number)) for number in range(MAX_PATCHES))
    assert unpack_patches(most) == set(range(MAX_PATCHES))
    assert unpack_patches(pack([b"ab"] * (MAX_PATCHES + 3))) == frozenset()


@given(st.text(max_size=60), st.integers(0, 40))
def test_any_text_is_read_or_refused(text: str, count: int) -> None:
    """A row may come from elsewhere."""
    values = unpack(text, count)
    assert values is None or (len(values) == count and all(0 <= value < 1 << 16 for value in values))
