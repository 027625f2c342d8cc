"""Chromium, at work in a small web application: a form with records, notes, a table with sums.

The application is a local file, the profile one of its own; half the time there are tabs and a tool bar around it. Its
menus are part of the page or drop-down lists (windows of the browser), so a menu does not open by going there from
another one. Undo is the page's own. The page's corner on the screen is looked up by the colour of its header.
"""

from collections.abc import Callable, Sequence

from demo.virtual_desktop.browser import page_corner, start_browser, wait_browser
from demo.virtual_desktop.desktop import PACKAGES, VirtualDesktop
from demo.virtual_desktop.pixels import differing_pixels, grab_pixels
from demo.virtual_desktop.sample_text import sentence
from demo.virtual_desktop.windows import poll
from lab.simulation.program import Point
from lab.simulation.programs.main_window import MainWindow
from lab.simulation.programs.text_editing import TextEditing
from lab.simulation.scenery.workbook import DIALOG, FOOT, write_workbook
from lab.simulation.simulated_user import SimulatedUser
from storage.records import Box

_FRAME = 6
_SCROLL_BAR = 24
_STRIP = 140
_MARKED = 100
_MENU_EDGE = b"\x2b\x8a\xc9\0"


_NAMES = ("Garden", "Hall", "Library", "Choir", "Bakery", "Market", "Path", "School")
_SPIN = 43
"""From the middle of the amount's field to its arrows."""


_TURNED = 400


