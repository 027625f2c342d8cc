"""The process that asks the portal: what it asks for, what it passes on, and how it ends."""

import asyncio
import os
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from daemon.capture.source_thread import SourceGone
from daemon.capture.wayland.gnome.portal import PortalAccess, PortalProcess, SharedScreens, ShareEnd, access
from demo.virtual_desktop.windows import poll
from tests.fakes.accessibility.private_bus import Answers, FakeService, address_in, private_bus
from tests.fakes.commands.background import in_loop

PORTAL, CAST = "org.freedesktop.portal.Desktop", "org.freedesktop.portal.ScreenCast"
STORE = "org.freedesktop.impl.portal.PermissionStore"
SESSION = "/org/freedesktop/portal/desktop/session/kairos"
SCREEN = {"position": Variant("(ii)", [0, 0]), "size": Variant("(ii)", [800, 600])}
VERSION: Answers = {(CAST, "version"): ("v", [Variant("u", 4)])}


class FakePortal(FakeService):
    """Answers each request as the person would: `answer` is what becomes of the question (0: a yes)."""

    def __init__(self, address: str, answer: int = 0) -> None:
        super().__init__(address, PORTAL, VERSION)
        self._bus = MessageBus(bus_address=address, negotiate_unix_fd=True)
        self.asked: dict[str, dict[str, Any]] = {}
        self.answer = answer
        self.token = {"restore_token": Variant("s", "new")}
        reading, self.end_of_remote = os.pipe()
        self.remote = reading
        self._tasks: list[asyncio.Task[None]] = []

    def _answer(self, message: Message) -> Message | bool | None:
        if message.message_type is not MessageType.METHOD_CALL or message.interface != CAST:
            return super()._answer(message)
        member, options = str(message.member), message.body[-1]
        self.asked[member] = {name: option.value for name, option in options.items()}
        self.senders.append(str(message.sender))
        if member == "OpenPipeWireRemote":
            return Message.new_method_return(message, "h", [0], [self.remote])
        results: dict[str, Variant] = {}
        if member == "CreateSession":
            results = {"session_handle": Variant("s", SESSION)}
        elif member == "Start":
            results = {"streams": Variant("a(ua{sv})", [[7, SCREEN]]), **self.token}
        number = self.answer if member == "Start" else 0
        path = f"/request/{options['handle_token'].value}"
        telling = self.emit(path, "org.freedesktop.portal.Request", "Response", "ua{sv}", [number, results])
        self._tasks.append(asyncio.get_running_loop().create_task(telling))
        return Message.new_method_return(message, "o", [path])


@pytest.fixture
def env(tmp_path: Path) -> Iterator[dict[str, str]]:
    with private_bus(tmp_path):
        yield {**os.environ, "DBUS_SESSION_BUS_ADDRESS": address_in(tmp_path)}


async def told(process: PortalProcess) -> SharedScreens | ShareEnd:
    def wait() -> SharedScreens | ShareEnd:
        found = poll(process.read, what="a word of the process")
        assert isinstance(found, SharedScreens | ShareEnd)
        return found

    return await asyncio.to_thread(wait)


def owner_of(process: PortalProcess) -> int:
    return Path(f"/proc/{process._process.pid}/maps").stat().st_uid


@pytest.mark.parametrize(("token", "kept"), [("", "new"), ("old", "new"), ("", "")])
@in_loop
async def test_screens_are_asked_for_once_without_the_pointer(env: dict[str, str], token: str, kept: str) -> None:
    """What is passed on is the connection that the portal opened; a sign in the panel shows that it is open."""
    async with FakePortal(env["DBUS_SESSION_BUS_ADDRESS"]) as portal:
        if not kept:
            portal.token = {}
        process = PortalProcess(env, token)
        pictures = await told(process)
        assert isinstance(pictures, SharedScreens)
        assert (pictures.nodes, pictures.token) == (((7, 0, 0, 800, 600),), kept)
        assert not os.get_inheritable(pictures.file)
        assert os.getpgid(process._process.pid) != os.getpgid(0)  # Ctrl+C is for Kairos
        os.write(portal.end_of_remote, b"pictures")
        assert os.read(pictures.file, 9) == b"pictures"
        os.close(pictures.file)
        asked = portal.asked["SelectSources"]
        assert (asked["types"], asked["cursor_mode"], asked["persist_mode"], asked["multiple"]) == (1, 1, 2, True)
        assert asked.get("restore_token", "") == token
        process.close()


