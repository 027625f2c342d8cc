"""The commands of programs made up on a bus: what is found in menus and tool bars, and what is never asked."""

import asyncio
import os
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from dbus_fast import Variant

from daemon.capture.control_source import FrontWindow
from daemon.capture.scene import ExportedMenus
from storage.ports import Command, CommandList
from storage.records import ControlRole, ControlState
from tests.fakes.accessibility.atspi import (
    ACTIVE,
    CHECKABLE,
    CHECKED,
    MANAGES_DESCENDANTS,
    ROOT,
    SENSITIVE,
    SHOWING,
    Adapter,
    Limits,
    Node,
    OpenGuard,
    Role,
    running_adapter,
)
from tests.fakes.accessibility.private_bus import Answers, FakeService, address_in

SEEN, VISIBLE = SENSITIVE | SHOWING, SENSITIVE | 1 << 30
BILLIONS = 2_147_483_647
FRONT = FrontWindow(pid=os.getpid(), client=7, app="Editor", title="notes - Editor")
NODES: Mapping[str, Node] = {
    ROOT: Node(Role.APPLICATION, children=["/behind", "/frame"]),
    "/behind": Node(Role.FRAME, "Behind", SEEN, ["/elsewhere"]),
    "/elsewhere": Node(Role.BUTTON, "Elsewhere", SEEN),
    "/frame": Node(Role.FRAME, "Editor", SEEN | ACTIVE, ["/bar", "/tools", "/marks", "/panel", "/sheet"]),
    "/bar": Node(Role.MENU_BAR, "", SEEN, ["/file", "/view"]),
    "/file": Node(Role.MENU, "File", VISIBLE, ["/save", "/line", "/print", "/recent", "/templates"], keys="<Alt>f;"),
    "/save": Node(Role.MENU_ITEM, "Save As...", VISIBLE, keys="a;<Alt>f:a;<Primary><Shift>s", tip="Save it elsewhere"),
    "/line": Node(Role.SEPARATOR, "", VISIBLE),
    "/print": Node(Role.MENU_ITEM, "Print", 1 << 30, keys=";;"),
    "/recent": Node(Role.MENU, "Open Recent", VISIBLE, ["/old"], keys=";;"),
    "/old": Node(Role.MENU_ITEM, "marker-recent", VISIBLE, keys=";;"),
    "/templates": Node(Role.MENU, "Macros", VISIBLE, keys=";;"),
    "/view": Node(Role.MENU, "View", VISIBLE, ["/wrap", "/large", "/gone"], keys="<Alt>v;"),
    "/wrap": Node(Role.CHECK_ITEM, "Word Wrap", VISIBLE | CHECKABLE | CHECKED, keys="w;<Alt>v:w;"),
    "/large": Node(Role.RADIO_ITEM, "Large", VISIBLE | CHECKABLE, keys="l;<Alt>v:l;<Control>plus"),
    "/gone": Node(Role.MENU_ITEM, "Hidden", SENSITIVE, keys=";;"),
    "/tools": Node(Role.TOOL_BAR, "Standard", SEEN, ["/bold", "/unseen", "/icon"]),
    "/bold": Node(Role.TOGGLE, "Bold (Ctrl+B)", SEEN, keys=""),
    "/unseen": Node(Role.BUTTON, "Customized away", SENSITIVE),
    "/icon": Node(Role.BUTTON, "", SEEN, tip="Export directly"),
    "/marks": Node(Role.TOOL_BAR, "Bookmarks", SEEN, ["/mark"]),
    "/mark": Node(Role.BUTTON, "marker-bookmark", SEEN),
    "/panel": Node(Role.PANEL, "", SEEN, ["/table", "/tree"]),
    "/table": Node(Role.TABLE, "Table", SEEN, ["/elsewhere"]),
    "/tree": Node(Role.PANEL, "", SEEN | MANAGES_DESCENDANTS, ["/elsewhere"]),
    "/sheet": Node(Role.PANEL, "Sheet", SEEN, ["/elsewhere"], count=BILLIONS),
}
MENUS = [
    Command(
        path=("File", "Save As"),
        keys="Ctrl+Shift+S",
        hint="Save it elsewhere",
    ),
    Command(path=("File", "Print"), state=ControlState.DISABLED),
    Command(path=("View", "Word Wrap"), role=ControlRole.CHECK_BOX, state=ControlState.ON),
    Command(path=("View", "Large"), role=ControlRole.RADIO_BUTTON, state=ControlState.OFF, keys="Ctrl++"),
]
TOOLS = [
    Command(path=("Bold",), role=ControlRole.TOGGLE, state=ControlState.OFF, keys="Ctrl+B"),
    Command(path=("Export directly",), role=ControlRole.BUTTON),
]


