"""One list of the commands of a window from all that its program says of them: the cheapest source first.

Menus on the session bus come with a few questions; where they are not offered, or say no keys, they are walked. Tool
bars are always walked.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Protocol

from daemon.capture.accessibility.atspi.commands.entry import MAX_ENTRIES, MenuEntry, without_dots
from daemon.capture.accessibility.atspi.commands.exported import ExportedEntries, Rests
from daemon.capture.accessibility.atspi.commands.menus import MenuWalk
from daemon.capture.accessibility.atspi.commands.personal import without_act, without_personal
from daemon.capture.accessibility.atspi.connection import Connection
from daemon.capture.control_source import FrontWindow
from daemon.capture.source_thread import SourceGone
from storage.ports import Command, CommandList
from storage.records import ControlRole

logger = logging.getLogger(__name__)

READ_S = 3.8
"""For all that is asked for one list, rests while somebody types left out."""


class EntrySource(Protocol):
    """What can be asked for the entries of a window, once."""

    complete: bool
    """Whether those are all."""

    @property
    def entries(self) -> Sequence[MenuEntry]:
        """What was found, in the order of the window."""

    async def read(self) -> bool:
        """Read the entries, without opening anything; return whether there is such a window, or are such menus."""


class CommandReader:
    """Reads the commands of windows."""

    def __init__(self, env: Mapping[str, str]) -> None:
        """Take the environment that names the session bus."""
        self._env = env
        self._is_told = False

    async def read(
        self,
        connection: Connection,
        names: Mapping[str, str],
        window: FrontWindow,
        *,
        earlier: CommandList | None,
        now_ns: int,
        rest_s: Callable[[], float] = lambda: 0.0,
    ) -> CommandList | None:
        """Return the commands of a window of the program with these names on the accessibility bus, or None.

        With each name is what the program is built with there. `earlier` are those that were read before; the program
        is left alone for `rest_s` before each question.
        """
        sources: list[EntrySource] = []
        rests, end_s = Rests(rest_s), asyncio.get_running_loop().time() + READ_S
        try:
            offered = window.exported
            exported = ExportedEntries(self._env, offered, window.pid, rests) if offered is not None else None
            if exported is not None and await exported.read():
                sources.append(exported)
        except SourceGone:
            pass
        has_keys = any(entry.keys for source in sources for entry in source.entries)
        for name, toolkit in names.items():
            walk = MenuWalk(connection, name, title=window.title, toolkit=toolkit, menus=not has_keys, rests=rests)
            walk.limit_s = min(walk.limit_s, max(0.0, end_s + rests.rested_s - asyncio.get_running_loop().time()))
            if await walk.read():
                sources.append(walk)
                break
        if not sources:
            return None
        found = listed([source.entries for source in sources], window.title, earlier)
        is_whole = all(source.complete for source in sources)
        if not is_whole and not self._is_told:
            self._is_told = True
            logger.info("the commands of a program could not be read whole")
        return replace(found, complete=is_whole and found.complete, read_ns=now_ns)


def listed(sources: Sequence[Sequence[MenuEntry]], title: str, earlier: CommandList | None) -> CommandList:
    """Return a list of the commands in entries: each once, without what is personal and submenus that were read."""
    known = {command.path for command in (*earlier.commands, *earlier.menus)} if earlier and earlier.complete else None
    bare_of = cache(_bare)
    bare = [replace(entry, path=tuple(map(bare_of, entry.path))) for source in sources for entry in source]
    entries = _joined(without_personal(bare, title, known))
    commands = tuple(_command(entry) for entry in entries if entry.holds is None)
    menus = tuple(_command(entry) for entry in entries if entry.holds is not None and len(entry.path) > 1)
    unread = tuple(entry.path for entry in entries if entry.holds == 0)
    is_whole = len(commands) <= MAX_ENTRIES
    return CommandList(app="", commands=commands[:MAX_ENTRIES], menus=menus, complete=is_whole, unread=unread)


def _command(entry: MenuEntry) -> Command:
    return Command(
        path=entry.path,
        role=entry.role,
        state=entry.state,
        keys=entry.keys,
        hint=entry.hint,
        in_menu=entry.in_menu,
    )


def _bare(name: str) -> str:
    return without_dots(without_act(name))


def _joined(entries: Iterable[MenuEntry]) -> list[MenuEntry]:
    """Return entries without those that come again; the first gets what only another says: keys and a tip.

    A tool button that is also in a menu is no other command: it is the same name with the same keys or without any.
    """
    found: dict[tuple[str, ...], MenuEntry] = {}
    for entry in entries:
        first = found.get(entry.path)
        if first is None:
            found[entry.path] = entry
        else:
            role = entry.role if first.role is ControlRole.MENU_ITEM else first.role
            found[entry.path] = replace(
                first,
                role=role,
                keys=first.keys or entry.keys,
                hint=first.hint or entry.hint,
                holds=None if first.holds is None else max(first.holds, entry.holds or 0),
            )
    return list(found.values())
