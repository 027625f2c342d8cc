"""Scenes in editors that run or build what is written: errors that return, errors mended, runs that succeed.

SciTE, BASIC-256 and Code::Blocks say in a part of their window how a run went, which the accessibility interface has;
Tk, which IDLE is made with, has none.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count

from demo.user import DemoUser
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.sample_text import figure, item
from demo.virtual_desktop.windows import WindowInfo, poll
from lab.benchmarks.scenes.programs.window import WindowScenes
from storage.errors import EnvironmentFault


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """A small program that adds up prices, and lines for its end.

    `right` and `missing` have places for a `number`, a `name` and a `figure`. `missing` lacks its last character, which
    is `mend`; `unknown` has a place for a `name` that nothing has. `wrong` are last lines with which it fails.
    """

    file: str
    lines: tuple[str, ...]
    right: str
    missing: str
    mend: str
    unknown: str
    wrong: tuple[str, ...]


PYTHON = Language(
    file="sum.py",
    lines=("prices = [3.5, 4.25, 2.0]", "for price in prices:", "    print(price)"),
    right="print('{name}', {figure})",
    missing="print('{name}', {figure}",
    mend=")",
    unknown="print('total', sum(prices) + {name})",
    wrong=(
        "print('total', sum(prices) + tax)",
        "print('total', sum(prices) + Tax)",
        "print('total', tax + sum(price))",
    ),
)
MALFORMED_PYTHON = ("print('total', sum(prices)", "print 'total', sum(prices)", "print('total', sum(prices]")
BASIC = Language(
    file="sum.kbs",
    lines=("print 3.5 + 4.25", "print 2.0"),
    right='print "{name} "; {figure}',
    missing="print ({figure}",
    mend=")",
    unknown="print 3.5 + {name}",
    wrong=("print 3.5 + tax", "print tax + 4.25", "print 2.0 * tax"),
)
C = Language(
    file="sum.c",
    lines=("#include <stdio.h>", "int main(void) {", '    printf("%d\\n", 7);', "    return 0;", "}"),
    right="double price{number} = {figure};",
    missing="double price{number} = {figure}",
    mend=";",
    unknown="double price{number} = 3.5 + {name};",
    wrong=("double total = 3.5 + tax;", "double total = tax + 4.25;", "double total = 2.0 * tax;"),
)
_NAMES = ("tax", "rate", "share", "fee", "rest", "part", "base", "step")


class CodeScenes(WindowScenes):
    """Somebody who writes lines at the end of a program, and runs it."""

    command: tuple[str, ...]
    keys = "F5"
    size: tuple[int, int] | None = None

    def __init__(self, user: DemoUser, language: Language, wrong: Sequence[str] = ()) -> None:
        """Let `user` play them; `wrong` are other last lines with which the program fails."""
        super().__init__(user)
        self._language = language
        self._wrong = list(wrong or language.wrong)
        self._is_wrong = False
        self._numbers = count(1)
        self.in_vain = {"error_returns": self._run_in_vain}
        self.calm = {
            "many_runs": self._add_and_run,
            "errors_mended": self._mistype_and_mend,
            "names_mended": self._name_one_after_the_other,
        }

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it with the program."""
        file = self._language.file
        (desktop.directory / "home" / file).write_text("".join(f"{line}\n" for line in self._language.lines))
        desktop.spawn([*self.command, file], self.command[0], cwd=desktop.directory / "home")
        self.answer_first(desktop)
        self.place(desktop, desktop.windows.wait(title=file, timeout_s=60), self.size)

    def answer_first(self, desktop: VirtualDesktop) -> None:
        """Answer what it asks before it shows the program."""

    def begin(self, seconds: float) -> None:
        """Add lines, and run them now and then."""
        self.fluent(seconds, lambda: self._add_and_run() if self._user.chance(0.4) else self._add())

    def run(self) -> None:
        """Save and run it."""
        self._hands.chord("ctrl+s")
        self._hands.wait(0.4)
        self._hands.chord(self.keys)

    def leave_output(self) -> None:
        """Go back to the text."""

    def leave_error(self) -> None:
        """Go back to the text from an error."""

    def _write(self, line: str, name: str = "") -> None:
        """Write a line at the end."""
        name = name or item(self._rng)
        self._hands.chord("ctrl+End")
        self._user.write(f"{line.format(number=next(self._numbers), name=name, figure=figure(self._rng))}\n")

    def _add(self) -> None:
        self._write(self._language.right)

    def _add_and_run(self) -> None:
        """Add a line and run: another output each time."""
        self._add()
        self.run()
        self._user.read(2.0, 4.0)
        self.leave_output()

    def _mistype_and_mend(self) -> None:
        """Add a line with an error, run, mend it and run again: as one works."""
        self._write(self._language.missing)
        self.run()
        self._user.read(1.5, 3.5)
        self.leave_error()
        for keys in ("ctrl+End", "Up", "End"):
            self._hands.chord(keys)
        self._user.write(self._language.mend)
        self.run()
        self._user.read(1.5, 3.5)
        self.leave_output()
        self._add()

    def _name_one_after_the_other(self) -> None:
        """Write a line with a name that is missing, run, write it with a number; the next one has another name."""
        self._write(self._language.unknown, self._rng.choice(_NAMES) + str(next(self._numbers)))
        self.run()
        self._user.read(1.5, 3.5)
        self.leave_error()
        for keys in ("ctrl+End", "Up", "Home", "shift+End", "Delete", "BackSpace"):
            self._hands.chord(keys)
        self._hands.chord("ctrl+End")
        self._hands.chord("Return")
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

    command, size = ("scite",), (1100, 800)

    def __init__(self, user: DemoUser) -> None:
        """Let `user` play them."""
        super().__init__(user, PYTHON)