class Stage(Adapter):
    """A running adapter, and a program whose commands are read."""

    async def read(self, window: FrontWindow = FRONT, earlier: CommandList | None = None) -> CommandList | None:
        return await self.source.commands(window, earlier)

    async def found(self, window: FrontWindow = FRONT, earlier: CommandList | None = None) -> CommandList:
        found = await self.read(window, earlier)
        assert found is not None
        return found

    async def paths(self, window: FrontWindow = FRONT) -> list[tuple[str, ...]]:
        return [command.path for command in (await self.found(window)).commands]


@pytest.fixture
def stage(tmp_path: Path, toolkit: str) -> AbstractAsyncContextManager[Stage]:
    return running_adapter(tmp_path, deepcopy(NODES), toolkit, OpenGuard(os.getpid()), Stage)


@pytest.mark.parametrize("toolkit", ["gtk", "Chromium"])
async def test_menus_that_do_not_show_are_read_and_tool_bars_that_do(stage: Stage, toolkit: str) -> None:
    """With role, state, key and tip; greyed ones too; never a document, a table or what manages its descendants."""
    found = await stage.found()
    tips = [replace(command, hint=command.hint if toolkit == "gtk" else "") for command in MENUS]
    assert list(found.commands) == [*tips, *TOOLS]
    assert found.complete
    assert found.unread == (("File", "Macros"),)
    assert found.unread[0] in [menu.path for menu in found.menus]
    assert {menu.role for menu in found.menus} == {ControlRole.MENU}
    assert all(len(menu.path) > 1 for menu in found.menus), "nobody looks for a menu of the bar"
    asked = {path for path, _ in stage.program.asked}
    assert not asked & {"/elsewhere", "/mark"}
    assert ("/sheet", "GetChildren") not in stage.program.asked
    assert ("/table", "ChildCount") not in stage.program.asked


@pytest.mark.parametrize("toolkit", ["Qt"])
async def test_a_qt_program_is_never_asked_for_all_at_once_which_ends_it(stage: Stage) -> None:
    """Its menus have a popup between; a letter with Alt alone is no shortcut."""
    nodes = stage.program.nodes
    nodes["/file"] = Node(Role.MENU_ITEM, "File", SEEN, ["/popup"], keys="Alt+F")
    nodes["/popup"] = Node(Role.POPUP, "", SENSITIVE, ["/new", "/close", "/none"])
    nodes["/new"] = Node(Role.MENU_ITEM, "New", SENSITIVE, keys="Ctrl+N")
    nodes["/close"] = Node(Role.MENU_ITEM, "Close", SENSITIVE, keys="Alt+C")
    nodes["/none"] = Node(Role.MENU_ITEM, "Plugins", SENSITIVE, ["/empty"], keys="")
    nodes["/empty"] = Node(Role.POPUP, "", SENSITIVE)
    found = await stage.found()
    assert found.commands[:2] == (Command(path=("File", "New"), keys="Ctrl+N"), Command(path=("File", "Close")))
    assert found.unread == (("File", "Plugins"),)
    assert "GetAll" not in {member for _, member in stage.program.asked}
    assert not stage.program.crashed


