"""The protocol that PulseAudio speaks with its clients, as far as asking who records takes; PipeWire speaks it too.

One connection asks and is told of changes, so an answer comes after all news before it. A packet is a head of 20 bytes
and values, each with a letter for its kind. The version asked for is 19, the first that tells of streams that rest.
"""

import asyncio
import struct
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from daemon.capture.source_thread import SourceGone

Values = list[Any]

ANSWER_S = 3.0
"""How long an answer may take; a guess."""

SERVER_INFO, SOURCE_INFO, STREAM_LIST = 20, 23, 32
STREAM_FIELDS = 13
"""Values of each stream that records: its client is the fourth, its source the fifth, then how its rate is changed (9),
properties (11), and whether it rests (12)."""

NOBODY = 0xFFFFFFFF
"""The number of what there is none of."""

_ERROR, _REPLY, _AUTH, _NAME, _SUBSCRIBE, _EVENT = 0, 2, 8, 9, 35, 66
_VERSION, _RECORDING_STREAMS, _PORT = 19, 8, 4713
_CONTROL = NOBODY
_HEAD = struct.Struct(">5I")
_COOKIE = 256
_MOST = 1 << 20
_SIZES = {b"L": 4, b"V": 4, b"B": 1, b"a": 6, b"U": 8, b"R": 8, b"r": 8, b"T": 8}


def number(value: int) -> bytes:
    """Return a number as it is sent."""
    return struct.pack(">cI", b"L", value)


NO_TEXT = b"N"


def values_in(raw: bytes) -> Values:
    """Return the values of a packet; numbers of one word, texts, lists of properties and yes or no, else bytes.

    Raises:
        ValueError: it holds anything else.
    """
    found, place = Values(), 0
    while place < len(raw):
        value, place = _value(raw, place)
        found.append(value)
    return found


def _value(raw: bytes, at: int) -> tuple[Any, int]:
    """Return the value at a place, and the place behind it."""
    kind, at = raw[at : at + 1], at + 1
    if kind in b"N10":
        return {b"N": None, b"1": True, b"0": False}[kind], at
    if kind == b"t":
        end = raw.index(b"\0", at)
        return raw[at:end].decode("utf-8", "replace"), end + 1
    if kind == b"P":
        properties: dict[str, str] = {}
        while (name := _value(raw, at))[0] is not None:
            content, at = _value(raw, _value(raw, name[1])[1])  # its length comes first
            properties[name[0]] = content.rstrip(b"\0").decode("utf-8", "replace")
        return properties, name[1]
    if kind == b"x":
        count, at = int.from_bytes(raw[at : at + 4]), at + 4
    elif kind in b"mv":  # places or volumes of channels
        count, at = raw[at] * (4 if kind == b"v" else 1), at + 1
    elif kind in _SIZES:
        count = _SIZES[kind]
    else:
        raise ValueError(kind)
    if at + count > len(raw):
        raise ValueError(count)
    content = raw[at : at + count]
    return (int.from_bytes(content) if kind == b"L" else content), at + count


class PulseClient:
    """A connection; `changed` is set whenever a program begins or ends to record, and at the connection's end."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._waiting: dict[int, asyncio.Future[Values]] = {}
        self._tag, self._is_gone = 0, False
        self.changed = asyncio.Event()

    async def ask(self, command: int, payload: bytes = b"") -> Values:
        """Return what is answered; empty where that is a refusal, as of what is gone.

        Raises:
            SourceGone: there is no answer.
        """
        self._tag += 1
        tag = self._tag
        answer: asyncio.Future[Values] = asyncio.get_running_loop().create_future()
        packet = number(command) + number(tag) + payload
        self._waiting[tag] = answer
        try:
            if self._is_gone:
                raise SourceGone
            self._writer.write(_HEAD.pack(len(packet), _CONTROL, 0, 0, 0) + packet)
            async with asyncio.timeout(ANSWER_S):
                return await answer
        except (OSError, TimeoutError) as fault:
            raise SourceGone from fault
        finally:
            del self._waiting[tag]

    async def greet(self, cookie: bytes) -> None:
        """Say who asks, and ask to be told of changes.

        Raises:
            SourceGone: it is refused, or the server is too old.
        """
        reply = await self.ask(_AUTH, number(_VERSION) + struct.pack(">cI", b"x", _COOKIE) + cookie)
        if not reply or not isinstance(reply[0], int) or reply[0] & 0xFFFF < _VERSION:
            raise SourceGone
        name = b"Kairos\0"
        length = len(name)
        said = b"tapplication.name\0" + number(length) + struct.pack(">cI", b"x", length) + name
        await self.ask(_NAME, b"P" + said + b"N")
        await self.ask(_SUBSCRIBE, number(_RECORDING_STREAMS))

    async def read(self) -> None:
        """Take what comes, up to the end of the connection, or where it is no such protocol."""
        try:
            while True:
                length, channel, *_ = _HEAD.unpack(await self._reader.readexactly(_HEAD.size))
                if length > _MOST:
                    break
                raw = await self._reader.readexactly(length)
                if channel == _CONTROL:
                    self._take(values_in(raw))
        except (OSError, EOFError, ValueError, LookupError, TypeError, AttributeError):
            pass
        finally:
            self._is_gone = True
            self.changed.set()
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(SourceGone())

    def _take(self, values: Values) -> None:
        command, tag, *rest = values
        answer = self._waiting.get(tag)
        if command == _EVENT:
            self.changed.set()
        elif command in (_REPLY, _ERROR) and answer is not None and not answer.done():
            answer.set_result(rest if command == _REPLY else [])


@asynccontextmanager
async def open_client(env: Mapping[str, str]) -> AsyncIterator[PulseClient]:
    """Connect to the sound server of an environment; none is started.

    Raises:
        SourceGone: none answers, or it ends meanwhile.
    """
    reader, writer = await _connect(pulse_server(env))
    client = PulseClient(reader, writer)
    reading = asyncio.ensure_future(client.read())
    try:
        await client.greet(_cookie(env))
        yield client
    finally:
        writer.close()
        reading.cancel()
        await asyncio.wait([reading])


def pulse_server(env: Mapping[str, str]) -> str:
    """Return where an environment has its sound server, as clients are told it."""
    return env.get("PULSE_SERVER") or f"unix:{Path(env.get('XDG_RUNTIME_DIR', ''), 'pulse', 'native')}"


async def _connect(servers: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    for server in servers.split():
        where = server.rpartition("}")[2]  # of which machine it is stands in front
        kind, _, rest = where.partition(":")
        with suppress(OSError, ValueError, TimeoutError):
            async with asyncio.timeout(ANSWER_S):
                if sys.platform != "win32" and (kind == "unix" or where.startswith("/")):
                    return await asyncio.open_unix_connection(rest or where)
                host, _, port = (rest if kind.startswith("tcp") else where).partition(":")
                return await asyncio.open_connection(host, int(port or _PORT))
    raise SourceGone


def _cookie(env: Mapping[str, str]) -> bytes:
    """Return what shows a server elsewhere who asks; one of this user needs none."""
    home = Path(env.get("HOME", ""))
    config = Path(env.get("XDG_CONFIG_HOME") or home / ".config")
    places = (Path(env.get("PULSE_COOKIE", "")), config / "pulse" / "cookie", home / ".pulse-cookie")
    for place in places:
        with suppress(OSError):
            return place.read_bytes()[:_COOKIE].ljust(_COOKIE, b"\0")
    return bytes(_COOKIE)
