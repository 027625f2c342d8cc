"""The desktop's accessibility bus and its switch, `org.a11y.Status.IsEnabled`: programs take part only while it is on.

Turning it on may start the two services of that bus; nothing else in this package starts a service.
"""

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from dbus_fast import Variant

from daemon.capture.accessibility.atspi.protocol import REGISTRY
from daemon.capture.dbus import BUS, BUS_PATH, PROPERTIES, Bus, session_address
from daemon.capture.programs.processes import program_process
from daemon.capture.source_thread import SourceGone

MAX_CONNECTIONS = 400
"""How many connections of the bus are looked at; a desktop has some 50."""

_LAUNCHER, _LAUNCHER_PATH = "org.a11y.Bus", "/org/a11y/bus"
_STATUS = "org.a11y.Status"


@asynccontextmanager
async def open_bus(address: str) -> AsyncIterator[Bus]:
    """Connect to a bus until the end of a block."""
    bus = await Bus.connect(address)
    try:
        yield bus
    finally:
        bus.close()


async def bus_address(env: Mapping[str, str]) -> str:
    """Return the address of the accessibility bus; starts nothing."""
    async with open_bus(session_address(env)) as session:
        found = await session.call(_LAUNCHER, _LAUNCHER_PATH, _LAUNCHER, "GetAddress")
    if not isinstance(found, str) or not found:
        raise SourceGone
    return found


async def silent_programs(env: Mapping[str, str], pids: set[int]) -> set[int]:
    """Return those of the processes that are not on the accessibility bus: begun before its switch, or without it."""
    async with open_bus(await bus_address(env)) as bus:
        names = await bus.call(BUS, BUS_PATH, BUS, "ListNames")
        found = [name for name in names if name.startswith(":")] if isinstance(names, list) else []
        present = set()
        for name in found[:MAX_CONNECTIONS]:
            process = await bus.call(BUS, BUS_PATH, BUS, "GetConnectionUnixProcessID", "s", name)
            present.add(program_process(process) if isinstance(process, int) else 0)
    return pids - present - {os.getpid()}


class AccessibilitySwitch:
    """The switch of one session. Every method raises `SourceGone` where its bus does not answer."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._address = session_address(env)

    async def is_on(self) -> bool | None:
        """Return whether it is on; None if there is no such service."""
        async with open_bus(self._address) as session:
            return await _read(session)

    async def turn_on(self) -> bool:
        """Turn it on, and have the bus and its registry run; return False if it was on already."""
        async with open_bus(self._address) as session:
            address = await session.call(_LAUNCHER, _LAUNCHER_PATH, _LAUNCHER, "GetAddress", start=True)
            was_on = await _read(session)
            if not was_on:
                await _write(session, on=True)
        if isinstance(address, str) and address:
            async with open_bus(address) as bus:
                await bus.call(BUS, BUS_PATH, BUS, "StartServiceByName", "su", REGISTRY, 0)
        return not was_on

    async def turn_off(self) -> None:
        """Turn it off."""
        async with open_bus(self._address) as session:
            await _write(session, on=False)


async def _read(session: Bus) -> bool | None:
    found = await session.property(_LAUNCHER, _LAUNCHER_PATH, _STATUS, "IsEnabled")
    return found if isinstance(found, bool) else None


async def _write(session: Bus, *, on: bool) -> None:
    setting = (_STATUS, "IsEnabled", Variant("b", on))
    await session.call(_LAUNCHER, _LAUNCHER_PATH, PROPERTIES, "Set", "ssv", *setting)
    if await _read(session) is not on:
        raise SourceGone
