"""FileZilla, a client for FTP, with no server about: folders are gone to and bookmarked, files searched.

Nothing is renamed, made or deleted in it: after a change of files it may jump to another folder, of whomever that is.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.sample_text import sentence
from lab.simulation.programs.debian_program import DebianProgram
from lab.simulation.simulated_user import SimulatedUser

_FOLDERS = ("archive", "drafts", "invoices", "photos", "reports", "website")
_FILES = ("budget.txt", "choir.html", "garden.txt", "keys.txt", "logo.svg", "notes.txt", "times.html")
_ASTRAY = ("/{}", "{}1", "my-{}", "{}/old", "old/{}", "{}-new")
_MARKS = ("Club", "Fair", "Shop", "Team", "Next")
_UNKNOWN = ("{}x", "the {}", "{}.doc", "{} 1", "{}_")
_SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<FileZilla3 version="3.63.0" platform="*nix"><Settings>
<Setting name="Greeting version">99.0.0</Setting>
<Setting name="Show Tree Local">0</Setting>
<Setting name="Show Tree Remote">0</Setting>
<Setting name="Show queue">{queue}</Setting>
<Setting name="Search window size">0 {x} {y} {w} 560</Setting>
</Settings></FileZilla3>
"""
_BOOKMARKS = """<?xml version="1.0" encoding="UTF-8"?>
<FileZilla3 version="3.63.0" platform="*nix">{marks}</FileZilla3>
"""
_MARK = "<Bookmark><Name>{name}</Name><LocalDir>{folder}</LocalDir></Bookmark>"
_FIELD = (260, 188)
_NAMES, _HEADS = 60, 223  # the column of names, and the row of heads that sort the list
_FIRST_ROW, _ROW_HEIGHT = 246, 23


