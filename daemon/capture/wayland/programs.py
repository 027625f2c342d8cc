"""The windows that programs say they have, and what is typed in them, by the accessibility bus.

For desktops that list no windows. It is asked only where the person chose that controls are understood, and a program
that is excluded by its name is not asked at all: its window stands in the list without a title. There are no places: a
program counts from the corner of its own window, and nobody says where that is.
"""

import asyncio
import contextlib
import os
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from dbus_fast import Message

from daemon.capture.accessibility.atspi.protocol import (
    ACCESSIBLE,
    ACTIVE,
    COMPONENT,
    EDITABLE,
    EVENTS,
    FOCUSED,
    MAX_WINDOWS,
    REGISTRY,
    REGISTRY_PATH,
    ROOT,
    SCREEN,
    SHOWING,
    box_from,
    has_state,
    object_path,
    role_of,
)
from daemon.capture.accessibility.atspi.switch import bus_address
from daemon.capture.backend import MayAsk, Wakeup
from daemon.capture.dbus import BUS, BUS_PATH, Bus
from daemon.capture.fence.rules import OWN_APP
from daemon.capture.fence.traits import TraitReader
from daemon.capture.input import InputQueue
from daemon.capture.keys import KeyPress
from daemon.capture.programs.processes import program_process, read_process
from daemon.capture.scene import DesktopWindow, Scene
from daemon.capture.source_thread import SourceGone, SourceThread
from storage.clock import NS_PER_S, Clock
from storage.records import Box, ControlRole

MAX_PROGRAMS = 100
SETTLE_S = 0.05
"""How long a program may go on changing its windows before it is asked for them."""

AGAIN_S = 60.0
"""How long until a bus that is not there, or went away, is looked for again, unless a pause has ended before."""

_EVENTS = (
    *("window:create", "window:destroy", "window:activate", "window:deactivate"),
    *("object:property-change:accessible-name", "object:text-changed:insert", "object:text-changed:delete"),
)
_RULES = (
    f"interface='{EVENTS}.Window'",
    f"interface='{EVENTS}.Object',member='PropertyChange',arg0='accessible-name'",
    f"interface='{EVENTS}.Object',member='TextChanged'",
    f"sender='{BUS}',interface='{BUS}',member='NameOwnerChanged'",
)
_SHOWING, _SHOWING_RULE = (
    "object:state-changed:showing",
    f"interface='{EVENTS}.Object',member='StateChanged',arg0='showing'",
)
_ITEMS = frozenset({8, 33, 35, 45, 50})
"""Roles of what stands in a menu: items with a mark, a submenu, items, separators."""

MAX_ITEMS, MOST_OTHERS, MOST_MENUS = 64, 4, 8
_WINDOWS = (ControlRole.WINDOW, ControlRole.DIALOG, ControlRole.ALERT)
_LETTER, _BACKSPACE = KeyPress(ord("x"), "x"), KeyPress(0xFF08, "")
"""What a text that grew or shrank by one stands for: which letter it was is not looked at."""


@dataclass(slots=True)
class _Program:
    """One program on the bus: what it is, its windows, and its fields that were typed into."""

    base: DesktopWindow
    is_excluded: bool
    is_own: bool = False
    windows: dict[str, DesktopWindow] = field(default_factory=dict)
    active: str = ""
    fields: dict[str, bool] = field(default_factory=dict)
    asking: asyncio.Task[None] | None = None
    appeared: dict[str, None] = field(default_factory=dict)
    asked: list[list[str]] = field(default_factory=list)
    menus: list["ProgramMenu"] = field(default_factory=list)
    unasked_until_ns: int = 0


@dataclass(frozen=True, slots=True)
class ProgramMenu:
    """A menu that is open: of which process, a number of its own, its items, and where, from its window's corner."""

    pid: int
    number: int
    items: frozenset[str]
    box: Box


