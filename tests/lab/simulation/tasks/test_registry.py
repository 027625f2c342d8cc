"""Which programs with tasks there are: enough for training, others held out, and none of those that judge."""

import random

import pytest

from lab.simulation.apps.app_program import AppProgram
from lab.simulation.behaviors import GESTURE_PROGRAMS
from lab.simulation.persona import Split
from lab.simulation.tasks.registry import TASK_PROGRAMS, load_task_program
from lab.simulation.tasks.task import Answer, repeated_and_varied
from tests.fakes.lab.task_program import fake_task_scene

NAMES = [name for programs in TASK_PROGRAMS.values() for name in programs]
LEAST_TRAINING, LEAST_HELD_OUT = 12, 5


def test_there_are_enough_programs_and_no_application_is_in_both_splits() -> None:
    """The toolkit makes no other application of one; no program of the older logs has its name."""
    train, held_out = (TASK_PROGRAMS[split] for split in (Split.TRAIN, Split.TEST))
    assert len(train) >= LEAST_TRAINING
    assert len(held_out) >= LEAST_HELD_OUT
    assert not {name.partition("-")[0] for name in train} & {name.partition("-")[0] for name in held_out}
    assert not set(NAMES) & {name for programs in GESTURE_PROGRAMS.values() for name in programs}


@pytest.mark.parametrize("name", NAMES)
def test_each_program_has_tasks_with_several_ways_to_fail(name: str) -> None:
    program = load_task_program(name)(fake_task_scene(3).user)
    try:
        tasks = program.tasks()
        assert program.name == name
        assert len({task.name for task in tasks}) == len(tasks) >= 2
        assert program.tasks() == tasks
        assert all(len({way.name for way in task.wrong}) == len(task.wrong) >= 2 for task in tasks)
        assert all(task.intent and task.help for task in tasks)
        assert any(way.systematic for task in tasks for way in task.wrong)
    finally:
        if isinstance(program, AppProgram):
            program.desk.close()


def test_an_unknown_name_is_refused() -> None:
    """Nothing is imported for it."""
    with pytest.raises(LookupError, match="no program with tasks"):
        load_task_program("abiword")


def test_one_way_repeats_a_value_and_the_other_goes_through_them_all() -> None:
    given: list[str] = []
    drawn = set()
    for seed in range(20):
        values = ("one", "two", "three")
        same, other = repeated_and_varied(given.append, values, Answer.REFUSED, random.Random(seed), name="names")
        for way, tries in ((same, 2), (other, 4)):
            for number in range(tries):
                way.act(number)
        assert given[0] == given[1]
        assert given[2:] == ["one", "two", "three", "one"]
        drawn.add(given[0])
        given.clear()
        assert (same.systematic, other.systematic) == (False, True)
        assert (same.name, other.name, same.answer) == ("same", "names", Answer.REFUSED)
    assert drawn == {"one", "two", "three"}
