"""GIMP 2.10 with tasks: people paint and fill where nothing is taken, since a small selection elsewhere is on.

The view shows a part of the picture, so that what is drawn in it is always on the picture. Places are pixels from the
main window's top left corner, measured with an empty profile at 96 dpi; negative ones count from its far edges.
"""

import random
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.pixels import differing_pixels, grab_pixels
from demo.virtual_desktop.windows import Point, inside, poll
from lab.simulation.programs.debian_program import DebianProgram
from lab.simulation.programs.main_window import MainWindow
from lab.simulation.simulated_user import SimulatedUser
from storage.records import Box

Colour = tuple[int, int, int]
"""Red, green, blue."""

_LEFT, _TOP, _BOTTOM, _SCROLL_BAR, _MARGIN = 208, 86, 51, 19, 50
"""The canvas begins at (LEFT, TOP) and ends at the right dock and its own scroll bar, BOTTOM above the lower edge."""

_FOREGROUND, _SWAP = (80, 148), (108, 145)
_MENUS_Y, _MENUS_X = 13, (18, 54, 98)
_BUCKET, _RECTANGLE = "shift+b", "r"
_LEAST = 250
"""Pixels; the ants around a selection change fewer."""

_ALIKE = 90
_MAXIMISED_SHARE = 0.35
_GLANCE_S = 0.12
_GROUNDS: tuple[Colour, ...] = ((236, 232, 222), (226, 234, 240), (240, 240, 236), (222, 232, 222), (244, 228, 214))
_VIVID: tuple[Colour, ...] = (
    (196, 62, 58), (52, 96, 180), (60, 140, 84), (226, 160, 44), (120, 72, 150), (40, 140, 150), (90, 60, 44),
)  # fmt: skip


