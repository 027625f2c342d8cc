"""Which controls are in the active window: a walk of its tree, bounded in calls, time, children and depth.

Only what shows is looked into, never tables, trees, documents of an office program, or anything that manages its
descendants, which may be millions. A password field is left out. Boxes are not always where the screen has them, and
are put right: GTK and Qt count in units of their scale, Chromium does so outside of its pages, and LibreOffice leaves
out the height of its menu bar, but not for the parts of its window that GTK draws.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from daemon.capture.accessibility.atspi.connection import Connection, Unanswered
from daemon.capture.accessibility.atspi.program import DESKTOP, origin_in, scale_of
from daemon.capture.accessibility.atspi.protocol import (
    ACCESSIBLE,
    ACTIVE,
    COMPONENT,
    EDITABLE,
    MANAGES_DESCENDANTS,
    MAX_WINDOWS,
    MULTI_LINE,
    ROOT,
    SCREEN,
    SHOWING,
    VISIBLE,
    WEB_DOCUMENT,
    box_from,
    has_state,
    label_in,
    object_path,
    role_of,
    state_of,
    without_type,
)
from daemon.capture.accessibility.atspi.walk_memory import WalkMemory
from daemon.capture.control_source import Control, ControlList
from daemon.capture.dbus import PROPERTIES
from daemon.capture.scene import contains, intersection
from storage.records import Box, ControlRole

MAX_CALLS = 3_000
"""Calc's window takes about a thousand."""

WALK_S = 1.0
"""When a walk ends with what it has; the window of an office program takes a tenth of it."""

MAX_NODES = 1_500
MAX_CHILDREN = 200
MAX_DEPTH = 40
AT_ONCE = 16
MAX_CONTROLS = 500
MAX_NAME = 200
_SAME = 4
"""By how many pixels two boxes of one place may differ in size."""

_NOWHERE = -(2**31)
_NAMED_ABOVE = 10
"""How far above may stand what gives a control without a name its own: LibreOffice nests deep."""

_COMBO_BOX, _PANEL, _MENU, _MENU_BAR, _POPUP_MENU, _ROOT_PANE, _TOOL_BAR, _WINDOW = 11, 39, 33, 34, 41, 46, 63, 69
_NEVER_INSIDE = frozenset({3, 13, 27, 29, 40, 42, 48, 50, 56, 60, 61, 65, 66, 79, 92, 93, 94, 96, 116})
"""Roles that hold no controls, or hold cells and text: labels, scroll bars, trees, office documents."""

_NEVER_OUTSIDE_PAGES = frozenset({55})
"""Tables: those of pages hold forms."""

_POPUPS = frozenset({_POPUP_MENU, _MENU, _WINDOW})
_MEASURED = frozenset({_PANEL, _ROOT_PANE, _MENU_BAR, _TOOL_BAR})
_LEAVES = frozenset(
    {
        *(ControlRole.BUTTON, ControlRole.TOGGLE, ControlRole.CHECK_BOX, ControlRole.RADIO_BUTTON),
        *(ControlRole.ENTRY, ControlRole.SLIDER, ControlRole.SPIN_BUTTON, ControlRole.LINK),
    }
)
_STATED = {8: ControlRole.CHECK_BOX, 45: ControlRole.RADIO_BUTTON}
"""Items of menus that have a state, by the number of their role: not every program calls them checkable."""

