"""Menus that a program offers on the session bus, for other programs to show: `org.gtk.Menus` and `org.gtk.Actions`.

All menus come with a handful of questions, and asking changes nothing on the screen. GTK 3 and LibreOffice offer them;
`com.canonical.dbusmenu` is offered only where something collects it, which no desktop that was tried does.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from itertools import count

from dbus_fast import Variant

from daemon.capture.accessibility.atspi.commands.entry import (
    MAX_DEPTH,
    MAX_ENTRIES,
    MenuEntry,
    shown_hint,
    shown_keys,
    shown_name,
    without_mnemonic,
)
from daemon.capture.accessibility.atspi.commands.personal import holds_personal
from daemon.capture.dbus import BUS, BUS_PATH, Bus, session_address
from daemon.capture.programs.processes import program_process
from daemon.capture.scene import ExportedMenus
from storage.records import ControlRole, ControlState

_OFFICE = "/org/libreoffice"
_MENUS, _ACTIONS = "org.gtk.Menus", "org.gtk.Actions"
_ROUNDS = 12
"""How often what is below may be asked for: menus come with all that they hold, or a level at a time."""

_MAX_GROUPS = 1_000
_MAX_STEPS = 20_000
"""Links looked at; groups that several others refer to are as many ways as there are."""

ASK_S, UPDATE_S = 2.5, 1.0


class Rests:
    """Leaves a program alone while somebody types in it. That time does not count in the limits of what is asked."""

    def __init__(self, rest_s: Callable[[], float] = lambda: 0.0) -> None:
        """Take what returns for how many seconds the program is left alone from now on."""
        self._rest_s = rest_s
        self._lock = asyncio.Lock()
        self._limits: list[asyncio.Timeout] = []
        self.rested_s = 0.0

    @contextlib.asynccontextmanager
    async def limit(self, limit_s: float) -> AsyncIterator[None]:
        """Raise `TimeoutError` where what is inside takes longer, rests left out."""
        async with asyncio.timeout(limit_s) as limit:
            self._limits.append(limit)
            try:
                yield
            finally:
                self._limits.remove(limit)

    async def wait(self) -> None:
        """Wait until the program may be asked."""
        async with self._lock:
            while (left_s := self._rest_s()) > 0.0:
                self.rested_s += left_s
                for limit in self._limits:
                    if not limit.expired():
                        limit.reschedule((limit.when() or 0.0) + left_s)
                await asyncio.sleep(left_s)


_Link = tuple[int, int]
_Menus = dict[_Link, Sequence[Mapping[str, object]]]
_Action = tuple[bool, object]
"""Whether it is enabled, and its state; None for none."""


class ExportedEntries:
    """What one program exports, read once."""

    def __init__(self, env: Mapping[str, str], offered: ExportedMenus, pid: int, rests: Rests) -> None:
        """Take the environment that names the session bus, where the menus are, and whose they must be."""
        self._env = env
        self._rests = rests
        self._offered = offered
        self._pid = pid
        self.entries: list[MenuEntry] = []
        self.complete = True

    async def read(self) -> bool:
        """Read the entries; return whether there are any. Raises `SourceGone` where there is no bus."""
        if not (self._offered.menu_bar or self._offered.app_menu):
            return False
        bus = await Bus.connect(session_address(self._env))
        try:
            async with self._rests.limit(ASK_S):
                process = await bus.call(BUS, BUS_PATH, BUS, "GetConnectionUnixProcessID", "s", self._offered.name)
                if not isinstance(process, int) or program_process(process) != self._pid:
                    return False  # a window may name any program
                await self._read(bus)
        except TimeoutError:
            self.complete = False
        finally:
            bus.close()
        return bool(self.entries)

    async def _read(self, bus: Bus) -> None:
        menus = [await self._menus(bus, path) for path in (self._offered.menu_bar, self._offered.app_menu) if path]
        actions = await self._actions(bus)
        try:
            if self._offered.application == _OFFICE and menus[0]:
                await self._bring_up_to_date(bus, menus[0])
                menus, actions = [await self._menus(bus, self._offered.menu_bar)], await self._actions(bus)
        finally:  # also where the time is over: what was read first
            for bar in menus:
                self._add(bar, actions)

    async def _actions(self, bus: Bus) -> dict[str, _Action]:
        actions: dict[str, _Action] = {}
        for prefix, path in (("app.", self._offered.application), ("win.", self._offered.window)):
            await self._rests.wait()
            found = await bus.call(self._offered.name, path, _ACTIONS, "DescribeAll") if path else None
            actions |= _actions_in(prefix, found)
        return actions

    async def _bring_up_to_date(self, bus: Bus, menus: _Menus) -> None:
        """Have LibreOffice bring its menus up to date, as it does for a bar that is about to open them.

        What is greyed and checked in them is of the last time that they were opened. Nothing shows by it.
        """
        opened = [item for items in menus.values() for item in items if _link(item, ":submenu") is not None]
        names = dict.fromkeys(
            _text(item, "submenu-action") for item in opened if not holds_personal(_text(item, "label"))
        )
        method = self._offered.name, self._offered.window, _ACTIONS, "SetState", "sva{sv}"
        with contextlib.suppress(TimeoutError):
            async with self._rests.limit(UPDATE_S):
                for name in filter(None, names):
                    await self._rests.wait()
                    for is_open in (True, False):
                        await bus.call(*method, name.removeprefix("win."), Variant("b", is_open), {})

    async def _menus(self, bus: Bus, path: str) -> _Menus:
        menus: _Menus = {}
        wanted, asked, below = [0], {0}, set[int]()
        for _ in range(_ROUNDS):
            await self._rests.wait()
            found = await bus.call(self._offered.name, path, _MENUS, "Start", "au", wanted)
            for group, number, items in found if isinstance(found, Sequence) else ():
                menus[group, number] = [{name: _plain(value) for name, value in item.items()} for item in items]
                below.update(link[0] for item in menus[group, number] for link in _links(item))
            await bus.call(self._offered.name, path, _MENUS, "End", "au", wanted)
            below -= asked
            if not below:
                return menus
            wanted = sorted(below)[: max(0, _MAX_GROUPS - len(asked))]
            asked.update(wanted)
        self.complete = False
        return menus

    def _add(self, menus: _Menus, actions: Mapping[str, _Action]) -> None:
        steps = count()

        def go(link: _Link, above: tuple[str, ...], seen: frozenset[_Link]) -> None:
            for item in menus.get(link, ()):
                if len(self.entries) >= MAX_ENTRIES or len(seen) > 3 * MAX_DEPTH or next(steps) > _MAX_STEPS:
                    self.complete = False
                    return
                section, submenu = _link(item, ":section"), _link(item, ":submenu")
                path = above
                if submenu is not None or section is None:
                    entry = _entry(item, above, actions, menus, submenu)
                    if entry is None:
                        continue
                    self.entries.append(entry)
                    path = entry.path
                for below in (section, submenu):
                    if below is not None and below not in seen:
                        go(below, path, seen | {below})

        go((0, 0), (), frozenset({(0, 0)}))


def _entry(
    item: Mapping[str, object],
    above: tuple[str, ...],
    actions: Mapping[str, _Action],
    menus: Mapping[_Link, object],
    submenu: _Link | None,
) -> MenuEntry | None:
    """Return an entry, also of a submenu; None for one without a name, or that is not shown."""
    label, marked = without_mnemonic(_text(item, "label"))
    name = shown_name(label)
    action = _text(item, "submenu-action" if submenu is not None else "action")
    is_known = action in actions
    enabled, value = actions.get(action, (True, None))
    hidden = _text(item, "hidden-when")
    if not name or hidden == "macos-menubar" or (hidden == "action-missing" and not is_known):
        return None
    if not is_known and action.startswith(("app.", "win.")) and submenu is None:
        enabled = False  # GTK shows what has no action greyed
    target = item.get("target")
    role, state = ControlRole.MENU_ITEM, ControlState.PLAIN
    if submenu is not None:
        role = ControlRole.MENU
    elif target is not None and value is not None:
        role, state = ControlRole.RADIO_BUTTON, ControlState.ON if value == target else ControlState.OFF
    elif isinstance(value, bool):
        role, state = ControlRole.CHECK_BOX, ControlState.ON if value else ControlState.OFF
    return MenuEntry(
        path=(*above, name),
        role=role,
        state=state if enabled else ControlState.DISABLED,
        keys=shown_keys(_text(item, "accel")),
        hint=shown_hint(_text(item, "tooltip"), name),
        marked=marked,
        chosen_from=role is ControlRole.RADIO_BUTTON,
        holds=None if submenu is None else _size(menus, submenu),
    )


def _actions_in(prefix: str, found: object) -> dict[str, _Action]:
    actions: dict[str, _Action] = {}
    for name, described in found.items() if isinstance(found, Mapping) else ():
        match described:
            case [bool() as enabled, str(), [*state]]:
                actions[f"{prefix}{name}"] = enabled, _plain(state[0]) if state else None
            case _:
                pass
    return actions


def _size(menus: Mapping[_Link, object], link: _Link) -> int:
    items = menus.get(link)
    return len(items) if isinstance(items, Sequence) else 0


def _links(item: Mapping[str, object]) -> list[_Link]:
    return [link for kind in (":section", ":submenu") if (link := _link(item, kind)) is not None]


def _link(item: Mapping[str, object], kind: str) -> _Link | None:
    match item.get(kind):
        case [int() as group, int() as number]:
            return group, number
        case _:
            return None


def _text(item: Mapping[str, object], name: str) -> str:
    found = item.get(name)
    return found if isinstance(found, str) else ""


def _plain(value: object) -> object:
    return value.value if isinstance(value, Variant) else value
