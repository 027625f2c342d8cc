"""The client of the Wayland protocol, against a compositor that does what it likes."""

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from storage import wayland
from storage.clock import SystemClock
from storage.errors import EnvironmentFault
from storage.wayland import WaylandConnection

_REGISTRY, _CALLBACK = 2, 3


def event(target: int, opcode: int, *arguments: int | str) -> bytes:
    body = b""
    for argument in arguments:
        if isinstance(argument, int):
            body += struct.pack("=I", argument)
        else:
            text = argument.encode() + b"\0"
            body += struct.pack("=I", len(text)) + text + b"\0" * (-len(text) % 4)
    return struct.pack("=II", target, (8 + len(body)) << 16 | opcode) + body


def offer(number: int, interface: str) -> bytes:
    return event(_REGISTRY, 0, number, interface, 3)


DONE = event(_CALLBACK, 0, 1) + event(1, 1, _CALLBACK)


@pytest.fixture
def compositor(tmp_path: Path) -> Iterator[Callable[[bytes], dict[str, str]]]:
    """Return what has a compositor answer the first request, in pieces, with these bytes and then hang up."""
    threads: list[threading.Thread] = []

    def listen(answer: bytes) -> dict[str, str]:
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(str(tmp_path / "wayland-7"))
        listening.listen()

        def serve() -> None:
            connected, _ = listening.accept()
            connected.recv(4096)
            for at in range(0, len(answer), 7):
                connected.sendall(answer[at : at + 7])
            connected.shutdown(socket.SHUT_WR)
            while connected.recv(4096):
                pass
            connected.close()
            listening.close()

        threads.append(threading.Thread(target=serve, daemon=True))
        threads[-1].start()
        return {"XDG_RUNTIME_DIR": str(tmp_path), "WAYLAND_DISPLAY": "wayland-7"}

    yield listen
    for thread in threads:
        thread.join(10.0)
        assert not thread.is_alive()


def test_what_is_offered_is_known_after_a_round_trip(compositor: Callable[[bytes], dict[str, str]]) -> None:
    """Whatever pieces it comes in; what was taken back is not offered."""
    gone = event(_REGISTRY, 1, 5)
    opened = WaylandConnection(compositor(offer(4, "wl_shm") + offer(5, "wl_output") + gone + DONE), SystemClock())
    assert (opened.globals, opened.offers("wl_shm"), opened.changed) == ({4: ("wl_shm", 3)}, [4], True)
    opened.wait(lambda: opened.create({}) == _CALLBACK)  # a number is used again once it is freed, which comes last
    opened.close()


@pytest.mark.parametrize(
    "answer",
    [
        event(1, 0, 1, 7, "you did something"),
        struct.pack("=II", 1, 4 << 16),
        struct.pack("=II", 1, 0xFFFFFFFF),
        event(_REGISTRY, 0, 4),
        event(_REGISTRY, 0, 4, "wl_shm", 1)[:20],
        b"",
    ],
    ids=["an error", "too short", "too long", "no text", "cut off", "hung up"],
)
def test_a_compositor_that_breaks_the_protocol_is_a_fault(
    compositor: Callable[[bytes], dict[str, str]], answer: bytes
) -> None:
    """And never a crash, nor a wait; what it says is not repeated."""
    with pytest.raises(EnvironmentFault) as fault:
        WaylandConnection(compositor(answer), SystemClock())
    assert "you did" not in str(fault.value)


def test_a_compositor_that_hangs_is_waited_for_no_longer_than_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wayland, "ANSWER_S", 0.05)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "wayland-0"))
        listening.listen()
        with pytest.raises(EnvironmentFault, match="does not answer"):
            WaylandConnection({"XDG_RUNTIME_DIR": str(tmp_path)}, SystemClock())