@pytest.mark.parametrize("toolkit", ["GTK"])
async def test_a_header_bar_is_read_without_showing_in_gtk_4(stage: Stage) -> None:
    """There the window alone says that it shows; what nobody named is called by its type."""
    stage.program.nodes["/frame"].children = ["/panel"]
    stage.program.nodes["/panel"] = Node(Role.PANEL, "", VISIBLE, ["/menu", "/tab", "/typed"])
    stage.program.nodes["/menu"] = Node(Role.BUTTON, "GtkMenuButton", VISIBLE, tip="Menu")
    stage.program.nodes["/tab"] = Node(Role.BUTTON, "New tab (Strg+T)", VISIBLE)
    stage.program.nodes["/typed"] = Node(Role.BUTTON, "_Retry Retry", VISIBLE)
    found = [(command.name, command.keys) for command in (await stage.found()).commands]
    assert found == [("Menu", ""), ("New tab", "Ctrl+T")]


@pytest.mark.parametrize("toolkit", ["gtk"])
async def test_what_a_popover_holds_is_told_without_a_way_to_it(stage: Stage) -> None:
    """A program without a menu bar tells what its popovers hold, and not which button opens them."""
    stage.program.nodes["/frame"].children = ["/tools", "/pop"]
    stage.program.nodes["/pop"] = Node(Role.PANEL, "", SENSITIVE, ["/inside"])
    stage.program.nodes["/inside"] = Node(Role.BUTTON, "Find and Replace", SENSITIVE, keys="<Alt>r")
    found = await stage.found()
    assert [(command.name, command.in_menu) for command in found.commands] == [
        *((command.name, True) for command in TOOLS),
        ("Find and Replace", False),
    ]


@pytest.mark.parametrize("toolkit", ["gtk"])
async def test_entries_of_a_menu_that_says_of_none_that_it_can_be_seen_are_all_there(stage: Stage) -> None:
    """As LibreOffice's own menus; where it is said of some, the others are hidden."""
    assert ("View", "Hidden") not in await stage.paths()
    for path in ("/wrap", "/large"):
        stage.program.nodes[path].states = SENSITIVE
    assert [path[1] for path in await stage.paths() if path[0] == "View"] == ["Word Wrap", "Large", "Hidden"]


@pytest.mark.parametrize("toolkit", ["gtk"])
async def test_the_window_is_the_active_one_else_that_with_its_title(stage: Stage) -> None:
    """While a window of ours has the keyboard no window of the program says that it is active."""
    stage.program.nodes["/frame"].states = SEEN
    assert await stage.read() is None  # two, and neither tells
    stage.program.nodes["/frame"].name = FRONT.title
    assert len((await stage.found()).commands) == len(MENUS) + len(TOOLS)
    assert await stage.read(replace(FRONT, pid=1)) is None


@pytest.mark.parametrize("toolkit", ["gtk"])
async def test_a_program_that_hangs_costs_its_own_list(stage: Stage, limits: Limits) -> None:
    assert (await stage.found()).complete
    limits("commands.menus", READ_S=0.2)
    stage.program.hangs = True
    assert await stage.read() is None


@pytest.mark.parametrize("toolkit", ["gtk"])
async def test_a_list_is_whole_though_somebody_types_for_longer_than_reading_may_take(
    stage: Stage, limits: Limits
) -> None:
    whole = await stage.paths()
    limits("commands.menus", READ_S=2.0)
    limits("commands.reading", READ_S=2.0)
    stage.guard.typing_s = 0.5
    reading = asyncio.create_task(stage.found())
    await asyncio.sleep(2.5)
    assert not reading.done()
    stage.guard.typing_s = 0.0
    found = await reading
    assert (found.complete, [command.path for command in found.commands]) == (True, whole)


@pytest.mark.parametrize("toolkit", ["gtk"])
async def test_a_menu_without_end_is_cut_and_told_once(
    stage: Stage, limits: Limits, caplog: pytest.LogCaptureFixture
) -> None:
    """Also one that holds itself; what was read until then is kept, and no name is in the log."""
    caplog.set_level("INFO")
    limits("commands.menus", MAX_ENTRIES=50, READ_S=20.0)
    many = {f"/item{n}": Node(Role.MENU_ITEM, f"Item marker {n}", VISIBLE, keys=";;") for n in range(40)}
    stage.program.nodes |= many
    stage.program.nodes["/view"].children = ["/view", *many]
    for _ in range(2):
        found = await stage.found()
        assert not found.complete
        assert ("View", "Item marker 3") in [command.path for command in found.commands]
    stage.program.nodes["/view"].count = 5_000
    assert not (await stage.found()).complete
    assert caplog.text.count("could not be read whole") == 1
    assert "marker" not in caplog.text


