"""Work in LibreOffice Calc: filling a sheet fluently, and five ways of getting stuck in it.

Places are relative to the maximised window's top left corner, as version 7 draws them at 96 dpi with the GTK 3 look.
The program completes what is typed from the column above, so no label begins like another one.
"""

from collections.abc import Sequence

from demo.user import DemoUser, Task
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.sample_text import figure, labels
from demo.virtual_desktop.windows import poll
from demo.work import ScriptedWork
from storage.clock import SystemClock
from storage.records import Box

_MENUS = {"Edit": 59, "View": 103, "Insert": 154, "Format": 212, "Styles": 270, "Sheet": 324, "Data": 375}
_INSERT_DATE = 411
_FIRST_CELL = (82, 171)
_CELL = (82, 17)
_FORMAT_DIALOG = "Format Cells"
_SAVE_DIALOG = "Save"
_FORMAT_TABS = ((0.14, 0.048), (0.35, 0.048), (0.58, 0.048), (0.18, 0.113), (0.48, 0.113), (0.8, 0.113))
_FORMAT_PERCENT = (0.07, 0.334)
_FORMAT_OK = (0.92, 0.962)
_DEAD = {"grey merge button": (814, 83), "empty status bar": (440, 1017), "grey split button": (880, 83)}
_FIRST_EMPTY_COLUMN = 5


