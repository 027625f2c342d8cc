"""Whether any program records a microphone, a camera or the screen, as PulseAudio and PipeWire report it.

Of what they say only whether any such stream runs is kept. Level meters, loopbacks and recordings of what the machine
plays are no call. PipeWire's tool ends with the thread that started it (`setpriv`), even if this process is killed.
"""

import asyncio
import contextlib
import json
import os
import shutil
import subprocess
from collections import deque
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from daemon.capture.source_thread import SourceGone
from daemon.capture.surroundings.pulse_protocol import (
    ANSWER_S,
    NO_TEXT,
    NOBODY,
    SERVER_INFO,
    SOURCE_INFO,
    STREAM_FIELDS,
    STREAM_LIST,
    PulseClient,
    number,
    open_client,
    pulse_server,
)
from daemon.capture.surroundings.source import Condition, ConditionSource, Report

_SETTLE_S = 0.2
"""A program that only tries a microphone out has done so by then; a guess. While we listen nobody waits for it."""

_REST_S = 2.0
"""Some programs change the microphone's volume all the time; a guess."""

OWN_STREAM = f"kairos-pictures-{os.getpid()}"
"""What our own pictures of the screen are called in PipeWire: they are no call."""

OWN_RECORDERS: deque[int] = deque(maxlen=4)
"""Processes of ours that read the microphone: they are no call. What has ended may still be listed for an instant."""

RECORDER_STARTS = Lock()
"""Held while one starts, so that its number is known before anybody judges what is listed."""

_LISTENING_REST_S = 0.1
"""The rest while one of them does: what somebody says in a call is kept by nobody, so it must be noticed soon."""

_MAX_LINE = 1 << 20
_END_S = 1.0


class PulseAudio(ConditionSource):
    """The sound server that most programs use; PipeWire stands in for it on newer systems."""

    provides: Sequence[tuple[Condition, str]] = ((Condition.MICROPHONE, "PulseAudio"),)

    def __init__(self, env: Mapping[str, str]) -> None:
        """Take the environment, which says where the server is."""
        self._env = env
        self._asking = asyncio.Lock()
        self._client: PulseClient | None = None

    async def watch(self, report: Report) -> None:
        """Report whether a microphone is in use, and each change."""
        async with open_client(self._env) as client:
            self._client = client
            try:
                while True:
                    client.changed.clear()
                    await self._ask(client, report)
                    for _ in range(round(_REST_S / _LISTENING_REST_S)):
                        await asyncio.sleep(_LISTENING_REST_S)
                        if OWN_RECORDERS:  # which may have begun meanwhile
                            break
                    await client.changed.wait()
                    await asyncio.sleep(0.0 if OWN_RECORDERS else _SETTLE_S)
            finally:
                self._client = None

    async def look(self, report: Report) -> None:
        """Ask who listens now: the answer comes after all news."""
        if (client := self._client) is not None:
            try:
                await self._ask(client, report)
            except SourceGone:
                report(*self.provides[0], None)

    async def _ask(self, client: PulseClient, report: Report) -> None:
        """Ask and report, one after the other: an older answer never comes last."""
        async with self._asking:
            report(*self.provides[0], await microphone_in_use(client))


async def microphone_in_use(client: PulseClient) -> bool | None:
    """Return whether any program records from a microphone; None where the answer is none.

    Raises:
        SourceGone: nobody answers.
    """
    try:
        rows = await client.ask(STREAM_LIST)
        own = _own_recorders()
        for stream in list(zip(*[iter(rows)] * STREAM_FIELDS, strict=True)):
            if may_be_call(stream, own):
                source = await client.ask(SOURCE_INFO, number(stream[4]) + NO_TEXT)
                if not source or not source[1].endswith(".monitor"):  # what is gone may have been one
                    return True
    except (ValueError, TypeError, LookupError, AttributeError):
        return None
    return False


def may_be_call(stream: Sequence[Any], own: Collection[int]) -> bool:
    """Tell whether a stream of the server's list records for a program; `own` are the processes of ours that do.

    A stream without a client is a part of the server itself: echo cancelling, a loopback.
    """
    client, method, properties, rests = stream[3], stream[9], stream[11], stream[12]
    is_meter = method == "peaks" or properties.get("resample.peaks") == "true"
    return not rests and client != NOBODY and not is_meter and not _is_of(own, properties)


def default_microphone(env: Mapping[str, str]) -> str | None:
    """Return the name of the microphone that is read; empty where there is none, None where nothing could read it."""
    if shutil.which("parec") is None:
        return None

    async def named() -> str:
        async with open_client(env) as client:
            return str((await client.ask(SERVER_INFO))[6] or "")

    try:
        name = asyncio.run(named())
    except (SourceGone, LookupError):
        name = ""
    return "" if name.endswith(".monitor") else name