@pytest.mark.parametrize("toolkit", ["gtk"])
async def test_names_are_cut_and_cleaned(stage: Stage) -> None:
    """Ten thousand characters, right to left, emoji, what a terminal acts on: one short plain line each."""
    names = {
        "/save": "long " * 2_000,
        "/print": "\u202eعكس النص\u202c",
        "/wrap": "Smile \N{GRINNING FACE} \x1b[31mred\nnext",
    }
    for path, name in names.items():
        stage.program.nodes[path].name = name
    long, arabic, smile, *_ = [path[-1] for path in await stage.paths()]
    assert 90 < len(long) <= 100
    assert arabic == "عكس النص"
    assert smile == "Smile \N{GRINNING FACE} [31mred next"


@pytest.mark.parametrize("toolkit", ["gtk"])
async def test_what_changes_while_it_is_read_costs_what_is_gone(stage: Stage) -> None:
    del stage.program.nodes["/wrap"]
    found = await stage.found()
    assert not found.complete
    assert ("View", "Large") in [command.path for command in found.commands]


# ---------------------------------------------------------------- menus on the session bus

EXPORTED = ExportedMenus("org.example.Menus", "/bar", "", "/app", "/window")


def item(label: str, **more: Variant) -> dict[str, Variant]:
    """Return an item of an exported menu; an underscore stands for the hyphen or colon in the name of an attribute."""
    named = {name.replace("__", ":").replace("_", "-"): value for name, value in more.items()}
    return {"label": Variant("s", label), **named}


def link(group: int, number: int = 0) -> Variant:
    return Variant("(uu)", [group, number])


def text(words: str) -> Variant:
    return Variant("s", words)


def answers(**more: Any) -> Answers:
    groups = [
        [0, 0, [item("_File", __submenu=link(1)), item("_Window", __submenu=link(2))]],
        [1, 0, [{":section": link(1, 1)}]],
        [
            1,
            1,
            [
                item(
                    "Save _As...", action=text("win.save"), accel=text("<Primary><Shift>s"), tooltip=text("Elsewhere")
                ),
                item("_Wrap", action=text("win.wrap")),
                item("_Left", action=text("win.side"), target=text("left")),
                item("_Gone", action=text("win.gone")),
                item("Ma_cros", __submenu=link(3)),
                item("Hidden", action=text("win.none"), hidden_when=text("action-missing")),
            ],
        ],
        [2, 0, [item("notes - Editor", action=text("win.front"), target=text("1")), item("_New", action=text("x"))]],
        [3, 0, []],
    ]
    actions: dict[str, Any] = {
        "save": [True, "", []],
        "wrap": [True, "", [Variant("b", True)]],
        "side": [False, "s", [text("left")]],
        "front": [True, "s", [text("1")]],
    }
    return {
        ("org.gtk.Menus", "Start"): ("a(uuaa{sv})", [more.get("groups", groups)]),
        ("org.gtk.Menus", "End"): ("", []),
        ("org.gtk.Actions", "DescribeAll"): ("a{s(bgav)}", [actions]),
    }


@pytest.mark.parametrize("toolkit", ["gtk"])
async def test_menus_on_the_session_bus_are_read_without_a_walk_through_menus(stage: Stage, tmp_path: Path) -> None:
    """Tool bars are walked all the same; who names another program's menus is not believed."""
    async with FakeService(address_in(tmp_path), EXPORTED.name, answers()) as service:
        found = await stage.found(replace(FRONT, exported=EXPORTED))
        assert list(found.commands) == [
            Command(path=("File", "Save As"), keys="Ctrl+Shift+S", hint="Elsewhere"),
            Command(path=("File", "Wrap"), role=ControlRole.CHECK_BOX, state=ControlState.ON),
            Command(path=("File", "Left"), role=ControlRole.RADIO_BUTTON, state=ControlState.DISABLED),
            Command(path=("File", "Gone"), state=ControlState.DISABLED),
            Command(path=("Window", "New")),
            *TOOLS,
        ]
        assert found.unread == (("File", "Macros"),)
        assert "/file" not in {path for path, _ in stage.program.asked}
        asked = len(service.queries)
        stage.guard.permit = replace(stage.guard.permit, active=1)
        assert await stage.read(replace(FRONT, pid=1, exported=EXPORTED)) is None
        assert len(service.queries) == asked


