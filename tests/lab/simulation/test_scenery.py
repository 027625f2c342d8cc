"""What else is on the desk: pages that are where they are said to be, and things that end."""

import random
from pathlib import Path

import pytest

from lab.simulation.programs.mousepad import MousepadProgram
from lab.simulation.scenery.desktop import DesktopHelpers
from lab.simulation.scenery.progress import _steps
from tests.fakes.lab.program_checks import CARET, changed, somebody
from tests.fakes.narrowing import present


@pytest.mark.parametrize("seconds", [3.0, 11.5, 40.0])
def test_progress_takes_the_time_it_is_given(seconds: float) -> None:
    steps = _steps(random.Random(1), seconds)
    assert sum(pause for _, pause in steps) == pytest.approx(seconds)
    percents = [percent for percent, _ in steps]
    assert percents == sorted(percents)
    assert percents[-1] == 100


@pytest.mark.display
@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 5])
def test_a_person_reads_looks_up_and_comes_back(seed: int, tmp_path: Path) -> None:
    with somebody(tmp_path, seed=seed) as (desktop, user):
        program = MousepadProgram(user)
        program.open(desktop)
        work = desktop.windows.active()
        desk = DesktopHelpers(user, desktop)
        for _ in range(2):
            for act in (desk.open_brief, desk.take_note, desk.open_help):
                act()
                front = present(desktop.windows.active())
                assert front.pid != present(work).pid
            assert changed(desktop, user, desk.search_help) > CARET
            assert changed(desktop, user, desk.open_result) > CARET
            assert changed(desktop, user, desk.open_result) > CARET
            desk.back_to_work()
            front = present(desktop.windows.active())
            assert front.xid == present(work).xid
