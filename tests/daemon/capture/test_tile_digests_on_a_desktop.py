"""Digests of tiles on a real X server: beside their frames, equal for what comes back, none of an excluded window."""

import random
from functools import partial
from typing import Any

import pytest

from demo.virtual_desktop.desktop import VirtualDesktop
from storage.records import Box, Frame, TileDigests
from storage.records.tiles import BAND, TILE, Place, digested_tiles, unpack, unpack_patches
from storage.settings import FenceSettings, Settings
from tests.fakes.desktop.painter import Painter, RunningCapture, capturing

pytestmark = pytest.mark.display

EDITOR, SECRET = Box(64, 64, 512, 384), Box(704, 64, 512, 384)


def digests_of(capture: RunningCapture) -> list[dict[Place, int]]:
    """Return the digests of each frame by place, in order; each frame is followed by its row."""
    found: list[dict[Place, int]] = []
    frame: Frame | None = None
    for record in capture.records:
        if isinstance(record, Frame):
            frame = record
        elif isinstance(record, TileDigests):
            assert frame is not None
            places = digested_tiles(frame)
            values = unpack(record.now, len(places))
            assert values is not None
            found.append(dict(zip(places, values, strict=True)))
            frame = None
    return found


@pytest.mark.parametrize("excluded", [True, False])
def test_no_tile_of_an_excluded_window_has_a_digest_and_no_text_in_it_patches(
    bare_desktop: VirtualDesktop, painter: Painter, excluded: bool
) -> None:
    """While the window beside it is seen; the control, which excludes nothing, finds them."""
    settings = Settings(fence=FenceSettings(excluded_apps=("Vault",) if excluded else ()))
    secret, editor = painter.window("Vault", SECRET), painter.window("Editor", EDITOR)
    painter.activate(editor)
    text = text_of(secret)
    with capturing(bare_desktop, settings) as capture:
        capture.frame_after(0)
        for number, to in enumerate((0, 300)):
            count = len(capture.of(TileDigests))
            secret.copy_area(secret.create_gc(), text, 0, to, SECRET.w, SECRET.h, 0, 0)
            secret.get_geometry()  # by the reply it is painted
            painter.fill(editor, 0x201030 * (number + 1), Box(0, 0, 300, 60))  # not tall
            capture.until(partial(_has_more, capture, count), "reporting digests")
    places = {place for digests in digests_of(capture)[1:] for place in digests}
    inside = {place for place in places if _touches(place, SECRET)}
    assert places - inside
    assert bool(inside) is not excluded
    assert any(unpack_patches(row.patches) for row in capture.of(TileDigests)[1:]) is not excluded


def _touches(place: Place, box: Box) -> bool:
    x, y = place
    return x < box.x + box.w and box.x < x + TILE and y < box.y + box.h and box.y < y + BAND


def _has_more(capture: RunningCapture, count: int) -> bool:
    return len(capture.of(TileDigests)) > count


def text_of(window: Any, lines: int = 60) -> Any:
    """Return a picture on the server with lines of marks as long as words, taller than a window."""
    rng = random.Random(3)  # same marks in each run
    picture = window.create_pixmap(EDITOR.w, 20 * lines, window.get_geometry().depth)
    context = picture.create_gc(foreground=0xFFFFFF)
    picture.fill_rectangle(context, 0, 0, EDITOR.w, 20 * lines)
    context.change(foreground=0x202020)
    marks = [
        (x, 20 * line + row, rng.randint(4, 40), 1)
        for line in range(lines)
        for row in range(3, 14)
        for x in range(0, EDITOR.w, 44)
    ]
    picture.poly_fill_rectangle(context, marks)
    return picture


def scrolled(capture: RunningCapture, window: Any, text: Any, to: int) -> frozenset[int]:
    count = len(capture.of(TileDigests))
    context = window.create_gc()
    window.copy_area(context, text, 0, to, EDITOR.w, EDITOR.h, 0, 0)
    window.get_geometry()  # by the reply it is painted
    capture.until(partial(_has_more, capture, count), "reporting digests")
    return unpack_patches(capture.of(TileDigests)[count].patches)


def test_a_text_that_is_scrolled_back_on_a_desktop_has_its_patches(
    bare_desktop: VirtualDesktop, painter: Painter
) -> None:
    """Some lines further most of them are still there, pages further none; by places nothing would be the same."""
    editor = painter.window("Editor", EDITOR)
    painter.activate(editor)
    text = text_of(editor)
    with capturing(bare_desktop) as capture:
        capture.frame_after(0)
        first, lines_on, pages_on, back = [scrolled(capture, editor, text, to) for to in (0, 57, 700, 13)]
        tiles = digests_of(capture)[-4:]
    assert len(first) >= 8
    assert len(first & lines_on) > len(first) // 2
    assert not first & pages_on
    assert len(first & back) > len(first) // 2
    assert not tiles[0].items() & tiles[3].items()
