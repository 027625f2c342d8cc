"""A walk against programs made up on a bus of its own: what it finds, what it never asks, and where it ends."""

import asyncio
import os
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.capture.accessibility.atspi import walk as walk_module
from daemon.capture.accessibility.atspi.walk_memory import NAMES_NS, NAMES_WALKS, WalkMemory
from daemon.capture.control_source import ControlList
from storage.records import Box, ControlRole, ControlState
from tests.fakes.accessibility.atspi import (
    ACTIVE,
    CHECKABLE,
    CHECKED,
    EDITABLE,
    MANAGES_DESCENDANTS,
    PRESSED,
    ROOT,
    SENSITIVE,
    SHOWING,
    Adapter,
    FakeProgram,
    Limits,
    Node,
    OpenGuard,
    Role,
    running_adapter,
)
from tests.fakes.accessibility.private_bus import address_in

SEEN = SENSITIVE | SHOWING
WINDOW = Box(10, 20, 500, 400)
BILLIONS = 2_147_483_647
NODES: Mapping[str, Node] = {
    ROOT: Node(Role.APPLICATION, children=["/other", "/frame"]),
    "/other": Node(Role.FRAME, "Behind", SEEN, ["/elsewhere"], Box(0, 0, 900, 900)),
    "/elsewhere": Node(Role.BUTTON, "Elsewhere", SEEN, box=Box(30, 30, 20, 20)),
    "/frame": Node(Role.FRAME, "Editor", SEEN | ACTIVE, ["/bar", "/panel"], Box(10, 20, 500, 400)),
    "/bar": Node(Role.MENU_BAR, "", SEEN, ["/file"], Box(10, 20, 500, 20)),
    "/file": Node(Role.MENU, "File", SEEN, ["/open"], Box(10, 20, 40, 20)),
    "/open": Node(Role.MENU_ITEM, "Open...", SEEN, box=Box(10, 40, 100, 20)),
    "/panel": Node(
        Role.PANEL, "", SEEN, ["/save", "/bold", "/hidden", "/table", "/secret", "/name", "/choice", "/sizes", "/far"]
    ),
    "/save": Node(Role.BUTTON, "Save", SHOWING, box=Box(60, 100, 50, 20)),
    "/bold": Node(Role.CHECK, "Bold", SEEN | CHECKABLE | CHECKED, box=Box(20, 45, 50, 20)),
    "/hidden": Node(Role.PANEL, "", SENSITIVE, ["/save"]),
    "/table": Node(Role.TABLE, "Sheet", SEEN | MANAGES_DESCENDANTS, ["/save"], count=BILLIONS),
    "/secret": Node(Role.PASSWORD, "Password", SEEN | EDITABLE, box=Box(60, 130, 50, 20)),
    "/name": Node(Role.TEXT, "", SEEN | EDITABLE, box=Box(60, 160, 50, 20), label="/label"),
    "/choice": Node(Role.COMBO_BOX, "what is chosen", SEEN, box=Box(60, 190, 50, 20), label="/label"),
    "/sizes": Node(Role.PANEL, "Font Size", SEEN, ["/size"]),
    "/size": Node(Role.TEXT, "", SEEN | EDITABLE, box=Box(60, 220, 50, 20)),
    "/far": Node(Role.BUTTON, "Scrolled away", SEEN, box=Box(60, 2000, 50, 20)),
    "/label": Node(Role.LABEL, "Name:", SEEN),
}


class Stage(Adapter):
    """A running adapter, and a program whose window is walked."""

    async def walk(self, window: Box = WINDOW, *menus: Box) -> ControlList | None:
        return await self.source.controls(os.getpid(), window, menus)

    async def names(self, window: Box = WINDOW, *menus: Box) -> list[str]:
        return [control.name for control in (await self.found(window, *menus)).controls]

    async def boxes(self, window: Box = WINDOW, content: Box | None = None, *menus: Box) -> dict[str, Box | None]:
        """Walk, of a window with decorations what is inside them, and return where what was found is, by name."""
        if content is not None:
            self.guard.permit = replace(self.guard.permit, content=content, window=window)
        return {control.name: control.box for control in (await self.found(window, *menus)).controls}

    async def found(self, window: Box = WINDOW, *menus: Box) -> ControlList:
        found = await self.walk(window, *menus)
        assert found is not None
        return found


@pytest.fixture
def stage(tmp_path: Path, toolkit: str) -> AbstractAsyncContextManager[Stage]:
    return running_adapter(tmp_path, NODES, toolkit, OpenGuard(os.getpid()), Stage)


