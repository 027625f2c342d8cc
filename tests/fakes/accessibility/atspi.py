"""A stand-in for a desktop's accessibility bus and its registry, and programs on it whose controls a test makes up."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from subprocess import Popen
from typing import Any, Self, TypeVar

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from daemon.capture.accessibility.atspi.listener import ProgramListener
from daemon.capture.accessibility.atspi.source import AtSpiSource
from daemon.capture.control_source import Access, Control, FocusMoved, Observation, Permit, Working
from storage.clock import SystemClock
from storage.records import Box
from tests.fakes.accessibility.private_bus import Answers, FakeService, address_in, private_bus
from tests.fakes.narrowing import present

ROOT = "/org/a11y/atspi/accessible/root"
NULL = "/org/a11y/atspi/null"
EVENT = "org.a11y.atspi.Event."
ACTIVE, CHECKED, CHECKABLE, SENSITIVE, PRESSED = 1 << 1, 1 << 4, 1 << 41, 1 << 24, 1 << 20
EDITABLE, FOCUSED, MULTI_LINE, SHOWING, MANAGES_DESCENDANTS = 1 << 7, 1 << 12, 1 << 17, 1 << 25 | 1 << 30, 1 << 31
FOCUSES, WRITES = "object:state-changed:focused", "object:text-changed:insert"
LETTERS = "typed letters"
SMALL = Box(0, 0, 10, 10)
Limits = Callable[..., None]
"""Takes a module of the adapter and, by their names, the values of its limits in a test."""


class Role(IntEnum):
    """The numbers by which AT-SPI names roles."""

    ALERT, DIALOG, FRAME, LABEL, PASSWORD, BUTTON, CHECK, TEXT, PANEL = 2, 16, 23, 29, 40, 43, 7, 61, 39
    PARAGRAPH, MENU_ITEM, INTERNAL_FRAME, DOCUMENT_WEB, APPLICATION = 73, 35, 28, 95, 75
    MENU, MENU_BAR, ROOT_PANE, TABLE, COMBO_BOX, CELL = 33, 34, 46, 55, 11, 56
    POPUP, TOOL_BAR, RADIO_ITEM, CHECK_ITEM, SEPARATOR, TOGGLE = 41, 63, 45, 8, 50, 62


T = TypeVar("T", bound=Observation)
A = TypeVar("A", bound="Adapter")


@dataclass
class Node:
    """One control: number of its role, name, states as bits, children by path, place."""

    role: int
    name: str = ""
    states: int = SENSITIVE
    children: list[str] = field(default_factory=list)
    box: Box = SMALL
    parent: str = NULL
    attributes: Mapping[str, str] = field(default_factory=dict)
    count: int | None = None
    """What it says of the number of its children; the true one if it is None."""

    label: str = ""
    """The object that labels it."""

    characters: int = 0
    """How long its text is."""

    text: str = ""
    """What stands in it."""

    tip: str = ""
    keys: str | None = None
    """Its key binding; None where it can do nothing."""

    columns: int = 1
    """How many it has, if it is a table; row and column of a cell are its box."""


class FakeProgram:
    """A program on the bus: answers about its controls, signals on request, and counts what it was asked."""

    def __init__(self, address: str, nodes: Mapping[str, Node], toolkit: str = "") -> None:
        self.nodes = dict(nodes)
        self.toolkit = toolkit
        self.asked: list[tuple[str, str]] = []
        self.spans: list[tuple[int, int]] = []
        """Which parts of texts it was asked for."""

        self.hangs = False
        self.crashed = False
        self.late: dict[tuple[str, str], float] = {}
        """After how many seconds it answers, by the object and what it is asked; at once if it is not here."""

        self.refused: set[str] = set()
        """What it answers with an error."""

        self.loose = False
        """Whether its references to labels are plain texts, which need not be paths."""

        self._bus = MessageBus(bus_address=address)

    async def __aenter__(self) -> Self:
        await self._bus.connect()
        self._bus.add_message_handler(self._answer)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._bus.disconnect()

    async def signal(
        self, kind: str, path: str, detail: int = 0, value: object = "", *, row: int = 0, length: int = 0
    ) -> None:
        """Send what a program says when something happens: `kind` as the registry names it."""
        category, member, *first = kind.split(":")
        any_data = Variant("(so)", list(value)) if isinstance(value, tuple) else Variant("s", str(value))
        interface = EVENT + "".join(part.capitalize() for part in category.split("-"))
        name = "".join(part.capitalize() for part in member.split("-"))
        body = [first[0] if first else "", detail or row, length, any_data, {}]
        await self._bus.send(Message.new_signal(path, interface, name, "siiva{sv}", body))

    async def type(self, path: str, times: int = 1) -> None:
        for _ in range(times):
            await self.signal(WRITES, path, 0, LETTERS)

    async def show(self, path: str, times: int = 1) -> None:
        for _ in range(times):
            await self.signal("object:state-changed:showing", path, 1)

    async def choose(self, container: str, path: str) -> None:
        await self.signal("object:active-descendant-changed", container, 0, (self.name, path))

    async def sent(self) -> None:
        bus = "org.freedesktop.DBus"
        await self._bus.call(Message(bus, "/org/freedesktop/DBus", bus, "GetId"))

    def _answer(self, message: Message) -> Message | bool | None:
        if message.message_type is not MessageType.METHOD_CALL:
            return None
        member = str(message.member)
        if member == "GetAll" and self.toolkit == "Qt":  # as Qt 5 and 6: nobody gets an answer from it any more
            self.crashed = self.hangs = True
        if member == "Get":
            member = str(message.body[1])
        self.asked.append((str(message.path), member))
        if self.hangs:
            return True
        node = self.nodes.get(str(message.path))
        if node is None or member in self.refused or (member == "GetKeyBinding" and node.keys is None):
            return Message.new_error(message, "org.freedesktop.DBus.Error.UnknownObject", "there is no such thing")
        signature, value = self._value(node, str(message.path), member, message)
        if message.member == "Get":
            signature, value = "v", Variant(signature, value)
        reply = Message.new_method_return(message, signature, [value])
        delay_s = self.late.get((str(message.path), member))
        if delay_s is None:
            return reply
        asyncio.get_running_loop().call_later(delay_s, self._bus.send, reply)
        return True

    def _value(self, node: Node, path: str, member: str, message: Message) -> tuple[str, Any]:
        count = len(node.children) if node.count is None else node.count
        lines = {
            "Name": Variant("s", node.name),
            "Description": Variant("s", node.tip),
            "ChildCount": Variant("i", count),
        }
        if member in lines:
            return lines[member].signature, lines[member].value
        if member in ("GetAll", "GetKeyBinding"):
            return ("a{sv}", lines) if member == "GetAll" else ("s", node.keys)
        match member:
            case "GetRole":
                return "u", node.role
            case "GetState":
                return "au", [node.states & 0xFFFFFFFF, node.states >> 32]
            case "GetChildren":
                return "a(so)", [[self.name, child] for child in node.children]
            case "Parent":
                return "(so)", [self.name, node.parent]
            case "GetExtents":
                return "(iiii)", list(node.box)
            case "GetRelationSet":
                path_type = "s" if self.loose else "o"
                return f"a(ua(s{path_type}))", [[2, [[self.name, node.label]]]] if node.label else []
            case "GetAttributes":
                return "a{ss}", dict(node.attributes)
            case "CharacterCount" | "NColumns":
                return "i", node.characters if member == "CharacterCount" else node.columns
            case "ToolkitName":
                return "s", self.toolkit
            case "GetAccessibleAtPoint" | "GetAccessibleAt":  # row and column are a point in a table
                return "(so)", [self.name, self._below(path, message.body[0], message.body[1])]
        return "s", self._text(node, message) if member == "GetText" else ""

    def _text(self, node: Node, message: Message) -> str:
        start, end = message.body
        self.spans.append((start, end))
        return node.text[start:end]

    def _below(self, path: str, x: int, y: int) -> str:
        for child in self.nodes[path].children:
            box = self.nodes[child].box
            if box.x <= x < box.x + box.w and box.y <= y < box.y + box.h:
                return child
        return NULL

    @property
    def name(self) -> str:
        return str(self._bus.unique_name)


def flood(address: str, number: int) -> None:
    """Send so many signals as fast as possible, over a plain socket: the library's connection ends when one is full."""
    body = ["focused", 1, 0, Variant("s", ""), {}]
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(address.removeprefix("unix:path=").partition(",")[0])
        link.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
        assert link.recv(100).startswith(b"OK")
        link.sendall(b"BEGIN\r\n")
        bus = "org.freedesktop.DBus"
        link.sendall(Message(bus, "/org/freedesktop/DBus", bus, "Hello", serial=1)._marshall(False))
        for index in range(number):
            signal = Message.new_signal(f"/{index % 50}", EVENT + "Object", "StateChanged", "siiva{sv}", body)
            signal.serial = index + 2
            link.sendall(signal._marshall(False))
        link.shutdown(socket.SHUT_WR)
        while link.recv(4096):
            pass


