"""A sound server that only answers who records, on a socket, as PulseAudio 16 does."""

import asyncio
import struct
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from daemon.capture.surroundings.pulse_protocol import NOBODY, SERVER_INFO, SOURCE_INFO, STREAM_LIST, number, values_in

Row = list[Any]


def stream(**changes: Any) -> Row:
    """Return a stream as PulseAudio lists it: a program that records from a microphone."""
    at = {"client": 3, "source": 4, "method": 9, "properties": 11, "rests": 12}
    row: Row = [0, "parec", 0, 2, 1, b"\3\1\0\0\xbb\x80", b"\1\0", *[b"\0" * 8] * 2, "", "protocol", {}, False]
    for name, value in changes.items():
        row[at[name]] = value
    return row


class AnsweringServer:
    """Answers with `rows` and the names of `sources`, and tells of news; `is_silent` answers nothing."""

    def __init__(self) -> None:
        """Nobody records."""
        self.rows: list[Row] = []
        self.sources: Mapping[int, str] = {0: "out.monitor", 1: "mic"}
        self.is_silent = False
        self.version = 35
        self.asked: list[int] = []
        self.writers: list[asyncio.StreamWriter] = []

    @asynccontextmanager
    async def listening(self, path: Path) -> AsyncIterator["AnsweringServer"]:
        """Listen on a socket."""
        path.parent.mkdir(exist_ok=True)
        server = await asyncio.start_unix_server(self._serve, path)
        try:
            yield self
        finally:
            server.close()
            self.hang_up()

    def tell(self, raw: bytes | None = None) -> None:
        """Tell of news, or send something else."""
        packet = number(66) + number(NOBODY) + number(5) + number(0)
        for writer in self.writers:
            writer.write(_framed(packet) if raw is None else raw)

    def hang_up(self) -> None:
        """End all connections."""
        for writer in self.writers:
            writer.close()
        self.writers.clear()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writers.append(writer)
        try:
            while True:
                length, *_ = struct.unpack(">5I", await reader.readexactly(20))
                command, tag, *rest = values_in(await reader.readexactly(length))
                self.asked.append(command)
                if not self.is_silent:
                    found = self._answer(command, rest)
                    head = number(0 if found is None else 2) + number(tag)
                    writer.write(_framed(head + b"".join(map(_sent, found or ()))))
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def _answer(self, command: int, rest: Row) -> Row | None:
        if command == STREAM_LIST:
            return [value for row in self.rows for value in row]
        if command == SOURCE_INFO:
            name = self.sources.get(rest[0])
            return None if name is None else [rest[0], name]
        if command == SERVER_INFO:
            return ["pulseaudio", "16.1", "u", "h", b"\3\1\0\0\xbb\x80", "out", "mic", 1]
        return [self.version] if command == 8 else []  # who asks


def _framed(packet: bytes) -> bytes:
    return struct.pack(">5I", len(packet), NOBODY, 0, 0, 0) + packet


def _sent(value: Any) -> bytes:
    if isinstance(value, bool):
        return b"1" if value else b"0"
    if isinstance(value, int):
        return number(value)
    if isinstance(value, dict):
        return b"P" + b"".join(map(_property, value.items())) + b"N"
    if isinstance(value, bytes):
        return {6: b"a", 8: b"U"}.get(len(value), b"m") + value
    return b"N" if value is None else b"t" + str(value).encode() + b"\0"


def _property(pair: tuple[str, str]) -> bytes:
    raw = pair[1].encode() + b"\0"
    return b"t" + pair[0].encode() + b"\0" + number(len(raw)) + struct.pack(">cI", b"x", len(raw)) + raw
