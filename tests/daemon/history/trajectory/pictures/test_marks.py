"""Copies of pictures with the act drawn in: where the red is, what is cut, and which pictures are refused."""

import struct
import tempfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import simplejpeg
from numpy.typing import NDArray

from daemon.history.trajectory.pictures import decoding
from daemon.history.trajectory.pictures.decoding import as_jpegs, decode_picture, picture_size
from daemon.history.trajectory.pictures.marks import RED, Marks, cut, draw, mark_step, marks_of
from daemon.history.trajectory.trajectory import Step, StepAction, Target
from storage.errors import BadFile
from storage.limited_child import run_limited
from storage.records import Box
from tests.fakes.sessions.trajectory_files import GREY, grey, jpeg, png, png_of


def step(verb: str, box: Box | None = None, **args: str | float) -> Step:
    target = None if box is None else Target(box=box)
    return Step(number=1, at_s=0.0, app="a", action=StepAction(verb=verb, args=args), target=target)


def red(pixels: NDArray[np.uint8]) -> set[tuple[int, int]]:
    rows, columns = np.nonzero((pixels == RED).all(axis=2))
    return set(zip(columns.tolist(), rows.tolist(), strict=True))


def test_a_frame_runs_round_the_target_and_covers_nothing_of_it() -> None:
    pixels = grey(200, 100)
    draw(pixels, Marks(box=Box(50, 40, 30, 10)))
    found = red(pixels)
    assert {(45, 40), (84, 45), (60, 35), (60, 54)} <= found
    assert (pixels[40:50, 50:80] == GREY).all()
    assert min(x for x, _ in found) == 44
    assert max(y for _, y in found) == 55


def test_marks_at_the_edge_stay_in_the_picture() -> None:
    pixels = grey(50, 50)
    draw(pixels, Marks(box=Box(0, 0, 50, 50), point=(0, 0), arrow=((0, 0), (49, 49))))
    assert red(pixels)
    size, area = (50, 50), Box(0, 0, 50, 50)
    assert marks_of(step("click", Box(100, 0, 5, 5), x=200, y=3), size, area) == Marks()
    assert marks_of(step("click", Box(-5, 45, 10, 10)), size, area) == Marks(box=Box(0, 45, 5, 5))


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (step("click", x=10, y=20), Marks(point=(5, 10))),
        (step("click", x_share=0.5, y_share=0.25), Marks(point=(50, 12.5))),
        (step("type", Box(10, 20, 40, 20), count=3), Marks(box=Box(5, 10, 20, 10))),
        (step("drag", x=10, y=20, to_x=30, to_y=40), Marks(arrow=((5, 10), (15, 20)))),
        (step("drag", x=10, y=20), Marks()),
        (step("scroll", way="down", steps=3), Marks(arrow=((50, 25), (50, 32.5)))),
        (step("scroll", Box(0, 0, 20, 20), way="left"), Marks(box=Box(0, 0, 10, 10), arrow=((5, 5), (-2.5, 5)))),
        (step("key", key="undo"), Marks()),
    ],
)
def test_a_tap_has_a_plus_and_a_drag_an_arrow(one: Step, expected: Marks) -> None:
    """Points of the desktop are scaled to the picture, which is half its size here."""
    found = marks_of(one, (100, 50), Box(0, 0, 200, 100))
    assert (found.box, found.point) == (expected.box, expected.point)
    assert (found.arrow is None) == (expected.arrow is None)
    if found.arrow and expected.arrow:
        assert np.allclose(found.arrow, expected.arrow)


def test_a_high_page_is_cut_with_the_target_a_third_from_the_top() -> None:
    page = np.arange(2000, dtype=np.uint32)[:, None, None].repeat(100, axis=1).astype(np.uint8)
    rows = np.arange(2000)
    for middle, first in ((1000.0, 950), (10.0, 0), (1990.0, 1850), (None, 0)):
        found = cut(page, middle)
        assert found.shape[0] == 150
        assert found[0, 0, 0] == rows[first] % 256
    assert cut(page[:150], 100.0).shape[0] == 150


@pytest.mark.parametrize("raw", [png(200, 100), jpeg(200, 100)])
def test_a_marked_copy_is_a_jpeg_with_red_where_the_act_was(raw: bytes) -> None:
    before = bytes(raw)
    one = step("click", Box(50, 40, 30, 10), x=60, y=45)
    marked = mark_step(raw, one)
    assert raw == before
    if raw == jpeg(200, 100):
        assert marked == mark_step(raw, one)
    pixels = simplejpeg.decode_jpeg(marked)
    red_less_green = pixels[..., 0].astype(int) - pixels[..., 1]
    assert red_less_green[38, 60] > 100
    assert red_less_green[90, 150] < 10


def test_pictures_of_both_kinds_are_converted_in_their_order() -> None:
    found = as_jpegs([png(30, 20), jpeg(40, 20), png(50, 20)])
    assert [picture_size(image) for image in found] == [(30, 20), (40, 20), (50, 20)]
    assert found[1] == jpeg(40, 20)


def test_pictures_on_their_way_have_no_name_that_a_kill_could_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[Path]] = []

    def looked(*arguments: Any, **named: Any) -> str:
        done = run_limited(*arguments, **named)
        seen.append(list(tmp_path.iterdir()))
        return done

    monkeypatch.setattr(decoding, "run_limited", looked)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert len(as_jpegs([png(30, 20)])) == 1
    assert seen == [[]]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"GIF89a" + bytes(100),
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff" + bytes(100),
        jpeg()[:40],
        png()[:60],
        png_of(struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0), zlib.compress(bytes(1000))),
        png_of(struct.pack(">IIBBBBB", 0, 10, 8, 2, 0, 0, 0), b""),
        png_of(struct.pack(">IIBBBBB", 100_000, 1, 8, 2, 0, 0, 0), b""),
    ],
)
def test_a_picture_that_is_none_damaged_or_huge_is_refused(raw: bytes) -> None:
    """What a head claims is compared before anything is decoded."""
    with pytest.raises(BadFile):
        decode_picture(raw)


def test_a_plus_has_two_arms_and_an_arrow_a_head() -> None:
    plus, arrow = grey(300, 300), grey(300, 300)
    draw(plus, Marks(point=(100, 100)))
    assert {(90, 100), (110, 100), (100, 90), (100, 110)} <= red(plus)
    assert (110, 110) not in red(plus)
    draw(arrow, Marks(arrow=((50, 150), (250, 150))))
    found = red(arrow)
    spread = {x: max(y for at, y in found if at == x) - 150 for x in (60, 230)}
    assert spread[230] > 10 > spread[60]


def test_a_whole_page_is_cut_only_where_pictures_are_pages() -> None:
    """A phone's screen is higher than that and stays whole."""
    one = step("click", Box(10, 400, 30, 10))
    assert picture_size(mark_step(jpeg(100, 500), one, whole_page=True)) == (100, 150)
    assert picture_size(mark_step(jpeg(100, 500), one)) == (100, 500)
