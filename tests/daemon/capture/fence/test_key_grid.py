"""Windows of many small equal controls are told by their picture, and no row tells which control was used."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from daemon.capture.diff import Pixels
from daemon.capture.fence.key_grid import AGAIN_NS, BESIDE_NS, GONE_NS, LATER_NS, STAYS_NS, KeyGrids, is_key_grid
from daemon.capture.scene import Scene
from storage.clock import NS_PER_S
from storage.records import Box, ControlAct, EventKind, Frame, InputEvent, Record, TileDigests, WindowEvent
from storage.testing import plain
from tests.fakes.desktop.windows import scene, window

PAD = window(1, "pad", Box(100, 100, 200, 240))
EDITOR = window(2, "editor", Box(400, 0, 600, 600))
TEXTS = np.random.default_rng(7)


def blank(width: int, height: int, grey: int = 240) -> Pixels:
    return np.full((height, width, 4), grey, np.uint8)


def cells(
    rows: int, columns: int, size: tuple[int, int], gap: int = 0, *, shift: int = 0, corner: int = 0, frame: bool = True
) -> Pixels:
    """Return the picture of a keyboard: each key with a letter, its frame a line or its ground another grey."""
    width, height = size
    picture = blank(columns * (width + gap) + rows * shift + 20, rows * (height + gap) + 20)
    for row in range(rows):
        for column in range(columns):
            x, y = 10 + row * shift + column * (width + gap), 10 + row * (height + gap)
            key = picture[y : y + height, x : x + width]
            key[...] = 180 if frame else 222
            if frame:
                key[1:-1, 1:-1] = 240
            if corner:
                for down, across in ((0, 0), (0, -1), (-1, 0), (-1, -1)):
                    box = np.s_[:corner] if down == 0 else np.s_[-corner:]
                    key[box, np.s_[:corner] if across == 0 else np.s_[-corner:]] = 240
            letter = TEXTS.integers(0, 2, (10, 7), np.uint8)[..., None] * 200
            key[height // 2 - 5 : height // 2 + 5, width // 2 - 3 : width // 2 + 4] = letter
    return picture


def signs(rows: int, columns: int, pitch: tuple[int, int], *, size: int, jitter: int = 0, dark: bool = False) -> Pixels:
    """Return signs on a plain ground, in a window with a line around it and a heading; nothing stands between them."""
    picture = blank(columns * pitch[0] + 40, rows * pitch[1] + 90, 30 if dark else 240)
    picture[0], picture[-1], picture[:, 0], picture[:, -1] = 90, 90, 90, 90
    picture[20:34, 30:140:3] = 120
    for row, column in np.ndindex(rows, columns):
        y = 70 + row * pitch[1]
        x = 30 + column * pitch[0] + int(TEXTS.integers(-jitter, jitter + 1))
        down, across = np.ogrid[-1 : 1 : size * 1j, -1 : 1 : size * 1j]
        ring = np.abs(np.hypot(down, across) - 0.8) < 0.2  # a nought
        picture[y : y + size, x : x + size][ring] = 230 if dark else 40
    return picture


def text(lines: int = 20, height: int = 18) -> Pixels:
    """Return lines of letters of one width."""
    picture = blank(640, lines * height)
    for line in range(lines):
        for place in range(10, 600, 8):
            letter = TEXTS.integers(0, 2, (10, 6), np.uint8)[..., None] * 220
            picture[line * height + 3 : line * height + 13, place : place + 6] = letter
    return picture


@pytest.mark.parametrize(
    "picture",
    [
        pytest.param(cells(4, 3, (60, 50)), id="pin pad"),
        pytest.param(cells(4, 3, (64, 56), 8, corner=8, frame=False), id="page"),
        pytest.param(cells(4, 3, (52, 52), 12, corner=9), id="round"),
        pytest.param(cells(4, 10, (46, 42), 2, shift=11), id="letters in rows that are shifted"),
        pytest.param(cells(3, 5, (120, 90), 4), id="large"),
        pytest.param(cells(5, 8, (24, 22)), id="small"),
        pytest.param(signs(4, 3, (90, 80), size=22), id="digits without lines"),
        pytest.param(signs(4, 3, (90, 80), size=22, dark=True), id="light ones on a dark ground"),
        pytest.param(signs(4, 3, (100, 90), size=64), id="shapes"),
        pytest.param(signs(3, 10, (50, 54), size=18), id="letters without lines"),
        pytest.param(signs(3, 3, (110, 110), size=18), id="dots that are joined"),
    ],
)
def test_a_keyboard_is_told_by_its_cells(picture: Pixels) -> None:
    assert is_key_grid(picture)


@pytest.mark.parametrize(
    "picture",
    [
        pytest.param(blank(640, 480), id="nothing"),
        pytest.param(text(), id="text"),
        pytest.param(cells(20, 8, (64, 17)), id="sheet"),
        pytest.param(cells(12, 6, (100, 24)), id="table"),
        pytest.param(cells(2, 12, (32, 32), 4), id="tool bars"),
        pytest.param(cells(6, 2, (80, 40), 4), id="two columns"),
        pytest.param(cells(3, 3, (260, 160), 8), id="pictures"),
        pytest.param(blank(30, 30), id="tiny"),
        pytest.param(signs(12, 6, (60, 24), size=10), id="numbers of a table"),
        pytest.param(signs(2, 8, (60, 60), size=24), id="two rows of icons"),
        pytest.param(signs(5, 6, (60, 60), size=22, jitter=14), id="words of large lines"),
    ],
)
def test_anything_else_is_none(picture: Pixels) -> None:
    assert not is_key_grid(picture)


class Desk:
    """Windows of which some look like a keyboard."""

    def __init__(self) -> None:
        self.scene: Scene = scene(EDITOR, PAD, active=2)
        self.looked: list[Box] = []
        self.shown: Callable[[Box], Pixels | None] = lambda box: (
            cells(4, 3, (60, 50)) if box.x < EDITOR.box.x else text()
        )
        self.grids = KeyGrids(self._look)
        self.now_ns = 0

    def _look(self, box: Box) -> Pixels | None:
        self.looked.append(box)
        return self.shown(box)

    def after(self, *events: InputEvent) -> list[InputEvent]:
        self.now_ns += NS_PER_S // 10
        return self.grids.without_places(events, self.scene, self.now_ns)


def press(x: int, y: int, kind: EventKind = EventKind.BUTTON_DOWN) -> InputEvent:
    return InputEvent(t_ns=1, kind=kind, button="left" if kind is not EventKind.MOTION else None, x=x, y=y, path=3)


def places(events: Sequence[InputEvent]) -> list[tuple[int | None, int | None]]:
    return [(event.x, event.y) for event in events]


def test_presses_releases_and_ways_in_a_keyboard_have_no_place() -> None:
    desk = Desk()
    events = [press(150, 150, kind) for kind in (EventKind.MOTION, EventKind.BUTTON_DOWN, EventKind.BUTTON_UP)]
    elsewhere = [replace(event, x=500) for event in events]
    assert places(desk.after(*events, *elsewhere)) == [(None, None)] * 3 + [(500, 150)] * 3
    assert [event.path for event in desk.after(*events)] == [3] * 3


def test_the_way_to_a_keyboard_in_a_large_window_has_no_place() -> None:
    """It is looked for where the pointer is, not where it was; at once where it goes on for a while."""
    page = replace(EDITOR, box=Box(0, 0, 1920, 1080))
    desk = Desk()
    desk.scene = scene(page, active=1)
    desk.shown = lambda box: cells(4, 3, (60, 50)) if box.x > 1000 else text()
    assert places(desk.after(press(200, 500, EventKind.MOTION))) == [(200, 500)]
    desk.now_ns += BESIDE_NS
    assert places(desk.after(press(1600, 500, EventKind.MOTION), press(1605, 500, EventKind.MOTION))) == (
        [(None, None)] * 2
    )
    assert len(desk.looked) == 2


def test_a_window_is_looked_at_for_each_press_and_seldom_for_ways() -> None:
    desk = Desk()
    desk.after(*[press(500 + x, 150, EventKind.MOTION) for x in range(5)])
    assert len(desk.looked) == 1
    desk.after(press(500, 150), press(500, 150, EventKind.BUTTON_UP), press(500, 150), press(500, 590))
    assert len(desk.looked) == 3
    desk.now_ns += AGAIN_NS
    desk.after(press(501, 150, EventKind.MOTION))
    assert len(desk.looked) == 3
    desk.grids.coarse([plain(Frame, changed=(Box(0, 0, 460, 60), Box(400, 500, 20, 20)))])
    desk.after(press(502, 150, EventKind.MOTION))
    assert len(desk.looked) == 4
    desk.now_ns += AGAIN_NS
    desk.grids.coarse([plain(Frame, changed=(Box(0, 0, 459, 60),))])
    desk.after(press(503, 150, EventKind.MOTION))
    assert len(desk.looked) == 4
    desk.now_ns += LATER_NS
    desk.after(press(504, 150, EventKind.MOTION))
    assert len(desk.looked) == 5
    assert all(box.w <= 640 and box.x >= EDITOR.box.x for box in desk.looked)


def test_the_way_to_the_press_that_shows_what_a_window_is_has_no_place() -> None:
    desk = Desk()
    desk.shown = lambda _: text()
    assert places(desk.after(press(150, 150, EventKind.MOTION))) == [(150, 150)]
    desk.shown = lambda _: cells(4, 3, (60, 50))
    assert places(desk.after(press(160, 150, EventKind.MOTION), press(160, 150))) == [(None, None)] * 2


def test_it_stays_one_for_a_while_and_not_for_ever() -> None:
    """Its picture changes while a key is down, and a page may show something else later."""
    desk = Desk()
    desk.after(press(150, 150))
    desk.shown = lambda _: text()
    assert places(desk.after(press(160, 160))) == [(None, None)]
    desk.now_ns += STAYS_NS
    assert places(desk.after(press(160, 160))) == [(160, 160)]


def test_one_that_closes_with_the_last_key_keeps_its_place_closed_for_a_moment() -> None:
    desk = Desk()
    desk.after(press(150, 150))
    desk.scene = scene(EDITOR, active=2)
    assert places(desk.after(press(160, 160))) == [(None, None)]
    desk.now_ns += GONE_NS
    assert places(desk.after(press(160, 160))) == [(160, 160)]


def test_what_cannot_be_looked_at_counts_as_one_and_our_own_windows_never() -> None:
    desk = Desk()
    desk.shown = lambda _: None
    assert places(desk.after(press(500, 150), replace(press(500, 150), own=True))) == [(None, None), (500, 150)]
    assert places(desk.after(press(1, 1))) == [(1, 1)]  # on no window


def frames(*changed: Box) -> list[Record]:
    return [plain(Frame, changed=changed, digest="0123456789abcdef"), TileDigests(now="AAAA")]


def test_what_is_painted_in_one_is_painted_in_all_of_it() -> None:
    """A key that is pressed changes its look: neither its place nor what it shows then is told."""
    desk = Desk()
    key, word = Box(160, 150, 64, 32), Box(500, 64, 64, 32)
    assert desk.grids.coarse(frames(key, word)) == frames(key, word)  # the control: nobody was there yet
    desk.after(press(150, 150))
    (frame,) = desk.grids.coarse(frames(key, word, key))
    assert isinstance(frame, Frame)
    assert frame.changed == (PAD.box, word)
    assert (len(frame.digest), frame.digest == "0123456789abcdef") == (16, False)
    assert desk.grids.coarse(frames(word)) == frames(word)


def test_acts_on_its_controls_are_left_out() -> None:
    desk = Desk()
    desk.after(press(150, 150))
    inside, outside = (plain(ControlAct, box=Box(x, 150, 60, 50)) for x in (160, 500))
    other = plain(WindowEvent)
    assert desk.grids.coarse([inside, outside, plain(ControlAct, box=None), other]) == [outside, other]
