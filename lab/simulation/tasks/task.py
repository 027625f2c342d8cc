"""What a program offers to people with a task: tasks, the ways to try them, and neutral work beside them.

Every method acts through the user's hands (XTEST) in the user's pace and returns within about eight seconds. What
cannot be done (a dialog did not open) raises LookupError; `TaskProgram.settle` then brings the program back.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import Point
from lab.simulation.simulated_user import SimulatedUser


class Answer(StrEnum):
    """What the program answers to a way that is wrong, each time the same."""

    NOTHING = "nothing"
    """Nothing changes but what every click changes: a dead button, an entry that only takes the focus."""

    REFUSED = "refused"
    """A message or a dialog says no, or the value is not taken."""

    ERROR = "error"
    """Something is wrong in the result and stays so: an error line, a formula error, a red mark."""

    OTHER = "other"
    """Something changes that was not wanted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way to try a task.

    `act` takes the number of the try, from 0 on, so that a person can vary a detail; it ends when the answer can be
    seen, and leaves the program where the next try can begin. `take_back` undoes what an `OTHER` answer changed; None
    where there is nothing to undo. `systematic` marks a way that changes one detail and looks at the answer again:
    such tries are debugging, others frustration.
    """

    name: str
    act: Callable[[int], None]
    answer: Answer
    take_back: Callable[[], None] | None = None
    systematic: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One thing a person wants done.

    `begin` goes to where it is done (2-8 s), `succeed` does it so that the result can be seen, `leave` gets out of it,
    done or not. `again` does the same at the next target, successfully, as often as wanted: batch work. `options` are
    harmless choices with a visible effect, which a person tries one after the other to compare them. `wrong` are at
    least two ways that look right and are not.
    """

    name: str
    intent: str
    help: str
    begin: Callable[[], None]
    succeed: Callable[[], None]
    leave: Callable[[], None]
    wrong: Sequence[Way]
    again: Callable[[], None] | None = None
    options: Sequence[Callable[[], None]] = field(default=())


class TaskProgram(Protocol):
    """A real program on a virtual desktop with tasks to do in it, operated by one user."""

    name: str
    packages: str
    """Debian packages that bring it; empty where Python brings it."""
    redo: str
    """The keys that do an undone step again, where there is one; ctrl+z undoes one."""

    def __init__(self, user: SimulatedUser) -> None:
        """Let `user` operate it; what is entered and where is drawn from the user's random numbers."""

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it with some content, and wait until it takes input."""

    def settle(self) -> None:
        """Get out of menus, dialogs and tasks, in front of all others, ready for work."""

    def tasks(self) -> Sequence[Task]:
        """Return the tasks there are, at least two; the same list for a user each time."""

    def work(self) -> None:
        """Do 3-8 s of steady work that succeeds: words, cells, an entry, a move to the next item."""

    def look_over(self) -> None:
        """Change the view and nothing else (under 3 s): scroll, page, another tab."""

    def places(self) -> Sequence[Point]:
        """Return six or more places where to rest the pointer is harmless: content, buttons, labels."""


class Helpers(Protocol):
    """The rest of the desktop that people use beside the program; `scenery.desktop` implements them."""

    def open_brief(self) -> None:
        """Bring the task's brief (a page of text) to the front; the first time this starts its viewer."""

    def take_note(self) -> None:
        """Write a line into notes in a window of their own; the first time this opens it."""

    def open_help(self) -> None:
        """Bring the help pages to the front, in a browser of their own."""

    def search_help(self) -> None:
        """Click into the help pages' search field, type a few words, press Enter and wait for the results."""

    def open_result(self) -> None:
        """Click on one of the results or links on the help page."""

    def back_to_work(self) -> None:
        """Bring the program's window to the front, by alt+Tab, the task bar or a click on it."""

    def start_progress(self, seconds: float, *, kind: str) -> None:
        """Start something that takes `seconds` and ends by itself.

        `kind` is "dialog" (a progress bar over the program) or "terminal" (lines that appear).
        """

    def progress_is_over(self) -> bool:
        """Return whether the last `start_progress` has ended and nothing of it is left on the screen."""


@dataclass(frozen=True, slots=True)
class TaskScene:
    """The simulated user, the program in use, and what else is on the desktop."""

    user: SimulatedUser
    program: TaskProgram
    helpers: Helpers


def repeated(act: Callable[[str], None], value: str, answer: Answer, name: str = "same") -> Way:
    """Return a way that gives the same value at each try."""
    return Way(name=name, act=lambda _number: act(value), answer=answer)


def varied(
    act: Callable[[str], None],
    values: Sequence[str],
    answer: Answer,
    name: str = "spelling",
    *,
    systematic: bool = True,
) -> Way:
    """Return a way that gives the next of the values at each try, and begins again after the last."""
    return Way(name=name, act=lambda number: act(values[number % len(values)]), answer=answer, systematic=systematic)


def repeated_and_varied(
    act: Callable[[str], None], values: Sequence[str], answer: Answer, rng: random.Random, *, name: str = "spelling"
) -> tuple[Way, Way]:
    """Return two ways: one that repeats a value, drawn here, and one called `name` that varies it systematically."""
    return repeated(act, rng.choice(values), answer), varied(act, values, answer, name)
