"""Scenes in XTerm, a canvas without accessibility: a command that fails again and again, and commands that succeed."""

from demo.user import DemoUser
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.sample_text import sentence
from lab.benchmarks.scenes.programs.window import WindowScenes

_FILES = ("letter.txt", "list.txt", "notes.txt", "plan.txt")


class TerminalScenes(WindowScenes):
    """A shell in a folder of notes."""

    def __init__(self, user: DemoUser) -> None:
        """Let `user` play them."""
        super().__init__(user)
        self._has_run = False
        self._options = ["-z", "--zipp", "-Z 3"]
        self.in_vain = {"command_fails": self._fail, "script_fails": self._run_script}
        self.calm = {"many_commands": self._succeed, "watching_output": self._watch}

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it in a folder with some files."""
        home = desktop.directory / "home"
        for name in _FILES:
            (home / name).write_text("".join(f"{sentence(self._rng)}\n" for _ in range(self._rng.randint(5, 40))))
        (home / "sum.sh").write_text('total=$(($1 + 08))\necho "the sum is $total"\n')
        argv = ["xterm", "-fa", "Monospace", "-fs", "12", "-geometry", "100x34", "-e", "bash", "--norc"]
        self.start(desktop, argv, "XTerm")

    def begin(self, seconds: float) -> None:
        """Run commands that succeed."""
        self.fluent(seconds, self._succeed)

    def _run(self, command: str) -> None:
        self._user.write(command)
        self._hands.chord("Return")

    def _succeed(self) -> None:
        """Run a command that prints something."""
        name = self._rng.choice(_FILES)
        self._run(
            self._rng.choice((f"wc {name}", f"head -3 {name}", "ls -l", f"grep the {name}", f"sort {name}", "date"))
        )
        self._user.read(1.5, 3.5)

    def _watch(self) -> None:
        """Let something run that writes line by line, and look."""
        self._run("for i in $(seq 12); do echo part $i of $RANDOM; sleep 0.5; done")
        self._user.read(6.5, 9.0)

    def _fail(self) -> None:
        """Give the same command another option; each is refused."""
        self._options = [*self._options[1:], self._options[0]]
        self._run(f"tail {self._options[0]} notes.txt")
        self._user.read(2.0, 4.5)

    def _run_script(self) -> None:
        """Run a script that fails alike whatever number it gets: with another one, or the command before again."""
        if not self._has_run or self._user.chance(0.5):
            self._run(f"bash sum.sh {self._rng.randint(1, 9)}")
            self._has_run = True
        else:
            self._hands.chord("Up")
            self._hands.chord("Return")
        self._user.read(2.0, 4.5)
