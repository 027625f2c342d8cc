"""Build slides in LibreOffice Impress: shapes, their labels, places and colours, and more slides.

Where the slide is, is seen: it is the white part of the view. Whether something is selected is seen as well: the
scissors in the tool bar have colour then. All slides begin with shapes at the same places; what was moved away is
selected by Tab.
"""

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.prose import heading, item, sentence
from evaluation.simulation.actor import Actor
from evaluation.simulation.program import Point
from evaluation.simulation.programs.impress_places import (
    DIALOGS,
    GREY_TOOLS,
    KEYED_MENUS,
    MENUS,
    SLIDE_DUPLICATE,
    TOOLS,
    VIEW_NORMAL,
    VIEW_SORTER,
)
from evaluation.simulation.programs.office import Office
from storage.records import Box

_NAMES = ("talk", "slides", "lecture", "pitch", "review", "tour")
_SPACES = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" '
    'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" '
    'xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0" '
    'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" '
    'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"'
)
_COLOURS = ("#e8a33d", "#7fb77e", "#c65b7c", "#9a86c8", "#d9d36b", "#cfcfcf")
_PAGE_STYLE = (
    '<style:page-layout style:name="P"><style:page-layout-properties fo:page-width="28cm" fo:page-height="15.75cm" '
    'style:print-orientation="landscape"/></style:page-layout>'
)
_MASTER = (
    '<office:master-styles><style:master-page style:name="Default" style:page-layout-name="P"/></office:master-styles>'
)
_WIDTH_CM, _HEIGHT_CM = 28.0, 15.75
_SPOTS = ((0.16, 0.74), (0.39, 0.74), (0.61, 0.74), (0.84, 0.74))
_TEXT, _TITLE = (0.35, 0.4), (0.5, 0.11)
_SHAPE_SIZE = (4.6, 3.2)
_OUTLINES = {
    "rectangle": "M 0 0 L 21600 0 21600 21600 0 21600 0 0 Z N",
    "ellipse": "U 10800 10800 10800 10800 0 360 Z N",
    "diamond": "M 10800 0 L 21600 10800 10800 21600 0 10800 10800 0 Z N",
}
_LEFT, _SIDE = 190, 402
_FIT = (-206, -11)
_WHITE, _COLOURFUL, _BLACK = 0xFFFFFF, 60, 90
_SYMBOL = (979, 44)
_LATE = 10
_PANELS, _PROPERTIES = (209, 253, 296), 167
_SLIDE_X, _FIRST_SLIDE, _SLIDE_PITCH = 92, 185, 84
_TOOLS_END = 1300
_COMMON = ("the", "needs", "garden", "chairs", "choir", "summer", "small", "more")
_PLACE = "Position and Size"
_FIELDS = ((140, 92), (140, 132), (140, 237))
_DRAWN = ("rectangle", "ellipse", "line", "arrow", "diamond", "smiley", "block arrow", "star")


