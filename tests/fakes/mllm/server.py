"""A model server that misbehaves on purpose: each request is met with the next act of a plan, and all is written down.

It replies as scripted, with nothing like a model. Built on a Protocol, because that learns at once when the client
disconnects, also while nobody reads.
"""

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self, cast

BUFFER = 1 << 20


@dataclass(slots=True, kw_only=True)
class Received:
    """One request as it arrived, and the line back; `closed` is set when the client has hung up."""

    line: str
    headers: Mapping[str, str]
    body: bytes
    connection: int
    transport: asyncio.Transport
    closed: asyncio.Event = field(default_factory=asyncio.Event)

    def write(self, data: bytes) -> None:
        self.transport.write(data)


Act = Callable[["FakeServer", Received], Awaitable[None]]


def say(content: bytes, *, status: int = 200, reason: str = "Fine", headers: Mapping[str, str] | None = None) -> Act:
    async def act(server: "FakeServer", received: Received) -> None:
        received.write(head(status, reason, {"Content-Length": str(len(content)), **(headers or {})}) + content)

    return act


def after(seconds: float, then: Act) -> Act:
    """Take a while first; the act is left out if the client leaves."""

    async def act(server: "FakeServer", received: Received) -> None:
        try:
            await asyncio.wait_for(received.closed.wait(), seconds)
        except TimeoutError:
            await then(server, received)

    return act


def hang() -> Act:
    async def act(server: "FakeServer", received: Received) -> None:
        await received.closed.wait()

    return act


def drop(raw: bytes = b"") -> Act:
    async def act(server: "FakeServer", received: Received) -> None:
        received.write(raw)
        received.transport.close()

    return act


def endless() -> Act:
    """Go on and on; how much went out is `server.poured`."""

    async def act(server: "FakeServer", received: Received) -> None:
        received.write(head(200, "Fine", {"Transfer-Encoding": "chunked"}))
        while not received.closed.is_set():
            if received.transport.get_write_buffer_size() < BUFFER:
                received.write(b"10000\r\n" + b" " * 0x10000 + b"\r\n")
                server.poured += 0x10000
            await asyncio.sleep(0)

    return act


def drip() -> Act:
    async def act(server: "FakeServer", received: Received) -> None:
        received.write(head(200, "Fine", {"Content-Length": "5000"}))
        while not received.closed.is_set():
            received.write(b" ")
            await asyncio.sleep(0.01)

    return act


def pour(pieces: Sequence[bytes], *, gap_s: float = 0.0, end: bool = True) -> Act:
    """Stream a reply piece by piece; without its `end` hang up in the middle."""

    async def act(server: "FakeServer", received: Received) -> None:
        received.write(head(200, "Fine", {"Transfer-Encoding": "chunked"}))
        for piece in pieces:
            if received.closed.is_set():
                return
            received.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            await asyncio.sleep(gap_s)
        if end:
            received.write(b"0\r\n\r\n")
        else:
            received.transport.close()

    return act


def pour_and_hang(pieces: Sequence[bytes]) -> Act:
    async def act(server: "FakeServer", received: Received) -> None:
        received.write(head(200, "Fine", {"Transfer-Encoding": "chunked"}))
        for piece in pieces:
            received.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        await received.closed.wait()

    return act


def head(status: int, reason: str, headers: Mapping[str, str]) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} {reason}\r\nContent-Type: application/json\r\n{lines}\r\n".encode()


class FakeServer:
    """Serves on loopback, on a port of its own, while its block runs."""

    def __init__(
        self, plan: Sequence[Act] = (), *, otherwise: Act | None = None, tls: ssl.SSLContext | None = None
    ) -> None:
        """Meet requests with the acts of `plan` in turn, later ones with `otherwise` (by default: 500)."""
        self._tls = tls
        self.requests: list[Received] = []
        self.connections = 0
        self.poured = 0
        self.arrived = asyncio.Event()
        self._plan = list(plan)
        self._otherwise = otherwise or say(b"unplanned", status=500)
        self._acts: set[asyncio.Task[None]] = set()
        self._transports: set[asyncio.Transport] = set()

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Connection(self), "127.0.0.1", 0, ssl=self._tls)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for transport in self._transports:
            transport.abort()
        for act in self._acts:
            act.cancel()
        await asyncio.gather(*self._acts, return_exceptions=True)
        await self._server.wait_closed()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def connected(self, transport: asyncio.Transport) -> int:
        self._transports.add(transport)
        self.connections += 1
        return self.connections

    def lost(self, transport: asyncio.Transport) -> None:
        self._transports.discard(transport)

    def handle(self, received: Received) -> None:
        self.requests.append(received)
        self.arrived.set()
        act = self._plan.pop(0) if self._plan else self._otherwise
        task = asyncio.ensure_future(act(self, received))
        self._acts.add(task)
        task.add_done_callback(self._acts.discard)


class _Connection(asyncio.Protocol):
    def __init__(self, server: FakeServer) -> None:
        self._server = server
        self._buffer = bytearray()
        self._current: Received | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._number = self._server.connected(self._transport)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        top, separator, rest = bytes(self._buffer).partition(b"\r\n\r\n")
        if not separator:
            return
        lines = top.decode().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        size = int(headers.get("content-length", "0"))
        if len(rest) < size:
            return
        del self._buffer[: len(top) + len(separator) + size]
        self._current = Received(
            line=lines[0], headers=headers, body=rest[:size], connection=self._number, transport=self._transport
        )
        self._server.handle(self._current)

    def connection_lost(self, exc: Exception | None) -> None:
        self._server.lost(self._transport)
        if self._current is not None:
            self._current.closed.set()
