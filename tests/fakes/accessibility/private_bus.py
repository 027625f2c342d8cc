"""A message bus of a test's own, and stand-ins for the services of a desktop on it."""

import asyncio
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from dbus_fast import Message, MessageType
from dbus_fast.aio import MessageBus

_CONFIG = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={folder}/bus</listen>
  <auth>EXTERNAL</auth>
  <servicedir>{folder}/services</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
  </policy>
</busconfig>
"""

Answers = dict[tuple[str, ...], tuple[str, list[Any]] | None]


@contextmanager
def private_bus(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a bus at `address_in(folder)`; services that it may start are described in `folder / "services"`."""
    (folder / "services").mkdir(exist_ok=True)
    config = folder / "bus.conf"
    config.write_text(_CONFIG.format(folder=folder))
    argv = ["dbus-daemon", f"--config-file={config}", "--nofork", "--nopidfile", "--print-address=1"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().startswith("unix:")
            yield process
        finally:
            process.kill()


def address_in(folder: Path) -> str:
    return f"unix:path={folder}/bus"


class FakeService:
    """A service that answers from a table and emits signals on request.

    The table goes from interface and member, and for properties from their names, to signature and body. What is not
    in it is refused; None is never answered.
    """

    def __init__(self, address: str, name: str, answers: Answers) -> None:
        self.name = name
        self.queries: list[tuple[str, ...]] = []
        self.senders: list[str] = []
        self.bodies: list[list[Any]] = []
        self.answers = dict(answers)
        self._bus = MessageBus(bus_address=address)

    async def __aenter__(self) -> Self:
        await self._bus.connect()
        self._bus.add_message_handler(self._answer)
        await self._bus.request_name(self.name)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._bus.disconnect()

    async def emit(
        self, path: str, interface: str, member: str, signature: str, body: list[Any], *, to: str | None = None
    ) -> None:
        signal = Message.new_signal(path, interface, member, signature, body)
        signal.destination = to
        await self._bus.send(signal)

    def say(self, path: str, interface: str, member: str, signature: str, body: list[Any]) -> None:
        """Send a signal, from another thread than its own."""
        said = self.emit(path, interface, member, signature, body)
        asyncio.run_coroutine_threadsafe(said, self._bus._loop).result(5.0)

    def _answer(self, message: Message) -> Message | bool | None:
        if message.message_type is not MessageType.METHOD_CALL:
            return None
        key = (str(message.interface), str(message.member))
        if key == ("org.freedesktop.DBus.Properties", "Get"):
            key = (message.body[0], message.body[1])
        self.queries.append(key)
        self.senders.append(str(message.sender))
        self.bodies.append(message.body)
        if key not in self.answers:
            return Message.new_error(message, "org.freedesktop.DBus.Error.UnknownMethod", "there is no such thing")
        reply = self.answers[key]
        return True if reply is None else Message.new_method_return(message, *reply)
