"""The session's message bus, as what is for Wayland asks it."""

import os
from pathlib import Path
from typing import Any

from dbus_fast import Message, MessageType
from dbus_fast.aio import MessageBus
from dbus_fast.errors import AuthError, DBusError, InvalidAddressError

BUS = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
FAULTS = (OSError, EOFError, AuthError, DBusError, InvalidAddressError)
"""What is raised where the bus or a service is not there, went away or refuses."""


def session_bus() -> MessageBus:
    """Return the bus of this session, not yet connected."""
    env = os.environ
    address = env.get("DBUS_SESSION_BUS_ADDRESS") or f"unix:path={Path(env.get('XDG_RUNTIME_DIR', '')) / 'bus'}"
    return MessageBus(bus_address=address)


async def call(bus: MessageBus, place: tuple[str, str, str], member: str, signature: str = "", *body: object) -> Any:
    """Return the first value of a reply, or None; a place is name, object and interface. Raises one of `FAULTS`."""
    reply = await bus.call(Message(*place, member, signature=signature, body=list(body)))
    if reply.message_type is not MessageType.METHOD_RETURN:
        raise EOFError
    return reply.body[0] if reply.body else None


async def follow(bus: MessageBus, service: str, interface: str) -> None:
    """Have the bus deliver the signals of an interface of a service. Raises one of `FAULTS`."""
    await call(bus, BUS, "AddMatch", "s", f"type='signal',sender='{service}',interface='{interface}'")
