"""Where things are in GIMP 2.10 as it looks with an empty profile at 96 dpi, and that profile's few settings.

Places are pixels from the main window's top left corner; negative ones count from its far edges. The right dock's
places count from the dock's left edge. Rows of menus are pixels below the menu's top edge.
"""

from dataclasses import dataclass
from pathlib import Path

from evaluation.simulation.program import Point
from storage.records import Box

MENU_Y = 13
MENUS = {
    "File": 18, "Edit": 54, "Select": 98, "View": 146, "Image": 195, "Layer": 245, "Colors": 296, "Tools": 345,
    "Filters": 392, "Windows": 454, "Help": 511,
}  # fmt: skip
SAVE_ROW, UNDO_ROW, REDO_ROW, NO_SELECTION_ROW, INVERT_ROW = 182, 16, 41, 41, 282

LEFT, TOP, BOTTOM, SCROLL_BAR = 208, 86, 51, 19
"""The canvas begins at (LEFT, TOP) and ends at the right dock and its own scroll bar, BOTTOM above the lower edge."""

TOOLS: dict[str, tuple[str, Point]] = {
    "move": ("m", (15, 66)),
    "rectangle": ("r", (46, 66)),
    "ellipse": ("e", (46, 66)),
    "flip": ("shift+f", (170, 66)),
    "bucket": ("shift+b", (46, 94)),
    "brush": ("p", (77, 94)),
    "pencil": ("n", (77, 94)),
    "eraser": ("shift+e", (108, 94)),
    "text": ("t", (46, 122)),
    "picker": ("o", (77, 122)),
    "zoom": ("z", (108, 122)),
}
"""Shortcut and button of each tool; the button of a group gives the one of its tools that was used last."""

BUTTONS: tuple[Point, ...] = tuple((15 + 31 * column, 66 + 28 * row) for row in range(2) for column in range(6))
FOREGROUND, SWAP = (80, 148), (108, 145)
PANEL_FILL = (85, 85, 85)
PANEL_FILL_Y, PANEL_FILL_LENGTH = 422, 15
"""The full opacity bar; the lower panels sometimes come out further down, and this shows how far."""
ZOOM_COLOUR = (48, 48, 48)
ZOOM_Y, ZOOM_FROM, ZOOM_WIDTH, ZOOM_LENGTH = -12, 250, 250, 35
"""The zoom field lies in the status bar where a run of its colour is; how far right depends on the picture's size."""
PANEL_TABS = (14, 35, 58)
PANEL_Y = 378
BRUSH_TABS = (15, 38, 62)
BRUSH_Y = 41
LAYER_BUTTONS = (16, 41, 65, 89, 136)
OPACITY_FIELD, OPACITY_DOWN, OPACITY_UP = (-44, 430), (-10, 434), (-10, 426)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialog:
    """A dialog: how it is opened, where its spin arrows, fields, sliders and tabs are, and what it is left by.

    `ok` and `cancel` count from the lower right corner.
    """

    title: str
    menu: str
    row: int
    keys: str | None = None
    arrows: tuple[Point, ...] = ()
    fields: tuple[tuple[Point, int, int], ...] = ()
    sliders: tuple[tuple[int, int, int], ...] = ()
    tabs: tuple[Point, ...] = ()
    ok: Point = (54, 27)
    cancel: Point = (146, 27)


DIALOGS = (
    Dialog(
        title="Scale Image",
        menu="Image",
        row=273,
        arrows=((197, 77), (197, 87), (197, 105), (197, 115)),
        fields=(((150, 159), 60, 150), ((150, 187), 60, 150)),
    ),
    Dialog(
        title="Set Image Print Resolution",
        menu="Image",
        row=248,
        arrows=((194, 78), (194, 88), (194, 148), (194, 158), (194, 108)),
        fields=(((150, 153), 60, 150), ((150, 83), 200, 500)),
    ),
    Dialog(
        title="Image Properties",
        menu="Image",
        row=587,
        keys="alt+Return",
        tabs=((37, 54), (120, 54), (202, 54)),
        cancel=(54, 27),
    ),
    Dialog(
        title="Configure Grid",
        menu="Image",
        row=546,
        arrows=((124, 238), (124, 248), (228, 238), (124, 378), (228, 378)),
        fields=(((70, 244), 4, 90), ((70, 384), 0, 40)),
    ),
    Dialog(
        title="Brightness-Contrast",
        menu="Colors",
        row=191,
        sliders=((92, 120, 240), (119, 130, 220)),
        ok=(48, 21),
        cancel=(142, 21),
    ),
)


def write_profile(folder: Path, window: Box, *, maximised: bool, dock: int) -> None:
    """Write a profile that asks no questions and opens the one window at a place, with a right dock of a width."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "gimprc").write_text("(confirm-on-close no)\n(check-updates no)\n(num-processors 1)\n")
    book = "        (book{} (current-page 0)\n{})\n"
    entry = '            (dockable "gimp-{}" (tab-style automatic){} (aux-info (show-button-bar "true")))\n'
    tools = "".join(entry.format(name, "") for name in ("tool-options", "device-status", "undo-history", "image-list"))
    brushes = "".join(entry.format(name, "") for name in ("brush-grid", "pattern-grid", "font-list", "document-list"))
    layers = "".join(
        entry.format(name, " (preview-size 32)").replace("automatic", "icon")  # a wide dock else has wider tabs
        for name in ("layer-list", "channel-list", "vectors-list")
    )
    (folder / "sessionrc").write_text(
        '(session-info "toplevel"\n    (factory-entry "gimp-single-image-window")\n'
        f"    (position {window.x} {window.y})\n    (size {window.w} {window.h})\n    (open-on-exit)\n"
        f'    (aux-info (left-docks-width "188") (right-docks-width "{dock}")'
        f' (maximized "{"yes" if maximised else "no"}"))\n'
        f"    (gimp-toolbox (side left)\n{book.format('', tools)}    )\n"
        f"    (gimp-dock (side right)\n{book.format('', brushes)}{book.format(' (position 336)', layers)}    ))\n"
        "(hide-docks no)\n(single-window-mode yes)\n(tabs-position 0)\n(last-tip-shown 0)\n"
    )
