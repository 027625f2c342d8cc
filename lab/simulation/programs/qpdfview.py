"""qpdfview, a viewer in Qt: words that the document does not have, and files that are not there."""

from demo.virtual_desktop.desktop import VirtualDesktop
from lab.simulation.programs.search_bar import SearchBarProgram
from lab.simulation.scenery.sample_pdf import write_pdf
from lab.simulation.simulated_user import SimulatedUser

_DOCUMENTS = ("minutes.pdf", "plan.pdf", "report.pdf")


class QpdfviewProgram(SearchBarProgram):
    """A report of some pages, another beside it."""

    name = "qpdfview"
    packages = "qpdfview"
    margins = (40, 120, 60, 110)
    there = ("garden", "bench", "choir", "library", "before")
    missing = ("gardens", "gardn", "chior", "libary", "garden path 2", "seed ling")
    next_key = "F3"

    def __init__(self, user: SimulatedUser) -> None:
        self._shown = "report.pdf"
        super().__init__(user)

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it with a document."""
        home = desktop.directory / "home"
        for name in ("report", "minutes", "plan"):
            write_pdf(home / f"{name}.pdf", self.rng, pages=self.rng.randint(8, 16))
        self.start(desktop, ["qpdfview", "report.pdf"])
        self.hands.click(*self.places()[2])

    def work(self) -> None:
        """Read on: turn a page or two, and look."""
        for _ in range(self.rng.randint(1, 3)):
            self.hands.chord(self.rng.choice(("Next", "Next", "Down", "space")))
            self.user.think(1.2)

    def _to_start(self) -> None:
        self.hands.chord("Home")
        self.hands.wait(0.6)

    def _open_one(self) -> None:
        """Open another document than the one that is shown."""
        self._shown = self.rng.choice([name for name in _DOCUMENTS if name != self._shown])
        self.name_file("ctrl+o", self._shown)
        self.wait_closed()
        self.hands.wait(0.5)

    def _open_in_vain(self, name: str) -> None:
        self.name_file_in_vain("ctrl+o", name)
