"""Who listens on this machine: a stranger's program gets no picture without leave, not even a connection."""

import asyncio
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from detectors.mllm.client.address import PortListener, find_listener
from detectors.mllm.questions import FailureReason
from storage.settings import ModelSettings
from tests.fakes.mllm.endpoints import FakeSentLog, opened, served
from tests.fakes.mllm.reply_builders import REPLY_BUILDERS
from tests.fakes.mllm.sample_queries import NEED, query
from tests.fakes.mllm.server import FakeServer, say
from tests.fakes.narrowing import present

pytestmark = pytest.mark.anyio

CHAT = REPLY_BUILDERS[0]
US, STRANGER, PORT = 1000, 1001, 8080
EVERYWHERE = "0.0.0.0"  # noqa: S104  # in tables, and for a socket that takes no connection
QUERY = query(2, questions=(NEED,), observations="")


def row(address: str, user: int, *, port: int = PORT, state: str = "0A") -> str:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    packed = socket.inet_pton(family, address)
    words = "".join(f"{word:08X}" for (word,) in struct.iter_unpack("=I", packed))
    return (
        f"   0: {words}:{port:04X} {'0' * len(words)}:0000 {state} 00000000:00000000 00:00000000 00000000 {user:5d} 0 7"
    )


def tables(folder: Path, *rows: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, long in (("tcp", False), ("tcp6", True)):
        lines = [line for line in rows if (len(line.split()[1]) > 20) is long]
        (folder / name).write_text("\n".join(["  sl  local_address rem_address   st", *lines, ""]))
    return folder


@pytest.mark.parametrize(
    ("host", "rows", "expected"),
    [
        ("127.0.0.1", [row("127.0.0.1", US)], PortListener.TRUSTED),
        ("127.0.0.1", [row("127.0.0.1", 0)], PortListener.TRUSTED),
        ("127.0.0.1", [row(EVERYWHERE, US)], PortListener.TRUSTED),
        ("127.0.0.1", [row("::", US)], PortListener.TRUSTED),
        ("127.0.0.1", [row("::ffff:127.0.0.1", US)], PortListener.TRUSTED),
        ("::ffff:127.0.0.1", [row("127.0.0.1", US)], PortListener.TRUSTED),
        ("::1", [row("::1", US)], PortListener.TRUSTED),
        ("::1", [row("::", 0)], PortListener.TRUSTED),
        ("127.0.0.1", [row("127.0.0.1", STRANGER)], PortListener.STRANGER),
        ("127.0.0.1", [row(EVERYWHERE, STRANGER)], PortListener.STRANGER),
        ("127.0.0.1", [row("::", STRANGER)], PortListener.STRANGER),
        ("127.0.0.1", [row("::ffff:127.0.0.1", STRANGER)], PortListener.STRANGER),
        ("::1", [row("::1", STRANGER)], PortListener.STRANGER),
        ("127.0.0.1", [row("127.0.0.1", US), row("127.0.0.1", STRANGER)], PortListener.STRANGER),
        ("127.0.0.1", [row("127.0.0.1", US), row(EVERYWHERE, STRANGER)], PortListener.STRANGER),
        ("127.0.0.1", [row("127.0.0.1", 65534)], PortListener.STRANGER),
        ("127.0.0.1", [], PortListener.UNKNOWN),
        ("127.0.0.1", [row("127.0.0.2", US)], PortListener.UNKNOWN),
        ("127.0.0.1", [row("127.0.0.1", US, port=81)], PortListener.UNKNOWN),
        ("127.0.0.1", [row("127.0.0.1", US, state="01")], PortListener.UNKNOWN),
        ("::1", [row(EVERYWHERE, US)], PortListener.UNKNOWN),
        ("127.0.0.1", [row("127.0.0.1", US), row("127.0.0.2", STRANGER), row("::1", STRANGER)], PortListener.TRUSTED),
    ],
)
def test_every_socket_that_listens_at_an_address_counts(
    tmp_path: Path, host: str, rows: list[str], expected: PortListener
) -> None:
    """This user and root are trusted, everybody else is a stranger, and nobody is unknown."""
    assert find_listener(host, PORT, tables=tables(tmp_path, *rows), user=US) is expected


def test_the_number_of_unmapped_users_proves_nothing(tmp_path: Path) -> None:
    """In a namespace it stands for every user from outside, so it is a stranger's even if it is ours."""
    listening = tables(tmp_path, row("127.0.0.1", 65534))
    assert find_listener("127.0.0.1", PORT, tables=listening, user=65534) is PortListener.STRANGER


@pytest.mark.parametrize(
    "content", [None, "head\nodd\n", "head\n0: zz:1F90 0 0A 0 0 0 1000\n", "head\n0: 00:1F90 0 0A\n"]
)
def test_tables_that_cannot_be_read_tell_nothing(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "tcp").write_text(content)
    assert find_listener("127.0.0.1", PORT, tables=tmp_path, user=US) is PortListener.UNKNOWN


def test_without_ipv6_its_table_is_absent(tmp_path: Path) -> None:
    (tables(tmp_path, row("127.0.0.1", US)) / "tcp6").unlink()
    assert find_listener("127.0.0.1", PORT, tables=tmp_path, user=US) is PortListener.TRUSTED


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="the system has no such table")
@pytest.mark.parametrize("address", ["127.0.0.1", EVERYWHERE, "::1"])
def test_our_own_socket_is_found_in_the_real_tables(address: str) -> None:
    """A listening socket of this process is trusted; the same port without one is nobody's."""
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as ours:
        try:
            ours.bind((address, 0))
        except OSError:
            pytest.skip("there is no such address here")
        ours.listen()
        host, port = "::1" if ":" in address else "127.0.0.1", ours.getsockname()[1]
        assert find_listener(host, port) is PortListener.TRUSTED
    assert find_listener(host, port) is PortListener.UNKNOWN


