"""The redacted picture, from a screen made of arrays: what is kept, what is reported, what is scaled."""

from types import ModuleType
from typing import Any

import numpy as np
import pytest
from av import VideoFrame
from av.video.reformatter import ColorRange, Colorspace
from hypothesis import given
from hypothesis import strategies as st

from daemon.capture import diff
from daemon.capture.diff import BAND, TILE, Pixels
from daemon.capture.fence.rules import Zones
from daemon.capture.picture_ring import PictureRing
from daemon.capture.pictures import Scaler, _plane
from daemon.capture.scene import Monitor, contains, intersection
from daemon.capture.screen import FILL, LEARN, RedactedScreen, clustered
from storage.clock import NS_PER_S
from storage.records import Box, Frame
from storage.session.video import VideoPlan
from storage.settings import CaptureSettings

MONITOR = Monitor(name="left", box=Box(100, 50, 640, 320))
SECRET = 200


class PixelDesktop:
    """A desktop of plain pixels that hands out copies of its parts, and remembers which."""

    def __init__(self, width: int = 800, height: int = 400) -> None:
        self.pixels: Pixels = np.zeros((height, width, 4), np.uint8)
        self.grabbed: list[Box] = []

    def grab(self, box: Box) -> Pixels:
        self.grabbed.append(box)
        return self.pixels[box.y : box.y + box.h, box.x : box.x + box.w].copy()

    def paint(self, box: Box, value: int) -> Box:
        self.pixels[box.y : box.y + box.h, box.x : box.x + box.w, :3] = value
        return box


class Stage:
    """A screen over a desktop of pixels, with the first frame taken."""

    def __init__(self) -> None:
        self.desktop = PixelDesktop()
        self.screen = RedactedScreen(self.desktop.grab, MONITOR, b"k" * 16)
        self.now_ns = 0
        assert self.changed().changed == (Box(0, 0, MONITOR.box.w, MONITOR.box.h)._replace(x=100, y=50),)
        self.desktop.grabbed.clear()

    def frame(
        self, *damage: Box, zones: Zones | None = None, later: Zones | None = None, input_active: bool = True
    ) -> Frame | None:
        self.now_ns += NS_PER_S
        raw = self.screen.grab(damage, zones or Zones(), self.now_ns)
        return self.screen.redact(raw, later or zones or Zones(), input_active=input_active)

    def changed(self, *damage: Box, **more: Any) -> Frame:
        frame = self.frame(*damage, **more)
        assert frame is not None
        return frame

    def shows(self, value: int) -> bool:
        return bool((self.screen.canvas[:, :, :3] == value).any())


def _covered(*boxes: Box) -> Zones:
    return Zones(covered=frozenset(boxes))


def test_only_what_was_painted_is_grabbed() -> None:
    """A small change costs a small grab, and its tile is reported in desktop pixels."""
    stage = Stage()
    frame = stage.changed(stage.desktop.paint(Box(170, 90, 4, 4), 9))
    assert frame.changed == (Box(164, 82, 64, 32),)
    assert stage.desktop.grabbed == [Box(164, 82, 64, 32)]
    assert stage.frame() is None


def test_painting_the_same_again_is_no_frame() -> None:
    """Damage without a difference is nothing."""
    stage = Stage()
    assert stage.frame(Box(170, 90, 40, 40)) is None


def test_covered_pixels_are_never_kept() -> None:
    """They are filled before the comparison, whether the window was known before the grab or only after it.

    Without a fence they are found (the control).
    """
    for known_before in (True, False):
        stage = Stage()
        secret = Box(300, 100, 100, 100)
        stage.desktop.paint(secret, SECRET)
        zones = _covered(secret)
        frame = stage.changed(secret, zones=zones if known_before else Zones(), later=zones)
        assert frame.covered == (secret,)
        assert not stage.shows(SECRET)
        assert stage.shows(FILL)
    stage = Stage()
    assert stage.frame(stage.desktop.paint(secret, SECRET)) is not None
    assert stage.shows(SECRET)


def test_what_is_uncovered_is_grabbed_anew() -> None:
    """When the rectangle opens again, its pixels come back without having been painted."""
    stage = Stage()
    place = stage.desktop.paint(Box(300, 100, 100, 100), 7)
    stage.frame(place, zones=_covered(place))
    assert not stage.shows(7)
    stage.changed()
    assert stage.shows(7)
    assert not stage.shows(FILL)


