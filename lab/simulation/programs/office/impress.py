"""Impress with tasks: words that no slide has, and looks for a shape while none is selected.

No slide show is ever started: it would cover everything. A new slide is a copy of another one, because empty slides of
a hand-written file have no frames for words. The slide is found by what is white along the middle of the view, and what
is selected by the tool bar, which follows late on a busy machine. All slides begin with shapes at the same places; what
was moved away is selected by Tab.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from demo.virtual_desktop.pixels import grab_pixels
from demo.virtual_desktop.sample_text import item
from demo.virtual_desktop.windows import Point
from lab.simulation.programs.office.document import OfficeProgram
from lab.simulation.programs.office.files import SHAPE_SPOTS, File, write_slides
from lab.simulation.simulated_user import SimulatedUser
from storage.records import Box

TITLE = (0.5, 0.11)
"""Where the title of each slide is, as parts of its width and height."""

_TEXT = (0.35, 0.4)
_LEFT, _SIDE = 190, 402
_FIT = (-206, -11)
_WHITE, _COLOURFUL, _BLACK = 0xFFFFFF, 60, 90
_STRIP = 6
_SEARCH_FIELD, _RED, _RED_PIXELS = (45, -60), 170, 200
_SYMBOL, _IN_FRONT = (979, 44), (828, 83)
_SOON, _LATE = 8, 24
_SLIDE_X, _FIRST_SLIDE, _SLIDE_PITCH = 92, 185, 84
_MENU_Y, _SLIDE_MENU, _DUPLICATE = 12, 267, 37
_DRAWN = ("rectangle", "ellipse", "line", "arrow", "diamond", "smiley", "block arrow", "star")
_LOOKS = ("ctrl+b", "ctrl+i", "ctrl+u")


class ImpressProgram(OfficeProgram):
    """A talk of a dozen slides: the one worked on, its shapes and the list of slides beside it."""

    name = "impress-tasks"
    office = "impress"
    packages = "libreoffice-impress libreoffice-gtk3 fonts-dejavu-core"
    tools: ClassVar = {
        "save": (107, 44), "undo": (392, 44), "find": (490, 44), "cut": (235, 44), "line colour": (92, 83),
        "fill": (136, 83), "line": (190, 83), "rectangle": (224, 83), "ellipse": (257, 83), "arrow": (296, 83),
        "diamond": (435, 83), "smiley": (480, 83), "block arrow": (524, 83), "star": (656, 83), "shadow": (927, 83),
    }  # fmt: skip
    looks = (("", "fill"), ("", "line colour"), ("", "shadow"))

    def __init__(self, user: SimulatedUser) -> None:
        """Let `user` build slides; how many there are is drawn with the document."""
        super().__init__(user)
        self._fitted = False
        self._in_list = False

    def write_document(self, folder: Path) -> File:
        """Write slides to work on."""
        return write_slides(folder, self.rng)

    def ready(self) -> None:
        """Leave text and selection; have the whole slide in view."""
        self.hands.chord("Escape")
        self.hands.chord("Escape")
        if self.user.chance(0.4):
            self.hands.click(*self._at_slide((self.rng.uniform(0.1, 0.9), 0.96)))

    def content_points(self) -> Sequence[Point]:
        """Return places on the slide's shapes and lines."""
        slide = self._slide()
        parts = [*SHAPE_SPOTS, TITLE, _TEXT, (0.2, 0.3), (0.4, 0.5)]
        return [
            (slide.x + int((x + self.rng.uniform(-0.03, 0.03)) * slide.w), slide.y + int(y * slide.h)) for x, y in parts
        ]

    def work(self) -> None:
        """Draw or write something, or change a shape."""
        if self.user.chance(0.6):
            self._compose()
        else:
            self._adjust()

    def page(self, direction: int) -> None:
        """Move on to another slide, or back."""
        self._begin()
        if self.user.by_key():
            self.hands.chord("Next" if direction > 0 else "Prior")
        elif self.user.chance(0.4):
            self._click_slide()
        else:
            self.hands.move(*self.rng.choice(self.content_points()))
            self.hands.scroll(-direction * self.rng.randint(1, 2))
        self.hands.wait(0.2)

    # ------------------------------------------------------------ the slide and its shapes

    def _slide(self) -> Box:
        """Return where the slide is on the desktop, as a whole; it is fitted into the window if need be."""
        if self._zoom or not self._fitted:
            self.hands.click(*self.main.at(*_FIT))
            self.hands.wait(0.6)
            self._zoom, self._fitted = 0, True
        found = self.user.wait_until(self._seen_slide, times=60)
        if found is None:
            raise LookupError("no slide in sight")
        return found

    def _seen_slide(self) -> Box | None:
        seen, box = self.content_box(), self.main.box
        left, right = seen.x + _LEFT, box.x + box.w - _SIDE
        across = self._white(Box(left, seen.y + seen.h // 2, right - left, _STRIP), axis=0)
        down = self._white(Box((left + right) // 2, seen.y, _STRIP, seen.h), axis=1)
        if across is None or down is None:
            return None
        return Box(left + across[0], seen.y + down[0], across[1] - across[0], down[1] - down[0])

    def _white(self, strip: Box, *, axis: int) -> tuple[int, int] | None:
        """Return the first and the last white pixel along a strip of the screen, if there is any."""
        white = np.flatnonzero(((self._pixels(strip) & _WHITE) == _WHITE).any(axis=axis))
        return (int(white[0]), int(white[-1])) if len(white) else None

    def _pixels(self, box: Box) -> Any:
        """Return what is on the screen in a box, one number a pixel."""
        shown = np.frombuffer(grab_pixels(self.desktop.display, box), np.uint32)
        if shown.size != box.w * box.h:
            raise LookupError("the window reaches beyond the screen")
        return shown.reshape(box.h, box.w)

    def _at_slide(self, part: tuple[float, float]) -> Point:
        """Return the desktop pixel of a place on the slide."""
        slide = self._slide()
        return slide.x + int(part[0] * slide.w), slide.y + int(part[1] * slide.h)

    def _is_selected(self) -> bool:
        """Return whether a shape is selected: the scissors have colour, as for slides, and so has what moves it up."""
        return self._has_colour(self.tools["cut"]) and self._has_colour(_IN_FRONT)

    def _has_colour(self, place: Point) -> bool:
        colours = self._button(place)
        return bool((colours.max(axis=2) - colours.min(axis=2)).max() > _COLOURFUL)

    def _is_writing(self) -> bool:
        """Return whether words are open: the button for symbols is black, not grey."""
        return bool(self._button(_SYMBOL).max(axis=2).min() < _BLACK)

    def _button(self, place: Point) -> Any:
        x, y = self.main.at(*place)
        return self._pixels(Box(x - 10, y - 10, 20, 20)).view(np.uint8).reshape(20, 20, 4)[..., :3].astype(int)

    def _pick(self) -> None:
        """Select one shape, by a click where one is or by Tab; on an empty slide, go to another one first."""
        self._begin()
        if self._is_selected():
            self.hands.chord("Escape")
            self.hands.wait(0.4)
        if self._in_list or self.user.chance(0.8):
            self._click_shape()
        else:
            self.hands.repeat("Tab", self.rng.randint(1, 4), gap_s=0.15)
        for _ in range(3):
            if self._comes_selected():
                return
            self._click_slide()
            self.hands.wait(0.5)
            self._click_shape()
        raise LookupError("nothing could be selected")

    def _click_shape(self) -> None:
        """Click on one of the shapes, if it has not been moved."""
        x, y = self.rng.choice(SHAPE_SPOTS)
        self.hands.click(*self._at_slide((x + self.rng.uniform(-0.03, 0.03), y + self.rng.uniform(-0.04, 0.04))))
        self._in_list = False

    def _comes_selected(self) -> bool:
        """Wait for a selection to show, which the tool bar does late; leave the words that a click opened, once."""
        for step in range(2 * _LATE):
            self.hands.wait(0.1)
            if self._is_selected():
                return True
            if step in {_SOON, _LATE}:
                self.hands.chord("Escape" if self._is_writing() else "Tab")
        return False

    def _begin(self) -> None:
        """Leave text and search before something else is done."""
        self.leave_search()
        if self.at_caret:
            self.hands.chord("Escape")
            self.hands.chord("Escape")
            self.at_caret = False

    def _click_slide(self) -> None:
        """Go to a slide by a click in the list, which then has the keyboard."""
        self._in_list = True
        number = self.rng.randrange((self.main.box.h - 260) // _SLIDE_PITCH)
        across, down = self.rng.randint(-30, 30), self.rng.randint(-15, 15)
        self.hands.click(*self.main.at(_SLIDE_X + across, _FIRST_SLIDE + _SLIDE_PITCH * number + down))

    # ------------------------------------------------------------ acts

    def _compose(self) -> None:
        """Write on, draw a shape, label one, or begin a new slide with a title."""
        if not self.at_caret:
            self.rng.choice((self._draw, self._draw, self._label, self._new_slide))()
        if self.at_caret:
            self.user.write(self.words(self.rng.uniform(1.0, 3.0)))
            self.at_caret = self.user.chance(0.5)
            if not self.at_caret:
                self.hands.chord("Escape")

    def _draw(self) -> None:
        """Draw a shape or a line in a free part of the slide; some get words at once."""
        self._begin()
        tool = self.rng.choice(_DRAWN)
        x, y = self.rng.uniform(0.05, 0.8), self.rng.uniform(0.22, 0.85)
        start = self._at_slide((x, y))
        end = self._at_slide((x + self.rng.uniform(0.06, 0.18), y + self.rng.uniform(0.05, 0.12)))
        self.by_key_or_tool("", tool)
        self.hands.drag(start, end)
        self.hands.wait(self.hands.about(0.3))
        self.at_caret = tool not in {"line", "arrow"} and self.user.chance(0.5)

    def _label(self) -> None:
        """Open the words of a shape and go to their end."""
        self._pick()
        self.hands.chord("F2")
        self.hands.chord("ctrl+End")
        self.hands.text(" ", rate=self.user.rate)
        self.at_caret = True

    def _new_slide(self) -> None:
        """Begin a slide like this one, with another title."""
        self._begin()
        menu = self.user.open_menu(*self.main.at(_SLIDE_MENU, _MENU_Y))
        self.hands.click(menu.box.x + self.rng.randint(20, 34), menu.box.y + _DUPLICATE)
        self.hands.wait(0.8)
        self.hands.click(*self._at_slide(TITLE), count=2)
        self.hands.chord("ctrl+a")
        self.hands.wait(0.3)
        self.at_caret = True

    def _adjust(self) -> None:
        """Move a shape step by step, colour it, give it a shadow, or rewrite its words."""
        self._pick()
        self.hands.wait(self.hands.about(0.5))
        way = self.rng.choice(("move", "look", "words"))
        if way == "move":
            self.hands.repeat(self.rng.choice(("Left", "Right", "Up", "Down")), self.rng.randint(2, 6), gap_s=0.1)
        elif way == "look":
            self.change_look()
        else:
            self.hands.chord("F2")
            self.hands.chord("ctrl+a")
            self.user.write(self.rng.choice(item(self.rng).split()))
            self.hands.chord("Escape")

    def _find_there(self, word: str) -> None:
        """Look for a word that is there; for one with few places it may say "not found".

        Raises:
            LookupError: it does so: the field is red.
        """
        self.search(word)
        if self.user.wait_until(self._is_field_red, times=16):  # it turns red late on a busy machine
            raise LookupError("a word that is there was not found")

    def _is_field_red(self) -> bool:
        x, y = self.main.at(*_SEARCH_FIELD)
        colours = self._pixels(Box(x, y, 200, 36)).view(np.uint8).reshape(36, 200, 4).astype(int)
        red = (colours[..., 2] > _RED) & (colours[..., :2].max(axis=2) < _COLOURFUL)
        return bool(red.sum() > _RED_PIXELS)

    def _select_nothing(self) -> None:
        """Leave text and selection, with the slide in front."""
        self._begin()
        self.hands.click(*self._at_slide((self.rng.uniform(0.1, 0.9), 0.96)))
        self.hands.chord("Escape")
        self.hands.wait(0.2)

    def _press_often(self, keys: str) -> None:
        self.hands.repeat(keys, self.user.count(1, 2))

    def _press_once(self, keys: str) -> None:
        self.hands.chord(keys)
        self.user.think(0.6)

    def _press_button(self, _number: int) -> None:
        x, y = self.main.at(*self.rng.choice(((828, 83), (860, 83))))
        for _ in range(self.user.count(1, 3)):
            self.hands.click(x + self.rng.randint(-4, 4), y + self.rng.randint(-3, 3))

    def _look_well(self) -> None:
        self._pick()
        self.hands.chord(self.rng.choice(_LOOKS))
        self.hands.wait(0.3)
        self.hands.repeat(self.rng.choice(("Right", "Down", "Left")), self.rng.randint(2, 4), gap_s=0.15)
