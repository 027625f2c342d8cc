"""A small web application in one local file (`data/workbook.html`).

A form with records, notes, a table with sums, menus, a settings dialog. Everything answers at once and visibly, but for
its grey buttons and empty places, where a click does not even move the keyboard's focus. Undo is the page's own and
exact: one typed word, one cell, one command. Places are pixels from the page's top left corner; panes reach down to
`FOOT` above its bottom. An open dialog shows in the window's title.
"""

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from demo.virtual_desktop.browser import pixel_of
from demo.virtual_desktop.sample_text import heading, item, labels, sentence
from lab.simulation.program import Point
from lab.simulation.scenery.pages import fill_page
from storage.records import Box

DIALOG = "Settings"
FOOT = 40
TOP = 104

_HEADERS = ("#1f5f5b", "#7a3b12", "#3d4f8a", "#51305e", "#2b2b2b", "#7a1f3d")
_PAPERS = ("#ffffff", "#f7f5ef", "#eef2f6")
_TOOLS = (
    *("undo", "redo", "bold", "bigger", "row", "next", "previous", "summary", "settings", "save", "merge", "publish"),
)
_GREY = ("merge", "publish")
_TOOL_PITCH = 90
_MENUS: Mapping[str, tuple[str, ...]] = {
    "File": ("New", "Save", "Settings", "Import", "Export", "History", "Share", "Close"),
    "Edit": ("Undo", "Redo", "Cut", "Copy", "Paste", "Bold", "Bigger", "Select all"),
    "View": ("Summary", "Theme", "Records", "Panes", "Ruler", "Notes", "Table", "Form"),
    "Insert": ("Row", "Date", "Symbol", "Picture", "Link", "Note", "Chart", "Field"),
    "Tools": ("Sort", "Count", "Check", "Compare", "Rules", "Macros", "Labels", "Options"),
}
_LISTS: Mapping[str, tuple[str, ...]] = {
    "Font": ("Sans", "Serif", "Mono", "Hand", "Narrow", "Wide"),
    "Ink": ("Black", "Blue", "Brown", "Green", "Grey", "Red"),
    "Sort": ("As it is", "By label", "By first", "By second", "By sum", "By date"),
    "Theme": ("Light", "Dark", "Warm", "Cool", "Plain", "Print"),
}
MENU_ENTRY = 26

_SENTENCES = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Workbook:
    """Where the application is and where things are in it.

    `lists` tells whether drop-down lists stand in place of the menu bar.
    """

    path: Path
    header: bytes
    lists: bool
    menus: Mapping[str, Point]
    tools: Mapping[str, Point]
    grey: tuple[Point, ...]
    form: Box
    notes: Box
    table: Box
    picking: Mapping[str, Point]
    marks: tuple[Point, ...]
    fields: tuple[Point, ...]
    tabs: tuple[Point, ...]
    ok: Point
    cancel: Point

    def entry(self, menu: str, name: str) -> Point:
        """Return an entry of a menu that is open."""
        x, _ = self.menus[menu]
        return x + 60, 46 + 4 + MENU_ENTRY * _MENUS[menu].index(name) + MENU_ENTRY // 2


