"""Where things are in LibreOffice Calc, as version 7.4 draws them, and its shortcuts; constants only."""

from collections.abc import Mapping, Sequence

from evaluation.simulation.program import Point
from evaluation.simulation.programs.office.common import Control, Dialog

MENUS: Mapping[str, int] = {
    "File": 18, "Edit": 59, "View": 103, "Insert": 154, "Format": 212, "Styles": 270, "Sheet": 324, "Data": 375,
    "Tools": 422, "Window": 481, "Help": 538,
}  # fmt: skip
KEYED_MENUS: Mapping[str, str] = {
    "File": "f", "Edit": "e", "View": "v", "Insert": "i", "Format": "o", "Sheet": "s", "Data": "d", "Tools": "t",
}  # fmt: skip
TOOLS: Mapping[str, Point] = {
    "save": (107, 44), "pdf": (161, 44), "print": (194, 44), "cut": (268, 44), "copy": (301, 44),
    "clone": (385, 44), "undo": (458, 44), "redo": (502, 44), "find": (556, 44), "sort": (726, 44),
    "ascending": (760, 44), "filter": (825, 44), "image": (866, 44), "chart": (899, 44), "symbol": (971, 44),
    "bold": (344, 83), "italic": (378, 83), "underline": (409, 83), "colour": (460, 83), "fill": (505, 83),
    "left": (559, 83), "centre": (592, 83), "right": (625, 83), "percent": (965, 83), "number": (998, 83),
    "more decimals": (1071, 83), "fewer decimals": (1104, 83), "sum": (210, 122),
}  # fmt: skip
GREY_MERGES: Sequence[Point] = ((814, 83), (847, 83), (880, 83))
"""Buttons that are grey unless several cells are selected."""

DIALOGS: Sequence[Dialog] = (
    Dialog(
        title="Format Cells",
        menu="Format",
        entry=139,
        keys="ctrl+1",
        tabs=tuple((x, 63) for x in (117, 312, 515)),
        controls=(
            *(Control(at=(80, 124 + 23 * row)) for row in range(9)),
            *(Control(at=(290, 124 + 23 * row)) for row in range(3)),
        ),
    ),
    Dialog(
        title="Page Style",
        menu="Format",
        entry=290,
        tabs=tuple((x, 27) for x in (52, 131, 204, 299, 393, 469, 540)),
    ),
    Dialog(title="Validity", menu="Data", entry=266, tabs=tuple((x, 27) for x in (53, 143, 241))),
    Dialog(
        title="Function Wizard",
        menu="Insert",
        entry=188,
        keys="ctrl+F2",
        controls=(
            *(Control(at=(70, 213 + 23 * row)) for row in range(12)),
            Control(at=(110, 91), value="word"),
        ),
        accept=(-145, -24),
        cancel=(-145, -24),
    ),
    Dialog(
        title="Goal Seek",
        menu="Tools",
        entry=240,
        controls=(Control(at=(200, 88), value="number"), Control(at=(200, 48), value="word")),
        accept=(-142, -25),
    ),
    Dialog(
        title="Find and Replace",
        menu="Edit",
        entry=265,
        keys="ctrl+h",
        controls=(
            *(Control(at=at) for at in ((109, 65), (223, 65), (381, 65), (38, 273), (38, 301), (120, 415), (198, 415))),
            Control(at=(300, 30), value="word"),
        ),
        accept=(-51, -26),
        cancel=(-51, -26),
    ),
)

FAST: Sequence[Sequence[str]] = (
    ("shift+Down", "shift+Down", "shift+Right", "ctrl+b"),
    ("shift+Down", "shift+Down", "shift+Down", "ctrl+d"),
    ("shift+Right", "ctrl+c", "ctrl+Right", "Right", "Right", "ctrl+v", "Escape"),
    ("shift+Down", "ctrl+x", "ctrl+Right", "Right", "ctrl+v"),
    ("ctrl+shift+Right", "ctrl+i", "Down"),
    ("Delete", "Down", "Delete", "ctrl+z"),
    ("ctrl+shift+1", "Right", "ctrl+shift+1"),
    ("ctrl+u", "Down", "ctrl+u", "Down", "ctrl+s"),
    ("ctrl+Right", "Right", "ctrl+semicolon", "Return"),
    ("shift+Down", "shift+Down", "ctrl+e", "Right"),
)
"""What practised hands do by keys alone; each has an effect wherever the selection is."""
