"""A connection to a message bus: calls with a time limit, none of which starts a service unless it says so; signals."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self

from dbus_fast import Message, MessageFlag, MessageType, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.errors import AuthError, DBusError, InvalidAddressError

from daemon.capture.source_thread import SourceGone

ANSWER_S = 2.0
"""Time limit for a reply of a bus or a service; a guess, and generous: they run on the same machine."""

BUS, BUS_PATH = "org.freedesktop.DBus", "/org/freedesktop/DBus"
PROPERTIES = "org.freedesktop.DBus.Properties"
LOST = (OSError, EOFError, AuthError, DBusError, InvalidAddressError)
"""What the library raises where a bus is not there, or went away."""


class Bus:
    """One connection to a message bus, from `connect` until `close` or until it breaks."""

    def __init__(self, connection: MessageBus) -> None:
        self._connection = connection

    @classmethod
    async def connect(cls, address: str) -> Self:
        """Connect; raises `SourceGone` where no bus answers at this address."""
        return cls(await connected(address))

    async def call(
        self, name: str, path: str, interface: str, member: str, signature: str = "", *body: object, start: bool = False
    ) -> object:
        """Return the first value of a service's reply; None where there is no service, no reply or no value.

        `start` lets the bus start the service. Raises `SourceGone` where the bus itself went away.
        """
        reply = await self._reply_to(method_call((name, path, interface, member), signature, body, start=start))
        return None if reply is None else first_value(reply)

    async def property(self, name: str, path: str, interface: str, member: str) -> object:
        """Return a property of a service, or None."""
        return await self.call(name, path, PROPERTIES, "Get", "ss", interface, member)

    async def has_service(self, name: str) -> bool:
        """Return whether a service is on the bus."""
        return await self.call(BUS, BUS_PATH, BUS, "NameHasOwner", "s", name) is True

    async def subscribe(self, rule: str) -> None:
        """Have the bus deliver the signals of a match rule; raises `SourceGone` where it refuses."""
        call = method_call((BUS, BUS_PATH, BUS, "AddMatch"), "s", (f"type='signal',{rule}",))
        if await self._reply_to(call) is None:
            raise SourceGone

    def on_signal(self, callback: Callable[[Message], None]) -> None:
        """Call `callback` with every signal."""
        self._connection.add_message_handler(lambda m: callback(m) if m.message_type is MessageType.SIGNAL else None)

    def unique_name(self) -> str:
        """Return the name of this connection, which no other can take."""
        return str(self._connection.unique_name)

    def on_call(self, callback: Callable[[Message], bool]) -> None:
        """Answer calls of other programs where `callback` took one."""

        def answer(message: Message) -> Message | None:
            is_taken = message.message_type is MessageType.METHOD_CALL and callback(message)
            return Message.new_method_return(message) if is_taken else None

        self._connection.add_message_handler(answer)

    async def wait_closed(self) -> None:
        """Wait for the end of the connection, then raise `SourceGone`."""
        try:
            await self._connection.wait_for_disconnect()  # type: ignore[no-untyped-call]  # the library leaves it out
        except LOST as fault:
            raise SourceGone from fault
        raise SourceGone

    def close(self) -> None:
        """Disconnect."""
        self._connection.disconnect()

    async def _reply_to(self, call: Message) -> Message | None:
        """Return the reply to a call; None if it is an error or does not come in time."""
        try:
            async with asyncio.timeout(ANSWER_S):
                reply = await self._connection.call(call)
        except TimeoutError:
            return None
        except LOST as fault:
            raise SourceGone from fault
        return reply if reply.message_type is MessageType.METHOD_RETURN else None


async def connected(address: str) -> MessageBus:
    """Connect to a bus; raises `SourceGone` where none answers at this address."""
    connection: MessageBus | None = None
    try:
        connection = MessageBus(bus_address=address)
        async with asyncio.timeout(ANSWER_S):
            await connection.connect()
    except (*LOST, TimeoutError) as fault:
        if connection is not None:
            connection.disconnect()
        raise SourceGone from fault
    return connection


def session_address(env: Mapping[str, str]) -> str:
    """Return the address of the session's message bus."""
    return env.get("DBUS_SESSION_BUS_ADDRESS") or f"unix:path={Path(env.get('XDG_RUNTIME_DIR', '')) / 'bus'}"


def method_call(
    method: tuple[str, str, str, str], signature: str, body: tuple[object, ...], *, start: bool = False
) -> Message:
    """Return the call of a method: the name on the bus, the object, the interface and the member."""
    flags = MessageFlag.NONE if start else MessageFlag.NO_AUTOSTART
    return Message(*method, MessageType.METHOD_CALL, flags, signature=signature, body=list(body))


def first_value(reply: Message) -> object:
    """Return the first value of a reply, out of its variant; None where it is an error or has none."""
    if reply.message_type is not MessageType.METHOD_RETURN or not reply.body:
        return None
    value = reply.body[0]
    return value.value if isinstance(value, Variant) else value
