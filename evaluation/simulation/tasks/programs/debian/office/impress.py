"""Impress with tasks: words that no slide has, and looks for a shape while none is selected."""

from collections.abc import Sequence
from functools import partial

from evaluation.simulation.program import Point
from evaluation.simulation.programs.impress import Impress
from evaluation.simulation.simulated_user import SimulatedUser
from evaluation.simulation.tasks.task import Answer, Task, Way

_MISSING = ("gardan", "comittee", "libary", "bensh", "sumer")
"""No other word is the beginning of one of these: the field completes what it has seen."""
_THERE = ("the", "needs", "garden", "chairs", "small", "more")
_LOOKS = ("ctrl+b", "ctrl+i", "ctrl+u")


class ImpressProgram(Impress):
    """A talk of a dozen slides."""

    name = "impress-tasks"
    office = "impress"

    def __init__(self, user: SimulatedUser) -> None:
        """Let `user` build slides."""
        super().__init__(user)
        self._tasks = self._make_tasks()

    def tasks(self) -> Sequence[Task]:
        """Return the tasks there are."""
        return self._tasks

    def settle(self) -> None:
        """Leave what is open, the search bar too."""
        super().settle()
        self.leave_search()

    def work(self) -> None:
        """Draw or write something, or change a shape."""
        if self.user.chance(0.6):
            self.compose()
        else:
            self.adjust()

    def look_over(self) -> None:
        """Move on to another slide."""
        self.begin()
        self.page(self.rng.choice((-1, 1)))

    def places(self) -> Sequence[Point]:
        """Return shapes and buttons."""
        return [*self.content_points(), *self.tool_points()[:3]]

    def state(self) -> bytes:
        """Return the pixels of the document, for tests."""
        return self.view()

    def _make_tasks(self) -> Sequence[Task]:
        return (
            Task(
                name="find",
                intent="find the slide about the garden",
                help="the word is spelled differently on the slides",
                begin=self.begin,
                succeed=lambda: self.search(self.rng.choice(_THERE)),
                leave=self.leave_search,
                again=lambda: self.search(self.rng.choice(_THERE)),
                options=tuple(partial(self.zoom, steps) for steps in (-1, 1)),
                wrong=(
                    Way(name="same", act=lambda _number: self.search(_MISSING[0]), answer=Answer.REFUSED),
                    Way(
                        name="spelling",
                        act=lambda number: self.search(_MISSING[number % len(_MISSING)]),
                        answer=Answer.REFUSED,
                        systematic=True,
                    ),
                    Way(name="on", act=self._find_on, answer=Answer.REFUSED),
                ),
            ),
            Task(
                name="look",
                intent="give a shape's words another look",
                help="select the shape first",
                begin=self._select_nothing,
                succeed=self._look_well,
                leave=self._select_nothing,
                again=self._look_well,
                options=tuple(partial(self.zoom, steps) for steps in (-1, 1)),
                wrong=(
                    Way(name="bold", act=partial(self._press, "ctrl+b"), answer=Answer.NOTHING),
                    Way(name="looks", act=self._press_another, answer=Answer.NOTHING, systematic=True),
                    Way(name="grey", act=self._press_button, answer=Answer.NOTHING),
                ),
            ),
        )

    def _find_on(self, number: int) -> None:
        if number == 0:
            self.search(_MISSING[0])
        self.hands.repeat("Return", self.user.count(1, 3))

    def _select_nothing(self) -> None:
        """Leave text and selection, with the slide in front."""
        self.begin()
        self.hands.click(*self.at_slide((self.rng.uniform(0.1, 0.9), 0.96)))
        self.hands.chord("Escape")
        self.hands.wait(0.2)

    def _press(self, keys: str, _number: int) -> None:
        self.hands.repeat(keys, self.user.count(1, 2))

    def _press_another(self, number: int) -> None:
        self.hands.chord(_LOOKS[number % len(_LOOKS)])
        self.user.think(0.6)

    def _press_button(self, _number: int) -> None:
        x, y = self.at(self.rng.choice(((828, 83), (860, 83))))
        for _ in range(self.user.count(1, 3)):
            self.hands.click(x + self.rng.randint(-4, 4), y + self.rng.randint(-3, 3))

    def _look_well(self) -> None:
        self.pick()
        self.hands.chord(self.rng.choice(("ctrl+b", "ctrl+i", "ctrl+u")))
        self.hands.wait(0.3)
        self.hands.repeat(self.rng.choice(("Right", "Down", "Left")), self.rng.randint(2, 4), gap_s=0.15)
