"""What else is on a simulated desktop: a browser with help pages, a viewer with the brief, things that take long.

The brief is read in the same browser, in a second Mousepad or in a plain text window, by seed. Windows come to the
front as a user brings them: by alt+Tab or a click where they can be seen, in the last resort as a task bar does it.
"""

import subprocess
from pathlib import Path

from demo.virtual_desktop.browser import page_corner, start_browser, wait_browser
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import Point, WindowInfo, poll
from lab.simulation.programs.main_window import MainWindow
from lab.simulation.programs.mousepad import write_settings
from lab.simulation.scenery.handbook import brief_text, write_handbook
from lab.simulation.scenery.progress import start_dialog, start_terminal
from lab.simulation.simulated_user import SimulatedUser
from storage.records import Box

_VIEWERS = ("browser", "browser", "mousepad", "plain")
_QUESTIONS = (
    "move a line", "change margins", "sort table", "copy cells", "number pages", "undo", "align picture", "print list",
    "heading colour", "share chart", "export", "find words", "how to align", "picture too big", "table border",
)  # fmt: skip


class DesktopHelpers:
    """The things beside the program; implements `lab.simulation.tasks.task.Helpers`."""

    def __init__(self, user: SimulatedUser, desktop: VirtualDesktop) -> None:
        """Write the pages; nothing is started before it is needed."""
        self._user, self._hands, self._rng = user, user.hands, user.rng
        self._desktop = desktop
        self._handbook = write_handbook(desktop.directory / "handbook", self._rng)
        self._viewer = self._rng.choice(_VIEWERS)
        self._bare = user.chance(0.5)
        self._browser: MainWindow | None = None
        self._brief: MainWindow | None = None
        self._notes: MainWindow | None = None
        self._main: MainWindow | None = None
        self._shown = "brief"
        self._has_words = self._has_results = False
        self._job: subprocess.Popen[bytes] | None = None

    def open_brief(self) -> None:
        """Bring the task's brief to the front."""
        if self._viewer == "browser":
            self._show("brief")
        elif self._brief is not None and self._is_there(self._brief):
            self._brief.come_to_front()
        else:
            self._brief = self._start_viewer()

    def take_note(self) -> None:
        """Write a line into notes in an editor of their own."""
        if self._notes is not None and self._is_there(self._notes):
            self._notes.come_to_front()
        else:
            file = self._desktop.directory / "home" / "notes.txt"
            file.touch()
            self._notes = self._opened(self._start_editor(file), "the notes")
        self._user.write(f"{self._rng.choice(_QUESTIONS)} done\n")

    def open_help(self) -> None:
        """Bring the help pages to the front."""
        self._show("help")

    def search_help(self) -> None:
        """Type a few words into the search field, press Enter, and look at what comes."""
        self._show("help")
        self._hands.click(*self._on_page(self._handbook.search), count=3 if self._has_words else 1)
        self._hands.wait(0.2)
        self._user.write(self._rng.choice(_QUESTIONS))
        self._hands.chord("Return")
        self._hands.wait(0.4)
        self._has_words = self._has_results = True

    def open_result(self) -> None:
        """Click on a result or, on a page, on what it points to."""
        self._show("help")
        places = self._handbook.results[:4] if self._has_results else self._handbook.related
        x, y = self._on_page(self._rng.choice(places))
        self._hands.click(x + self._rng.randint(-30, 10), y + self._rng.randint(-4, 4))
        self._has_results = False
        self._hands.wait(0.3)

    def back_to_work(self) -> None:
        """Bring the program's window to the front."""
        work = self._work()
        active = self._desktop.windows.active()
        if active is None or active.pid != work.pid:
            work.come_to_front()

    def start_progress(self, seconds: float, *, kind: str) -> None:
        """Start a progress bar ("dialog") or lines in a terminal ("terminal")."""
        self._user.close_menus()
        if kind == "dialog":
            self.back_to_work()
            self._job = start_dialog(self._desktop, self._rng, seconds, self._work().now())
            self._wait_for("zenity")
        elif kind == "terminal":
            self._job = start_terminal(self._desktop, self._rng, seconds)
            self._wait_for("xterm")
        else:
            raise ValueError(f"no progress of the kind {kind!r}")

    def progress_is_over(self) -> bool:
        """Return whether the script has ended."""
        return self._job is None or self._job.poll() is not None

    def _wait_for(self, app: str) -> None:
        """Wait until a program's window is there, or its time is over already."""
        while self._desktop.windows.find(app) is None and not self.progress_is_over():
            self._hands.wait(0.1)

    def _show(self, part: str) -> None:
        """Bring the browser to the front, with a part of the pages."""
        if self._browser is None or not self._is_there(self._browser):
            self._browser = self._start_browser()
            self._shown, self._has_words, self._has_results = "brief", False, False
        self._browser.come_to_front()
        if self._shown != part:
            places = {"brief": self._handbook.brief, "help": self._handbook.help}
            x, y = self._on_page(places[part])
            self._hands.click(x + self._rng.randint(-25, 25), y + self._rng.randint(-6, 6))
            self._shown = part
            self._hands.wait(0.25)

    def _start_browser(self) -> MainWindow:
        box = self._some_box(880, 1150)
        process = start_browser(self._desktop, self._handbook.path.as_uri(), "handbook-profile", box, bare=self._bare)
        return MainWindow(self._user, self._desktop, wait_browser(self._desktop, process, self._handbook.header))

    def _start_viewer(self) -> MainWindow:
        file = self._desktop.directory / "home" / "brief.txt"
        if not file.exists():
            file.write_text(brief_text(self._rng))
        if self._viewer == "mousepad":
            return self._opened(self._start_editor(file), "the brief")
        box = self._some_box(560, 900)
        argv = ["zenity", "--text-info", f"--filename={file}", "--title=Brief", f"--width={box.w}"]
        return self._opened(self._desktop.spawn([*argv, f"--height={box.h}"], "brief"), "the brief")

    def _start_editor(self, file: Path) -> subprocess.Popen[bytes]:
        config = self._desktop.directory / f"{file.stem}-{self._rng.randrange(10**6)}"
        env = write_settings(config, self._rng)
        return self._desktop.spawn(["mousepad", "--disable-server", str(file)], file.stem, env=env)

    def _opened(self, process: subprocess.Popen[bytes], what: str) -> MainWindow:
        """Return the window of what was started, in front and laid out."""

        def opened() -> WindowInfo | None:
            windows = self._desktop.windows.list_all()
            return next((other for other in windows if other.pid == process.pid and not other.popup), None)

        window = MainWindow(self._user, self._desktop, poll(opened, what=f"opening {what}", timeout_s=30))
        window.come_to_front()
        self._hands.wait(0.6)  # the first layout is not announced by anything
        return window

    def _some_box(self, narrowest: int, widest: int) -> Box:
        w, h = self._rng.randint(narrowest, widest), self._rng.randint(680, 860)
        return Box(self._rng.randint(20, 1880 - w), self._rng.randint(30, 1000 - h), w, h)

    def _is_there(self, window: MainWindow) -> bool:
        return any(other.xid == window.xid for other in self._desktop.windows.list_all())

    def _on_page(self, place: Point) -> Point:
        if self._browser is None:
            raise LookupError("the browser is not open")
        x, y = place
        for _ in range(20):
            box = self._browser.box
            corner = page_corner(self._desktop, box, self._handbook.header)
            if corner is not None:
                return (corner[0] if x >= 0 else box.x + box.w) + x, corner[1] + y
            self._hands.wait(0.1)
        raise LookupError("the page is covered")

    def _work(self) -> MainWindow:
        """Return the program's window: the largest that was not opened here, as first found."""
        if self._main is None or not self._is_there(self._main):
            own = {window.pid for window in (self._browser, self._brief, self._notes) if window is not None}
            found = [other for other in self._desktop.windows.list_all() if not other.popup and other.pid not in own]
            if not found:
                raise LookupError("the program's window is gone")
            largest = max(found, key=lambda one: one.box.w * one.box.h)
            self._main = MainWindow(self._user, self._desktop, largest)
        return self._main
