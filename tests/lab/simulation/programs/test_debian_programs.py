"""Programs of Debian with tasks, for real: a wrong way gets nothing done, the right one does, and settling settles."""

from pathlib import Path
from typing import Protocol, runtime_checkable

import pytest

from lab.simulation.simulated_user import SimulatedUser
from lab.simulation.tasks.registry import load_task_program
from tests.fakes.lab.program_checks import somebody

PROGRAMS = (
    *("mousepad-tasks", "calc-tasks", "impress-tasks", "shell", "speedcrunch", "featherpad", "caja", "qpdfview"),
    *("sqlitebrowser", "meld", "writer-tasks", "gvim", "xournalpp", "filezilla", "homebank", "engrampa", "zim"),
    "gimp-tasks",
)
NOT_READ = {("meld", "find"), ("featherpad", "save_as"), ("mousepad-tasks", "save_as"), ("gvim", "copy")}
"""Tasks whose success is not in what `state` reads: a find scrolls the text, a copy changes no pixel of it."""
STEADY = {"shell", "speedcrunch", "caja", "qpdfview"}
"""Programs whose content also stays as it was where the answer is an error, and where settling moves nothing.

DB Browser empties its rows at some errors.
"""


@runtime_checkable
class Readable(Protocol):
    """What the programs let tests read."""

    def state(self) -> bytes:
        """Return what the content is now."""

    def has_changed(self, before: bytes) -> bool:
        """Return whether it is another than it was."""


def settled_state(program: Readable, user: SimulatedUser) -> bytes:
    """Return what the content is once it rests: what was done before may still be shown."""
    for _ in range(20):
        before = program.state()
        user.hands.wait(0.4)
        if not program.has_changed(before):
            break
    return program.state()


@pytest.mark.display
@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_wrong_ways_get_nothing_done_and_the_right_one_does(name: str, tmp_path: Path) -> None:
    with somebody(tmp_path, seed=11) as (desktop, user):
        program = load_task_program(name)(user)
        program.open(desktop)
        program.settle()
        assert isinstance(program, Readable)
        assert len(program.places()) >= 6
        for task in program.tasks():
            for way in task.wrong:
                task.begin()
                before = program.state()
                way.act(0)
                way.act(1)
                program.settle()
                if name in STEADY:
                    assert not program.has_changed(before), (task.name, way.name)
            task.begin()
            program.settle()
            before = settled_state(program, user)
            task.succeed()
            changed = user.wait_until(lambda: program.has_changed(before) or None, times=60)  # noqa: B023  # asked at once
            assert changed or (name, task.name) in NOT_READ, task.name
            task.leave()
            if task.again is not None:
                task.again()
                task.leave()
            for option in task.options:
                option()
            program.settle()
        program.work()
        program.look_over()
        program.settle()
