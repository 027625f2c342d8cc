"""Scenes in editors that run or build what is written: errors that return, errors mended, runs that succeed.

SciTE, BASIC-256 and Code::Blocks say in a part of their window how a run went, which the accessibility interface has;
Tk, which IDLE is made with, has none.
"""

import tomllib
from contextlib import suppress
from dataclasses import dataclass

import msgspec

from demo.user import DemoUser
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import WindowInfo, poll
from lab.benchmarks.scenes.acting import DATA, WindowScenes
from storage.errors import EnvironmentFault


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """A small program, and lines for its end; `programs/data/code.toml` says what they are.

    `wrong` are last lines with which it fails.
    """

    file: str
    lines: str
    right: str
    missing: str
    mend: str
    unknown: str
    wrong: tuple[str, ...]


_LANGUAGES = tomllib.loads((DATA / "languages.toml").read_text(encoding="utf-8"))


class CodeScenes(WindowScenes):
    """Somebody who writes lines at the end of a program, and runs it."""

    command: tuple[str, ...]
    written_in: str
    keys = "F5"
    size: tuple[int, int] | None = None

    def __init__(self, user: DemoUser) -> None:
        language = msgspec.convert(_LANGUAGES[self.written_in], Language)
        verbs = {
            "run": lambda _: self.run(),
            "back": lambda _: self.leave_output(),
            "away": lambda _: self.leave_error(),
            "write_wrong": lambda _: self._write_wrong(),
        }
        values = {name: getattr(language, name) for name in ("right", "missing", "mend", "unknown")}
        super().__init__(user, "code", size=self.size, values=values, verbs=verbs)
        self.acts.lists |= {"wrong": list(language.wrong), "numbers": list(range(1, 100))}
        self._language = language
        self._is_wrong = False

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it with the program."""
        file = self._language.file
        (desktop.directory / "home" / file).write_text(self._language.lines)
        desktop.spawn([*self.command, file], self.command[0], cwd=desktop.directory / "home")
        self.answer_first(desktop)
        self.place(desktop, desktop.windows.wait(title=file, timeout_s=60))

    def answer_first(self, desktop: VirtualDesktop) -> None:
        """Answer what it asks before it shows the program."""

    def run(self) -> None:
        """Save and run it."""
        self.acts.run(("press ctrl+s", "wait 0.4", f"press {self.keys}"))

    def leave_output(self) -> None:
        """Go back to the text."""

    def leave_error(self) -> None:
        """Go back to the text from an error."""

    def _write_wrong(self) -> None:
        """Write the last line another way."""
        again = ("press Up", "press Home", "press shift+End", "type {next wrong}")
        self.acts.run(("press ctrl+End", *(again if self._is_wrong else ("type {next wrong}\n",))))
        self._is_wrong = True


class SciteScenes(CodeScenes):
    """The program in SciTE, whose output is in a part of the window."""

    command, size = ("scite",), (1100, 800)
    written_in = "python"


class BasicScenes(CodeScenes):
    """The program in BASIC-256, made with Qt; it answers at once, and runs what was not saved."""

    command, size = ("basic256",), (1000, 750)
    written_in = "basic"

    def answer_first(self, desktop: VirtualDesktop) -> None:
        """Close what it says where it finds no network."""
        with suppress(EnvironmentFault):
            desktop.windows.wait(title="Check for an update", timeout_s=10)
            self.acts.run(("wait 1.0", "press Escape"))

    def run(self) -> None:
        """Run it."""
        self._hands.chord(self.keys)

    def leave_output(self) -> None:
        """Click into the text: what a run prints takes the keyboard."""
        self.acts.run(("click 400,450",))

    def leave_error(self) -> None:
        """Click into the text for the same reason."""
        self.leave_output()


class CodeBlocksScenes(CodeScenes):
    """The program in Code::Blocks, made with wxWidgets, which builds it; what is typed there is not heard."""

    command, keys = ("codeblocks", "--no-splash-screen", "--no-ipc", "--multiple-instance"), "ctrl+F9"
    written_in = "c"

    def place(self, desktop: VirtualDesktop, window: WindowInfo) -> None:
        """Leave it where it is: it fills the screen."""
        self.acts.box = window.box
        poll(lambda: desktop.windows.is_active(window), what=f"activating {window.app}")

    def answer_first(self, desktop: VirtualDesktop) -> None:
        """Take the compiler that it proposes."""
        desktop.windows.wait(title="Compilers auto-detection", timeout_s=60)
        self.acts.run(("wait 1.0", "press Return"))

    def begin(self, seconds: float) -> None:
        """Click into the text first."""
        self.acts.run(("click 800,450",))
        super().begin(seconds)


class IdleScenes(CodeScenes):
    """The program in IDLE, whose output is in a window of its own; errors of syntax come in a dialog."""

    command = ("idle-python3.11",)
    written_in = "idle"

    def leave_output(self) -> None:
        """Click into the text, until its window has the keyboard: the one with the output takes it when it is ready."""
        for _ in range(5):
            self.acts.run(("click 500,500", "wait 0.7"))
            active = self._user.windows.active()
            if active is not None and self._language.file in active.title:
                return
        raise LookupError("the text did not get the keyboard")

    def leave_error(self) -> None:
        """Close the dialog."""
        self.acts.run(("press Return", "wait 0.5"))
