"""A campaign of random acts against the fence under sway: two monitors, menus and tips beyond the edge of their window.

What leaves the capture thread is searched: the canvas, pictures on their way to the video, tiles that get digests, and
the JPEGs that models are sent.
"""

import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from typing import Any

import numpy as np
import pytest
import simplejpeg

from daemon.capture.diff import Pixels
from daemon.capture.picture_ring import PictureRing
from daemon.capture.tile_digests import TileDigester
from daemon.capture.wayland.sway import SwayWindows
from demo.virtual_desktop.sway import SwayDesktop
from storage.clock import SystemClock
from storage.records import Box, Frame, Record, TileDigests
from storage.records.tiles import BAND, TILE, digested_tiles
from storage.settings import CaptureSettings, Settings
from tests.fakes.desktop.painter import RunningCapture, quarter_pixels, running

pytestmark = [pytest.mark.display, pytest.mark.slow]

SETTINGS = Settings(capture=CaptureSettings(active_fps=10.0, passive_fps=10.0))
MAGENTA = 0xFF00FF
_COMMAND = 0
FRAMES, CONTROL_FRAMES = 1000, 300
PLACES = {"canvas", "video", "digests", "models", "beyond an edge"}
HIDDEN_S = (0.0, 0.3), (1.2, 4.0)
"""The monitor stays closed for a second."""

STRAY = 8
"""Pixels of a colour in one JPEG that are put down to the codec."""

BUSY = 'while :; do printf "\\033[%d;%dH%s" $((RANDOM % 20)) $((RANDOM % 60)) $RANDOM; sleep 0.0$((RANDOM % 9)); done'
"""Paints here and there: what changes at one place alone is held back like a clock."""

LAYOUTS = (
    "floating enable, move position 30 20",
    "floating enable, move position 500 380",
    "floating disable, layout tabbed",
    "floating disable, layout splith",
    "fullscreen toggle",
    "move container to output HEADLESS-2",
    "move container to output HEADLESS-1",
    "focus",
)


def magenta(pixels: Pixels) -> int:
    """Return how many pixels are magenta, give or take what a codec does."""
    blue, green, red = (pixels[..., at] for at in range(3))
    return int(np.count_nonzero((blue > 200) & (green < 60) & (red > 200)))


class SearchedRing(PictureRing):
    """What models are sent, searched as it comes."""

    found = 0

    def put(self, t_ns: int, jpeg: bytes, area: Box | None = None) -> None:
        self.found += magenta(simplejpeg.decode_jpeg(jpeg, colorspace="BGR")) > STRAY
        super().put(t_ns, jpeg, area)


class Campaign(RunningCapture):
    """A capture whose pictures are searched where they are made."""

    def __init__(self) -> None:
        self.ring = SearchedRing(SETTINGS.capture)
        super().__init__(SETTINGS, ring=self.ring)
        self.found: Counter[str] = Counter()

    def _take(self, records: Sequence[Record]) -> None:
        super()._take(records)
        observer = self.thread._observer
        screen = observer._pictures._screen if observer is not None else None
        if screen is None or not any(isinstance(record, Frame) for record in records):
            return
        canvas = screen.canvas
        self.found["canvas"] += magenta(canvas) > 0
        inside = np.zeros(canvas.shape[:2], bool)
        for window in self.observer._fence.scene.windows:
            x, y = window.box.x - screen.monitor.box.x, window.box.y - screen.monitor.box.y
            if window.app != "foot" and x + window.box.w > 0 and y + window.box.h > 0:
                inside[max(0, y) : y + window.box.h, max(0, x) : x + window.box.w] = True
        self.found["beyond an edge"] += magenta(canvas[~inside]) > 0

    @property
    def all_found(self) -> dict[str, int]:
        """Return in how many pictures or digests magenta was found, by where; without what was not found."""
        video = sum(quarter_pixels(picture, MAGENTA) > 0 for picture in self.pictures)
        return dict(+(self.found + Counter({"video": video, "models": self.ring.found})))


class Magenta:
    """A program that is magenta all over, by orders."""

    def __init__(self, sway: SwayDesktop, app: str) -> None:
        argv = [sys.executable, "-m", "tests.fakes.desktop.magenta_program", app]
        self._process = subprocess.Popen(
            argv,
            env=sway.env | {"QT_QPA_PLATFORM": "wayland", "PYTHONPATH": ":".join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def do(self, word: str) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == f"{word}\n"

    def kill(self) -> None:
        with self._process:
            self._process.kill()


@contextmanager
def program(sway: SwayDesktop, app: str) -> Iterator[Magenta]:
    made = Magenta(sway, app)
    try:
        yield made
    finally:
        made.kill()


@pytest.fixture(scope="module")
def sway() -> Iterator[SwayDesktop]:
    with SwayDesktop((640, 480)) as desktop:
        desktop.command("create_output")
        desktop.command("output HEADLESS-2 resolution 640x480 position 640 0")
        desktop.command("focus output HEADLESS-1")
        desktop.spawn(["foot", "-o", "colors.background=00c000", "bash", "-c", BUSY], "foot")
        desktop.wait_for("foot")
        yield desktop


@pytest.mark.parametrize(("app", "frames"), [("KeePassXC", FRAMES), ("harmless", CONTROL_FRAMES)])
def test_nothing_excluded_leaves_capture(
    sway: SwayDesktop, monkeypatch: pytest.MonkeyPatch, app: str, frames: int
) -> None:
    """Of another window the same acts are found everywhere (the control), also beyond its edges."""
    rng, clock, capture = random.Random(frames), SystemClock(), Campaign()
    make = TileDigester.digests

    def searched(digester: TileDigester, frame: Frame, tiles: Any, canvas: Pixels, *more: Any) -> TileDigests | None:
        left, top = digester._monitor.x, digester._monitor.y
        seen = [canvas[y - top : y - top + BAND, x - left : x - left + TILE] for x, y in digested_tiles(frame)]
        capture.found["digests"] += any(map(magenta, seen))
        return make(digester, frame, tiles, canvas, *more)

    monkeypatch.setattr(TileDigester, "digests", searched)
    with running(capture, sway), closing(SwayWindows(sway.env, clock, sway.server_pid)) as windows:
        order = partial(windows._call, windows._queries, _COMMAND)
        rounds = 0
        while len(capture.of(Frame)) < frames and capture.all_found.keys() != PLACES:
            rounds += 1
            with program(sway, app) as other:
                for _ in range(rng.randint(1, 24)):
                    other.do("show")
                    for _ in range(rng.randint(0, 3)):
                        order(f"[app_id={app}] {rng.choice(LAYOUTS)}")  # which may not be there yet
                        other.do(rng.choice(["menu", "tip", "show"]))
                        clock.sleep_s(rng.uniform(0.0, 0.4))
                        other.do("shut")
                    other.do("hide")
                    order("focus output HEADLESS-1")
                    clock.sleep_s(rng.uniform(*rng.choice(HIDDEN_S)))
        print(f"{len(capture.of(Frame))} frames, {rounds} programs, found: {capture.all_found}")
    assert capture.all_found.keys() == (PLACES if app == "harmless" else set())
