"""What else is on the desk: pages that are where they are said to be, things that end, a program that wakes again."""

import random
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import poll
from lab.simulation.programs.mousepad import Mousepad
from lab.simulation.scenery.desktop import DesktopHelpers
from lab.simulation.scenery.handbook import brief_text, write_handbook
from lab.simulation.scenery.progress import _steps, freeze
from lab.simulation.scenery.workbook import write_workbook
from storage.clock import NS_PER_S, SystemClock
from tests.fakes.lab.program_checks import CARET, changed, somebody


class NoDesktop:
    """Starts programs, on no display."""

    def spawn(self, argv: Sequence[str], name: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(argv, start_new_session=True)


def state_of(process: subprocess.Popen[bytes]) -> str:
    """Return the letter that says what a process does."""
    return Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.mark.parametrize("early", [False, True])
def test_a_frozen_program_wakes_again(early: bool) -> None:
    """It is stopped at once and goes on after the time, also when the one that wakes it is ended before."""
    desktop = cast(VirtualDesktop, cast(Any, NoDesktop()))
    with subprocess.Popen(["sleep", "60"]) as program:
        try:
            waker = freeze(desktop, 60.0 if early else 0.4, program.pid)
            poll(lambda: state_of(program) == "T", what="stopping")
            if early:
                waker.terminate()
            poll(lambda: state_of(program) == "S", what="waking")
            assert waker.wait(5) == 0
        finally:
            program.kill()


@pytest.mark.parametrize("seconds", [3.0, 11.5, 40.0])
def test_progress_takes_the_time_it_is_given(seconds: float) -> None:
    """The pauses add up to it, the percentages rise to a hundred."""
    steps = _steps(random.Random(1), seconds)
    assert sum(pause for _, pause in steps) == pytest.approx(seconds)
    percents = [percent for percent, _ in steps]
    assert percents == sorted(percents)
    assert percents[-1] == 100


def test_pages_vary_with_the_seed_and_are_complete(tmp_path: Path) -> None:
    """The same seed writes the same pages, another one others, and nothing is left to fill in."""
    pages = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        folder = tmp_path / name
        site = write_handbook(folder, random.Random(seed))
        book = write_workbook(folder / "workbook.html", random.Random(seed))
        pages.append(site.path.read_text() + book.path.read_text() + brief_text(random.Random(seed)))
    assert pages[0] == pages[1]
    assert pages[0] != pages[2]
    assert not re.findall(r"@[A-Z]+@", pages[0])


def test_the_workbook_keeps_its_controls_apart(tmp_path: Path) -> None:
    """No two controls that are clicked lie on one another, and grey buttons are none of those that work."""
    for seed in range(20):
        book = write_workbook(tmp_path / "workbook.html", random.Random(seed))
        points = [*book.tools.values(), *book.grey, *book.menus.values(), *book.picking.values()]
        assert len(set(points)) == len(points)
        assert len(book.tools) >= 6
        assert not set(book.grey) & set(book.tools.values())


@pytest.mark.display
@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 5])
def test_a_person_reads_looks_up_and_comes_back(seed: int, tmp_path: Path) -> None:
    """Brief, help, search and result show something, in front; the way back leads to the program."""
    with somebody(tmp_path, seed=seed) as (desktop, user):
        program = Mousepad(user)
        program.open(desktop)
        work = desktop.windows.active()
        desk = DesktopHelpers(user, desktop)
        for _ in range(2):
            for act in (desk.open_brief, desk.open_help):
                act()
                front = desktop.windows.active()
                assert front is not None
                assert work is not None
                assert front.pid != work.pid
            assert changed(desktop, user, desk.search_help) > CARET
            assert changed(desktop, user, desk.open_result) > CARET
            assert changed(desktop, user, desk.open_result) > CARET
            desk.back_to_work()
            front = desktop.windows.active()
            assert front is not None
            assert work is not None
            assert front.xid == work.xid


@pytest.mark.display
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["dialog", "page", "terminal", "frozen"])
def test_what_takes_long_ends_by_itself(kind: str, tmp_path: Path) -> None:
    """It goes on for about its time, shows itself unless the program is frozen, and leaves the program usable."""
    clock = SystemClock()
    with somebody(tmp_path, seed=7) as (desktop, user):
        program = Mousepad(user)
        program.open(desktop)
        desk = DesktopHelpers(user, desktop)
        desk.open_help()
        desk.back_to_work()
        shown = changed(desktop, user, lambda: desk.start_progress(4.0, kind=kind))
        started_ns = clock.now_ns()
        assert not desk.progress_is_over()
        assert kind == "frozen" or shown > CARET
        if kind == "frozen":
            assert changed(desktop, user, lambda: user.hands.chord("ctrl+End")) <= CARET
        desk.back_to_work()  # whatever is in front now, this is no failure
        while not desk.progress_is_over():
            user.hands.wait(0.2)
            assert clock.now_ns() - started_ns < 15 * NS_PER_S
        desk.back_to_work()
        program.settle()
        assert changed(desktop, user, program.compose) > CARET
