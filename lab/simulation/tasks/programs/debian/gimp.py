"""GIMP with tasks: people paint and fill where nothing is taken, since a small selection elsewhere is on."""

from collections.abc import Sequence
from functools import partial

from demo.virtual_desktop.pixels import differing_pixels, grab_pixels
from lab.simulation.program import Point
from lab.simulation.programs.gimp import Gimp
from lab.simulation.simulated_user import SimulatedUser
from lab.simulation.tasks.task import Answer, Task, Way
from lab.simulation.tasks.ways import repeated, repeated_and_varied, varied

_PAINTERS = ("p", "n", "a")
_BUCKET, _RECTANGLE = "shift+b", "r"
_LEAST = 250
"""Pixels; the ants around a selection change fewer."""


class GimpProgram(Gimp):
    """A painted picture."""

    name = "gimp-tasks"

    def __init__(self, user: SimulatedUser) -> None:
        """Let `user` paint."""
        super().__init__(user)
        self._tasks = self._make_tasks()

    def tasks(self) -> Sequence[Task]:
        """Return the tasks there are."""
        return self._tasks

    def work(self) -> None:
        """Paint some strokes, or fill an area."""
        self._deselect()
        if self._user.chance(0.7):
            self._hands.chord("p")
            for _ in range(self._rng.randint(2, 4)):
                self._stroke()
                self._user.think(0.5)
        else:
            self._recolour()

    def look_over(self) -> None:
        """Turn the wheel over the picture, and back."""
        steps = self._rng.choice((-3, -2, 2, 3))
        self._scroll(steps)
        self._hands.wait(self._hands.about(0.6))
        self._hands.scroll(-steps)

    def places(self) -> Sequence[Point]:
        """Return places on the picture, and titles of menus."""
        return [*self.content_points(), *self.menu_points()[:3]]

    def state(self) -> bytes:
        """Return the pixels of the picture, for tests."""
        return grab_pixels(self._desktop.display, self._view())

    def has_changed(self, before: bytes) -> bool:
        """Return whether the picture is another than it was."""
        return differing_pixels(before, self.state()) > _LEAST

    def _make_tasks(self) -> Sequence[Task]:
        zooms = tuple(partial(self._zoom_by, keys) for keys in ("plus", "minus"))
        return (
            Task(
                name="paint",
                intent="paint a line across the picture",
                help="take the selection away first: nothing is painted outside of it",
                begin=self._select_little,
                succeed=self._paint_well,
                leave=self._deselect,
                again=self._paint_well,
                options=zooms,
                wrong=(
                    *repeated_and_varied(self._paint_by, _PAINTERS, Answer.NOTHING, self._rng, name="tools"),
                    Way(name="click", act=self._dab, answer=Answer.NOTHING),
                ),
            ),
            Task(
                name="fill",
                intent="give an area another colour",
                help="take the selection away first: nothing is filled outside of it",
                begin=self._select_little,
                succeed=self._fill_well,
                leave=self._deselect,
                again=self._fill_well,
                options=zooms,
                wrong=(
                    repeated(self._fill_by, "", Answer.NOTHING),
                    varied(self._fill_by, ("x", "d", ""), Answer.NOTHING, "colours"),
                ),
            ),
        )

    def _zoom_by(self, keys: str) -> None:
        self._hands.chord(keys)
        self._moved = True
        self._hands.wait(0.3)

    def _select_little(self) -> None:
        """Select a few pixels near the upper left corner, as if from what was done before."""
        self._deselect()
        box = self._view()
        x, y = box.x - self._rng.randint(8, 20), box.y - self._rng.randint(8, 20)
        self._hands.chord(_RECTANGLE)
        self._hands.wait(0.2)
        self._hands.drag((x - 12, y - 12), (x, y))
        self._selected = True
        self._hands.wait(0.3)

    def _deselect(self) -> None:
        self._hands.chord("shift+ctrl+a")
        self._selected = False
        self._hands.wait(0.2)

    def _line(self) -> None:
        start = self._contrasting()
        self._hands.drag(start, self._away(start, 110, 380))
        self._hands.wait(0.3)

    def _paint_by(self, tool: str) -> None:
        self._hands.chord(tool)
        self._hands.wait(0.2)
        self._line()

    def _dab(self, _number: int) -> None:
        """Click here and there with the brush."""
        self._hands.chord("p")
        for _ in range(self._user.count(1, 3)):
            self._hands.click(*self._somewhere())
            self._hands.wait(0.3)

    def _paint_well(self) -> None:
        self._deselect()
        self._paint_by("p")

    def _fill_by(self, colours: str) -> None:
        """Click with the bucket, after a change of the colours."""
        if colours:
            self._hands.chord(colours)
            self._hands.wait(0.2)
        self._hands.chord(_BUCKET)
        self._hands.click(*self._somewhere())
        self._hands.wait(0.4)

    def _fill_well(self) -> None:
        self._deselect()
        self._hands.chord(_BUCKET)
        self._hands.click(*self._contrasting())
        self._hands.wait(0.4)
