"""The office programs do on the screen what the methods say, and their files are what they claim to be."""

import random
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from demo.virtual_desktop.pixels import differing_pixels, grab_pixels
from lab.simulation.programs.calc import Calc
from lab.simulation.programs.impress import Impress
from lab.simulation.programs.office_files import MONTHS, write_slides, write_text, write_workbook
from lab.simulation.programs.writer import Writer
from lab.simulation.simulated_user import SimulatedUser
from storage.records import Box
from tests.fakes.lab.program_checks import (
    CARET,
    check_dialog,
    check_points,
    check_settled,
    check_visible_acts,
    clicked_in_vain,
    somebody,
)

Office = Writer | Calc | Impress
PROGRAMS: tuple[Callable[[SimulatedUser], Office], ...] = (Writer, Calc, Impress)
REPAINTED = 400
"""Pixels that edges and shadows differ by when a picture is drawn again."""


def parsed(path: Path) -> "ET.ElementTree[ET.Element]":
    """Return a flat OpenDocument file as a tree."""
    return ET.parse(path)  # noqa: S314  # our own file


def test_files_are_well_formed_and_long_enough_to_leaf_through(tmp_path: Path) -> None:
    """Each kind of file parses, has some dozen chapters, slides or rows, and another seed writes another one."""
    text = {"text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0"}
    draw = {"draw": "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"}
    table = {"table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0"}
    slides, _ = write_slides(tmp_path, random.Random(1))
    book, _ = write_workbook(tmp_path, random.Random(1), rows=40, sheets=2)
    assert len(parsed(slides).findall(".//draw:page", draw)) >= 14
    assert len(parsed(book).findall(".//table:table-row", table)) == 2 * (40 + 1)
    written = {}
    for seed in range(12):
        path, switches = write_text(tmp_path, random.Random(seed))
        assert bool(switches) is (path.suffix == ".txt")
        if path.suffix == ".fodt":
            assert len(parsed(path).findall(".//text:h", text)) >= 24
        written[seed] = path.read_bytes()
    assert len(set(written.values())) == len(written)


def test_a_single_sheet_is_comma_separated(tmp_path: Path) -> None:
    """One sheet is written as plain values with as many columns in each row, and opened with a named filter."""
    path, switches = write_workbook(tmp_path, random.Random(2), rows=30, sheets=1)
    lines = path.read_text().splitlines()
    assert path.suffix == ".csv"
    assert switches
    assert {line.count(",") for line in lines} == {len(MONTHS) - 1}


def middle_of(program: Office) -> Box:
    """Return the part of the window in which the document is, without bars and panels."""
    box = program.box
    return Box(box.x + 200, box.y + 160, box.w - 640, box.h - 240)


@pytest.mark.display
@pytest.mark.slow
@pytest.mark.parametrize("adapter", PROGRAMS)
def test_all_that_can_be_done_is_seen_on_the_screen(adapter: Callable[[SimulatedUser], Office], tmp_path: Path) -> None:
    """Every method that promises a visible effect has one, and clicks on dead points have none."""
    with somebody(tmp_path, seed=4) as (desktop, user):
        program = adapter(user)
        program.open(desktop)
        check_visible_acts(desktop, user, program, pages=(1, 1, -1, -1))
        program.overview()
        program.settle()
        for title in program.menu_points():
            assert user.open_menu(*title).box.h > 50
            user.close_menus()
        assert program.has_menu_windows()
        check_points(program)
        assert len(program.dead_points()) >= 2
        user.hands.wait(1.0)
        before = grab_pixels(desktop.display, middle_of(program))
        assert sorted(clicked_in_vain(desktop, user, program))[1] <= CARET  # a click ends a grey button's tool tip
        assert differing_pixels(before, grab_pixels(desktop.display, middle_of(program))) <= CARET


@pytest.mark.display
@pytest.mark.slow
@pytest.mark.parametrize("adapter", PROGRAMS)
def test_undo_takes_back_what_was_changed_and_redo_does_it_again(
    adapter: Callable[[SimulatedUser], Office], tmp_path: Path
) -> None:
    """After a change and its undos the document looks as before; after as many redos it is changed again."""
    with somebody(tmp_path, seed=7) as (desktop, user):
        program = adapter(user)
        program.open(desktop)
        place = program.content_points()[0]

        def seen() -> bytes:
            program.settle()
            user.hands.click(*place)
            user.hands.chord("Escape")
            user.hands.chord("Escape")
            user.hands.wait(1.0)
            return grab_pixels(desktop.display, middle_of(program))

        for _ in range(3):
            before = seen()
            steps = program.change()
            after = grab_pixels(desktop.display, middle_of(program))
            assert differing_pixels(before, after) > CARET
            program.undo(steps)
            assert differing_pixels(before, seen()) <= REPAINTED
            program.redo(steps)
            program.undo(steps)


@pytest.mark.display
@pytest.mark.slow
@pytest.mark.parametrize("adapter", PROGRAMS)
def test_dialogs_come_and_go_and_settling_leaves_them(
    adapter: Callable[[SimulatedUser], Office], tmp_path: Path
) -> None:
    """The dialog opens, is used and left either way; settling gets out of menus, dialogs, and a closed document."""
    with somebody(tmp_path, seed=6) as (desktop, user):
        program = adapter(user)
        program.open(desktop)
        check_dialog(desktop, user, program)
        user.open_menu(*program.menu_points()[1])
        check_settled(program)
        program.change()
        user.hands.chord("ctrl+w")  # asks whether to save
        user.hands.wait(1.0)
        program.settle()
        active = desktop.windows.active()
        assert active is not None
        assert program.path.name in active.title


@pytest.mark.display
@pytest.mark.slow
@pytest.mark.parametrize("adapter", PROGRAMS)
def test_saving_writes_the_file(adapter: Callable[[SimulatedUser], Office], tmp_path: Path) -> None:
    """What was changed is in the file after saving, whatever its format, and no question stays open."""
    with somebody(tmp_path, seed=9) as (desktop, user):
        program = adapter(user)
        program.open(desktop)
        for _ in range(2):
            before = program.path.read_bytes()
            program.compose()
            program.settle()
            program.save()
            user.hands.wait(1.5)
            assert program.path.read_bytes() != before
            assert not [window for window in desktop.windows.list_all() if "Format" in window.title]
