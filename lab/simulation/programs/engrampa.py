"""Engrampa, the archive manager of MATE: names that are taken, a password that is wrong, files that are not there."""

import subprocess
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from demo.virtual_desktop.desktop import VirtualDesktop, program
from demo.virtual_desktop.sample_text import sentence
from lab.simulation.programs.debian_program import DebianProgram
from lab.simulation.simulated_user import SimulatedUser

_ARCHIVES = ("backup", "summer", "office", "year")
_FOLDERS = ("garden", "hall", "market", "school")
_IN_FOLDERS = ("budget.txt", "minutes.txt", "rota.txt", "list.txt")
_STAYING = ("notes.txt", "plan.txt")
"""Files that keep their names, so that these stay taken."""

_RENAMED = ("address", "choir", "keys", "order")
_LOCKED = "wages"
_RENAME, _EXTRACT, _PASSWORD, _MESSAGE = "Rename", "Extract", "Password", ""


class EngrampaProgram(DebianProgram):
    """An archive with texts and folders; one text is encrypted."""

    name = "engrampa"
    packages = "engrampa p7zip-full adwaita-icon-theme hicolor-icon-theme"
    margins = (40, 160, 40, 100)

    def __init__(self, user: SimulatedUser) -> None:
        self._archive = Path()
        self._names = {word: f"{word}.txt" for word in _RENAMED}
        self._password = f"{user.rng.choice(('spring', 'river', 'lamp', 'bakery'))}{user.rng.randint(10, 99)}"
        self._found = ""
        self._finding = self._flat = self._has_password = False
        super().__init__(user)

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it with an archive, others beside it."""
        home = desktop.directory / "home"
        chosen = self.rng.choice(_ARCHIVES)
        for archive in _ARCHIVES:
            with zipfile.ZipFile(home / f"{archive}.zip", "w", zipfile.ZIP_DEFLATED) as packed:
                inner = [f"{folder}/{name}" for folder in _FOLDERS for name in _IN_FOLDERS]
                for name in (*inner, *_STAYING, *self._names.values()):
                    packed.writestr(name, f"{sentence(self.rng)}\n" * self.rng.randint(1, 60))
        self._archive = home / f"{chosen}.zip"
        locked = home / f"{_LOCKED}.txt"
        locked.write_text(f"{sentence(self.rng)}\n" * 40)
        add = [program("7z"), "a", "-tzip", f"-p{self._password}", str(self._archive), str(locked)]
        subprocess.run(add, check=True, stdout=subprocess.DEVNULL)
        locked.unlink()
        self.start(desktop, ["engrampa", self._archive.name], largest=(1300, 900))
        self._into_list()

    def settle(self) -> None:
        """Leave dialogs and the search, and show folders."""
        super().settle()
        if self._finding:
            self._leave_search()
        if self._flat:
            self._show_flat("off")

    def lists(self) -> Mapping[str, Sequence[str]]:
        """Return guesses near the password."""
        word, digits = self._password[:-2], self._password[-2:]
        return {
            "guesses": (word, word.capitalize() + digits, f"{word}-{digits}", f"{word}{digits}!", word.upper() + digits)
        }

    def work(self) -> None:
        """Look into a folder, go through its files, and come back; now and then give a file a new name."""
        if not self._has_password and self.user.chance(0.3):
            self._rename_well()
            return
        self._select(self.rng.choice(_FOLDERS))
        self.hands.chord("Return")
        self.user.think(0.7)
        self.hands.repeat("Down", self.rng.randint(1, 2))
        self.user.think(0.5)
        self.hands.chord("alt+Up")
        self.hands.wait(0.4)

    def _into_list(self) -> None:
        """Click below the files."""
        box = self.content_box()
        self.hands.click(box.x + box.w * self.rng.randint(60, 90) // 100, box.y + box.h - self.rng.randint(10, 60))
        self.hands.wait(0.2)

    def _select(self, name: str) -> None:
        """Select a file by the beginning of its name, which the program searches for."""
        self._into_list()
        self.type(name[:3])
        self.hands.wait(self.hands.about(0.4))
        self.hands.chord("Escape")
        self.hands.wait(0.2)

    def _wait_title(self, title: str) -> None:
        """Wait until the dialog of that title is the topmost."""

        def shown() -> bool:
            others = self.main.others()
            return bool(others) and others[0].title == title

        if self.user.wait_until(shown, times=80) is None:
            raise LookupError(f"no dialog {title!r} opened")
        self.hands.wait(self.hands.about(0.35))

    def _rename(self, old: str, new: str) -> None:
        """Give a file another name, in the dialog where that is open."""
        if not self.main.others():
            self._set_password("")
            self._select(old)
            self.hands.chord("F2")
            self._wait_title(_RENAME)
        self.replace(new)
        self.hands.chord("Return")

    def _rename_in_vain(self, name: str) -> None:
        """Give a name that is turned down; the dialog comes back after the message."""
        self._rename("keys", name)
        self._wait_title(_MESSAGE)
        self.user.think(0.7)
        self.hands.chord(self.rng.choice(("Return", "Escape")))
        self._wait_title(_RENAME)

    def _rename_well(self) -> None:
        self.main.leave_others()
        word = self.rng.choice([word for word in _RENAMED if word != "keys"])
        new = self._names[word] = f"{word}-{self.rng.randint(10, 99)}.txt"
        self._rename(word, new)
        if self.user.wait_until(lambda: self._holds(new), times=80) is None:
            raise LookupError("the file keeps its name")
        self.hands.wait(0.8)

    def _holds(self, name: str) -> bool:
        try:
            with zipfile.ZipFile(self._archive) as packed:
                return name in packed.namelist()
        except (OSError, zipfile.BadZipFile):  # it is being written
            return False

    def _set_password(self, word: str) -> None:
        """Tell the program the password, which it keeps; what is packed would be encrypted with it."""
        if not word and not self._has_password:
            return
        self.hands.chord("alt+e")
        self.hands.wait(0.25)
        self.hands.chord("Up")
        self.hands.chord("Return")
        self._wait_title(_PASSWORD)
        self.hands.chord("ctrl+a")
        self.hands.chord("BackSpace")
        self.type(word)
        self.hands.chord("Return")
        self.wait_closed()
        self._has_password = bool(word)

    def _unpack(self, word: str) -> None:
        self.main.leave_others()
        self._set_password(word)
        self.hands.chord("ctrl+e")
        self._wait_title(_EXTRACT)
        self.hands.chord("Return")

    def _unpack_in_vain(self, word: str) -> None:
        self._unpack(word)
        self._wait_title(_MESSAGE)
        self.user.think(0.7)
        self.hands.chord(self.rng.choice(("Return", "Escape")))
        self.wait_closed()

    def _unpack_well(self) -> None:
        """Unpack the file with its password; a dialog says that it is done."""
        self._unpack(self._password)
        self._wait_title("Engrampa")

    def _show_flat(self, flat: str) -> None:
        """Show all files in one list ("on"), or folders ("off")."""
        self._flat = flat == "on"
        self.hands.chord("ctrl+1" if self._flat else "ctrl+2")

    def _open_search(self) -> None:
        self.hands.chord("ctrl+f")
        self._finding = True
        self.hands.wait(0.3)

    def _leave_search(self) -> None:
        self.hands.chord("Escape")
        self._finding = False
        self.hands.wait(0.3)

    def _find(self, words: str) -> None:
        """Look for a name; select-all belongs to the list here."""
        self._open_search()
        self.hands.chord("End")
        self.hands.chord("shift+Home")
        self.type(words)
        self.hands.chord("Return")
        self.hands.wait(0.5)

    def _find_one(self) -> None:
        """Find the files of a name, another one each time."""
        self._found = self.rng.choice([word for word in ("minutes", "budget", "rota", "list") if word != self._found])
        self._find(self._found)
