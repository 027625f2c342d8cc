"""GVim, an editor by commands: words that are not there, commands it does not know, and folders that are missing."""

from collections.abc import Mapping, Sequence

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.sample_text import item, sentence
from lab.simulation.programs.debian_program import DebianProgram
from lab.simulation.programs.mousepad import sample_notes

_THERE = ("garden", "bench", "choir", "library", "before")
_MISSING = ("gardn", "benchs", "choire", "libary", "befor the", "sumer")
_COLOURS = ("default", "desert", "morning", "slate", "peachpuff", "evening")


class GvimProgram(DebianProgram):
    """Notes of several screens."""

    name = "gvim"
    packages = "vim-gtk3"
    margins = (16, 100, 40, 50)

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it with a file, in colours and letters of the seed's choice."""
        home = desktop.directory / "home"
        (home / "notes.txt").write_text(sample_notes(self.rng))
        settings = [
            "set nocompatible noswapfile nobackup shortmess+=I hlsearch ruler",
            f"set guifont=DejaVu\\ Sans\\ Mono\\ {self.rng.randint(9, 13)}",
            f"colorscheme {self.rng.choice(_COLOURS)}",
        ]
        (home / ".vimrc").write_text("\n".join(settings) + "\n")
        self.start(desktop, ["gvim", "-f", "-u", str(home / ".vimrc"), "notes.txt"])
        self.settle()

    def settle(self) -> None:
        """Leave dialogs, a command that was begun, and a message that waits."""
        super().settle()
        for _ in range(2):
            self.hands.chord("Escape")
            self.hands.wait(0.15)

    def lists(self) -> Mapping[str, Sequence[str]]:
        """Return words that are there, and others like them."""
        return {"there": _THERE, "missing": _MISSING}

    def work(self) -> None:
        """Write a line below another."""
        self.hands.repeat(self.rng.choice(("j", "k", "j")), self.rng.randint(1, 6), gap_s=0.15)
        self.hands.text("o", rate=self.user.rate)
        words = self.rng.choice((sentence(self.rng), f"- {item(self.rng)}"))
        self.user.write(words[: int(4 * self.user.rate)])
        self.hands.chord("Escape")
        if self.user.chance(0.3):
            self._command("w")

    def _leave(self) -> None:
        self.hands.chord("Escape")
        self.hands.wait(0.15)

    def _to_start(self) -> None:
        self._leave()
        self.hands.text("gg", rate=self.user.rate)
        self.hands.wait(0.2)

    def _command(self, words: str) -> None:
        self.hands.text(":", rate=self.user.rate)
        self.type(words)
        self.hands.chord("Return")
        self.hands.wait(0.4)

    def _sort(self) -> None:
        self._command(self.rng.choice(("sort", "sort!")))

    def _save_copy(self) -> None:
        self._command(f"w! {self.rng.choice(('a', 'copy'))}-{self.rng.randint(100, 999)}.txt")

    def _again(self, words: str, number: int) -> None:
        """Give the last command again, from its history."""
        if number == 0:
            self._command(words)
        else:
            self.hands.text(":", rate=self.user.rate)
            self.hands.chord("Up")
            self.user.think(0.4)
            self.hands.chord("Return")
            self.hands.wait(0.4)

    def _find(self, words: str) -> None:
        self.hands.text("/", rate=self.user.rate)
        self.type(words)
        self.hands.chord("Return")
        self.hands.wait(0.4)

    def _find_on(self, number: int) -> None:
        if number == 0:
            self._find(_MISSING[0])
        else:
            self.hands.repeat("n", self.user.count(1, 4))