class Chromium(TextEditing):
    """A web application for lists, sums and notes."""

    name = "chromium"
    packages = PACKAGES["chromium"]

    def __init__(self, user: SimulatedUser) -> None:
        """Let `user` operate it; what they look at and enter is chosen once."""
        super().__init__(user)
        self._value_field = self._rng.choice(("amount", "rate", "filter", "weight"))
        self._value = ""
        self._slid = 0.0
        self._pane = self._rng.choice(("notes", "table"))
        self._bare = user.chance(0.5)
        self._is_larger = False
        self._found: tuple[Box, Point] | None = None

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it with the application, at a size and place of the seed's choice."""
        book = self._book = write_workbook(desktop.directory / "home" / "workbook.html", self._rng)
        w, h = self._rng.randint(1180, 1500), self._rng.randint(780, 960)
        box = Box(self._rng.randint(10, 1900 - w), self._rng.randint(30, 1040 - h), w, h)
        process = start_browser(desktop, book.path.as_uri(), "workbook-profile", box, bare=self._bare)
        window = wait_browser(desktop, process, book.header)
        if self._user.chance(0.3):
            desktop.windows.maximise(window)
        self._desktop = desktop
        self._main = MainWindow(self._user, desktop, window)
        poll(self._main.is_front, what="activating Chromium")
        self._hands.wait(1.0)  # tool bars and the larger page are laid out after the window is there
        self._hands.click(*self._in_notes())

    def settle(self) -> None:
        """Close lists, menus and dialogs, come to the front; some click into the notes."""
        met = self._come_back()
        for _ in range(3):
            if not (self._dialog_is_open() or self._menu_is_open()):
                break
            self._hands.chord("Escape")
            self._hands.wait(0.3)
            met = True
        if met or self._user.chance(0.3):
            self._hands.click(*self._in_notes())

    def _at(self, *places: Point) -> list[Point]:
        """Return the desktop's points for those of the page; raises LookupError while the page is covered."""
        x, y = self._corner()
        return [(x + right, y + down) for right, down in places]

    def _page_box(self) -> Box:
        """Return where the page is on the desktop."""
        (x, y), box = self._corner(), self._main.box
        return Box(x, y, box.x + box.w - x, box.y + box.h - y - (_FRAME if y != box.y else 0))

    def _pane_box(self, name: str) -> Box:
        """Return where a pane is on the desktop: notes, table (its rows only) or form."""
        page, pane = (
            self._page_box(),
            {"notes": self._book.notes, "table": self._book.table, "form": self._book.form}[name],
        )
        top, foot = (44, 38) if name == "table" else (4, 4)
        y = pane.y + top
        return Box(page.x + pane.x + 4, page.y + y, pane.w - _SCROLL_BAR, page.h - FOOT - y - foot)

    def _in_notes(self, reach: int = 150) -> Point:
        """Return a place in the first part of a line of the notes, as far as `reach`."""
        box = self._pane_box("notes")
        return box.x + self._rng.randint(10, reach), box.y + self._rng.randint(10, box.h - 20)

    def _cell(self) -> Point:
        """Return one of the figures in the table."""
        box = self._pane_box("table")
        across = self._rng.choice((0.4, 0.66))
        return box.x + int(across * self._book.table.w) - 4, box.y + self._rng.randint(6, box.h - 12)

    def _shown(self, name: str) -> bytes:
        """Return what a strip of a pane shows."""
        box = self._pane_box(name)
        return grab_pixels(self._desktop.display, Box(box.x + 10, box.y, _STRIP, box.h))

    def _into(self, name: str) -> None:
        """Move the pointer into a pane unless it is there."""
        box = self._pane_box(name)
        self._move_into(box, 20, box.w - 20)

    def _press(self, tool: str) -> None:
        """Click on a button of the tool bar."""
        self._tap(self._book.tools[tool], reach=12)

    def _tap(self, place: Point, *, reach: int = 3) -> None:
        """Click on a place of the page, or close to it."""
        ((x, y),) = self._at(place)
        self._hands.click(x + self._rng.randint(-reach, reach), y + self._rng.randint(-3, 3))

    def _choose(self, menu: str, name: str) -> None:
        """Choose an entry from a menu of the page."""
        self._tap(self._book.menus[menu])
        self._hands.wait(self._hands.about(0.5))
        self._tap(self._book.entry(menu, name), reach=8)

    def _do(self, keys: str, tool: str, entry: tuple[str, str] | None = None) -> None:
        """Give a command by key, button or menu, as this user prefers."""
        if keys and self._user.by_key():
            self._hands.chord(keys)
        elif entry is not None and not self._book.lists and self._user.chance(0.4):
            self._choose(*entry)
        else:
            self._press(tool)

    def _menu_is_open(self) -> bool:
        """Return whether a menu of the page is open, by the line at its top."""
        x, y = self._corner()
        edge = grab_pixels(self._desktop.display, Box(x + 10, y + 47, 420, 1))
        return any(edge[at : at + 3] == _MENU_EDGE[:3] for at in range(0, len(edge), 4))

    def _fill(self, field: str, words: str) -> None:
        """Replace what a field holds."""
        ((x, y),) = self._at(self._book.picking[field])
        self._hands.click(x, y, count=2)
        self._hands.chord("ctrl+a")
        self._user.write(words)

    def _mark(self) -> Point:
        """Mark a word of the notes; a third click in a row would mark the whole line."""
        return self._mark_word(self._in_notes, (120, 60, 40, 40, 40), width=160, rest_s=0.6, least=_MARKED)

    def _number(self) -> str:
        """Return a number of two or three digits."""
        return str(self._rng.randint(11, 990))

    def _corner(self) -> Point:
        """Return where the page begins; looked for again only when the window has moved or changed its size."""
        box = self._main.box
        for _ in range(10):
            if self._found is not None and self._found[0] == box:
                return self._found[1]
            corner = page_corner(self._desktop, box, self._book.header)
            if corner is None:
                self._hands.wait(0.1)
                box = self._main.box
            else:
                self._found = (box, corner)
        raise LookupError("the page is covered")

    def compose(self) -> None:
        """Write a line of notes, fill in some cells, or add an entry."""
        kind = self._rng.choice(("notes", "notes", "cells", "entry"))
        if kind == "notes":
            self._hands.click(*self._in_notes())
            self._hands.chord("ctrl+End" if self._user.chance(0.3) else "End")
            self._hands.chord("Return")
            self._write_for(self._rng.uniform(2.0, 5.0), sentence(self._rng))
        elif kind == "cells":
            self._hands.click(*self._cell())
            for keys in self._rng.choice((("Tab", "Tab", "Return"), ("Return", "Return", "Return"))):
                self._hands.text(self._number(), rate=self._user.rate)
                self._hands.chord(keys)
        else:
            self._fill("name", self._rng.choice(_NAMES))
            self._hands.chord("Tab")
            self._hands.text(self._rng.choice(_NAMES)[:4], rate=self._user.rate)
            self._tap(self._book.picking["add"])

    def adjust(self) -> None:
        """Replace a word, correct a figure, choose another category."""
        kind = self._rng.choice(("word", "word", "figure", "category"))
        if kind == "word":
            self._mark()
            self._user.think(0.4)
            self._user.write(self._short_word())
        elif kind == "figure":
            self._hands.click(*self._cell())
            self._user.think(0.4)
            self._hands.text(self._number(), rate=self._user.rate)
            self._hands.chord("Return")
        else:
            self._tap(self._book.picking["category"])
            self._hands.wait(0.4)
            self._hands.repeat(self._rng.choice(("Down", "Up")), self._rng.randint(1, 3))
            self._hands.chord("Return")
            self._tap(self._book.picking["done"])

    def expert(self) -> None:
        """Copy and move lines of the notes by shortcuts, or fill a column; save."""
        if self._user.chance(0.4):
            self._hands.click(*self._cell())
            for _ in range(self._rng.randint(3, 5)):
                self._hands.text(self._number(), rate=max(6.0, self._user.rate))
                self._hands.chord("Return")
        else:
            self._hands.click(*self._in_notes())
            self._hands.chord("Home")
            self._hands.repeat("shift+Down", self._rng.randint(1, 2), gap_s=0.05)
            deeds: tuple[Sequence[str], ...] = (
                ("ctrl+c", "Right", "ctrl+v", "ctrl+v"),
                ("ctrl+x", "Down", "Down", "ctrl+v"),
                ("ctrl+c", "Right", "ctrl+v", "ctrl+shift+Right", "ctrl+x", "End", "ctrl+v"),
            )
            for keys in self._rng.choice(deeds):
                self._hands.chord(keys)
        self._hands.chord("ctrl+s")

    def repeat_useful(self) -> None:
        """Go through the records, make the letters bigger, count an amount up, or add rows."""
        times = self._user.count(3, 8)
        control = self._rng.choice(("next", "previous", "bigger", "row", "amount"))
        book = self._book
        if control == "amount":
            x, y = book.picking["amount"]
            self._tap((x, y), reach=1)
            self._user.several(times, lambda: self._tap((x + _SPIN, y - 6), reach=1), 0.25)
            return
        self._user.several(times, lambda: self._press(control), 0.3)

    def change(self) -> int:
        """Change something and return how many undos it takes."""
        changes: tuple[Callable[[], int], ...] = (
            self._word,
            self._rewritten,
            self._change_figure,
            self._bold,
            self._bigger,
            self._row,
        )
        steps = self._rng.choice(changes)()
        self._hands.wait(0.2)
        return steps

    def _word(self) -> int:
        self._hands.click(*self._in_notes())
        self._hands.chord("End")
        self._hands.text(f" {self._short_word()}", rate=self._user.rate)
        return 2

    def _rewritten(self) -> int:
        self._mark()
        self._hands.text(self._short_word(), rate=self._user.rate)
        return 1

    def _change_figure(self) -> int:
        self._hands.click(*self._cell())
        self._hands.wait(0.2)
        self._hands.text(self._number(), rate=self._user.rate)
        self._hands.chord("Return")
        return 1

    def _bold(self) -> int:
        self._do("ctrl+b", "bold", ("Edit", "Bold"))
        return 1

    def _bigger(self) -> int:
        self._do("", "bigger", ("Edit", "Bigger"))
        return 1

    def _row(self) -> int:
        self._do("", "row", ("Insert", "Row"))
        return 1

    def save(self) -> None:
        """Save, by key, button or menu; the page counts how often."""
        self._do("ctrl+s", "save", ("File", "Save"))

    def page(self, direction: int) -> None:
        """Turn the wheel over table or notes, or press a page key in the notes; turn round at the end."""
        if self._user.chance(0.2):
            self._pane = "table" if self._pane == "notes" else "notes"
        by_key = self._pane == "notes" and self._user.by_key()
        before = self._shown(self._pane)
        if by_key:
            self._hands.click(*self._in_notes())
        else:
            self._into(self._pane)
        for way in (direction, -direction):
            if by_key:
                self._hands.chord("Next" if way > 0 else "Prior")
            else:
                self._hands.scroll(-way * self._rng.randint(2, 4))
            self._hands.wait(0.2)
            if differing_pixels(self._shown(self._pane), before) > _TURNED:
                return

    def toggle(self, *, anew: bool) -> None:
        """Make the page larger, or as large as it was."""
        self._is_larger = anew or not self._is_larger
        self._hands.chord("ctrl+plus" if self._is_larger else "ctrl+0")

    def overview(self) -> None:
        """Look at the summary, another theme, or the page in another size, for a moment or for good."""
        kind = self._rng.choice(("summary", "summary", "theme", "zoom"))
        if kind == "zoom":
            self._hands.chord(self._rng.choice(("ctrl+minus", "ctrl+plus")))
            self._hands.wait(self._rng.uniform(0.9, 1.8))
            self._hands.chord("ctrl+0")
        elif kind == "theme" and not self._book.lists:
            self._choose("View", "Theme")
        else:
            self._press("summary")
            self._hands.wait(self._rng.uniform(0.9, 1.8))
            self._press("summary")
        self._hands.wait(0.3)

    def content_points(self) -> Sequence[Point]:
        """Return cells, lines and fields, three of each."""
        points = [self._cell() for _ in range(3)] + [self._in_notes() for _ in range(3)]
        return points + self._at(*(self._book.picking[name] for name in ("name", "remark", "category")))

    def tool_points(self) -> Sequence[Point]:
        """Return the buttons that work."""
        return self._at(*self._book.tools.values())

    def menu_points(self) -> Sequence[Point]:
        """Return the menus' titles, or the drop-down lists."""
        return self._at(*self._book.menus.values())

    def has_menu_windows(self) -> bool:
        """They are not, or not such that one opens from another."""
        return False

    def dead_points(self) -> Sequence[Point]:
        """Return the two grey buttons, empty places of the header and the foot, and a label of the form."""
        book, box = self._book, self._page_box()
        header = (box.x + int(0.7 * box.w), box.y + 23)
        foot = (box.x + int(0.3 * box.w), box.y + box.h - 18)
        return [*self._at(*book.grey, (book.form.x + 40, 164)), header, foot]

    def undo(self, times: int) -> None:
        """Take back by key; some use the button."""
        self._step(times, "ctrl+z", "undo")

    def redo(self, times: int) -> None:
        """Do again, likewise."""
        self._step(times, "ctrl+y", "redo")

    def enter_value(self) -> None:
        """Enter an amount, a rate or a word to find; sums and rows answer."""
        self._value = self._new_value()
        if self._value_field == "weight":
            self._slide()
            return
        self._fill(self._value_field, self._value)
        self._hands.chord("Return")

    def revise_value(self) -> None:
        """Go back there and change the last letter or digit."""
        if not self._value or self._value_field == "weight":
            self.enter_value()
            return
        ((x, y),) = self._at(self._book.picking[self._value_field])
        self._hands.click(x, y)
        self._hands.chord("End")
        self._hands.chord("BackSpace")
        letters = "123456789" if self._value.isdigit() else "aeio"
        last = self._rng.choice([letter for letter in letters if letter != self._value[-1]])
        self._value = self._value[:-1] + last
        self._hands.text(last, rate=self._user.rate)
        self._hands.chord("Return")

    def drag(self) -> None:
        """Mark some of the notes, or move the slider."""
        if self._user.chance(0.3):
            self._slide()
            return
        (x, y), box = self._in_notes(), self._pane_box("notes")
        down = self._rng.choice((0, 22, 44, 88))
        end = min(x + self._rng.randint(60, 200), box.x + box.w - 10)
        self._hands.drag((x, y), (end, y + down if y + down < box.y + box.h else y - down))

    def open_dialog(self) -> None:
        """Open the settings by button or menu."""
        self._do("", "settings", ("File", "Settings"))
        self._user.wait_dialog(DIALOG)

    def use_dialog(self) -> None:
        """Fill in a field, set a mark, or look at another tab."""
        if not self._dialog_is_open():
            raise LookupError("the dialog is not open")
        book = self._book
        kind = self._rng.choice((book.fields, book.marks, book.tabs))
        self._tap(self._rng.choice(kind))
        if kind == book.fields:
            self._hands.chord("ctrl+a")
            self._hands.text(self._rng.choice(_NAMES)[:5], rate=self._user.rate)
        self._user.think(0.5)

    def leave_dialog(self, *, apply: bool) -> None:
        """Press the button, or Enter or Escape."""
        if self._user.by_key():
            self._hands.chord("Return" if apply else "Escape")
        else:
            self._tap(self._book.ok if apply else self._book.cancel, reach=10)
        self._user.wait_title_gone(DIALOG)

    def _dialog_is_open(self) -> bool:
        return DIALOG in self._main.now().title

    def _new_value(self) -> str:
        if self._value_field == "filter":
            return self._rng.choice(("in", "pa", "wa", "bo", "ke", "ho", "ve", "la", "i", "o"))
        return self._number()

    def _slide(self) -> None:
        (x, y), (end, _) = self._at(*(self._book.picking[name] for name in ("weight", "weight end")))
        start = self._rng.randint(x + 10, end - 10)
        self._slid = self._rng.choice([part for part in (0.1, 0.4, 0.6, 0.9) if part != self._slid])
        self._hands.drag((start, y), (x + int(self._slid * (end - x)), y))

    def _step(self, times: int, keys: str, tool: str) -> None:
        if self._user.by_key() or self._user.chance(0.4):
            self._hands.repeat(keys, times)
            return
        self._user.several(times, lambda: self._press(tool), 0.25)
