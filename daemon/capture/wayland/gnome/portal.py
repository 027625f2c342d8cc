"""Asks the desktop's portal for pictures, in a process of its own: `python -m daemon.capture.wayland.gnome.portal`.

A portal looks into the process that asks, and Kairos lets nobody look into its own. So this small one asks: no picture
ever comes to it. It passes the open connection to PipeWire on, and closes itself to others too. For as long as it is
there the portal keeps the session.
"""

import asyncio
import contextlib
import ctypes
import json
import os
import resource
import select
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from typing import Any

assert sys.platform == "linux"  # nothing else has it

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from daemon.capture.dbus import BUS, BUS_PATH, PROPERTIES, Bus, first_value, session_address
from daemon.capture.source_thread import SourceGone

_PORTAL, _PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
_CAST = "org.freedesktop.portal.ScreenCast"
_STORE, _STORE_PATH = "org.freedesktop.impl.portal.PermissionStore", "/org/freedesktop/impl/portal/PermissionStore"
_WITH_TOKENS = 4
"""The version of the portal from which on it can be asked once for all times."""

_MONITORS, _WITHOUT_POINTER, _UNTIL_TAKEN_BACK = 1, 1, 2
_NO = 1
_TRIES = 3
_MAX = 1 << 16
_SET_DUMPABLE = 4


class PortalAccess(StrEnum):
    """What can be said before anybody is asked."""

    OFFERED = "offered"
    TAKEN_BACK = "taken back"
    MISSING = "missing"


class ShareEnd(StrEnum):
    """Why there are no pictures, or no more."""

    REFUSED = "refused"
    UNANSWERED = "unanswered"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedScreens:
    """The connection to PipeWire, and of each monitor its node, its place and size; `token` stands for the yes."""

    file: int
    nodes: tuple[tuple[int, int, int, int, int], ...]
    token: str


def access(env: Mapping[str, str], token: str) -> PortalAccess:
    """Return whether the portal can be asked for pictures, and still knows a token; nobody is asked for anything."""
    for _ in range(_TRIES):
        with contextlib.suppress(SourceGone):
            found = asyncio.run(_access(session_address(env), token))
            if found is not PortalAccess.MISSING:
                return found
    return PortalAccess.MISSING


async def _access(address: str, token: str) -> PortalAccess:
    bus = await Bus.connect(address)
    try:
        version = await bus.call(_PORTAL, _PATH, PROPERTIES, "Get", "ss", _CAST, "version", start=True)
        if not isinstance(version, int) or version < _WITH_TOKENS:
            return PortalAccess.MISSING
        known = await bus.call(_STORE, _STORE_PATH, _STORE, "List", "s", "screencast", start=True) if token else None
        return PortalAccess.TAKEN_BACK if isinstance(known, list) and token not in known else PortalAccess.OFFERED
    finally:
        bus.close()


class PortalProcess:
    """The process that asks, seen from the one that wants the pictures."""

    def __init__(self, env: Mapping[str, str], token: str) -> None:
        """Have it ask; with a token that is known nobody sees a question."""
        self._link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", __name__],
                stdin=theirs.fileno(),
                env=dict(env),
                start_new_session=True,  # Ctrl+C in a terminal is for Kairos, which ends it
            )
        with contextlib.suppress(OSError):  # where it has ended already, `read` says so
            self._link.send(token.encode() or b"\n")

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when there is something to read."""
        return self._link.fileno()

    def read(self) -> SharedScreens | ShareEnd | None:
        """Return what it says, without waiting; None where it says nothing.

        Raises:
            SourceGone: it has ended without a word.
        """
        if not select.select([self._link], [], [], 0)[0]:
            return None
        try:
            data, files, _, _ = socket.recv_fds(self._link, _MAX, 1)
            told = json.loads(data or "null")
        except (OSError, ValueError) as fault:
            raise SourceGone from fault
        if isinstance(told, str):
            return ShareEnd(told)
        if not files or not told:
            raise SourceGone
        os.set_inheritable(files[0], False)
        return SharedScreens(file=files[0], nodes=tuple(map(tuple, told["nodes"])), token=told["token"])

    def close(self) -> None:
        """End it, and with it the session."""
        self._link.close()
        self._process.kill()
        self._process.wait()


# ---------------------------------------------------------------- in the process that asks


def main() -> int:
    """Ask, pass on what comes, and stay until the other side or the session ends."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with socket.socket(fileno=os.dup(0)) as link, contextlib.suppress(SourceGone, OSError):
        asyncio.run(_serve(link, link.recv(_MAX).decode().strip()))
    return 0


