"""What an excluded window painted through a hole of another one, before the fence knew of the hole."""

import os
from typing import Any

import pytest
from Xlib import X
from Xlib.ext import shape

from daemon.capture.fence.rules import LINGER_NS, Fence
from daemon.capture.scene import contains
from daemon.capture.x11.desktop import X11Backend
from demo.virtual_desktop.desktop import VirtualDesktop
from storage.clock import SystemClock
from storage.records import Box
from storage.settings import FenceSettings
from tests.fakes.desktop.painter import MAGENTA, Painter

pytestmark = pytest.mark.display

EDITOR, VAULT = Box(50, 50, 400, 400), Box(100, 100, 300, 300)
HOLE = Box(50, 100, 200, 150)
"""In coordinates of the editor."""


def cut(window: Any, hole: Box | None) -> None:
    w, h = EDITOR[2:]
    parts = [Box(0, 1, w, h - 1)]
    if hole is not None:
        right, bottom = hole.x + hole.w, hole.y + hole.h
        parts = [Box(0, 0, w, hole.y), Box(0, hole.y, hole.x, hole.h), Box(right, hole.y, w - right, hole.h)]
        parts.append(Box(0, bottom, w, h - bottom))
    boxes = [{"x": x, "y": y, "width": width, "height": height} for x, y, width, height in parts]
    window.shape_rectangles(shape.SO.Set, shape.SK.Bounding, X.Unsorted, 0, 0, boxes)
    window.get_geometry()


@pytest.mark.parametrize("changes", [1, 3])
def test_what_shows_through_a_hole_stays_covered_until_it_is_painted_over(
    bare_desktop: VirtualDesktop, painter: Painter, *, changes: int
) -> None:
    """Also where the hole changed several times between two looks: a shape is read as it is at the end."""
    vault = painter.window("KeePassXC", VAULT, colour=MAGENTA, popup=True)
    editor = painter.window("Editor", EDITOR, colour=None, popup=True)
    cut(editor, HOLE)
    painter.fill(editor, 0x20A040)
    clock = SystemClock()
    with bare_desktop.entered():
        backend, fence = X11Backend(clock), Fence(FenceSettings(), os.getpid())

        def look() -> None:
            backend.sync()
            fence.update(backend.take_scenes(), clock.now_ns())
            backend.watch_painting(on=fence.needs_painting, inside=fence.needs_painting_inside)

        for _ in range(3):
            look()
        for number in range(changes - 1):
            cut(editor, HOLE._replace(h=HOLE.h + 10 * (number % 2 == 0)))
        painter.fill(vault, MAGENTA)
        cut(editor, None)
        for _ in range(2):
            look()
            clock.sleep_s(LINGER_NS / 1e9 * 1.2)
        look()
        x, y = EDITOR.x + HOLE.x + 60, EDITOR.y + HOLE.y + 60
        assert int(painter.on_screen(Box(x, y, 1, 1))[0, 0]) == MAGENTA
        assert contains(tuple(fence.zones.hidden), x, y)
        backend.close()
