"""GIMP's window: opening it with a picture, getting back to a plain state, its tools, menus, panels and places.

The view shows a part of the picture, so that what is drawn in it is always on the picture and paging shows another
part. A selection, a floating layer and a text under way change what every key does; `settle` clears all three.
"""

from evaluation.simulation.actor import Actor
from evaluation.simulation.program import Point
from evaluation.simulation.programs.canvas import Canvas, distance, run_of
from evaluation.simulation.programs.gimp import layout
from evaluation.simulation.programs.pictures import paint
from evaluation.stage.desktop import VirtualDesktop
from evaluation.stage.windows import poll
from storage.records import Box

_ALIKE = 90
_MARGIN = 50
_MAXIMISED_SHARE = 0.35


class GimpWindow(Canvas):
    """GIMP with one picture, at a size and place of the seed's choice."""

    name = "gimp"
    packages = "gimp fonts-dejavu-core"
    app = "Gimp"

    def __init__(self, actor: Actor) -> None:
        """Let `actor` work in it; which dialog and which field they use is chosen once."""
        super().__init__(actor)
        self._dialog = self._rng.choice(layout.DIALOGS)
        self._field = self._rng.choice(("zoom", "zoom", "opacity"))
        self._zoom = self._rng.choice((1, 2))
        self._dock = self._rng.randint(205, 250)
        self._values = {"zoom": 100 * self._zoom, "opacity": 100}
        self._saved = self._selected = self._pasted = self._moved = self._zoomed = self._undone = False
        self._looked = ""
        self._is_larger = False
        self._panel = self._brushes = self._tab = 0

    def open(self, desktop: VirtualDesktop) -> None:
        """Start GIMP with a painted picture, at a size and place of the seed's choice, and show a part of it."""
        maximised = self._actor.chance(_MAXIMISED_SHARE)
        width, height = self._rng.randint(1240, 1640), self._rng.randint(790, 960)
        place = Box(self._rng.randint(10, 1900 - width), self._rng.randint(30, 1010 - height), width, height)
        profile = desktop.directory / "config" / "GIMP" / "2.10"
        layout.write_profile(profile, place, maximised=maximised, dock=self._dock)
        across = (1920 if maximised else width) - layout.LEFT - self._dock + self._rng.randint(90, 240)
        down = int((1060 if maximised else height) * self._rng.uniform(1.7, 2.1))
        name = self._rng.choice(("poster", "picture", "sketch", "cover", "flyer"))
        path = desktop.directory / "home" / f"{name}.png"
        paint(path, (across // self._zoom, down // self._zoom), self._rng)
        desktop.spawn(["gimp", "-s", str(path)], "gimp")
        self._take(desktop, desktop.windows.wait(self.app, name, timeout_s=120))
        poll(self._has_layout, what="laying out GIMP", timeout_s=30)
        self._hands.wait(1.0)
        self._hands.move(*self._somewhere())
        self._hands.chord(str(self._zoom))
        self._hands.chord("shift+j")
        self._hands.wait(0.5)
        poll(self._has_layout, what="laying out GIMP", timeout_s=30)

    def settle(self) -> None:
        """Get out of everything, with nothing selected and the view as it was at first."""
        self._come_back()
        self._hands.chord("Escape")
        if self._undone or self._pasted:
            self._hands.chord("ctrl+h")
            self._hands.chord("End")
            self._pasted = False
        self._ready(by_key=True)  # Escape may have taken the selection back, which leaves the menu's entry grey
        self._show_panel(0)

    # ------------------------------------------------------------------ places and states

    def _has_layout(self) -> bool:
        """Find the places that differ from run to run; tell whether they could be found yet."""
        self._measure()
        try:
            bar = self._colours(self._at(-110, 300), 250, down=True)
            self._lower = run_of(layout.PANEL_FILL, bar, layout.PANEL_FILL_LENGTH) + 300 - layout.PANEL_FILL_Y
            row = self._colours(self._at(layout.ZOOM_FROM, layout.ZOOM_Y), layout.ZOOM_WIDTH)
            field = run_of(layout.ZOOM_COLOUR, row, layout.ZOOM_LENGTH)
        except LookupError:
            return False
        self._zoom_field = (layout.ZOOM_FROM + field + layout.ZOOM_LENGTH // 2, layout.ZOOM_Y)
        return True

    def _ready(self, *, by_key: bool = False) -> None:
        """Have nothing selected, nothing afloat after an undo, and the view where the picture fills it."""
        if self._undone and self._pasted:
            self._hands.chord("ctrl+h")
            self._pasted = False
        if self._undone or (self._selected and (by_key or self._actor.by_key() or self._actor.chance(0.5))):
            self._hands.chord("shift+ctrl+a")
        elif self._selected:
            self._choose(self._menu("Select"), layout.NO_SELECTION_ROW)
        self._undone = self._selected = False
        if self._moved:
            self._hands.chord(str(self._zoom))
            self._hands.chord("shift+j")
            self._hands.wait(0.2)
            self._moved = self._zoomed = False
            self._looked = ""
            self._values["zoom"] = 100 * self._zoom

    def _tool(self, name: str, *, by_key: bool = False) -> None:
        keys, button = layout.TOOLS[name]
        if by_key or self._actor.by_key():
            self._hands.chord(keys)
        else:
            self._hands.click(*self._at(*button))
        self._hands.wait(0.15)

    def _view(self) -> Box:
        """Return the visible part of the picture, less a margin."""
        left, top = self._at(layout.LEFT + _MARGIN, layout.TOP + _MARGIN)
        right, bottom = self._at(-self._dock - layout.SCROLL_BAR - _MARGIN, -layout.BOTTOM - _MARGIN)
        return Box(left, top, right - left, bottom - top)

    def _contrasting(self) -> Point:
        """Return a place whose colour is not the foreground's; swap the two colours if there seems to be none."""
        (ink,) = self._colours(self._at(*layout.FOREGROUND), 1)
        look = self._look()
        box = look.box
        for _ in range(20):
            point = box.x + self._rng.randint(0, box.w * 3 // 4), box.y + self._rng.randint(0, box.h * 3 // 4)
            if distance(look.colour(point), ink) > _ALIKE:
                return point
        if self._actor.by_key():
            self._hands.chord("x")
        else:
            self._hands.click(*self._at(*layout.SWAP))
        return point

    def _menu(self, name: str) -> Point:
        return self._at(layout.MENUS[name], layout.MENU_Y)

    def _in_dock(self, x: int, y: int) -> Point:
        return self._at(self._box.w - self._dock + x, y)

    def _in_layers(self, place: Point) -> Point:
        return self._at(place[0], place[1] + self._lower)

    def _show_panel(self, number: int) -> None:
        if number != self._panel:
            self._hands.click(*self._in_dock(layout.PANEL_TABS[number], layout.PANEL_Y + self._lower))
            self._panel = number
            self._hands.wait(0.3)

    def _go_to_field(self) -> None:
        if self._field == "zoom":
            self._hands.click(*self._at(*self._zoom_field), count=2)
        else:
            self._show_panel(0)
            self._hands.click(*self._in_layers(layout.OPACITY_FIELD))
        self._hands.wait(0.2)

    def _commit(self, text: str) -> None:
        """Type and press Enter; the opacity's field keeps the keyboard until Escape."""
        self._hands.text(text + "\n", rate=self._actor.rate)
        self._hands.wait(0.3)
        if self._field == "zoom":
            self._moved = self._zoomed = True
        else:
            self._hands.chord("Escape")
