"""Drawing in Inkscape: shapes, strokes and words, things moved, coloured, sized, turned and copied."""

from evaluation.simulation.programs.inkscape import layout
from evaluation.simulation.programs.inkscape.window import PAPER, InkscapeWindow
from evaluation.stage.prose import item

SHAPES = ("rectangle", "ellipse", "star")
_ARROWS = ("Right", "Left", "Down", "Up")


class InkscapeDrawing(InkscapeWindow):
    """What is done on the page itself."""

    # ------------------------------------------------------------------ new things

    def _draw_shapes(self) -> None:
        self._tool(self._rng.choice(SHAPES))
        end = self._until(self._rng.uniform(1.0, 2.5))
        while True:
            self._draw()
            if self._actor.chance(0.7):
                self._hands.click(*self._other_ink(PAPER))
            if not self._is_before(end):
                return

    def _draw_strokes(self) -> None:
        self._tool("pencil")
        end = self._until(self._rng.uniform(1.5, 3.5))
        while True:
            self._draw()
            if not self._is_before(end):
                return

    def _draw(self) -> None:
        """Pull up one thing with the tool at hand."""
        start = self._paper()
        self._hands.drag(start, self._away(start, 60, 200))
        self._selected = True

    def _write_words(self) -> None:
        self._tool("text")
        self._hands.click(*self._paper())
        self._actor.write(item(self._rng)[: max(4, int(self._actor.rate * 2.5))])
        self._hands.chord("Escape")

    # ------------------------------------------------------------------ things that are there

    def _move_thing(self) -> None:
        """Drag a thing elsewhere; one that is not selected yet moves with the same press."""
        self._ready()
        self._tool("select")
        if self._selected:
            self._hands.chord("Escape")
        point = self._thing()
        self._hands.drag(point, self._away(point, 70, 260))
        self._selected = True

    def _colour_thing(self) -> None:
        (colour,) = self._colours(self._take_hold(), 1)
        self._hands.click(*self._other_ink(colour))

    def _size_thing(self) -> None:
        self._take_hold()
        self._hands.click(*self._at(*layout.FIELDS[self._rng.choice(("width", "height"))]))
        self._hands.chord("ctrl+a")
        self._hands.text(f"{self._rng.randint(60, 220)}\n", rate=self._actor.rate)

    # ------------------------------------------------------------------ the selected thing, by keys alone

    def _duplicate(self) -> None:
        for _ in range(self._rng.randint(1, 2)):
            self._hands.chord("ctrl+d")
            self._nudge(3, 5)

    def _copy(self) -> None:
        self._hands.chord("ctrl+c")
        self._hands.move(*self._paper())
        self._hands.chord("ctrl+v")
        self._nudge(1, 3)

    def _turn(self) -> None:
        self._hands.chord("Home")
        self._hands.repeat("bracketright", self._rng.randint(1, 3), gap_s=0.06)
        self._hands.repeat("greater", self._rng.randint(3, 6), gap_s=0.06)

    def _walk(self) -> None:
        """Go on to other things and push each; the view follows."""
        self._moved = True
        for _ in range(self._rng.randint(2, 3)):
            self._hands.chord("Tab")
            self._nudge(2, 4)

    def _nudge(self, fewest: int, most: int) -> None:
        arrow = self._rng.choice(_ARROWS)
        self._hands.repeat(f"shift+{arrow}", self._rng.randint(fewest, most), gap_s=0.06)
