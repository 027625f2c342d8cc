"""Every application in its views, for real: each wrong way gets the answer it declares, and the right way succeeds."""

from pathlib import Path

import pytest

from lab.simulation.apps.app_program import AppProgram
from lab.simulation.tasks.registry import TASK_PROGRAMS, load_task_program
from lab.simulation.tasks.task import Answer
from tests.fakes.lab.program_checks import somebody

PROGRAMS = [name for programs in TASK_PROGRAMS.values() for name in programs if name.endswith(("-qt", "-web"))]
LEAST_TASKS, LEAST_PLACES = 2, 6


@pytest.mark.display
@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_wrong_ways_are_answered_as_declared_and_the_right_one_succeeds(name: str, tmp_path: Path) -> None:
    with somebody(tmp_path, seed=11) as (desktop, user):
        program = load_task_program(name)(user)
        assert isinstance(program, AppProgram)
        try:
            program.open(desktop)
            assert len(program.tasks()) >= LEAST_TASKS
            assert len(program.places()) >= LEAST_PLACES
            for task in program.tasks():
                task.begin()
                for way in task.wrong:
                    done, refused = program.logic.succeeded, program.logic.refused
                    way.act(0)
                    way.act(1)
                    if way.answer is Answer.REFUSED:
                        assert program.logic.refused > refused, (task.name, way.name)
                    if way.answer is not Answer.OTHER:
                        assert program.logic.succeeded == done, (task.name, way.name)
                    program.settle()
                done = program.logic.succeeded
                task.succeed()
                assert program.logic.succeeded > done, task.name
                task.leave()
                program.settle()
            program.work()
            program.look_over()
            program.settle()
        finally:
            program.desk.close()