class FilezillaProgram(DebianProgram):
    """Some folders and files on this side, nothing on the other."""

    name = "filezilla"
    packages = "filezilla"
    margins = (20, 240, 20, 300)

    def __init__(self, user: SimulatedUser) -> None:
        self._home = Path()
        self._in_folder = self._lost = self._turned = False
        self._sorted_by = _NAMES
        self._folders = user.rng.sample(_FOLDERS, 4)
        self._files = user.rng.sample(_FILES, 5)
        self._marks = user.rng.sample(_MARKS, 3)
        super().__init__(user)

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it at a few folders and files, with its greeting already seen."""
        self._home = desktop.directory / "home"
        for folder in self._folders:
            (self._home / folder).mkdir()
            for name in self.rng.sample(_FILES, self.rng.randint(2, 6)):
                self._fill(self._home / folder / name)
        for name in self._files:
            self._fill(self._home / name)
        place = {"x": self.rng.randint(20, 700), "y": self.rng.randint(60, 400), "w": self.rng.randint(800, 1150)}
        config = desktop.directory / "config"
        (config / "filezilla").mkdir(parents=True, exist_ok=True)
        settings = _SETTINGS.format(queue=self.rng.randint(0, 1), **place)
        (config / "filezilla" / "filezilla.xml").write_text(settings)
        marks = "".join(_MARK.format(name=name, folder=self._home) for name in self._marks)
        (config / "filezilla" / "bookmarks.xml").write_text(_BOOKMARKS.format(marks=marks))
        self.start(desktop, ["filezilla"], env={"XDG_CONFIG_HOME": str(config)}, largest=(1450, 990))
        self._into_list()

    def settle(self) -> None:
        """Leave dialogs, and come back from a folder, wherever that is."""
        super().settle()
        if self._lost:
            self._into_field()
            self.hands.chord("ctrl+a")
            self.user.write(f"{self._home}\n", rate=12.0)
            self.hands.wait(0.5)
            self._in_folder = self._lost = False
        elif self._in_folder:
            self._go_up()

    def lists(self) -> Mapping[str, Sequence[str]]:
        """Return what folders and files are called, and spellings of one of each that are wrong."""
        folder, file = self.rng.choice(self._folders), Path(self.rng.choice(self._files)).stem
        astray, unknown = self._spelled(_ASTRAY, folder), self._spelled(_UNKNOWN, file)
        return {"astray": astray, "marks": self._marks, "unknown": (*unknown, file.title(), file.upper())}

    def work(self) -> None:
        """Look into a folder, go through its entries, and mostly come back."""
        self._look_into()
        self.hands.repeat("Down", self.user.count(1, 4))
        if self.user.chance(0.6):
            self._go_up()

    def _spelled(self, patterns: Sequence[str], word: str) -> Sequence[str]:
        return [pattern.format(word) for pattern in self.rng.sample(list(patterns), len(patterns))]

    def _fill(self, path: Path) -> None:
        path.write_text(sentence(self.rng) * self.rng.randint(1, 60))

    def _show(self, place: str) -> None:
        """Sort the list by a column, or show or hide the queue."""
        x, y = map(int, place.split())
        if y == _HEADS:
            self._turned ^= self._sorted_by == x
            self._sorted_by = x
        self.main.leave_others()
        self.hands.click(*self.main.at(x + self.rng.randint(-8, 8), y))
        self.hands.wait(0.4)

    def _into_list(self) -> None:
        """Click below the last entry: nothing is selected, and the list has the keyboard."""
        self.hands.click(*self.main.at(self.rng.randint(60, 450), self.rng.randint(476, 500)))
        self.hands.wait(0.2)

    def _into_field(self) -> None:
        self.hands.click(*self.main.at(_FIELD[0] + self.rng.randint(-90, 90), _FIELD[1] + self.rng.randint(-5, 5)))
        self.hands.wait(0.2)

    def _go_to(self, place: str) -> None:
        self._into_field()
        self.replace(place)
        self.hands.chord("Return")
        self.hands.wait(0.5)

    def _go_up(self) -> None:
        self._into_list()
        self.hands.chord("BackSpace")
        self.hands.wait(0.5)
        self._in_folder = False

    def _look_into(self) -> None:
        """Open one of the folders in the list; they come first, or last where it is turned round."""
        if self._in_folder:
            self._go_up()
        row = self.rng.randint(1, len(self._folders)) + self._turned * len(self._files)
        place = self.main.at(self.rng.randint(50, 90), _FIRST_ROW + row * _ROW_HEIGHT)
        self.hands.click(*place, count=2)
        self.hands.wait(0.5)
        self._in_folder = True

    def _go_in_vain(self, place: str) -> None:
        self._go_to(place)
        self.read_message()

    def _visit(self) -> None:
        name = self.rng.choice(self._folders)
        self._go_to(f"../{name}" if self._in_folder else name)
        self._in_folder = True
        if self.main.others():
            self._lost = True
            raise LookupError("the folder is not there")

    def _mark(self, name: str) -> None:
        """Give a bookmark's name, in a dialog that is open already or opens now."""
        if not self.main.others():
            self.hands.chord("ctrl+b")
            self.wait_dialog()
            self.hands.chord("Tab")
        self.replace(name)
        self.hands.chord("Return")

    def _mark_in_vain(self, name: str) -> None:
        """Give a name that is taken, or none."""
        self._mark(name)
        self.read_message(beyond=1)

    def _visit_and_mark(self) -> None:
        self.main.leave_others()
        self._look_into()
        self._mark(f"{self.rng.choice(_MARKS)} {self.rng.randint(10, 999)}")
        self.wait_closed()

    def _open_search(self) -> None:
        """Open the search and go to the field for the name."""
        if not self.main.others():
            self.hands.chord("F3")
            self.wait_dialog()
            self.hands.repeat("Tab", 4, gap_s=0.1)

    def _find(self, words: str) -> None:
        self._open_search()
        self.replace(words)
        self.hands.chord("Return")
        self.hands.wait(0.8)

    def _find_one(self) -> None:
        self._find(Path(self.rng.choice(self._files)).stem[:4])
