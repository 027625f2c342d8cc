"""A desktop with a simulated user, and what an act changed on the real screen."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.hands import Hands, ScriptLog
from demo.virtual_desktop.pixels import differing_pixels, grab_pixels
from demo.virtual_desktop.windows import Windows, open_display
from lab.simulation.persona import persona_of
from lab.simulation.simulated_user import SimulatedUser
from storage.clock import SystemClock
from storage.records import Box

SCREEN = Box(0, 0, 1920, 1080)
CARET = 120
"""Pixels that change by themselves where a caret blinks, with some room."""


@contextmanager
def somebody(folder: Path, *, seed: int) -> Iterator[tuple[VirtualDesktop, SimulatedUser]]:
    clock = SystemClock()
    with VirtualDesktop((SCREEN.w, SCREEN.h)) as desktop:
        log = ScriptLog(folder / "script.jsonl", clock)
        display = open_display(desktop.env)
        try:
            hands = Hands(display, log, random.Random(seed), clock)
            yield desktop, SimulatedUser(hands, Windows(display), log, clock=clock, persona=persona_of(seed))
        finally:
            log.close()
            display.close()


def changed(desktop: VirtualDesktop, user: SimulatedUser, act: Callable[[], object]) -> int:
    before = grab_pixels(desktop.display, SCREEN)
    act()
    user.hands.wait(0.5)
    return differing_pixels(before, grab_pixels(desktop.display, SCREEN))
