"""Writer with tasks: words that the text does not have, formulas it cannot read, and fields that are not there."""

from collections.abc import Callable, Sequence
from functools import partial

from evaluation.simulation.program import Point
from evaluation.simulation.programs.writer import Writer
from evaluation.simulation.simulated_user import SimulatedUser
from evaluation.simulation.tasks.task import Answer, Task, Way

_PACE = 5.0
_THERE = ("the", "some", "needs", "garden", "chairs", "choir", "summer", "small")
_MISSING = ("gardan", "comittee", "libary", "bensh", "sumer", "choire")
_FORMULAS = ("12 plus 30", "SUMM(12;30)", "12 + x", "TOTAL 12 30", "12 30 +", "ADD(12,30)")
_REFRESHING = ("F9", "shift+F9", "ctrl+shift+F9")


class WriterProgram(Writer):
    """A text of several pages."""

    name = "writer-tasks"
    office = "writer"

    def __init__(self, user: SimulatedUser) -> None:
        """Let `user` write."""
        super().__init__(user)
        self._in_line = False
        self._tasks = self._make_tasks()

    def tasks(self) -> Sequence[Task]:
        """Return the tasks there are."""
        return self._tasks

    def settle(self) -> None:
        """Leave what is open, the search bar and the line for formulas too."""
        self._leave_line()
        super().settle()
        self.leave_search()

    def work(self) -> None:
        """Write on, or change a word."""
        if self.user.chance(0.7):
            self.compose()
        else:
            self.adjust()

    def look_over(self) -> None:
        """Move through the text."""
        self.page(self.rng.choice((-1, 1)))

    def places(self) -> Sequence[Point]:
        """Return words and buttons."""
        return [*self.content_points(), *self.tool_points()[:3]]

    def state(self) -> bytes:
        """Return the pixels of the text, for tests."""
        return self.view()

    def _make_tasks(self) -> Sequence[Task]:
        same = self.rng.choice(_MISSING)
        formula = self.rng.choice(_FORMULAS)
        right = self._some_formula
        return (
            Task(
                name="find",
                intent="find the place about the garden",
                help="the word is spelled differently in the text",
                begin=self._into_text,
                succeed=lambda: self.search(self.rng.choice(_THERE)),
                leave=self.leave_search,
                again=lambda: self.search(self.rng.choice(_THERE)),
                options=self._options(),
                wrong=(
                    Way(name="same", act=lambda _number: self.search(same), answer=Answer.REFUSED),
                    Way(
                        name="spelling",
                        act=lambda number: self.search(_MISSING[number % len(_MISSING)]),
                        answer=Answer.REFUSED,
                        systematic=True,
                    ),
                    Way(name="on", act=partial(self._find_on, same), answer=Answer.REFUSED),
                ),
            ),
            Task(
                name="formula",
                intent="have the sum worked out in the text",
                help="write signs between numbers: 12+30",
                begin=self._to_end,
                succeed=lambda: self._work_out(right()),
                leave=self._leave_line,
                again=lambda: self._work_out(right()),
                options=self._options(),
                wrong=(
                    Way(name="same", act=lambda _number: self._work_out(formula), answer=Answer.ERROR),
                    Way(
                        name="variant",
                        act=lambda number: self._work_out(_FORMULAS[number % len(_FORMULAS)]),
                        answer=Answer.ERROR,
                        systematic=True,
                    ),
                ),
            ),
            Task(
                name="refresh",
                intent="bring a number in the text up to date",
                help="no field is there: type the number anew",
                begin=self._into_text,
                succeed=self._type_number,
                leave=self._into_text,
                again=self._type_number,
                options=self._options(),
                wrong=(
                    Way(name="same", act=lambda _number: self._refresh("F9"), answer=Answer.NOTHING),
                    Way(
                        name="keys",
                        act=lambda number: self._refresh(_REFRESHING[number % len(_REFRESHING)]),
                        answer=Answer.NOTHING,
                        systematic=True,
                    ),
                ),
            ),
        )

    def _options(self) -> Sequence[Callable[[], None]]:
        return (
            partial(self.zoom, -1),
            partial(self.zoom, 1),
            partial(self.by_key_or_tool, "ctrl+F10", "marks"),
        )

    def _into_text(self) -> None:
        self._leave_line()
        self.leave_search()
        self.at_caret = False
        self.hands.click(*self.rng.choice(self.content_points()))
        self.hands.wait(0.2)

    def _to_end(self) -> None:
        """Go to the end of a line."""
        self._into_text()
        self.hands.chord("End")
        self.hands.text(" ", rate=self.user.rate)

    def _find_on(self, word: str, number: int) -> None:
        if number == 0:
            self.search(word)
        self.hands.repeat("Return", self.user.count(1, 3))

    def _work_out(self, formula: str) -> None:
        """Open the line for formulas, and put what comes of one into the text."""
        self._in_line = True
        self.hands.chord("F2")
        self.hands.wait(0.4)
        self.user.write(formula, rate=max(_PACE, self.user.rate))
        self.hands.chord("Return")
        self._in_line = False
        self.hands.wait(0.4)
        self.hands.text(" ", rate=self.user.rate)

    def _leave_line(self) -> None:
        if self._in_line:
            self.hands.chord("Escape")
            self._in_line = False

    def _some_formula(self) -> str:
        return f"{self.rng.randint(2, 99)}{self.rng.choice('+-*')}{self.rng.randint(2, 99)}"

    def _refresh(self, keys: str) -> None:
        self.hands.repeat(keys, self.user.count(1, 2))
        self.hands.wait(0.4)

    def _type_number(self) -> None:
        """Type a number in the place of a word."""
        self._into_text()
        self._select_word()
        self.hands.wait(self.hands.about(0.4))
        self.user.write(str(self.rng.randint(10, 9999)), rate=max(_PACE, self.user.rate))
        self.hands.wait(0.3)
