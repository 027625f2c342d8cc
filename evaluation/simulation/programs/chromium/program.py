"""Chromium, at work in a small web application: a form with records, notes, a table with sums.

The application is a local file, the profile one of its own; half the time there are tabs and a tool bar around it. Its
menus are part of the page or drop-down lists, so a menu does not open by going there from another one. Undo is the
page's own.
"""

from collections.abc import Sequence

from evaluation.simulation.actor import Actor
from evaluation.simulation.program import Point
from evaluation.simulation.programs.chromium.page import WorkbookHands
from evaluation.simulation.programs.chromium.work import WorkbookWork
from evaluation.simulation.scenery.browser import start_browser, wait_browser
from evaluation.simulation.scenery.screen import differing
from evaluation.simulation.scenery.workbook import DIALOG, write_workbook
from evaluation.stage.desktop import PACKAGES, VirtualDesktop
from evaluation.stage.windows import poll
from storage.records import Box

_TURNED = 400
_NAMES = ("Garden", "Hall", "Library", "Choir", "Bakery", "Market", "Path", "School")


class Chromium:
    """A web application for lists, sums and notes."""

    name = "chromium"
    packages = PACKAGES["chromium"]

    def __init__(self, actor: Actor) -> None:
        """Let `actor` work in it; what they look at and enter is chosen once."""
        self._actor, self._hands, self._rng = actor, actor.hands, actor.rng
        self._value_field = self._rng.choice(("amount", "rate", "filter", "weight"))
        self._value = ""
        self._slid = 0.0
        self._pane = self._rng.choice(("notes", "table"))
        self._bare = actor.chance(0.5)
        self._is_larger = False

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it with the application, at a size and place of the seed's choice."""
        book = write_workbook(desktop.directory / "home" / "workbook.html", self._rng)
        w, h = self._rng.randint(1180, 1500), self._rng.randint(780, 960)
        box = Box(self._rng.randint(10, 1900 - w), self._rng.randint(30, 1040 - h), w, h)
        process = start_browser(desktop, book.path, "workbook-profile", box, bare=self._bare)
        window = wait_browser(desktop, process, book.header)
        if self._actor.chance(0.3):
            desktop.windows.maximise(window)
        self._page = WorkbookHands(self._actor, desktop, window, book)
        self._work = WorkbookWork(self._actor, self._page)
        poll(self._page.main.is_front, what="activating Chromium")
        self._hands.wait(1.0)  # tool bars and the larger page are laid out after the window is there
        self._hands.click(*self._page.in_notes())

    def settle(self) -> None:
        """Close lists, menus and dialogs, come to the front; some click into the notes."""
        self._actor.close_menus()
        met = self._page.main.leave_others()
        if not self._page.main.is_front():
            self._page.main.come_to_front()
            met = True
        for _ in range(3):
            if not (self._dialog_is_open() or self._page.menu_is_open()):
                break
            self._hands.chord("Escape")
            self._hands.wait(0.3)
            met = True
        if met or self._actor.chance(0.3):
            self._hands.click(*self._page.in_notes())

    # ------------------------------------------------------------------ work that succeeds

    def compose(self) -> None:
        """Write a line of notes, fill in some cells, or add an entry."""
        self._work.compose()

    def adjust(self) -> None:
        """Replace a word, correct a figure, choose another category."""
        self._work.adjust()

    def expert(self) -> None:
        """Copy and move lines of the notes by shortcuts, or fill a column; save."""
        self._work.expert()

    def repeat_useful(self) -> None:
        """Go through the records, make the letters bigger, count an amount up, or add rows."""
        self._work.repeat_useful()

    def save(self) -> None:
        """Save, by key, button or menu; the page tells how often that was done."""
        self._page.do("ctrl+s", "save", ("File", "Save"))

    # ------------------------------------------------------------------ looking

    def page(self, direction: int) -> None:
        """Turn the wheel over table or notes, or press a page key in the notes; turn round at the end."""
        if self._actor.chance(0.2):
            self._pane = "table" if self._pane == "notes" else "notes"
        by_key = self._pane == "notes" and self._actor.by_key()
        before = self._page.shown(self._pane)
        if by_key:
            self._hands.click(*self._page.in_notes())
        else:
            self._page.into(self._pane)
        for way in (direction, -direction):
            if by_key:
                self._hands.chord("Next" if way > 0 else "Prior")
            else:
                self._hands.scroll(-way * self._rng.randint(2, 4))
            self._hands.wait(0.2)
            if differing(self._page.shown(self._pane), before) > _TURNED:
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
        elif kind == "theme" and not self._page.book.lists:
            self._page.choose("View", "Theme")
        else:
            self._page.press("summary")
            self._hands.wait(self._rng.uniform(0.9, 1.8))
            self._page.press("summary")
        self._hands.wait(0.3)

    def content_points(self) -> Sequence[Point]:
        """Return cells, lines and fields, three of each."""
        points = [self._page.cell() for _ in range(3)] + [self._page.in_notes() for _ in range(3)]
        return points + self._page.at(*(self._page.book.picking[name] for name in ("name", "remark", "category")))

    def tool_points(self) -> Sequence[Point]:
        """Return the buttons that work."""
        return self._page.at(*self._page.book.tools.values())

    def menu_points(self) -> Sequence[Point]:
        """Return the menus' titles, or the drop-down lists."""
        return self._page.at(*self._page.book.menus.values())

    def has_menu_windows(self) -> bool:
        """They are not, or not such that one opens from another."""
        return False

    # ------------------------------------------------------------------ trying

    def dead_points(self) -> Sequence[Point]:
        """Return the two grey buttons, empty places of the header and the foot, and a label of the form."""
        book, box = self._page.book, self._page.page_box()
        header = (box.x + int(0.7 * box.w), box.y + 23)
        foot = (box.x + int(0.3 * box.w), box.y + box.h - 18)
        return [*self._page.at(*book.grey, (book.form.x + 40, 164)), header, foot]

    def change(self) -> int:
        """Write or rewrite a word, change a figure, make letters bold or bigger, add a row."""
        return self._work.change()

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
        self._page.fill(self._value_field, self._value)
        self._hands.chord("Return")

    def revise_value(self) -> None:
        """Go back there and change the last letter or digit."""
        if not self._value or self._value_field == "weight":
            self.enter_value()
            return
        ((x, y),) = self._page.at(self._page.book.picking[self._value_field])
        self._hands.click(x, y)
        self._hands.chord("End")
        self._hands.chord("BackSpace")
        letters = "123456789" if self._value.isdigit() else "aeio"
        last = self._rng.choice([letter for letter in letters if letter != self._value[-1]])
        self._value = self._value[:-1] + last
        self._hands.text(last, rate=self._actor.rate)
        self._hands.chord("Return")

    def drag(self) -> None:
        """Mark some of the notes, or move the slider."""
        if self._actor.chance(0.3):
            self._slide()
            return
        (x, y), box = self._page.in_notes(), self._page.pane("notes")
        down = self._rng.choice((0, 22, 44, 88))
        end = min(x + self._rng.randint(60, 200), box.x + box.w - 10)
        self._hands.drag((x, y), (end, y + down if y + down < box.y + box.h else y - down))

    # ------------------------------------------------------------------ the dialog

    def open_dialog(self) -> None:
        """Open the settings by button or menu."""
        self._page.do("", "settings", ("File", "Settings"))
        self._actor.wait_dialog(DIALOG)

    def use_dialog(self) -> None:
        """Fill in a field, set a mark, or look at another tab."""
        if not self._dialog_is_open():
            raise LookupError("the dialog is not open")
        book = self._page.book
        kind = self._rng.choice((book.fields, book.marks, book.tabs))
        self._page.tap(self._rng.choice(kind))
        if kind == book.fields:
            self._hands.chord("ctrl+a")
            self._hands.text(self._rng.choice(_NAMES)[:5], rate=self._actor.rate)
        self._actor.think(0.5)

    def leave_dialog(self, *, apply: bool) -> None:
        """Press the button, or Enter or Escape."""
        if self._actor.by_key():
            self._hands.chord("Return" if apply else "Escape")
        else:
            self._page.tap(self._page.book.ok if apply else self._page.book.cancel, reach=10)
        self._actor.wait_title_gone(DIALOG)

    def _dialog_is_open(self) -> bool:
        return DIALOG in self._page.main.now().title

    # ------------------------------------------------------------------ pieces

    def _new_value(self) -> str:
        if self._value_field == "filter":
            return self._rng.choice(("in", "pa", "wa", "bo", "ke", "ho", "ve", "la", "i", "o"))
        return self._page.figure()

    def _slide(self) -> None:
        (x, y), (end, _) = self._page.at(*(self._page.book.picking[name] for name in ("weight", "weight end")))
        start = self._rng.randint(x + 10, end - 10)
        self._slid = self._rng.choice([part for part in (0.1, 0.4, 0.6, 0.9) if part != self._slid])
        self._hands.drag((start, y), (x + int(self._slid * (end - x)), y))

    def _step(self, times: int, keys: str, tool: str) -> None:
        if self._actor.by_key() or self._actor.chance(0.4):
            self._hands.repeat(keys, times)
            return
        for _ in range(times):
            self._page.press(tool)
            self._hands.wait(self._hands.about(0.25))
