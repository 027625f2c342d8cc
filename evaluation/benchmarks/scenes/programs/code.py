"""Scenes in SciTE and IDLE, editors that run what is written: errors that return, errors mended, runs that succeed.

Nothing of what is printed is read, though SciTE would say it; Tk, which IDLE is made with, has no accessibility.
"""

from collections.abc import Sequence

from evaluation.benchmarks.scenes.programs.window import WindowScenes
from evaluation.demo.user import DemoUser
from evaluation.stage.desktop import VirtualDesktop
from evaluation.stage.sample_text import figure, item

_FILE = "sum.py"
_LINES = ("prices = [3.5, 4.25, 2.0]", "for price in prices:", "    print(price)")
_NAMELESS = (
    "print('total', sum(prices) + tax)",
    "print('total', sum(prices) + Tax)",
    "print('total', tax + sum(price))",
)
_MALFORMED = ("print('total', sum(prices)", "print 'total', sum(prices)", "print('total', sum(prices]")


class CodeScenes(WindowScenes):
    """A small program that adds up prices."""

    command: str
    size: tuple[int, int] | None = None

    def __init__(self, user: DemoUser, wrong: Sequence[str]) -> None:
        """Let `user` play them; `wrong` are last lines with which the program fails."""
        super().__init__(user)
        self._wrong = list(wrong)
        self._is_wrong = False
        self.in_vain = {"error_returns": self._run_in_vain}
        self.calm = {"many_runs": self._add_and_run, "errors_mended": self._mistype_and_mend}

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it with the program."""
        (desktop.directory / "home" / _FILE).write_text("".join(f"{line}\n" for line in _LINES))
        desktop.spawn([self.command, _FILE], self.command, cwd=desktop.directory / "home")
        self.place(desktop, desktop.windows.wait(title=_FILE, timeout_s=60), self.size)

    def begin(self, seconds: float) -> None:
        """Add lines, and run them now and then."""
        self.fluent(seconds, lambda: self._add_and_run() if self._user.chance(0.4) else self._add())

    def run(self) -> None:
        """Save and run it."""
        self._hands.chord("ctrl+s")
        self._hands.wait(0.4)
        self._hands.chord("F5")

    def leave_output(self) -> None:
        """Go back to the text."""

    def leave_error(self) -> None:
        """Go back to the text from an error."""

    def _add(self) -> None:
        self._hands.chord("ctrl+End")
        self._user.write(f"print('{item(self._rng)}', {figure(self._rng)})\n")

    def _add_and_run(self) -> None:
        """Add a line and run: another output each time."""
        self._add()
        self.run()
        self._user.read(2.0, 4.0)
        self.leave_output()

    def _mistype_and_mend(self) -> None:
        """Add a line with an error, run, mend it and run again: as one works."""
        self._hands.chord("ctrl+End")
        self._user.write(f"print('{item(self._rng)}', {figure(self._rng)}\n")
        self.run()
        self._user.read(1.5, 3.5)
        self.leave_error()
        self._hands.chord("ctrl+End")
        self._hands.chord("Up")
        self._hands.chord("End")
        self._user.write(")")
        self.run()
        self._user.read(1.5, 3.5)
        self.leave_output()
        self._add()

    def _run_in_vain(self) -> None:
        """Write the last line another way, and run: the same kind of error again."""
        self._wrong = [*self._wrong[1:], self._wrong[0]]
        self._hands.chord("ctrl+End")
        if self._is_wrong:
            for keys in ("Up", "Home", "shift+End"):
                self._hands.chord(keys)
        self._user.write(self._wrong[0] if self._is_wrong else f"{self._wrong[0]}\n")
        self._is_wrong = True
        self.run()
        self._user.read(2.0, 4.5)
        self.leave_error()


class SciteScenes(CodeScenes):
    """The program in SciTE, whose output is in a part of the window."""

    command, size = "scite", (1100, 800)

    def __init__(self, user: DemoUser) -> None:
        """Let `user` play them."""
        super().__init__(user, _NAMELESS)


class IdleScenes(CodeScenes):
    """The program in IDLE, whose output is in a window of its own; errors of syntax come in a dialog."""

    command = "idle-python3.11"

    def __init__(self, user: DemoUser) -> None:
        """Let `user` play them."""
        super().__init__(user, _MALFORMED)

    def leave_output(self) -> None:
        """Click into the text, until its window has the keyboard: the one with the output takes it when it is ready."""
        for _ in range(5):
            self.click(500, 500)
            self._hands.wait(0.7)
            active = self._user.windows.active()
            if active is not None and _FILE in active.title:
                return
        raise LookupError("the text did not get the keyboard")

    def leave_error(self) -> None:
        """Close the dialog."""
        self._hands.chord("Return")
        self._hands.wait(0.5)