async def test_a_program_that_comes_later_and_signals_nothing_is_walked(stage: Stage, tmp_path: Path) -> None:
    """On a busy machine a program may reach the bus after its window was made: it says nothing of it any more."""
    stage.program.nodes.clear()
    assert not (found := await stage.walk()) or not found.controls
    async with FakeProgram(address_in(tmp_path), NODES):
        for _ in range(250):
            found = await stage.walk()
            if found is not None and found.controls:
                break
            await asyncio.sleep(0.02)
    assert found is not None
    assert "Save" in [control.name for control in found.controls]


async def test_a_walk_finds_what_can_be_acted_upon(stage: Stage) -> None:
    """In reading order, with role, name, state and box; what is off the window or belongs to another one is not there.

    An entry is called as its label, a list of choices too, and what is in a named group of its own as that.
    """
    found = await stage.found()
    assert found.complete
    assert [(control.role, control.name, control.state, control.box) for control in found.controls] == [
        (ControlRole.MENU, "File", ControlState.PLAIN, Box(10, 20, 40, 20)),
        (ControlRole.BUTTON, "Save", ControlState.DISABLED, Box(60, 100, 50, 20)),
        (ControlRole.CHECK_BOX, "Bold", ControlState.ON, Box(20, 45, 50, 20)),
        (ControlRole.ENTRY, "Name:", ControlState.PLAIN, Box(60, 160, 50, 20)),
        (ControlRole.COMBO_BOX, "Name:", ControlState.PLAIN, Box(60, 190, 50, 20)),
        (ControlRole.ENTRY, "Font Size", ControlState.PLAIN, Box(60, 220, 50, 20)),
    ]


async def test_what_may_be_endless_is_never_looked_into(stage: Stage) -> None:
    """A table that makes its cells as they are asked for, and a list of thousands: their children are not fetched.

    What does not show is asked nothing but that, and a password field nothing but what it is.
    """
    stage.program.nodes["/sizes"] = replace(NODES["/sizes"], count=5_000)
    found = await stage.found()
    assert not found.complete
    asked = stage.program.asked
    fetched = {path for path, member in asked if member == "GetChildren"}
    assert {"/frame", "/panel"} <= fetched  # the control
    assert not fetched & {"/table", "/sizes", "/hidden", "/secret"}
    assert {member for path, member in asked if path == "/hidden"} == {"GetState"}
    assert {member for path, member in asked if path == "/secret"} == {"GetState", "GetRole"}
    assert "ChildCount" not in {member for path, member in asked if path == "/table"}


async def test_a_menu_is_looked_into_while_one_is_open(stage: Stage) -> None:
    """Then its items are there, and what lies below it is not."""
    menu = Box(10, 40, 100, 200)
    assert "Open..." not in await stage.names()
    assert await stage.names(WINDOW, menu) == ["File", "Open..."]


@pytest.mark.parametrize("scale", [1, 2, 3])
async def test_places_are_pixels_whatever_the_scale_of_a_program(stage: Stage, scale: int) -> None:
    """A program at a scale says less than its window has; of a window that fits no scale nothing is known."""
    window = Box(*(part * scale for part in WINDOW))
    found = await stage.found(window)
    assert found.controls[0].box == Box(10 * scale, 20 * scale, 40 * scale, 20 * scale)
    assert await stage.walk(Box(0, 0, 700, 400)) is None


@pytest.mark.parametrize("toolkit", ["GTK", "gtk"])
async def test_controls_of_gtk_4_are_put_where_its_window_is(stage: Stage, toolkit: str) -> None:
    """Its window is at the desktop's corner for it; another toolkit says where it really is."""
    nodes = stage.program.nodes
    nodes["/size"] = replace(NODES["/size"], name="GtkSpinButton")
    window = WINDOW
    if toolkit == "GTK":
        nodes["/frame"] = replace(NODES["/frame"], box=Box(0, 0, WINDOW.w, WINDOW.h))
        window = Box(WINDOW.x + 300, WINDOW.y + 200, WINDOW.w + 10, WINDOW.h + 30)
    content = Box(window.x + 5, window.y + 25, WINDOW.w, WINDOW.h)
    boxes = await stage.boxes(window, content)
    if toolkit == "GTK":
        assert boxes["File"] == Box(content.x + 10, content.y + 20, 40, 20)
        assert "Font Size" in boxes  # by what holds it, as it has no name itself
    else:
        assert boxes["File"] == Box(10, 20, 40, 20)
        assert boxes["GtkSpinButton"] == Box(60, 220, 50, 20)  # that may be what it is called


