"""Scenes in MuPDF, a viewer without accessibility, and qpdfview: words that are not there, pages turned, reading."""

from dataclasses import dataclass

from demo.user import DemoUser
from demo.virtual_desktop.desktop import VirtualDesktop
from lab.benchmarks.scenes.acting import look_back_once, read_twice, scroll_up_and_down
from lab.benchmarks.scenes.programs.window import WindowScenes
from lab.simulation.scenery.sample_pdf import write_pdf


@dataclass(frozen=True, slots=True)
class Viewer:
    """A viewer: its name, and the keys that begin a search and go to the next place."""

    app: str
    search: str
    again: str


MUPDF = Viewer("MuPDF", "/", "n")
QPDFVIEW = Viewer("qpdfview", "ctrl+f", "F3")


class ReaderScenes(WindowScenes):
    """A report of some pages."""

    def __init__(self, user: DemoUser, viewer: Viewer) -> None:
        """Let `user` play them in a viewer."""
        super().__init__(user)
        self._viewer = viewer
        self._missing = ["gardn", "gardan", "gaarden"]
        self._there = ["garden", "choir", "library", "window", "bench"]
        self.in_vain = {
            "find_in_vain": self._find_in_vain,
            "pages_to_and_fro": self._turn_to_and_fro,
            "scrolled_in_vain": lambda: scroll_up_and_down(user),
        }
        self.calm = {
            "long_reading": self._read_page,
            "looked_back": lambda: look_back_once(user),
            "read_twice": lambda: read_twice(user),
            "many_found": self._find,
        }

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it with a document."""
        write_pdf(desktop.directory / "home" / "report.pdf", self._rng, pages=30)
        self.start(desktop, [self._viewer.app.lower(), "report.pdf"], self._viewer.app, size=(900, 850))

    def begin(self, seconds: float) -> None:
        """Read."""
        self.fluent(seconds, self._read_page)

    def _search(self, word: str) -> None:
        self._hands.chord(self._viewer.search)
        self._hands.wait(0.3)
        self._user.write(word)
        self._hands.chord("Return")

    def _find_in_vain(self) -> None:
        """Search for a word in another spelling; a line says that it is not there."""
        self._missing = [*self._missing[1:], self._missing[0]]
        self._search(self._missing[0])
        self._user.read(2.0, 4.5)
        self._hands.chord("Escape")
        self._user.read(0.5, 1.5)

    def _turn_to_and_fro(self) -> None:
        """Look for a passage on two pages on, and on the same pages back."""
        for key in ("Next", "Next", "Prior", "Prior"):
            self._hands.chord(key)
            self._user.read(1.0, 2.5)

    def _read_page(self) -> None:
        self._user.read(2.5, 6.0)
        self._hands.scroll(-self._rng.randint(3, 9))

    def _find(self) -> None:
        """Search for another word each time; it is found, and read about."""
        self._there = [*self._there[1:], self._there[0]]
        self._search(self._there[0])
        self._user.read(2.0, 4.0)
        self._hands.chord(self._viewer.again)
        self._user.read(2.0, 4.0)
