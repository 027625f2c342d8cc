"""A PIN is clicked on a pad that nobody knows, in a real window: without its picture each click would tell a digit."""

import pytest

from daemon.capture.fence import key_grid
from demo.virtual_desktop.desktop import VirtualDesktop
from storage.clock import SystemClock
from storage.records import Box, EventKind, Frame, InputEvent
from tests.fakes.desktop.painter import Painter, capturing

pytestmark = pytest.mark.display

PAD = Box(200, 150, 188, 248)
KEY = 60, 60
LIGHT, DARK, PRESSED = 0xE0E0E0, 0xA0A0A0, 0x808080
PIN = "31415926535897"
PERSON_S = 0.25


def key_of(digit: str) -> Box:
    place = "123456789*0#".index(digit)
    return Box(4 + place % 3 * 60, 4 + place // 3 * 60, *KEY)


@pytest.mark.parametrize("looks", [True, False])
def test_clicks_on_an_unknown_keyboard_spell_nothing(
    bare_desktop: VirtualDesktop, painter: Painter, monkeypatch: pytest.MonkeyPatch, *, looks: bool
) -> None:
    """Neither where it was clicked nor where a pressed key changed its look; the control finds all 14 digits."""
    if not looks:
        monkeypatch.setattr(key_grid, "is_key_grid", lambda _: False)
    pad = painter.window("Pad", PAD, colour=DARK)
    for digit in "123456789*0#":
        x, y, width, height = key_of(digit)
        painter.fill(pad, LIGHT, Box(x + 1, y + 1, width - 2, height - 2))
    with capturing(bare_desktop, pictures=False) as capture:
        capture.frame_after(0)
        painter.activate(pad)
        capture.keyboard_at("Pad")
        place = pad.translate_coords(painter.root, 0, 0)
        left, top = -place.x, -place.y
        since_ns = capture.clock.now_ns()
        for digit in PIN:
            x, y, width, height = key_of(digit)
            painter.click(left + x + width // 2, top + y + height // 2, held_s=0.05)
            for colour in (PRESSED, LIGHT):
                painter.fill(pad, colour, Box(x + 1, y + 1, width - 2, height - 2))
                SystemClock().sleep_s(PERSON_S)
        presses = [event for event in capture.of(InputEvent) if event.kind is EventKind.BUTTON_DOWN]
        capture.until(lambda: len(capture.of(InputEvent)) >= 2 * len(PIN), "the clicks")
    presses = [event for event in capture.of(InputEvent) if event.kind is EventKind.BUTTON_DOWN]
    places = [(event.x, event.y) for event in capture.of(InputEvent) if event.x is not None]
    changed = {box for frame in capture.of(Frame) if frame.t_ns >= since_ns for box in frame.changed}
    assert len(presses) == len(PIN)
    if looks:
        assert places == []
        assert all(box.w >= PAD.w and box.h >= PAD.h for box in changed)
    else:
        digits = {(event.x, event.y): digit for event, digit in zip(presses, PIN, strict=True)}
        assert "".join(digits[event.x, event.y] for event in presses) == PIN
        assert any(box.h < PAD.h for box in changed)