class BasicScenes(CodeScenes):
    """The program in BASIC-256, made with Qt; it answers at once, and runs what was not saved."""

    command, size = ("basic256",), (1000, 750)

    def __init__(self, user: DemoUser) -> None:
        """Let `user` play them."""
        super().__init__(user, BASIC)

    def answer_first(self, desktop: VirtualDesktop) -> None:
        """Close what it says where it finds no network."""
        with suppress(EnvironmentFault):
            desktop.windows.wait(title="Check for an update", timeout_s=10)
            self._hands.wait(1.0)
            self._hands.chord("Escape")

    def run(self) -> None:
        """Run it."""
        self._hands.chord(self.keys)

    def leave_output(self) -> None:
        """Click into the text: what a run prints takes the keyboard."""
        self.click(400, 450)

    def leave_error(self) -> None:
        """Click into the text, likewise."""
        self.click(400, 450)


class CodeBlocksScenes(CodeScenes):
    """The program in Code::Blocks, made with wxWidgets, which builds it; what is typed there is not heard."""

    command, keys = ("codeblocks", "--no-splash-screen", "--no-ipc", "--multiple-instance"), "ctrl+F9"

    def __init__(self, user: DemoUser) -> None:
        """Let `user` play them."""
        super().__init__(user, C)

    def place(self, desktop: VirtualDesktop, window: WindowInfo, size: tuple[int, int] | None) -> None:  # noqa: ARG002  # has one
        """Leave it where it is: it fills the screen."""
        self._box = window.box
        poll(lambda: desktop.windows.is_active(window), what=f"activating {window.app}")

    def answer_first(self, desktop: VirtualDesktop) -> None:
        """Take the compiler that it proposes."""
        desktop.windows.wait(title="Compilers auto-detection", timeout_s=60)
        self._hands.wait(1.0)
        self._hands.chord("Return")

    def begin(self, seconds: float) -> None:
        """Click into the text first."""
        self.click(800, 450)
        super().begin(seconds)


class IdleScenes(CodeScenes):
    """The program in IDLE, whose output is in a window of its own; errors of syntax come in a dialog."""

    command = ("idle-python3.11",)

    def __init__(self, user: DemoUser) -> None:
        """Let `user` play them."""
        super().__init__(user, PYTHON, MALFORMED_PYTHON)

    def leave_output(self) -> None:
        """Click into the text, until its window has the keyboard: the one with the output takes it when it is ready."""
        for _ in range(5):
            self.click(500, 500)
            self._hands.wait(0.7)
            active = self._user.windows.active()
            if active is not None and self._language.file in active.title:
                return
        raise LookupError("the text did not get the keyboard")

    def leave_error(self) -> None:
        """Close the dialog."""
        self._hands.chord("Return")
        self._hands.wait(0.5)