@asynccontextmanager
async def accessibility_services(address: str) -> AsyncIterator[FakeService]:
    """Stand in for the launcher and the registry, on a bus that is both the session's and the accessibility bus."""
    switch: Answers = {
        ("org.a11y.Bus", "GetAddress"): ("s", [address]),
        ("org.a11y.Status", "IsEnabled"): ("v", [Variant("b", True)]),
    }
    registry: Answers = {("org.a11y.atspi.Registry", "RegisterEvent"): ("", [])}
    async with (
        FakeService(address, "org.a11y.Bus", switch) as launcher,
        FakeService(address, "org.a11y.atspi.Registry", registry),
    ):
        yield launcher


class OpenGuard:
    """A guard that allows what a test sets."""

    def __init__(self, pid: int, access: Access = Access.ALL, epoch: int | None = 0) -> None:
        self.epoch = epoch
        self.reads_outputs = True
        self.typing_s = 0.0
        self.permit = Permit(programs={pid: access}, active=pid)

    async def access(self, pid: int) -> Access:
        return self.permit.programs.get(pid, Access.NOTHING)


@dataclass
class Adapter:
    """A running adapter, one program on its bus, who says what may be asked, and what was reported."""

    source: AtSpiSource
    program: FakeProgram
    guard: OpenGuard
    daemon: Popen[str]
    seen: list[Observation] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.watching = asyncio.create_task(self.source.watch(self.seen.append))

    def of(self, kind: type[T]) -> list[T]:
        return [report for report in self.seen if isinstance(report, kind)]

    @property
    def listener(self) -> ProgramListener:
        return self.source._listeners[self.program.name]

    @property
    def keyboard(self) -> object:
        focus = self.listener.keyboard.focus
        return None if focus is None else focus.key

    async def known_toolkit(self) -> None:
        await until(lambda: self.listener.browser.is_known, "what it is built with")

    async def known_process(self) -> None:
        await until(lambda: self.listener.program.pid != 0, "knowing whose process it is")

    async def focus(self, path: str) -> None:
        """Give a control the keyboard, and wait until that and what it is are reported."""
        many = len(self.of(FocusMoved))
        await self.program.signal(FOCUSES, path, 1)
        await until(lambda: len(self.of(FocusMoved)) >= many + 2, "what has the keyboard")

    async def hold(self, path: str) -> None:
        """Give a control the keyboard, and wait until the adapter knows it."""
        await self.program.signal(FOCUSES, path, 1)
        await until(lambda: self.keyboard == path, "the focus")

    async def release(self, path: str) -> None:
        await self.program.signal(FOCUSES, path, 0)
        await until(lambda: self.keyboard is None, "its loss")

    async def moved_to(self, number: int = 0) -> Control:
        """Return what the keyboard moved to, in one of the reports of that, as soon as there is any."""
        await until(lambda: self.of(FocusMoved), "the focus")
        return present(self.of(FocusMoved)[number].control)

    async def at(self, x: int, y: int) -> Control | None:
        return await self.source.element_at(os.getpid(), x, y)

    async def clicked(self, x: int, y: int) -> Control:
        return present(await self.at(x, y))

    async def taken_in(self, *others: FakeProgram) -> None:
        """Wait until the adapter has taken in all that was signalled, and the bus knows what it listens to since."""
        for program in (self.program, *others):
            await program.sent()
        for _ in range(2):  # what it listens to is changed beside the rest
            await present(self.source._connection).ask_bus("GetId")
            await asyncio.sleep(0)