@pytest.mark.parametrize("toolkit", ["gtk"])
@pytest.mark.parametrize("exported", [EXPORTED, None])
async def test_nothing_is_asked_while_somebody_types(
    stage: Stage, tmp_path: Path, exported: ExportedMenus | None
) -> None:
    async with FakeService(address_in(tmp_path), EXPORTED.name, answers()) as service:
        await stage.found()
        stage.program.asked.clear()
        stage.guard.typing_s = 0.01
        reading = asyncio.create_task(stage.found(replace(FRONT, exported=exported)))
        await asyncio.sleep(0.1)
        assert not stage.program.asked
        assert {interface for interface, _ in service.queries} <= {"org.a11y.atspi.Application"}
        stage.guard.typing_s = 0.0
        assert (await reading).complete
        assert (("org.gtk.Menus", "Start") in service.queries) is (exported is not None)


@pytest.mark.parametrize("toolkit", ["gtk"])
@pytest.mark.parametrize("why", ["hangs", "refuses", "empty", "no keys", "not there", "no menus"])
async def test_menus_that_are_not_offered_or_say_no_keys_are_walked(
    stage: Stage, tmp_path: Path, limits: Limits, why: str
) -> None:
    limits("commands.exported", ASK_S=0.3)
    offered = answers()
    if why == "hangs":
        offered["org.gtk.Menus", "Start"] = None
    elif why == "refuses":
        del offered["org.gtk.Menus", "Start"]
    elif why == "empty":
        offered = answers(groups=[])
    elif why == "no keys":
        offered = answers(groups=[[0, 0, [item("_File", __submenu=link(1))]], [1, 0, [item("_Print")]]])
    where = ExportedMenus(EXPORTED.name) if why == "no menus" else EXPORTED
    name = "org.example.Other" if why == "not there" else EXPORTED.name
    async with FakeService(address_in(tmp_path), name, offered):
        found = await stage.found(replace(FRONT, exported=where))
    assert {command.path for command in MENUS} <= {command.path for command in found.commands}
    assert [command.keys for command in found.commands if command.path == ("File", "Save As")] == ["Ctrl+Shift+S"]


@pytest.mark.parametrize("application", ["/org/libreoffice", "/app"])
@pytest.mark.parametrize("toolkit", ["gtk"])
async def test_libreoffice_alone_is_asked_to_bring_its_menus_up_to_date(
    stage: Stage, tmp_path: Path, application: str
) -> None:
    """What it greys is of the last time that a menu was opened; each menu is said to open, and to close again."""
    groups = [[0, 0, [item("_Edit", __submenu=link(1), submenu_action=text("win.edit"))]]]
    groups.append([1, 0, [item("_Undo", accel=text("<Primary>z"))]])
    offered = answers(groups=groups) | {("org.gtk.Actions", "SetState"): ("", [])}
    async with FakeService(address_in(tmp_path), EXPORTED.name, offered) as service:
        found = await stage.found(replace(FRONT, exported=EXPORTED._replace(application=application)))
        asked = [member for _, member in service.queries if member == "SetState"]
    assert len(asked) == (2 if application == "/org/libreoffice" else 0)
    assert found.commands[0] == Command(path=("Edit", "Undo"), keys="Ctrl+Z")