def write_workbook(path: Path, rng: random.Random) -> Workbook:
    """Write the application to `path`; content, order, colours and sizes are drawn from `rng`."""
    header = rng.choice(_HEADERS)
    tools = rng.sample(_TOOLS, len(_TOOLS))
    lists = rng.random() < 0.4  # noqa: PLR2004  # share
    titles = list(_LISTS if lists else _MENUS)
    pitch = 130 if lists else 76
    widths = {"form": 320, "notes": rng.randint(310, 370), "table": rng.randint(340, 370)}
    left, panes = 16, {}
    for name in rng.sample(sorted(widths), len(widths)):
        panes[name] = Box(left, TOP, widths[name], 0)
        left += widths[name] + 16
    dialog = (rng.randint(200, 420), rng.randint(110, 190))
    facts = {
        "HEADER": header,
        "PAPER": rng.choice(_PAPERS),
        "FONT": rng.choice(("sans-serif", "serif", "DejaVu Sans Mono, monospace")),
        "PITCH": str(pitch),
        "LEFTS": "".join(f"#{name} {{ left: {box.x}px; width: {box.w}px }}\n" for name, box in panes.items()),
        "DIALOG": f"left: {dialog[0]}px; top: {dialog[1]}px",
        "TOOLS": "".join(_tool(name, number) for number, name in enumerate(tools)),
        "MENUS": "".join((_list if lists else _menu)(name, number) for number, name in enumerate(titles)),
        "STATE": json.dumps(_state(rng)),
    }
    fill_page("workbook.html", facts, path)
    places = {name: (16 + _TOOL_PITCH * number + 42, 70) for number, name in enumerate(tools)}
    x, y = dialog
    form = panes["form"].x
    return Workbook(
        path=path,
        header=pixel_of(header),
        lists=lists,
        menus={name: (16 + pitch * number + 34, 23) for number, name in enumerate(titles)},
        tools={name: place for name, place in places.items() if name not in _GREY},
        grey=tuple(places[name] for name in _GREY),
        **panes,
        picking={
            "name": (form + 200, TOP + 60),
            "place": (form + 200, TOP + 100),
            "amount": (form + 180, TOP + 140),
            "remark": (form + 200, TOP + 180),
            "category": (form + 200, TOP + 220),
            "done": (form + 108, TOP + 258),
            "add": (form + 240, TOP + 258),
            "weight": (form + 100, TOP + 296),
            "weight end": (form + 300, TOP + 296),
            "rate": (panes["table"].x + 80, TOP + 18),
            "filter": (panes["table"].x + 240, TOP + 18),
        },
        marks=((x + 40, y + 185), (x + 40, y + 215)),
        fields=((x + 230, y + 105), (x + 230, y + 145)),
        tabs=tuple((x + 60 + 100 * number, y + 60) for number in range(3)),
        ok=(x + 330, y + 275),
        cancel=(x + 240, y + 275),
    )


def _tool(name: str, number: int) -> str:
    grey = ' class="grey"' if name in _GREY else f' data-do="{name}"'
    tag = "span" if name in _GREY else "button"
    return f'<{tag} style="left:{16 + _TOOL_PITCH * number}px"{grey}>{name.capitalize()}</{tag}>'


def _menu(name: str, number: int) -> str:
    entries = "".join(f'<a data-do="{entry.lower()}">{entry}</a>' for entry in _MENUS[name])
    left = 16 + 76 * number
    return (
        f'<b style="left:{left}px" data-menu="{name}">{name}</b><nav id="{name}" style="left:{left}px">{entries}</nav>'
    )


def _list(name: str, number: int) -> str:
    entries = "".join(f"<option>{entry}</option>" for entry in _LISTS[name])
    return f'<select style="left:{16 + 130 * number}px" data-list="{name}">{entries}</select>'


def _state(rng: random.Random) -> Mapping[str, object]:
    names = labels(rng)
    rows = [[label, rng.randint(3, 900), rng.randint(3, 90)] for label in names + [f"{name} II" for name in names]]
    lines = [_note(rng) for _ in range(rng.randint(34, 60))]
    records = [[item(rng), heading(rng), rng.randint(1, 99), sentence(rng)] for _ in range(40)]
    return {
        "notes": "\n".join(lines) + "\n",
        "rows": rows,
        "records": records,
        "record": 0,
        "entries": [],
        "bold": False,
        "size": 15,
        "rate": 10,
        "weight": rng.randint(20, 80),
    }


def _note(rng: random.Random) -> str:
    """Return a line of notes, none so short that it is hard to hit."""
    return sentence(rng) if rng.random() < _SENTENCES else f"{heading(rng)}: {item(rng)} and {item(rng)}"
