"""Calc with tasks: formulas whose names or values it does not know, with an error that stays in the cell."""

from collections.abc import Callable, Sequence
from functools import partial

from lab.simulation.program import Point
from lab.simulation.programs.calc import Calc
from lab.simulation.simulated_user import SimulatedUser
from lab.simulation.tasks.programs.debian.office.office_tasks import OfficeTasks
from lab.simulation.tasks.task import Answer, Task, Way
from lab.simulation.tasks.ways import repeated, varied

_NAME_BOX: Point = (60, 122)
_PACE = 5.0
_SUMS = ("=TOTAL(B2:B9)", "=ADD(B2:B9)", "=SUMM(B2:B9)", "=SOMME(B2:B9)", "=PLUS(B2:B9)")
_MEANS = ("=MEAN(C2:C9)", "=AVG(C2:C9)", "=MITTEL(C2:C9)", "=AVERGE(C2:C9)")
_LOOKUPS = (
    '=VLOOKUP("Zinc";A2:C20;2;0)',
    '=VLOOKUP("zinc";A1:C40;2;0)',
    '=VLOOKUP("Zn";A2:C20;9;0)',
    '=MATCH("Zinc";A2:A9;0)',
)
_WORDS = ("=A2*2", "=A3+B3", "=A2-A4", "=SQRT(A3)")
_MISSING = ("Zinc", "Reent", "Watr", "Insurence", "Gardn")


class CalcProgram(OfficeTasks, Calc):
    """A workbook or a table of values."""

    name = "calc-tasks"
    office = "calc"

    def __init__(self, user: SimulatedUser) -> None:
        """Let `user` calculate."""
        super().__init__(user)
        self._cell = ("K", self.rng.randint(3, 18))
        self._at_cell = False
        self._looked_at: Point | None = None

    def settle(self) -> None:
        """Leave what is open, the search bar too."""
        super().settle()
        self._at_cell = False
        self._looked_at = None

    def work(self) -> None:
        """Enter some cells, or a sum."""
        self._at_cell = False
        if self.user.chance(0.6):
            self.compose()
        else:
            self._sum_next()

    def look_over(self) -> None:
        """Move through the sheet."""
        self.page(self.rng.choice((-1, 1)))
        self._at_cell = False

    def make_tasks(self) -> Sequence[Task]:
        """Return formulas to enter, and an item to find."""
        return (
            self._formula_task("sum", "add up a column", "the function is called SUM", _SUMS, "=SUM(B2:B9)"),
            self._formula_task(
                "mean", "get the mean of a column", "the function is called AVERAGE", _MEANS, "=AVERAGE(C2:C9)"
            ),
            self._formula_task(
                "lookup",
                "look a value up",
                "there is no such item; take one that is",
                _LOOKUPS,
                "=VLOOKUP(A3;A2:C20;2;0)",
            ),
            self._formula_task(
                "words", "double a value", "the cell holds words; take one with a number", _WORDS, "=B2*2"
            ),
            self.find_task(
                "find an item",
                "it is spelled differently, or not in the sheet",
                begin=self._begin_search,
                there=self._labels,
                missing=_MISSING,
                options=self._looks(),
            ),
        )

    def _formula_task(self, name: str, intent: str, help_: str, wrong: Sequence[str], right: str) -> Task:
        return Task(
            name=name,
            intent=intent,
            help=help_,
            begin=self._to_cell,
            succeed=partial(self._enter, right),
            leave=self._away,
            again=self._sum_next,
            options=self._looks(),
            wrong=(
                repeated(self._enter, wrong[0], Answer.ERROR),
                varied(self._enter, wrong, Answer.ERROR, "variant"),
                Way(name="edit", act=partial(self._open_and_confirm, wrong[0]), answer=Answer.ERROR),
            ),
        )

    def _looks(self) -> Sequence[Callable[[], None]]:
        """Return ways that a value can look; each is seen at once."""
        return tuple(
            partial(self._change_look_of_value, keys) for keys in ("ctrl+b", "ctrl+i", "ctrl+shift+5", "ctrl+e")
        )

    def _change_look_of_value(self, keys: str) -> None:
        """Give a value in the first rows a look, the same one until the program was settled."""
        if self._at_cell or not self._looked_at:
            self.leave_search()
            self._looked_at = self._looked_at or self._filled()
            self.hands.click(*self._looked_at)
            self._at_cell = False
        self.hands.chord(keys)

    def _to_cell(self) -> None:
        """Go to the cell for the result, by the box with the cells' names."""
        self._begin()
        column, row = self._cell
        self.hands.click(*self.at(_NAME_BOX))
        self.hands.chord("ctrl+a")
        self.hands.text(f"{column}{row}\n", rate=max(_PACE, self.user.rate))
        self.hands.wait(0.3)
        self._at_cell = True

    def _enter(self, formula: str) -> None:
        """Put a formula into the cell; Return goes below, so people go back up."""
        if not self._at_cell:
            self._to_cell()
        self.user.write(formula, rate=max(_PACE, self.user.rate))
        self.hands.chord("Return")
        self.hands.wait(0.3)
        self.hands.chord("Up")

    def _open_and_confirm(self, formula: str, number: int) -> None:
        """Open the cell again, look, and confirm what stands there."""
        if number == 0 or not self._at_cell:
            self._enter(formula)
        self.hands.chord("F2")
        self.user.think(0.7)
        self.hands.chord("Return")
        self.hands.wait(0.2)
        self.hands.chord("Up")

    def _sum_next(self) -> None:
        """Put another sum below the last one."""
        self._cell = ("K", 3 + (self._cell[1] - 2) % 20)
        self._to_cell()
        self._enter(f"=SUM({self.rng.choice('BCD')}2:{self.rng.choice('EFG')}{self.rng.randint(3, 30)})")

    def _away(self) -> None:
        self.hands.repeat("Down", self.rng.randint(1, 3), gap_s=0.1)
        self._at_cell = False

    def _begin_search(self) -> None:
        self._begin()
        self._at_cell = False