class CalcWork(ScriptedWork):
    """A small household or club budget."""

    app = "calc"
    menus = _MENUS
    searched_menus = tuple(_MENUS)
    first_menus = first_rows = 4
    stays_in_menu = False

    def __init__(self, user: DemoUser) -> None:
        """Let `user` do it; which cells, values and places they get stuck at is chosen once."""
        super().__init__(user)
        self._labels = labels(self._rng)
        self._row = 0
        self._saved = False
        self._percents: set[tuple[int, int]] = set()
        self._dead = self._rng.choice(sorted(_DEAD))
        self._toggle = self._rng.choice(("value", "bold", "percent"))
        self._values = self._rng.sample(("0.15", "15%", "15", "0,15", "150"), 2)
        self._filled_cell = (self._rng.randint(1, 3), 1)
        self._empty_cell = (self._rng.randint(5, 8), self._rng.randint(3, 12))

    def open(self, desktop: VirtualDesktop) -> None:
        """Start Calc with an empty sheet and wait until a key reaches it."""
        desktop.spawn(["soffice", "--calc", "--norestore", "--nologo", "--nofirststartwizard"], "calc")
        window = desktop.windows.wait(title="LibreOffice Calc", timeout_s=120)
        self._box = window.box
        poll(lambda: desktop.windows.is_active(window), what="activating Calc")
        SystemClock().sleep_s(2.0)  # its toolbars are laid out after the window is there; nothing announces the end
        self._box = desktop.windows.wait(title="LibreOffice Calc").box

    def begin(self) -> None:
        """Write the heading and a first row."""
        self._hands.click(*self._cell(0, 0))
        self._user.write("Item\tFirst\tSecond\tThird\n")
        self._row = 1
        self._write_row()

    def tasks(self) -> Sequence[Task]:
        """Return rows, sums, corrections, saving, formats: what fills an ordinary minute."""
        return (
            Task("rows", self._write_rows, 4.0),
            Task("sum", self._write_sum, 1.2),
            Task("save", self._save, 0.8),
            Task("copy", self._copy_cells, 0.8),
            Task("bold", self._make_bold, 0.5),
            Task("correct a value", self._correct_value, 0.7, hard_negative=True),
            Task("single undo", self._undo_once, 0.4, hard_negative=True),
            Task("read over", self._read_over, 0.6, hard_negative=True),
            Task("menu", self._insert_date, 0.5, hard_negative=True),
            Task("dialog", self._format_percent, 0.5, hard_negative=True),
        )

    def recover(self) -> None:
        """Close what is open and write one more row."""
        self._user.close_menus()
        if self._user.windows.find(title=_FORMAT_DIALOG) is not None:
            self._user.close_dialog(_FORMAT_DIALOG)
        self._hands.chord("Escape")
        self._write_row()

    def _write_rows(self) -> None:
        for _ in range(self._rng.randint(1, 3)):
            self._write_row()

    def _write_row(self) -> None:
        self._hands.click(*self._cell(0, self._row))
        label = self._labels[self._row % len(self._labels)]
        self._user.write(label)
        self._hands.text("".join(f"\t{figure(self._rng)}" for _ in range(3)) + "\n", rate=self._user.rate)
        self._row += 1

    def _write_sum(self) -> None:
        self._hands.click(*self._cell(4, self._row - 1))
        self._hands.text(f"=SUM(B{self._row}:D{self._row})\n", rate=self._user.rate)

    def _save(self) -> None:
        self._hands.chord("ctrl+s")
        if not self._saved:
            self._user.wait_dialog(_SAVE_DIALOG)
            self._hands.chord("ctrl+a")
            self._user.write("budget")
            self._hands.chord("Return")
            self._user.wait_title_gone(_SAVE_DIALOG)
            self._saved = True

    def _copy_cells(self) -> None:
        row = self._rng.randint(1, self._row - 1)
        self._hands.drag(self._cell(1, row), self._cell(3, row))
        self._hands.chord("ctrl+c")
        self._hands.click(*self._cell(9, row))
        self._hands.chord("ctrl+v")
        self._hands.chord("Escape")

    def _make_bold(self) -> None:
        self._hands.click(*self._cell(0, self._rng.randint(0, self._row)))
        self._hands.chord("ctrl+b")

    def _correct_value(self) -> None:
        self._hands.click(*self._cell(self._rng.randint(1, 3), self._rng.randint(1, self._row - 1)))
        self._user.read(0.8, 1.6)
        self._hands.text(f"{figure(self._rng)}\n", rate=self._user.rate)

    def _undo_once(self) -> None:
        self._hands.click(*self._cell(_FIRST_EMPTY_COLUMN, self._row))
        self._hands.text(f"{figure(self._rng)}\n", rate=self._user.rate)
        self._user.read(0.8, 1.6)
        self._hands.repeat("ctrl+z", 1)

    def _read_over(self) -> None:
        self._hands.move(*self._cell(self._rng.randint(2, 6), self._rng.randint(4, 14)))
        self._hands.scroll(-self._rng.randint(2, 4))
        self._user.read(4.0, 9.0)
        self._hands.scroll(8)

    def _insert_date(self) -> None:
        self._hands.click(*self._cell(_FIRST_EMPTY_COLUMN, self._row + 1))
        menu = self._open("Insert")
        self._hands.click(menu.box.x + 90, menu.box.y + _INSERT_DATE)
        self._hands.chord("Return")

    def _format_percent(self) -> None:
        """Show a figure as a percentage: another one each time, so that it shows."""
        plain = [
            (column, row) for row in range(1, self._row) for column in (1, 2, 3) if (column, row) not in self._percents
        ]
        if not plain:
            self._write_row()
            plain = [(column, self._row - 1) for column in (1, 2, 3)]
        cell = self._rng.choice(plain)
        self._percents.add(cell)
        self._hands.click(*self._cell(*cell))
        self._hands.chord("ctrl+1")
        dialog = self._user.wait_dialog(_FORMAT_DIALOG)
        self._hands.click(*_inside(dialog.box, _FORMAT_PERCENT))
        self._user.read(0.8, 1.5)
        self._hands.click(*_inside(dialog.box, _FORMAT_OK))
        self._user.wait_title_gone(_FORMAT_DIALOG)

    def _try_undo(self) -> None:
        """Enter a figure, find the sheet wrong, take back that and more."""
        self._hands.click(*self._cell(*self._empty_cell))
        for _ in range(self._rng.randint(1, 3)):
            self._hands.text(f"{figure(self._rng)}\n", rate=self._user.rate)
        self._undo_too_much()

    def _try_dialog(self) -> None:
        """Open the same dialog, look through its pages, leave it without having done anything."""
        self._hands.chord("ctrl+1")
        dialog = self._user.wait_dialog(_FORMAT_DIALOG)
        for _ in range(self._rng.randint(1, 3)):
            self._hands.click(*_inside(dialog.box, self._rng.choice(_FORMAT_TABS)))
            self._hands.wait(self._rng.uniform(0.4, 1.0))
        self._user.close_dialog(_FORMAT_DIALOG)

    def _try_clicks(self) -> None:
        """Click, and click again, on something that does not respond."""
        x, y = self._at(*_DEAD[self._dead])
        for _ in range(self._rng.randint(3, 6)):
            self._hands.click(x + self._rng.randint(-4, 4), y + self._rng.randint(-3, 3))
            self._hands.wait(self._rng.uniform(0.25, 0.7))

    def _try_toggle(self) -> None:
        """Change one cell to and fro."""
        self._hands.click(*self._cell(*self._filled_cell))
        for _ in range(2):
            if self._toggle == "value":
                self._values.reverse()
                self._hands.text(f"{self._values[0]}\n", rate=self._user.rate)
                self._hands.chord("Up")
            else:
                self._hands.chord("ctrl+b" if self._toggle == "bold" else "ctrl+shift+5")
            self._hands.wait(self._rng.uniform(0.5, 0.9))

    def _cell(self, column: int, row: int) -> tuple[int, int]:
        return self._at(_FIRST_CELL[0] + _CELL[0] * column, _FIRST_CELL[1] + _CELL[1] * row)


def _inside(box: Box, part: tuple[float, float]) -> tuple[int, int]:
    return box.x + int(part[0] * box.w), box.y + int(part[1] * box.h)
