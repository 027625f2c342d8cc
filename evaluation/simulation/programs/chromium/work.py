"""What is done in the workbook application: notes, figures and entries written, changed, copied, counted up.

Each piece takes a few seconds and ends with something to be seen on the page.
"""

from collections.abc import Callable, Sequence

from evaluation.simulation.actor import Actor
from evaluation.simulation.programs.chromium.page import WorkbookHands

_NAMES = ("Garden", "Hall", "Library", "Choir", "Bakery", "Market", "Path", "School")
_SPIN = 43
"""From the middle of the amount's field to its arrows."""


class WorkbookWork:
    """Work that succeeds, and changes that undo takes back."""

    def __init__(self, actor: Actor, page: WorkbookHands) -> None:
        """Work on `page`."""
        self._actor, self._hands, self._rng = actor, actor.hands, actor.rng
        self._page = page

    def compose(self) -> None:
        """Write a line of notes, fill in some cells, or add an entry."""
        kind = self._rng.choice(("notes", "notes", "cells", "entry"))
        if kind == "notes":
            self._hands.click(*self._page.in_notes())
            self._hands.chord("ctrl+End" if self._actor.chance(0.3) else "End")
            self._hands.chord("Return")
            self._page.write_for(self._rng.uniform(2.0, 5.0))
        elif kind == "cells":
            self._hands.click(*self._page.cell())
            for keys in self._rng.choice((("Tab", "Tab", "Return"), ("Return", "Return", "Return"))):
                self._hands.text(self._page.figure(), rate=self._actor.rate)
                self._hands.chord(keys)
        else:
            self._page.fill("name", self._rng.choice(_NAMES))
            self._hands.chord("Tab")
            self._hands.text(self._rng.choice(_NAMES)[:4], rate=self._actor.rate)
            self._page.tap(self._page.book.picking["add"])

    def adjust(self) -> None:
        """Replace a word, correct a figure, choose another category."""
        kind = self._rng.choice(("word", "word", "figure", "category"))
        if kind == "word":
            self._page.mark_word()
            self._actor.think(0.4)
            self._actor.write(self._page.short())
        elif kind == "figure":
            self._hands.click(*self._page.cell())
            self._actor.think(0.4)
            self._hands.text(self._page.figure(), rate=self._actor.rate)
            self._hands.chord("Return")
        else:
            self._page.tap(self._page.book.picking["category"])
            self._hands.wait(0.4)
            self._hands.repeat(self._rng.choice(("Down", "Up")), self._rng.randint(1, 3))
            self._hands.chord("Return")
            self._page.tap(self._page.book.picking["done"])

    def expert(self) -> None:
        """Copy and move lines of the notes by shortcuts, or fill a column; save."""
        if self._actor.chance(0.4):
            self._hands.click(*self._page.cell())
            for _ in range(self._rng.randint(3, 5)):
                self._hands.text(self._page.figure(), rate=max(6.0, self._actor.rate))
                self._hands.chord("Return")
        else:
            self._hands.click(*self._page.in_notes())
            self._hands.chord("Home")
            self._hands.repeat("shift+Down", self._rng.randint(1, 2), gap_s=0.05)
            deeds: tuple[Sequence[str], ...] = (
                ("ctrl+c", "Right", "ctrl+v", "ctrl+v"),
                ("ctrl+x", "Down", "Down", "ctrl+v"),
                ("ctrl+c", "Right", "ctrl+v", "ctrl+shift+Right", "ctrl+x", "End", "ctrl+v"),
            )
            for keys in self._rng.choice(deeds):
                self._hands.chord(keys)
        self._hands.chord("ctrl+s")

    def repeat_useful(self) -> None:
        """Go through the records, make the letters bigger, count an amount up, or add rows."""
        times = self._actor.count(3, 8)
        control = self._rng.choice(("next", "previous", "bigger", "row", "amount"))
        book = self._page.book
        if control == "amount":
            x, y = book.picking["amount"]
            self._page.tap((x, y), reach=1)
            for _ in range(times):
                self._page.tap((x + _SPIN, y - 6), reach=1)
                self._hands.wait(self._hands.about(0.25))
            return
        for _ in range(times):
            self._page.press(control)
            self._hands.wait(self._hands.about(0.3))

    # ------------------------------------------------------------------ changes

    def change(self) -> int:
        """Change something and return how many undos it takes."""
        changes: tuple[Callable[[], int], ...] = (
            self._word,
            self._rewritten,
            self._figure,
            self._bold,
            self._bigger,
            self._row,
        )
        steps = self._rng.choice(changes)()
        self._hands.wait(0.2)
        return steps

    def _word(self) -> int:
        self._hands.click(*self._page.in_notes())
        self._hands.chord("End")
        self._hands.text(f" {self._page.short()}", rate=self._actor.rate)
        return 2

    def _rewritten(self) -> int:
        self._page.mark_word()
        self._hands.text(self._page.short(), rate=self._actor.rate)
        return 1

    def _figure(self) -> int:
        self._hands.click(*self._page.cell())
        self._hands.wait(0.2)
        self._hands.text(self._page.figure(), rate=self._actor.rate)
        self._hands.chord("Return")
        return 1

    def _bold(self) -> int:
        self._page.do("ctrl+b", "bold", ("Edit", "Bold"))
        return 1

    def _bigger(self) -> int:
        self._page.do("", "bigger", ("Edit", "Bigger"))
        return 1

    def _row(self) -> int:
        self._page.do("", "row", ("Insert", "Row"))
        return 1
