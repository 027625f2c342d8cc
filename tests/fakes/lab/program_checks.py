"""A desktop with a simulated user, and checks that every simulated program must pass on a real screen."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.hands import Hands, ScriptLog
from demo.virtual_desktop.pixels import differing_pixels, grab_pixels
from demo.virtual_desktop.windows import Windows, open_display
from lab.simulation.persona import persona_of
from lab.simulation.program import Program
from lab.simulation.simulated_user import SimulatedUser
from storage.clock import SystemClock
from storage.records import Box

SCREEN = Box(0, 0, 1920, 1080)
CARET = 120
"""Pixels that change by themselves where a caret blinks, with some room."""


@contextmanager
def somebody(folder: Path, *, seed: int) -> Iterator[tuple[VirtualDesktop, SimulatedUser]]:
    """Yield a desktop of the sessions' size and a user at it."""
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


def check_visible_acts(
    desktop: VirtualDesktop, user: SimulatedUser, program: Program, *, pages: tuple[int, ...]
) -> None:
    """Check that every act that promises a visible effect has one: work, toggles on and off, and turning pages."""
    for name in ("compose", "adjust", "expert", "repeat_useful", "enter_value", "revise_value", "drag"):
        assert changed(desktop, user, getattr(program, name)) > CARET, name
        program.settle()
    for anew in (True, False):
        assert changed(desktop, user, partial(program.toggle, anew=anew)) > CARET, "on" if anew else "off"
    program.settle()
    for direction in pages:
        assert changed(desktop, user, partial(program.page, direction)) > CARET


def check_points(program: Program) -> None:
    """Check that there are enough places to work at and to point at."""
    assert len(program.content_points()) >= 6
    assert len(program.tool_points()) >= 6


def check_dialog(desktop: VirtualDesktop, user: SimulatedUser, program: Program) -> None:
    """Check that the dialog opens, is used, and is left either way without a window staying open."""
    before = len(desktop.windows.list_all())
    for apply in (True, False):
        assert changed(desktop, user, program.open_dialog) > CARET
        program.use_dialog()
        program.use_dialog()
        program.leave_dialog(apply=apply)
        user.hands.wait(0.6)
        assert len(desktop.windows.list_all()) == before


def check_settled(program: Program) -> None:
    """Check that settling leaves whatever is open: what was opened before, and the dialog."""
    program.settle()
    program.open_dialog()
    program.settle()
    with pytest.raises(LookupError):
        program.use_dialog()
