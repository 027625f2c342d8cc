"""The tasks of the loop, and what is read of them."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from daemon.help.context import HelpContext
from daemon.help.guide import Guide
from lab.benchmarks.loop.benchmark import PlayedTask, line_of, measure, report_of
from lab.benchmarks.loop.kairos_process import TaskLibrary
from lab.benchmarks.loop.programs import PROGRAMS
from lab.benchmarks.loop.tasks import TASKS
from storage.errors import UsageError

PLAYED = PlayedTask(program="calc", task="bold", reached=True, ring_after=False, done=True, clicks=2, seconds=9.0)


def test_there_are_sixty_tasks_in_six_programs_each_with_one_way_to_know_that_it_is_reached() -> None:
    assert len(TASKS) >= 60
    assert {task.program for task in TASKS} == set(PROGRAMS)
    assert max(Counter((task.program, task.name) for task in TASKS).values()) == 1
    for task in TASKS:
        assert [bool(way) for way in (task.saved, task.window, task.setting)].count(True) == 1, task.name
        assert bool(task.path) is not bool(task.steps), task.name


def test_what_the_person_does_is_told_of_each_step_that_is_theirs_and_of_no_other() -> None:
    for task in TASKS:
        steps = task.page("app").steps
        assert {str(number) for number, step in enumerate(steps) if not step.controls} == set(task.own), task.name
        assert not Guide(task.page("app")).is_done, task.name


def test_pictures_are_read_as_they_are_written() -> None:
    gimp = PROGRAMS["gimp"]
    picture = gimp.content()
    assert isinstance(picture, bytes)
    assert gimp.read(picture) == "rgb 60x40 solid layers 1"
    turned = picture[:14] + picture[18:22] + picture[14:18] + b"\0\0\0\1" + picture[26:]
    assert gimp.read(turned) == "gray 40x60 solid layers 1"


def test_a_page_is_found_by_its_title_alone(tmp_path: Path) -> None:
    pages = [task.page("app") for task in TASKS if task.program == "calc"]
    (tmp_path / "pages.json").write_bytes(msgspec.json.encode(pages))
    library = TaskLibrary(tmp_path / "pages.json")
    assert [match.page for match in library.search(HelpContext(app="x", words=pages[3].title))] == [pages[3]]
    assert library.search(HelpContext(app="x", words="something else")) == []
    assert library.page(pages[1].page_id) == pages[1]


@pytest.mark.parametrize(("reached", "ring_after", "held"), [(True, False, 2), (False, False, 1), (True, True, 1)])
def test_both_bars_are_held_or_missed(*, reached: bool, ring_after: bool, held: int) -> None:
    one = replace(PLAYED, reached=reached, ring_after=ring_after, done=False, why="too long")
    assert ("MISSED (too long)" in line_of(one)) is not reached
    assert [criterion.ok for criterion in report_of([PLAYED, one]).criteria].count(True) == held


def test_a_program_without_tasks_is_refused() -> None:
    with pytest.raises(UsageError):
        measure(["emacs"], limit=1)
