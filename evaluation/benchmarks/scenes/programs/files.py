"""Scenes in Nemo and Caja, file managers: a name that is taken, two folders looked into in turn, many renamed files."""

from pathlib import Path

from evaluation.benchmarks.scenes.programs.window import WindowScenes
from evaluation.demo.user import DemoUser
from evaluation.stage.desktop import VirtualDesktop
from evaluation.stage.sample_text import item

_FOLDERS = (
    *("bills", "choir", "drafts", "exams", "family", "garden", "house", "invoices", "journal", "kitchen", "letters"),
    *("maps", "notices", "orders", "photos", "receipts", "songs", "travel"),
)
"""More than can be looked into while a scene lasts."""
_FILES = tuple(f"scan {number:02}.txt" for number in range(1, 25))


class FilesScenes(WindowScenes):
    """A folder of papers."""

    def __init__(self, user: DemoUser, app: str) -> None:
        """Let `user` play them in Nemo or Caja."""
        super().__init__(user)
        self._app = app
        self._renamed = 0
        self._next = 0
        self.in_vain = {"name_taken": self._rename_in_vain, "folders_to_and_fro": self._look_into_two}
        self.calm = {"many_renamed": self._rename, "many_folders": self._look_into_next}

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it in a folder with folders and files."""
        papers = desktop.directory / "home" / "papers"
        for folder in _FOLDERS:
            self._fill(papers / folder)
        for name in _FILES:
            (papers / name).write_text(name)
        self.start(desktop, [self._app.lower(), str(papers)], self._app, size=(1000, 700))

    def begin(self, seconds: float) -> None:
        """Give some files better names."""
        self.click(600, 640)
        self.fluent(seconds, self._rename)

    def _fill(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        for number in range(self._rng.randint(2, 6)):
            (folder / f"{item(self._rng)} {number}.txt").write_text("x")

    def _select(self, name: str) -> None:
        """Go to a file by typing how its name begins."""
        self._hands.text(name)
        self._hands.wait(0.5)
        self._hands.chord("Escape")
        self._hands.wait(0.4)

    def _rename(self) -> None:
        """Give the next file another name, which works each time."""
        name = _FILES[self._renamed % len(_FILES)]
        self._renamed += 1
        self._select(name[:-4])
        self._hands.chord("F2")
        self._hands.wait(0.5)
        self._user.write(f"{item(self._rng)} {self._renamed}")
        self._hands.chord("Return")
        self._user.read(1.0, 2.5)

    def _rename_in_vain(self) -> None:
        """Give a file a name that another one has; it is refused, in a dialog."""
        self._select("scan 24")
        self._hands.chord("F2")
        self._hands.wait(0.5)
        self._user.write(self._rng.choice(("scan 22", "scan 23")))
        self._hands.chord("Return")
        self._user.read(1.5, 3.5)
        self._hands.chord("Return")
        self._hands.wait(0.4)
        self._hands.chord("Escape")
        self._user.read(0.5, 1.5)

    def _look_into(self, folder: str) -> None:
        self._select(folder)
        self._hands.chord("Return")
        self._user.read(1.5, 3.5)
        self._hands.chord("BackSpace")
        self._user.read(0.8, 1.5)

    def _look_into_two(self) -> None:
        """Look for a paper in one folder, then in another: the same two each time."""
        for folder in ("bills", "receipts"):
            self._look_into(folder)

    def _look_into_next(self) -> None:
        """Look through one folder after the other, each once."""
        self._look_into(_FOLDERS[self._next % len(_FOLDERS)])
        self._next += 1
