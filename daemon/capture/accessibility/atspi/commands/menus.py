"""The menus and tool bars of one window, by a walk of its accessibility tree that is bounded in all it does.

Menus are looked into whether they show or not, and nothing is opened. From the window down only containers are
searched for menu bars, tool bars and buttons: never documents, tables, trees, lists, or anything that manages its
descendants, which may be millions. A menu that is filled only when it is opened has nothing in it before.
"""

import asyncio
import contextlib
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dbus_fast import Variant

from daemon.capture.accessibility.atspi.commands.entry import (
    MAX_DEPTH,
    MAX_ENTRIES,
    MenuEntry,
    shown_hint,
    shown_keys,
    shown_name,
    without_keys,
)
from daemon.capture.accessibility.atspi.commands.exported import Rests
from daemon.capture.accessibility.atspi.commands.personal import holds_personal
from daemon.capture.accessibility.atspi.connection import Connection, Refused, Unanswered
from daemon.capture.accessibility.atspi.protocol import (
    ACCESSIBLE,
    ACTION,
    ACTIVE,
    MANAGES_DESCENDANTS,
    MAX_WINDOWS,
    ROOT,
    SHOWING,
    VISIBLE,
    has_state,
    object_path,
    role_of,
    state_of,
    without_type,
)
from daemon.capture.dbus import PROPERTIES
from storage.records import ControlRole

READ_S = 3.5
MAX_CALLS = 12_000
AT_ONCE = 16
"""How many questions are on their way: a key that is typed meanwhile waits for as many answers."""

MAX_SEARCHED = 600
MAX_CHILDREN = 300
MAX_SEARCH_DEPTH = 24

_MENU, _MENU_BAR, _POPUP_MENU, _TOOL_BAR, _FRAME = 33, 34, 41, 63, 23
_SEPARATORS = frozenset({50, 51, 48})
_SEARCHED = frozenset({20, 21, 23, 24, 28, 30, 36, 38, 39, 46, 47, 53, 63, 66, 67, 69, 70, 85, 98, 99})
"""Containers: fillers, frames, panels, panes, tab lists, tool bars, windows, sections, groupings."""

_ENTRIES = frozenset({ControlRole.MENU, ControlRole.MENU_ITEM, ControlRole.CHECK_BOX, ControlRole.RADIO_BUTTON})
_BUTTONS = frozenset({ControlRole.BUTTON, ControlRole.TOGGLE, ControlRole.CHECK_BOX, ControlRole.RADIO_BUTTON})
_RADIO_ITEM, _CHECK_ITEM = 45, 8
_ROLES: Mapping[int, ControlRole] = {_RADIO_ITEM: ControlRole.RADIO_BUTTON, _CHECK_ITEM: ControlRole.CHECK_BOX}
_MNEMONIC_ALONE = re.compile(r"(?:Alt\+|<Alt>)\w")
_NAME, _TIP, _COUNT = "Name", "Description", "ChildCount"


class _Look(NamedTuple):
    """What a look at one entry of a menu has found."""

    path: str
    size: object
    order: tuple[int, ...]
    entry: MenuEntry
    is_visible: bool


