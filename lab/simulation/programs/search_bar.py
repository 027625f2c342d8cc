"""Programs whose search is a bar that Ctrl+F opens and Escape closes; people misspell what they look for in it."""

from collections.abc import Mapping, Sequence

from lab.simulation.programs.debian_program import DebianProgram
from lab.simulation.simulated_user import SimulatedUser


class SearchBarProgram(DebianProgram):
    """A program with such a bar."""

    there: Sequence[str]
    """Words that the content holds."""

    missing: Sequence[str]
    """Words like them that it does not hold."""

    next_key: str
    """What goes on to the next place."""

    def __init__(self, user: SimulatedUser) -> None:
        self._searching = False
        self._sought = ""
        super().__init__(user)

    def settle(self) -> None:
        """Leave dialogs and the search."""
        super().settle()
        if self._searching:
            self._leave_search()

    def lists(self) -> Mapping[str, Sequence[str]]:
        """Return both lists of words."""
        return {"there": self.there, "missing": self.missing}

    def _open_search(self) -> None:
        self.hands.chord("ctrl+f")
        self._searching = True
        self.hands.wait(0.3)

    def _leave_search(self) -> None:
        self.hands.chord("Escape")
        self._searching = False
        self.hands.wait(0.2)

    def _find(self, words: str) -> None:
        self._open_search()
        self.replace(words)
        self._sought = words
        self.hands.chord("Return")
        self.hands.wait(0.45)

    def _find_one(self) -> None:
        self._find(self.rng.choice(list(self.there)))

    def _find_on(self, number: int) -> None:
        if number == 0 or not self._searching or self._sought != self.missing[0]:
            self._find(self.missing[0])
        self.hands.repeat(self.next_key, self.user.count(1, 4))