async def _serve(link: socket.socket, token: str) -> None:
    ended = asyncio.Event()
    asyncio.get_running_loop().add_reader(link, ended.set)  # nothing more is said to it but that it is over
    tasks = {asyncio.create_task(ended.wait()), asyncio.create_task(_ask(link, token))}
    done, left = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in left:
        task.cancel()
    for task in done:
        task.result()


class _Session:
    """The requests to the portal."""

    def __init__(self, bus: MessageBus, owner: str) -> None:
        self._bus, self._owner = bus, owner
        self._names = count()
        self._answers: dict[str, asyncio.Future[list[Any]]] = {}
        self.closed = asyncio.Event()
        self.path = ""
        bus.add_message_handler(self._take)

    def _take(self, message: Message) -> None:
        if message.message_type is not MessageType.SIGNAL or message.sender != self._owner:
            return
        if message.member == "Response":
            answer = self._answers.setdefault(str(message.path), asyncio.Future())
            if not answer.done():
                answer.set_result(message.body)
        elif message.member == "Closed" and message.path == self.path:
            self.closed.set()

    async def call(self, member: str, signature: str, *body: object) -> Message:
        """Return the reply of a method."""
        reply = await self._bus.call(Message(_PORTAL, _PATH, _CAST, member, signature=signature, body=list(body)))
        if reply.message_type is not MessageType.METHOD_RETURN:
            raise SourceGone
        return reply

    async def request(
        self, member: str, signature: str, *body: object, **options: Variant
    ) -> Mapping[str, Variant] | ShareEnd:
        """Return what comes of a request once somebody has answered it, or that it was a no or ended otherwise."""
        options["handle_token"] = Variant("s", f"kairos{next(self._names)}")
        path = str(first_value(await self.call(member, signature, *body, options)))
        number, results = await self._answers.setdefault(path, asyncio.Future())
        if number == _NO:
            return ShareEnd.REFUSED
        return results if number == 0 else ShareEnd.UNANSWERED


async def _ask(link: socket.socket, token: str) -> None:
    bus = await MessageBus(bus_address=session_address(os.environ), negotiate_unix_fd=True).connect()
    owner = await bus.call(Message(BUS, BUS_PATH, BUS, "GetNameOwner", signature="s", body=[_PORTAL]))
    for interface in ("Request", "Session"):
        rule = f"type='signal',sender='{_PORTAL}',interface='org.freedesktop.portal.{interface}'"
        await bus.call(Message(BUS, BUS_PATH, BUS, "AddMatch", signature="s", body=[rule]))
    session = _Session(bus, str(first_value(owner)))
    made = await session.request("CreateSession", "a{sv}", session_handle_token=Variant("s", "kairos"))
    if isinstance(made, ShareEnd):
        raise SourceGone
    session.path = made["session_handle"].value
    wanted = {
        "types": Variant("u", _MONITORS),
        "multiple": Variant("b", True),
        "cursor_mode": Variant("u", _WITHOUT_POINTER),
        "persist_mode": Variant("u", _UNTIL_TAKEN_BACK),
    }
    wanted |= {"restore_token": Variant("s", token)} if token else {}
    if isinstance(await session.request("SelectSources", "oa{sv}", session.path, **wanted), ShareEnd):
        raise SourceGone
    started = await session.request("Start", "osa{sv}", session.path, "")
    if isinstance(started, ShareEnd):
        link.send(json.dumps(started).encode())
        return
    opened = await session.call("OpenPipeWireRemote", "oa{sv}", session.path, {})
    nodes = [(node, *told["position"].value, *told["size"].value) for node, told in started["streams"].value]
    token = started["restore_token"].value if "restore_token" in started else ""
    (file,) = opened.unix_fds
    ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0)  # the portal has looked, and nobody else needs to
    socket.send_fds(link, [json.dumps({"nodes": nodes, "token": token}).encode()], [file])
    os.close(file)
    await session.closed.wait()
    link.send(json.dumps(ShareEnd.CLOSED).encode())


if __name__ == "__main__":
    sys.exit(main())
