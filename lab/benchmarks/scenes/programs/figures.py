"""Scenes in Inkscape: a shape drawn and taken back, one moved to and fro, many shapes."""

from demo.user import DemoUser
from demo.virtual_desktop.desktop import VirtualDesktop
from lab.benchmarks.scenes.programs.window import WindowScenes

_PREFERENCES = """<?xml version="1.0" encoding="UTF-8"?>
<inkscape xmlns="http://www.w3.org/2000/svg" version="1">
  <group id="options"><group id="boot" enabled="0"/></group>
</inkscape>
"""
"""Leaves out the welcome of a first start."""

_PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="800" height="600"/>\n'
_LEFT, _RIGHT, _TOP, _BOTTOM = 250, 700, 250, 600
"""Where the page is in the window."""


class FiguresScenes(WindowScenes):
    """A drawing of shapes."""

    def __init__(self, user: DemoUser) -> None:
        """Let `user` play them."""
        super().__init__(user)
        self.in_vain = {"shape_undone": self._draw_in_vain, "moved_to_and_fro": self._move_to_and_fro}
        self.calm = {"many_shapes": self._draw, "placed_each": self._draw_and_place}

    def open(self, desktop: VirtualDesktop) -> None:
        """Start it with an empty picture."""
        home = desktop.directory / "home"
        (home / ".config" / "inkscape").mkdir(parents=True, exist_ok=True)
        (home / ".config" / "inkscape" / "preferences.xml").write_text(_PREFERENCES)
        (home / "plan.svg").write_text(_PICTURE)
        desktop.spawn(["inkscape", "plan.svg"], "inkscape", cwd=home)
        window = desktop.windows.wait("Inkscape", "plan.svg", timeout_s=60)
        self._hands.wait(2.0)  # it takes the whole screen after its window is there
        desktop.windows.unmaximise(window)
        self.place(desktop, window, (1150, 850))

    def begin(self, seconds: float) -> None:
        """Draw."""
        self.fluent(seconds, self._draw)

    def _shape(self, x: int, y: int, width: int, height: int) -> None:
        self._hands.chord(self._rng.choice(("r", "e")))
        self._hands.wait(0.3)
        left, top = self._box.x + x, self._box.y + y
        self._hands.drag((left, top), (left + width, top + height))

    def _draw(self) -> None:
        """A shape elsewhere each time."""
        x, y = self._rng.randint(_LEFT, _RIGHT - 200), self._rng.randint(_TOP, _BOTTOM - 150)
        self._shape(x, y, self._rng.randint(50, 180), self._rng.randint(40, 140))
        self._user.read(0.8, 2.0)

    def _draw_and_place(self) -> None:
        """A shape, moved a little until it is right."""
        self._draw()
        self._hands.chord("s")
        self._hands.repeat(self._rng.choice(("Right", "Down", "Left", "Up")), self._rng.randint(2, 5))
        self._user.read(0.8, 1.6)

    def _draw_in_vain(self) -> None:
        """A shape at the same place, beside the others, looked at and taken back."""
        self._shape(_RIGHT + 30, 500, 150, 120)
        self._user.read(1.0, 2.5)
        self._hands.chord("ctrl+z")
        self._user.read(1.0, 2.5)

    def _move_to_and_fro(self) -> None:
        """Move the shape that was drawn last to one side, look, and back."""
        self._hands.chord("s")
        steps = self._rng.randint(2, 4)
        for key in ("Right", "Left"):
            self._hands.repeat(key, steps)
            self._user.read(1.0, 2.5)
