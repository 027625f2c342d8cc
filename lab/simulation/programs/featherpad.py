"""FeatherPad, a text editor in Qt: searches without result, and files that are not where one thinks."""

from collections.abc import Mapping, Sequence

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.sample_text import item, sentence
from lab.simulation.programs.debian_program import DebianProgram
from lab.simulation.programs.mousepad import sample_notes
from lab.simulation.simulated_user import SimulatedUser

_THERE = ("garden", "bench", "choir", "library", "summer fair")
_MISSING = ("gardn", "benchs", "choire", "libary", "sommer fair", "the  garden")
_ABSENT = ("minute.txt", "Minutes.txt", "minutes", "minutes-may.txt")
_FOLDERLESS = ("archive/a.txt", "Archive/a.txt", "old/archive/a.txt", "archiv/a.txt")
_OPEN, _SAVE_AS = "ctrl+o", "ctrl+shift+s"


class FeatherpadProgram(DebianProgram):
    """Notes in a text file, others beside it."""

    name = "featherpad"
    packages = "featherpad"
    margins = (50, 90, 40, 130)

    def __init__(self, user: SimulatedUser) -> None:
        self._in_bar = False
        super().__init__(user)

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it with a file of several screens."""
        home = desktop.directory / "home"
        for name in ("notes", "minutes", "plan"):
            (home / f"{name}.txt").write_text(sample_notes(self.rng))
        self.start(desktop, ["featherpad", "--standalone", "notes.txt"])
        self.hands.click(*self.places()[1])

    def settle(self) -> None:
        """Leave dialogs; some click into the text."""
        super().settle()
        if self._in_bar or self.user.chance(0.4):
            self._into_text()

    def lists(self) -> Mapping[str, Sequence[str]]:
        """Return words, files and folders that are there, or not."""
        return {"there": _THERE, "missing": _MISSING, "absent": _ABSENT, "folderless": _FOLDERLESS}

    def work(self) -> None:
        """Write a sentence or an entry at some place, now and then save."""
        self._into_text()
        self.hands.chord("End")
        self.hands.chord("Return")
        words = self.rng.choice((sentence(self.rng), f"- {item(self.rng)}"))
        self.user.write(words[: int(4 * self.user.rate)])
        if self.user.chance(0.3):
            self.hands.chord("ctrl+s")

    def _open_well(self) -> None:
        self.name_file(_OPEN, self.rng.choice(("minutes.txt", "plan.txt")))
        self.wait_closed()

    def _save_well(self) -> None:
        self.name_file(_SAVE_AS, f"{self.rng.choice('ab')}-{self.rng.randint(100, 999)}.txt")
        self.wait_closed()

    def _open_in_vain(self, name: str) -> None:
        """Name a file that is not there; a message says so, and the dialog stays."""
        self.name_file_in_vain(_OPEN, name)

    def _save_in_vain(self, name: str) -> None:
        """Save into a folder that is not there; the dialog goes, and a red bar says that nothing was saved."""
        self.name_file(_SAVE_AS, name)
        self.wait_closed()
        self.user.think(0.6)

    def _go_to_bar(self) -> None:
        """Go to the search bar; the keys for it would hide it if it had the keyboard."""
        if not self._in_bar:
            self.hands.chord("ctrl+f")
            self._in_bar = True
            self.hands.wait(0.3)

    def _into_text(self) -> None:
        self.hands.click(*self.places()[self.rng.randint(1, 4)])
        self._in_bar = False

    def _find(self, words: str) -> None:
        self._go_to_bar()
        self.replace(words)
        self.hands.chord("Return")
        self.hands.wait(0.4)

    def _find_on(self, number: int) -> None:
        if number == 0:
            self._find(_MISSING[0])
        self.hands.repeat("Return", self.user.count(1, 4))
