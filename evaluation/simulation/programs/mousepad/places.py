"""Where things are in Mousepad 0.5 with the GTK 3 look at 96 dpi, and the looks it is given.

Measured on screenshots. Menu entries are told by their distance from the menu's top, tool bar buttons from the
window's top left corner, dialog controls from the dialog's.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluation.simulation.program import Point

MENU_Y = 12
MENUS = {"File": 19, "Edit": 60, "Search": 110, "View": 160, "Document": 210, "Help": 290}
ENTRIES: Mapping[str, tuple[str, int]] = {
    "save": ("File", 139),
    "undo": ("Edit", 12),
    "redo": ("Edit", 37),
    "delete line": ("Edit", 188),
    "duplicate": ("Edit", 290),
    "find": ("Search", 12),
    "line numbers": ("View", 63),
    "word wrap": ("Document", 12),
}
BAR_NEXT = (262, -49)
"""The search bar's button for the next find, from the window's bottom left corner."""

_BUTTONS = ("new", "open", "save", "save as", "reload", "close", "undo", "redo", "cut", "copy", "paste", "find")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolBar:
    """A look of the tool bar and where its buttons then are."""

    style: str
    icons: str
    y: int
    across: tuple[int, ...]

    def button(self, name: str) -> Point:
        """Return the middle of a button."""
        return self.across[_BUTTONS.index(name)], self.y


_SMALL = (24, 60, 97, 133, 170, 208, 259, 295, 333, 370, 407, 457)
_LARGE = (38, 96, 156, 217, 278, 341, 415, 475, 537, 598, 659, 733)
_WORDY = (45, 127, 209, 300, 390, 480, 583, 665, 747, 829, 911, 1007)
TOOL_BARS = (
    ToolBar(style="icons", icons="small-toolbar", y=46, across=_SMALL),
    ToolBar(style="icons", icons="dnd", y=58, across=_LARGE),
    ToolBar(style="both", icons="small-toolbar", y=56, across=_WORDY),
    ToolBar(style="text", icons="small-toolbar", y=46, across=_WORDY),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialog:
    """A harmless dialog: how it is opened and what can be used in it while its first tab is shown."""

    title: str
    key: str
    entry: tuple[str, int]
    numbers: bool = False
    fields: tuple[Point, ...] = ()
    marks: tuple[Point, ...] = ()
    tabs: tuple[Point, ...] = ()
    ok: Point | None = None
    cancel: Point | None = None


DIALOGS = (
    Dialog(
        title="Find and Replace",
        key="ctrl+r",
        entry=("Search", 87),
        fields=((257, 23), (257, 63)),
        marks=((20, 132), (20, 158), (20, 184), (222, 100)),
        ok=(387, 256),
    ),
    Dialog(
        title="Go To",
        key="ctrl+l",
        entry=("Search", 164),
        numbers=True,
        fields=((170, 25), (170, 64)),
        marks=((261, 23), (227, 23)),
        ok=(243, 104),
        cancel=(153, 104),
    ),
    Dialog(
        title="Mousepad Preferences",
        key="",
        entry=("Edit", 366),
        marks=((33, 79), (33, 103), (33, 188), (33, 212)),
        tabs=((39, 19), (105, 19), (181, 19), (254, 19)),
    ),
    Dialog(
        title="Print",
        key="ctrl+p",
        entry=("File", 240),
        marks=((551, 371), (370, 432)),
        tabs=((45, 17), (137, 17), (267, 17)),
        cancel=(477, 486),
    ),
)


def write_settings(folder: Path, rng: random.Random, bar: ToolBar) -> Mapping[str, str]:
    """Write a settings file with a look of the seed's choice; return the environment that makes Mousepad use it."""
    width, height = rng.randint(1120, 1500), rng.randint(660, 900)
    maximised = rng.random() < 0.3  # noqa: PLR2004  # share of people who fill the screen
    facts = {
        "preferences/window": {
            "toolbar-visible": "true",
            "statusbar-visible": "true",
            "toolbar-style": f"'{bar.style}'",
            "toolbar-icon-size": f"'{bar.icons}'",
            "path-in-title": rng.choice(("true", "false")),
            "always-show-tabs": rng.choice(("true", "false")),
            "remember-position": "true",
        },
        "preferences/view": {
            "show-line-numbers": rng.choice(("true", "false")),
            "highlight-current-line": rng.choice(("true", "false")),
            "word-wrap": rng.choice(("true", "false")),
            "use-default-monospace-font": "false",
            "font-name": f"'{rng.choice(('Monospace', 'Sans', 'Serif'))} {rng.randint(9, 14)}'",
            "color-scheme": f"'{rng.choice(('none', 'none', 'classic', 'tango', 'solarized-light', 'oblivion'))}'",
        },
        "state/window": {
            "width": f"uint32 {width}",
            "height": f"uint32 {height}",
            "left": f"uint32 {rng.randint(10, 1900 - width)}",
            "top": f"uint32 {rng.randint(10, 1000 - height)}",
            "maximized": "true" if maximised else "false",
        },
    }
    place = folder / "glib-2.0" / "settings"
    place.mkdir(parents=True)
    lines: list[str] = []
    for group, values in facts.items():
        lines += [f"[org/xfce/mousepad/{group}]", *(f"{key}={value}" for key, value in values.items())]
    (place / "keyfile").write_text("\n".join(lines) + "\n")
    scroll_bars_stay = "0"  # those over the text fade away by themselves, which looks like an answer to a click
    return {"GSETTINGS_BACKEND": "keyfile", "XDG_CONFIG_HOME": str(folder), "GTK_OVERLAY_SCROLLING": scroll_bars_stay}
