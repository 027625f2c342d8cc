"""Work in one program, as its file in `data` says: pieces of fluent work, and five ways of getting stuck.

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
from demo.virtual_desktop.windows import WindowInfo, poll
from storage.clock import SystemClock
from storage.records import Box

DATA = Path(__file__).parent / "data"

_ENTRY_PITCH = 25
_OFFICE_LAYOUT_S = 2.0


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
        """Close menus, and a dialog if it is open."""
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
        """Go through menu after menu, looking at the entries, and choose none."""
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
    desktop.spawn(["soffice", f"--{program}", "--norestore", "--nologo", "--nofirststartwizard"], program)
    window = desktop.windows.wait(title=title, timeout_s=120)
    desktop.windows.maximise(window)
    poll(lambda: desktop.windows.is_active(window), what=f"activating {title}")
    SystemClock().sleep_s(_OFFICE_LAYOUT_S)  # tool bars are laid out after the window is there; nothing announces it
    return desktop.windows.wait(title=title)
