"""Where things are in LibreOffice Impress, as version 7.4 draws them, and its shortcuts; constants only."""

from collections.abc import Mapping, Sequence

from evaluation.simulation.program import Point
from evaluation.simulation.programs.office.common import Control, Dialog

MENUS: Mapping[str, int] = {
    "File": 18, "Edit": 59, "View": 103, "Insert": 154, "Format": 212, "Slide": 267, "Slide Show": 333, "Tools": 402,
    "Window": 459, "Help": 517,
}  # fmt: skip
KEYED_MENUS: Mapping[str, str] = {
    "File": "f", "Edit": "e", "View": "v", "Insert": "i", "Format": "o", "Tools": "t",
}  # fmt: skip
VIEW_NORMAL, VIEW_SORTER = 12, 87
SLIDE_DUPLICATE = 37
TOOLS: Mapping[str, Point] = {
    "save": (107, 44), "pdf": (161, 44), "print": (194, 44), "cut": (235, 44), "copy": (268, 44),
    "clone": (352, 44), "undo": (392, 44), "redo": (436, 44), "find": (490, 44), "spell": (523, 44),
    "grid": (564, 44), "table": (795, 44), "image": (841, 44), "media": (874, 44), "chart": (907, 44),
    "text box": (948, 44), "word art": (1024, 44), "new slide": (1129, 44), "duplicate slide": (1176, 44),
    "line colour": (92, 83), "fill": (136, 83), "line": (190, 83), "rectangle": (224, 83), "ellipse": (257, 83),
    "arrow": (296, 83), "diamond": (435, 83), "smiley": (480, 83), "block arrow": (524, 83), "star": (656, 83),
    "rotate": (755, 83), "shadow": (927, 83),
}  # fmt: skip
GREY_TOOLS: Sequence[Point] = ((960, 83), (989, 83))
"""Buttons for pictures, grey as long as none is selected."""

DIALOGS: Sequence[Dialog] = (
    Dialog(
        title="Position and Size",
        menu="",
        entry=0,
        keys="F4",
        tabs=((85, 27), (199, 27), (330, 27)),
        controls=tuple(Control(at=at) for at in ((225, 92), (190, 92), (225, 132), (190, 132), (225, 237))),
    ),
    Dialog(
        title="Slide Properties",
        menu="Slide",
        entry=188,
        tabs=((45, 27), (131, 27), (244, 27)),
        controls=tuple(Control(at=(228, y)) for y in (285, 322, 359, 395)),
    ),
    Dialog(
        title="Slide Show Settings",
        menu="Slide Show",
        entry=114,
        controls=(
            *(Control(at=(32, y)) for y in (178, 206, 234)),
            *(Control(at=(227, y)) for y in (178, 206, 234, 262, 290, 318)),
        ),
    ),
    Dialog(
        title="Header and Footer",
        menu="Insert",
        entry=441,
        tabs=((48, 27), (165, 27)),
        controls=(
            *(Control(at=(39, y)) for y in (85, 267, 341, 375)),
            Control(at=(262, 307), value="word"),
        ),
        accept=(-203, -26),
        cancel=(-67, -26),
    ),
    Dialog(
        title="Find and Replace",
        menu="Edit",
        entry=240,
        keys="ctrl+h",
        controls=(
            *(Control(at=at) for at in ((109, 65), (223, 65), (38, 285), (38, 319), (320, 245))),
            Control(at=(300, 30), value="word"),
        ),
        accept=(-51, -26),
        cancel=(-51, -26),
    ),
    Dialog(
        title="Character",
        menu="Format",
        entry=164,
        tabs=tuple((x, 27) for x in (46, 134, 230, 327)),
        controls=(
            *(Control(at=(190, 111 + 23 * row)) for row in range(6)),
            Control(at=(250, 317), value="number"),
        ),
    ),
)

FAST: Sequence[Sequence[str]] = (
    ("ctrl+c", "ctrl+v", "Down", "Down", "Right"),
    ("ctrl+x", "ctrl+v", "Left", "Left"),
    ("Tab", "Right", "Right", "Right"),
    ("Tab", "Tab", "Up", "Up"),
    ("F2", "ctrl+a", "ctrl+b", "Escape"),
    ("F2", "ctrl+a", "ctrl+i", "Escape"),
    ("ctrl+a", "Escape", "Tab", "Down"),
    ("Escape", "Next", "Tab", "Left"),
    ("Escape", "Prior", "Tab", "Right"),
    ("Tab", "Right", "ctrl+s"),
)
"""What practised hands do by keys alone; each has an effect wherever the selection is."""
