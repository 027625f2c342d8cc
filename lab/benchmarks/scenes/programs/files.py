"""Scenes in file managers: a name that is taken, two folders looked into in turn, many renamed files."""

from dataclasses import dataclass
from pathlib import Path

from demo.user import DemoUser
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.sample_text import item
from lab.benchmarks.scenes.programs.window import WindowScenes

_FOLDERS = (
    *("bills", "choir", "drafts", "exams", "family", "garden", "house", "invoices", "journal", "kitchen", "letters"),
    *("maps", "notices", "orders", "photos", "receipts", "songs", "travel"),
)
"""More than can be looked into while a scene lasts."""
_NUMBERS = tuple(range(1, 25))


@dataclass(frozen=True, slots=True)
class FileManager:
    """A file manager: its name, and how files are reached by their names in it.

    `between` stands between words of a name: KDE's opens what is selected, by a space. The letters typed last count as
    the beginning of the name for `forgets_s`. `leave` ends typing such letters, `close` a message, `up` goes to the
    folder above.
    """

    app: str
    between: str = " "
    forgets_s: float = 0.0
    leave: str | None = "Escape"
    close: str = "Return"
    up: str = "BackSpace"


NEMO, CAJA = FileManager("Nemo"), FileManager("Caja")
DOLPHIN = FileManager("dolphin", between="-", forgets_s=1.2, leave=None, close="Escape", up="alt+Up")


class FilesScenes(WindowScenes):
    """A folder of papers."""

    def __init__(self, user: DemoUser, manager: FileManager) -> None:
        """Let `user` play them in a file manager."""
        super().__init__(user)
        self._manager = manager
        self._files = tuple(self._named("scan", number) for number in _NUMBERS)
        self._renamed = 0
        self._next = 0
        self.in_vain = {"name_taken": self._rename_in_vain, "folders_to_and_fro": self._look_into_two}
        self.calm = {"many_renamed": self._rename, "many_folders": self._look_into_next}

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it in a folder with folders and files."""
        papers = desktop.directory / "home" / "papers"
        for folder in _FOLDERS:
            self._fill(papers / folder)
        for name in self._files:
            (papers / f"{name}.txt").write_text(f"{name}.txt")
        self.start(desktop, [self._manager.app.lower(), str(papers)], self._manager.app, size=(1000, 700))

    def begin(self, seconds: float) -> None:
        """Give some files better names."""
        self.click(600, 640)
        self.fluent(seconds, self._rename)

    def _fill(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        for number in range(self._rng.randint(2, 6)):
            (folder / f"{item(self._rng)} {number}.txt").write_text("x")

    def _named(self, word: str, number: int) -> str:
        return f"{word}{self._manager.between}{number:02}"

    def _select(self, name: str) -> None:
        """Go to a file by typing how its name begins."""
        self._hands.wait(self._manager.forgets_s)
        self._hands.text(name)
        self._hands.wait(0.5)
        if self._manager.leave is not None:
            self._hands.chord(self._manager.leave)
            self._hands.wait(0.4)

    def _rename(self) -> None:
        """Give the next file another name, which works each time."""
        name = self._files[self._renamed % len(self._files)]
        self._renamed += 1
        self._select(name)
        self._hands.chord("F2")
        self._hands.wait(0.5)
        self._user.write(f"{item(self._rng)} {self._renamed}")
        self._hands.chord("Return")
        self._user.read(1.0, 2.5)

    def _rename_in_vain(self) -> None:
        """Give a file a name that another one has; it is refused, in a dialog."""
        self._select(self._files[-1])
        self._hands.chord("F2")
        self._hands.wait(0.5)
        self._user.write(self._rng.choice(self._files[-3:-1]))
        self._hands.chord("Return")
        self._user.read(1.5, 3.5)
        self._hands.chord(self._manager.close)
        self._hands.wait(0.4)
        self._hands.chord("Escape")
        self._user.read(0.5, 1.5)

    def _look_into(self, folder: str) -> None:
        self._select(folder)
        self._hands.chord("Return")
        self._user.read(1.5, 3.5)
        self._hands.chord(self._manager.up)
        self._user.read(0.8, 1.5)

    def _look_into_two(self) -> None:
        """Look for a paper in one folder, then in another: the same two each time."""
        for folder in ("bills", "receipts"):
            self._look_into(folder)

    def _look_into_next(self) -> None:
        """Look through one folder after the other, each once."""
        self._look_into(_FOLDERS[self._next % len(_FOLDERS)])
        self._next += 1
