"""The hands in the workbook application in Chromium: places on the page, fields filled in, menus and lists used.

The page's corner on the screen is looked up each time by the colour of its header; menus are part of the page, lists
are windows of the browser. `evaluation.simulation.programs.chromium.program` puts these pieces together.
"""

from evaluation.simulation.actor import Actor
from evaluation.simulation.program import Point
from evaluation.simulation.programs.main_window import MainWindow
from evaluation.simulation.scenery.browser import page_corner
from evaluation.simulation.scenery.screen import differing, picture
from evaluation.simulation.scenery.workbook import FOOT, Workbook
from evaluation.stage.desktop import VirtualDesktop
from evaluation.stage.prose import item, sentence
from evaluation.stage.windows import WindowInfo
from storage.clock import NS_PER_S
from storage.records import Box

_FRAME = 6
_SCROLL_BAR = 24
_ROW = 9
_STRIP = 140
_MARKED = 100
_MENU_EDGE = b"\x2b\x8a\xc9\0"
_WORDS = ("and", "new", "green", "small", "before", "again", "perhaps", "together", "tomorrow", "carefully")


class WorkbookHands:
    """The page in one window, and what is done on it by all the program's methods."""

    def __init__(self, actor: Actor, desktop: VirtualDesktop, window: WindowInfo, book: Workbook) -> None:
        """Work on `book` in `window`."""
        self._actor, self._hands, self._rng = actor, actor.hands, actor.rng
        self._desktop = desktop
        self.main = MainWindow(actor, desktop, window)
        self.book = book
        self._found: tuple[Box, Point] | None = None

    # ------------------------------------------------------------------ places

    def at(self, *places: Point) -> list[Point]:
        """Return the desktop's points for those of the page; raises LookupError while the page is covered."""
        x, y = self._corner()
        return [(x + right, y + down) for right, down in places]

    def page_box(self) -> Box:
        """Return where the page is on the desktop."""
        (x, y), box = self._corner(), self.main.box
        return Box(x, y, box.x + box.w - x, box.y + box.h - y - (_FRAME if y != box.y else 0))

    def pane(self, name: str) -> Box:
        """Return where a pane is on the desktop: notes, table (its rows only) or form."""
        page, pane = self.page_box(), {"notes": self.book.notes, "table": self.book.table, "form": self.book.form}[name]
        top, foot = (44, 38) if name == "table" else (4, 4)
        y = pane.y + top
        return Box(page.x + pane.x + 4, page.y + y, pane.w - _SCROLL_BAR, page.h - FOOT - y - foot)

    def in_notes(self, *, reach: int = 150) -> Point:
        """Return a place in the first part of a line of the notes, as far as `reach`."""
        box = self.pane("notes")
        return box.x + self._rng.randint(10, reach), box.y + self._rng.randint(10, box.h - 20)

    def cell(self) -> Point:
        """Return one of the figures in the table."""
        box = self.pane("table")
        across = self._rng.choice((0.4, 0.66))
        return box.x + int(across * self.book.table.w) - 4, box.y + self._rng.randint(6, box.h - 12)

    def shown(self, name: str) -> bytes:
        """Return what a strip of a pane shows."""
        box = self.pane(name)
        return picture(self._desktop.display, Box(box.x + 10, box.y, _STRIP, box.h))

    def into(self, name: str) -> None:
        """Move the pointer into a pane unless it is there."""
        box, (x, y) = self.pane(name), self._hands.at
        if not (box.x <= x < box.x + box.w and box.y <= y < box.y + box.h):
            self._hands.move(box.x + self._rng.randint(20, box.w - 20), box.y + self._rng.randint(20, box.h - 20))

    # ------------------------------------------------------------------ clicks

    def press(self, tool: str) -> None:
        """Click on a button of the tool bar."""
        self.tap(self.book.tools[tool], reach=12)

    def tap(self, place: Point, *, reach: int = 3) -> None:
        """Click on a place of the page, or close to it."""
        ((x, y),) = self.at(place)
        self._hands.click(x + self._rng.randint(-reach, reach), y + self._rng.randint(-3, 3))

    def choose(self, menu: str, name: str) -> None:
        """Choose an entry from a menu of the page."""
        self.tap(self.book.menus[menu])
        self._hands.wait(self._hands.about(0.5))
        self.tap(self.book.entry(menu, name), reach=8)

    def do(self, keys: str, tool: str, entry: tuple[str, str] | None = None) -> None:
        """Give a command by key, button or menu, as this person likes."""
        if keys and self._actor.by_key():
            self._hands.chord(keys)
        elif entry is not None and not self.book.lists and self._actor.chance(0.4):
            self.choose(*entry)
        else:
            self.press(tool)

    def menu_is_open(self) -> bool:
        """Tell whether a menu of the page is open, by the line at its top."""
        x, y = self._corner()
        edge = picture(self._desktop.display, Box(x + 10, y + 47, 420, 1))
        return any(edge[at : at + 3] == _MENU_EDGE[:3] for at in range(0, len(edge), 4))

    # ------------------------------------------------------------------ words

    def short(self) -> str:
        """Return a word that takes this person about two seconds."""
        return self._rng.choice([word for word in _WORDS if len(word) <= 2.5 * self._actor.rate])

    def write_for(self, seconds: float) -> None:
        """Write words for about so long."""
        end_ns = self._actor.clock.now_ns() + int(seconds * NS_PER_S)
        words = sentence(self._rng).removesuffix(".").split()
        first = True
        while self._actor.clock.now_ns() < end_ns:
            words = words or ["and", *item(self._rng).split()]
            self._actor.write(words.pop(0) if first else f" {words.pop(0)}")
            first = False
        self._actor.write(".")

    def fill(self, field: str, words: str) -> None:
        """Replace what a field holds."""
        ((x, y),) = self.at(self.book.picking[field])
        self._hands.click(x, y, count=2)
        self._hands.chord("ctrl+a")
        self._actor.write(words)

    def mark_word(self) -> Point:
        """Mark a word of the notes by a double click and return where; who meets an empty place tries elsewhere."""
        for reach in (120, 60, 40, 40, 40):
            x, y = self.in_notes(reach=reach)
            line = Box(x - 60, y - _ROW, 160, 2 * _ROW)
            self._hands.click(x, y)
            self._hands.wait(0.6)  # a third click in a row would mark the whole line
            before = picture(self._desktop.display, line)
            self._hands.click(x, y, count=2)
            self._hands.wait(0.15)
            if differing(before, picture(self._desktop.display, line)) > _MARKED:
                return x, y
        raise LookupError("no word to mark")

    def figure(self) -> str:
        """Return a number of two or three digits."""
        return str(self._rng.randint(11, 990))

    def _corner(self) -> Point:
        """Return where the page begins; looked for again only when the window has moved or changed its size."""
        box = self.main.box
        for _ in range(10):
            if self._found is not None and self._found[0] == box:
                return self._found[1]
            corner = page_corner(self._desktop, box, self.book.header)
            if corner is None:
                self._hands.wait(0.1)
                box = self.main.box
            else:
                self._found = (box, corner)
        raise LookupError("the page is covered")
