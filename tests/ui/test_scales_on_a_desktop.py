"""Ring and card at scales of 1 to 2 and on two monitors of different scale, in pixels of the root window."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np
import pytest
from Xlib import X, Xatom

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import poll
from storage.records import Box
from tests.fakes.desktop.monitors import MONITORS, SIZE, divide
from tests.fakes.desktop.painter import GREEN, Painter
from tests.fakes.desktop.ring_process import SIDES, Ring, overlap
from ui.spotlight import GAP
from ui.theme import LIGHT

pytestmark = pytest.mark.display

CARD_TITLE = "A card"
SURFACE = int(LIGHT.surface[1:], 16)
NEAR = 2
"""Pixels that the ring may lie off its place."""

REACH = 40
"""Pixels around a control in which its ring is looked for."""

CONTROLS = {
    "left": (Box(141, 123, 83, 31), Box(402, 307, 64, 22), Box(633, 250, 51, 45)),
    "right": (Box(1041, 121, 83, 31), Box(1302, 306, 64, 23), Box(1499, 251, 52, 45)),
}
"""Odd and even places and sizes: at 1.5 they fall on Qt's units and between them."""

WINDOWS = {"left": Box(40, 20, 760, 540), "right": Box(960, 20, 660, 540)}
SCALES: tuple[Mapping[str, str], ...] = (
    *({"QT_SCALE_FACTOR": scale} for scale in ("1", "1.5", "2")),
    *({"Xft.dpi": dpi} for dpi in ("96", "144", "192")),
    *(
        {"QT_SCREEN_SCALE_FACTORS": f"left={left};right={right}"}
        for left, right in (("1", "1.5"), ("1", "2"), ("1.5", "1"), ("2", "1"), ("1.5", "2"), ("2", "1.5"))
    ),
)


