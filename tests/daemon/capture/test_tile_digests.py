"""Digests of tiles and patches: what tells one content from another, and what they must not tell."""

import numpy as np
import pytest

from daemon.capture import diff
from daemon.capture.diff import BAND, TILE, Pixels, Tiles
from daemon.capture.fence.rules import Zones
from daemon.capture.scene import Monitor
from daemon.capture.screen import RedactedScreen
from daemon.capture.tile_digests import BURST_BYTES, BYTES_PER_S, FEWEST_BANDS, FIELD_BYTES, ROW_BYTES, PatchDigester
from storage.clock import NS_PER_S
from storage.db.codec import encode
from storage.records import Box, Frame, TileDigests
from storage.records.tiles import MAX_PATCHES, MAX_TILES, Place, digested_tiles, unpack, unpack_patches

MONITOR = Monitor(name="left", box=Box(100, 50, 640, 320))
WORD = Box(170, 90, 40, 12)
SECOND_WORD = Box(426, 218, 40, 12)
SECONDS = 500
CLOSED = Box(300, 100, 100, 100)


class Scene:
    """A screen over a desktop of pixels."""

    def __init__(self, key: bytes = b"k" * 32, monitor: Monitor = MONITOR) -> None:
        self.pixels: Pixels = np.zeros((400, 800, 4), np.uint8)
        self.screen = RedactedScreen(self._grab, monitor, key)
        self.now_ns = 0
        self.step_ns = NS_PER_S
        self.first = self.take()

    def _grab(self, box: Box) -> Pixels:
        return self.pixels[box.y : box.y + box.h, box.x : box.x + box.w].copy()

    def paint(self, box: Box, value: int) -> Box:
        self.pixels[box.y : box.y + box.h, box.x : box.x + box.w, :3] = value
        return box

    def take(self, *damage: Box, zones: Zones | None = None) -> tuple[Frame | None, TileDigests | None]:
        self.now_ns += self.step_ns
        zones = zones or Zones()
        frame = self.screen.redact(self.screen.grab(damage, zones, self.now_ns), zones, input_active=True)
        return frame, self.screen.take_tile_digests()

    def digests(self, box: Box, value: int, *, zones: Zones | None = None) -> dict[Place, int]:
        frame, row = self.take(self.paint(box, value), zones=zones)
        assert frame is not None
        places = digested_tiles(frame)
        if row is None:
            return {}
        values = unpack(row.now, len(places))
        assert values is not None
        return dict(zip(places, values, strict=True))


def test_what_comes_back_has_the_digest_it_had() -> None:
    """Another content gives another digest, the first one again the first digest."""
    scene = Scene()
    first, second, again = (scene.digests(WORD, value) for value in (9, 17, 9))
    assert first == again != second
    assert list(first) == [(164, 82)]


def test_equal_content_at_different_places_is_not_alike() -> None:
    """Otherwise the letters of a text could be told apart by how often each occurs."""
    scene = Scene()
    (here,) = scene.digests(WORD, 9).values()
    (there,) = scene.digests(SECOND_WORD, 9).values()
    assert np.array_equal(scene.pixels[82:114, 164:228], scene.pixels[210:242, 420:484])
    assert here != there


def test_each_session_has_digests_of_its_own() -> None:
    """The same pixels under another key give other digests, so a rendered text cannot be looked for."""
    big = Box(100, 50, 400, 60)
    one, other = (Scene(key).digests(big, 9) for key in (b"a" * 32, b"b" * 32))
    assert one.keys() == other.keys()
    assert sum(one[place] == other[place] for place in one) <= 1
    assert one == Scene(b"a" * 32).digests(big, 9)


def test_the_fourth_byte_of_a_pixel_does_not_count() -> None:
    """A compositor may write anything there."""
    scene = Scene()
    first = scene.digests(WORD, 9)
    scene.pixels[:, :, 3] = 77
    scene.digests(WORD, 17)
    assert scene.digests(WORD, 9) == first


