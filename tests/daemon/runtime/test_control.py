"""The local socket: versioned lines, one user, clear answers."""

import asyncio
import json
import os
import re
import socket
import stat
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from daemon.cli.control import parse_duration
from daemon.runtime import control, control_client
from daemon.runtime.control import ControlServer
from daemon.runtime.control_client import MAX_LINE, find_socket, send, socket_file
from storage.errors import EnvironmentFault, UsageError
from tests.fakes.commands.background import answering, in_loop


def handle(command: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
    if command == "refuse":
        raise UsageError("no")
    return {"state": "watching", "command": command, "seconds": request.get("seconds")}


async def serve_and(path: Path, action: Any) -> Any:
    server = ControlServer(path, handle)
    await server.start()
    try:
        return await asyncio.to_thread(action)
    finally:
        await server.stop()


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "s"
    monkeypatch.setattr(control_client, "find_socket", lambda: str(path))
    return path


def test_a_request_is_answered(path: Path) -> None:
    answer = asyncio.run(serve_and(path, lambda: send("pause", seconds=5)))
    assert (answer["command"], answer["seconds"]) == ("pause", 5)
    assert not path.exists()


def test_only_the_user_can_open_the_socket(path: Path) -> None:
    mode = asyncio.run(serve_and(path, lambda: stat.S_IMODE(path.stat().st_mode)))
    assert mode == 0o600


@in_loop
async def test_folders_made_while_the_server_starts_can_be_opened(path: Path, tmp_path: Path) -> None:
    """The umask belongs to the whole process; other tasks and threads make folders meanwhile."""
    server = ControlServer(path, handle)

    async def make() -> None:
        (tmp_path / "folder").mkdir(mode=0o700)

    await asyncio.gather(server.start(), make())
    await server.stop()
    assert stat.S_IMODE((tmp_path / "folder").stat().st_mode) == 0o700


def test_without_a_daemon_the_error_says_how_to_start_one(path: Path) -> None:
    with pytest.raises(EnvironmentFault, match="kairos run"):
        send("status")


BAD_LINES = {
    "nonsense": b"nonsense",
    "version": b'{"v": 99}',
    "list": b"[1]",
    "endless": b"x" * (MAX_LINE + 10),
    "not UTF-8": b"\xff",
    "deep": b"[" * 60_000,
    "deep object": b'{"v":' * 12_000,
    "deep detail": b'{"v": 1, "command": "unmute", "topic": ' + b"[" * 900 + b"]" * 900 + b"}",
    "digits": b'{"v": 1, "command": "pause", "seconds": ' + b"9" * 5_000 + b"}",
    "no command": b'{"v": 1}',
    "command of another kind": b'{"v": 1, "command": ["status"]}',
}


@pytest.mark.parametrize("line", [line + b"\n" for line in BAD_LINES.values()], ids=BAD_LINES)
def test_a_bad_line_gets_an_error_and_harms_nothing(path: Path, line: bytes) -> None:
    def speak() -> tuple[dict[str, Any], dict[str, Any]]:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(5)
            connection.connect(str(path))
            connection.sendall(line)
            with connection.makefile("rb") as stream:
                bad = json.loads(stream.readline())
        return bad, send("status")

    bad, good = asyncio.run(serve_and(path, speak))
    assert "error" in bad
    assert good["state"] == "watching"


@pytest.mark.parametrize("answer", [b"", b"\xff", b"[]", b"null", b'"error"', b"{}", b'{"v": 2, "state": "watching"}'])
def test_an_answer_of_another_program_or_version_is_none(path: Path, answer: bytes) -> None:
    with answering(path, answer + b"\n"), pytest.raises(EnvironmentFault, match="is none"):
        send("status")


@pytest.mark.skipif(not hasattr(socket, "SO_PEERCRED"), reason="the system does not say who connects")
def test_a_peer_of_another_user_gets_no_answer(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel says whose process connected; the same request of ours is answered (the control)."""

    def speak() -> bytes:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(5)
            connection.connect(str(path))
            try:
                connection.sendall(b'{"v": 1, "command": "status"}\n')
                return connection.recv(1000)
            except ConnectionError:
                return b""

    assert b"watching" in asyncio.run(serve_and(path, speak))
    user = os.getuid()
    monkeypatch.setattr(control, "os", SimpleNamespace(umask=os.umask, getuid=lambda: user + 1))
    assert asyncio.run(serve_and(path, speak)) == b""


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("15m", 900), ("90s", 90), ("2h", 7200), ("1d", 86_400), ("1.5 h", 5400)],
)
def test_durations_are_parsed(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


def test_a_refusal_is_a_usage_error(path: Path) -> None:
    with pytest.raises(UsageError, match="no"):
        asyncio.run(serve_and(path, lambda: send("refuse")))


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("soon", "example: 15m"),
        ("7", "write 7m for minutes, 7h for hours"),
        ("15min", "write 15m$"),
        ("2 Hours", "write 2h$"),
        ("3months", "write 3m for"),
        ("4weeks", "write 4m for"),
        ("-5m", "example: 15m"),
    ],
)
def test_an_invalid_duration_is_refused(text: str, right: str) -> None:
    """What is easily put right is named in its right form; a month is no minute."""
    with pytest.raises(UsageError) as refused:
        parse_duration(text)
    assert re.search(right, refused.value.remedy)


def test_a_path_where_no_socket_can_be_is_reported(tmp_path: Path) -> None:
    """A path longer than a socket's name may be is no bug of ours."""
    server = ControlServer(tmp_path / ("x" * 200), handle)
    with pytest.raises(EnvironmentFault, match="XDG_RUNTIME_DIR"):
        asyncio.run(server.start())


def test_two_data_folders_have_two_sockets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A demo beside the real thing does not answer for it; who connects finds what was made to listen at."""
    sockets = set()
    for name in ("one", "two/./", "two/../two"):
        monkeypatch.setenv("XDG_STATE_HOME", f"{tmp_path}/{name}")
        for runtime in (str(tmp_path), "here"):
            monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
            sockets.add(socket_file())
            assert find_socket() == str(socket_file())
    assert len(sockets) == 6
