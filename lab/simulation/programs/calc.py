"""LibreOffice Calc with a workbook: values, formulas, ranges, column widths.

All sheets are filled alike from the top left corner, so that a place at the left is on a value at every zoom; right of
`_EMPTY` there is room. After a copy the frame of ants is ended by Escape, because Return would paste again.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from demo.virtual_desktop.sample_text import figure, labels
from lab.simulation.program import Point
from lab.simulation.programs.office import Control, Dialog, Office
from lab.simulation.programs.office_files import MONTHS, File, write_workbook
from lab.simulation.simulated_user import SimulatedUser

MENUS: Mapping[str, int] = {
    "File": 18, "Edit": 59, "View": 103, "Insert": 154, "Format": 212, "Styles": 270, "Sheet": 324, "Data": 375,
    "Tools": 422, "Window": 481, "Help": 538,
}  # fmt: skip
KEYED_MENUS: Mapping[str, str] = {
    "File": "f", "Edit": "e", "View": "v", "Insert": "i", "Format": "o", "Sheet": "s", "Data": "d", "Tools": "t",
}  # fmt: skip
TOOLS: Mapping[str, Point] = {
    "save": (107, 44), "pdf": (161, 44), "print": (194, 44), "cut": (268, 44), "copy": (301, 44),
    "clone": (385, 44), "undo": (458, 44), "redo": (502, 44), "find": (556, 44), "sort": (726, 44),
    "ascending": (760, 44), "filter": (825, 44), "image": (866, 44), "chart": (899, 44), "symbol": (971, 44),
    "bold": (344, 83), "italic": (378, 83), "underline": (409, 83), "colour": (460, 83), "fill": (505, 83),
    "left": (559, 83), "centre": (592, 83), "right": (625, 83), "percent": (965, 83), "number": (998, 83),
    "more decimals": (1071, 83), "fewer decimals": (1104, 83), "sum": (210, 122),
}  # fmt: skip
GREY_MERGES: Sequence[Point] = ((814, 83), (847, 83), (880, 83))
"""Buttons that are grey unless several cells are selected."""

DIALOGS: Sequence[Dialog] = (
    Dialog(
        title="Format Cells",
        menu="Format",
        entry=139,
        keys="ctrl+1",
        tabs=tuple((x, 63) for x in (117, 312, 515)),
        controls=(
            *(Control(at=(80, 124 + 23 * row)) for row in range(9)),
            *(Control(at=(290, 124 + 23 * row)) for row in range(3)),
        ),
    ),
    Dialog(
        title="Page Style", menu="Format", entry=290, tabs=tuple((x, 27) for x in (52, 131, 204, 299, 393, 469, 540))
    ),
    Dialog(title="Validity", menu="Data", entry=266, tabs=tuple((x, 27) for x in (53, 143, 241))),
    Dialog(
        title="Function Wizard",
        menu="Insert",
        entry=188,
        keys="ctrl+F2",
        controls=(*(Control(at=(70, 213 + 23 * row)) for row in range(12)), Control(at=(110, 91), value="word")),
        accept=(-145, -24),
        cancel=(-145, -24),
    ),
    Dialog(
        title="Goal Seek",
        menu="Tools",
        entry=240,
        controls=(Control(at=(200, 88), value="number"), Control(at=(200, 48), value="word")),
        accept=(-142, -25),
    ),
    Dialog(
        title="Find and Replace",
        menu="Edit",
        entry=265,
        keys="ctrl+h",
        controls=(
            *(Control(at=at) for at in ((109, 65), (223, 65), (381, 65), (38, 273), (38, 301), (120, 415), (198, 415))),
            Control(at=(300, 30), value="word"),
        ),
        accept=(-51, -26),
        cancel=(-51, -26),
    ),
)

FAST: Sequence[Sequence[str]] = (
    ("shift+Down", "shift+Down", "shift+Right", "ctrl+b"),
    ("shift+Down", "shift+Down", "shift+Down", "ctrl+d"),
    ("shift+Right", "ctrl+c", "ctrl+Right", "Right", "Right", "ctrl+v", "Escape"),
    ("shift+Down", "ctrl+x", "ctrl+Right", "Right", "ctrl+v"),
    ("ctrl+shift+Right", "ctrl+i", "Down"),
    ("Delete", "Down", "Delete", "ctrl+z"),
    ("ctrl+shift+1", "Right", "ctrl+shift+1"),
    ("ctrl+u", "Down", "ctrl+u", "Down", "ctrl+s"),
    ("ctrl+Right", "Right", "ctrl+semicolon", "Return"),
    ("shift+Down", "shift+Down", "ctrl+e", "Right"),
)
"""What practised hands do by keys alone; each has an effect wherever the selection is."""


_GRID_TOP = 190
_EMPTY = 860
_HEADER_Y = 154
_SIZE_BOX, _NAME_BOX = (245, 83), (60, 122)
_TOOLS_END, _FORMATS_END = 1290, 1420
_PANELS = (167, 209, 253, 296, 339)
_ROWS_A_NOTCH, _ROWS_A_PAGE = 3, 36
_FUNCTIONS = ("SUM", "AVERAGE", "MAX", "MIN", "COUNT")


class Calc(Office):
    """A workbook of some sheets, or a table of values."""

    name = "calc"
    packages = "libreoffice-calc libreoffice-gtk3 fonts-dejavu-core"
    menus = MENUS
    keyed_menus = KEYED_MENUS
    tools = TOOLS
    dialogs = DIALOGS
    looks = (
        ("ctrl+b", "bold"),
        ("ctrl+i", "italic"),
        ("ctrl+u", "underline"),
        ("ctrl+shift+5", "percent"),
        ("ctrl+l", "left"),
        ("ctrl+e", "centre"),
        ("", "colour"),
        ("", "fill"),
        ("Delete", ""),
    )

    def __init__(self, user: SimulatedUser) -> None:
        """Let `user` calculate; how many sheets and rows there are is drawn once."""
        super().__init__(user)
        self._rows = self.rng.randint(180, 420)
        self._row = 0
        self._sheet = 0
        self._sheets = self.rng.choice((1, 2, 2, 3))
        self._labels = labels(self.rng)
        self._place: Point = (0, 0)
        self._again: Callable[[], None] | None = None
        self._end = 0

    def write_document(self, folder: Path) -> File:
        """Write a workbook to work on."""
        return write_workbook(folder, self.rng, rows=self._rows, sheets=self._sheets)

    def ready(self) -> None:
        """End what is being entered; go back to the top if the view has drifted far below the values."""
        self.hands.chord("Escape")
        if self._row > self._rows or self.user.chance(0.15):
            self.hands.chord("ctrl+Home")
            self._row = 0
        elif self.user.chance(0.4):
            self.hands.click(*self._filled())

    def content_points(self) -> Sequence[Point]:
        """Return places on cells, mostly filled ones."""
        return [*(self._filled() for _ in range(8)), self._empty(), self._empty()]

    def dead_points(self) -> Sequence[Point]:
        """Return places that do not respond: grey buttons, empty bars."""
        return self.unresponsive(600, 430, ((_TOOLS_END, 44), (_FORMATS_END, 83)), GREY_MERGES)

    def _filled(self) -> Point:
        right = 300 if self.path.suffix == ".csv" else 480
        return self.at((self.rng.randint(60, right), self.rng.randint(_GRID_TOP, self.box.h - 130)))

    def _empty(self) -> Point:
        return self.at((self.rng.randint(_EMPTY, self.box.w - 110), self.rng.randint(_GRID_TOP, self.box.h - 260)))

    def compose(self) -> None:
        """Enter some cells: further down in the same columns, in an empty column, or in a row below all others."""
        self.leave_search()
        if not self.at_caret:
            if self.user.chance(0.4):
                for keys in ("ctrl+End", "Down", "Home"):
                    self.hands.chord(keys)
                self._row = self._rows
            else:
                self.hands.click(*self._empty())
        cells = max(2, min(4, int(self.user.rate * self.rng.uniform(2.5, 4.5) / 6)))
        if self.user.chance(0.5):
            self.user.write(self.rng.choice(self._labels))
            text = "".join(f"\t{figure(self.rng)}" for _ in range(cells - 1)) + "\n"
        else:
            text = "".join(f"{figure(self.rng)}\n" for _ in range(cells))
        self.hands.text(text, rate=self.user.rate)
        self.at_caret = True

    def adjust(self) -> None:
        """Give a cell another value, or some cells another look."""
        self._begin()
        if self.user.chance(0.5):
            self.hands.click(*self._filled())
            self.hands.wait(self.hands.about(0.6))
            self.hands.text(f"{figure(self.rng)}\n", rate=self.user.rate)
        else:
            self._select()
            self.hands.wait(self.hands.about(0.5))
            self.change_look()

    def expert(self) -> None:
        """Fill, copy, cut, paste and format by keys alone, without stopping to think."""
        self._begin()
        if self.user.chance(0.7):
            self.hands.click(*self._filled())
        for chords in self.rng.sample(FAST, self.rng.randint(2, 3)):
            self.press(chords)

    def repeat_useful(self) -> None:
        """Click again and again on zoom, on more or fewer decimals, on the sheets' tabs, or on "find next"."""
        self._begin()
        times = self.rng.randint(3, 7)
        way = self.rng.choice(("zoom", "decimals", "search"))
        if way == "zoom":
            self.zoom(self.rng.choice((-1, 1)) * min(times, 4))
        elif way == "search":
            self.search(self.rng.choice(self._labels))
            self.search_on(times)
        else:
            self._select()
            for number in range(times):
                self.tool("more decimals" if number < 5 else "fewer decimals")  # noqa: PLR2004
                self.hands.wait(self.hands.about(0.3))

    def _begin(self) -> None:
        self.at_caret = False
        self.leave_search()

    def _select(self) -> None:
        """Select a value or some that lie together."""
        start = self._filled()
        if self.user.chance(0.5):
            self.hands.click(*start)
        else:
            self.hands.drag(start, self._near(start))
        self.hands.wait(self.hands.about(0.2))

    def _near(self, start: Point) -> Point:
        x, y = start[0] + self.rng.randint(0, 240), start[1] + self.rng.randint(20, 140)
        return x, min(y, self.box.y + self.box.h - 110)

    def _page(self, direction: int) -> None:
        """Move on, but not beyond the values."""
        if direction > 0 and self._row > self._rows - _ROWS_A_PAGE:
            direction = -1
        self._row = max(0, self._row + direction * _ROWS_A_PAGE // 2)
        super()._page(direction)

    def overview(self) -> None:
        """Zoom, go to another sheet, show the formulas for a moment, or have a look at a panel of the side bar."""
        self._begin()
        way = self.rng.choice(("zoom", "sheet", "sheet", "formulas", "panel"))
        if way == "sheet" and self._sheets > 1:
            self._turn_sheet()
        elif way == "formulas":
            self.hands.chord("ctrl+grave")
            self.hands.wait(self.hands.about(1.2))
            self.hands.chord("ctrl+grave")
        elif way == "panel":
            self.peek(_PANELS)
        else:
            self.zoom(self.rng.choice((-2, -1, 1, 2)))
        self.hands.wait(self.hands.about(0.4))

    def _turn_sheet(self) -> None:
        """Go to the next sheet, or back from the last one."""
        if self._sheet < self._sheets - 1:
            self._sheet += 1
            self.hands.chord("ctrl+Next")
        else:
            self._sheet -= 1
            self.hands.chord("ctrl+Prior")

    def change(self) -> int:
        """Enter a value, or give some cells another look; return how many undos that takes."""
        self._begin()
        for _ in range(3):
            self._select()
            before = self.view()
            if self.user.chance(0.3):
                self.hands.text(f"{self.rng.randint(1000, 9000)}\n", rate=self.user.rate)
            else:
                self.change_look()
            if self.has_changed(before):
                return 1
            self.hands.chord("ctrl+Home")
            self._row = 0
        raise LookupError("nothing changed")

    def toggle(self, *, anew: bool) -> None:
        """Make a cell bold, or no longer."""
        if anew:
            self._begin()
            self.hands.click(*self._filled())
        self.hands.chord("ctrl+b")

    def enter_value(self) -> None:
        """Enter a formula, go to a cell by its name, or set the size of letters."""
        self._begin()
        way = self.rng.choice((self._enter_formula, self._enter_formula, self._enter_name, self._enter_size))
        self._place = self._empty() if way == self._enter_formula else self._filled()
        if way != self._enter_name:
            self.hands.click(*self._place)
        way()
        self._again = way

    def revise_value(self) -> None:
        """Change a part of the formula, the cell's name, or the size."""
        if self._again is None:
            self.enter_value()
            return
        self._begin()
        if self._again == self._enter_formula:
            self.hands.click(*self._place, count=self.rng.choice((1, 2)))
            if self.user.chance(0.7) and self._end:
                self._change_formula()
                return
        elif self._again == self._enter_size:
            self.hands.click(*self._place)
        self._again()

    def _enter_formula(self) -> None:
        first = self.rng.randint(2, 20)
        self._end = first + self.rng.randint(2, 30)
        column = self.rng.choice("BCDEFG")
        formula = f"={self.rng.choice(_FUNCTIONS)}({column}{first}:{column}{self._end})\n"
        self.hands.text(formula, rate=max(self.user.rate, 4.0))
        self.hands.wait(self.hands.about(0.3))

    def _change_formula(self) -> None:
        """Open the cell again and give the range another end."""
        self.hands.chord("F2")
        self.hands.repeat("BackSpace", len(str(self._end)) + 1, gap_s=0.08)
        self._end += self.rng.randint(1, 40)
        self.hands.text(f"{self._end})\n", rate=self.user.rate)
        self.hands.wait(self.hands.about(0.3))

    def _enter_name(self) -> None:
        self._row = self.rng.randint(2, self._rows - _ROWS_A_PAGE)
        self.enter_into(_NAME_BOX, f"{self.rng.choice('ABCDEF')}{self._row}")

    def _enter_size(self) -> None:
        self.enter_into(_SIZE_BOX, f"{self.rng.randint(6, 22)}")

    def drag(self) -> None:
        """Select cells by dragging over them, or drag at the columns' heads: an edge changes a width."""
        self._begin()
        if self.user.chance(0.75):
            start = self._filled()
            self.hands.drag(start, self._near(start))
        else:
            x, y = self.at((40 + 82 * self.rng.randint(len(MONTHS) + 1, 11), _HEADER_Y))
            self.hands.drag((x, y), (x + self.rng.choice((-30, 30, 45, 60)), y))
        self.hands.wait(self.hands.about(0.3))
