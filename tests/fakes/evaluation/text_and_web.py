"""A desktop with an user at it, for tests of the text editor, the web application and what else is on the desk."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from evaluation.simulation.persona import persona_of
from evaluation.simulation.program import Program
from evaluation.simulation.scenery.screen import differing_pixels, grab_pixels
from evaluation.simulation.simulated_user import SimulatedUser
from evaluation.stage.desktop import VirtualDesktop
from evaluation.stage.hands import Hands, ScriptLog
from evaluation.stage.windows import Windows, open_display
from storage.clock import SystemClock
from storage.records import Box

SCREEN = Box(0, 0, 1920, 1080)
CARET = 120
"""Pixels that change by themselves where a caret blinks, with some room."""


@contextmanager
def somebody(folder: Path, *, seed: int) -> Iterator[tuple[VirtualDesktop, SimulatedUser]]:
    """Yield a desktop of the sessions' size and an user at it."""
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
    """Return how many pixels of the screen an act changed."""
    before = grab_pixels(desktop.display, SCREEN)
    act()
    user.hands.wait(0.5)
    return differing_pixels(before, grab_pixels(desktop.display, SCREEN))


def clicked_in_vain(desktop: VirtualDesktop, user: SimulatedUser, program: Program) -> list[int]:
    """Click three times at each dead point and return what that changed, the pointer's arrival left out."""
    changes = []
    for x, y in program.dead_points():
        user.hands.move(x, y)
        user.hands.wait(0.8)

        def click(x: int = x, y: int = y) -> None:
            for _ in range(3):
                user.hands.click(x + user.rng.randint(-4, 4), y + user.rng.randint(-3, 3))

        changes.append(changed(desktop, user, click))
    return changes
