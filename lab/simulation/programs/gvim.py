"""GVim, an editor by commands: words that are not there, commands it does not know, and folders that are missing."""

import itertools
from collections.abc import Sequence
from functools import partial

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.sample_text import item, sentence
from lab.simulation.programs.debian_program import DebianProgram
from lab.simulation.programs.mousepad import sample_notes
from lab.simulation.tasks.task import Answer, Task, Way, repeated_and_varied

_THERE = ("garden", "bench", "choir", "library", "before")
_MISSING = ("gardn", "benchs", "choire", "libary", "befor the", "sumer")
_FOLDERLESS = ("archive/a.txt", "old/a.txt", "Archive/notes.txt", "archiv/a.txt")
_SETTINGS = ("numbers", "linenumber", "lines on", "numbering", "line-numbers")
_COMMANDS = ("svae", "sort lines", "sortlines", "alphabetic", "order")
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

    def make_tasks(self) -> Sequence[Task]:
        """Return a search, a setting, an order of lines, and a copy to save."""
        return (
            Task(
                name="find",
                intent="find the place about the garden",
                help="the word is spelled differently in the text",
                begin=self._to_start,
                succeed=lambda: self._find(self.rng.choice(_THERE)),
                leave=self._leave,
                again=lambda: self._find(self.rng.choice(_THERE)),
                options=self._options(),
                wrong=(
                    *repeated_and_varied(self._find, _MISSING, Answer.REFUSED, self.rng),
                    Way(name="on", act=self._find_on, answer=Answer.REFUSED),
                ),
            ),
            self._command_task(
                "numbers",
                "show line numbers",
                "it is called number",
                right=("set number!",),
                wrong=[f"set {name}" for name in _SETTINGS],
            ),
            self._command_task(
                "order",
                "put the lines in order",
                "it is called sort",
                right=("sort", "sort!"),
                wrong=_COMMANDS,
                begin="gg",
            ),
            self._command_task(
                "copy",
                "save a copy in the archive",
                "make the folder first, or save beside the notes",
                right=("w! a-{n}.txt", "w! copy-{n}.txt"),
                wrong=[f"w {name}" for name in _FOLDERLESS],
            ),
        )

    def work(self) -> None:
        """Write a line below another."""
        self.hands.repeat(self.rng.choice(("j", "k", "j")), self.rng.randint(1, 6), gap_s=0.15)
        self.hands.text("o", rate=self.user.rate)
        words = self.rng.choice((sentence(self.rng), f"- {item(self.rng)}"))
        self.user.write(words[: int(4 * self.user.rate)])
        self.hands.chord("Escape")
        if self.user.chance(0.3):
            self._command("w")

    def _options(self) -> tuple[partial[None], ...]:
        """Return marks at the ends of lines, another width, and the caret's line."""
        return tuple(partial(self._command, f"set {name}!") for name in ("list", "wrap", "cursorline"))

    def _command_task(
        self, name: str, intent: str, help_: str, *, right: Sequence[str], wrong: Sequence[str], begin: str = ""
    ) -> Task:
        turns = itertools.cycle(right)

        def succeed() -> None:
            self._command(next(turns).format(n=self.rng.randint(100, 999)))

        def start() -> None:
            self._leave()
            if begin:
                self.hands.text(begin, rate=self.user.rate)

        return Task(
            name=name,
            intent=intent,
            help=help_,
            begin=start,
            succeed=succeed,
            leave=self._leave,
            again=succeed,
            options=self._options(),
            wrong=(
                *repeated_and_varied(self._command, wrong, Answer.REFUSED, self.rng, name="variant"),
                Way(name="history", act=partial(self._again, wrong[0]), answer=Answer.REFUSED),
            ),
        )

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