def gaps(painter: Painter, box: Box) -> tuple[int, int, int, int]:
    """Return the green pixels between a box and what is not green: left, right, above, below, `REACH` where all are."""
    around = Box(box.x - REACH, box.y - REACH, box.w + 2 * REACH, box.h + 2 * REACH)
    green = painter.on_screen(around) == GREEN
    row, column = green[REACH + box.h // 2], green[:, REACH + box.w // 2]
    lines = (row[:REACH][::-1], row[-REACH:], column[:REACH][::-1], column[-REACH:])
    left, right, above, below = (REACH if line.all() else int(np.argmin(line)) for line in lines)
    return left, right, above, below


def is_ringed(painter: Painter, box: Box) -> bool:
    """Return whether a ring lies around a box, within `NEAR` pixels on each side, and nothing of it on the box."""
    return bool((painter.on_screen(box) == GREEN).all() and all(abs(gap - GAP) <= NEAR for gap in gaps(painter, box)))


class Scaled:
    """A desktop of two monitors with a green window on each, and ring and card at some scales."""

    def __init__(self, desktop: VirtualDesktop, painter: Painter) -> None:
        self.desktop, self.painter = desktop, painter
        self._windows = {name: painter.window(name, box) for name, box in WINDOWS.items()}

    @contextmanager
    def at(self, scales: Mapping[str, str]) -> Iterator[Ring]:
        dpi = scales.get("Xft.dpi", "96")
        root = self.desktop.display.screen().root
        root.change_property(Xatom.RESOURCE_MANAGER, Xatom.STRING, 8, f"Xft.dpi:\t{dpi}\n".encode())
        self.desktop.display.sync()
        ring = Ring(self.desktop, {name: value for name, value in scales.items() if name.startswith("QT_")})
        try:
            yield ring
        finally:
            ring.close()

    def check_ring(self, ring: Ring, monitor: str) -> None:
        self.painter.activate(self._windows[monitor])
        self.painter.move(5, SIZE[1] - 5)
        for control in CONTROLS[monitor]:
            self._check_one(ring, control)

    def _check_one(self, ring: Ring, control: Box) -> None:
        painter = self.painter
        active = painter._active()
        ring.order("show", *control, "Click here")
        sides = ring.wait(SIDES + 1)
        poll(lambda: is_ringed(painter, control), what=f"ringing {control}")
        for x, y in ((20, 0), (-20, 0), (0, 20), (0, -20)):
            assert not is_ringed(painter, control._replace(x=control.x + x, y=control.y + y))
        assert painter._active() == active
        self._check_lets_through({side.xid for side in sides}, control)
        assert is_ringed(painter, control)
        ring.order("hide")
        ring.wait(0)
        poll(lambda: gaps(painter, control) == (REACH,) * 4, what="hiding the ring")

    def _check_lets_through(self, ours: set[int], control: Box) -> None:
        """Put the pointer on each side of the ring: what the server finds there is not ours."""
        across, down = control.x + control.w // 2, control.y + control.h // 2
        beside = GAP + NEAR + 1
        for x, y in (
            (control.x - beside, down),
            (control.x + control.w + beside, down),
            (across, control.y - beside),
            (across, control.y + control.h + beside),
        ):
            assert self.painter.on_screen(Box(x, y, 1, 1))[0, 0] != GREEN  # the ring is there
            self.painter.move(x, y)
            below = self.desktop.display.screen().root.query_pointer().child
            assert below != X.NONE
            assert below.id not in ours

    def check_card(self, ring: Ring, monitor: str) -> None:
        """Have a card come up with nobody in its corner, then with pointer and caret where it would stand first."""
        self.painter.activate(self._windows[monitor])
        area = MONITORS[monitor]
        left, right, bottom = area.x + 60, area.x + area.w - 60, area.y + area.h - 60
        caret = Box(right, area.y + 60, 2, 20)  # top right, the second corner
        for pointer in ((left, bottom), (right, bottom)):
            self.painter.move(*pointer)
            ring.order("card", *caret)
            card = poll(self._card, what="a card")
            assert card is not None
            assert area.x <= card.x < card.x + card.w <= area.x + area.w
            assert area.y <= card.y < card.y + card.h <= area.y + area.h
            assert not overlap(card, caret)
            assert not overlap(card, Box(*pointer, 1, 1))
            assert overlap(card, Box(right, bottom, 1, 1)) == (pointer[0] == left)  # it moves for the pointer alone
            ring.order("hide")
            poll(lambda: not self._cards(), what="taking the card away")

    def _cards(self) -> list[Box]:
        return [window.box for window in self.desktop.windows.list_all() if window.title == CARD_TITLE]

    def _card(self) -> Box | None:
        cards = self._cards()
        if len(cards) != 1:
            return None
        x, y, w, _height = cards[0]
        middle = self.painter.on_screen(Box(x + w // 2, y + 8, 1, 1))[0, 0]
        return cards[0] if middle == SURFACE and self._cards() == cards else None


@contextmanager
def two_monitors(wm: str) -> Iterator[Scaled]:
    with VirtualDesktop(SIZE, wm=wm, compositor=False, tray="none") as desktop:
        divide(desktop)
        painter = Painter(desktop)
        try:
            yield Scaled(desktop, painter)
        finally:
            painter.close()


def test_ring_and_card_on_two_monitors_of_different_scale() -> None:
    """At 1 on the left and 1.5 on the right: on the control within 2 pixels, and the card on the active monitor."""
    with two_monitors("openbox") as scaled, scaled.at({"QT_SCREEN_SCALE_FACTORS": "left=1;right=1.5"}) as ring:
        for monitor in MONITORS:
            scaled.check_ring(ring, monitor)
            scaled.check_card(ring, monitor)


@pytest.mark.slow
@pytest.mark.parametrize("wm", ["openbox", "xfwm4", "metacity"])
def test_ring_and_card_at_every_scale(wm: str) -> None:
    with two_monitors(wm) as scaled:
        for scales in SCALES:
            with scaled.at(scales) as ring:
                for monitor in MONITORS:
                    scaled.check_ring(ring, monitor)
                    scaled.check_card(ring, monitor)