def test_changes_inside_a_covered_window_are_no_frame() -> None:
    """Typing into an excluded window changes nothing that is kept, and is not even grabbed."""
    stage = Stage()
    secret = Box(300, 100, 100, 100)
    stage.frame(secret, zones=_covered(secret))
    stage.desktop.grabbed.clear()
    assert stage.frame(stage.desktop.paint(Box(310, 110, 30, 30), SECRET), zones=_covered(secret)) is None
    assert stage.desktop.grabbed == []


def test_our_own_windows_keep_the_pixels_under_them() -> None:
    """Nothing changes while ours come, repaint and go; what changed under them is found when they are gone."""
    stage = Stage()
    ours = Box(300, 100, 100, 100)
    zones = Zones(own=frozenset({ours}))
    assert stage.frame(stage.desktop.paint(ours, 33), zones=zones) is None
    assert stage.frame(stage.desktop.paint(ours, 34), zones=zones) is None
    near = stage.changed(stage.desktop.paint(Box(290, 90, 20, 20), 5), zones=zones)
    assert near.own == (ours,)
    assert not stage.shows(34)
    stage.desktop.paint(ours, 0)
    assert stage.frame() is None
    assert stage.frame(stage.desktop.paint(Box(320, 120, 9, 9), 6), zones=zones) is None
    assert stage.frame() is not None
    assert stage.shows(6)


def test_what_is_held_back_appears_with_the_next_frame() -> None:
    """A periodic change is reported as soon as something else changes, with its newest pixels."""
    stage = Stage()
    caret, other = Box(170, 90, 2, 14), Box(500, 300, 40, 20)
    for number in range(LEARN):
        assert stage.frame(stage.desktop.paint(caret, 10 + number), input_active=False) is not None
    assert stage.frame(stage.desktop.paint(caret, 50), input_active=False) is None
    frame = stage.changed(stage.desktop.paint(other, 51), input_active=False)
    assert len(frame.changed) == 2
    assert stage.shows(50)


def test_a_discarded_grab_is_repeated() -> None:
    """After `invalidate` nothing is missing."""
    stage = Stage()
    place = stage.desktop.paint(Box(170, 90, 40, 40), 9)
    stage.screen.grab([place], Zones(), 1)
    stage.screen.invalidate()
    assert stage.frame() is not None
    assert stage.shows(9)


@given(
    st.lists(
        st.builds(Box, st.integers(0, 600), st.integers(0, 280), st.integers(1, 40), st.integers(1, 40)), max_size=8
    )
)
def test_clusters_hold_all_parts_in_few_grabs(parts: list[Box]) -> None:
    """Every part lies in a rectangle, they lie on the grid and inside, and there are at most three."""
    monitor = Box(0, 0, 640, 320)
    areas = clustered(parts, monitor)
    assert len(areas) <= 3
    for area in areas:
        assert area.x % TILE == 0
        assert area.y % BAND == 0
        assert intersection(area, monitor) == area
    for part in parts:
        for x, y in ((part.x, part.y), (part.x + part.w - 1, part.y + part.h - 1)):
            assert contains(areas, x, y)


