"""Asks services on a message bus yes-or-no questions, and asks again whenever they say that something changed.

A signal is only a hint: what counts is the answer to the question that follows it, so nothing is read out of a message
that somebody else may have sent. No service is ever started by a question, and every question has a time limit.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Self

from dbus_fast import Message, MessageFlag, MessageType, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.errors import AuthError, DBusError, InvalidAddressError

from daemon.capture.surroundings.source import Kind, SourceUnavailable, Tell

ANSWER_S = 2.0
"""So long a bus or a service may take for an answer; a guess, and generous: they sit on the same machine."""

BUS = "org.freedesktop.DBus"
PROPERTIES = "org.freedesktop.DBus.Properties"
_LOST = (OSError, EOFError, AuthError, DBusError, InvalidAddressError)


class Bus:
    """One connection to a message bus, from `connect` until `close` or until it breaks."""

    def __init__(self, connection: MessageBus) -> None:
        """Use an open connection."""
        self._connection = connection

    @classmethod
    async def connect(cls, address: str) -> Self:
        """Connect.

        Raises:
            Gone: nobody answers at this address.
        """
        try:
            connection = MessageBus(bus_address=address)
            async with asyncio.timeout(ANSWER_S):
                await connection.connect()
        except (*_LOST, TimeoutError) as fault:
            raise SourceUnavailable from fault
        return cls(connection)

    async def call(
        self, name: str, path: str, interface: str, member: str, signature: str = "", *body: object
    ) -> object:
        """Return the first value of a service's answer; None where there is no service, no answer or no value.

        Raises:
            Gone: the bus itself went away.
        """
        answer = await self._request(
            Message(
                destination=name,
                path=path,
                interface=interface,
                member=member,
                signature=signature,
                body=list(body),
                flags=MessageFlag.NO_AUTOSTART,
            )
        )
        if answer is None or answer.message_type is not MessageType.METHOD_RETURN or not answer.body:
            return None
        value = answer.body[0]
        return value.value if isinstance(value, Variant) else value

    async def property(self, name: str, path: str, interface: str, member: str) -> object:
        """Return a property of a service, or None."""
        return await self.call(name, path, PROPERTIES, "Get", "ss", interface, member)

    async def is_there(self, name: str) -> bool:
        """Tell whether a service is on the bus."""
        return await self.call(BUS, "/org/freedesktop/DBus", BUS, "NameHasOwner", "s", name) is True

    async def hear(self, rule: str) -> None:
        """Have the bus pass on the signals that a match rule describes.

        Raises:
            Gone: the bus does not do it.
        """
        message = Message(
            destination=BUS,
            path="/org/freedesktop/DBus",
            interface=BUS,
            member="AddMatch",
            signature="s",
            body=[f"type='signal',{rule}"],
        )
        answer = await self._request(message)
        if answer is None or answer.message_type is not MessageType.METHOD_RETURN:
            raise SourceUnavailable

    def listen(self, told: Callable[[Message], None]) -> None:
        """Have `told` called with every signal."""
        self._connection.add_message_handler(lambda m: told(m) if m.message_type is MessageType.SIGNAL else None)

    async def broken(self) -> None:
        """Wait for the end of the connection, which is always told as `SourceUnavailable`."""
        try:
            await self._connection.wait_for_disconnect()  # type: ignore[no-untyped-call]  # the library leaves it out
        except _LOST as fault:
            raise SourceUnavailable from fault
        raise SourceUnavailable

    def close(self) -> None:
        """Disconnect."""
        self._connection.disconnect()

    async def _request(self, message: Message) -> Message | None:
        try:
            async with asyncio.timeout(ANSWER_S):
                return await self._connection.call(message)
        except TimeoutError:
            return None
        except _LOST as fault:
            raise SourceUnavailable from fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A service that knows whether something is so.

    `name` is what it is called on the bus: the question is asked again when that name comes or goes, and whenever
    `sender` emits the signal `member` of `interface`, with `arg0` as its first word where one is given.
    """

    kind: Kind
    words: str
    name: str
    interface: str
    member: str
    ask: Callable[[Bus], Awaitable[object]]
    sender: str = ""
    arg0: str = ""
    arg0_path: str = ""

    @property
    def rules(self) -> tuple[str, str]:
        """Return the match rules for its signal and for its coming and going."""
        rule = f"sender='{self.sender or self.name}',interface='{self.interface}',member='{self.member}'"
        rule += f",arg0='{self.arg0}'" if self.arg0 else ""
        rule += f",arg0path='{self.arg0_path}'" if self.arg0_path else ""
        return rule, f"sender='{BUS}',interface='{BUS}',member='NameOwnerChanged',arg0='{self.name}'"

    def is_hinted(self, message: Message) -> bool:
        """Tell whether a signal says that the answer may be another one now."""
        first = message.body[0] if message.body else ""
        if message.interface == BUS:
            return bool(message.member == "NameOwnerChanged" and first == self.name)
        hit = message.interface == self.interface and message.member == self.member
        return hit and (not self.arg0 or first == self.arg0)


class BusSource:
    """All services of one bus."""

    def __init__(self, address: str, services: Sequence[Service]) -> None:
        """Take where the bus is, and whom to ask on it."""
        self._address = address
        self._services = services

    @property
    def tells(self) -> Sequence[tuple[Kind, str]]:
        """What its services can tell."""
        return [(service.kind, service.words) for service in self._services]

    async def watch(self, tell: Tell) -> None:
        """Ask everyone, and again at every hint.

        Raises:
            Gone: the bus does not answer, or went away.
        """
        bus = await Bus.connect(self._address)
        hints = {service.words: asyncio.Event() for service in self._services}

        def told(message: Message) -> None:
            for service in self._services:
                if service.is_hinted(message):
                    hints[service.words].set()

        async def follow(service: Service, hint: asyncio.Event) -> None:
            for rule in service.rules:
                await bus.hear(rule)
            while True:
                hint.clear()
                answer = await service.ask(bus)
                tell(service.kind, service.words, answer if isinstance(answer, bool) else None)
                await hint.wait()

        bus.listen(told)
        try:
            async with asyncio.TaskGroup() as group:
                for service in self._services:
                    group.create_task(follow(service, hints[service.words]))
                group.create_task(bus.broken())
        except* SourceUnavailable:
            pass
        finally:
            bus.close()
        raise SourceUnavailable
