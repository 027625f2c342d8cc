"""Write and format text in LibreOffice Writer: paragraphs, words, styles, searches.

Pages stand in the middle of the window and are full of text, so that a place around the middle is nearly always on a
word. The far left of a page is left alone: at the top margin a click there inserts a header.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from evaluation.simulation.actor import Actor
from evaluation.simulation.program import Point
from evaluation.simulation.programs.office.common import Office
from evaluation.simulation.programs.office.files import File, write_text
from evaluation.simulation.programs.writer.places import DIALOGS, FAST, KEYED_MENUS, MENUS, TOOLS
from evaluation.stage.prose import item

_TOOLS_END, _FORMATS_END = 1290, 1430
_SIZE_BOX = (508, 83)
_PANELS = (167, 209, 253, 296, 339)
_COMMON = ("the", "some", "needs", "garden", "chairs", "choir", "summer", "small", "more", "water")


class Writer(Office):
    """A text of several pages."""

    name = "writer"
    packages = "libreoffice-writer libreoffice-gtk3 fonts-dejavu-core"
    menus = MENUS
    keyed_menus = KEYED_MENUS
    tools = TOOLS
    dialogs = DIALOGS

    def __init__(self, actor: Actor) -> None:
        """Let `actor` write; which dialog is looked through is drawn once."""
        super().__init__(actor)
        self._place: Point = (0, 0)
        self._value: Callable[[], None] | None = None

    def write_document(self, folder: Path) -> File:
        """Write a text to work on."""
        return write_text(folder, self.rng)

    # ------------------------------------------------------------------ places

    def content_points(self) -> Sequence[Point]:
        """Return places around the middle of the page."""
        return [self._text_point() for _ in range(10)]

    def dead_points(self) -> Sequence[Point]:
        """Return places that do not respond: what is empty in the menu bar, the tool bars and beside the panels."""
        width, height = self.box.w, self.box.h
        points = [(self.rng.randint(600, width - 80), 12), (-28, self.rng.randint(470, height - 90))]
        if width > _TOOLS_END + 100:
            points.append((self.rng.randint(_TOOLS_END, width - 40), 44))
        if width > _FORMATS_END + 100:
            points.append((self.rng.randint(_FORMATS_END, width - 40), 83))
        return [self.at(point) for point in points]

    def _text_point(self) -> Point:
        middle = (self.box.w - 76) // 2
        return self.at((middle + self.rng.randint(-140, 140), self.rng.randint(240, self.box.h - 110)))

    def _select_word(self) -> None:
        """Double-click on a word in sight."""
        self.leave_search()
        self.at_caret = False
        self._place = self._text_point()
        self.hands.click(*self._place, count=2)
        self.hands.wait(self.hands.about(0.2))

    # ------------------------------------------------------------------ work

    def compose(self) -> None:
        """Write on, or begin to write at the end of the text or of a line in sight."""
        self.leave_search()
        if not self.at_caret:
            if self.actor.chance(0.4):
                self.hands.chord("ctrl+End")
                if self.actor.chance(0.6):
                    self.hands.chord("Return")
            else:
                self.hands.click(*self._text_point())
                self.hands.chord("End")
                self.hands.text(" ", rate=self.actor.rate)
        self.actor.write(self.words(self.rng.uniform(2.5, 5.0)))
        self.at_caret = True

    def adjust(self) -> None:
        """Replace a word, or give a word, line or paragraph another look."""
        self._select_word()
        self.hands.wait(self.hands.about(0.5))
        if self.actor.chance(0.5):
            self.actor.write(self.rng.choice(item(self.rng).split()))
        else:
            self.rng.choice(self._looks())()

    def expert(self) -> None:
        """Select, copy, paste, format and move by keys alone, without stopping to think."""
        self.leave_search()
        self.at_caret = False
        if self.actor.chance(0.6):
            self.hands.click(*self._text_point())
        for chords in self.rng.sample(FAST, self.rng.randint(2, 3)):
            self.press(chords)

    def repeat_useful(self) -> None:
        """Click again and again on zoom, on "find next", on bullets, or on a wider indent."""
        self.at_caret = False
        times = self.rng.randint(3, 7)
        way = self.rng.choice(("zoom", "find", "find", "indent"))
        if way == "zoom":
            self.leave_search()
            self.zoom(self.rng.choice((-1, 1)) * min(times, 4))
        elif way == "indent" and self.tools["indent"][0] < self.box.w - 60:
            self.leave_search()
            self.hands.click(*self._text_point())
            for _ in range(times):
                self.tool("indent")
                self.hands.wait(self.hands.about(0.3))
        else:
            self.search(self.rng.choice(_COMMON[:5]))
            self.search_on(times)

    def _looks(self) -> Sequence[Callable[[], None]]:
        """Return ways to change how a selected word looks, each one step to undo."""
        return [
            lambda: self.by_key_or_tool("ctrl+b", "bold"),
            lambda: self.by_key_or_tool("ctrl+i", "italic"),
            lambda: self.by_key_or_tool("ctrl+u", "underline"),
            lambda: self.tool("strike"),
            lambda: self.tool("colour"),
            lambda: self.tool("highlight"),
            lambda: self.by_key_or_tool("ctrl+shift+p", "super"),
            lambda: self.by_key_or_tool("ctrl+e", "centre"),
            lambda: self.by_key_or_tool("ctrl+r", "right"),
            lambda: self.by_key_or_tool("shift+F12", "bullets"),
            lambda: self.hands.chord(self.rng.choice(("ctrl+1", "ctrl+2", "ctrl+3"))),
        ]

    # ------------------------------------------------------------------ looking

    def overview(self) -> None:
        """Zoom, show or hide the formatting marks, or have a look at a panel of the side bar."""
        self.at_caret = False
        way = self.rng.choice(("zoom", "zoom", "marks", "panel"))
        if way == "zoom":
            self.zoom(self.rng.choice((-2, -1, 1, 2)))
        elif way == "marks":
            self.by_key_or_tool("ctrl+F10", "marks")
        else:
            self.peek(_PANELS)
        self.hands.wait(self.hands.about(0.4))

    # ------------------------------------------------------------------ trying

    def toggle(self, *, anew: bool) -> None:
        """Make a word bold, or no longer."""
        if anew:
            self._select_word()
        self.hands.chord("ctrl+b")

    def change(self) -> int:
        """Give a word another look, cut it, or put a new one in its place; return how many undos that takes."""
        for _ in range(3):
            self._select_word()
            before = self.view()
            if self.actor.chance(0.25):
                self.by_key_or_tool("ctrl+x", "cut")
            else:
                self.rng.choice(self._looks())()
            if self.has_changed(before):
                return 1
        raise LookupError("nothing changed")

    def enter_value(self) -> None:
        """Give a word a size in points, or search for a word."""
        self.at_caret = False
        if self.actor.chance(0.5):
            self._value = self._enter_size
            self._select_word()
            self._enter_size()
        else:
            self._value = self._change_search
            self.search(self.rng.choice(_COMMON))

    def revise_value(self) -> None:
        """Change the size again, or the word that is searched for."""
        if self._value is None:
            self.enter_value()
        elif self._value == self._change_search:
            self._change_search()
        else:
            self.leave_search()
            self.hands.click(*self._place, count=2)
            self._enter_size()

    def _enter_size(self) -> None:
        self.enter_into(_SIZE_BOX, f"{self.rng.randint(7, 30)}")

    def _change_search(self) -> None:
        self.search(self.rng.choice(_COMMON))

    def drag(self) -> None:
        """Select some lines by dragging over them."""
        self.leave_search()
        self.at_caret = False
        x, y = self._text_point()
        down = self.rng.choice((-1, 1)) * self.rng.randint(25, 120)
        bottom = self.box.y + self.box.h - 110
        self.hands.drag((x, y), (x + self.rng.randint(-120, 120), min(max(y + down, self.box.y + 200), bottom)))
