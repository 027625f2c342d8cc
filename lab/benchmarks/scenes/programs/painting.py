"""Scenes in Drawing, a program to paint with: strokes taken back, tools that do not fit, and many strokes."""

from demo.user import DemoUser
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import poll
from lab.benchmarks.scenes.programs.window import WindowScenes

_TOOLS = range(45, 290, 30)
"""Heights of the tools in the bar on the left."""


class PaintingScenes(WindowScenes):
    """A picture."""

    def __init__(self, user: DemoUser) -> None:
        """Let `user` play them."""
        super().__init__(user)
        self._tool = self._rng.randrange(len(_TOOLS))
        self.in_vain = {"stroke_undone": self._draw_in_vain, "no_fitting_tool": self._try_tools}
        self.calm = {"many_strokes": self._draw, "undo_once_each": self._draw_better}

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it, and answer what it wants to know at its first start."""
        desktop.spawn(["drawing"], "drawing")
        window = desktop.windows.wait("Drawing", "Unsaved file", timeout_s=60)
        poll(lambda: not desktop.windows.is_active(window), what="its question")
        self._hands.chord("Escape")
        self.place(desktop, window, (1100, 800))

    def begin(self, seconds: float) -> None:
        """Draw."""
        self.fluent(seconds, self._draw)

    def _stroke(self, x: int, y: int, length: int) -> None:
        start = (self._box.x + x, self._box.y + y)
        end = (start[0] + length, start[1] + self._rng.randint(-60, 60))
        self._hands.drag(start, end)

    def _draw(self) -> None:
        """A stroke elsewhere each time."""
        self._stroke(self._rng.randint(150, 600), self._rng.randint(150, 550), self._rng.randint(80, 250))
        self._user.read(0.6, 1.8)

    def _draw_better(self) -> None:
        """A stroke, once taken back and drawn better, and two more."""
        x, y = self._rng.randint(150, 600), self._rng.randint(150, 550)
        self._stroke(x, y, 150)
        self._hands.chord("ctrl+z")
        self._hands.wait(0.4)
        self._stroke(x, y, 150)
        for _ in range(2):
            self._draw()

    def _draw_in_vain(self) -> None:
        """A stroke at the same place, looked at and taken back."""
        self._stroke(400, 350, 200)
        self._user.read(1.0, 2.5)
        self._hands.chord("ctrl+z")
        self._user.read(1.0, 2.5)

    def _try_tools(self) -> None:
        """Choose one tool after the other, press on the picture with it, and take that back."""
        self._tool = (self._tool + 1) % len(_TOOLS)
        self.click(12, _TOOLS[self._tool])
        self._user.read(0.8, 1.8)
        self._stroke(420, 360, 60)
        self._user.read(0.8, 2.0)
        self._hands.chord("ctrl+z")
        self._hands.wait(0.5)
