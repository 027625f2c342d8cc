"""Queries services on a message bus for yes-or-no answers, and queries again whenever they signal a change.

A signal is only a hint: what counts is the reply to the query that follows, so nothing is read from a message that
another program may have sent. No query starts a service, and every query has a time limit.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Self

from dbus_fast import Message, MessageFlag, MessageType, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.errors import AuthError, DBusError, InvalidAddressError

from daemon.capture.surroundings.source import Condition, Report, SourceUnavailable

ANSWER_S = 2.0
"""Time limit for a reply of a bus or a service; a guess, and generous: they run on the same machine."""

BUS = "org.freedesktop.DBus"
PROPERTIES = "org.freedesktop.DBus.Properties"
_BUS_PATH = "/org/freedesktop/DBus"
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
            SourceUnavailable: no bus answers at this address.
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
        """Return the first value of a service's reply; None where there is no service, no reply or no value.

        Raises:
            SourceUnavailable: the bus itself went away.
        """
        reply = await self._request(name, path, interface, member, signature, *body)
        if reply is None or not reply.body:
            return None
        value = reply.body[0]
        return value.value if isinstance(value, Variant) else value

    async def property(self, name: str, path: str, interface: str, member: str) -> object:
        """Return a property of a service, or None."""
        return await self.call(name, path, PROPERTIES, "Get", "ss", interface, member)

    async def has_service(self, name: str) -> bool:
        """Return whether a service is on the bus."""
        return await self.call(BUS, _BUS_PATH, BUS, "NameHasOwner", "s", name) is True

    async def subscribe(self, rule: str) -> None:
        """Have the bus deliver the signals that a match rule describes.

        Raises:
            SourceUnavailable: the bus refuses.
        """
        if await self._request(BUS, _BUS_PATH, BUS, "AddMatch", "s", f"type='signal',{rule}") is None:
            raise SourceUnavailable

    def on_signal(self, callback: Callable[[Message], None]) -> None:
        """Call `callback` with every signal."""
        self._connection.add_message_handler(lambda m: callback(m) if m.message_type is MessageType.SIGNAL else None)

    async def wait_closed(self) -> None:
        """Wait for the end of the connection, then raise `SourceUnavailable`."""
        try:
            await self._connection.wait_for_disconnect()  # type: ignore[no-untyped-call]  # the library leaves it out
        except _LOST as fault:
            raise SourceUnavailable from fault
        raise SourceUnavailable

    def close(self) -> None:
        """Disconnect."""
        self._connection.disconnect()

    async def _request(
        self, name: str, path: str, interface: str, member: str, signature: str, *body: object
    ) -> Message | None:
        """Return the reply to a method call; None if it is an error or does not come in time."""
        message = Message(
            *(name, path, interface, member, MessageType.METHOD_CALL, MessageFlag.NO_AUTOSTART),
            signature=signature,
            body=list(body),
        )
        try:
            async with asyncio.timeout(ANSWER_S):
                reply = await self._connection.call(message)
        except TimeoutError:
            return None
        except _LOST as fault:
            raise SourceUnavailable from fault
        return reply if reply.message_type is MessageType.METHOD_RETURN else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A service that reports one condition, answered by `query`.

    `label` is its name in words for people, `name` its name on the bus. It is queried again when that name comes or
    goes, and whenever `sender` (`name` if empty) emits the signal `member` of `interface`, with `arg0` as its first
    argument where one is given.
    """

    condition: Condition
    label: str
    name: str
    interface: str
    member: str
    query: Callable[[Bus], Awaitable[object]]
    sender: str = ""
    arg0: str = ""
    arg0_path: str = ""

    @property
    def rules(self) -> tuple[str, str]:
        """Return the match rules for its signal, and for its start and end."""
        rule = f"sender='{self.sender or self.name}',interface='{self.interface}',member='{self.member}'"
        rule += f",arg0='{self.arg0}'" if self.arg0 else ""
        rule += f",arg0path='{self.arg0_path}'" if self.arg0_path else ""
        return rule, f"sender='{BUS}',interface='{BUS}',member='NameOwnerChanged',arg0='{self.name}'"

    def is_affected_by(self, message: Message) -> bool:
        """Return whether a signal means that the condition may have changed."""
        first = message.body[0] if message.body else ""
        if message.interface == BUS:
            return bool(message.member == "NameOwnerChanged" and first == self.name)
        matches = message.interface == self.interface and message.member == self.member
        return matches and (not self.arg0 or first == self.arg0)


class BusSource:
    """All services of one bus."""

    def __init__(self, address: str, services: Sequence[Service]) -> None:
        """Take the address of the bus, and the services to query on it."""
        self._address = address
        self._services = services

    @property
    def provides(self) -> Sequence[tuple[Condition, str]]:
        """The conditions its services can report."""
        return [(service.condition, service.label) for service in self._services]

    async def watch(self, report: Report) -> None:
        """Query every service, and again at every signal.

        Raises:
            SourceUnavailable: the bus does not answer, or went away.
        """
        bus = await Bus.connect(self._address)
        hints = {service.label: asyncio.Event() for service in self._services}

        def dispatch(message: Message) -> None:
            for service in self._services:
                if service.is_affected_by(message):
                    hints[service.label].set()

        async def follow(service: Service, hint: asyncio.Event) -> None:
            for rule in service.rules:
                await bus.subscribe(rule)
            while True:
                hint.clear()
                answer = await service.query(bus)
                report(service.condition, service.label, answer if isinstance(answer, bool) else None)
                await hint.wait()

        bus.on_signal(dispatch)
        try:
            async with asyncio.TaskGroup() as group:
                for service in self._services:
                    group.create_task(follow(service, hints[service.label]))
                group.create_task(bus.wait_closed())
        except* SourceUnavailable:
            pass
        finally:
            bus.close()
        raise SourceUnavailable
