"""LibreOffice Writer with a text of several pages: paragraphs, words, styles, searches.

Pages stand in the middle of the window and are full of text, so that a place around the middle is nearly always on a
word. The far left of a page is left alone: at the top margin a click there inserts a header.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from demo.virtual_desktop.sample_text import item
from lab.simulation.program import Point
from lab.simulation.programs.office import Control, Dialog, Office
from lab.simulation.programs.office_files import File, write_text
from lab.simulation.simulated_user import SimulatedUser

MENUS: Mapping[str, int] = {
    "File": 18, "Edit": 58, "View": 103, "Insert": 154, "Format": 211, "Styles": 270, "Table": 323,
    "Form": 372, "Tools": 422, "Window": 479, "Help": 538,
}  # fmt: skip
KEYED_MENUS: Mapping[str, str] = {
    "File": "f",
    "Edit": "e",
    "View": "v",
    "Insert": "i",
    "Format": "o",
    "Styles": "y",
    "Tools": "t",
}
TOOLS: Mapping[str, Point] = {
    "save": (106, 44), "pdf": (161, 44), "print": (194, 44), "cut": (268, 44), "copy": (300, 44),
    "undo": (424, 44), "redo": (480, 44), "find": (523, 44), "marks": (588, 44), "table": (628, 44),
    "image": (674, 44), "chart": (706, 44), "break": (780, 44), "symbol": (856, 44), "note": (942, 44),
    "bold": (607, 83), "italic": (641, 83), "underline": (672, 83), "strike": (718, 83), "super": (759, 83),
    "clear": (833, 83), "colour": (872, 83), "highlight": (915, 83), "left": (970, 83), "centre": (1003, 83),
    "right": (1036, 83), "justify": (1069, 83), "bullets": (1108, 83), "indent": (1240, 83),
}  # fmt: skip
DIALOGS: Sequence[Dialog] = (
    Dialog(
        title="Character",
        menu="Format",
        entry=139,
        tabs=tuple((x, 27) for x in (44, 129, 225, 314, 417, 513)),
        controls=(*(Control(at=(190, 111 + 23 * row)) for row in range(6)), Control(at=(250, 317), value="number")),
    ),
    Dialog(
        title="Paragraph",
        menu="Format",
        entry=164,
        tabs=tuple((x, 63) for x in (163, 440, 690)),
        controls=(
            *(Control(at=(315, y)) for y in (129, 166, 203, 297, 334)),
            *(Control(at=(39, y)) for y in (234, 365, 459)),
        ),
    ),
    Dialog(
        title="Page Style",
        menu="Format",
        entry=240,
        keys="alt+shift+p",
        tabs=tuple((x, 27) for x in (60, 139, 202, 291, 390, 466, 543, 629, 718)),
    ),
    Dialog(
        title="Columns",
        menu="Format",
        entry=315,
        controls=tuple(Control(at=at) for at in ((256, 54), (288, 54), (321, 54), (198, 53), (164, 53))),
    ),
    Dialog(
        title="Find and Replace",
        menu="Edit",
        entry=290,
        keys="ctrl+h",
        controls=(
            *(Control(at=at) for at in ((109, 65), (223, 65), (38, 273), (38, 301), (372, 244), (344, 177))),
            Control(at=(300, 30), value="word"),
        ),
        cancel=(-51, -26),
        accept=(-51, -26),
    ),
)

FAST: Sequence[Sequence[str]] = (
    ("ctrl+Right", "ctrl+shift+Right", "ctrl+b"),
    ("ctrl+Right", "ctrl+Right", "ctrl+shift+Right", "ctrl+i"),
    ("Home", "shift+End", "ctrl+c", "End", "ctrl+v"),
    ("Home", "shift+Down", "ctrl+x", "Down", "ctrl+v"),
    ("ctrl+shift+Left", "ctrl+u", "End"),
    ("ctrl+shift+Right", "ctrl+shift+Right", "ctrl+x", "ctrl+Right", "ctrl+v"),
    ("ctrl+e", "ctrl+s"),
    ("ctrl+l", "ctrl+s"),
    ("ctrl+Down", "ctrl+2", "ctrl+Down"),
    ("ctrl+Down", "ctrl+shift+Down", "ctrl+b", "Right"),
    ("Home", "shift+End", "ctrl+i", "ctrl+s"),
)
"""What practised hands do by keys alone; each has an effect wherever the selection is."""


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
    looks = (
        ("ctrl+b", "bold"),
        ("ctrl+i", "italic"),
        ("ctrl+u", "underline"),
        ("", "strike"),
        ("", "colour"),
        ("", "highlight"),
        ("ctrl+shift+p", "super"),
        ("ctrl+e", "centre"),
        ("ctrl+r", "right"),
        ("shift+F12", "bullets"),
        ("ctrl+1 ctrl+2 ctrl+3", ""),
    )

    def __init__(self, user: SimulatedUser) -> None:
        """Let `user` write; which dialog is looked through is drawn once."""
        super().__init__(user)
        self._place: Point = (0, 0)
        self._value: Callable[[], None] | None = None

    def write_document(self, folder: Path) -> File:
        """Write a text to work on."""
        return write_text(folder, self.rng)

    def content_points(self) -> Sequence[Point]:
        """Return places around the middle of the page."""
        return [self._text_point() for _ in range(10)]

    def dead_points(self) -> Sequence[Point]:
        """Return places that do not respond: what is empty in the menu bar, the tool bars and beside the panels."""
        return self.unresponsive(600, 470, ((_TOOLS_END, 44), (_FORMATS_END, 83)))

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

    def compose(self) -> None:
        """Write on, or begin to write at the end of the text or of a line in sight."""
        self.leave_search()
        if not self.at_caret:
            if self.user.chance(0.4):
                self.hands.chord("ctrl+End")
                if self.user.chance(0.6):
                    self.hands.chord("Return")
            else:
                self.hands.click(*self._text_point())
                self.hands.chord("End")
                self.hands.text(" ", rate=self.user.rate)
        self.user.write(self.words(self.rng.uniform(2.5, 5.0)))
        self.at_caret = True

    def adjust(self) -> None:
        """Replace a word, or give a word, line or paragraph another look."""
        self._select_word()
        self.hands.wait(self.hands.about(0.5))
        if self.user.chance(0.5):
            self.user.write(self.rng.choice(item(self.rng).split()))
        else:
            self.change_look()

    def expert(self) -> None:
        """Select, copy, paste, format and move by keys alone, without stopping to think."""
        self.leave_search()
        self.at_caret = False
        if self.user.chance(0.6):
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
            self.user.several(times, lambda: self.tool("indent"), 0.3)
        else:
            self.search(self.rng.choice(_COMMON[:5]))
            self.search_on(times)

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
            if self.user.chance(0.25):
                self.by_key_or_tool("ctrl+x", "cut")
            else:
                self.change_look()
            if self.has_changed(before):
                return 1
        raise LookupError("nothing changed")

    def enter_value(self) -> None:
        """Give a word a size in points, or search for a word."""
        self.at_caret = False
        if self.user.chance(0.5):
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