class ProgramWindows:
    """Windows and typing as programs tell them. Its thread asks; the capture thread takes what it found."""

    def __init__(self, env: Mapping[str, str], clock: Clock, may_ask: MayAsk, *, with_menus: bool = False) -> None:
        """Begin; an empty list comes first, and programs are asked once that is allowed, `with_menus` for these too."""
        self.menus: tuple[ProgramMenu, ...] = ()
        """The menus that are open."""
        self._with_menus = with_menus
        self._env = env
        self._clock = clock
        self._may_ask = may_ask
        self._reader = TraitReader(may_ask.excluded(), ())
        self._excluded = may_ask.excluded()
        self._lock = threading.Lock()
        self._newest = Scene(t_ns=clock.now_ns(), screen=Box(0, 0, 0, 0))
        self._scenes: deque[Scene] = deque([self._newest])
        self._wakeup = Wakeup()
        self._queue: InputQueue | None = None
        self._programs: dict[str, _Program] = {}
        self._clients: dict[tuple[str, str], int] = {}
        self._numbers = count(1)
        self._active = ("", "")
        self._thread = SourceThread("windows", self._main, lambda _: None, failure="windows are no longer known")
        self._thread.start()

    # ------------------------------------------------------------ called by the capture thread

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when there is a new state."""
        return self._wakeup.fileno()

    def read(self) -> None:
        """Forget that there was something new."""
        self._wakeup.clear()

    def refresh(self) -> None:
        """Look whether programs may be asked now, and have them asked."""
        self._thread.call(self._look_again)

    def take_scenes(self) -> tuple[Scene, ...]:
        """Return the states since the last call, oldest first."""
        with self._lock:
            scenes, self._scenes = tuple(self._scenes), deque()
        return scenes

    def start_typing(self, queue: InputQueue) -> None:
        """Pass on that something was typed or erased, where programs tell."""
        self._queue = queue

    def close(self) -> None:
        """End."""
        self._thread.stop(0.2)
        self._wakeup.close()

    # ------------------------------------------------------------ the thread

    async def _main(self) -> None:
        self._changed = asyncio.Event()
        while True:
            with contextlib.suppress(SourceGone):
                await self._watch()
            self._programs.clear()
            self._publish()
            self._publish_menus()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(AGAIN_S):
                    await self._changed.wait()
            self._changed.clear()

    async def _watch(self) -> None:
        if not self._may_ask.now():
            raise SourceGone
        bus = await Bus.connect(await bus_address(self._env))
        try:
            async with asyncio.TaskGroup() as tasks:
                self._bus, self._tasks = bus, tasks
                bus.on_signal(self._take)
                for rule in (*_RULES, *([_SHOWING_RULE] if self._with_menus else [])):
                    await bus.subscribe(rule)
                for event in (*_EVENTS, *([_SHOWING] if self._with_menus else [])):
                    await bus.call(REGISTRY, REGISTRY_PATH, REGISTRY, "RegisterEvent", "s", event)
                await self._ask_all()
                await bus.wait_closed()
        except* SourceGone:
            pass
        finally:
            bus.close()

    def _look_again(self) -> None:
        """Begin, or go on after a pause, or with more that is excluded."""
        if self._excluded != self._may_ask.excluded():
            self._excluded = self._may_ask.excluded()
            self._reader = TraitReader(self._excluded, ())
            for program in self._programs.values():
                program.is_excluded = self._reader.traits(program.base).named
        self._changed.set()
        for name in list(self._programs):
            self._ask_soon(name)

    async def _ask_all(self) -> None:
        names = await self._bus.call(BUS, BUS_PATH, BUS, "ListNames")
        for name in names if isinstance(names, list) else ():
            if name.startswith(":"):
                self._ask_soon(name)

    def _ask_soon(self, name: str) -> None:
        known = self._programs.get(name)
        if known is not None and known.asking is not None and not known.asking.done():
            return
        with contextlib.suppress(RuntimeError):  # the connection is just ending
            task = self._tasks.create_task(self._ask(name))
            if known is not None:
                known.asking = task

    async def _ask(self, name: str) -> None:
        """Ask a program for its windows, and publish them."""
        program = self._programs.get(name)
        if program is None:
            program = await self._introduce(name)
            if program is None:
                return
        await asyncio.sleep(SETTLE_S)
        if not self._may_ask.now():
            return
        sender, path = self._active
        if program.is_own:  # never asked; that one of its windows is in front is all that matters
            program.windows = {path: program.base} if sender == name else {}
        elif program.is_excluded:
            program.windows = {"": program.base}
        else:
            program.windows = await self._windows_of(name, program)
        self._publish()

    async def _introduce(self, name: str) -> _Program | None:
        process = await self._bus.call(BUS, BUS_PATH, BUS, "GetConnectionUnixProcessID", "s", name)
        owner = await self._bus.call(BUS, BUS_PATH, BUS, "GetNameOwner", "s", REGISTRY)
        if not isinstance(process, int) or name == owner or name in self._programs:
            return None
        if len(self._programs) >= MAX_PROGRAMS:
            return None
        pid = program_process(process)
        found = read_process(pid)
        is_own = process == os.getpid()
        file = OWN_APP if is_own else next(iter(sorted(found.names, key=len)), "")
        client = self._client(name, "")
        base = DesktopWindow(
            xid=client,
            client=client,
            group=client,
            app=file if is_own else found.script or file,
            instance=file,
            pid=pid,
            program=found.names,
            private=found.private,
            ordinary_profile=found.ordinary_profile,
            box=Box(0, 0, 1, 1),
            since_ns=self._clock.now_ns(),
        )
        program = self._programs[name] = _Program(base, self._reader.traits(base).named, is_own=is_own)
        return program

    async def _windows_of(self, name: str, program: _Program) -> dict[str, DesktopWindow]:
        children = await self._bus.call(name, ROOT, ACCESSIBLE, "GetChildren")
        paths = [object_path(child) for child in children[:MAX_WINDOWS]] if isinstance(children, list) else []
        found: dict[str, DesktopWindow] = {}
        program.active = ""
        for path in filter(None, paths):
            role = role_of(await self._bus.call(name, path, ACCESSIBLE, "GetRole"))
            states = await self._bus.call(name, path, ACCESSIBLE, "GetState")
            if role not in _WINDOWS or not has_state(states, SHOWING):
                continue
            title = await self._bus.property(name, path, ACCESSIBLE, "Name")
            box = box_from(await self._bus.call(name, path, COMPONENT, "GetExtents", "u", SCREEN))
            found[path] = replace(
                program.base,
                xid=self._client(name, path),
                client=self._client(name, path),
                title=title if isinstance(title, str) else "",
                readable=isinstance(title, str),
                dialog=role is not ControlRole.WINDOW,
                box=box or program.base.box,
            )
            if has_state(states, ACTIVE):
                program.active = path
        return found

    def _client(self, name: str, path: str) -> int:
        """Return the number of a window, the same for as long as its program is there."""
        key = name, path
        if key not in self._clients:
            self._clients[key] = next(self._numbers)
        return self._clients[key]

    def _take(self, message: Message) -> None:
        """Take in a signal of the bus."""
        sender, member = message.sender or "", message.member or ""
        if sender == BUS:
            if member == "NameOwnerChanged":  # and not what the bus says of our own name
                self._note_owner(str(message.body[0]), str(message.body[2]))
        elif member == "TextChanged":
            self._note_text(sender, message)
        elif member == "StateChanged":
            self._note_showing(self._programs.get(sender), sender, message)
        else:
            known = self._programs.get(sender)
            if member == "Activate":
                self._active = sender, message.path or ""
            elif member == "Deactivate" and self._active == (sender, message.path):
                self._active = "", ""
            elif member == "PropertyChange" and (known is None or message.path not in known.windows):
                return  # the name of a control
            self._ask_soon(sender)
            self._publish()

    def _note_owner(self, name: str, owner: str) -> None:
        if owner:
            if name.startswith(":"):
                self._ask_soon(name)
        elif self._programs.pop(name, None) is not None:
            self._clients = {key: client for key, client in self._clients.items() if key[0] != name}
            self._publish()
            self._publish_menus()

    def _publish(self) -> None:
        """Make the list of what is known the newest state; nothing of it while nobody may be asked."""
        may = self._may_ask.now()
        windows = tuple(window for program in self._programs.values() for window in program.windows.values() if may)
        sender, path = self._active
        program = self._programs.get(sender)
        if program is None or path not in program.windows:
            claims = (found.windows[found.active] for found in self._programs.values() if found.active in found.windows)
            active = next(claims, None)
        else:
            active = program.windows[path]
        is_active = active is not None and may
        scene = Scene(
            t_ns=self._clock.now_ns(),
            windows=tuple(sorted(windows, key=lambda window: window is active)),
            active=active.client if active is not None and is_active else 0,
            screen=Box(0, 0, 0, 0),
        )
        if replace(scene, t_ns=0) == replace(self._newest, t_ns=0):
            return
        self._newest = scene
        with self._lock:
            self._scenes.append(scene)
        self._wakeup.wake()

    # ------------------------------------------------------------ menus

    def _note_showing(self, program: _Program | None, sender: str, message: Message) -> None:
        """Take in that something appeared or went: the items of a menu do so all at once."""
        path, body = message.path or "", message.body
        if program is None or len(body) < 2:  # noqa: PLR2004  # detail, on
            return
        if body[1] != 1:  # taken in also while nobody may be asked: a menu that closes in a pause is closed
            program.appeared.pop(path, None)
            for paths in program.asked:
                if path in paths:
                    paths.clear()
            program.menus = [menu for menu in program.menus if path not in menu.items]
            self._publish_menus()
        elif self._may_look(program) and self._clock.now_ns() >= program.unasked_until_ns:
            if not program.appeared:
                with contextlib.suppress(RuntimeError):
                    self._tasks.create_task(self._look_at_menu(sender, program))
            if len(program.appeared) < MAX_ITEMS:
                program.appeared[path] = None

    def _may_look(self, program: _Program) -> bool:
        return not program.is_excluded and not program.is_own and self._may_ask.now()

    async def _look_at_menu(self, sender: str, program: _Program) -> None:
        """Find out whether what appeared is a menu: items, the last one below the first."""
        await asyncio.sleep(SETTLE_S)
        paths, program.appeared = list(program.appeared), {}
        if not paths or not self._may_look(program):
            return
        program.asked.append(paths)  # emptied if one of them goes meanwhile
        first = await self._item_of(sender, paths)
        last = await self._item_of(sender, paths[::-1], first) if first is not None else None
        program.asked = [others for others in program.asked if others is not paths]
        if first is None and paths:  # LibreOffice says so of every cell that is scrolled to
            program.unasked_until_ns = self._clock.now_ns() + NS_PER_S
        if paths and first is not None and last is not None:
            box = Box(first.x, first.y, max(first.w, last.w), last.y + last.h - first.y)
            number = self._client(sender, paths[0])
            found = ProgramMenu(program.base.pid, number, frozenset(paths), box)
            kept = [menu for menu in program.menus if menu.number != number]
            program.menus = [*kept[1 - MOST_MENUS :], found]
            self._publish_menus()

    async def _item_of(self, sender: str, paths: Sequence[str], above: Box | None = None) -> Box | None:
        """Return where the first of these is that is an item, below `above`; windows and the menu itself appear too."""
        for path in paths[:MOST_OTHERS]:
            role = await self._bus.call(sender, path, ACCESSIBLE, "GetRole")
            if isinstance(role, int) and role in _ITEMS:
                box = box_from(await self._bus.call(sender, path, COMPONENT, "GetExtents", "u", SCREEN))
                if above is None or (box is not None and box.x == above.x and box.y > above.y):
                    return box
        return None

    def _publish_menus(self) -> None:
        menus = tuple(menu for program in self._programs.values() for menu in program.menus)
        if menus != self.menus:
            self.menus = menus
            self._wakeup.wake()

    # ------------------------------------------------------------ typing

    def _note_text(self, sender: str, message: Message) -> None:
        program, path = self._programs.get(sender), message.path or ""
        body = message.body
        if program is None or program.is_excluded or self._queue is None or not self._may_ask.now():
            return
        if len(body) < 4 or body[2] != 1 or self._active[0] not in (sender, ""):  # noqa: PLR2004  # detail, place, length, text
            return
        is_typed = program.fields.get(path)
        if is_typed is None:
            with contextlib.suppress(RuntimeError):
                self._tasks.create_task(self._learn_field(sender, program, path))
        elif is_typed:
            self._queue.press(_LETTER if str(body[0]).startswith("insert") else _BACKSPACE)

    async def _learn_field(self, sender: str, program: _Program, path: str) -> None:
        """Find out whether a text that changes is one that somebody types into, and has the keyboard."""
        states = await self._bus.call(sender, path, ACCESSIBLE, "GetState")
        program.fields[path] = has_state(states, EDITABLE) and has_state(states, FOCUSED)
