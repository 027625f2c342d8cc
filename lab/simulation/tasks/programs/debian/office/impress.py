"""Impress with tasks: words that no slide has, and looks for a shape while none is selected."""

from collections.abc import Sequence
from functools import partial

from lab.simulation.programs.impress import Impress
from lab.simulation.tasks.programs.debian.office.office_tasks import OfficeTasks
from lab.simulation.tasks.task import Answer, Task, Way
from lab.simulation.tasks.ways import repeated, varied

_MISSING = ("gardan", "comittee", "libary", "bensh", "sumer")
"""No other word is the beginning of one of these: the field completes what it has seen."""
_THERE = ("the", "needs", "garden", "chairs", "small", "more")
_LOOKS = ("ctrl+b", "ctrl+i", "ctrl+u")


class ImpressProgram(OfficeTasks, Impress):
    """A talk of a dozen slides."""

    name = "impress-tasks"
    office = "impress"

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

    def make_tasks(self) -> Sequence[Task]:
        """Return a word to find, and a look for a shape's words."""
        zooms = tuple(partial(self.zoom, steps) for steps in (-1, 1))
        return (
            self.find_task(
                "find the slide about the garden",
                "the word is spelled differently on the slides",
                begin=self.begin,
                there=_THERE,
                missing=_MISSING,
                options=zooms,
            ),
            Task(
                name="look",
                intent="give a shape's words another look",
                help="select the shape first",
                begin=self._select_nothing,
                succeed=self._look_well,
                leave=self._select_nothing,
                again=self._look_well,
                options=zooms,
                wrong=(
                    repeated(self._press, "ctrl+b", Answer.NOTHING, "bold"),
                    varied(self._press_once, _LOOKS, Answer.NOTHING, "looks"),
                    Way(name="grey", act=self._press_button, answer=Answer.NOTHING),
                ),
            ),
        )

    def _select_nothing(self) -> None:
        """Leave text and selection, with the slide in front."""
        self.begin()
        self.hands.click(*self.at_slide((self.rng.uniform(0.1, 0.9), 0.96)))
        self.hands.chord("Escape")
        self.hands.wait(0.2)

    def _press(self, keys: str) -> None:
        self.hands.repeat(keys, self.user.count(1, 2))

    def _press_once(self, keys: str) -> None:
        self.hands.chord(keys)
        self.user.think(0.6)

    def _press_button(self, _number: int) -> None:
        x, y = self.at(self.rng.choice(((828, 83), (860, 83))))
        for _ in range(self.user.count(1, 3)):
            self.hands.click(x + self.rng.randint(-4, 4), y + self.rng.randint(-3, 3))

    def _look_well(self) -> None:
        self.pick()
        self.hands.chord(self.rng.choice(_LOOKS))
        self.hands.wait(0.3)
        self.hands.repeat(self.rng.choice(("Right", "Down", "Left")), self.rng.randint(2, 4), gap_s=0.15)
