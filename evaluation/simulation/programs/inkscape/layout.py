"""Where things are in Inkscape 1.2 as it looks with an empty profile at 96 dpi, and that profile's few settings.

Places are pixels from the main window's top left corner; negative ones count from its far edges. Rows of menus are
pixels below the menu's top edge. Dialogs are floating windows, which Escape does not close.
"""

from dataclasses import dataclass
from pathlib import Path

from evaluation.simulation.program import Point
from evaluation.simulation.programs.pictures import Colour

MENU_Y = 12
MENUS = {
    "File": 20, "Edit": 59, "View": 104, "Layer": 154, "Object": 209, "Path": 260, "Text": 303, "Filters": 352,
    "Extensions": 424, "Help": 491,
}  # fmt: skip
SAVE_ROW, UNDO_ROW, REDO_ROW, DUPLICATE_ROW = 138, 12, 37, 265
ROTATE_ROW, DELETE_ROW = 467, 341

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
class Dialog:
    """A dialog: how it is opened, whether it needs something selected, and what can be clicked in it with an effect.

    `checks` are on the first of the `tabs`. A slider is a height and the range across in which to click.
    """

    title: str
    menu: str
    row: int
    keys: str
    needs_selection: bool = False
    has_name: bool = False
    checks: tuple[Point, ...] = ()
    tabs: tuple[Point, ...] = ()
    sliders: tuple[tuple[int, int, int], ...] = ()


DIALOGS = (
    Dialog(
        title="Document Properties",
        menu="File",
        row=367,
        keys="ctrl+shift+d",
        checks=((274, 347), (287, 413), (274, 347)),
        tabs=((45, 58), (114, 58), (176, 58), (232, 58), (380, 58)),
    ),
    Dialog(
        title="Fill and Stroke",
        menu="Object",
        row=37,
        keys="ctrl+shift+f",
        needs_selection=True,
        sliders=((193, 50, 250), (231, 120, 260), (269, 90, 180), (307, 120, 260)),
    ),
    Dialog(
        title="Transform",
        menu="Object",
        row=619,
        keys="ctrl+shift+m",
        checks=((18, 297), (213, 92), (213, 130)),
        tabs=((39, 57), (96, 57), (157, 57), (217, 57), (277, 57)),
    ),
    Dialog(title="Add Layer", menu="Layer", row=39, keys="ctrl+shift+n", has_name=True),
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