def pulse_environment(env: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a client of the sound server, which starts none where there is none."""
    return {**env, "LC_ALL": "C.UTF-8", "PULSE_SERVER": pulse_server(env)}


def _own_recorders() -> tuple[int, ...]:
    with RECORDER_STARTS:
        return tuple(OWN_RECORDERS)


def _is_of(own: Collection[int], properties: Mapping[str, Any]) -> bool:
    """Tell whether a stream is of one of these processes."""
    return str(properties.get("application.process.id")) in map(str, own)


class PipeWire(ConditionSource):
    """The server for video between programs, and for sound where it replaces PulseAudio."""

    provides: Sequence[tuple[Condition, str]] = ((Condition.MICROPHONE, "PipeWire"), (Condition.VIDEO, "PipeWire"))

    def __init__(self, env: Mapping[str, str]) -> None:
        folder = env.get("PIPEWIRE_RUNTIME_DIR") or env.get("XDG_RUNTIME_DIR", "")
        self._socket = Path(folder) / env.get("PIPEWIRE_REMOTE", "pipewire-0")
        self._env = env

    async def watch(self, report: Report) -> None:
        """Report which streams run, and each change."""
        if shutil.which("pw-dump") is None or not self._socket.is_socket():
            raise SourceGone
        dump = StreamDump()
        async with run_command(["pw-dump", "--monitor", "--no-colors"], self._env) as output:
            async for line in read_lines(output):
                if dump.feed(line):
                    for condition, name in self.provides:
                        report(condition, name, condition in dump.running)
        raise SourceGone


class StreamDump:
    """Parses the output of `pw-dump --monitor`: lists of objects, each ended by a bracket at a line's start."""

    _CLASSES: Mapping[str, Condition] = {
        "Stream/Input/Audio": Condition.MICROPHONE,
        "Stream/Input/Video": Condition.VIDEO,
    }
    _INNER = ("stream.monitor", "stream.capture.sink", "resample.peaks")

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._streams: dict[int, Condition] = {}

    @property
    def running(self) -> set[Condition]:
        """The kinds of streams that run."""
        return set(self._streams.values())

    def feed(self, line: str) -> bool:
        """Take in one line; return whether it completed a list."""
        self._lines.append(line)
        if not line.startswith("]"):
            return False
        text, self._lines = "".join(self._lines), []
        try:
            for node in json.loads(text):
                self._take(node)
        except (ValueError, KeyError, TypeError, AttributeError) as fault:
            raise SourceGone from fault
        return True

    def _take(self, node: Mapping[str, Any]) -> None:
        info = node.get("info") or {}
        props = info.get("props") or {}
        condition = self._CLASSES.get(props.get("media.class", ""))
        inner = props.get("node.name") == OWN_STREAM or "node.link-group" in props
        inner = (
            inner or _is_of(_own_recorders(), props) or any(props.get(name) in (True, "true") for name in self._INNER)
        )
        if condition is not None and info.get("state") == "running" and not inner:
            self._streams[node["id"]] = condition
        else:
            self._streams.pop(node["id"], None)


@asynccontextmanager
async def run_command(argv: Sequence[str], env: Mapping[str, str]) -> AsyncIterator[asyncio.StreamReader]:
    """Run a program and yield its output; end it on leaving."""
    prefix = ["setpriv", "--pdeathsig", "TERM"] if shutil.which("setpriv") else []
    nothing = subprocess.DEVNULL
    try:
        process = subprocess.Popen(  # noqa: ASYNC220  # returns once the program was started, as asyncio's own does
            [*prefix, *argv], env=env, stdin=nothing, stdout=subprocess.PIPE, stderr=nothing
        )
    except OSError as fault:
        raise SourceGone from fault
    with contextlib.ExitStack() as stack:
        stack.callback(_end, process)
        reader = asyncio.StreamReader(limit=_MAX_LINE)
        protocol = asyncio.StreamReaderProtocol(reader)
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, process.stdout)
        stack.callback(transport.close)
        yield reader


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_END_S)


async def read_lines(reader: asyncio.StreamReader) -> AsyncIterator[str]:
    """Yield the output of a program line by line until it ends."""
    try:
        async for line in reader:
            yield line.decode("utf-8", "replace")
    except ValueError as fault:  # a line without end
        raise SourceGone from fault


async def command_output(argv: Sequence[str], env: Mapping[str, str]) -> str:
    """Return what a program prints; empty where it is missing or takes too long."""
    try:
        async with asyncio.timeout(ANSWER_S), run_command(argv, env) as reader:
            return (await reader.read()).decode("utf-8", "replace")
    except (SourceGone, TimeoutError):
        return ""
