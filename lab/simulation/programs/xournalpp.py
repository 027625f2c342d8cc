"""Xournal++, notes on top of a document: words it does not have, and tools that draw nothing."""

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import Point
from lab.simulation.programs.search_bar import SearchBarProgram
from lab.simulation.scenery.sample_pdf import write_pdf

_PEN, _SELECT, _ERASER, _REGION = "ctrl+shift+p", "ctrl+shift+r", "ctrl+shift+e", "ctrl+shift+g"


class XournalppProgram(SearchBarProgram):
    """A report of some pages to write on."""

    name = "xournalpp"
    packages = "xournalpp"
    margins = (240, 150, 60, 90)
    there = ("garden", "bench", "choir", "library", "before")
    missing = ("gardn", "gardenn", "chior", "libary", "garden path 2", "seed ling")
    next_key = "Return"

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it with a document."""
        home = desktop.directory / "home"
        write_pdf(home / "report.pdf", self.rng, pages=self.rng.randint(4, 9))
        self.start(desktop, ["xournalpp", "report.pdf"])
        self._use(_PEN)

    def work(self) -> None:
        """Underline something, or read on."""
        self._use(_PEN)
        for _ in range(self.rng.randint(1, 3)):
            if self.user.chance(0.6):
                self._stroke()
            else:
                self.hands.scroll(self.rng.choice((-3, -2, 2)))
            self.user.think(0.8)

    def _use(self, tool: str) -> None:
        self.hands.chord(tool)
        self.hands.wait(0.2)

    def _some_place(self) -> Point:
        box = self.content_box()
        return box.x + self.rng.randint(40, box.w // 2), box.y + self.rng.randint(30, box.h - 40)

    def _stroke(self) -> None:
        """Drag from left to right with the tool in hand."""
        x, y = self._some_place()
        self.hands.drag((x, y), (x + self.rng.randint(120, 260), y + self.rng.randint(-8, 30)))
        self.hands.wait(0.3)

    def _draw_well(self) -> None:
        self._use(_PEN)
        self._stroke()

    def _draw_by(self, tool: str) -> None:
        self._use(tool)
        self._stroke()
        self.user.think(0.5)

    def _click_there(self, _number: int) -> None:
        for _ in range(self.user.count(1, 3)):
            self.hands.click(*self._some_place())
        self.hands.wait(0.3)

    def _draw_again(self, _number: int) -> None:
        self._stroke()
