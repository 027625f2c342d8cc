"""Where things are in LibreOffice Writer, as version 7.4 draws them, and its shortcuts; constants only."""

from collections.abc import Mapping, Sequence

from evaluation.simulation.program import Point
from evaluation.simulation.programs.office.common import Control, Dialog

MENUS: Mapping[str, int] = {
    "File": 18, "Edit": 58, "View": 103, "Insert": 154, "Format": 211, "Styles": 270, "Table": 323,
    "Form": 372, "Tools": 422, "Window": 479, "Help": 538,
}  # fmt: skip
KEYED_MENUS: Mapping[str, str] = {
    "File": "f",
    "Edit": "e",
    "View": "v",
    "Insert": "i",
    "Format": "o",
    "Styles": "y",
    "Tools": "t",
}
TOOLS: Mapping[str, Point] = {
    "save": (106, 44), "pdf": (161, 44), "print": (194, 44), "cut": (268, 44), "copy": (300, 44),
    "undo": (424, 44), "redo": (480, 44), "find": (523, 44), "marks": (588, 44), "table": (628, 44),
    "image": (674, 44), "chart": (706, 44), "break": (780, 44), "symbol": (856, 44), "note": (942, 44),
    "bold": (607, 83), "italic": (641, 83), "underline": (672, 83), "strike": (718, 83), "super": (759, 83),
    "clear": (833, 83), "colour": (872, 83), "highlight": (915, 83), "left": (970, 83), "centre": (1003, 83),
    "right": (1036, 83), "justify": (1069, 83), "bullets": (1108, 83), "indent": (1240, 83),
}  # fmt: skip
DIALOGS: Sequence[Dialog] = (
    Dialog(
        title="Character",
        menu="Format",
        entry=139,
        tabs=tuple((x, 27) for x in (44, 129, 225, 314, 417, 513)),
        controls=(
            *(Control(at=(190, 111 + 23 * row)) for row in range(6)),
            Control(at=(250, 317), value="number"),
        ),
    ),
    Dialog(
        title="Paragraph",
        menu="Format",
        entry=164,
        tabs=tuple((x, 63) for x in (163, 440, 690)),
        controls=(
            *(Control(at=(315, y)) for y in (129, 166, 203, 297, 334)),
            *(Control(at=(39, y)) for y in (234, 365, 459)),
        ),
    ),
    Dialog(
        title="Page Style",
        menu="Format",
        entry=240,
        keys="alt+shift+p",
        tabs=tuple((x, 27) for x in (60, 139, 202, 291, 390, 466, 543, 629, 718)),
    ),
    Dialog(
        title="Columns",
        menu="Format",
        entry=315,
        controls=tuple(Control(at=at) for at in ((256, 54), (288, 54), (321, 54), (198, 53), (164, 53))),
    ),
    Dialog(
        title="Find and Replace",
        menu="Edit",
        entry=290,
        keys="ctrl+h",
        controls=(
            *(Control(at=at) for at in ((109, 65), (223, 65), (38, 273), (38, 301), (372, 244), (344, 177))),
            Control(at=(300, 30), value="word"),
        ),
        cancel=(-51, -26),
        accept=(-51, -26),
    ),
)

FAST: Sequence[Sequence[str]] = (
    ("ctrl+Right", "ctrl+shift+Right", "ctrl+b"),
    ("ctrl+Right", "ctrl+Right", "ctrl+shift+Right", "ctrl+i"),
    ("Home", "shift+End", "ctrl+c", "End", "ctrl+v"),
    ("Home", "shift+Down", "ctrl+x", "Down", "ctrl+v"),
    ("ctrl+shift+Left", "ctrl+u", "End"),
    ("ctrl+shift+Right", "ctrl+shift+Right", "ctrl+x", "ctrl+Right", "ctrl+v"),
    ("ctrl+e", "ctrl+s"),
    ("ctrl+l", "ctrl+s"),
    ("ctrl+Down", "ctrl+2", "ctrl+Down"),
    ("ctrl+Down", "ctrl+shift+Down", "ctrl+b", "Right"),
    ("Home", "shift+End", "ctrl+i", "ctrl+s"),
)
"""What practised hands do by keys alone; each has an effect wherever the selection is."""
