"""Build slides in LibreOffice Impress: shapes, their labels, places and colours, and more slides.

No slide show is ever started: it would cover everything. A new slide is a copy of another one, because empty slides of
a hand-written file have no frames for words.
"""

from collections.abc import Callable
from pathlib import Path

from evaluation.simulation.actor import Actor
from evaluation.simulation.program import Point
from evaluation.simulation.programs.impress.places import (
    DIALOGS,
    FAST,
    KEYED_MENUS,
    MENUS,
    SLIDE_DUPLICATE,
    TOOLS,
    VIEW_NORMAL,
    VIEW_SORTER,
)
from evaluation.simulation.programs.impress.slide import TITLE, ImpressSlide
from evaluation.simulation.programs.office.files import File, write_slides
from evaluation.stage.prose import item

_PANELS, _PROPERTIES = (209, 253, 296), 167
_COMMON = ("the", "needs", "garden", "chairs", "choir", "summer", "small", "more")
_PLACE = "Position and Size"
_FIELDS = ((140, 92), (140, 132), (140, 237))
_DRAWN = ("rectangle", "ellipse", "line", "arrow", "diamond", "smiley", "block arrow", "star")


class Impress(ImpressSlide):
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
        self._sorting = False

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
        if self.actor.chance(0.4):
            self.hands.click(*self.at_slide((self.rng.uniform(0.1, 0.9), 0.96)))

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
        self.begin()
        tool = self.rng.choice(_DRAWN)
        x, y = self.rng.uniform(0.05, 0.8), self.rng.uniform(0.22, 0.85)
        start = self.at_slide((x, y))
        end = self.at_slide((x + self.rng.uniform(0.06, 0.18), y + self.rng.uniform(0.05, 0.12)))
        self.tool(tool)
        self.hands.drag(start, end)
        self.hands.wait(self.hands.about(0.3))
        self.at_caret = tool not in {"line", "arrow"} and self.actor.chance(0.5)

    def _label(self) -> None:
        """Open the words of a shape and go to their end."""
        self.pick()
        self.hands.chord("F2")
        self.hands.chord("ctrl+End")
        self.hands.text(" ", rate=self.actor.rate)
        self.at_caret = True

    def _new_slide(self) -> None:
        """Begin a slide like this one, with another title."""
        self.begin()
        if self.actor.by_key() or self.tools["duplicate slide"][0] > self.box.w - 60:
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
            self.actor.write(self.rng.choice(item(self.rng).split()))
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

    # ------------------------------------------------------------------ looking

    def _page(self, direction: int) -> None:
        self.begin()
        if self.actor.by_key():
            self.hands.chord("Next" if direction > 0 else "Prior")
        elif self.actor.chance(0.4):
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

    # ------------------------------------------------------------------ trying

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
        if self.actor.chance(0.6):
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
        try:
            self.wait_for(lambda: self.windows.find(title=_PLACE) is not None, "no dialog", timeout_s=1.2)
        except LookupError:
            self.pick()
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
            self.actor.wait_dialog(self.dialog.title)
