"""Work in four programs, as their files in `data` say: pieces of fluent work, and five ways of getting stuck.

A file holds, beside what `demo.acts` reads: `tasks` (fluent work; each is an act), `attempts` (the act that tries in
vain, by the kind of trouble), `once` (what is drawn for the whole demo), the acts `begin` and `recover`, and for the
search through menus `searched_menus`, in which of the first of them and of their rows it may begin (`first_menus`,
`first_rows`), and whether it ends at the menu's end (`stays_in_menu`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from demo.acts import ActPlayer
from demo.user import DemoUser, FluentTask
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.desktop import program as installed
from demo.virtual_desktop.local_page import Browser, LocalPage
from demo.virtual_desktop.sample_text import heading, labels, sentence
from demo.virtual_desktop.windows import Point, WindowInfo, poll
from storage.clock import SystemClock
from storage.records import Box

DATA = Path(__file__).parent / "data"

_ENTRY_PITCH = 25
_OFFICE_LAYOUT_S = 2.0
_FIRST_CELL, _CELL = (82, 171), (82, 17)
_PAGE = LocalPage(file="orders.html", title="Orders", header="#274b6d")


class ScriptedWork(ABC):
    """Work in one program by `user`."""

    app: str

    def __init__(self, user: DemoUser, verbs: Mapping[str, Callable[[str], object]] | None = None) -> None:
        """Let `user` do it; which dialog, words and places they get stuck at is drawn once."""
        self._user, self._hands, self._rng = user, user.hands, user.rng
        own: Mapping[str, Callable[[str], object]] = {
            "wander": lambda _: self._wander(),
            "leave": self._leave,
            "name": self._name,
        }
        self.acts = ActPlayer(user, DATA / f"{self.app}.toml", {**own, **(verbs or {})})
        facts = self.acts.facts
        self.acts.values |= {name: self._rng.choice(choices) for name, choices in facts.get("once", {}).items()}
        if words := self.acts.lists.get("words"):
            self.acts.lists["pair"] = self._rng.sample(words, 2)
        self.stuck_kinds: Sequence[str] = tuple(facts["attempts"])
        self.sought = str(facts["sought"])
        self._named = False

    @abstractmethod
    def open(self, desktop: VirtualDesktop) -> None:
        """Start the program and wait until it takes input."""

    def tasks(self) -> Sequence[FluentTask]:
        """Return the pieces of fluent work: what fills an ordinary minute."""
        return [
            FluentTask(
                task["name"], self.acts.act(task["name"]), task.get("weight", 1.0), task.get("hard_negative", False)
            )
            for task in self.acts.facts["tasks"]
        ]

    def begin(self) -> None:
        """Do what comes first: put the caret where work starts."""
        self.acts.play("begin")

    def attempt(self, kind: str) -> str:
        """Try once in vain."""
        self.acts.play(self.acts.fill(self.acts.facts["attempts"][kind]))
        return kind

    def recover(self) -> None:
        """Close what is open, and do a last piece of work that succeeds."""
        self.acts.play("recover")

    def _leave(self, title: str) -> None:
        self._user.close_menus()
        title = self.acts.fill(title)
        if title and self._user.windows.find(title=title) is not None:
            self._user.close_dialog(title)

    def _name(self, name: str) -> None:
        """Give the document a name when it is saved for the first time."""
        if not self._named:
            self.acts.run(["dialog Save", f"enter {name}", "press Return", "gone Save"])
            self._named = True

    def _wander(self) -> None:
        facts = self.acts.facts
        names = facts["searched_menus"]
        first = self._rng.randint(0, facts["first_menus"] - 1)
        menu = self._user.open_menu(*self.acts.menu(names[first]))
        for name in names[first + 1 : first + 1 + self._rng.randint(1, 3)]:
            self._hover(menu.box)
            menu = self._user.next_menu(*self.acts.menu(name))
        self._hover(menu.box)
        self._user.close_menus()

    def _hover(self, menu: Box) -> None:
        """Go down some entries, resting on each; submenus open and close on the way."""
        row = self._rng.randint(0, self.acts.facts["first_rows"] - 1)
        for _ in range(self._rng.randint(2, 4)):
            y = menu.y + 14 + row * _ENTRY_PITCH
            if self.acts.facts["stays_in_menu"] and y > menu.y + menu.h - 8:
                break
            self._hands.move(menu.x + self._rng.randint(30, 90), y)
            self._hands.wait(self._rng.uniform(0.2, 0.5))
            row += self._rng.randint(1, 2)


def start_office(desktop: VirtualDesktop, program: str) -> WindowInfo:
    """Start "calc" or "writer" with an empty document, filling the screen, and wait until a key reaches it."""
    title = f"LibreOffice {program.capitalize()}"
    installed(f"lo{program}")  # soffice without it opens a window of its own
    desktop.spawn(["soffice", f"--{program}", "--norestore", "--nologo", "--nofirststartwizard"], program)
    window = desktop.windows.wait(title=title, timeout_s=120)
    desktop.windows.maximise(window)
    poll(lambda: desktop.windows.is_active(window), what=f"activating {title}")
    SystemClock().sleep_s(_OFFICE_LAYOUT_S)  # tool bars are laid out after the window is there; nothing announces it
    return desktop.windows.wait(title=title)


class MousepadWork(ScriptedWork):
    """Notes in a text file in Mousepad.

    As root it shows a banner that pushes the text down; nothing in its file points at a line more exactly than that.
    """

    app = "mousepad"

    def open(self, desktop: VirtualDesktop) -> None:
        """Start Mousepad with a file of two lines, at a size and place of the seed's choice."""
        rng = self._rng
        path = desktop.directory / "home" / "notes.txt"
        path.write_text(f"{heading(rng)}\n{sentence(rng)}\n")
        desktop.spawn(["mousepad", str(path)], "mousepad")
        window = desktop.windows.wait("mousepad", "notes.txt", timeout_s=60)
        wanted = Box(rng.randint(420, 600), rng.randint(90, 190), rng.randint(1180, 1260), rng.randint(740, 820))
        self.acts.box = desktop.windows.place(window, wanted).box
        poll(lambda: desktop.windows.is_active(window), what="activating Mousepad")
        SystemClock().sleep_s(0.5)  # the first layout after a resize is not announced by anything


