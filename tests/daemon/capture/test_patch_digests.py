"""Digests of patches: alike wherever a text is scrolled to, none of what is closed or small, keyed, and bounded."""

import numpy as np
import pytest

from daemon.capture.diff import BAND, TILE, Pixels, Tiles
from daemon.capture.patch_digests import FEWEST_BANDS, PatchDigester
from storage.records import Box, Frame
from storage.tiles import MAX_PATCHES, unpack_patches

MONITOR = Box(100, 50, 640, 640)
GRID = (MONITOR.h // BAND, MONITOR.w // TILE)
ALL: Tiles = np.ones(GRID, np.bool_)
LINE = 19
CLOSED = Box(100, 250, 640, 100)


def text(lines: int = 200, width: int = MONITOR.w, seed: int = 1) -> Pixels:
    """Return lines of random letters, dark on white, the last ones of each line missing."""
    rng = np.random.default_rng(seed)
    picture = np.full((LINE * lines, width, 4), 255, np.uint8)
    letters = rng.integers(0, 2, (30, 10, 7, 1), np.uint8) * 200
    for line in range(lines):
        for x in range(0, width - 7 - int(rng.integers(0, 80)), 7):
            if letter := rng.integers(0, 36):
                picture[LINE * line : LINE * line + 10, x : x + 7, :3] = letters[letter % 30]
    return picture


TEXT = text()


def patches(
    canvas: Pixels,
    tiles: Tiles = ALL,
    *,
    key: bytes = b"k" * 32,
    covered: Box | None = None,
    own: Box | None = None,
    monitor: Box = MONITOR,
) -> frozenset[int]:
    """Return the digests of a picture's patches."""
    frame = Frame(
        t_ns=0,
        monitor="left",
        size=(monitor.w, monitor.h),
        digest="",
        changed=(monitor,),
        covered=(covered,) if covered else (),
        own=(own,) if own else (),
    )
    return unpack_patches(PatchDigester(key, monitor).digests(frame, tiles, np.ascontiguousarray(canvas)))


def scrolled(by: int, source: Pixels = TEXT) -> Pixels:
    """Return what is on the screen of a text that is scrolled by so many pixels."""
    return source[by : by + MONITOR.h]


@pytest.mark.parametrize("by", [7, 57, 171, 320])
def test_a_text_has_the_same_patches_wherever_it_is_scrolled_to(by: int) -> None:
    """Those of the lines that are still there; another text has others."""
    before, after = patches(scrolled(0)), patches(scrolled(by))
    still = 1.0 - by / MONITOR.h
    assert len(before) > 20
    assert 0.6 * still < len(before & after) / len(before) < still + 0.25
    assert len(before & patches(scrolled(by, text(seed=2)))) <= 1


def test_patches_of_each_session_are_its_own() -> None:
    """A rendered text cannot be looked for without the key."""
    assert patches(TEXT[: MONITOR.h]) == patches(TEXT[: MONITOR.h])
    assert len(patches(TEXT[: MONITOR.h]) & patches(TEXT[: MONITOR.h], key=b"o" * 32)) <= 1


def test_the_same_lines_in_another_column_are_not_alike() -> None:
    """So it is not told how often a word occurs on a page."""
    moved = np.roll(scrolled(0), 2 * TILE, axis=1)
    assert len(patches(scrolled(0)) & patches(moved)) <= 1


def test_the_fourth_byte_of_a_pixel_does_not_count() -> None:
    """A compositor may write anything there."""
    other = scrolled(0).copy()
    other[:, :, 3] = 77
    assert patches(other) == patches(scrolled(0))


@pytest.mark.parametrize(("bands", "found"), [(FEWEST_BANDS - 1, False), (FEWEST_BANDS + 6, True)])
def test_only_tall_changes_have_patches(bands: int, found: bool) -> None:
    """What is typed, selected or pointed at has none."""
    tiles = np.zeros(GRID, np.bool_)
    tiles[2 : 2 + bands] = True
    assert bool(patches(scrolled(0), tiles)) is found


def test_changes_far_apart_are_no_tall_change() -> None:
    """A clock above and a status line below."""
    tiles = np.zeros(GRID, np.bool_)
    tiles[0] = tiles[-1] = True
    assert not patches(scrolled(0), tiles)


def test_gaps_between_lines_do_not_hide_what_stands_around_them() -> None:
    """Where nothing changed between two paragraphs the column is still one view."""
    tiles = ALL.copy()
    tiles[5:8] = False
    assert patches(scrolled(0), tiles) == patches(scrolled(0))


def test_what_shows_hardly_anything_has_no_patches() -> None:
    """A blank page, and one with a rule here and there, are the same everywhere; each key decides anew which count."""
    ruled = np.full((MONITOR.h, MONITOR.w, 4), 255, np.uint8)
    ruled[::17] = 0  # two rules in each patch, four rows that differ from the one above
    for number in range(40):
        key = bytes([number]) * 32
        assert not patches(np.full_like(ruled, 255), key=key)
        assert not patches(ruled, key=key)


@pytest.mark.parametrize("kind", ["covered", "own"])
@pytest.mark.parametrize("content", [0, 90])
def test_no_patch_depends_on_what_a_closed_window_shows(content: int, kind: str) -> None:
    """Those above and below it are as they were; the control shows that it would be seen."""
    with_window = scrolled(0).copy()
    rows = slice(CLOSED.y - MONITOR.y, CLOSED.y - MONITOR.y + CLOSED.h)
    with_window[rows, ::2, :3] = content
    with_window[rows.start : rows.stop : 2, :, :3] = 255 - content
    covered, own = (CLOSED, None) if kind == "covered" else (None, CLOSED)
    beside = patches(scrolled(0), covered=covered, own=own)
    assert patches(with_window, covered=covered, own=own) == beside
    assert len(beside & patches(scrolled(0))) > len(beside) // 2  # rarer ones made room
    assert patches(with_window) != patches(scrolled(0))


def test_a_closed_window_beside_the_text_takes_only_its_own_columns() -> None:
    """A narrow one over the left column."""
    narrow = Box(MONITOR.x, MONITOR.y, TILE, MONITOR.h)
    rest = patches(scrolled(0), covered=narrow)
    assert rest != patches(scrolled(0))
    assert rest == patches(np.concatenate([np.zeros_like(TEXT[: MONITOR.h, :TILE]), scrolled(0)[:, TILE:]], axis=1))


def test_there_are_never_more_than_allowed_and_those_of_a_view_stay_the_same() -> None:
    """On a wide screen the rarest count, which are the same ones after scrolling."""
    wide = Box(0, 0, 3840, 2160)
    source = text(width=wide.w)
    tiles = np.ones((-(-wide.h // BAND), wide.w // TILE), np.bool_)
    one, other = (patches(source[by : by + wide.h], tiles, monitor=wide) for by in (0, 200))
    assert (len(one), len(other)) == (MAX_PATCHES, MAX_PATCHES)
    assert len(one & other) > 0.8 * MAX_PATCHES  # nine tenths of the text are still there


@pytest.mark.parametrize("size", [(630, 631), (100, 200), (64, 31)])
def test_screens_of_any_size_have_patches_or_none(size: tuple[int, int]) -> None:
    """The last column and band may be narrower than a tile."""
    monitor = Box(0, 0, *size)
    tiles = np.ones((-(-monitor.h // BAND), -(-monitor.w // TILE)), np.bool_)
    assert bool(patches(TEXT[: monitor.h, : monitor.w], tiles, monitor=monitor)) is (monitor.h > FEWEST_BANDS * BAND)