@pytest.mark.parametrize("compiled", [diff.compiled, None])
@pytest.mark.parametrize(
    ("width", "height", "stored"),
    [(640, 320, 320), (1440, 648, 720), (640, 320, 160), (640, 320, 640), (1366, 768, 960)],
)
def test_scaling_only_what_changed_gives_the_same_bytes(
    width: int, height: int, stored: int, compiled: ModuleType | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A picture brought up to date equals one scaled as a whole, whatever changed."""
    monkeypatch.setattr(diff, "compiled", compiled)
    rng = np.random.default_rng(3)
    settings = CaptureSettings(store_width=stored)
    canvas = rng.integers(0, 256, (height, width, 4), dtype=np.uint8)
    updated = Scaler(settings, VideoPlan(300.0), None)
    updated.picture(canvas, (), 0)
    for number in range(1, 12):
        boxes = []
        for _ in range(3):
            x, y = int(rng.integers(0, width // TILE)) * TILE, int(rng.integers(0, height // BAND)) * BAND
            boxes.append(Box(x, y, min(TILE * number, width - x), min(BAND, height - y)))
            part = canvas[y : y + BAND, x : x + TILE * number]
            part[...] = rng.integers(0, 256, part.shape, dtype=np.uint8)
        picture = updated.picture(canvas, boxes, number * NS_PER_S)
        fresh = Scaler(settings, VideoPlan(300.0), None).picture(canvas, (), number * NS_PER_S)
        assert picture is not None
        assert fresh is not None
        assert (picture.planes == fresh.planes).all()
        assert picture.planes.shape == (picture.height * 3 // 2, picture.width)


def test_half_the_size_is_what_the_library_makes_of_areas() -> None:
    """To one of 256 steps, over all colours, in a picture that is a part of a larger one."""
    compiled = diff.compiled or pytest.skip("nothing was compiled here")
    colours = np.random.default_rng(4).integers(0, 256, (40, 72, 4), dtype=np.uint8).repeat(4, 0).repeat(4, 1)
    colours[:32, :, :3] = 255
    colours[32:64, :, :3] = 0
    area = colours[:, 64:]
    ours = [np.empty((80, 112), np.uint8), *np.empty((2, 40, 56), np.uint8)]
    compiled.halve(area, *ours)
    scaled = VideoFrame.from_numpy_buffer(area, format="bgra").reformat(
        112, 80, "yuv420p", dst_colorspace=Colorspace.ITU601, dst_color_range=ColorRange.JPEG, interpolation="AREA"
    )
    for plane, expected in zip(ours, scaled.planes, strict=True):
        assert np.abs(plane.astype(int) - _plane(expected)).max() <= 1


def test_a_picture_handed_over_does_not_change_any_more() -> None:
    """The next picture is another array, and the last one can be sent once more, once."""
    canvas = np.zeros((320, 640, 4), np.uint8)
    scaler = Scaler(CaptureSettings(store_width=320), VideoPlan(300.0), None)
    first = scaler.picture(canvas, (), 0)
    assert first is not None
    before = first.planes.copy()
    canvas[:] = 255
    second = scaler.picture(canvas, (Box(0, 0, 640, 320),), NS_PER_S)
    assert second is not None
    assert (first.planes == before).all()
    again = scaler.repeat(2 * NS_PER_S)
    assert again is not None
    assert again.repeat
    assert again.planes is second.planes
    assert again.ref != second.ref
    assert scaler.repeat(3 * NS_PER_S) is None


def test_pictures_for_detectors_go_into_the_ring() -> None:
    """Without a recording nothing is handed over, and the ring holds a JPEG of the stored size."""
    import simplejpeg

    ring = PictureRing(CaptureSettings())
    scaler = Scaler(CaptureSettings(store_width=320), None, ring)
    assert scaler.picture(np.full((320, 640, 4), 200, np.uint8), (), 5) is None
    ring.name(1, 5)
    jpeg = ring.jpeg(1)
    assert jpeg is not None
    assert simplejpeg.decode_jpeg_header(jpeg)[:2] == (160, 320)


def test_what_is_painted_under_a_veil_is_reported_and_not_read() -> None:
    """A browser that may be private: where it painted is a change, its pixels are never grabbed nor kept."""
    stage = Stage()
    veil, place = Box(200, 100, 200, 100), Box(230, 120, 20, 20)
    zones = Zones(veiled=frozenset({veil}))
    stage.frame(zones=zones)
    digests = set()
    for value in (SECRET, SECRET - 1):
        stage.desktop.grabbed.clear()
        frame = stage.changed(stage.desktop.paint(place, value), zones=zones)
        assert stage.desktop.grabbed == []
        assert frame.covered == (veil,)
        assert all(intersection(box, place) for box in frame.changed)
        assert frame.changed
        digests.add(frame.digest)
    assert len(digests) == 1
    assert not stage.shows(SECRET)
    outside = stage.changed(stage.desktop.paint(Box(500, 300, 10, 10), 120), zones=zones)
    assert outside.digest not in digests


def test_covered_wins_over_a_veil() -> None:
    """Where an excluded window lies over a veiled one, it is not told that anything was painted."""
    stage = Stage()
    veil = Box(200, 100, 200, 100)
    zones = Zones(veiled=frozenset({veil}), covered=frozenset({veil}))
    stage.frame(zones=zones)
    assert stage.frame(stage.desktop.paint(veil, SECRET), zones=zones) is None