@pytest.mark.parametrize("kind", ["covered", "veiled", "own"])
def test_a_tile_that_touches_a_closed_window_has_no_digest(kind: str) -> None:
    """Neither a covered window, nor one that may be private, nor ours; beside it, and without it, tiles have theirs."""
    zones = {
        "covered": Zones(covered=frozenset({CLOSED})),
        "veiled": Zones(veiled=frozenset({CLOSED})),
        "own": Zones(own=frozenset({CLOSED})),
    }[kind]
    scene = Scene()
    found = scene.digests(Box(100, 50, 640, 200), 200, zones=zones)
    assert found
    assert not [place for place in found if _touches(place, CLOSED)]
    assert scene.take(scene.paint(CLOSED, 201), zones=zones)[1] is None
    assert [place for place in Scene().digests(CLOSED, 200) if _touches(place, CLOSED)]


@pytest.mark.parametrize("value", [40, 200])
def test_digests_beside_a_closed_window_do_not_depend_on_its_content(value: int) -> None:
    """Whatever an excluded window shows, the rows are the same."""
    rows = []
    for content in (value, 90):
        scene = Scene()
        scene.paint(CLOSED, content)
        zones = Zones(covered=frozenset({CLOSED}))
        rows.append(
            [scene.take(scene.paint(Box(100, 50, 120, 200), 7), CLOSED, zones=zones)[1], scene.take(zones=zones)[1]]
        )
    assert rows[0] == rows[1]
    assert rows[0][0] is not None


def test_what_stood_there_before_is_given_where_it_was_not_known() -> None:
    """The first change of a place says what was there; the next one need not."""
    scene = Scene()
    scene.digests(Box(100, 50, 640, 320), 3)  # most tiles of so large a change have no digest
    place = next(
        Box(x, y, 8, 8)
        for x in range(100, 740, 64)
        for y in range(50, 370, 32)
        if (x, y) not in dict.fromkeys(digested_tiles(_frame(Box(100, 50, 640, 320))))
    )
    _, first = scene.take(scene.paint(place, 9))
    _, second = scene.take(scene.paint(place, 3))
    assert first is not None
    assert second is not None
    assert (len(first.before), second.before) == (len(first.now), "")
    assert second.now == first.before  # it shows again what it showed at first


def test_the_first_frame_says_nothing_of_before() -> None:
    """There was none."""
    _, row = Scene().first
    assert row is not None
    assert row.before == ""


def test_rows_are_bounded_and_go_on_when_there_is_room_again() -> None:
    """However much changes, an hour takes less than a megabyte."""
    scene = Scene()
    rows = taken = patches = 0
    scene.step_ns = NS_PER_S // 4
    box = Box(100, 50, 640, 320)
    whole = scene.pixels.view(np.uint32)[box.y : box.y + box.h, box.x : box.x + box.w, 0]  # painted in a tenth the time
    marks = np.random.default_rng(1).integers(0, 1 << 24, (3 * box.h, box.w), np.uint32)
    for number in range(4 * SECONDS):
        whole[:] = marks[number % (2 * box.h) :][: box.h]  # scrolled by a line
        _, row = scene.take(box)
        if row is not None:
            rows += 1
            patches += bool(row.patches)
            fields = ROW_BYTES + (FIELD_BYTES if row.patches else 0)
            taken += len(row.now) + len(row.before) + len(row.patches) + fields
    assert rows < 4 * SECONDS  # the control: without a bound each frame has a row
    assert patches > rows // 2
    assert BYTES_PER_S * SECONDS < taken <= BYTES_PER_S * SECONDS + BURST_BYTES + ROW_BYTES + 4 * MAX_PATCHES
    assert BYTES_PER_S * 3600 + BURST_BYTES <= 1_000_000
    scene.now_ns += 60 * NS_PER_S
    assert scene.take(scene.paint(WORD, 251))[1] is not None


def test_a_row_is_as_long_as_the_bound_assumes() -> None:
    """The constant stands for the row's own fields and the database's."""
    row = TileDigests(seq=123456, at_ns=86_400_000_000_000, now="", before="")
    assert len(encode(row)) + len("tiles") + 16 <= ROW_BYTES