class GimpProgram(DebianProgram):
    """Painting on one picture, in a window at a size and place of the seed's choice."""

    name = "gimp-tasks"
    packages = "gimp fonts-dejavu-core"

    def __init__(self, user: SimulatedUser) -> None:
        super().__init__(user)
        self._zoom = self.rng.choice((1, 2))
        self._dock = self.rng.randint(205, 250)
        self._moved = self._selected = False

    def open(self, desktop: VirtualDesktop) -> None:
        """Start GIMP with a painted picture, at a size and place of the seed's choice, and show a part of it."""
        self.desktop = desktop
        maximised = self.user.chance(_MAXIMISED_SHARE)
        width, height = self.rng.randint(1240, 1640), self.rng.randint(790, 960)
        place = Box(self.rng.randint(10, 1900 - width), self.rng.randint(30, 1010 - height), width, height)
        profile = desktop.directory / "config" / "GIMP" / "2.10"
        _write_profile(profile, place, maximised=maximised, dock=self._dock)
        across = (1920 if maximised else width) - _LEFT - self._dock + self.rng.randint(90, 240)
        down = int((1060 if maximised else height) * self.rng.uniform(1.7, 2.1))
        name = self.rng.choice(("poster", "picture", "sketch", "cover", "flyer"))
        path = desktop.directory / "home" / f"{name}.png"
        _paint(path, (across // self._zoom, down // self._zoom), self.rng)
        desktop.spawn(["gimp", "-s", str(path)], "gimp")
        self._main = MainWindow(self.user, desktop, desktop.windows.wait("Gimp", name, timeout_s=120))
        poll(self.main.is_front, what="activating GIMP", timeout_s=30)
        self.hands.wait(3.0)  # docks are laid out after the window is there; nothing announces the end
        self.hands.move(*self._somewhere())
        self._reset_view()
        self.hands.wait(0.5)

    def settle(self) -> None:
        """Get out of everything, with nothing selected and the view as it was at first."""
        super().settle()
        self.hands.chord("Escape")
        self._deselect()  # Escape may have taken the selection back
        if self._moved:
            self._reset_view()

    def _reset_view(self) -> None:
        self.hands.chord(str(self._zoom))
        self.hands.chord("shift+j")
        self.hands.wait(0.2)
        self._moved = False

    def content_box(self) -> Box:
        """Return the visible part of the picture, less a margin."""
        box = self.main.box
        left, top = inside(box, _LEFT + _MARGIN, _TOP + _MARGIN)
        right, bottom = inside(box, -self._dock - _SCROLL_BAR - _MARGIN, -_BOTTOM - _MARGIN)
        return Box(left, top, right - left, bottom - top)

    def has_changed(self, before: bytes) -> bool:
        """Return whether the picture is another than it was."""
        return differing_pixels(before, self.state()) > _LEAST

    def work(self) -> None:
        """Paint some strokes, or fill an area."""
        self._deselect()
        if self.user.chance(0.7):
            self.hands.chord("p")
            for _ in range(self.rng.randint(2, 4)):
                self._line()
                self.user.think(0.5)
        else:
            self._fill_well()

    def look_over(self) -> None:
        """Turn the wheel over the picture, and back."""
        steps = self.rng.choice((-3, -2, 2, 3))
        self.hands.move(*self._somewhere())
        self.hands.scroll(steps)
        self.hands.wait(self.hands.about(0.6))
        self.hands.scroll(-steps)

    def places(self) -> Sequence[Point]:
        """Return places on the picture, and titles of menus."""
        main = self.main.box
        return [*(self._somewhere() for _ in range(7)), *((main.x + x, main.y + _MENUS_Y) for x in _MENUS_X)]

    def _somewhere(self) -> Point:
        box = self.content_box()
        return box.x + self.rng.randint(0, box.w), box.y + self.rng.randint(0, box.h)

    def _contrasting(self) -> Point:
        """Return a place whose colour is not the foreground's; swap the two colours if there seems to be none."""
        box = self.content_box()
        ink = self._colour(inside(self.main.box, *_FOREGROUND))
        self.hands.wait(self.hands.about(_GLANCE_S))  # looking takes a person a moment
        for _ in range(20):
            point = box.x + self.rng.randint(0, box.w * 3 // 4), box.y + self.rng.randint(0, box.h * 3 // 4)
            if sum(abs(one - other) for one, other in zip(self._colour(point), ink, strict=True)) > _ALIKE:
                return point
        if self.user.by_key():
            self.hands.chord("x")
        else:
            self.hands.click(*self.main.at(*_SWAP))
        return point

    def _colour(self, point: Point) -> Colour:
        blue, green, red = grab_pixels(self.desktop.display, Box(*point, 1, 1))[:3]
        return red, green, blue

    def _zoom_by(self, keys: str) -> None:
        self.hands.chord(keys)
        self._moved = True
        self.hands.wait(0.3)

    def _select_little(self) -> None:
        """Select a few pixels near the upper left corner, as if from what was done before."""
        self._deselect()
        box = self.content_box()
        x, y = box.x - self.rng.randint(8, 20), box.y - self.rng.randint(8, 20)
        self.hands.chord(_RECTANGLE)
        self.hands.wait(0.2)
        self.hands.drag((x - 12, y - 12), (x, y))
        self.hands.wait(0.3)

    def _deselect(self) -> None:
        self.hands.chord("shift+ctrl+a")
        self.hands.wait(0.2)

    def _line(self) -> None:
        """Drag from a contrasting place to another one in the view, 110 to 380 pixels across."""
        x, y = self._contrasting()
        box = self.content_box()
        across, down = self.rng.choice((-1, 1)) * self.rng.randint(110, 380), self.rng.randint(-190, 190)
        end_x = x + across if box.x <= x + across <= box.x + box.w else x - across
        end = min(max(end_x, box.x), box.x + box.w), min(max(y + down, box.y), box.y + box.h)
        self.hands.drag((x, y), end)
        self.hands.wait(0.3)

    def _paint_by(self, tool: str) -> None:
        self.hands.chord(tool)
        self.hands.wait(0.2)
        self._line()

    def _dab(self, _number: int) -> None:
        """Click here and there with the brush."""
        self.hands.chord("p")
        for _ in range(self.user.count(1, 3)):
            self.hands.click(*self._somewhere())
            self.hands.wait(0.3)

    def _paint_well(self) -> None:
        self._deselect()
        self._paint_by("p")

    def _fill_by(self, colours: str) -> None:
        """Click with the bucket, after a change of the colours."""
        if colours:
            self.hands.chord(colours)
            self.hands.wait(0.2)
        self.hands.chord(_BUCKET)
        self.hands.click(*self._somewhere())
        self.hands.wait(0.4)

    def _fill_well(self) -> None:
        self._deselect()
        self.hands.chord(_BUCKET)
        self.hands.click(*self._contrasting())
        self.hands.wait(0.4)


def _write_profile(folder: Path, window: Box, *, maximised: bool, dock: int) -> None:
    """Write a profile that asks no questions and opens the one window at a place, with a right dock of a width."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "gimprc").write_text("(confirm-on-close no)\n(check-updates no)\n(num-processors 1)\n")
    book = "        (book{} (current-page 0)\n{})\n"
    entry = '            (dockable "gimp-{}" (tab-style automatic) (aux-info (show-button-bar "true")))\n'
    tools = "".join(entry.format(name) for name in ("tool-options", "device-status", "undo-history", "image-list"))
    brushes = "".join(entry.format(name) for name in ("brush-grid", "pattern-grid", "font-list", "document-list"))
    layers = "".join(entry.format(name) for name in ("layer-list", "channel-list", "vectors-list"))
    (folder / "sessionrc").write_text(
        '(session-info "toplevel"\n    (factory-entry "gimp-single-image-window")\n'
        f"    (position {window.x} {window.y})\n    (size {window.w} {window.h})\n    (open-on-exit)\n"
        f'    (aux-info (left-docks-width "188") (right-docks-width "{dock}")'
        f' (maximized "{"yes" if maximised else "no"}"))\n'
        f"    (gimp-toolbox (side left)\n{book.format('', tools)}    )\n"
        f"    (gimp-dock (side right)\n{book.format('', brushes)}{book.format(' (position 336)', layers)}    ))\n"
        "(hide-docks no)\n(single-window-mode yes)\n(tabs-position 0)\n(last-tip-shown 0)\n"
    )


def _paint(path: Path, size: tuple[int, int], rng: random.Random) -> None:
    """Write a PNG of `size` (width, height) with shapes all over it, so that opening it asks no questions."""
    width, height = size
    pixels: NDArray[np.uint8] = np.empty((height, width, 3), np.uint8)
    pixels[:] = rng.choice(_GROUNDS)
    ys, xs = np.ogrid[:height, :width]
    for _ in range(rng.randint(14, 22)):
        x, y = rng.randrange(width), rng.randrange(height)
        across, down = rng.randint(width // 16, width // 6), rng.randint(height // 24, height // 10)
        if rng.choice((True, False)):
            covered = (abs(xs - x) <= across) & (abs(ys - y) <= down)
        else:
            covered = ((xs - x) / across) ** 2 + ((ys - y) / down) ** 2 <= 1
        pixels[covered] = rng.choice(_VIVID)
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, width * 3)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = (_chunk(b"IHDR", header), _chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)), _chunk(b"IEND", b""))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(parts))


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