@pytest.mark.parametrize("toolkit", ["GTK"])
async def test_a_window_of_gtk_4_with_a_shadow_is_walked(stage: Stage) -> None:
    """Its window is larger by the shadow, 61 pixels at each side with libadwaita; its frame is not."""
    stage.program.nodes["/frame"] = replace(NODES["/frame"], box=Box(0, 0, WINDOW.w, WINDOW.h))
    content = Box(400, 300, WINDOW.w, WINDOW.h)
    window = Box(339, 239, WINDOW.w + 122, WINDOW.h + 122)
    assert (await stage.boxes(window, content))["File"] == Box(410, 320, 40, 20)
    assert await stage.walk(WINDOW) is None  # another window is active by now


UNSHOWN = SENSITIVE | 1 << 30


@pytest.mark.parametrize("toolkit", ["GTK"])
@pytest.mark.parametrize("tells", [False, True])
async def test_gtk_4_says_what_shows_of_windows_alone_before_version_4_10(stage: Stage, *, tells: bool) -> None:
    """Once it says so of what is in a window, only that counts which shows (the control)."""
    nodes = stage.program.nodes
    nodes["/frame"] = replace(NODES["/frame"], box=Box(0, 0, WINDOW.w, WINDOW.h), children=["/tool", "/part"])
    nodes["/tool"] = Node(Role.BUTTON, "Zoom", SEEN if tells else UNSHOWN, box=Box(10, 20, 40, 20))
    nodes["/part"] = Node(Role.PANEL, "", SEEN if tells else UNSHOWN, ["/other"], Box(0, 40, 90, 90))
    nodes["/other"] = Node(Role.BUTTON, "Hidden", UNSHOWN, box=Box(10, 60, 40, 20))
    assert list(await stage.boxes(WINDOW, WINDOW)) == (["Zoom"] if tells else ["Zoom", "Hidden"])


@pytest.mark.parametrize("toolkit", ["GTK"])
async def test_a_menu_of_gtk_4_is_in_its_button_and_stands_where_its_window_is(stage: Stage) -> None:
    """It has places as if it began at the button; closed, or of another size, nothing in it is there (the control)."""
    nodes = stage.program.nodes
    nodes["/frame"] = replace(NODES["/frame"], box=Box(0, 0, WINDOW.w, WINDOW.h), children=["/tool"])
    nodes["/tool"] = Node(Role.BUTTON, "Menu", SEEN, ["/popover"], Box(300, 20, 40, 20))
    nodes["/popover"] = Node(Role.MENU, "GtkPopoverMenu", SEEN, ["/print"], Box(300, 20, 200, 150))
    nodes["/print"] = Node(Role.MENU_ITEM, "Print", SEEN, box=Box(310, 50, 180, 30))
    content = Box(WINDOW.x, WINDOW.y, WINDOW.w, WINDOW.h)
    assert "Print" not in await stage.boxes(WINDOW, content)
    place = Box(WINDOW.x + 120, WINDOW.y + 40, 200, 150)
    boxes = await stage.boxes(WINDOW, content, place)
    assert boxes["Print"] == Box(place.x + 10, place.y + 30, 180, 30)
    assert "Print" not in await stage.boxes(WINDOW, content, place._replace(h=90))


@pytest.mark.parametrize(("toolkit", "found"), [("GAIL", ["Open"]), ("gtk", [])])
async def test_gtk_2_says_of_no_item_of_a_menu_that_it_shows(stage: Stage, found: list[str]) -> None:
    """What is in a closed menu has no place, nor has what is below it; another toolkit says it (the control)."""
    nodes = stage.program.nodes
    closed = Box(-BILLIONS - 1, -BILLIONS - 1, 1, 1)
    nodes["/file"] = replace(NODES["/file"], children=["/open", "/more", "/grey"])
    nodes["/open"] = replace(NODES["/open"], name="Open", states=UNSHOWN)
    nodes["/more"] = Node(Role.MENU, "More", UNSHOWN, ["/deep"], closed)
    nodes["/deep"] = Node(Role.MENU_ITEM, "Deep", UNSHOWN, box=Box(10, 60, 100, 20))
    nodes["/grey"] = Node(Role.MENU_ITEM, "Unseen", SENSITIVE, box=Box(10, 60, 100, 20))
    boxes = await stage.boxes(WINDOW, None, Box(10, 40, 100, 80))
    assert [name for name in boxes if name in ("Open", "More", "Deep", "Unseen")] == found