class CalcWork(ScriptedWork):
    """A small household or club budget in LibreOffice Calc.

    The program completes what is typed from the column above, so no label begins like another one.
    """

    app = "calc"

    def __init__(self, user: DemoUser) -> None:
        """Let `user` do it; which cells, values and places they get stuck at is drawn once."""
        super().__init__(
            user,
            {
                "cell": lambda place: self._hands.click(*self._cell(place)),
                "cells": lambda places: self._hands.drag(*map(self._cell, self.acts.fill(places).split())),
                "to": lambda place: self._hands.move(*self._cell(place)),
                "next": lambda _: self._set_row(self._row + 1),
                "some": lambda _: self._draw_row(),
                "fresh": lambda _: self._click_fresh_value(),
            },
        )
        self._percents: set[tuple[int, int]] = set()
        self.acts.lists["labels"] = labels(self._rng)
        self.acts.values["empty"] = f"{self._rng.randint(5, 8)},{self._rng.randint(3, 12)}"
        self._set_row(0)

    def open(self, desktop: VirtualDesktop) -> None:
        """Start Calc with an empty sheet."""
        self.acts.box = start_office(desktop, "calc").box

    def _cell(self, place: str) -> Point:
        column, row = map(self.acts.count, self.acts.fill(place).split(","))
        x, y = _FIRST_CELL[0] + _CELL[0] * column, _FIRST_CELL[1] + _CELL[1] * row
        return self.acts.box.x + x, self.acts.box.y + y

    def _set_row(self, row: int) -> None:
        self._row = row
        self.acts.values |= {"row": str(row), "last": str(row - 1), "below": str(row + 1)}

    def _draw_row(self) -> None:
        self.acts.values["some"] = str(self._rng.randint(1, self._row - 1))

    def _click_fresh_value(self) -> None:
        """Click on a figure that is no percentage yet: another one each time, so that a change shows."""
        plain = [(column, row) for row in range(1, self._row) for column in (1, 2, 3)]
        plain = [cell for cell in plain if cell not in self._percents]
        if not plain:
            self.acts.play("row")
            plain = [(column, self._row - 1) for column in (1, 2, 3)]
        column, row = self._rng.choice(plain)
        self._percents.add((column, row))
        self._hands.click(*self._cell(f"{column},{row}"))


class WriterWork(ScriptedWork):
    """A letter or a note of a club in LibreOffice Writer."""

    app = "writer"

    def open(self, desktop: VirtualDesktop) -> None:
        """Start Writer with an empty text."""
        self.acts.box = start_office(desktop, "writer").box


class WebWork(ScriptedWork):
    """The orders of a small shop in a page in a browser."""

    app = "web"

    def __init__(self, user: DemoUser, browser: Browser = "chromium") -> None:
        """Let `user` do it; what they get wrong is drawn once."""
        super().__init__(user)
        self._browser = browser
        code = self.acts.fill("{letters}{letters}{1-9} {1-9}{letters}{letters}")
        wrong = [code.lower(), code.replace(" ", ""), f"{code[:2]} {code[2]} {code[4:]}", f"{code} GB"]
        self.acts.lists["wrong"] = self._rng.sample(wrong, len(wrong))
        self.acts.lists["words"] = self._rng.sample(self.acts.lists["jams"], 3)

    def open(self, desktop: VirtualDesktop) -> None:
        """Start the browser on the page and wait until it is there."""
        box = Box(self._rng.randint(40, 300), self._rng.randint(40, 110), 1200, 900)
        x, y = _PAGE.open(desktop, (DATA / "form.html").read_text(), self._browser, box, self._hands)
        self.acts.box = Box(x, y, box.w, box.h)


WORKS: Mapping[str, Callable[[DemoUser], ScriptedWork]] = {
    work.app: work for work in (MousepadWork, CalcWork, WriterWork, WebWork)
}
