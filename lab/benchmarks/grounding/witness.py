"""Hears on the accessibility bus what the pointer reached: which control got the focus, was selected, showed its hint.

A connection of its own: nothing of the walk that is judged is used here.
"""

import asyncio
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Self

from dbus_fast import Message, MessageFlag, MessageType, Variant
from dbus_fast.aio import MessageBus

from demo.virtual_desktop.windows import poll
from storage.errors import EnvironmentFault

_ACCESSIBLE = "org.a11y.atspi.Accessible"
_TOOL_TIP = 64
_PROPERTIES = "org.freedesktop.DBus.Properties"
_BUS = "org.freedesktop.DBus"
_REGISTRY = "org.a11y.atspi.Registry"
_SHOWN = ("showing", "visible")
_STATES = ("focused", "selected", "armed", *_SHOWN)


@dataclass(frozen=True, slots=True)
class Reached:
    """A control that the pointer reached: its name, and whether that is a hint shown beside it."""

    name: str
    hint: bool


class Witness:
    """Listens in a thread of its own, from entering to leaving."""

    def __init__(self, env: Mapping[str, str]) -> None:
        """Take the environment that names the session's bus."""
        self._address = env["DBUS_SESSION_BUS_ADDRESS"]
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="witness", daemon=True)
        self._reached: list[Reached] = []
        self._tasks: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Self:
        """Connect and listen."""
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(20)
        return self

    def __exit__(self, *_: object) -> None:
        """Disconnect."""
        self._loop.call_soon_threadsafe(self._bus.disconnect)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    def forget(self) -> None:
        """Forget what was heard."""
        self._reached = []

    def heard(self) -> str:
        """Return what was heard since the last `forget`, for a report."""
        return ", ".join(dict.fromkeys(one.name for one in self._reached)) or "nothing"

    def wait(self, check: Callable[[Reached], bool], timeout_s: float) -> bool:
        """Return whether something fitting was heard since the last `forget`, or is heard in time."""
        try:
            poll(lambda: any(check(one) for one in self._reached), what="an answer", timeout_s=timeout_s)
        except EnvironmentFault:
            return False
        return True

    async def _listen(self) -> None:
        session = await MessageBus(bus_address=self._address).connect()
        address = await _ask(session, ("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus"), "GetAddress")
        session.disconnect()
        self._bus = await MessageBus(bus_address=str(address)).connect()
        self._bus.add_message_handler(self._take)
        rule = "type='signal',interface='org.a11y.atspi.Event.Object',member='StateChanged'"
        await _ask(self._bus, (_BUS, "/org/freedesktop/DBus", _BUS), "AddMatch", "s", rule)
        for state in _STATES:
            kind = f"object:state-changed:{state}"
            await _ask(self._bus, (_REGISTRY, "/org/a11y/atspi/registry", _REGISTRY), "RegisterEvent", "s", kind)

    def _take(self, message: Message) -> None:
        if message.message_type is MessageType.SIGNAL and message.body[:2] in ([state, 1] for state in _STATES):
            task = asyncio.ensure_future(self._look(str(message.sender), str(message.path), str(message.body[0])))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _look(self, sender: str, path: str, state: str) -> None:
        role = await _ask(self._bus, (sender, path, _ACCESSIBLE), "GetRole")
        if state in _SHOWN and role != _TOOL_TIP:
            return
        name = await _ask(self._bus, (sender, path, _PROPERTIES), "Get", "ss", _ACCESSIBLE, "Name")
        if isinstance(name, str) and name:
            self._reached.append(Reached(name, role == _TOOL_TIP))


async def _ask(bus: MessageBus, where: tuple[str, str, str], member: str, signature: str = "", *body: object) -> object:
    """Return the first value that an object answers; `where` is its name on the bus, its path and the interface."""
    no_start = MessageFlag.NO_AUTOSTART
    reply = await bus.call(
        Message(*where, member, MessageType.METHOD_CALL, no_start, signature=signature, body=list(body))
    )
    if reply.message_type is not MessageType.METHOD_RETURN or not reply.body:
        return None
    value = reply.body[0]
    return value.value if isinstance(value, Variant) else value