@asynccontextmanager
async def running_adapter(
    folder: Path,
    nodes: Mapping[str, Node],
    toolkit: str,
    guard: OpenGuard,
    kind: type[A] = Adapter,  # type: ignore[assignment]  # the least that it may be
    *,
    is_known: bool = False,
) -> AsyncIterator[A]:
    """Run the adapter until the test is done, with one program that was there before, whose toolkit may be known."""
    with private_bus(folder) as daemon:
        address = address_in(folder)
        async with accessibility_services(address), FakeProgram(address, nodes, toolkit) as program:
            source = AtSpiSource({"DBUS_SESSION_BUS_ADDRESS": address}, guard, SystemClock())
            running = kind(source, program, guard, daemon)
            try:
                await until(lambda: running.of(Working), "connecting")
                if is_known:
                    await running.known_toolkit()
                yield running
            finally:
                running.watching.cancel()
                await asyncio.gather(running.watching, return_exceptions=True)
                daemon.kill()


async def until(check: Any, what: str, timeout_s: float = 20.0) -> None:
    try:
        async with asyncio.timeout(timeout_s):
            while not check():  # noqa: ASYNC110  # what is waited for happens anywhere
                await asyncio.sleep(0.01)
    except TimeoutError:
        raise AssertionError(f"{what}: not within {timeout_s} s") from None