def _frame(*changed: Box) -> Frame:
    return Frame(t_ns=0, monitor="left", size=(640, 320), digest="", changed=changed)


def _touches(place: Place, box: Box) -> bool:
    x, y = place
    return x < box.x + box.w and box.x < x + 64 and y < box.y + box.h and box.y < y + 32


VIEW = Box(100, 50, 640, 640)
GRID = (VIEW.h // BAND, VIEW.w // TILE)
ALL: Tiles = np.ones(GRID, np.bool_)
LINE = 19
STRIP = Box(100, 250, 640, 100)


def text(lines: int = 200, width: int = VIEW.w, seed: int = 1) -> Pixels:
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
    monitor: Box = VIEW,
) -> frozenset[int]:
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
    return source[by : by + VIEW.h]


@pytest.mark.parametrize("by", [7, 57, 171, 320])
def test_a_text_has_the_same_patches_wherever_it_is_scrolled_to(by: int) -> None:
    """Those of the lines that are still there; another text has others."""
    before, after = patches(scrolled(0)), patches(scrolled(by))
    still = 1.0 - by / VIEW.h
    assert len(before) > 20
    assert 0.6 * still < len(before & after) / len(before) < still + 0.25
    assert len(before & patches(scrolled(by, text(seed=2)))) <= 1


@pytest.mark.parametrize("picture", [TEXT, np.random.default_rng(3).integers(0, 2, TEXT.shape, np.uint8)])
def test_patches_are_the_same_whoever_looks_for_them(picture: Pixels, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the file of C, and without it."""
    found = patches(picture[: VIEW.h])
    monkeypatch.setattr(diff, "compiled", None)
    assert patches(picture[: VIEW.h]) == found
    assert len(found) > 20


def test_patches_of_each_session_are_its_own() -> None:
    """A rendered text cannot be looked for without the key."""
    assert patches(TEXT[: VIEW.h]) == patches(TEXT[: VIEW.h])
    assert len(patches(TEXT[: VIEW.h]) & patches(TEXT[: VIEW.h], key=b"o" * 32)) <= 1


def test_the_same_lines_in_another_column_are_not_alike() -> None:
    """So it is not told how often a word occurs on a page."""
    moved = np.roll(scrolled(0), 2 * TILE, axis=1)
    assert len(patches(scrolled(0)) & patches(moved)) <= 1


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
    ruled = np.full((VIEW.h, VIEW.w, 4), 255, np.uint8)
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
    rows = slice(STRIP.y - VIEW.y, STRIP.y - VIEW.y + STRIP.h)
    with_window[rows, ::2, :3] = content
    with_window[rows.start : rows.stop : 2, :, :3] = 255 - content
    covered, own = (STRIP, None) if kind == "covered" else (None, STRIP)
    beside = patches(scrolled(0), covered=covered, own=own)
    assert patches(with_window, covered=covered, own=own) == beside
    assert len(beside & patches(scrolled(0))) > len(beside) // 2  # rarer ones made room
    assert patches(with_window) != patches(scrolled(0))


def test_a_closed_window_beside_the_text_takes_only_its_own_columns() -> None:
    """A narrow one over the left column."""
    narrow = Box(VIEW.x, VIEW.y, TILE, VIEW.h)
    rest = patches(scrolled(0), covered=narrow)
    assert rest != patches(scrolled(0))
    assert rest == patches(np.concatenate([np.zeros_like(TEXT[: VIEW.h, :TILE]), scrolled(0)[:, TILE:]], axis=1))


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


def test_no_frame_has_more_digests_than_allowed() -> None:
    """A whole screen, and the most boxes that a frame has."""
    assert len(digested_tiles(_frame(Box(0, 0, 3840, 2160)))) <= MAX_TILES
    assert len(digested_tiles(_frame(*(Box(0, 32 * row, 3840, 32) for row in range(64))))) <= MAX_TILES


def test_the_fourth_byte_of_a_pixel_does_not_count_in_patches() -> None:
    """A compositor may write anything there."""
    other = scrolled(0).copy()
    other[:, :, 3] = 77
    assert patches(other) == patches(scrolled(0))
