"""The desktop's accessibility switch, `org.a11y.Status.IsEnabled`: programs take part only while it is on.

Reading it starts nothing. Turning it on may start the two services of the accessibility bus, as any program that takes
part in it does; nothing else in this package starts a service.
"""

from collections.abc import Mapping

from dbus_fast import Variant

from daemon.capture.accessibility.atspi.connection import BUS, LAUNCHER, LAUNCHER_PATH, Connection
from daemon.capture.accessibility.atspi.source import REGISTRY, session_address
from daemon.capture.accessibility.budget import Budget
from daemon.capture.accessibility.source import SourceGone
from storage.clock import Clock

_PROPERTIES = "org.freedesktop.DBus.Properties"
_STATUS = "org.a11y.Status"


class AccessibilitySwitch:
    """The switch of one session. Every method raises `SourceGone` where its bus does not answer."""

    def __init__(self, env: Mapping[str, str], clock: Clock) -> None:
        """Take the environment that names the session's bus."""
        self._env = env
        self._clock = clock

    async def is_on(self) -> bool | None:
        """Return whether it is on; None if there is no such service."""
        session = await self._session()
        try:
            return await _read(session)
        finally:
            session.close()

    async def turn_on(self) -> bool:
        """Turn it on, and have the bus and its registry run; return False if it was on already.

        Raises:
            SourceGone: there is no such service, or it refuses.
        """
        session = await self._session()
        try:
            address = await session.ask_service(LAUNCHER, LAUNCHER_PATH, LAUNCHER, "GetAddress", start=True)
            was_on = await _read(session)
            if not was_on:
                await self._write(session, on=True)
        finally:
            session.close()
        if isinstance(address, str) and address:
            bus = await Connection.open(address, self._clock, Budget())
            try:
                await bus.ask_service(BUS, "/org/freedesktop/DBus", BUS, "StartServiceByName", "su", REGISTRY, 0)
            finally:
                bus.close()
        return not was_on

    async def turn_off(self) -> None:
        """Turn it off.

        Raises:
            SourceGone: there is no such service, or it refuses.
        """
        session = await self._session()
        try:
            await self._write(session, on=False)
        finally:
            session.close()

    async def _session(self) -> Connection:
        return await Connection.open(session_address(self._env), self._clock, Budget())

    async def _write(self, session: Connection, *, on: bool) -> None:
        await session.ask_service(
            LAUNCHER, LAUNCHER_PATH, _PROPERTIES, "Set", "ssv", _STATUS, "IsEnabled", Variant("b", on)
        )
        if await _read(session) is not on:
            raise SourceGone


async def _read(session: Connection) -> bool | None:
    found = await session.ask_service(LAUNCHER, LAUNCHER_PATH, _PROPERTIES, "Get", "ss", _STATUS, "IsEnabled")
    return found if isinstance(found, bool) else None
