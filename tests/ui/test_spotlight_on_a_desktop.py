"""The ring on a real desktop: around the control, over nothing of it, and never in the way of keys or clicks."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from Xlib import X
from Xlib.ext import xtest

from evaluation.stage.desktop import VirtualDesktop
from evaluation.stage.windows import WindowInfo, poll
from storage.ports import SPOTLIGHT_TITLE
from storage.records import Box
from tests.fakes.painter import GREEN, Painter

pytestmark = pytest.mark.display

PUPPET = Path(__file__).parents[1] / "fakes" / "spotlight_puppet.py"
CONTROL = Box(140, 120, 80, 30)
SIDES = 4


class Ring:
    """The ring in a process of its own, moved by lines."""

    def __init__(self, desktop: VirtualDesktop, scale: int) -> None:
        self._desktop = desktop
        env = desktop.env | {"PYTHONPATH": os.pathsep.join(sys.path), "QT_SCALE_FACTOR": str(scale)}
        self._process = subprocess.Popen([sys.executable, str(PUPPET)], env=env, stdin=subprocess.PIPE, text=True)

    def order(self, *words: object) -> None:
        """Have it shown, moved or hidden."""
        assert self._process.stdin is not None
        self._process.stdin.write(" ".join(map(str, words)) + "\n")
        self._process.stdin.flush()

    def windows(self) -> list[WindowInfo]:
        """Return its windows."""
        return [one for one in self._desktop.windows.list_all() if one.title == SPOTLIGHT_TITLE]

    def wait(self, count: int) -> list[WindowInfo]:
        """Wait until it has so many windows."""
        return poll(lambda: found if len(found := self.windows()) == count else None, what=f"{count} windows") or []

    def end(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)


@contextmanager
def ringed(*, compositor: bool, scale: int = 1) -> Iterator[tuple[VirtualDesktop, Painter, Ring]]:
    """Yield a desktop with a plain green window in front, and a ring that is not shown yet."""
    with VirtualDesktop((900, 600), compositor=compositor, tray="none") as desktop:
        painter, ring = Painter(desktop), Ring(desktop, scale)
        try:
            painter.activate(painter.window("Editor", Box(50, 50, 700, 450)))
            yield desktop, painter, ring
        finally:
            ring.end()
            painter.close()


def overlap(first: Box, second: Box) -> bool:
    """Return whether two boxes share a pixel."""
    apart_x = first.x + first.w <= second.x or second.x + second.w <= first.x
    apart_y = first.y + first.h <= second.y or second.y + second.h <= first.y
    return not (apart_x or apart_y)


@pytest.mark.parametrize(("compositor", "scale"), [(False, 1), (True, 1), (False, 2)])
def test_the_ring_surrounds_a_control_and_lets_everything_through(*, compositor: bool, scale: int) -> None:
    """At scale 2 too, with a compositor and without: no pixel of the control changes, no click or focus is lost."""
    with ringed(compositor=compositor, scale=scale) as (desktop, painter, ring):
        active = painter._active()
        ring.order("show", *CONTROL, "Click here")
        sides = ring.wait(SIDES + 1)
        for side in sides:
            assert not overlap(side.box, CONTROL)
        left, top = min(one.box.x for one in sides), min(one.box.y for one in sides)
        assert CONTROL.x - 12 * scale <= left < CONTROL.x
        assert CONTROL.y - 12 * scale <= top < CONTROL.y
        x, y = CONTROL.x + CONTROL.w // 2, CONTROL.y - 4 * scale
        strip = Box(x, top, 1, CONTROL.y - top)
        poll(lambda: bool((painter.on_screen(strip) != GREEN).any()), what="painting the ring")
        assert (painter.on_screen(CONTROL) == GREEN).all()
        assert painter._active() == active
        pointer = desktop.display.screen().root
        xtest.fake_input(desktop.display, X.MotionNotify, x=x, y=y)
        desktop.display.sync()
        below = pointer.query_pointer().child
        assert below != X.NONE
        assert below.id not in {one.xid for one in sides}  # the pointer is over the ring, and the server says: editor


def test_the_ring_follows_and_leaves() -> None:
    """Moved, it stands elsewhere with the same windows; hidden, none is left, and moving brings nothing back."""
    with ringed(compositor=False) as (_, _painter, ring):
        ring.order("show", *CONTROL)
        before = ring.wait(SIDES)
        ring.order("move", CONTROL.x + 100, CONTROL.y + 50, CONTROL.w, CONTROL.h)
        moved = {one.xid: Box(one.box.x + 100, one.box.y + 50, *one.box[2:]) for one in before}
        poll(lambda: {one.xid: one.box for one in ring.windows()} == moved, what="moving")
        ring.order("hide")
        ring.wait(0)
        ring.order("move", *CONTROL)
        ring.order("show", *CONTROL)
        ring.wait(SIDES)