@pytest.mark.parametrize("role", [8, 45])
async def test_an_item_of_a_menu_that_is_checked_says_so_whether_it_is_called_checkable_or_not(
    stage: Stage, role: int
) -> None:
    nodes = stage.program.nodes
    nodes["/file"] = replace(NODES["/file"], children=["/on", "/off", "/open"])
    nodes["/on"] = Node(role, "Wrap", SEEN | CHECKED, box=Box(10, 40, 100, 20))
    nodes["/off"] = Node(role, "Numbers", SEEN, box=Box(10, 60, 100, 20))
    nodes["/open"] = replace(NODES["/open"], box=Box(10, 80, 100, 20))
    found = {control.name: control for control in (await stage.found(WINDOW, Box(10, 40, 100, 80))).controls}
    items = [found[name] for name in ("Wrap", "Numbers", "Open...")]
    assert [item.state for item in items] == [ControlState.ON, ControlState.OFF, ControlState.PLAIN]
    assert {item.role for item in items} == {ControlRole.MENU_ITEM}


@pytest.mark.parametrize(("role", "state"), [(Role.CHECK, ControlState.OFF), (Role.TOGGLE, ControlState.ON)])
async def test_a_box_that_is_held_down_is_not_ticked_yet_but_a_toggle_is_on(
    stage: Stage, role: Role, state: ControlState
) -> None:
    """Qt holds a box down for 100 ms where the keyboard ticks it, and changes it then."""
    stage.program.nodes["/bold"] = Node(role, "Bold", SEEN | CHECKABLE | PRESSED, box=Box(20, 45, 50, 20))
    assert {control.name: control.state for control in (await stage.found()).controls}["Bold"] is state


async def test_a_page_in_pixels_within_a_window_in_units_is_found(stage: Stage) -> None:
    """Chromium's pages count otherwise than the rest of its window."""
    stage.program.nodes |= {
        "/panel": Node(Role.PANEL, "", SEEN, ["/page", "/save"], Box(20, 50, 400, 300)),
        "/page": Node(Role.DOCUMENT_WEB, "Page", SEEN, ["/send"], Box(40, 100, 800, 600)),
        "/send": Node(Role.BUTTON, "Send", SEEN, box=Box(600, 500, 60, 20)),
    }
    boxes = await stage.boxes(Box(20, 40, 1000, 800))
    assert boxes == {"File": Box(20, 40, 80, 40), "Send": Box(600, 500, 60, 20), "Save": Box(120, 200, 100, 40)}


async def test_what_an_office_program_draws_itself_is_put_where_it_is(stage: Stage) -> None:
    """It leaves out the height of its menu bar, but for parts that its toolkit draws; its own hidden bar is none."""
    stage.program.nodes |= {
        "/panel": Node(Role.PANEL, "", SEEN, ["/pane"], Box(10, 45, 500, 375)),
        "/pane": Node(Role.ROOT_PANE, "", SEEN, ["/bar2", "/save", "/outer"], Box(10, 20, 500, 375)),
        "/bar2": Node(Role.MENU_BAR, "", SEEN, ["/file2"], Box(10, 20, 500, 0)),
        "/file2": Node(Role.MENU, "File", SEEN, box=Box(10, 20, 35, 19)),
        "/outer": Node(Role.PANEL, "", SEEN, ["/inner"], Box(20, 100, 80, 30)),
        "/inner": Node(Role.PANEL, "", SEEN, ["/size"], Box(20, 125, 80, 30)),
    }
    boxes = await stage.boxes()
    assert boxes == {"File": Box(10, 20, 40, 20), "Save": Box(60, 125, 50, 20), "": Box(60, 220, 50, 20)}


@pytest.mark.parametrize(("limit", "number"), [("MAX_CALLS", 400), ("MAX_NODES", 100)])
async def test_a_walk_ends_at_its_limits_and_says_so(stage: Stage, limits: Limits, limit: str, number: int) -> None:
    """What was found until then is handed over; the program is not asked one question more."""
    many = [f"/button{number}" for number in range(150)]
    stage.program.nodes["/panel"] = Node(Role.PANEL, "", SEEN, many)
    stage.program.nodes |= {path: Node(Role.BUTTON, path, SEEN, box=Box(60, 100, 50, 20)) for path in many}
    limits("walk", **{limit: number})
    found = await stage.found()
    assert not found.complete
    assert 0 < len(found.controls) < 100
    if limit == "MAX_CALLS":
        # Questions that waited for their turn when the limit was reached are not sent any more.
        sent = len([item for item in stage.program.asked if item[1] != "ToolkitName"])
        assert number - walk_module.AT_ONCE <= sent <= number


