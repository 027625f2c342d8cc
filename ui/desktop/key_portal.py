"""Asks the desktop's portal for global shortcuts, in a process of its own: `python -m ui.desktop.key_portal`.

A portal looks into the process that asks, and Kairos lets nobody look into its own. This one sees no key: the portal
asks the person, who may choose others, and says which command was meant.
"""

import asyncio
import contextlib
import json
import os
import resource
import socket
import sys
from itertools import count
from typing import Any

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from ui.desktop.session_bus import BUS, FAULTS, call, follow, session_bus

_PORTAL, _PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
_SHORTCUTS = "org.freedesktop.portal.GlobalShortcuts"
_MAX = 1 << 16


class _Portal:
    """The requests, each answered once somebody has decided."""

    def __init__(self, bus: MessageBus, link: socket.socket, owner: str) -> None:
        self._bus, self._link, self._owner = bus, link, owner
        self._names = count()
        self._answers: dict[str, asyncio.Future[list[Any]]] = {}
        self._session = ""
        bus.add_message_handler(self._take)

    async def ask(self, wanted: dict[str, list[str]]) -> None:
        made = await self._request("CreateSession", "a{sv}", session_handle_token=Variant("s", "kairos"))
        self._session = made["session_handle"].value
        shortcuts = [
            [name, {"description": Variant("s", says), "preferred_trigger": Variant("s", keys)}]
            for name, (says, keys) in wanted.items()
        ]
        await self._request("BindShortcuts", "oa(sa{sv})sa{sv}", self._session, shortcuts, "")

    async def _request(self, member: str, signature: str, *body: object, **options: Variant) -> dict[str, Variant]:
        options["handle_token"] = Variant("s", f"kairos{next(self._names)}")
        path = str(await call(self._bus, (_PORTAL, _PATH, _SHORTCUTS), member, signature, *body, options))
        number, results = await self._answers.setdefault(path, asyncio.Future())
        if number != 0:
            raise EOFError
        return dict(results)

    def _take(self, message: Message) -> None:
        if message.message_type is not MessageType.SIGNAL or message.sender != self._owner:
            return
        if message.member == "Response":
            answer = self._answers.setdefault(str(message.path), asyncio.Future())
            if not answer.done():
                answer.set_result(message.body)
        elif message.member == "Activated" and message.body[0] == self._session:
            with contextlib.suppress(OSError):
                self._link.send(str(message.body[1]).encode())


async def _serve(link: socket.socket, wanted: dict[str, list[str]]) -> None:
    over = asyncio.Event()
    asyncio.get_running_loop().add_reader(link, over.set)  # nothing more is said to it but that it is over
    bus = await session_bus().connect()
    owner = await call(bus, BUS, "GetNameOwner", "s", _PORTAL)
    for interface in ("org.freedesktop.portal.Request", _SHORTCUTS):
        await follow(bus, _PORTAL, interface)
    asking = asyncio.ensure_future(_Portal(bus, link, str(owner)).ask(wanted))
    waits = [asyncio.ensure_future(wait) for wait in (over.wait(), bus.wait_for_disconnect())]  # type: ignore[no-untyped-call]  # the library leaves it out
    done, _ = await asyncio.wait([asking, *waits], return_when=asyncio.FIRST_COMPLETED)
    if asking in done:
        asking.result()
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    bus.disconnect()


def main() -> int:
    """Ask for the shortcuts that are read, and write the name of each that is pressed, until the other side ends."""
    if sys.platform == "win32":  # nothing of this is built for Windows
        raise NotImplementedError
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with socket.socket(fileno=os.dup(0)) as link, contextlib.suppress(*FAULTS, ValueError):
        asyncio.run(_serve(link, json.loads(link.recv(_MAX))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