def always(*found: PortListener) -> Callable[[str, int], PortListener]:
    answers = list(found)
    return lambda host, port: answers.pop(0) if len(answers) > 1 else answers[0]


@pytest.mark.parametrize(
    ("found", "connections"),
    [
        ((PortListener.STRANGER,), 0),
        ((PortListener.UNKNOWN,), 1),
        ((PortListener.TRUSTED, PortListener.STRANGER), 1),
        ((PortListener.UNKNOWN, PortListener.STRANGER), 1),
        ((PortListener.TRUSTED, PortListener.UNKNOWN), 1),
    ],
    ids=["stranger", "unknown", "changed hands", "came late", "went away"],
)
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_stranger_on_this_machine_gets_nothing(
    found: tuple[PortListener, ...], connections: int, host: str
) -> None:
    sent = FakeSentLog()
    async with FakeServer(otherwise=say(CHAT.good())) as server:
        async with opened(f"http://{host}:{server.port}", find_listener=always(*found), sent=sent) as model:
            result = await model.ask(QUERY, deadline_s=2.0)
        assert not server.requests
        assert server.connections <= connections
    assert result.failure is FailureReason.NOT_ALLOWED
    assert sent.outcomes == [FailureReason.NOT_ALLOWED.value]


async def test_a_stranger_who_takes_the_port_over_gets_nothing() -> None:
    found = always(PortListener.TRUSTED, PortListener.TRUSTED, PortListener.TRUSTED, PortListener.STRANGER)
    async with served(otherwise=say(CHAT.good()), find_listener=found) as (server, model):
        results = [await model.ask(QUERY, deadline_s=2.0) for _ in range(2)]
        assert len(server.requests) == 1
    assert [result.failure for result in results] == [None, FailureReason.NOT_ALLOWED]


async def test_with_leave_to_send_elsewhere_it_does_not_matter_who_listens() -> None:
    """The control: with `send_screens` the same stranger gets the request."""
    settings, stranger = ModelSettings(send_screens=True), always(PortListener.STRANGER)
    async with served(otherwise=say(CHAT.good()), find_listener=stranger, settings=settings) as (server, model):
        assert (await model.ask(QUERY, deadline_s=2.0)).failure is None
        assert len(server.requests) == 1


async def test_a_server_that_is_not_started_is_unreachable_and_not_forbidden() -> None:
    """Nobody listens yet: the model is asked again later."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    async with opened(url, find_listener=find_listener) as model:
        assert (await model.ask(QUERY, deadline_s=2.0)).failure is FailureReason.UNREACHABLE


SERVER = """
import os, socket, sys
os.setgroups([]); os.setgid(int(sys.argv[1])); os.setuid(int(sys.argv[1]))
with socket.create_server(("127.0.0.1", 0)) as server:
    print(server.getsockname()[1], flush=True)
    while True:
        with server.accept()[0] as connection:
            print(len(connection.recv(1000)), flush=True)
"""


@pytest.fixture
def other_user() -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """Run a server of another user; return its port, and itself: it writes how much each connection brought."""
    if os.getuid() != 0:
        pytest.skip("only root can start a program of another user")
    with subprocess.Popen([sys.executable, "-c", SERVER, "4321"], stdout=subprocess.PIPE, text=True) as server:
        yield int(present(server.stdout).readline()), server
        server.kill()


async def test_a_real_server_of_another_user_gets_nothing(other_user: tuple[int, "subprocess.Popen[str]"]) -> None:
    """By the system's own tables; the control gives leave, and then it hears the request."""
    port, server = other_user
    assert find_listener("127.0.0.1", port) is PortListener.STRANGER
    async with opened(f"http://127.0.0.1:{port}", find_listener=find_listener) as model:
        assert (await model.ask(QUERY, deadline_s=2.0)).failure is FailureReason.NOT_ALLOWED
    with_leave = ModelSettings(send_screens=True)
    async with opened(f"http://127.0.0.1:{port}", settings=with_leave, find_listener=find_listener) as model:
        assert (await model.ask(QUERY, deadline_s=2.0)).failure is FailureReason.UNREACHABLE
    assert int(await asyncio.to_thread(present(server.stdout).readline)) > 100, (
        "the first connection is that of the control"
    )
