"""Programs whose scenes are data but for their start, or for an act that needs more than steps."""

import json
from collections.abc import Mapping

from demo.user import DemoUser
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.local_page import Browser, LocalPage
from demo.virtual_desktop.sample_text import item
from demo.virtual_desktop.windows import poll
from lab.benchmarks.scenes.acting import DATA, WindowScenes
from lab.simulation.scenery.sample_pdf import write_pdf
from storage.records import Box

CAJA: Mapping[str, str] = {"between": " ", "forgets": "0", "close": "Return", "up": "BackSpace"}
DOLPHIN: Mapping[str, str] = {"between": "-", "forgets": "1.2", "close": "Escape", "up": "alt+Up"}
_PAGE = LocalPage(file="booking.html", title="Booking", header="#3a5f2d")


class PaintingScenes(WindowScenes):
    """A picture in Drawing."""

    def __init__(self, user: DemoUser) -> None:
        super().__init__(user, "painting", size=(1100, 800), verbs={"stroke": self._stroke})

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it, and answer what it wants to know at its first start."""
        desktop.spawn(["drawing"], "drawing")
        window = desktop.windows.wait("Drawing", "Unsaved file", timeout_s=60)
        poll(lambda: not desktop.windows.is_active(window), what="its question")
        self._hands.chord("Escape")
        self.place(desktop, window)

    def _stroke(self, rest: str) -> None:
        """Drag from a place of the window, so far across, and a little up or down."""
        x, y, length = map(self.acts.count, rest.split())
        start = self.acts.point(f"{x},{y}")
        self._hands.drag(start, (start[0] + length, start[1] + self._rng.randint(-60, 60)))


class ReaderScenes(WindowScenes):
    """A report of some pages in a viewer; `search` and `again` are its keys to search, and to go to the next place."""

    def __init__(self, user: DemoUser, app: str, search: str, again: str) -> None:
        command, values = (app.lower(), "report.pdf"), {"search": search, "again": again}
        super().__init__(user, "reader", command=command, app=app, size=(900, 850), values=values)

    def write_files(self, desktop: VirtualDesktop) -> None:
        """Write the report."""
        write_pdf(desktop.directory / "home" / "report.pdf", self._rng, pages=30)


class FilesScenes(WindowScenes):
    """A folder of papers in a file manager."""

    def __init__(self, user: DemoUser, app: str, values: Mapping[str, str] = CAJA) -> None:
        """Let `user` play them; `programs/data/files.toml` says what the values mean."""
        leaves = ("press Escape", "wait 0.4") if values is CAJA else ()  # Escape does something else in Dolphin
        super().__init__(
            user,
            "files",
            command=(app.lower(), "papers"),
            app=app,
            size=(1000, 700),
            values=values,
            verbs={"escape": lambda _: self.acts.run(leaves)},
        )

    def write_files(self, desktop: VirtualDesktop) -> None:
        """Write papers, and folders with a few each: more than can be looked into while a scene lasts."""
        papers = desktop.directory / "home" / "papers"
        for folder in self.acts.lists["folders"]:
            (papers / folder).mkdir(parents=True)
            for number in range(self._rng.randint(2, 6)):
                (papers / folder / f"{item(self._rng)} {number}.txt").write_text("x")
        for number in range(1, 25):
            name = f"scan{self.acts.values['between']}{number:02}.txt"
            (papers / name).write_text(name)


class SheetsScenes(WindowScenes):
    """A budget in Calligra Sheets."""

    def __init__(self, user: DemoUser) -> None:
        super().__init__(user, "sheets", command=("calligrasheets", "budget.csv"), app="calligrasheets")

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it with a table, and answer how that is to be read."""
        self.write_files(desktop)
        desktop.spawn(self._command, self._app, cwd=desktop.directory / "home")
        desktop.windows.wait(title="Import Data", timeout_s=60)
        self.acts.run(("wait 1.0", "press Return"))
        desktop.windows.wait_gone(title="Import Data")
        self.place(desktop, desktop.windows.wait(title="budget.csv"))


class FiguresScenes(WindowScenes):
    """A drawing of shapes in Inkscape."""

    def __init__(self, user: DemoUser) -> None:
        super().__init__(user, "figures", size=(1150, 850), verbs={"pull": self._pull})

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it with an empty picture."""
        self.write_files(desktop)
        desktop.spawn(["inkscape", "plan.svg"], "inkscape", cwd=desktop.directory / "home")
        window = desktop.windows.wait("Inkscape", "plan.svg", timeout_s=60)
        self._hands.wait(2.0)  # it takes the whole screen after its window is there
        desktop.windows.unmaximise(window)
        self.place(desktop, window)

    def _pull(self, rest: str) -> None:
        """Pull up a shape at a place of the window, of a width and height."""
        x, y, width, height = map(self.acts.count, rest.split())
        left, top = self.acts.point(f"{x},{y}")
        self._hands.drag((left, top), (left + width, top + height))


class PageScenes(WindowScenes):
    """A booking form in a page of ours."""

    def __init__(self, user: DemoUser, browser: Browser, *, accepts: bool) -> None:
        """Let `user` play them; whether the form `accepts` and the search finds is the page's, not the user's."""
        super().__init__(user, "page")
        self._browser, self._accepts = browser, accepts

    def open(self, desktop: VirtualDesktop) -> None:
        """Start the browser on the page."""
        html = (DATA / "page.html").read_text().replace("@ACCEPTS@", json.dumps(self._accepts))
        box = Box(self._rng.randint(40, 300), self._rng.randint(40, 120), 1200, 900)
        x, y = _PAGE.open(desktop, html, self._browser, box, self._hands)
        self.acts.box = Box(x, y, box.w, box.h)