class Impress(Office):
    """A talk of a dozen slides."""

    name = "impress"
    packages = "libreoffice-impress libreoffice-gtk3 fonts-dejavu-core"
    menus = MENUS
    keyed_menus = KEYED_MENUS
    tools = TOOLS
    dialogs = DIALOGS

    def __init__(self, actor: Actor) -> None:
        """Let `actor` build slides; how many there are is drawn with the document."""
        super().__init__(actor)
        self._again: Callable[[], None] | None = None
        self._field: Point = _FIELDS[0]
        self._picked: Point | None = None
        self._sorting = False
        self._fitted = False

    def write_document(self, folder: Path) -> tuple[Path, Sequence[str]]:
        """Write slides with a title, some lines and four shapes each."""
        path = folder / f"{self.rng.choice(_NAMES)}.fodp"
        styles = "".join(
            f'<style:style style:name="g{number}" style:family="graphic"><style:graphic-properties draw:fill="solid" '
            f'draw:fill-color="{colour}" draw:textarea-vertical-align="middle"/></style:style>'
            for number, colour in enumerate(_COLOURS)
        )
        styles += "".join(
            f'<style:style style:name="{name}" style:family="presentation"><style:graphic-properties draw:fill="none" '
            f'draw:stroke="none"/><style:text-properties fo:font-size="{size}pt"/></style:style>'
            for name, size in (("title", 36), ("outline", 22))
        )
        slides = "".join(_slide(self.rng, number) for number in range(self.rng.randint(14, 20)))
        path.write_text(
            f'<?xml version="1.0" encoding="UTF-8"?><office:document {_SPACES} office:version="1.3" '
            'office:mimetype="application/vnd.oasis.opendocument.presentation">'
            f"<office:automatic-styles>{_PAGE_STYLE}{styles}</office:automatic-styles>{_MASTER}"
            f"<office:body><office:presentation>{slides}</office:presentation></office:body></office:document>"
        )
        return path, ()

    def ready(self) -> None:
        """Leave text and selection; have the whole slide in view."""
        self.hands.chord("Escape")
        self.hands.chord("Escape")
        if self._sorting:
            self.choose("View", VIEW_NORMAL)
            self._sorting = False
            self.hands.wait(0.5)
        if self.actor.chance(0.4):
            self.hands.click(*self._at_slide((self.rng.uniform(0.1, 0.9), 0.96)))

    # ------------------------------------------------------------------ places

    def _slide(self) -> Box:
        """Return where the slide is on the desktop, as a whole; it is fitted into the window if need be."""
        if self._zoom or not self._fitted:
            self.hands.click(*self.at(_FIT))
            self.hands.wait(0.6)
            self._zoom, self._fitted = 0, True
        view = self.view()[:, _LEFT : self.box.w - _SIDE] & 0xFFFFFF
        white = view == _WHITE
        columns = np.flatnonzero(white.mean(axis=0) > 0.2)  # noqa: PLR2004
        rows = np.flatnonzero(white.mean(axis=1) > 0.2)  # noqa: PLR2004
        if not len(columns) or not len(rows):
            raise LookupError("no slide in sight")
        left, top = self.view_origin()
        x, y = int(columns[0]), int(rows[0])
        return Box(left + _LEFT + x, top + y, int(columns[-1]) - x, int(rows[-1]) - y)

    def _at_slide(self, part: tuple[float, float]) -> Point:
        slide = self._slide()
        return slide.x + int(part[0] * slide.w), slide.y + int(part[1] * slide.h)

    def _spot(self) -> Point:
        x, y = self.rng.choice(_SPOTS)
        return self._at_slide((x + self.rng.uniform(-0.03, 0.03), y + self.rng.uniform(-0.04, 0.04)))

    def content_points(self) -> Sequence[Point]:
        """Return places on the slide's shapes and lines."""
        slide = self._slide()
        parts = [*_SPOTS, _TITLE, _TEXT, (0.2, 0.3), (0.4, 0.5)]
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

    def _is_selected(self) -> bool:
        """Tell whether a shape is selected: the scissors have colour."""
        colours = self._button(self.tools["cut"])
        return bool((colours.max(axis=2) - colours.min(axis=2)).max() > _COLOURFUL)

    def _is_writing(self) -> bool:
        """Tell whether words are open: the button for symbols is black, not grey."""
        return bool(self._button(_SYMBOL).max(axis=2).min() < _BLACK)

    def _button(self, place: Point) -> Any:
        x, y = self.at(place)
        return self.pixels(Box(x - 10, y - 10, 20, 20)).view(np.uint8).reshape(20, 20, 4)[..., :3].astype(int)

    def _pick(self) -> None:
        """Select one shape, by a click where one is or by Tab; on an empty slide, go to another one first."""
        self._begin()
        self._picked = None
        if self._is_selected():
            self.hands.chord("Escape")
            self.hands.wait(0.4)
        if self.actor.chance(0.8):
            self._picked = self._spot()
            self.hands.click(*self._picked)
        else:
            self.hands.repeat("Tab", self.rng.randint(1, 4), gap_s=0.15)
        for _ in range(3):
            if self._comes_selected():
                return
            self._click_slide(self.rng.randrange(self._slides_in_sight()))
            self.hands.wait(0.5)
            self._picked = self._spot()
            self.hands.click(*self._picked)
        raise LookupError("nothing could be selected")

    def _comes_selected(self) -> bool:
        """Wait for a selection to show, which the tool bar does late; leave the words that a click opened."""
        for step in range(20):
            self.hands.wait(0.1)
            if self._is_selected():
                return True
            if self._is_writing():
                self.hands.chord("Escape")
            elif step == _LATE:
                self._picked = None
                self.hands.chord("Tab")
        return False

    def _begin(self) -> None:
        """Leave text and search before something else is done."""
        self.leave_search()
        if self.at_caret:
            self.hands.chord("Escape")
            self.hands.chord("Escape")
            self.at_caret = False

    # ------------------------------------------------------------------ work

    def compose(self) -> None:
        """Write on, draw a shape, label one, or begin a new slide with a title."""
        if not self.at_caret:
            way = self.rng.choice((self._draw, self._draw, self._label, self._new_slide))
            way()
        if self.at_caret:
            self.actor.write(self.words(self.rng.uniform(1.0, 3.0)))
            self.at_caret = self.actor.chance(0.5)
            if not self.at_caret:
                self.hands.chord("Escape")

    def _draw(self) -> None:
        """Draw a shape or a line in a free part of the slide; some get words at once."""
        self._begin()
        tool = self.rng.choice(_DRAWN)
        x, y = self.rng.uniform(0.05, 0.8), self.rng.uniform(0.22, 0.85)
        start = self._at_slide((x, y))
        end = self._at_slide((x + self.rng.uniform(0.06, 0.18), y + self.rng.uniform(0.05, 0.12)))
        self.tool(tool)
        self.hands.drag(start, end)
        self.hands.wait(self.hands.about(0.3))
        self.at_caret = tool not in {"line", "arrow"} and self.actor.chance(0.5)

    def _label(self) -> None:
        """Open the words of a shape and go to their end."""
        self._pick()
        self.hands.chord("F2")
        self.hands.chord("ctrl+End")
        self.hands.text(" ", rate=self.actor.rate)
        self.at_caret = True

    def _new_slide(self) -> None:
        """Begin a slide like this one, with another title."""
        self._begin()
        if self.actor.by_key() or self.tools["duplicate slide"][0] > self.box.w - 60:
            self.choose("Slide", SLIDE_DUPLICATE)
        else:
            self.tool("duplicate slide")
        self.hands.wait(0.8)
        self.hands.click(*self._at_slide(_TITLE), count=2)
        self.hands.chord("ctrl+a")
        self.hands.wait(0.3)
        self.at_caret = True

    def adjust(self) -> None:
        """Move a shape step by step, colour it, give it a shadow, or rewrite its words."""
        self._pick()
        self.hands.wait(self.hands.about(0.5))
        way = self.rng.choice(("move", "look", "words"))
        if way == "move":
            self.hands.repeat(self.rng.choice(("Left", "Right", "Up", "Down")), self.rng.randint(2, 6), gap_s=0.1)
        elif way == "look":
            self.tool(self.rng.choice(("fill", "line colour", "shadow")))
        else:
            self.hands.chord("F2")
            self.hands.chord("ctrl+a")
            self.actor.write(self.rng.choice(item(self.rng).split()))
            self.hands.chord("Escape")

    def expert(self) -> None:
        """Copy, paste, cut, move and turn slides by keys alone, without stopping to think."""
        self._pick()
        for chords in self.rng.sample(_FAST, self.rng.randint(2, 3)):
            self.press(chords)

    def repeat_useful(self) -> None:
        """Click again and again: on the next slide's picture, on zoom, or on "find next"."""
        self._begin()
        times = self.rng.randint(3, 6)
        way = self.rng.choice(("slides", "slides", "zoom", "search"))
        if way == "zoom":
            self._slide()
            self.zoom(self.rng.choice((-1, 1)) * min(times, 4))
        elif way == "search":
            self.search(self.rng.choice(_COMMON))
            self.search_on(times)
        else:
            in_sight = self._slides_in_sight()
            first = self.rng.randint(0, max(0, in_sight - times))
            for number in range(first, min(first + times, in_sight)):
                self._click_slide(number)
                self.hands.wait(self.hands.about(0.4))

    def _slides_in_sight(self) -> int:
        return (self.box.h - 260) // _SLIDE_PITCH

    def _click_slide(self, number: int) -> None:
        across, down = self.rng.randint(-30, 30), self.rng.randint(-15, 15)
        self.hands.click(*self.at((_SLIDE_X + across, _FIRST_SLIDE + _SLIDE_PITCH * number + down)))

    # ------------------------------------------------------------------ looking

    def _page(self, direction: int) -> None:
        self._begin()
        if self.actor.by_key():
            self.hands.chord("Next" if direction > 0 else "Prior")
        elif self.actor.chance(0.4):
            self._click_slide(self.rng.randrange(self._slides_in_sight()))
        else:
            self.hands.move(*self.rng.choice(self.content_points()))
            self.hands.scroll(-direction * self.rng.randint(1, 2))
        self.hands.wait(0.2)

    def overview(self) -> None:
        """Zoom, show all slides at once for a moment, or look at another panel of the side bar."""
        self._begin()
        way = self.rng.choice(("zoom", "sorter", "panel"))
        if way == "zoom":
            self._slide()
            self.zoom(self.rng.choice((-2, -1, 1, 2)))
        elif way == "sorter":
            self._sorting = True
            self.choose("View", VIEW_SORTER)
            self.hands.wait(self.hands.about(1.2))
            self.choose("View", VIEW_NORMAL)
            self._sorting = False
        else:
            self.hands.click(*self.at((-28, self.rng.choice(_PANELS))))
            self.hands.wait(self.hands.about(1.2))
            self.hands.click(*self.at((-28, _PROPERTIES)))
        self.hands.wait(self.hands.about(0.4))

    # ------------------------------------------------------------------ trying

    def change(self) -> int:
        """Move, colour, shade or delete a shape; return how many undos that takes."""
        for _ in range(3):
            self._pick()
            before = self.view()
            way = self.rng.choice(("move", "drag", "fill", "shadow", "delete"))
            if way == "move":
                self.hands.chord(self.rng.choice(("Left", "Right", "Up", "Down")))
            elif way == "drag" and self._picked is not None:
                self._drag_from(self._picked)
            elif way in {"fill", "shadow"}:
                self.tool(way)
            else:
                self.hands.chord("Delete")
            self.hands.wait(0.4)
            if self.has_changed(before, pixels=200):
                return 1
        raise LookupError("nothing changed")

    def enter_value(self) -> None:
        """Give a shape a place or width in numbers, or search for a word."""
        self._begin()
        if self.actor.chance(0.6):
            self._pick()
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
        try:
            self.wait_for(lambda: self.windows.find(title=_PLACE) is not None, "no dialog opened")
        except LookupError:
            self._pick()
            self.hands.chord("F4")
        window = self.actor.wait_dialog(_PLACE)
        if self._tab and self.dialog.title == _PLACE:
            self.hands.click(window.box.x + 85, window.box.y + 27)
            self._tab = 0
        x, y = self._field
        self.hands.click(window.box.x + x, window.box.y + y)
        self.hands.chord("ctrl+a")
        self.hands.text(f"{self.rng.randint(1, 7)}.{self.rng.randint(0, 9)}\n", rate=self.actor.rate)
        self.actor.wait_title_gone(_PLACE)
        self.hands.wait(self.hands.about(0.3))

    def _enter_word(self) -> None:
        self.search(self.rng.choice(_COMMON))

    def drag(self) -> None:
        """Drag a shape to another place."""
        self._begin()
        self._drag_from(self._spot())

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
        self._begin()
        if self.dialog.menu:
            super().open_dialog()
        else:
            self._pick()
            self.hands.chord(self.dialog.keys)
            self.actor.wait_dialog(self.dialog.title)


