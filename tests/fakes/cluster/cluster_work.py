"""Jobs for the tests of `daemon.replay.parallel.pool`: plain functions, some of which wait to be killed."""

import os
from dataclasses import dataclass
from pathlib import Path

from storage.clock import SystemClock
from storage.errors import BadFile

WAIT_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A number, and the file that a worker writes when it waits to be killed."""

    number: int
    mark: str = ""

    def __str__(self) -> str:
        return f"job {self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The square, and which process found it."""

    square: int
    parts: tuple[float, ...]
    pid: int


def square(job: Job) -> Done:
    if job.number == 13:
        raise BadFile("13 is no number", remedy="take another")
    return Done(square=job.number**2, parts=(job.number / 3,), pid=os.getpid())


def square_once_killed(job: Job) -> Done:
    """Return the square; the first process that is to do a marked job waits to be killed over it."""
    if job.mark:
        wait_to_be_killed(Path(job.mark))
    return square(job)


def die(job: Job) -> Done:
    if job.mark:
        os._exit(1)
    return square(job)


def wait_to_be_killed(mark: Path) -> None:
    """Write the own process id into a new file and wait; a process that finds the file continues at once."""
    try:
        with mark.open("x") as file:
            file.write(str(os.getpid()))
    except FileExistsError:
        return
    SystemClock().sleep_s(WAIT_S)
    raise AssertionError("this process was not killed")
