"""Inkscape 1.2 with one drawing.

What is a thing and what is paper is recognised by its colour on the screen: things are vivid, paper is white.

Places are pixels from the main window's top left corner, measured with an empty profile at 96 dpi; negative ones count
from its far edges, rows of menus from the menu's top edge. Dialogs are floating windows, which Escape does not close.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.sample_text import item
from lab.simulation.program import Point
from lab.simulation.programs.drawing import Dialog, DrawingProgram, distance
from lab.simulation.programs.pictures import VIVID, Colour, draw
from lab.simulation.simulated_user import SimulatedUser
from storage.records import Box

MENUS = {
    "File": 20, "Edit": 59, "View": 104, "Layer": 154, "Object": 209, "Path": 260, "Text": 303, "Filters": 352,
    "Extensions": 424, "Help": 491,
}  # fmt: skip
DELETE_ROW = 341

LEFT, TOP, RIGHT, BOTTOM = 53, 93, -67, -90
"""Edges of the canvas."""

TOOLS: dict[str, tuple[tuple[str, ...], int]] = {
    "select": (("s", "F1"), 0),
    "rectangle": (("r", "F4"), 2),
    "ellipse": (("e", "F5"), 3),
    "star": (("asterisk",), 4),
    "pencil": (("p", "F6"), 8),
    "text": (("t", "F8"), 10),
}
"""Shortcuts of each tool and its number from the top of the tool box."""

TOOL_X, TOOL_Y, TOOL_PITCH, TOOL_COUNT = 15, 84, 32.2, 21
COMMANDS_X, COMMANDS = -22, (82, 117, 152, 187, 236, 271, 357)
PALETTE_Y, PALETTE_FROM, PALETTE_TO = -44, 264, -120
FIELDS = {"x": (545, 46), "y": (696, 46), "width": (850, 46), "height": (1035, 46), "zoom": (-217, -18)}
STEPPERS = {"x": (631, 46), "y": (782, 46), "width": (934, 46), "height": (1120, 46), "opacity": (215, -18)}
ZOOM_IN, ZOOM_OUT = (-157, -18), (-178, -18)


@dataclass(frozen=True, slots=True, kw_only=True)
class InkscapeDialog(Dialog):
    """Also whether it needs something selected; `checks` have an effect when clicked and are on the first tab."""

    needs_selection: bool = False
    has_name: bool = False
    checks: tuple[Point, ...] = ()


DIALOGS = (
    InkscapeDialog(
        title="Document Properties",
        menu="File",
        row=367,
        keys="ctrl+shift+d",
        checks=((274, 347), (287, 413), (274, 347)),
        tabs=((45, 58), (114, 58), (176, 58), (232, 58), (380, 58)),
    ),
    InkscapeDialog(
        title="Fill and Stroke",
        menu="Object",
        row=37,
        keys="ctrl+shift+f",
        needs_selection=True,
        sliders=((193, 50, 250), (231, 120, 260), (269, 90, 180), (307, 120, 260)),
    ),
    InkscapeDialog(
        title="Transform",
        menu="Object",
        row=619,
        keys="ctrl+shift+m",
        checks=((18, 297), (213, 92), (213, 130)),
        tabs=((39, 57), (96, 57), (157, 57), (217, 57), (277, 57)),
    ),
    InkscapeDialog(title="Add Layer", menu="Layer", row=39, keys="ctrl+shift+n", has_name=True),
)


def write_profile(folder: Path, *, light: bool, ink: Colour, text_size: int) -> None:
    """Write preferences without a welcome, with floating dialogs, a small window at first, and `ink` to draw with."""
    folder.mkdir(parents=True, exist_ok=True)
    colour = "#{:02x}{:02x}{:02x}".format(*ink)
    words = f"font-size:{text_size}px;font-family:sans-serif;fill:{colour};fill-opacity:1;stroke:none"
    (folder / "preferences.xml").write_text(
        '<inkscape version="1" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape">\n'
        '<group id="options"><group id="boot" enabled="0"/><group id="dialogtype" value="0"/>'
        '<group id="defaultwindowsize" value="0"/><group id="savewindowgeometry" value="0"/></group>\n'
        f'<group id="theme" gtkTheme="Adwaita" preferDarkTheme="{0 if light else 1}"/>\n'
        f'<group id="desktop" style="fill:{colour};fill-opacity:1;stroke:none"/>\n'
        f'<group id="tools"><group id="text" usecurrent="0" style="{words}"/><group id="freehand">'
        f'<group id="pencil" usecurrent="0" style="fill:none;stroke:{colour};stroke-width:5;stroke-opacity:1"/>'
        "</group></group>\n</inkscape>\n"
    )


_ALIKE = 120
_MARGIN = 40
_MAXIMISED_SHARE = 0.35
PAPER = (255, 255, 255)
_COLOURED = 45
_CORE = 7


def _is_vivid(colour: Colour) -> bool:
    return max(colour) - min(colour) > _COLOURED


SHAPES = ("rectangle", "ellipse", "star")
_ARROWS = ("Right", "Left", "Down", "Up")


_PAGES = 4


class Inkscape(DrawingProgram):
    """Drawing on one page, in a window at a size and place of the seed's choice."""

    name = "inkscape"
    packages = "inkscape adwaita-icon-theme hicolor-icon-theme fonts-dejavu-core"
    app = "Inkscape"
    menus = MENUS
    menu_y = 12
    save_row, undo_row, redo_row = 138, 12, 37
    redo_keys = ("ctrl+y", "ctrl+shift+z")
    _dialog: InkscapeDialog

    def __init__(self, user: SimulatedUser) -> None:
        """Let `user` operate it; which dialog, field and zoom they use is chosen once."""
        super().__init__(user)
        self._dialog = self._rng.choice(DIALOGS)
        self._fit = self._rng.choice(("5", "6", "6"))
        places = ("x", "y") if self._fit == "5" else ("x",)  # a part of the page's height is out of view with "6"
        self._field = self._rng.choice(("zoom", "width", "height", *places))
        self._selected = False
        self._looked = ""
        self._page = 0
        self._value = 100

    def open(self, desktop: VirtualDesktop) -> None:
        """Start Inkscape with a drawing, at a size and place of the seed's choice, and fit the page into the view."""
        profile = desktop.directory / "config" / "inkscape"
        write_profile(
            profile, light=self._user.chance(0.5), ink=self._rng.choice(VIVID), text_size=self._rng.randint(30, 60)
        )
        name = self._rng.choice(("logo", "drawing", "map", "badge", "plan"))
        path = desktop.directory / "home" / f"{name}.svg"
        draw(path, (self._rng.randint(800, 1000), self._rng.randint(1050, 1300)), self._rng)
        desktop.spawn(["inkscape", str(path)], "inkscape")
        window = desktop.windows.wait(self.app, name, timeout_s=120)
        self._hands.wait(1.0)
        width, height = self._rng.randint(1400, 1700), self._rng.randint(850, 960)
        if self._user.chance(_MAXIMISED_SHARE):
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

    def _ready(self) -> None:
        """Have the view as it was at first."""
        if self._moved:
            self._hands.chord(self._fit)
            self._hands.wait(0.3)
            self._moved = False
            self._page = 0
            self._looked = ""

    def _tool(self, name: str, *, by_key: bool = False) -> None:
        keys, number = TOOLS[name]
        if by_key or self._user.by_key():
            self._hands.chord(self._rng.choice(keys))
        else:
            self._hands.click(*self._at(TOOL_X, round(TOOL_Y + number * TOOL_PITCH)))
        self._hands.wait(0.2)

    def _view(self) -> Box:
        left, top = self._at(LEFT + _MARGIN, TOP + _MARGIN)
        right, bottom = self._at(RIGHT - _MARGIN, BOTTOM - _MARGIN)
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
        left, y = self._at(PALETTE_FROM, PALETTE_Y)
        right, _ = self._at(PALETTE_TO, PALETTE_Y)
        palette = self._colours((left, y), right - left)
        self._hands.wait(self._hands.about(0.12))
        fitting = [x for x, one in enumerate(palette) if _is_vivid(one) and distance(one, than) > _ALIKE]
        return left + self._rng.choice(fitting or range(len(palette))), y

    def _draw_shapes(self) -> None:
        self._tool(self._rng.choice(SHAPES))
        end = self._until(self._rng.uniform(1.0, 2.5))
        while True:
            self._draw()
            if self._user.chance(0.7):
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
        self._user.write(item(self._rng)[: max(4, int(self._user.rate * 2.5))])
        self._hands.chord("Escape")

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
        self._hands.click(*self._at(*FIELDS[self._rng.choice(("width", "height"))]))
        self._hands.chord("ctrl+a")
        self._hands.text(f"{self._rng.randint(60, 220)}\n", rate=self._user.rate)

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

    def compose(self) -> None:
        """Draw a few shapes or strokes and colour them, or write some words."""
        self._ready()
        self._rng.choices((self._draw_shapes, self._draw_strokes, self._write_words), (5, 2, 3))[0]()

    def adjust(self) -> None:
        """Move a thing, give it another colour, or another size."""
        self._rng.choices((self._move_thing, self._colour_thing, self._size_thing), (1, 2, 1))[0]()

    def expert(self) -> None:
        """Duplicate or copy a thing and place it with keys, or turn and raise it, or go from thing to thing."""
        self._take_hold()
        self._rng.choice((self._duplicate, self._copy, self._turn, self._walk))()

    def repeat_useful(self) -> None:
        """Click the zoom buttons or the stepper of a thing's size, place or opacity."""
        times = self._rng.randint(3, 8)
        if self._user.chance(0.4):
            self._moved = True
            point = self._at(*self._rng.choice((ZOOM_IN, ZOOM_OUT)))
            times = min(times, 5)
        else:
            self._take_hold()
            point = self._at(*self._rng.choice(list(STEPPERS.values())))
        self._user.several(times, lambda: self._hands.click(*point), 0.2)

    def page(self, direction: int) -> None:
        """Turn the wheel over the page, or press ctrl and an arrow; at its end, turn back."""
        if abs(self._page + direction) > _PAGES:
            direction = -direction
        self._page += direction
        self._moved = True
        if self._user.by_key() and self._user.chance(0.4):
            self._hands.repeat("ctrl+Down" if direction > 0 else "ctrl+Up", self._rng.randint(3, 5), gap_s=0.04)
            return
        self._scroll(-direction * self._rng.randint(2, 3))

    def overview(self) -> None:
        """Show the whole page or drawing, or zoom out or in, by keys or buttons."""
        self._moved = True
        if self._user.by_key():
            choices = ("4", "5", "6", "1", "minus", "plus")
            keys = self._rng.choice([keys for keys in choices if keys not in {self._fit, self._looked}])
            self._looked = keys
            self._hands.repeat(keys, self._rng.randint(1, 2) if keys in {"minus", "plus"} else 1)
        else:
            point = self._at(*self._rng.choice((ZOOM_IN, ZOOM_OUT)))
            for _ in range(self._rng.randint(1, 2)):
                self._hands.click(*point)

    def tool_points(self) -> Sequence[Point]:
        """Return buttons of the tool box and of the commands bar."""
        tools = [self._at(TOOL_X, round(TOOL_Y + number * TOOL_PITCH)) for number in range(TOOL_COUNT)]
        return tools + [self._at(COMMANDS_X, y) for y in COMMANDS]

    def dead_points(self) -> Sequence[Point]:
        """Return empty parts of the menu bar and the tool box, and labels of the status bar that show no tool tip."""
        return [
            self._at(self._box.w * 2 // 3, self.menu_y),
            self._at(-70, self.menu_y),
            self._at(15, -66),
            self._at(-250, -18),
            self._at(-128, -18),
        ]

    def change(self) -> int:
        """Colour, move or delete a thing, or draw a new one."""
        kind = self._rng.choice(("colour", "move", "delete", "draw"))
        if kind == "colour":
            self._colour_thing()
        elif kind == "move":
            self._move_thing()
        elif kind == "delete":
            self._take_hold()
            if self._user.by_key():
                self._hands.chord("Delete")
            else:
                self._choose(self._menu("Edit"), DELETE_ROW)
            self._selected = False
        else:
            self._ready()
            self._tool(self._rng.choice(SHAPES))
            self._draw()
        self._hands.wait(0.3)
        return 1

    def enter_value(self) -> None:
        """Enter a zoom, or a thing's place or size."""
        if self._field == "zoom":
            value = self._rng.choice([value for value in range(40, 200, 5) if value != self._value])
        else:
            self._take_hold()
            value = self._rng.randint(60, 480 if self._field in {"x", "y"} else 260)
        self._hands.click(*self._at(*FIELDS[self._field]))
        self._hands.chord("ctrl+a")
        self._commit(value)

    def revise_value(self) -> None:
        """Go back to the field and change the value's first digit; the thing must still be the selected one."""
        if self._field != "zoom" and not self._selected:
            self._take_hold()
        first = str(self._value)[0]
        changed = self._rng.choice([digit for digit in "1234" if digit != first])
        self._hands.click(*self._at(*FIELDS[self._field]))
        self._hands.chord("Home")
        self._hands.chord("Delete")
        self._commit(int(changed + str(self._value)[1:]), typed=changed)

    def _commit(self, value: int, typed: str | None = None) -> None:
        self._hands.text((typed or str(value)) + "\n", rate=self._user.rate)
        self._value = value
        self._moved = self._moved or self._field == "zoom"
        self._hands.wait(0.3)

    def drag(self) -> None:
        """Move a thing, draw one, or pull a frame around some."""
        kind = self._rng.choices(("move", "draw", "frame"), (3, 2, 1))[0]
        if kind == "move":
            self._move_thing()
            return
        self._ready()
        self._tool("select" if kind == "frame" else self._rng.choice(SHAPES))
        if kind == "frame":
            self._hands.chord("Escape")
            start = self._paper()
            self._hands.drag(start, self._away(start, 250, 600))
            self._selected = True
        else:
            self._draw()

    def open_dialog(self) -> None:
        """Open this session's dialog, with a thing selected where it needs one."""
        if self._dialog.needs_selection:
            self._take_hold()
        super().open_dialog()

    def use_dialog(self) -> None:
        """Tick a box, turn to a tab, set a slider, or write a name."""
        dialog = self._dialog
        box = self._dialog_box(dialog.title)
        if dialog.has_name:
            self._hands.click(box.x + self._rng.randint(100, 200), box.y + 22)
            self._hands.chord("ctrl+a")
            self._hands.text(self._rng.choice(("notes", "text", "frame", "back")), rate=self._user.rate)
        elif dialog.sliders:
            self._set_slider(box)
        else:
            x, y = self._rng.choice(self._controls())
            self._hands.click(box.x + x, box.y + y)
        self._hands.wait(self._hands.about(0.3))

    def _controls(self) -> list[Point]:
        """Return what has an effect when clicked: other tabs, and on the first tab the boxes there."""
        tabs = self._dialog.tabs
        others = [number for number in range(len(tabs)) if number != self._tab]
        if self._tab == 0 and self._dialog.checks and self._user.chance(0.6):
            return list(self._dialog.checks)
        self._tab = self._rng.choice(others)
        return [tabs[self._tab]]

    def leave_dialog(self, *, apply: bool) -> None:
        """Leave by Enter or Escape where it asks something, else close its window."""
        dialog = self._dialog
        box = self._dialog_box(dialog.title)
        if dialog.has_name:
            if self._user.by_key():
                self._hands.chord("Return" if apply else "Escape")
            else:
                self._hands.click(box.x + (210 if apply else 121), box.y + 61)
        elif self._user.by_key() and not self._main.is_front():
            self._hands.chord("alt+F4")
        else:
            self._hands.click(box.x + box.w - 8, box.y - 10)
        self._wait_gone(dialog.title)
