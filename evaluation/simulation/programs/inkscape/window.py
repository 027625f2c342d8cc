"""Inkscape's window: opening it with a drawing, getting back to a plain state, its tools, fields and places.

What is a thing and what is paper is told by its colour on the screen: things are vivid, paper is white.
"""

from evaluation.simulation.actor import Actor
from evaluation.simulation.program import Point
from evaluation.simulation.programs.canvas import Canvas, distance
from evaluation.simulation.programs.inkscape import layout
from evaluation.simulation.programs.pictures import VIVID, Colour, draw
from evaluation.stage.desktop import VirtualDesktop
from storage.records import Box

_ALIKE = 120
_MARGIN = 40
_MAXIMISED_SHARE = 0.35
PAPER = (255, 255, 255)
_COLOURED = 45
_CORE = 7


class InkscapeWindow(Canvas):
    """Inkscape with one drawing, at a size and place of the seed's choice."""

    name = "inkscape"
    packages = "inkscape adwaita-icon-theme hicolor-icon-theme fonts-dejavu-core"
    app = "Inkscape"

    def __init__(self, actor: Actor) -> None:
        """Let `actor` work in it; which dialog, field and zoom they use is chosen once."""
        super().__init__(actor)
        self._dialog = self._rng.choice(layout.DIALOGS)
        self._fit = self._rng.choice(("5", "6", "6"))
        places = ("x", "y") if self._fit == "5" else ("x",)  # a part of the page's height is out of view with "6"
        self._field = self._rng.choice(("zoom", "width", "height", *places))
        self._selected = self._moved = False
        self._looked = ""
        self._is_larger = False
        self._page = self._tab = 0
        self._value = 100

    def open(self, desktop: VirtualDesktop) -> None:
        """Start Inkscape with a drawing, at a size and place of the seed's choice, and fit the page into the view."""
        profile = desktop.directory / "config" / "inkscape"
        layout.write_profile(
            profile, light=self._actor.chance(0.5), ink=self._rng.choice(VIVID), text_size=self._rng.randint(30, 60)
        )
        name = self._rng.choice(("logo", "drawing", "map", "badge", "plan"))
        path = desktop.directory / "home" / f"{name}.svg"
        draw(path, (self._rng.randint(800, 1000), self._rng.randint(1050, 1300)), self._rng)
        desktop.spawn(["inkscape", str(path)], "inkscape")
        window = desktop.windows.wait(self.app, name, timeout_s=120)
        self._hands.wait(1.0)
        width, height = self._rng.randint(1400, 1700), self._rng.randint(850, 960)
        if self._actor.chance(_MAXIMISED_SHARE):
            desktop.windows.maximise(window)
        else:
            place = Box(self._rng.randint(10, 1900 - width), self._rng.randint(10, 1010 - height), width, height)
            desktop.windows.place(window, place)
        self._take(desktop, window)
        self._hands.wait(1.5)  # the tool bars are laid out anew; nothing announces the end
        self._measure()
        self._hands.move(*self._somewhere())
        self._hands.chord(self._fit)
        self._hands.wait(0.5)

    def settle(self) -> None:
        """Get out of everything, with nothing selected and the page fitted into the view."""
        self._come_back()
        self._hands.chord("Escape")
        self._selected = False
        self._ready()

    # ------------------------------------------------------------------ states

    def _ready(self) -> None:
        """Have the view as it was at first."""
        if self._moved:
            self._hands.chord(self._fit)
            self._hands.wait(0.3)
            self._moved = False
            self._page = 0
            self._looked = ""

    def _tool(self, name: str, *, by_key: bool = False) -> None:
        keys, number = layout.TOOLS[name]
        if by_key or self._actor.by_key():
            self._hands.chord(self._rng.choice(keys))
        else:
            self._hands.click(*self._at(layout.TOOL_X, round(layout.TOOL_Y + number * layout.TOOL_PITCH)))
        self._hands.wait(0.2)

    def _menu(self, name: str) -> Point:
        return self._at(layout.MENUS[name], layout.MENU_Y)

    # ------------------------------------------------------------------ looking

    def _view(self) -> Box:
        left, top = self._at(layout.LEFT + _MARGIN, layout.TOP + _MARGIN)
        right, bottom = self._at(layout.RIGHT - _MARGIN, layout.BOTTOM - _MARGIN)
        return Box(left, top, right - left, bottom - top)

    def _thing(self) -> Point:
        """Return a place well inside something coloured; if there is nothing in the view, draw something first.

        Raises:
            LookupError: there still is nothing.
        """
        if (place := self._find_thing()) is not None:
            return place
        self._hands.chord("r")
        start = self._paper()
        self._hands.drag(start, self._away(start, 80, 200))
        self._hands.click(*self._other_ink(PAPER))
        self._hands.chord("s")
        self._hands.chord("Escape")
        self._hands.wait(0.2)
        if (place := self._find_thing()) is None:
            raise LookupError("nothing to take hold of in the view")
        return place

    def _find_thing(self) -> Point | None:
        look = self._look()
        for _ in range(400):
            x, y = self._somewhere()
            middle = look.colour((x, y))
            corners = ((x - _CORE, y - _CORE), (x + _CORE, y + _CORE), (x + _CORE, y - _CORE))
            if _is_vivid(middle) and all(distance(look.colour(corner), middle) < _COLOURED for corner in corners):
                return x, y
        return None

    def _paper(self) -> Point:
        """Return a place on white paper, or any place if there is none."""
        look = self._look()
        for _ in range(80):
            point = self._somewhere()
            if look.colour(point) == PAPER:
                return point
        return point

    def _take_hold(self) -> Point:
        """Select a thing, alone, and return where it was clicked."""
        self._ready()
        self._tool("select")
        if self._selected:
            self._hands.chord("Escape")
            self._hands.wait(0.15)
        point = self._thing()
        self._hands.click(*point)
        self._hands.wait(0.25)
        self._selected = True
        return point

    def _other_ink(self, than: Colour) -> Point:
        """Return a place in the palette whose colour is vivid and unlike another."""
        left, y = self._at(layout.PALETTE_FROM, layout.PALETTE_Y)
        right, _ = self._at(layout.PALETTE_TO, layout.PALETTE_Y)
        palette = self._colours((left, y), right - left)
        self._hands.wait(self._hands.about(0.12))
        fitting = [x for x, one in enumerate(palette) if _is_vivid(one) and distance(one, than) > _ALIKE]
        return left + self._rng.choice(fitting or range(len(palette))), y


def _is_vivid(colour: Colour) -> bool:
    return max(colour) - min(colour) > _COLOURED