@pytest.mark.parametrize("toolkit", ["gtk"])
async def test_exported_menus_that_hold_themselves_end(stage: Stage, tmp_path: Path) -> None:
    below = [item("_Loop", __submenu=link(0)), item("_Save", accel=text("<Primary>s"))]
    groups = [[0, 0, [item("_Loop", __submenu=link(1), accel=text("F5"))]], [1, 0, below]]
    async with FakeService(address_in(tmp_path), EXPORTED.name, answers(groups=groups)):
        found = await stage.found(replace(FRONT, exported=EXPORTED))
    assert found.commands[0] == Command(path=("Loop", "Save"), keys="Ctrl+S")


@pytest.mark.parametrize("toolkit", ["gtk"])
async def test_exported_menus_with_endless_ways_through_them_stop_nothing(stage: Stage, tmp_path: Path) -> None:
    """Each of 24 sections leads to the next one twice: 16 million ways."""
    groups = [[n, 0, [item("x", __section=link(n + 1)), item("x", __section=link(n + 1))]] for n in range(24)]
    groups.append([24, 0, [item("_Save", accel=text("<Primary>s"))]])
    async with FakeService(address_in(tmp_path), EXPORTED.name, answers(groups=groups)):
        found = await stage.found(replace(FRONT, exported=EXPORTED))
    assert found.commands  # by the walk through its menus


# ---------------------------------------------------------------- what is personal


@pytest.mark.parametrize("toolkit", ["gtk"])
async def test_planted_recent_files_bookmarks_and_windows_are_in_no_list(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the filter each is found."""
    planted = {
        "/r1": Node(Role.MENU_ITEM, "marker budget.ods", VISIBLE, keys=";;"),
        "/r2": Node(Role.MENU_ITEM, "1. marker letter", VISIBLE, keys=";;"),
        "/r3": Node(Role.MENU_ITEM, "~/marker/folder", VISIBLE, keys=";;"),
        "/r4": Node(Role.MENU_ITEM, "notes", VISIBLE, keys=";;"),
        "/r5": Node(Role.MENU_ITEM, "Search for “marker words”", VISIBLE, keys=";;"),
        "/undo": Node(Role.MENU_ITEM, "Undo: Input: 'marker typed'", VISIBLE, keys="u;<Alt>e:u;<Control>z"),
    }
    stage.program.nodes |= planted
    stage.program.nodes["/file"].children += list(planted)
    found = await stage.found()
    assert "marker" not in repr(found)
    assert ("File", "Undo") in [command.path for command in found.commands]
    monkeypatch.setattr(
        "daemon.capture.accessibility.atspi.commands.reading.without_personal", lambda entries, *_: list(entries)
    )
    names = [path[-1] for path in await stage.paths()]
    assert {"marker-recent", "marker budget.ods", "1. marker letter", "~/marker/folder", "notes"} <= set(names)


@pytest.mark.parametrize("toolkit", ["gtk"])
async def test_what_comes_between_two_looks_and_was_named_by_nobody_is_personal(stage: Stage) -> None:
    """A command that comes has a letter, a key or a tip from who made the program."""
    first = await stage.found()
    stage.program.nodes["/new"] = Node(Role.MENU_ITEM, "marker-file", VISIBLE, keys=";;")
    stage.program.nodes["/real"] = Node(Role.MENU_ITEM, "Redo", VISIBLE, keys="r;<Alt>f:r;")
    stage.program.nodes["/folder"] = Node(Role.MENU, "marker-folder", VISIBLE, ["/inside"], keys=";;")
    stage.program.nodes["/inside"] = Node(Role.MENU_ITEM, "inside", VISIBLE, keys="i;<Alt>f:i;")
    stage.program.nodes["/file"].children += ["/new", "/real", "/folder"]
    second = await stage.found(earlier=first)
    assert ("File", "Redo") in [command.path for command in second.commands]
    assert ("File", "marker-file") not in [command.path for command in second.commands]
    assert ("File", "marker-folder") not in [menu.path for menu in second.menus]
    of_a_part = await stage.found(earlier=replace(first, complete=False))
    assert of_a_part == replace(await stage.found(), read_ns=of_a_part.read_ns), "what was not read yet has not come"
    assert ("File", "marker-file") in await stage.paths()  # the control: at a first look nobody knows