async def test_a_program_that_hangs_costs_only_its_own_result(stage: Stage, limits: Limits) -> None:
    """The walk ends in time with nothing; few questions are on their way; later the program is walked as before."""
    limits("walk", WALK_S=0.2)
    await stage.known_toolkit()
    asked = len(stage.program.asked)
    stage.program.hangs = True
    assert await stage.walk() is None
    assert len(stage.program.asked) - asked == 1
    assert await stage.walk() is None
    assert len(stage.program.asked) - asked == 1  # it is late, and asked nothing more


async def test_a_program_that_is_late_leaves_what_was_found(stage: Stage, limits: Limits) -> None:
    """One control that does not answer ends the walk at its limit, with the others."""
    limits("walk", WALK_S=1.0)
    stage.program.late["/size", "GetExtents"] = 30.0
    found = await stage.found()
    assert not found.complete
    assert [control.name for control in found.controls] == ["File", "Save", "Bold", "Name:", "Name:"]


@pytest.mark.parametrize(("other", "found"), [(WINDOW, False), (Box(0, 0, 900, 900), True)])
async def test_while_no_window_says_that_it_is_active_the_only_one_of_its_size_is(
    stage: Stage, other: Box, *, found: bool
) -> None:
    """Of two that could be it none is walked."""
    stage.program.nodes["/frame"] = replace(NODES["/frame"], states=SEEN)
    stage.program.nodes["/other"] = replace(NODES["/other"], box=other)
    assert (await stage.walk() is not None) is found


async def test_what_reaches_out_of_the_window_counts_as_far_as_it_is_in_it(stage: Stage) -> None:
    """A ring must not stand where nothing of the control is."""
    stage.program.nodes["/save"] = replace(NODES["/save"], box=Box(400, 100, 150, 20))
    assert (await stage.boxes())["Save"] == Box(400, 100, 110, 20)


async def test_a_second_walk_asks_only_what_may_have_changed(stage: Stage) -> None:
    """Roles, names and the size of small containers are known; what shows, states and places are asked again."""
    first = await stage.found()
    before, stage.program.asked = stage.program.asked, []
    stage.program.nodes["/bold"] = replace(NODES["/bold"], states=SEEN | CHECKABLE, box=Box(30, 45, 50, 20))
    stage.program.nodes["/save"] = replace(NODES["/save"], states=SENSITIVE)
    second = await stage.found()
    again = stage.program.asked
    inside = [member for path, member in again if path not in {ROOT, "/frame", "/other"}]
    assert not {"GetRole", "Name", "ChildCount"} & set(inside)
    assert sum(member == "GetState" for _, member in before) == sum(member == "GetState" for _, member in again)
    assert len(again) < len(before) * 0.75
    kept = [control for control in first.controls if control.name not in {"Save", "Bold"}]
    assert [item for item in second.controls if item.name != "Bold"] == kept
    (bold,) = (item for item in second.controls if item.name == "Bold")
    assert (bold.state, bold.box) == (ControlState.OFF, Box(30, 45, 50, 20))


@pytest.mark.parametrize("by_signal", [True, False])
async def test_a_name_that_changed_is_asked_again(stage: Stage, *, by_signal: bool) -> None:
    """At once where the program says so; where it does not, after some walks."""
    assert "Save" in await stage.names()
    stage.program.nodes["/save"] = replace(NODES["/save"], name="Save As")
    assert "Save" in await stage.names()
    if by_signal:
        await stage.program.signal("object:property-change:accessible-name", "/save", value="Save As")
    walks = 1 if by_signal else NAMES_WALKS
    names = [await stage.names() for _ in range(walks)]
    assert "Save As" in names[-1]


async def test_a_pause_forgets_what_walks_have_learned(stage: Stage) -> None:
    """What changed meanwhile was not heard."""
    assert "Save" in await stage.names()
    stage.program.nodes["/save"] = replace(NODES["/save"], name="Save As")
    stage.source.begin_anew()
    assert "Save As" in await stage.names()


def test_names_are_forgotten_though_nobody_walks_any_more() -> None:
    """A minute after they were asked, not before; roles are no words and stay."""
    memory = WalkMemory()
    memory.begin(0)
    memory.learn_name("/save", "Save")
    memory.learn_role("/save", Role.BUTTON)
    memory.end(complete=True)
    memory.expire(NAMES_NS - 1)
    assert memory.name("/save") == "Save"
    memory.expire(NAMES_NS)
    assert memory.name("/save") is None
    assert memory.role("/save") == Role.BUTTON
