"""A shell in xterm: commands that say no, or find nothing, for a reason that stands in the message or nowhere."""

from collections.abc import Sequence
from pathlib import Path

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.sample_text import sentence
from demo.virtual_desktop.windows import Point
from lab.simulation.programs.debian_program import DebianProgram
from lab.simulation.simulated_user import SimulatedUser

_FILES = ("minutes", "budget", "garden", "letters", "rota", "stall", "choir", "keys")
_LOOKS = (("white", "#1c1f24"), ("#202020", "#fbfbf8"), ("#d8e8d0", "#10201a"), ("#002b36", "#fdf6e3"))
_WORK = (
    "wc -l {a}.txt",
    "head -n {n} {a}.txt",
    "cp {a}.txt {a}-{n}.txt",
    "grep -c e {a}.txt",
    "sort {a}.txt | tail -n {n}",
)
_NOTES = "# where\nsee the lower shelf\n"


class ShellProgram(DebianProgram):
    """Some dozen text files, a script, and a prompt."""

    name = "shell"
    packages = "xterm bash"
    margins = (10, 10, 16, 10)

    def __init__(self, user: SimulatedUser) -> None:
        self._last = ""
        self._waiting = False
        self._log = Path()
        super().__init__(user)

    def open(self, desktop: VirtualDesktop) -> None:
        """Start a terminal in a folder of texts."""
        home = desktop.directory / "home"
        for name in _FILES:
            lines = [sentence(self.rng) for _ in range(self.rng.randint(15, 60))]
            (home / f"{name}.txt").write_text("\n".join(lines) + "\n")
        (home / "old reports").mkdir()
        (home / "old reports" / "first.txt").write_text(_NOTES)
        (home / "publish.sh").write_text("echo checking\nsleep 0.3\necho published\n")
        (home / "publish.sh").chmod(0o644)
        self._log = desktop.directory / "statuses"
        self._log.write_text("")
        prompt = self.rng.choice(("$ ", "\\W $ ", "[\\u \\W]$ ", "\\w> "))
        (home / ".shellrc").write_text(f"PS1='{prompt}'\nPROMPT_COMMAND='echo $? >> \"{self._log}\"'\nHISTCONTROL=\n")
        ink, paper = self.rng.choice(_LOOKS)
        columns, rows = self.rng.randint(84, 120), self.rng.randint(26, 40)
        place = f"{columns}x{rows}+{self.rng.randint(20, 500)}+{self.rng.randint(30, 200)}"
        argv = ["xterm", "-T", "Terminal", "-fa", "DejaVu Sans Mono", "-fs", str(self.rng.randint(9, 12)), "-fg", ink]
        argv += ["-bg", paper, "-geometry", place, "-sb", "-e", "bash", "--noprofile", "--rcfile", ".shellrc"]
        self.start(desktop, argv, sized=False)
        self.user.wait_until(lambda: bool(self._log.read_text()), times=100)

    def settle(self) -> None:
        """Come to the front with an empty line."""
        super().settle()
        self.hands.chord("ctrl+c" if self._waiting else "ctrl+u")
        self._waiting = False

    def state(self) -> bytes:
        """Return what succeeded: one line for each command that did; the prompt alone is none."""
        return b"".join(b"0\n" for status in self._log.read_text().split() if status == "0")

    def has_changed(self, before: bytes) -> bool:
        """Return whether a command has succeeded since."""
        return self.state() != before

    def places(self) -> Sequence[Point]:
        """Return places on the lines."""
        return list(super().places()[:6])

    def work(self) -> None:
        """Give a command or two that succeed."""
        for _ in range(self.rng.randint(1, 2)):
            command = self.rng.choice(_WORK).format(a=self.rng.choice(_FILES), n=self.rng.randint(2, 9))
            self._run(command)
            self.user.think(0.6)

    def look_over(self) -> None:
        """Scroll through what was printed, by key or wheel, and back."""
        if self.user.by_key():
            for keys in ("shift+Prior", "shift+Next"):
                self.hands.chord(keys)
                self.hands.wait(self.hands.about(0.7))
        else:
            box = self.content_box()
            self.hands.move(box.x + box.w // 2, box.y + box.h // 2)
            turns = self.rng.randint(2, 4)
            self.hands.scroll(turns)
            self.hands.wait(self.hands.about(0.6))
            self.hands.scroll(-turns)

    def _run(self, command: str) -> None:
        """Give a command and wait for the prompt; the one before is often taken from the history."""
        before = self._log.read_text().count("\n")
        if command == self._last and self.user.chance(0.7):
            self.hands.chord("Up")
        else:
            self.type(command)
        self.hands.chord("Return")
        self._last, self._waiting = command, True
        if self.user.wait_until(lambda: self._log.read_text().count("\n") > before, times=80) is None:
            raise LookupError("the command does not end")
        self._waiting = False
        self.hands.wait(0.2)

    def _look_into(self) -> None:
        self._run(self.rng.choice(('ls "old reports"', "ls old\\ reports", "ls 'old reports'")))

    def _copy(self) -> None:
        name = self.rng.choice(_FILES)
        self._run(f"cp {name}.txt {name}-{self.rng.randint(10, 99)}.txt")

    def _leave(self) -> None:
        self.hands.chord("ctrl+l")
        self.hands.wait(0.2)
