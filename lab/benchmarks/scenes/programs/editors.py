"""Scenes in programs of the demo, with its acts and quieter ones, and in editors of plain text (GTK 3, GTK 4, KDE)."""

from collections.abc import Mapping
from dataclasses import dataclass

from demo.calc import CalcWork
from demo.mousepad import MousepadWork
from demo.user import DemoUser
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.sample_text import item, sentence
from demo.web import WebWork
from demo.writer import WriterWork
from lab.benchmarks.scenes.acting import Act
from lab.benchmarks.scenes.programs.window import WindowScenes


class DemoScenes:
    """Scenes in a program of the demo: its ways of getting stuck, and more."""

    def __init__(self, user: DemoUser, work: MousepadWork | CalcWork | WriterWork | WebWork) -> None:
        """Let `user` play them by what `work` can do."""
        self._user = user
        self._hands = user.hands
        self._rng = user.rng
        self._work = work
        self.in_vain: Mapping[str, Act] = {kind: self._attempt(kind) for kind in work.stuck_kinds}
        self.calm: Mapping[str, Act] = {}

    def open(self, desktop: VirtualDesktop) -> None:
        """Start the program."""
        self._work.open(desktop)

    def begin(self, seconds: float) -> None:
        """Do the demo's fluent work."""
        self._user.work(self._work, seconds=seconds)

    def task(self, name: str) -> Act:
        """Return a task of the demo's fluent work, to be done many times, each time with success."""
        return next(task.run for task in self._work.tasks() if task.name == name)

    def _attempt(self, kind: str) -> Act:
        def act() -> None:
            self._work.attempt(kind)

        return act


class MousepadScenes(DemoScenes):
    """Notes in Mousepad."""

    def __init__(self, user: DemoUser) -> None:
        """Let `user` play them."""
        super().__init__(user, MousepadWork(user))
        self.calm = {
            "many_jumps": self._jump_and_write,
            "undo_once_each": self._undo_and_write,
            "fluent_text": lambda: self._user.write(sentence(self._rng) + "\n"),
            "many_replaced": self.task("replace a word"),
            "many_duplicated": self.task("menu"),
        }

    def _jump_and_write(self) -> None:
        """Go to a line by the dialog, and add to it: the same dialog many times, each with success."""
        self._hands.chord("ctrl+l")
        self._user.wait_dialog("Go To")
        self._hands.chord("ctrl+a")
        self._hands.text(f"{self._rng.randint(1, 6)}\n")
        self._user.wait_title_gone("Go To")
        self._hands.chord("End")
        self._user.write(f" {item(self._rng)}")
        self._user.read(1.0, 2.5)

    def _undo_and_write(self) -> None:
        self._user.write(item(self._rng))
        self._hands.repeat("ctrl+z", 1)
        self._user.write(f" {sentence(self._rng)}\n")
        self._user.read(0.8, 2.0)


class ShopScenes(DemoScenes):
    """Orders of a shop, in a page in Firefox."""

    def __init__(self, user: DemoUser) -> None:
        """Let `user` play them."""
        super().__init__(user, WebWork(user, "firefox"))
        self.calm = {
            "many_orders": self.task("order"),
            "many_articles": self.task("find an article"),
            "many_fields_corrected": self.task("correct a field"),
        }


class WriterScenes(DemoScenes):
    """A letter in Writer."""

    def __init__(self, user: DemoUser) -> None:
        """Let `user` play them."""
        super().__init__(user, WriterWork(user))
        self.in_vain = {**self.in_vain, "indent_in_vain": self._indent_in_vain}
        self.calm = {"many_bold_words": self._embolden, "reading_and_writing": self._read_and_write}

    def _indent_in_vain(self) -> None:
        """Try to bring a line to a place with tabs and blanks, look, and take it back: calmly, without undo."""
        self._hands.chord("Home")
        count = self._rng.randint(2, 4)
        self._hands.repeat(self._rng.choice(("Tab", "space")), count)
        self._user.read(1.5, 3.5)
        self._hands.repeat("BackSpace", count)
        self._user.read(1.0, 2.0)

    def _embolden(self) -> None:
        """Write a line and make its first word bold: one command many times, each with success."""
        self._user.write(sentence(self._rng))
        self._hands.chord("Home")
        self._hands.chord("ctrl+shift+Right")
        self._hands.chord("ctrl+b")
        self._hands.chord("End")
        self._hands.chord("Return")
        self._user.read(0.8, 2.0)

    def _read_and_write(self) -> None:
        self._user.read(4.0, 9.0)
        self._user.write(f"{sentence(self._rng)}\n")


@dataclass(frozen=True, slots=True)
class Editor:
    """An editor: how it is started, its name, and how often Escape is pressed after a search in vain."""

    command: tuple[str, ...]
    app: str
    escapes: int = 1


L3AFPAD = Editor(("l3afpad",), "l3afpad", escapes=2)
KWRITE = Editor(("kwrite",), "kwrite")
TEXT_EDITOR = Editor(("gnome-text-editor", "--standalone"), "gnome-text-editor")


class NotesScenes(WindowScenes):
    """Notes in an editor that no training session has."""

    def __init__(self, user: DemoUser, editor: Editor) -> None:
        """Let `user` play them."""
        super().__init__(user)
        self._editor = editor
        self.in_vain = {"find_in_vain": self._find_in_vain}
        self.calm = {"many_found": self._find_next}

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it with some lines."""
        path = desktop.directory / "home" / "list.txt"
        path.write_text("".join(f"{number}. {sentence(self._rng)} the {item(self._rng)}\n" for number in range(1, 25)))
        self.start(desktop, [*self._editor.command, path.name], self._editor.app, size=(1100, 800))

    def begin(self, seconds: float) -> None:
        """Write at the end."""
        self.click(400, 400)
        self._hands.chord("ctrl+End")
        self.fluent(seconds, lambda: self._user.write(f"{sentence(self._rng)}\n"))

    def _find_in_vain(self) -> None:
        """Look for a word that is not there, close the message, look again."""
        self._hands.chord("ctrl+f")
        self._hands.wait(1.0)
        self._hands.chord("ctrl+a")
        self._user.write(self._rng.choice(("invoyce", "invoize")))
        self._hands.chord("Return")
        self._user.read(1.5, 3.0)
        self._hands.repeat("Escape", self._editor.escapes, gap_s=0.5)

    def _find_next(self) -> None:
        """Go to the next place where a word stands, and add something there."""
        self._hands.chord("ctrl+f")
        self._hands.wait(0.8)
        self._hands.chord("ctrl+a")
        self._user.write("the")
        self._hands.chord("Return")
        self._hands.wait(0.6)
        self._hands.chord("Escape")
        self._hands.chord("End")
        self._user.write(f" {item(self._rng)}")
        self._user.read(1.0, 2.0)


class L3afpadScenes(NotesScenes):
    """Notes in L3afpad, whose Options menu turns line numbers on and off."""

    def __init__(self, user: DemoUser) -> None:
        """Let `user` play them."""
        super().__init__(user, L3AFPAD)
        self.in_vain = {**self.in_vain, "numbers_to_and_fro": self._number_lines}

    def _number_lines(self) -> None:
        """Turn line numbers on, look, and off again by the Options menu."""
        for _ in range(2):
            menu = self._user.open_menu(self._box.x + 185, self._box.y + 14)
            self._hands.wait(self._rng.uniform(0.4, 0.9))
            self._hands.click(menu.box.x + 60, menu.box.y + 67)
            self._user.read(1.0, 2.5)
