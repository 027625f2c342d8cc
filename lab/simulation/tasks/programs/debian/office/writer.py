"""Writer with tasks: words that the text does not have, formulas it cannot read, and fields that are not there."""

from collections.abc import Callable, Sequence
from functools import partial

from lab.simulation.programs.writer import Writer
from lab.simulation.simulated_user import SimulatedUser
from lab.simulation.tasks.programs.debian.office.office_tasks import OfficeTasks
from lab.simulation.tasks.task import Answer, Task
from lab.simulation.tasks.ways import repeated, repeated_and_varied, varied

_PACE = 5.0
_THERE = ("the", "some", "needs", "garden", "chairs", "choir", "summer", "small")
_MISSING = ("gardan", "comittee", "libary", "bensh", "sumer", "choire")
_FORMULAS = ("12 plus 30", "SUMM(12;30)", "12 + x", "TOTAL 12 30", "12 30 +", "ADD(12,30)")
_REFRESHING = ("F9", "shift+F9", "ctrl+shift+F9")


class WriterProgram(OfficeTasks, Writer):
    """A text of several pages."""

    name = "writer-tasks"
    office = "writer"

    def __init__(self, user: SimulatedUser) -> None:
        """Let `user` write."""
        super().__init__(user)
        self._in_line = False

    def settle(self) -> None:
        """Leave what is open, the search bar and the line for formulas too."""
        self._leave_line()
        super().settle()

    def work(self) -> None:
        """Write on, or change a word."""
        if self.user.chance(0.7):
            self.compose()
        else:
            self.adjust()

    def look_over(self) -> None:
        """Move through the text."""
        self.page(self.rng.choice((-1, 1)))

    def make_tasks(self) -> Sequence[Task]:
        """Return a word to find, a sum to work out, and a number to bring up to date."""
        return (
            self.find_task(
                "find the place about the garden",
                "the word is spelled differently in the text",
                begin=self._into_text,
                there=_THERE,
                missing=_MISSING,
                options=self._options(),
            ),
            Task(
                name="formula",
                intent="have the sum worked out in the text",
                help="write signs between numbers: 12+30",
                begin=self._to_end,
                succeed=self._work_out_well,
                leave=self._leave_line,
                again=self._work_out_well,
                options=self._options(),
                wrong=repeated_and_varied(self._work_out, _FORMULAS, Answer.ERROR, self.rng, name="variant"),
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
                    repeated(self._refresh, "F9", Answer.NOTHING),
                    varied(self._refresh, _REFRESHING, Answer.NOTHING, "keys"),
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

    def _work_out_well(self) -> None:
        self._work_out(f"{self.rng.randint(2, 99)}{self.rng.choice('+-*')}{self.rng.randint(2, 99)}")

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
