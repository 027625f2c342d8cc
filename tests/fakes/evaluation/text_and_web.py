"""A desktop with an actor at it, for tests of the text editor, the web application and what else is on the desk."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from evaluation.simulation.actor import Actor
from evaluation.simulation.program import Program
from evaluation.simulation.scenery.screen import differing, picture
from evaluation.simulation.temperament import temperament_of
from evaluation.stage.desktop import VirtualDesktop
from evaluation.stage.hands import Hands, ScriptLog
from evaluation.stage.windows import Windows, open_display
from storage.clock import SystemClock
from storage.records import Box

SCREEN = Box(0, 0, 1920, 1080)
CARET = 120
"""Pixels that change by themselves where a caret blinks, with some room."""


@contextmanager
def somebody(folder: Path, *, seed: int) -> Iterator[tuple[VirtualDesktop, Actor]]:
    """Yield a desktop of the sessions' size and an actor at it."""
    clock = SystemClock()
    with VirtualDesktop((SCREEN.w, SCREEN.h)) as desktop:
        log = ScriptLog(folder / "script.jsonl", clock)
        display = open_display(desktop.env)
        try:
            hands = Hands(display, log, random.Random(seed), clock)
            yield desktop, Actor(hands, Windows(display), log, clock=clock, temperament=temperament_of(seed))
        finally:
            log.close()
            display.close()


def changed(desktop: VirtualDesktop, actor: Actor, act: Callable[[], object]) -> int:
    """Return how many pixels of the screen an act changed."""
    before = picture(desktop.display, SCREEN)
    act()
    actor.hands.wait(0.5)
    return differing(before, picture(desktop.display, SCREEN))


def clicked_in_vain(desktop: VirtualDesktop, actor: Actor, program: Program) -> list[int]:
    """Click three times at each dead point and return what that changed, the pointer's arrival left out."""
    changes = []
    for x, y in program.dead_points():
        actor.hands.move(x, y)
        actor.hands.wait(0.8)

        def click(x: int = x, y: int = y) -> None:
            for _ in range(3):
                actor.hands.click(x + actor.rng.randint(-4, 4), y + actor.rng.randint(-3, 3))

        changes.append(changed(desktop, actor, click))
    return changes