class MenuWalk:
    """One walk of one window; used once."""

    def __init__(
        self,
        connection: Connection,
        name: str,
        *,
        title: str,
        toolkit: str,
        menus: bool = True,
        rests: Rests,
    ) -> None:
        """Prepare a walk of a program's window with this title, with its menus or of its tool bars alone.

        Before each question the program is left alone as `rests` say.
        """
        self._connection = connection
        self._name = name
        self._title = title
        self._is_qt = toolkit == "Qt"
        self._is_atk = toolkit in ("gtk", "GAIL")  # no other may be asked for all at once: Qt 5 and 6 crash
        self._is_gtk4 = toolkit == "GTK"
        self._menus = menus
        self._rests = rests
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._searched = 0
        self._shows = True
        self._has_menu_bar = False
        self._found: list[tuple[tuple[int, ...], MenuEntry]] = []
        self.calls = 0
        self.limit_s = READ_S
        self.complete = True

    @property
    def entries(self) -> list[MenuEntry]:
        """What was found, in the order of the window."""
        return [entry for _, entry in sorted(self._found, key=lambda found: found[0])]

    async def read(self) -> bool:
        """Read the entries; return whether the program has such a window."""
        try:
            with self._connection.walking(self._name, apart=True):
                async with self._rests.limit(self.limit_s):
                    window = await self._window()
                    if window is not None:
                        await self._search(window, ())
                        if self._menus and not self._has_menu_bar:
                            self._shows = False
                            await self._search(window, ())
        except TimeoutError:
            self.complete = False
            return bool(self._found)
        except Unanswered:
            return False
        return window is not None

    # ------------------------------------------------------------ questions

    async def _ask(self, path: str, interface: str, member: str, signature: str = "", *body: object) -> object:
        if self.calls >= MAX_CALLS:
            self.complete = False
            raise Unanswered
        self.calls += 1
        async with self._slots:
            await self._rests.wait()
            return await self._connection.ask(self._name, path, interface, member, signature, *body, walk=True)

    async def _facts(self, path: str, *lines: str) -> dict[str, object]:
        """Return properties of an object: with one question in GTK 2 and 3, where all come for less than two cost."""
        if self._is_atk:
            found = await self._ask(path, PROPERTIES, "GetAll", "s", ACCESSIBLE)
            return {name: _plain(value) for name, value in found.items()} if isinstance(found, Mapping) else {}
        found = await asyncio.gather(*(self._ask(path, PROPERTIES, "Get", "ss", ACCESSIBLE, line) for line in lines))
        return dict(zip(lines, found, strict=True))

    async def _children(self, path: str, count: object) -> list[str]:
        if not isinstance(count, int) or count <= 0:
            return []
        if count > MAX_ENTRIES:
            self.complete = False
            return []
        found = await self._ask(path, ACCESSIBLE, "GetChildren")
        paths = [object_path(child) for child in found] if isinstance(found, Sequence) else []
        return [path for path in paths[:MAX_ENTRIES] if path is not None]

    # ------------------------------------------------------------ the window

    async def _window(self) -> str | None:
        """Return the window: the active one, else the one with its title, else the only one."""
        count = await self._ask(ROOT, PROPERTIES, "Get", "ss", ACCESSIBLE, "ChildCount")
        paths = (await self._children(ROOT, count))[:MAX_WINDOWS]
        frames = [path for path in await asyncio.gather(*map(self._frame, paths)) if path is not None]
        active = [path for path, is_active, _ in frames if is_active]
        named = [path for path, _, name in frames if name == self._title]
        return next((found[0] for found in (active, named, [path for path, *_ in frames]) if len(found) == 1), None)

    async def _frame(self, path: str) -> tuple[str, bool, object] | None:
        try:
            role, states, name = await asyncio.gather(
                self._ask(path, ACCESSIBLE, "GetRole"),
                self._ask(path, ACCESSIBLE, "GetState"),
                self._ask(path, PROPERTIES, "Get", "ss", ACCESSIBLE, "Name"),
            )
        except Unanswered:
            return None
        if role != _FRAME or not has_state(states, VISIBLE):
            return None
        return path, has_state(states, ACTIVE), name

    async def _search(self, path: str, order: tuple[int, ...]) -> None:
        """Search a container for menu bars, tool bars and buttons that show."""
        if len(order) >= MAX_SEARCH_DEPTH:
            return
        count = await self._ask(path, PROPERTIES, "Get", "ss", ACCESSIBLE, "ChildCount")
        if isinstance(count, int) and count > MAX_CHILDREN:
            return
        below = await self._children(path, count)
        await asyncio.gather(*(self._look(child, (*order, number)) for number, child in enumerate(below)))

    async def _look(self, path: str, order: tuple[int, ...]) -> None:
        self._searched += 1
        if self._searched > MAX_SEARCHED:
            self.complete = False
            return
        with contextlib.suppress(Unanswered):
            states = await self._ask(path, ACCESSIBLE, "GetState")
            if has_state(states, MANAGES_DESCENDANTS) or (self._shows and not has_state(states, VISIBLE)):
                return
            role = await self._ask(path, ACCESSIBLE, "GetRole")
            if not self._shows and has_state(states, SHOWING):
                return
            if role == _MENU_BAR:
                self._has_menu_bar = True
                if self._menus:
                    await self._open(path, (), order, (await self._facts(path, _COUNT)).get(_COUNT))
            elif (
                self._shows and not has_state(states, SHOWING) and not self._is_gtk4
            ):  # where only the window itself says so
                return
            elif role == _TOOL_BAR and holds_personal(_text(await self._facts(path, _NAME), _NAME)):
                return
            elif role_of(role) in _BUTTONS:
                await self._add_button(path, role, states, order)
            elif role in _SEARCHED:
                await self._search(path, order)

    async def _add_button(self, path: str, role: object, states: object, order: tuple[int, ...]) -> None:
        facts = await self._facts(path, _NAME, _TIP)
        name, hint = self._named(facts), _text(facts, _TIP)
        if not name:  # an icon that says what it does in its tip alone
            name, hint = shown_name(hint), ""
        name, keys = without_keys(name)
        tip, more_keys = without_keys(hint)
        if name:
            kind = role_of(role)
            entry = MenuEntry(
                path=(name,),
                role=kind,
                state=state_of(kind, states),
                hint=shown_hint(tip, name),
                keys=keys or more_keys or self._shortcut(await self._binding(path)),
                in_menu=self._shows,
            )
            self._found.append((order, entry))

    # ------------------------------------------------------------ menus

    async def _open(self, path: str, above: tuple[str, ...], order: tuple[int, ...], count: object) -> None:
        """Look at the entries of a menu, which is not opened for that."""
        if len(above) >= MAX_DEPTH:
            self.complete = False
            return
        try:
            below = await self._children(path, count)
        except Unanswered:
            self.complete = False
            return
        looks = (self._entry(child, above, (*order, number)) for number, child in enumerate(below))
        found = [look for look in await asyncio.gather(*looks) if look is not None]
        tells = any(look.is_visible for look in found)  # Qt and LibreOffice's own say that of what is open alone
        shown = [look for look in found if look.is_visible or not tells]  # what does not apply is hidden
        self._found += [(look.order, look.entry) for look in shown]
        await asyncio.gather(
            *(self._open(look.path, look.entry.path, look.order, look.size) for look in shown if look.entry.holds)
        )

    async def _entry(self, path: str, above: tuple[str, ...], order: tuple[int, ...]) -> _Look | None:
        if len(self._found) >= MAX_ENTRIES:
            self.complete = False
            return None
        try:
            role = await self._ask(path, ACCESSIBLE, "GetRole")
            if role in _SEPARATORS or not isinstance(role, int):
                return None
            facts = await self._facts(path, _NAME, _COUNT)
            count = facts.get(_COUNT)
            if role == _POPUP_MENU:  # Qt has one between a menu and what is in it
                await self._open(path, above, order, count)
                return None
            name = self._named(facts)
            kind = _ROLES.get(role, role_of(role))
            if not name or kind not in _ENTRIES:
                return None
            holds = await self._holds(path, role, count)
            states = await self._ask(path, ACCESSIBLE, "GetState")
            keys = await self._binding(path) if holds is None else ""
        except Unanswered:
            self.complete = False
            return None
        entry = MenuEntry(
            path=(*above, name),
            role=ControlRole.MENU if holds is not None else kind,
            state=state_of(kind, states),
            keys=self._shortcut(keys),
            hint=shown_hint(_text(facts, _TIP), name),
            marked=_is_marked(keys),
            chosen_from=kind is ControlRole.RADIO_BUTTON,
            holds=holds,
        )
        return _Look(path, count, order, entry, has_state(states, VISIBLE))

    async def _holds(self, path: str, role: int, count: object) -> int | None:
        """Return how many entries are in a menu, as far as it says so; None for an entry that is none."""
        if not isinstance(count, int) or (count == 0 and role != _MENU):
            return None
        if self._is_qt and count == 1:
            popup, *_ = [*await self._children(path, count), ""]
            inside = await self._ask(popup, PROPERTIES, "Get", "ss", ACCESSIBLE, "ChildCount") if popup else 0
            return inside if isinstance(inside, int) else 0
        return count

    def _named(self, facts: Mapping[str, object]) -> str:
        name = shown_name(_text(facts, _NAME))
        if not self._is_gtk4:
            return name
        return "" if name.startswith("_") else without_type(name)  # of a label, which comes again as it is shown

    async def _binding(self, path: str) -> str:
        try:
            found = await self._ask(path, ACTION, "GetKeyBinding", "i", 0)
        except Refused:
            return ""
        return found if isinstance(found, str) else ""

    def _shortcut(self, binding: str) -> str:
        """Return the shortcut in a key binding: GTK and Firefox give mnemonic, path of them and shortcut; Qt either."""
        *others, last = binding.split(";")
        if not others:
            return "" if _MNEMONIC_ALONE.fullmatch(binding) else shown_keys(binding)
        return shown_keys(last) if len(others) > 1 else ""


def _is_marked(binding: str) -> bool:
    """Return whether a letter opens the entry: "n;<Alt>f:n;", or "Alt+N" in Qt where it has no other key."""
    letter, semicolon, _ = binding.partition(";")
    return bool(letter) if semicolon else _MNEMONIC_ALONE.fullmatch(binding) is not None


def _text(facts: Mapping[str, object], line: str) -> str:
    found = facts.get(line)
    return found if isinstance(found, str) else ""


def _plain(value: object) -> object:
    return value.value if isinstance(value, Variant) else value
