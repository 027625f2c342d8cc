"""The slide that is being worked on in LibreOffice Impress: where it is, where its shapes are, and what is selected.

Where the slide is, is seen: it is what is white along the middle of the view. What is selected is seen in the tool bar,
which follows late on a busy machine. All slides begin with shapes at the same places; what was moved away is selected
by Tab.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from evaluation.simulation.actor import Actor
from evaluation.simulation.program import Point
from evaluation.simulation.programs.impress.places import GREY_TOOLS
from evaluation.simulation.programs.office.common import Office
from evaluation.simulation.programs.office.files import SHAPE_SPOTS
from storage.records import Box

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


class ImpressSlide(Office):
    """A slide, its shapes and the list of slides beside it."""

    def __init__(self, actor: Actor) -> None:
        """Let `actor` work on it."""
        super().__init__(actor)
        self.picked: Point | None = None
        self._fitted = False
        self._in_list = False

    # ------------------------------------------------------------------ places

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
        width, height = self.box.w, self.box.h
        points = [(self.rng.randint(570, width - 80), 12), (-28, self.rng.randint(500, height - 90))]
        points.append(self.rng.choice(GREY_TOOLS))
        if width > _TOOLS_END + 100:
            points.append((self.rng.randint(_TOOLS_END, width - 40), 83))
        return [self.at(point) for point in points]

    # ------------------------------------------------------------------ selecting

    def is_selected(self) -> bool:
        """Tell whether a shape is selected: the scissors have colour, as for slides, and so has what moves it up."""
        return self._has_colour(self.tools["cut"]) and self._has_colour(_IN_FRONT)

    def _has_colour(self, place: Point) -> bool:
        colours = self._button(place)
        return bool((colours.max(axis=2) - colours.min(axis=2)).max() > _COLOURFUL)

    def _is_writing(self) -> bool:
        """Tell whether words are open: the button for symbols is black, not grey."""
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
        if self._in_list or self.actor.chance(0.8):
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