_LABELLED = frozenset({ControlRole.ENTRY, ControlRole.SPIN_BUTTON, ControlRole.SLIDER})
_WALKED = _LEAVES | {
    *(ControlRole.MENU, ControlRole.MENU_ITEM, ControlRole.TAB, ControlRole.COMBO_BOX, ControlRole.LIST_ITEM),
    ControlRole.TREE_ITEM,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Node:
    """A node that shows: what holds it, its place among the others, and by how many pixels boxes in it are off."""

    path: str
    role: int
    above: "_Node | None" = None
    order: tuple[int, ...] = ()
    box: Box | None = None
    shift: tuple[int, int] = (0, 0)
    siblings: int = 1
    in_popup: bool = False
    is_open_menu: bool = False
    in_page: bool = False
    scale: int = 1


@dataclass(frozen=True, slots=True)
class _Found:
    node: _Node
    control: Control
    box: Box


class Walk:
    """One walk of one program; used once. `calls` are the questions that it took."""

    def __init__(
        self,
        connection: Connection,
        name: str,
        *,
        window: Box,
        content: Box | None = None,
        menus: Sequence[Box] = (),
        tells_items: bool = True,
        memory: WalkMemory | None = None,
        now_ns: int = 0,
    ) -> None:
        """Prepare a walk of a program's active window, which is in pixels.

        `content` is the part of it that holds controls, for a program that counts from there (GTK 4). `tells_items`:
        whether it says of items in menus that they show. `memory` is what earlier walks have learned; no other walk
        uses it meanwhile.
        """
        self.calls = 0
        self._memory = memory if memory is not None else WalkMemory()
        self._memory.begin(now_ns)
        self._connection = connection
        self._name = name
        self._window = window
        self._content = content
        self._tells_showing = content is None
        self._tells_items = tells_items
        self._origin = DESKTOP
        self._menus = menus
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._nodes = 0
        self._complete = True
        self._found: list[_Found] = []

    async def run(self) -> ControlList | None:
        """Return the controls; None where the program has no such window, or says nothing in time."""
        try:
            with self._connection.walking(self._name):
                return await self._run()
        except Unanswered:
            return None

    async def _run(self) -> ControlList | None:
        try:
            async with asyncio.timeout(WALK_S):
                if not await self._look_at_windows():
                    return None
        except TimeoutError:
            self._complete = False
        self._memory.end(complete=self._complete)
        found = self._visible()
        return ControlList(controls=tuple(found), complete=self._complete) if found or self._complete else None

    # ------------------------------------------------------------ questions

    async def _ask(self, path: str, interface: str, member: str, signature: str = "", *body: object) -> object:
        if self.calls >= MAX_CALLS:
            self._complete = False
            raise Unanswered
        self.calls += 1
        async with self._slots:
            return await self._connection.ask(self._name, path, interface, member, signature, *body, walk=True)

    async def _property(self, path: str, member: str) -> object:
        return await self._ask(path, PROPERTIES, "Get", "ss", ACCESSIBLE, member)

    async def _box(self, path: str) -> Box | None:
        return box_from(await self._ask(path, COMPONENT, "GetExtents", "u", SCREEN))

    async def _text(self, path: str) -> str:
        name = self._memory.name(path)
        if name is None:
            found = await self._property(path, "Name")
            name = found[:MAX_NAME].strip() if isinstance(found, str) else ""
            name = name if self._content is None else without_type(name)
            self._memory.learn_name(path, name)
        return name

    async def _role(self, path: str) -> object:
        role = self._memory.role(path)
        if role is not None:
            return role
        found = await self._ask(path, ACCESSIBLE, "GetRole")
        return self._memory.learn_role(path, found) if isinstance(found, int) else found

    async def _children(self, path: str, most: int = MAX_CHILDREN) -> list[str]:
        if not self._memory.is_small(path):
            count = await self._property(path, "ChildCount")
            if not isinstance(count, int) or count <= 0:
                return []
            if count > most:
                self._complete = False
                return []
        found = await self._ask(path, ACCESSIBLE, "GetChildren")
        if not isinstance(found, Sequence):
            return []
        self._memory.learn_count(path, len(found))
        paths = [object_path(child) for child in found[:most]]
        return [path for path in paths if path is not None]

    # ------------------------------------------------------------ windows

    async def _look_at_windows(self) -> bool:
        """Walk the active window, and the menus that are windows of their own; return whether there is one.

        It is the one that says so and is as large as the window that the window manager calls active; where none says
        so, as while a menu is open in some, it is the only one of that size.
        """
        found = await asyncio.gather(*(self._window_of(path) for path in await self._children(ROOT, MAX_WINDOWS)))
        windows = [window for window in found if window is not None]
        place = self._content or self._window
        fitting = [(node, says) for node, says in windows if scale_of(node.box, place) is not None]
        active = next((node for node, says in fitting if says), fitting[0][0] if len(fitting) == 1 else None)
        if active is None:
            return False
        scale = scale_of(active.box, place) or 1
        if self._content is not None and active.box is not None:
            origin = origin_in(self._content, active.box)
            if origin is None:
                return False
            self._origin = origin
        popups = [
            replace(node, in_popup=True, scale=scale)
            for node, _ in windows
            if self._menus and node is not active and node.role in _POPUPS
        ]
        await asyncio.gather(*(self._look_inside(node) for node in (replace(active, scale=scale), *popups)))
        return True

    async def _window_of(self, path: str) -> tuple[_Node, bool] | None:
        """Return a window that shows, and whether it says that it is the active one."""
        try:
            role, states, box = await asyncio.gather(
                self._ask(path, ACCESSIBLE, "GetRole"), self._ask(path, ACCESSIBLE, "GetState"), self._box(path)
            )
        except Unanswered:
            return None
        if not isinstance(role, int) or not has_state(states, SHOWING):
            return None
        return _Node(path=path, role=role, box=box), has_state(states, ACTIVE)

    # ------------------------------------------------------------ the tree

    async def _look_inside(self, node: _Node) -> None:
        if len(node.order) >= MAX_DEPTH:
            self._complete = False
            return
        try:
            below = await self._children(node.path)
        except Unanswered:
            self._complete = False
            return
        await asyncio.gather(*(self._look(path, node, number, len(below)) for number, path in enumerate(below)))

    async def _look(self, path: str, above: _Node, number: int, siblings: int) -> None:
        """Look at one node, and on from there if it shows."""
        self._nodes += 1
        if self._nodes > MAX_NODES:
            self._complete = False
            return
        try:
            states = await self._ask(path, ACCESSIBLE, "GetState")
            if not await self._is_shown(path, states, above):
                return  # most are not, and are not asked anything else
            role = await self._role(path)
            if not isinstance(role, int):
                return
            node = _Node(
                path=path,
                role=role,
                above=above,
                order=(*above.order, number),
                shift=above.shift,
                siblings=siblings,
                in_popup=above.in_popup or role == _POPUP_MENU,
                in_page=above.in_page or role == WEB_DOCUMENT,
                scale=above.scale,
            )
            placed = await self._placed(node, above)
            if placed is None:
                return
            node, kind = placed, _kind(role, states)
            if kind in _WALKED and not node.is_open_menu:
                await self._add(node, kind, states)
            if not self._may_hold(node, kind, states):
                return
        except Unanswered:
            self._complete = False
            return
        if kind in (ControlRole.MENU, ControlRole.MENU_ITEM, ControlRole.COMBO_BOX):
            if not self._menus:
                return
            node = replace(node, in_popup=True)
        await self._look_inside(node)

    async def _is_shown(self, path: str, states: object, above: _Node) -> bool:
        """Return whether a node can be seen. GTK 4 says that of its windows alone, before version 4.10.

        GTK 2 says it of no item of a menu; those of a closed one have no place.
        """
        if above.in_popup and not self._tells_items:
            box = await self._box(path) if has_state(states, VISIBLE) else None
            return box is not None and box.x != _NOWHERE
        shows = has_state(states, SHOWING)
        if shows and not above.order:
            self._tells_showing = True
        return has_state(states, VISIBLE) and (shows or not self._tells_showing)

    def _may_hold(self, node: _Node, kind: ControlRole, states: object) -> bool:
        """Return whether there may be controls in a node; in GTK 4 a menu is in the button that opens it."""
        if node.role in _NEVER_INSIDE or has_state(states, MANAGES_DESCENDANTS):
            return False
        opens_menu = self._content is not None and kind is ControlRole.BUTTON and bool(self._menus)
        return (kind not in _LEAVES or opens_menu) and (node.role not in _NEVER_OUTSIDE_PAGES or node.in_page)

    async def _placed(self, node: _Node, above: _Node) -> _Node | None:
        """Return a node with how far off boxes in it are; None if nothing in it shows."""
        if node.role == WEB_DOCUMENT and above.scale > 1 and not above.in_page:
            node = await self._page(node, above)
        if node.role in _MEASURED:
            return await self._measured(node)
        is_popover = self._content is not None and node.role == _MENU and not await self._text(node.path)
        return await self._open_menu(node) if is_popover else node

    async def _measured(self, node: _Node) -> _Node | None:
        """Return a container with how far off boxes in it are; None if it has no room.

        LibreOffice puts all it draws itself as if there were no menu bar: its root pane has the size of what holds it,
        and stands higher. Parts drawn by GTK inside of that are right again.
        """
        above = node.above
        if node.role == _PANEL and node.shift == (0, 0) and not _is_inside(_ROOT_PANE, node):
            return node
        box = await self._box(node.path)
        if node.role in (_MENU_BAR, _TOOL_BAR):
            return None if box is None else node
        if box is None or above is None:
            return node
        holds = above.box or await self._box(above.path)
        if holds is None or abs(box.w - holds.w) > _SAME or abs(box.h - holds.h) > _SAME:
            return replace(node, box=box)
        moved = (holds.x - box.x, holds.y - box.y)
        if node.role == _ROOT_PANE:
            return replace(node, box=box, shift=moved)
        is_right = all(abs(a + b) <= _SAME for a, b in zip(moved, node.shift, strict=True)) and moved != (0, 0)
        return replace(node, box=box, shift=(0, 0) if is_right else node.shift)

    async def _open_menu(self, node: _Node) -> _Node | None:
        """Return a menu of GTK 4 with how far off boxes in it are; None if it is not open.

        What stands in it has places as if the menu, a window of its own, began at the button that opens it.
        """
        box = await self._box(node.path)
        if box is None:
            return None
        shown = self._origin._replace(scale=node.scale).on_desktop(box)
        for menu in self._menus:
            if abs(menu.w - shown.w) <= _SAME and abs(menu.h - shown.h) <= _SAME:
                x, y = (menu.x - self._origin.x) // node.scale, (menu.y - self._origin.y) // node.scale
                return replace(node, shift=(x - box.x, y - box.y), is_open_menu=True)
        return None

    async def _page(self, node: _Node, above: _Node) -> _Node:
        """Return a page with its scale: Chromium gives places in its pages in pixels, all others in units."""
        box, holds = await asyncio.gather(self._box(node.path), self._box(above.path))
        if box is None or holds is None or abs(box.w - holds.w * above.scale) > _SAME * above.scale:
            return node
        return replace(node, scale=1)

    async def _add(self, node: _Node, kind: ControlRole, states: object) -> None:
        name, box = await asyncio.gather(self._text(node.path), self._box(node.path))
        if box is None:
            return
        if kind is ControlRole.COMBO_BOX or (kind in _LABELLED and not name):
            name = await self._label(node.path) or name
        if not name:
            name = await self._name_above(node)
        x, y = (place + moved for place, moved in zip(box[:2], node.shift, strict=True))
        right = self._origin._replace(scale=node.scale).on_desktop(Box(x, y, box.w, box.h))
        control = Control(
            key=node.path, role=kind, name=name, state=state_of(_STATED.get(node.role, kind), states), box=right
        )
        self._found.append(_Found(node, control, right))

    async def _label(self, path: str) -> str:
        """Return the words of what labels a control: Qt names a list by what is chosen in it."""
        label = label_in(await self._ask(path, ACCESSIBLE, "GetRelationSet"))
        return await self._text(label) if label is not None else ""

    async def _name_above(self, node: _Node) -> str:
        """Return the name of what holds a control without one, and little else."""
        above = node.above
        siblings = node.siblings
        for _ in range(_NAMED_ABOVE):
            if above is None or siblings > 3 or above.role in (_MENU_BAR, _ROOT_PANE):  # noqa: PLR2004  # an entry, its button, its icon
                return ""
            if above.role in (_PANEL, _TOOL_BAR, _COMBO_BOX) and (name := await self._text(above.path)):
                return name
            siblings, above = above.siblings, above.above
        return ""

    def _visible(self) -> list[Control]:
        """Return what can be seen, in reading order: what is inside of the window or a menu, and not below a menu."""
        menus = [
            menu for menu in self._menus if any(item.node.in_popup and _holds(menu, item.box) for item in self._found)
        ]
        shown: dict[tuple[ControlRole, str, Box], Control] = {}
        for item in sorted(self._found, key=lambda item: item.node.order):
            places = menus if item.node.in_popup else [self._window]
            place = next((place for place in places if _holds(place, item.box)), None)
            if place is None or (not item.node.in_popup and any(_holds(menu, item.box) for menu in menus)):
                continue
            control = replace(item.control, box=intersection(place, item.box))
            shown.setdefault((control.role, control.name, item.box), control)
        return list(shown.values())[:MAX_CONTROLS]


def _kind(role: int, states: object) -> ControlRole:
    """Return what a node is; a line of text to type in is an entry, whatever its toolkit calls it."""
    kind = role_of(role)
    if kind is ControlRole.TEXT and has_state(states, EDITABLE) and not has_state(states, MULTI_LINE):
        return ControlRole.ENTRY
    return kind


def _is_inside(role: int, node: _Node) -> bool:
    above = node.above
    while above is not None and above.role != role:
        above = above.above
    return above is not None


def _holds(box: Box, inner: Box) -> bool:
    """Return whether the middle of a control is in a box."""
    return contains((box,), inner.x + inner.w // 2, inner.y + inner.h // 2)
