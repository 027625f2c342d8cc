"""Whether a microphone, a camera or the screen is being taken by some program, told by PulseAudio and PipeWire.

Their own tools tell it as it changes (`pactl subscribe`, `pw-dump --monitor`). What they print holds names of programs;
only whether any such stream runs is kept. Level meters, loopbacks and recordings of what the machine plays are no call.
"""

import asyncio
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from daemon.capture.surroundings.child import answer, lines, running
from daemon.capture.surroundings.source import Kind, SourceUnavailable, Tell

_SETTLE_S = 0.2
"""A stream that starts announces itself several times; a guess."""

_REST_S = 2.0
"""Some programs turn the microphone's volume all the time, and each look costs some 15 ms; a guess."""

_TRIES = 10


class PulseAudio:
    """The sound server that most programs talk to; PipeWire plays its part on newer systems."""

    tells: Sequence[tuple[Kind, str]] = ((Kind.MICROPHONE, "PulseAudio"),)

    def __init__(self, env: Mapping[str, str]) -> None:
        """Take the environment. The server is named to `pactl`, which would otherwise start one."""
        socket = Path(env.get("XDG_RUNTIME_DIR", "")) / "pulse" / "native"
        self._server = env.get("PULSE_SERVER", "")
        self._socket = None if self._server else socket
        self._env = {**env, "LC_ALL": "C.UTF-8", "PULSE_SERVER": self._server or f"unix:{socket}"}

    async def watch(self, tell: Tell) -> None:
        """Tell whether a microphone is in use, and each change.

        Raises:
            Gone: there is no sound server, or it went away.
        """
        if shutil.which("pactl") is None or (self._socket is not None and not self._socket.is_socket()):
            raise SourceUnavailable
        changed, heard = asyncio.Event(), asyncio.Event()

        async def follow(said: asyncio.StreamReader) -> None:
            async for line in lines(said):
                heard.set()
                if "source-output" in line:
                    changed.set()
            raise SourceUnavailable

        async def ask() -> None:
            for _ in range(_TRIES):  # our own asking is heard, too: from then on no change is missed
                changed.clear()
                tell(*self.tells[0], await self._ask())
                await asyncio.sleep(_SETTLE_S)
                if heard.is_set():
                    break
            while True:
                await changed.wait()
                await asyncio.sleep(_SETTLE_S)
                changed.clear()
                tell(*self.tells[0], await self._ask())
                await asyncio.sleep(_REST_S)

        try:
            async with running(["pactl", "subscribe"], self._env) as said, asyncio.TaskGroup() as group:
                group.create_task(follow(said))
                group.create_task(ask())
        except* SourceUnavailable:
            pass
        raise SourceUnavailable

    async def _ask(self) -> bool | None:
        outputs, sources = [
            await answer(["pactl", "--format=json", "list", *what], self._env)
            for what in (["source-outputs"], ["short", "sources"])
        ]
        return microphone_in_use(outputs, sources)


def microphone_in_use(outputs: str, sources: str) -> bool | None:
    """Return whether any program records from a microphone, from what `pactl --format=json list` printed."""
    try:
        monitors = {source["index"] for source in json.loads(sources) if source["name"].endswith(".monitor")}
        return any(
            not stream["corked"]
            and stream["client"] not in (None, "n/a")  # a part of the server itself: echo cancelling, a loopback
            and stream["source"] not in monitors
            and stream["resample_method"] != "peaks"  # a level meter
            and stream["properties"].get("resample.peaks") != "true"
            for stream in json.loads(outputs)
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


class PipeWire:
    """The server that moves video between programs, and sound where it has taken PulseAudio's place."""

    tells: Sequence[tuple[Kind, str]] = ((Kind.MICROPHONE, "PipeWire"), (Kind.VIDEO, "PipeWire"))

    def __init__(self, env: Mapping[str, str]) -> None:
        """Take the environment."""
        folder = env.get("PIPEWIRE_RUNTIME_DIR") or env.get("XDG_RUNTIME_DIR", "")
        self._socket = Path(folder) / env.get("PIPEWIRE_REMOTE", "pipewire-0")
        self._env = env

    async def watch(self, tell: Tell) -> None:
        """Tell which streams run, and each change.

        Raises:
            Gone: PipeWire does not run, or went away.
        """
        if shutil.which("pw-dump") is None or not self._socket.is_socket():
            raise SourceUnavailable
        dump = Dump()
        async with running(["pw-dump", "--monitor", "--no-colors"], self._env) as said:
            async for line in lines(said):
                if dump.feed(line):
                    for kind, name in self.tells:
                        tell(kind, name, kind in dump.running)
        raise SourceUnavailable


class Dump:
    """Follows what `pw-dump --monitor` prints: lists of objects, each list ending with a bracket at a line's start."""

    _CLASSES: Mapping[str, Kind] = {"Stream/Input/Audio": Kind.MICROPHONE, "Stream/Input/Video": Kind.VIDEO}
    _INNER = ("stream.monitor", "stream.capture.sink", "resample.peaks")

    def __init__(self) -> None:
        """Know of no stream."""
        self._lines: list[str] = []
        self._streams: dict[int, Kind] = {}

    @property
    def running(self) -> set[Kind]:
        """The kinds of streams that run."""
        return set(self._streams.values())

    def feed(self, line: str) -> bool:
        """Take one line in; tell whether a list was complete with it.

        Raises:
            Gone: that was no list.
        """
        self._lines.append(line)
        if not line.startswith("]"):
            return False
        text, self._lines = "".join(self._lines), []
        try:
            for thing in json.loads(text):
                self._take(thing)
        except (ValueError, KeyError, TypeError, AttributeError) as fault:
            raise SourceUnavailable from fault
        return True

    def _take(self, thing: Mapping[str, Any]) -> None:
        info = thing.get("info") or {}
        props = info.get("props") or {}
        kind = self._CLASSES.get(props.get("media.class", ""))
        inner = "node.link-group" in props or any(props.get(name) in (True, "true") for name in self._INNER)
        if kind is not None and info.get("state") == "running" and not inner:
            self._streams[thing["id"]] = kind
        else:
            self._streams.pop(thing["id"], None)
