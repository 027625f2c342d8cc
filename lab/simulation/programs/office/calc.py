"""Calc with tasks: formulas whose names or values it does not know, with an error that stays in the cell.

All sheets are filled alike from the top left corner, so that a place at the left is on a value at every zoom; right of
`_EMPTY` there is room.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from demo.virtual_desktop.sample_text import figure, labels
from demo.virtual_desktop.windows import Point
from lab.simulation.programs.office.document import OfficeProgram
from lab.simulation.programs.office.files import File, write_workbook
from lab.simulation.simulated_user import SimulatedUser

_GRID_TOP, _EMPTY = 190, 860
_NAME_BOX: Point = (60, 122)
_ROWS_A_PAGE = 36
_PACE = 5.0


class CalcProgram(OfficeProgram):
    """A workbook of some sheets, or a table of values."""

    name = "calc-tasks"
    office = "calc"
    packages = "libreoffice-calc libreoffice-gtk3 fonts-dejavu-core"
    tools: ClassVar = {"save": (107, 44), "undo": (458, 44), "find": (556, 44)}

    def __init__(self, user: SimulatedUser) -> None:
        """Let `user` calculate; how many sheets and rows there are is drawn once."""
        self._labels = labels(user.rng)
        super().__init__(user)
        self._rows = self.rng.randint(180, 420)
        self._row = 0
        self._sheets = self.rng.choice((1, 2, 2, 3))
        self._cell = ("K", self.rng.randint(3, 18))
        self._at_cell = False
        self._looked_at: Point | None = None

    def write_document(self, folder: Path) -> File:
        """Write a workbook to work on."""
        return write_workbook(folder, self.rng, rows=self._rows, sheets=self._sheets)

    def settle(self) -> None:
        """Leave what is open, the search bar too."""
        super().settle()
        self._at_cell = False
        self._looked_at = None

    def ready(self) -> None:
        """End what is being entered; go back to the top if the view has drifted far below the values."""
        self.hands.chord("Escape")
        if self._row > self._rows or self.user.chance(0.15):
            self.hands.chord("ctrl+Home")
            self._row = 0
        elif self.user.chance(0.4):
            self.hands.click(*self._filled())

    def content_points(self) -> Sequence[Point]:
        """Return places on cells, mostly filled ones."""
        return [*(self._filled() for _ in range(8)), self._empty(), self._empty()]

    def work(self) -> None:
        """Enter some cells, or a sum."""
        self._at_cell = False
        if self.user.chance(0.6):
            self._compose()
        else:
            self._sum_next()

    def page(self, direction: int) -> None:
        """Move on, but not beyond the values."""
        if direction > 0 and self._row > self._rows - _ROWS_A_PAGE:
            direction = -1
        self._row = max(0, self._row + direction * _ROWS_A_PAGE // 2)
        super().page(direction)
        self._at_cell = False

    def lists(self) -> Mapping[str, Sequence[str]]:
        """Return the labels of the sheet."""
        return {"labels": self._labels}

    def _filled(self) -> Point:
        right = 300 if self.path.suffix == ".csv" else 480
        return self.main.at(self.rng.randint(60, right), self.rng.randint(_GRID_TOP, self.main.box.h - 130))

    def _empty(self) -> Point:
        box = self.main.box
        return self.main.at(self.rng.randint(_EMPTY, box.w - 110), self.rng.randint(_GRID_TOP, box.h - 260))

    def _begin(self) -> None:
        self.at_caret = self._at_cell = False
        self.leave_search()

    def _compose(self) -> None:
        """Enter some cells: further down in the same columns, in an empty column, or in a row below all others."""
        self.leave_search()
        if not self.at_caret:
            if self.user.chance(0.4):
                for keys in ("ctrl+End", "Down", "Home"):
                    self.hands.chord(keys)
                self._row = self._rows
            else:
                self.hands.click(*self._empty())
        cells = max(2, min(4, int(self.user.rate * self.rng.uniform(2.5, 4.5) / 6)))
        if self.user.chance(0.5):
            self.user.write(self.rng.choice(self._labels))
            text = "".join(f"\t{figure(self.rng)}" for _ in range(cells - 1)) + "\n"
        else:
            text = "".join(f"{figure(self.rng)}\n" for _ in range(cells))
        self.hands.text(text, rate=self.user.rate)
        self.at_caret = True

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
        self.hands.click(*self.main.at(*_NAME_BOX))
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
