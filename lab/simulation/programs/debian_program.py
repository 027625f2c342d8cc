"""What the programs of Debian with tasks share: a window at a place of the seed's choice, dialogs, their answers."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.pixels import differing_pixels, grab_pixels
from demo.virtual_desktop.windows import Point, WindowInfo, inside, poll
from lab.simulation.programs.main_window import MainWindow
from lab.simulation.simulated_user import SimulatedUser
from lab.simulation.tasks.task import Task
from lab.simulation.tasks.task_file import TaskFile
from storage.records import Box

_DATA = Path(__file__).parent / "data"

PACE = 4.0
"""Nobody types names and formulas slower than this, in keys a second: an act is to end within some eight seconds."""

_CARET_PIXELS = 250
_LAYOUT_S = 1.2
_SPLASH_WIDTH = 200


class DebianProgram(ABC):
    """A program in a window of its own, operated by one user."""

    name: str
    packages: str
    margins: tuple[int, int, int, int] = (30, 110, 30, 60)
    """What surrounds the content, in pixels: left, top, right, bottom."""

    redo = "ctrl+y"

    def __init__(self, user: SimulatedUser) -> None:
        self.user, self.hands, self.rng = user, user.hands, user.rng
        self._main: MainWindow | None = None
        self._tasks = tuple(self.make_tasks())

    @abstractmethod
    def open(self, desktop: VirtualDesktop) -> None:
        """Start it with some content, and wait until it takes input."""

    def make_tasks(self) -> Sequence[Task]:
        """Return the tasks, by default those of the program's file in `data`; called once."""
        file = _DATA / f"{self.name.removesuffix('-tasks')}.toml"
        return TaskFile(file, self, self.hands, self.rng, self.lists()).tasks()

    def lists(self) -> Mapping[str, Sequence[str]]:
        """Return lists of values for the file that the program has drawn, or holds."""
        return {}

    @abstractmethod
    def work(self) -> None:
        """Do 3-8 s of steady work that succeeds."""

    def start(
        self,
        desktop: VirtualDesktop,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        largest: tuple[int, int] = (1400, 900),
        sized: bool = True,
    ) -> None:
        """Start the program and find its window; with `sized` give it a size and place of the seed's choice."""
        self.desktop = desktop
        process = desktop.spawn(list(argv), self.name, env=env, cwd=desktop.directory / "home")

        def shown() -> WindowInfo | None:
            windows = desktop.windows.list_all()
            own = [window for window in windows if window.pid == process.pid and not window.popup]
            return next((window for window in own if window.box.w > _SPLASH_WIDTH), None)

        window = poll(shown, what=f"showing {self.name}", timeout_s=90)
        self.hands.wait(_LAYOUT_S)
        if sized:
            w, h = self.rng.randint(largest[0] - 350, largest[0]), self.rng.randint(largest[1] - 200, largest[1])
            box = Box(self.rng.randint(10, 1900 - w), self.rng.randint(24, 1030 - h), w, h)
            desktop.windows.unmaximise(window)
            window = desktop.windows.place(window, box)
            self.hands.wait(_LAYOUT_S)
        self._main = MainWindow(self.user, desktop, window)
        if not self._main.is_front():
            desktop.windows.activate(window)
        poll(self._main.is_front, what=f"activating {self.name}", timeout_s=20)

    @property
    def main(self) -> MainWindow:
        """The program's window."""
        if self._main is None:
            raise LookupError(f"{self.name} is not open")
        return self._main

    def settle(self) -> None:
        """Leave menus and dialogs and come to the front."""
        self.user.close_menus()
        self.main.leave_others()
        if not self.main.is_front():
            self.main.come_to_front()

    def tasks(self) -> Sequence[Task]:
        """Return the tasks there are."""
        return self._tasks

    def content_box(self) -> Box:
        """Return the part of the window that holds the content."""
        box, (left, top, right, bottom) = self.main.box, self.margins
        return Box(box.x + left, box.y + top, box.w - left - right, box.h - top - bottom)

    def places(self) -> Sequence[Point]:
        """Return places in the content, and some above it where menus and buttons are."""
        box, main = self.content_box(), self.main.box
        points = [(box.x + self.rng.randint(10, box.w - 10), box.y + (2 * n + 1) * box.h // 12) for n in range(6)]
        return [*points, *(inside(main, self.rng.randint(20, main.w // 2), 14) for _ in range(2))]

    def look_over(self) -> None:
        """Turn the wheel over the content."""
        box = self.content_box()
        self.hands.move(box.x + box.w // 2 + self.rng.randint(-90, 90), box.y + box.h // 2 + self.rng.randint(-60, 60))
        self.hands.scroll(self.rng.choice((-4, -3, -2, 2, 3)))

    def state(self) -> bytes:
        """Return what the content is now, for tests: the pixels of it, or files where those tell more."""
        return grab_pixels(self.desktop.display, self.content_box())

    def has_changed(self, before: bytes) -> bool:
        """Return whether the content is another than it was, a caret left out."""
        now = self.state()
        return len(now) != len(before) or differing_pixels(before, now) > _CARET_PIXELS

    def type(self, text: str) -> None:
        """Type a short text."""
        self.user.write(text, rate=max(PACE, self.user.rate))

    def replace(self, text: str) -> None:
        """Put a text in the place of what the field with the keyboard holds."""
        self.hands.chord("ctrl+a")
        self.type(text)

    def wait_dialog(self, *, beyond: int = 0) -> WindowInfo:
        """Wait for a dialog; `beyond` is how many were there already.

        Raises:
            LookupError: none came within three seconds.
        """

        def opened() -> WindowInfo | None:
            others = self.main.others()
            return others[0] if len(others) > beyond else None

        found = self.user.wait_until(opened, times=60)
        if found is None:
            raise LookupError("no dialog opened")
        self.hands.wait(self.hands.about(0.4))
        return found

    def read_message(self, *, beyond: int = 0, keys: str = "") -> None:
        """Read the message that comes, and close it by Enter or Escape (or `keys`)."""
        self.wait_dialog(beyond=beyond)
        self.user.think(0.7)
        self.hands.chord(keys or self.rng.choice(("Return", "Escape")))
        self.wait_closed(beyond)

    def wait_closed(self, left: int = 0) -> None:
        """Wait until no more than so many dialogs are open.

        Raises:
            LookupError: they stay.
        """
        if self.user.wait_until(lambda: len(self.main.others()) <= left, times=60) is None:
            raise LookupError("the dialog stays")
        self.hands.wait(0.2)

    def name_file(self, keys: str, name: str) -> None:
        """Give a name in the file dialog, which `keys` open unless it is there still."""
        if not self.main.others():
            self.hands.chord(keys)
            self.wait_dialog()
        self.replace(name)
        self.hands.chord("Return")

    def name_file_in_vain(self, keys: str, name: str) -> None:
        """Give a name that is turned down; the dialog stays."""
        self.name_file(keys, name)
        self.read_message(beyond=1)

    def leave_dialogs(self) -> None:
        """Leave what is open."""
        self.user.think(0.3)
        self.main.leave_others()
