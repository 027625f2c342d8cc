"""Painting in GIMP: strokes, filled shapes, words, pieces cut out and placed elsewhere."""

from evaluation.simulation.programs.gimp.window import GimpWindow
from evaluation.stage.prose import item


class GimpPainting(GimpWindow):
    """What is done on the picture itself."""

    # ------------------------------------------------------------------ painting

    def _paint(self) -> None:
        if self._actor.chance(0.4):
            self._tool("picker")
            self._hands.click(*self._contrasting())
        self._tool(self._rng.choice(("brush", "pencil")))
        end = self._until(self._rng.uniform(2.5, 4.5))
        while self._is_before(end):
            self._stroke()

    def _stroke(self) -> None:
        start = self._contrasting()
        self._hands.drag(start, self._away(start, 110, 380))

    def _fill_shapes(self) -> None:
        end = self._until(2.5)
        while True:
            self._select()
            self._hands.chord("ctrl+comma")
            if not self._is_before(end):
                return

    def _write_words(self) -> None:
        """Write a few words into a layer of their own, and go back to the picture's layer."""
        box = self._view()
        self._tool("text")
        self._hands.click(box.x + self._rng.randint(0, box.w // 3), box.y + self._rng.randint(0, box.h * 2 // 3))
        words = item(self._rng)
        self._actor.write(words[: max(4, int(self._actor.rate * 2.5))])
        self._hands.chord("Escape")
        self._hands.chord("End")

    def _recolour(self) -> None:
        self._tool("bucket", by_key=True)
        self._hands.click(*self._contrasting())

    def _rub_out(self) -> None:
        self._tool("eraser")
        for _ in range(self._rng.randint(1, 2)):
            start = self._somewhere()
            self._hands.drag(start, self._away(start, 120, 300))

    def _shift_piece(self) -> None:
        """Cut a piece out and put it elsewhere."""
        self._select()
        self._hands.chord("ctrl+x")
        self._hands.chord("ctrl+v")
        self._place_piece()

    def _copy_piece(self) -> None:
        self._select()
        self._hands.chord("ctrl+c")
        self._hands.chord("ctrl+v")
        self._place_piece()

    def _place_piece(self) -> None:
        """Move what was pasted and anchor it; it may lie anywhere, so move the active layer wherever it is."""
        self._pasted = True
        self._tool("move", by_key=True)
        x, y, across, down = self._piece
        self._hands.drag((x + across // 2, y + down // 2), self._away((x, y), 90, 260))
        self._hands.chord("ctrl+h")
        self._selected = False

    def _switch_tools(self) -> None:
        for _ in range(2):
            self._tool(self._rng.choice(("brush", "pencil")), by_key=True)
            self._stroke()
            self._hands.chord("x")

    def _fill_by_keys(self) -> None:
        self._select(by_key=True)
        for keys in self._rng.choice((("ctrl+comma", "x", "ctrl+comma"), ("ctrl+period", "ctrl+comma", "x"))):
            self._hands.chord(keys)
        self._hands.chord("shift+ctrl+a")
        self._selected = False

    def _select(self, *, by_key: bool = False) -> None:
        """Pull up a new rectangle or ellipse, of another colour than the foreground's."""
        self._ready()
        self._tool(self._rng.choice(("rectangle", "ellipse")), by_key=by_key)
        x, y = self._contrasting()
        across, down = self._rng.randint(70, 220), self._rng.randint(60, 160)
        box = self._view()
        end = (min(x + across, box.x + box.w), min(y + down, box.y + box.h))
        self._hands.drag((x, y), end)
        self._piece = (x, y, end[0] - x, end[1] - y)
        self._selected = True
