"""The painting and the drawing program do on the screen what the methods say."""

from collections.abc import Callable
from pathlib import Path

import pytest

from demo.virtual_desktop.pixels import differing_pixels, grab_pixels
from lab.simulation.program import Program
from lab.simulation.programs.drawing import distance, run_of
from lab.simulation.programs.gimp import Gimp
from lab.simulation.programs.inkscape import Inkscape
from lab.simulation.simulated_user import SimulatedUser
from storage.records import Box
from tests.fakes.lab.program_checks import (
    CARET,
    changed,
    check_dialog,
    check_points,
    check_settled,
    check_visible_acts,
    clicked_in_vain,
    somebody,
)

PROGRAMS = (Gimp, Inkscape)
MESSAGE_S = 9.0
"""How long the programs may show a message of what was done before it goes by itself."""


def test_a_run_of_a_colour_is_found_where_it_begins() -> None:
    """The first run that is long enough counts, shorter ones do not; without one there is a LookupError."""
    red, grey = (200, 0, 0), (60, 60, 60)
    assert run_of(grey, [red, grey, red, grey, grey, grey], 3) == 3
    with pytest.raises(LookupError):
        run_of(grey, [red, grey, red, grey, grey], 3)
    assert distance(red, grey) == 260


def canvas_of(program: Program) -> Box:
    """Return the part of the screen that the program's content points span, with as much around as is the canvas."""
    xs, ys = zip(*program.content_points(), strict=True)
    across, down = max(xs) - min(xs), max(ys) - min(ys)
    return Box(min(xs) - across // 3, min(ys) - down // 5, across * 5 // 3, down * 3 // 2)


def contents(folder: Path) -> dict[str, bytes]:
    """Return the documents in a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in {".png", ".xcf", ".svg"}}


@pytest.mark.display
@pytest.mark.slow
@pytest.mark.parametrize("adapter", PROGRAMS)
def test_all_that_can_be_done_is_seen_on_the_screen(
    adapter: Callable[[SimulatedUser], Program], tmp_path: Path
) -> None:
    """Every method that promises a visible effect has one, and clicks on dead points have none."""
    with somebody(tmp_path, seed=4) as (desktop, user):
        program = adapter(user)
        program.open(desktop)
        check_visible_acts(desktop, user, program, pages=(1, 1, -1, -1))
        assert changed(desktop, user, program.overview) > CARET
        files = contents(desktop.directory / "home")
        program.save()
        user.hands.wait(1.5)
        assert contents(desktop.directory / "home") != files
        program.settle()
        check_points(program)
        assert program.has_menu_windows()
        for title in program.menu_points():
            assert user.open_menu(*title).box.h > 40
            user.close_menus()
        assert len(program.dead_points()) >= 2
        user.hands.wait(MESSAGE_S)
        assert max(clicked_in_vain(desktop, user, program)) <= CARET


@pytest.mark.display
@pytest.mark.slow
@pytest.mark.parametrize("adapter", PROGRAMS)
def test_undo_takes_back_what_was_changed_and_redo_does_it_again(
    adapter: Callable[[SimulatedUser], Program], tmp_path: Path
) -> None:
    """After a change and its undos the canvas is as before; after as many redos it is changed again."""
    with somebody(tmp_path, seed=7) as (desktop, user):
        program = adapter(user)
        program.open(desktop)
        program.settle()
        canvas = canvas_of(program)

        def away_from_it() -> None:
            """Let neither the pointer nor what a tool draws around it be in the picture."""
            user.hands.move(*program.menu_points()[-1])
            user.hands.wait(0.7)

        for _ in range(4):
            away_from_it()
            before = grab_pixels(desktop.display, canvas)
            steps = program.change()
            program.undo(steps)
            program.settle()
            away_from_it()
            assert differing_pixels(before, grab_pixels(desktop.display, canvas)) <= CARET
            program.redo(steps)
            program.settle()
            away_from_it()
            assert differing_pixels(before, grab_pixels(desktop.display, canvas)) > CARET


@pytest.mark.display
@pytest.mark.slow
@pytest.mark.parametrize("adapter", PROGRAMS)
def test_dialogs_come_and_go_and_settling_leaves_them(
    adapter: Callable[[SimulatedUser], Program], tmp_path: Path
) -> None:
    """The dialog opens, is used and left either way; settling gets out of menus, dialogs and other windows."""
    with somebody(tmp_path, seed=6) as (desktop, user):
        program = adapter(user)
        program.open(desktop)
        before = len(desktop.windows.list_all())
        check_dialog(desktop, user, program)
        user.open_menu(*program.menu_points()[1])
        check_settled(program)
        assert len(desktop.windows.list_all()) == before
        desktop.spawn(["mousepad"], "mousepad")
        desktop.windows.wait("mousepad")
        program.settle()
        active = desktop.windows.active()
        assert active is not None
        assert active.app.lower() == program.name
        assert changed(desktop, user, program.compose) > CARET
