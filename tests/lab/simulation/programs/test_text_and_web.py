"""The text editor and the web application do on the screen what the methods say."""

from collections.abc import Callable
from pathlib import Path

import pytest

from demo.virtual_desktop.pixels import differing_pixels, grab_pixels
from lab.simulation.program import Program
from lab.simulation.programs.chromium import Chromium
from lab.simulation.programs.mousepad import Mousepad
from lab.simulation.simulated_user import SimulatedUser
from tests.fakes.lab.program_checks import (
    CARET,
    SCREEN,
    changed,
    check_dialog,
    check_points,
    check_settled,
    check_visible_acts,
    clicked_in_vain,
    somebody,
)

PROGRAMS = (Mousepad, Chromium)


@pytest.mark.display
def test_undo_takes_back_exactly_what_was_changed(tmp_path: Path) -> None:
    """After a change and its undos the text is as before, whatever the change was; a change alone is one."""
    with somebody(tmp_path, seed=3) as (desktop, user):
        program = Mousepad(user)
        program.open(desktop)
        (file,) = (desktop.directory / "home").glob("*.txt")

        def saved() -> str:
            user.hands.chord("ctrl+s")
            user.hands.wait(0.5)
            return file.read_text()

        before = saved()
        for _ in range(3):
            steps = program.change()
            assert saved() != before
            program.undo(steps)
            assert saved() == before


@pytest.mark.display
@pytest.mark.slow
def test_undo_in_the_application_shows_what_was_there_before(tmp_path: Path) -> None:
    """With the keyboard's focus in the same field, the screen is as before the change, and differs in between."""
    with somebody(tmp_path, seed=3) as (desktop, user):
        program = Chromium(user)
        program.open(desktop)
        name = program.content_points()[6]

        def resting() -> bytes:
            user.hands.click(*name)
            user.hands.chord("Home")
            user.hands.move(5, 5)
            user.hands.wait(0.5)
            return grab_pixels(desktop.display, SCREEN)

        for _ in range(8):
            before = resting()
            steps = program.change()
            assert differing_pixels(before, resting()) > CARET
            program.undo(steps)
            assert differing_pixels(before, resting()) <= CARET


@pytest.mark.display
@pytest.mark.slow
@pytest.mark.parametrize("adapter", PROGRAMS)
def test_everything_is_seen_on_the_screen(adapter: Callable[[SimulatedUser], Program], tmp_path: Path) -> None:
    """Every method that promises a visible effect has one; clicks on dead points have none."""
    with somebody(tmp_path, seed=4) as (desktop, user):
        program = adapter(user)
        program.open(desktop)
        check_visible_acts(desktop, user, program, pages=(1, 1, -1, -1, -1))
        assert changed(desktop, user, program.change) > CARET
        check_points(program)
        assert len(program.menu_points()) >= 2
        program.settle()
        assert max(clicked_in_vain(desktop, user, program)) <= CARET
        assert len(program.dead_points()) >= 2


@pytest.mark.display
@pytest.mark.slow
@pytest.mark.parametrize("adapter", PROGRAMS)
def test_dialogs_come_and_go_and_whatever_is_open_is_left(
    adapter: Callable[[SimulatedUser], Program], tmp_path: Path
) -> None:
    """The dialog opens, is used and left either way; settling gets out of menus and dialogs that stayed open."""
    with somebody(tmp_path, seed=6) as (desktop, user):
        program = adapter(user)
        program.open(desktop)
        before = len(desktop.windows.list_all())
        check_dialog(desktop, user, program)
        title = program.menu_points()[1]
        shown = changed(desktop, user, lambda: user.hands.click(*title))
        assert shown > CARET
        check_settled(program)
        assert len(desktop.windows.list_all()) == before
        assert changed(desktop, user, program.compose) > CARET
