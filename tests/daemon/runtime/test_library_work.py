"""The child that indexes documentation: when it starts, and what a search finds after it."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from daemon.help.context import HelpContext
from daemon.help.library import HelpLibrary, checked_wall_ns
from daemon.help.library.index import LibraryIndex
from daemon.runtime import library_work as module
from daemon.runtime.background_command import child_environment
from daemon.runtime.library_work import DAY_S, FIRST_S, LibraryWork
from storage.clock import NS_PER_S
from storage.files import library_file, state_folder
from tests.fakes.commands.background import HandLoop, in_loop, until
from tests.fakes.help.documentation import MALLARD, index_of, write_documentation

BEGIN_WALL_NS = 1_790_000_000 * NS_PER_S


class Machine:
    """A loop and a clock that the test moves, and the work with a child that only counts."""

    def __init__(self, data: Path, monkeypatch: pytest.MonkeyPatch, *, done: bool = True) -> None:
        self.data = data
        self.loop = HandLoop()
        self.ahead_s = 0.0
        self.starts_s: list[float] = []
        self.done = done
        self.work = LibraryWork(data, self.wall_ns)
        monkeypatch.setattr(self.work._background, "start", self._start_child)

    def wall_ns(self) -> int:
        """The time; it goes on during a suspend, which timers do not."""
        return BEGIN_WALL_NS + round((self.loop.now_s + self.ahead_s) * NS_PER_S)

    def start(self) -> None:
        self.work.start(self.loop)  # type: ignore[arg-type]  # all of a loop that it needs

    def save_checked(self, ago_s: float) -> None:
        with LibraryIndex.open(library_file(self.data)) as index:
            index.save_checked(self.wall_ns() - round(ago_s * NS_PER_S))

    def _start_child(self, _: Any) -> None:
        self.starts_s.append(self.loop.now_s)
        if self.done:
            self.save_checked(0)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


def test_a_missing_index_is_made_once_and_again_after_a_day(machine: Machine) -> None:
    machine.start()
    machine.loop.run_until(FIRST_S - 1)
    assert machine.starts_s == []
    for second in range(int(FIRST_S), int(2.5 * DAY_S), 3600):
        machine.loop.run_until(float(second))
        assert len(machine.loop.timers) == 1
    assert machine.starts_s == [FIRST_S, FIRST_S + DAY_S, FIRST_S + 2 * DAY_S]


@pytest.mark.parametrize(("ago_s", "first_s"), [(0, DAY_S), (DAY_S - 3600, 3600), (DAY_S, FIRST_S), (-3600, FIRST_S)])
def test_a_fresh_index_is_left_alone_until_it_is_a_day_old(machine: Machine, ago_s: float, first_s: float) -> None:
    """One that seems to come from the future is not fresh: the clock was set back."""
    machine.save_checked(ago_s)
    machine.start()
    machine.loop.run_until(first_s - 1)
    assert machine.starts_s == []
    machine.loop.run_until(first_s)
    assert machine.starts_s == [first_s]


def test_what_failed_is_tried_again_on_the_next_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(tmp_path, monkeypatch, done=False)
    machine.start()
    for second in range(0, int(1.5 * DAY_S), 1800):
        machine.loop.run_until(float(second))
        machine.work.resume()
    assert len(machine.starts_s) == 2
    assert machine.starts_s[1] - machine.starts_s[0] == pytest.approx(DAY_S, abs=1800)


def test_an_index_that_somebody_writes_does_not_hold_up_the_core(tmp_path: Path) -> None:
    with LibraryIndex.open(library_file(tmp_path)) as index:
        index.save_checked(5)
        assert checked_wall_ns(tmp_path) == 5
        index._connection.execute("BEGIN EXCLUSIVE")
        assert checked_wall_ns(tmp_path) is None
    library_file(tmp_path).write_bytes(b"no database" * 100)
    assert checked_wall_ns(tmp_path) is None


ONLY_HERE = """
import sys
from pathlib import Path
from daemon.cli.main import main
from daemon.help.library import documentation
find, shared = documentation.find_documentation, Path(sys.argv[1])
documentation.find_documentation = lambda: find(shared)
sys.exit(main(sys.argv[2:]))
"""
"""The command with a folder of shared data of its own."""


@in_loop
async def test_the_child_makes_the_index_that_an_open_library_searches(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    pages = tmp_path / "share" / "help" / "C" / "painter"
    pages.mkdir(parents=True)
    (pages / "merge.page").write_text(MALLARD, encoding="utf-8")
    words = module.COMMAND[module.COMMAND.index("library") :]
    work = LibraryWork(
        state_folder(),
        lambda: BEGIN_WALL_NS,
        command=(sys.executable, "-c", ONLY_HERE, str(tmp_path / "share"), *words),
    )
    context = HelpContext(app="painter", words="merge branches; copy and paste")
    loop = asyncio.get_running_loop()
    with HelpLibrary.open() as library:
        assert library.search(context)[0].page.general
        work._loop = loop
        work._wake()
        assert work._background.is_running
        await until(lambda: not work._background.is_running)
        assert library.search(context)[0].page.title == "Merging branches"
    work.stop()
    assert "indexing documentation ended: 0" in caplog.messages
    assert checked_wall_ns() is not None


def test_an_index_that_was_never_finished_is_not_fresh(machine: Machine) -> None:
    """A folder of a person's own, and a run that was killed, say nothing of installed programs."""
    index_of(machine.data, write_documentation(machine.data / "pages"))
    machine.start()
    machine.loop.run_until(FIRST_S)
    assert machine.starts_s == [FIRST_S]


def test_who_runs_the_command_meanwhile_spares_the_child(machine: Machine) -> None:
    machine.start()
    machine.loop.run_until(FIRST_S - 1)
    machine.save_checked(0)
    machine.loop.run_until(FIRST_S + 1)
    assert machine.starts_s == []
    machine.loop.run_until(FIRST_S - 1 + DAY_S)
    assert machine.starts_s == [FIRST_S - 1 + DAY_S]


def test_a_suspended_machine_catches_up_in_a_minute(machine: Machine) -> None:
    """A session begins after a suspend, and the clock on the wall says how long it was."""
    machine.start()
    machine.loop.run_until(FIRST_S)
    machine.ahead_s = 2 * DAY_S
    machine.work.resume()
    machine.loop.run_until(2 * FIRST_S)
    assert machine.starts_s == [FIRST_S, 2 * FIRST_S]


def test_after_the_stop_there_is_no_timer(machine: Machine) -> None:
    machine.start()
    machine.work.stop()
    machine.work.resume()
    machine.loop.run_until(2 * DAY_S)
    assert (machine.loop.timers, machine.starts_s) == ([], [])


def test_the_command_is_this_kairos() -> None:
    *kairos, library, add, as_json = module.COMMAND
    assert (library, add, as_json) == ("library", "add", "--json")
    env = child_environment(os.environ)
    found = subprocess.run([*kairos, library, add, "--help"], check=False, cwd="/", env=env, capture_output=True)
    assert found.returncode == 0
    assert b"kairos library add" in found.stdout
