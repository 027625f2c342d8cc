"""Whether any program records a microphone, a camera or the screen, as PulseAudio and PipeWire report it.

Of the output of their tools only whether any such stream runs is kept. Level meters, loopbacks and recordings of what
the machine plays are no call. The tools end with the thread that started them (`setpriv`), even if this process is
killed.
"""

import asyncio
import contextlib
import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from daemon.capture.source_thread import SourceGone
from daemon.capture.surroundings.source import Condition, ConditionSource, Report

_SETTLE_S = 0.2
"""A stream that starts announces itself several times; a guess."""

_REST_S = 2.0
"""Some programs change the microphone's volume all the time, and each query costs some 15 ms; a guess."""

_TRIES = 10
ANSWER_S = 3.0
"""Time limit for the output of a program; a guess."""

OWN_STREAM = f"kairos-pictures-{os.getpid()}"
"""What our own pictures of the screen are called in PipeWire: they are no call."""

OWN_RECORDERS: set[int] = set()
"""Processes of ours that read the microphone: they are no call."""

LISTENING_REST_S = 0.3
"""The rest while one of them does: what somebody says in a call is kept by nobody, so it must be noticed soon."""

_MAX_LINE = 1 << 20
_END_S = 1.0


class PulseAudio(ConditionSource):
    """The sound server that most programs use; PipeWire stands in for it on newer systems."""

    provides: Sequence[tuple[Condition, str]] = ((Condition.MICROPHONE, "PulseAudio"),)

    def __init__(self, env: Mapping[str, str]) -> None:
        """Take the environment. `pactl` is given the server's address, or it would start a server."""
        self._env = pulse_environment(env)
        self._socket = None if env.get("PULSE_SERVER") else _pulse_socket(env)
        self._asking = asyncio.Lock()
        self._is_watching = False

    async def watch(self, report: Report) -> None:
        """Report whether a microphone is in use, and each change."""
        if shutil.which("pactl") is None or (self._socket is not None and not self._socket.is_socket()):
            raise SourceGone
        changed, subscribed = asyncio.Event(), asyncio.Event()

        async def follow(output: asyncio.StreamReader) -> None:
            async for line in read_lines(output):
                subscribed.set()
                if "source-output" in line:
                    changed.set()
            raise SourceGone

        async def query() -> None:
            for _ in range(_TRIES):  # our own query causes an event, too: from then on no change is missed
                changed.clear()
                await self._ask(report)
                await asyncio.sleep(_SETTLE_S)
                if subscribed.is_set():
                    break
            while True:
                await changed.wait()
                await asyncio.sleep(_SETTLE_S)
                changed.clear()
                await self._ask(report)
                for _ in range(round(_REST_S / LISTENING_REST_S)):
                    await asyncio.sleep(LISTENING_REST_S)
                    if OWN_RECORDERS:  # which may have begun meanwhile
                        break

        self._is_watching = True
        try:
            async with run_command(["pactl", "subscribe"], self._env) as output, asyncio.TaskGroup() as group:
                group.create_task(follow(output))
                group.create_task(query())
        except* SourceGone:
            pass
        finally:
            self._is_watching = False
        raise SourceGone

    async def look(self, report: Report) -> None:
        """Ask who listens now."""
        if self._is_watching:
            await self._ask(report)

    async def _ask(self, report: Report) -> None:
        """Ask and report, one after the other: an older answer never comes last."""
        async with self._asking:
            report(*self.provides[0], await self._query())

    async def _query(self) -> bool | None:
        outputs = await self._list("source-outputs")
        if microphone_in_use(outputs, "[]", OWN_RECORDERS) is False:  # whatever is a monitor
            return False
        return microphone_in_use(outputs, await self._list("short", "sources"), OWN_RECORDERS)

    async def _list(self, *objects: str) -> str:
        return await command_output(["pactl", "--format=json", "list", *objects], self._env)


def _pulse_socket(env: Mapping[str, str]) -> Path:
    return Path(env.get("XDG_RUNTIME_DIR", "")) / "pulse" / "native"


def pulse_environment(env: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a client of the sound server, which starts none where there is none."""
    return {**env, "LC_ALL": "C.UTF-8", "PULSE_SERVER": env.get("PULSE_SERVER") or f"unix:{_pulse_socket(env)}"}


def microphone_in_use(outputs: str, sources: str, own: Collection[int] = ()) -> bool | None:
    """Return whether any program records from a microphone, from what `pactl --format=json list` printed.

    The processes of ours that do are told by their numbers.
    """
    try:
        monitors = {source["index"] for source in json.loads(sources) if source["name"].endswith(".monitor")}
        return any(
            not stream["corked"]
            and stream["client"] not in (None, "n/a")  # a part of the server itself: echo cancelling, a loopback
            and stream["source"] not in monitors
            and stream["resample_method"] != "peaks"  # a level meter
            and stream["properties"].get("resample.peaks") != "true"
            and not _is_of(own, stream["properties"])
            for stream in json.loads(outputs)
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def default_microphone(env: Mapping[str, str]) -> str | None:
    """Return the name of the microphone that is read; empty where there is none, None where nobody tells."""
    if shutil.which("pactl") is None or shutil.which("parec") is None:
        return None
    name = asyncio.run(command_output(["pactl", "get-default-source"], pulse_environment(env))).strip()
    return "" if name.endswith(".monitor") else name


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
        inner = inner or _is_of(OWN_RECORDERS, props) or any(props.get(name) in (True, "true") for name in self._INNER)
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
