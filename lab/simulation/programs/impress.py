"""LibreOffice Impress with slides: shapes, their labels, places and colours, and more slides.

No slide show is ever started: it would cover everything. A new slide is a copy of another one, because empty slides of
a hand-written file have no frames for words. The slide is found by what is white along the middle of the
view, and what is selected by the tool bar, which follows late on a busy machine. All slides begin with shapes at
the same places; what was moved away is selected by Tab.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from demo.virtual_desktop.sample_text import item
from lab.simulation.program import Point
from lab.simulation.programs.office import Control, Dialog, Office
from lab.simulation.programs.office_files import SHAPE_SPOTS, File, write_slides
from lab.simulation.simulated_user import SimulatedUser
from storage.records import Box

MENUS: Mapping[str, int] = {
    "File": 18, "Edit": 59, "View": 103, "Insert": 154, "Format": 212, "Slide": 267, "Slide Show": 333, "Tools": 402,
    "Window": 459, "Help": 517,
}  # fmt: skip
KEYED_MENUS: Mapping[str, str] = {
    "File": "f", "Edit": "e", "View": "v", "Insert": "i", "Format": "o", "Tools": "t",
}  # fmt: skip
VIEW_NORMAL, VIEW_SORTER = 12, 87
SLIDE_DUPLICATE = 37
TOOLS: Mapping[str, Point] = {
    "save": (107, 44), "pdf": (161, 44), "print": (194, 44), "cut": (235, 44), "copy": (268, 44),
    "clone": (352, 44), "undo": (392, 44), "redo": (436, 44), "find": (490, 44), "spell": (523, 44),
    "grid": (564, 44), "table": (795, 44), "image": (841, 44), "media": (874, 44), "chart": (907, 44),
    "text box": (948, 44), "word art": (1024, 44), "new slide": (1129, 44), "duplicate slide": (1176, 44),
    "line colour": (92, 83), "fill": (136, 83), "line": (190, 83), "rectangle": (224, 83), "ellipse": (257, 83),
    "arrow": (296, 83), "diamond": (435, 83), "smiley": (480, 83), "block arrow": (524, 83), "star": (656, 83),
    "rotate": (755, 83), "shadow": (927, 83),
}  # fmt: skip
GREY_TOOLS: Sequence[Point] = ((960, 83), (989, 83))
"""Buttons for pictures, grey as long as none is selected."""

DIALOGS: Sequence[Dialog] = (
    Dialog(
        title="Position and Size",
        menu="",
        entry=0,
        keys="F4",
        tabs=((85, 27), (199, 27), (330, 27)),
        controls=tuple(Control(at=at) for at in ((225, 92), (190, 92), (225, 132), (190, 132), (225, 237))),
    ),
    Dialog(
        title="Slide Properties",
        menu="Slide",
        entry=188,
        tabs=((45, 27), (131, 27), (244, 27)),
        controls=tuple(Control(at=(228, y)) for y in (285, 322, 359, 395)),
    ),
    Dialog(
        title="Slide Show Settings",
        menu="Slide Show",
        entry=114,
        controls=(
            *(Control(at=(32, y)) for y in (178, 206, 234)),
            *(Control(at=(227, y)) for y in (178, 206, 234, 262, 290, 318)),
        ),
    ),
    Dialog(
        title="Header and Footer",
        menu="Insert",
        entry=441,
        tabs=((48, 27), (165, 27)),
        controls=(*(Control(at=(39, y)) for y in (85, 267, 341, 375)), Control(at=(262, 307), value="word")),
        accept=(-203, -26),
        cancel=(-67, -26),
    ),
    Dialog(
        title="Find and Replace",
        menu="Edit",
        entry=240,
        keys="ctrl+h",
        controls=(
            *(Control(at=at) for at in ((109, 65), (223, 65), (38, 285), (38, 319), (320, 245))),
            Control(at=(300, 30), value="word"),
        ),
        accept=(-51, -26),
        cancel=(-51, -26),
    ),
    Dialog(
        title="Character",
        menu="Format",
        entry=164,
        tabs=tuple((x, 27) for x in (46, 134, 230, 327)),
        controls=(*(Control(at=(190, 111 + 23 * row)) for row in range(6)), Control(at=(250, 317), value="number")),
    ),
)

FAST: Sequence[Sequence[str]] = (
    ("ctrl+c", "ctrl+v", "Down", "Down", "Right"),
    ("ctrl+x", "ctrl+v", "Left", "Left"),
    ("Tab", "Right", "Right", "Right"),
    ("Tab", "Tab", "Up", "Up"),
    ("F2", "ctrl+a", "ctrl+b", "Escape"),
    ("F2", "ctrl+a", "ctrl+i", "Escape"),
    ("ctrl+a", "Escape", "Tab", "Down"),
    ("Escape", "Next", "Tab", "Left"),
    ("Escape", "Prior", "Tab", "Right"),
    ("Tab", "Right", "ctrl+s"),
)
"""What practised hands do by keys alone; each has an effect wherever the selection is."""


TITLE = (0.5, 0.11)
"""Where the title of each slide is, as parts of its width and height."""

_TEXT = (0.35, 0.4)
_LEFT, _SIDE = 190, 402
_FIT = (-206, -11)
_WHITE, _COLOURFUL, _BLACK = 0xFFFFFF, 60, 90
_STRIP = 6
_SYMBOL, _IN_FRONT = (979, 44), (828, 83)
_LATE = 10
_SLIDE_X, _FIRST_SLIDE, _SLIDE_PITCH = 92, 185, 84
_TOOLS_END = 1300


_PANELS, _PROPERTIES = (209, 253, 296), 167
_COMMON = ("the", "needs", "garden", "chairs", "choir", "summer", "small", "more")
_PLACE = "Position and Size"
_FIELDS = ((140, 92), (140, 132), (140, 237))
_DRAWN = ("rectangle", "ellipse", "line", "arrow", "diamond", "smiley", "block arrow", "star")


class Impress(Office):
    """A talk of a dozen slides: the one worked on, its shapes and the list of slides beside it."""

    name = "impress"
    packages = "libreoffice-impress libreoffice-gtk3 fonts-dejavu-core"
    menus = MENUS
    keyed_menus = KEYED_MENUS
    tools = TOOLS
    dialogs = DIALOGS

    def __init__(self, user: SimulatedUser) -> None:
        """Let `user` build slides; how many there are is drawn with the document."""
        super().__init__(user)
        self.picked: Point | None = None
        self._fitted = False
        self._in_list = False
        self._again: Callable[[], None] | None = None
        self._field: Point = _FIELDS[0]
        self._sorting = False

    def slide(self) -> Box:
        """Return where the slide is on the desktop, as a whole; it is fitted into the window if need be."""
        if self._zoom or not self._fitted:
            self.hands.click(*self.at(_FIT))
            self.hands.wait(0.6)
            self._zoom, self._fitted = 0, True
        seen = self.view_box()
        left, right = seen.x + _LEFT, self.box.x + self.box.w - _SIDE
        across = self._white(Box(left, seen.y + seen.h // 2, right - left, _STRIP), axis=0)
        down = self._white(Box((left + right) // 2, seen.y, _STRIP, seen.h), axis=1)
        return Box(left + across[0], seen.y + down[0], across[1] - across[0], down[1] - down[0])

    def _white(self, strip: Box, *, axis: int) -> tuple[int, int]:
        """Return the first and the last white pixel along a strip of the screen."""
        white = np.flatnonzero(((self.pixels(strip) & _WHITE) == _WHITE).any(axis=axis))
        if not len(white):
            raise LookupError("no slide in sight")
        return int(white[0]), int(white[-1])

    def at_slide(self, part: tuple[float, float]) -> Point:
        """Return the desktop pixel of a place on the slide."""
        slide = self.slide()
        return slide.x + int(part[0] * slide.w), slide.y + int(part[1] * slide.h)

    def spot(self) -> Point:
        """Return a place on one of the shapes, if it has not been moved."""
        x, y = self.rng.choice(SHAPE_SPOTS)
        return self.at_slide((x + self.rng.uniform(-0.03, 0.03), y + self.rng.uniform(-0.04, 0.04)))

    def content_points(self) -> Sequence[Point]:
        """Return places on the slide's shapes and lines."""
        slide = self.slide()
        parts = [*SHAPE_SPOTS, TITLE, _TEXT, (0.2, 0.3), (0.4, 0.5)]
        return [
            (slide.x + int((x + self.rng.uniform(-0.03, 0.03)) * slide.w), slide.y + int(y * slide.h)) for x, y in parts
        ]

    def dead_points(self) -> Sequence[Point]:
        """Return places that do not respond: grey buttons, empty bars."""
        return self.unresponsive(570, 500, ((_TOOLS_END, 83),), GREY_TOOLS)

    def is_selected(self) -> bool:
        """Return whether a shape is selected: the scissors have colour, as for slides, and so has what moves it up."""
        return self._has_colour(self.tools["cut"]) and self._has_colour(_IN_FRONT)

    def _has_colour(self, place: Point) -> bool:
        colours = self._button(place)
        return bool((colours.max(axis=2) - colours.min(axis=2)).max() > _COLOURFUL)

    def _is_writing(self) -> bool:
        """Return whether words are open: the button for symbols is black, not grey."""
        return bool(self._button(_SYMBOL).max(axis=2).min() < _BLACK)

    def _button(self, place: Point) -> Any:
        x, y = self.at(place)
        return self.pixels(Box(x - 10, y - 10, 20, 20)).view(np.uint8).reshape(20, 20, 4)[..., :3].astype(int)

    def pick(self) -> None:
        """Select one shape, by a click where one is or by Tab; on an empty slide, go to another one first."""
        self.begin()
        self.picked = None
        if self.is_selected():
            self.hands.chord("Escape")
            self.hands.wait(0.4)
        if self._in_list or self.user.chance(0.8):
            self._click_spot()
        else:
            self.hands.repeat("Tab", self.rng.randint(1, 4), gap_s=0.15)
        for _ in range(3):
            if self._comes_selected():
                return
            self.click_slide(self.rng.randrange(self.slides_in_sight()))
            self.hands.wait(0.5)
            self._click_spot()
        raise LookupError("nothing could be selected")

    def _click_spot(self) -> None:
        self.picked = self.spot()
        self.hands.click(*self.picked)
        self._in_list = False

    def _comes_selected(self) -> bool:
        """Wait for a selection to show, which the tool bar does late; leave the words that a click opened."""
        for step in range(20):
            self.hands.wait(0.1)
            if self.is_selected():
                return True
            if self._is_writing():
                self.hands.chord("Escape")
            elif step == _LATE:
                self.picked = None
                self.hands.chord("Tab")
        return False

    def begin(self) -> None:
        """Leave text and search before something else is done."""
        self.leave_search()
        if self.at_caret:
            self.hands.chord("Escape")
            self.hands.chord("Escape")
            self.at_caret = False

    def slides_in_sight(self) -> int:
        """Return how many slides are in the list beside the slide, as far as it can be seen."""
        return (self.box.h - 260) // _SLIDE_PITCH

    def click_slide(self, number: int) -> None:
        """Go to a slide by a click in the list, which then has the keyboard."""
        self._in_list = True
        across, down = self.rng.randint(-30, 30), self.rng.randint(-15, 15)
        self.hands.click(*self.at((_SLIDE_X + across, _FIRST_SLIDE + _SLIDE_PITCH * number + down)))

    def write_document(self, folder: Path) -> File:
        """Write slides to work on."""
        return write_slides(folder, self.rng)

    def ready(self) -> None:
        """Leave text and selection; have the whole slide in view."""
        self.hands.chord("Escape")
        self.hands.chord("Escape")
        if self._sorting:
            self.choose("View", VIEW_NORMAL)
            self._sorting = False
            self.hands.wait(0.5)
        if self.user.chance(0.4):
            self.hands.click(*self.at_slide((self.rng.uniform(0.1, 0.9), 0.96)))

    def compose(self) -> None:
        """Write on, draw a shape, label one, or begin a new slide with a title."""
        if not self.at_caret:
            way = self.rng.choice((self._draw, self._draw, self._label, self._new_slide))
            way()
        if self.at_caret:
            self.user.write(self.words(self.rng.uniform(1.0, 3.0)))
            self.at_caret = self.user.chance(0.5)
            if not self.at_caret:
                self.hands.chord("Escape")

    def _draw(self) -> None:
        """Draw a shape or a line in a free part of the slide; some get words at once."""
        self.begin()
        tool = self.rng.choice(_DRAWN)
        x, y = self.rng.uniform(0.05, 0.8), self.rng.uniform(0.22, 0.85)
        start = self.at_slide((x, y))
        end = self.at_slide((x + self.rng.uniform(0.06, 0.18), y + self.rng.uniform(0.05, 0.12)))
        self.tool(tool)
        self.hands.drag(start, end)
        self.hands.wait(self.hands.about(0.3))
        self.at_caret = tool not in {"line", "arrow"} and self.user.chance(0.5)

    def _label(self) -> None:
        """Open the words of a shape and go to their end."""
        self.pick()
        self.hands.chord("F2")
        self.hands.chord("ctrl+End")
        self.hands.text(" ", rate=self.user.rate)
        self.at_caret = True

    def _new_slide(self) -> None:
        """Begin a slide like this one, with another title."""
        self.begin()
        if self.user.by_key() or self.tools["duplicate slide"][0] > self.box.w - 60:
            self.choose("Slide", SLIDE_DUPLICATE)
        else:
            self.tool("duplicate slide")
        self.hands.wait(0.8)
        self.hands.click(*self.at_slide(TITLE), count=2)
        self.hands.chord("ctrl+a")
        self.hands.wait(0.3)
        self.at_caret = True

    def adjust(self) -> None:
        """Move a shape step by step, colour it, give it a shadow, or rewrite its words."""
        self.pick()
        self.hands.wait(self.hands.about(0.5))
        way = self.rng.choice(("move", "look", "words"))
        if way == "move":
            self.hands.repeat(self.rng.choice(("Left", "Right", "Up", "Down")), self.rng.randint(2, 6), gap_s=0.1)
        elif way == "look":
            self.tool(self.rng.choice(("fill", "line colour", "shadow")))
        else:
            self.hands.chord("F2")
            self.hands.chord("ctrl+a")
            self.user.write(self.rng.choice(item(self.rng).split()))
            self.hands.chord("Escape")

    def expert(self) -> None:
        """Copy, paste, cut, move and turn slides by keys alone, without stopping to think."""
        self.pick()
        for chords in self.rng.sample(FAST, self.rng.randint(2, 3)):
            self.press(chords)

    def repeat_useful(self) -> None:
        """Click again and again: on the next slide's picture, on zoom, or on "find next"."""
        self.begin()
        times = self.rng.randint(3, 6)
        way = self.rng.choice(("slides", "slides", "zoom", "search"))
        if way == "zoom":
            self.slide()
            self.zoom(self.rng.choice((-1, 1)) * min(times, 4))
        elif way == "search":
            self.search(self.rng.choice(_COMMON))
            self.search_on(times)
        else:
            in_sight = self.slides_in_sight()
            first = self.rng.randint(0, max(0, in_sight - times))
            for number in range(first, min(first + times, in_sight)):
                self.click_slide(number)
                self.hands.wait(self.hands.about(0.4))

    def _page(self, direction: int) -> None:
        self.begin()
        if self.user.by_key():
            self.hands.chord("Next" if direction > 0 else "Prior")
        elif self.user.chance(0.4):
            self.click_slide(self.rng.randrange(self.slides_in_sight()))
        else:
            self.hands.move(*self.rng.choice(self.content_points()))
            self.hands.scroll(-direction * self.rng.randint(1, 2))
        self.hands.wait(0.2)

    def toggle(self, *, anew: bool) -> None:
        """Make a shape's letters bold, or no longer."""
        if anew:
            self.pick()
        self.hands.chord("ctrl+b")

    def overview(self) -> None:
        """Zoom, show all slides at once for a moment, or look at another panel of the side bar."""
        self.begin()
        way = self.rng.choice(("zoom", "sorter", "panel"))
        if way == "zoom":
            self.slide()
            self.zoom(self.rng.choice((-2, -1, 1, 2)))
        elif way == "sorter":
            self._sorting = True
            self.choose("View", VIEW_SORTER)
            self.hands.wait(self.hands.about(1.2))
            self.choose("View", VIEW_NORMAL)
            self._sorting = False
        else:
            self.peek(_PANELS, home=_PROPERTIES)
        self.hands.wait(self.hands.about(0.4))

    def change(self) -> int:
        """Move, colour, shade or delete a shape; return how many undos that takes."""
        for _ in range(3):
            self.pick()
            before = self.view()
            way = self.rng.choice(("move", "drag", "fill", "shadow", "delete"))
            if way == "move":
                self.hands.chord(self.rng.choice(("Left", "Right", "Up", "Down")))
            elif way == "drag" and self.picked is not None:
                self._drag_from(self.picked)
            elif way in {"fill", "shadow"}:
                self.tool(way)
            else:
                self.hands.chord("Delete")
            if self.has_changed(before, pixels=200):
                return 1
        raise LookupError("nothing changed")

    def enter_value(self) -> None:
        """Give a shape a place or width in numbers, or search for a word."""
        self.begin()
        if self.user.chance(0.6):
            self.pick()
            self._field = self.rng.choice(_FIELDS)
            self._again = self._enter_place
        else:
            self._again = self._enter_word
        self._again()

    def revise_value(self) -> None:
        """Give the same shape another number, or search for another word."""
        if self._again is None:
            self.enter_value()
            return
        self._again()

    def _enter_place(self) -> None:
        """Set a number in the dialog for it; if nothing is selected any more, it does not open."""
        self.hands.chord("F4")
        if self.user.wait_until(lambda: self.windows.find(title=_PLACE), times=24) is None:
            self.pick()
            self.hands.chord("F4")
        window = self.user.wait_dialog(_PLACE)
        if self._tab and self.dialog.title == _PLACE:
            self.hands.click(window.box.x + 85, window.box.y + 27)
            self._tab = 0
        x, y = self._field
        self.hands.click(window.box.x + x, window.box.y + y)
        self.hands.chord("ctrl+a")
        self.hands.text(f"{self.rng.randint(1, 7)}.{self.rng.randint(0, 9)}\n", rate=self.user.rate)
        self.user.wait_title_gone(_PLACE)
        self.hands.wait(self.hands.about(0.3))

    def _enter_word(self) -> None:
        self.search(self.rng.choice(_COMMON))

    def drag(self) -> None:
        """Drag a shape to another place."""
        self.begin()
        self._drag_from(self.spot())

    def _drag_from(self, place: Point) -> None:
        x, y = place
        across, down = (
            self.rng.choice((-1, 1)) * self.rng.randint(20, 90),
            self.rng.choice((-1, 1)) * self.rng.randint(15, 50),
        )
        self.hands.drag((x, y), (x + across, y + down))
        self.hands.wait(self.hands.about(0.3))

    def open_dialog(self) -> None:
        """Open this session's dialog; one of them wants a shape to be selected."""
        self.begin()
        if self.dialog.menu:
            super().open_dialog()
        else:
            self.pick()
            self.hands.chord(self.dialog.keys)
            self.user.wait_dialog(self.dialog.title)
