"""Caja, the file manager of MATE: names that are taken, and places that are not there."""

from pathlib import Path

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.sample_text import sentence
from lab.simulation.programs.debian_program import DebianProgram
from lab.simulation.simulated_user import SimulatedUser

_FILES = ("budget.txt", "choir.txt", "garden.txt", "keys.txt", "letter.txt", "minutes.txt", "rota.txt", "stall.txt")
_STAYING = ("minutes.txt", "rota.txt")
"""Files that keep their names, so that these stay taken."""

_FOLDERS = ("archive", "letters", "photos", "reports")


class CajaProgram(DebianProgram):
    """A folder with texts and folders."""

    name = "caja"
    packages = "caja adwaita-icon-theme hicolor-icon-theme"
    margins = (240, 120, 40, 60)

    def __init__(self, user: SimulatedUser) -> None:
        self._folder = Path()
        super().__init__(user)

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it at a folder, in one of its views."""
        self._folder = desktop.directory / "home" / "Documents"
        for name in _FOLDERS:
            (self._folder / name).mkdir(parents=True)
        for name in _FILES:
            (self._folder / name).write_text(sentence(self.rng) * self.rng.randint(1, 40))
        self.start(desktop, ["caja", "--no-desktop", "--browser", str(self._folder)])
        self.hands.chord(self.rng.choice(("ctrl+1", "ctrl+2", "ctrl+3")))

    def settle(self) -> None:
        """Leave dialogs and go back to the folder."""
        super().settle()
        if self._folder.name not in self.main.now().title:
            self._go_to("~/Documents")

    def state(self) -> bytes:
        """Return what the folder holds, and which folder is shown."""
        names = sorted(str(path.relative_to(self._folder)) for path in self._folder.rglob("*"))
        return "\n".join((*names, self.main.now().title)).encode()

    def has_changed(self, before: bytes) -> bool:
        """Return whether files or the place are others."""
        return self.state() != before

    def work(self) -> None:
        """Visit a folder and come back, or give a file a new name."""
        if self.user.chance(0.5):
            self._visit()
            self.user.think(1.0)
            self.hands.chord("BackSpace")
            self.hands.wait(0.6)
        else:
            self._rename_well()

    def _select(self, name: str) -> None:
        """Select a file by the beginning of its name, which the program searches for."""
        self.type(name)
        self.hands.wait(self.hands.about(0.5))
        self.hands.chord("Escape")
        self.hands.wait(0.3)

    def _rename(self, old: str, new: str) -> None:
        self._select(old)
        self.hands.chord("F2")
        self.hands.wait(0.4)
        self.replace(new)
        self.hands.chord("Return")

    def _rename_in_vain(self, name: str) -> None:
        self._rename("keys", name)
        self.read_message()

    def _rename_well(self) -> None:
        names = sorted(path.name for path in self._folder.glob("*.txt"))
        old = self.rng.choice([name for name in names if name not in {"keys.txt", *_STAYING}])
        new = f"{old.partition('.')[0].partition('-')[0]}-{self.rng.randint(10, 99)}.txt"
        self._rename(old, new)
        if self.user.wait_until((self._folder / new).exists, times=60) is None:
            raise LookupError("the file keeps its name")

    def _go_to(self, place: str) -> None:
        self.hands.chord("ctrl+l")
        self.hands.wait(0.3)
        self.replace(place)
        self.hands.chord("Return")
        self.hands.wait(0.6)

    def _go_in_vain(self, place: str) -> None:
        self._go_to(place)
        self.read_message()

    def _visit(self) -> None:
        self._go_to(str(Path("~/Documents") / self.rng.choice(_FOLDERS)))

    def _leave(self) -> None:
        self.hands.chord("Escape")
        self.main.leave_others()
        if self._folder.name not in self.main.now().title:
            self._go_to("~/Documents")
