"""Work in LibreOffice Calc: filling a sheet fluently, and five ways of getting stuck in it.

The program completes what is typed from the column above, so no label begins like another one.
"""

from demo.user import DemoUser
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.sample_text import labels
from demo.virtual_desktop.windows import Point
from demo.work import ScriptedWork, start_office

_FIRST_CELL, _CELL = (82, 171), (82, 17)


class CalcWork(ScriptedWork):
    """A small household or club budget."""

    app = "calc"

    def __init__(self, user: DemoUser) -> None:
        """Let `user` do it; which cells, values and places they get stuck at is drawn once."""
        super().__init__(
            user,
            {
                "cell": lambda place: self._hands.click(*self._cell(place)),
                "cells": lambda places: self._hands.drag(*map(self._cell, self.acts.fill(places).split())),
                "to": lambda place: self._hands.move(*self._cell(place)),
                "next": lambda _: self._set_row(self._row + 1),
                "some": lambda _: self._draw_row(),
                "fresh": lambda _: self._click_fresh_value(),
            },
        )
        self._percents: set[tuple[int, int]] = set()
        self.acts.lists["labels"] = labels(self._rng)
        self.acts.values["empty"] = f"{self._rng.randint(5, 8)},{self._rng.randint(3, 12)}"
        self._set_row(0)

    def open(self, desktop: VirtualDesktop) -> None:
        """Start Calc with an empty sheet."""
        self.acts.box = start_office(desktop, "calc").box

    def _cell(self, place: str) -> Point:
        """Return where a cell is, by column and row."""
        column, row = map(self.acts.count, self.acts.fill(place).split(","))
        x, y = _FIRST_CELL[0] + _CELL[0] * column, _FIRST_CELL[1] + _CELL[1] * row
        return self.acts.box.x + x, self.acts.box.y + y

    def _set_row(self, row: int) -> None:
        self._row = row
        self.acts.values |= {"row": str(row), "last": str(row - 1), "below": str(row + 1)}

    def _draw_row(self) -> None:
        self.acts.values["some"] = str(self._rng.randint(1, self._row - 1))

    def _click_fresh_value(self) -> None:
        """Click on a figure that is no percentage yet: another one each time, so that a change shows."""
        plain = [(column, row) for row in range(1, self._row) for column in (1, 2, 3)]
        plain = [cell for cell in plain if cell not in self._percents]
        if not plain:
            self.acts.play("row")
            plain = [(column, self._row - 1) for column in (1, 2, 3)]
        column, row = self._rng.choice(plain)
        self._percents.add((column, row))
        self._hands.click(*self._cell(f"{column},{row}"))