_FAST: Sequence[Sequence[str]] = (
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


def _slide(rng: random.Random, number: int) -> str:
    lines = "".join(f"<text:p>{sentence(rng)}</text:p>" for _ in range(rng.randint(2, 4)))
    shapes = "".join(_shape(rng, spot) for spot in _SPOTS)
    return (
        f'<draw:page draw:name="slide{number}" draw:master-page-name="Default">'
        f"{_frame('title', 0.6, 2.4, f'<text:p>{heading(rng)} {number + 1}</text:p>')}"
        f"{_frame('outline', 3.6, 5.2, lines)}{shapes}</draw:page>"
    )


def _frame(kind: str, top: float, height: float, words: str) -> str:
    return (
        f'<draw:frame presentation:class="{kind}" presentation:style-name="{kind}" svg:x="1.4cm" svg:y="{top}cm" '
        f'svg:width="25.2cm" svg:height="{height}cm"><draw:text-box>{words}</draw:text-box></draw:frame>'
    )


def _shape(rng: random.Random, spot: tuple[float, float]) -> str:
    (width, height), kind = _SHAPE_SIZE, rng.choice(sorted(_OUTLINES))
    words = f"<text:p>{item(rng)}</text:p>" if rng.random() < 0.3 else ""  # noqa: PLR2004  # some have a label
    left, top = spot[0] * _WIDTH_CM - width / 2, spot[1] * _HEIGHT_CM - height / 2
    return (
        f'<draw:custom-shape draw:style-name="g{rng.randrange(len(_COLOURS))}" svg:x="{left:.2f}cm" '
        f'svg:y="{top:.2f}cm" svg:width="{width}cm" svg:height="{height}cm">{words}'
        f'<draw:enhanced-geometry svg:viewBox="0 0 21600 21600" draw:type="{kind}" '
        f'draw:enhanced-path="{_OUTLINES[kind]}"/></draw:custom-shape>'
    )
