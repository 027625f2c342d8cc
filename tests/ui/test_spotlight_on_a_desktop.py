"""The ring on a real desktop: around the control, over nothing of it, and never in the way of keys or clicks."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from Xlib import X
from Xlib.ext import xtest

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import poll
from storage.records import Box
from tests.fakes.desktop.painter import GREEN, Painter
from tests.fakes.desktop.ring_process import SIDES, Ring, overlap

pytestmark = pytest.mark.display

CONTROL = Box(140, 120, 80, 30)


@contextmanager
def ringed(*, compositor: bool, scale: int = 1) -> Iterator[tuple[VirtualDesktop, Painter, Ring]]:
    with VirtualDesktop((900, 600), compositor=compositor, tray="none") as desktop:
        painter, ring = Painter(desktop), Ring(desktop, {"QT_SCALE_FACTOR": str(scale)})
        try:
            painter.activate(painter.window("Editor", Box(50, 50, 700, 450)))
            yield desktop, painter, ring
        finally:
            ring.close()
            painter.close()


@pytest.mark.parametrize(("compositor", "scale"), [(False, 1), (True, 1), (False, 2)])
def test_the_ring_surrounds_a_control_and_lets_everything_through(*, compositor: bool, scale: int) -> None:
    """At scale 2 too, with a compositor and without: no pixel of the control changes, no click or focus is lost."""
    with ringed(compositor=compositor, scale=scale) as (desktop, painter, ring):
        active = painter._active()
        ring.order("show", *CONTROL, "Click here")
        sides = ring.wait(SIDES + 1)
        for side in sides:
            assert not overlap(side.box, CONTROL)
        left, top = min(window.box.x for window in sides), min(window.box.y for window in sides)
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
        assert below.id not in {
            window.xid for window in sides
        }  # the pointer is over the ring, and the server says: editor


def test_the_ring_follows_and_leaves() -> None:
    with ringed(compositor=False) as (_, _painter, ring):
        ring.order("show", *CONTROL)
        before = ring.wait(SIDES)
        ring.order("move", CONTROL.x + 100, CONTROL.y + 50, CONTROL.w, CONTROL.h)
        moved = {window.xid: Box(window.box.x + 100, window.box.y + 50, *window.box[2:]) for window in before}
        poll(lambda: {window.xid: window.box for window in ring.windows()} == moved, what="moving")
        ring.order("hide")
        ring.wait(0)
        ring.order("move", *CONTROL)
        ring.order("show", *CONTROL)
        ring.wait(SIDES)