@in_loop
async def test_nobody_looks_into_the_process_once_the_portal_has(env: dict[str, str]) -> None:
    """It holds no picture; but who could look into it could take the connection. It ends with its session."""
    async with FakePortal(env["DBUS_SESSION_BUS_ADDRESS"]) as portal:
        process = PortalProcess(env, "")
        pictures = await told(process)
        assert isinstance(pictures, SharedScreens)
        os.close(pictures.file)
        assert await asyncio.to_thread(owner_of, process) == 0  # what nobody may look into belongs to root
        closed: Any = SESSION, "org.freedesktop.portal.Session", "Closed", "a{sv}", [{}]
        async with FakeService(env["DBUS_SESSION_BUS_ADDRESS"], "some.other", {}) as other:
            await other.emit(*closed, to=portal.senders[-1])
            await portal.emit("/another", *closed[1:], to=portal.senders[-1])
        assert process.read() is None
        await portal.emit(*closed, to=portal.senders[-1])
        assert await told(process) is ShareEnd.CLOSED
        await asyncio.to_thread(poll, process._process.poll, what="its end")
        process.close()


@pytest.mark.parametrize(("answer", "said"), [(1, ShareEnd.REFUSED), (2, ShareEnd.UNANSWERED)])
@in_loop
async def test_a_no_is_passed_on(env: dict[str, str], answer: int, said: ShareEnd) -> None:
    async with FakePortal(env["DBUS_SESSION_BUS_ADDRESS"], answer):
        process = PortalProcess(env, "")
        assert await told(process) is said
        process.close()


@in_loop
async def test_without_a_portal_the_process_ends_without_a_word(env: dict[str, str]) -> None:
    process = PortalProcess(env, "")
    with pytest.raises(SourceGone):
        await told(process)
    process.close()


def test_a_process_that_ends_at_once_is_no_other_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: ended)
    process = PortalProcess({}, "")
    with pytest.raises(SourceGone):
        process.read()
    process.close()


@in_loop
async def test_the_process_ends_with_the_one_that_started_it(env: dict[str, str]) -> None:
    """Its session ends with it, and the sign in the panel."""
    async with FakePortal(env["DBUS_SESSION_BUS_ADDRESS"]):
        process = PortalProcess(env, "")
        pictures = await told(process)
        assert isinstance(pictures, SharedScreens)
        os.close(pictures.file)
        process._link.close()
        await asyncio.to_thread(poll, lambda: process._process.poll() == 0, what="its end")


@pytest.mark.parametrize(
    ("version", "known", "expected"),
    [
        (4, ["t"], PortalAccess.OFFERED),
        (5, None, PortalAccess.OFFERED),
        (4, [], PortalAccess.TAKEN_BACK),
        (3, ["t"], PortalAccess.MISSING),
        (0, None, PortalAccess.MISSING),
    ],
)
@in_loop
async def test_what_can_be_said_before_anybody_is_asked(
    env: dict[str, str], version: int, known: list[str] | None, expected: PortalAccess
) -> None:
    """A portal without tokens would ask each time; a token that it has forgotten was taken back."""
    address = env["DBUS_SESSION_BUS_ADDRESS"]
    portal: Answers = {(CAST, "version"): ("v", [Variant("u", version)])} if version else {}
    store: Answers = {} if known is None else {(STORE, "List"): ("as", [known])}
    async with FakeService(address, PORTAL, portal), FakeService(address, STORE, store) as asked:
        assert await asyncio.to_thread(partial(access, env, "t")) is expected
        assert bool(asked.queries) is (version >= 4)
        if known == []:
            assert await asyncio.to_thread(partial(access, env, "")) is PortalAccess.OFFERED


def test_without_a_bus_there_is_no_portal(tmp_path: Path) -> None:
    assert access({"DBUS_SESSION_BUS_ADDRESS": address_in(tmp_path)}, "") is PortalAccess.MISSING
