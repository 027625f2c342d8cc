"""Microphones, cameras and shared screens: recorded output of the real tools, and stand-ins for these tools."""

import asyncio
import json
import os
import socket
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from daemon.capture.surroundings import cameras, streams
from daemon.capture.surroundings.cameras import Cameras
from daemon.capture.surroundings.child import answer
from daemon.capture.surroundings.source import Kind, Source, SourceUnavailable
from daemon.capture.surroundings.streams import Dump, PipeWire, PulseAudio, microphone_in_use

LIMIT_S = 5.0
RECORDED = Path(__file__).parent / "data" / "pw-dump.txt"
"""Printed by `pw-dump --monitor` of PipeWire 0.3.65 while a microphone was recorded and then what a speaker plays.

Fields that are not read were taken out.
"""

SOURCES = [{"index": 0, "name": "out.monitor"}, {"index": 1, "name": "mic"}]
STREAM: dict[str, Any] = {
    "index": 0,
    "driver": "protocol-native.c",
    "client": "2",
    "source": 1,
    "corked": False,
    "mute": False,
    "resample_method": "",
    "properties": {"application.name": "parec"},
}
"""A stream as `pactl --format=json list source-outputs` of PulseAudio 16.1 prints it, but for what is not read."""


@pytest.mark.parametrize(
    ("change", "in_use"),
    [
        ({}, True),
        ({"mute": True}, True),
        ({"driver": "PipeWire", "resample_method": "PipeWire"}, True),
        ({"corked": True}, False),
        ({"source": 0}, False),
        ({"client": None, "driver": "module-loopback.c"}, False),
        ({"client": "n/a"}, False),
        ({"resample_method": "peaks"}, False),
        ({"properties": {"resample.peaks": "true"}}, False),
    ],
)
def test_a_microphone_in_use(change: dict[str, Any], in_use: bool) -> None:
    """Somebody muted is still in a call; a paused stream, a loopback, a level meter and the speakers' sound are not."""
    assert microphone_in_use(json.dumps([STREAM | change]), json.dumps(SOURCES)) is in_use
    assert microphone_in_use(json.dumps([STREAM | change, STREAM]), json.dumps(SOURCES)) is True
    assert microphone_in_use("[]", json.dumps(SOURCES)) is False


@pytest.mark.parametrize("outputs", ["", "{", "[1]", '[{"corked": false}]', "7"])
def test_what_pactl_does_not_say_is_unknown(outputs: str) -> None:
    """An empty or broken answer is not a "no"."""
    assert microphone_in_use(outputs, json.dumps(SOURCES)) is None


def test_a_recorded_session_of_pipewire() -> None:
    """A microphone is in use from when its stream runs until it is gone; what a speaker plays is no microphone."""
    dump = Dump()
    told = [dump.running for line in RECORDED.read_text().splitlines(keepends=True) if dump.feed(line)]
    changes = [now for before, now in zip([None, *told], told, strict=False) if now != before]
    assert changes == [set(), {Kind.MICROPHONE}, set()]


@pytest.mark.parametrize(
    ("state", "props", "running"),
    [
        ("running", {"media.class": "Stream/Input/Video"}, {Kind.VIDEO}),
        ("idle", {"media.class": "Stream/Input/Video"}, set()),
        ("running", {"media.class": "Video/Source"}, set()),
        ("running", {"media.class": "Stream/Input/Audio", "node.link-group": "echo-cancel-1"}, set()),
        ("running", {"media.class": "Stream/Input/Audio", "stream.monitor": True}, set()),
        ("running", {}, set()),
    ],
)
def test_streams_that_count(state: str, props: dict[str, object], running: set[Kind]) -> None:
    """A camera or a screen that nobody takes pictures from is not in use; parts of the server itself do not count."""
    assert _running({"id": 7, "info": {"state": state, "props": props}}) == running


def _running(thing: dict[str, object]) -> set[Kind]:
    dump = Dump()
    for line in json.dumps([thing], indent=1).splitlines(keepends=True):
        dump.feed(line)
    return dump.running


def test_a_dump_that_is_none_ends_the_listening() -> None:
    """A tool that prints something else is given up."""
    with pytest.raises(SourceUnavailable):
        Dump().feed("] nonsense\n")


# ---------------------------------------------------------------- stand-ins for the tools


class Ear:
    """Hears what a source tells."""

    def __init__(self) -> None:
        self.said: list[tuple[Kind, bool | None]] = []

    def tell(self, kind: Kind, name: str, value: bool | None) -> None:
        assert name
        self.said.append((kind, value))

    async def until(self, kind: Kind, value: bool | None) -> None:
        """Wait until the last word on a kind is this one."""
        async with asyncio.timeout(LIMIT_S):
            while [said for told, said in self.said if told is kind][-1:] != [value]:  # noqa: ASYNC110  # it only counts
                await asyncio.sleep(0.005)

    async def quiet(self) -> int:
        """Wait until nothing was told for a while, and return how much was told by then."""
        count = -1
        while count != len(self.said):
            count = len(self.said)
            await asyncio.sleep(0.3)
        return count


def _watch(source: Source, story: Callable[[Ear], Coroutine[Any, Any, None]], *, ends: bool = False) -> Ear:
    """Listen to a source while a story goes on; `ends` says that it must be gone after it."""

    async def run() -> Ear:
        ear = Ear()
        watching = asyncio.create_task(source.watch(ear.tell))
        try:
            await story(ear)
            if ends:
                async with asyncio.timeout(LIMIT_S):
                    with pytest.raises(SourceUnavailable):
                        await watching
        finally:
            watching.cancel()
            await asyncio.wait([watching])
        return ear

    return asyncio.run(run())


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with `pactl` and `pw-dump` that print files of it, and with the sockets of their servers."""
    monkeypatch.setattr(streams, "_SETTLE_S", 0.01)
    monkeypatch.setattr(streams, "_REST_S", 0.01)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    _tool(tmp_path / "pactl", 'case "$*" in subscribe) echo $$ >pid; exec cat events;; *) cat "$2-$3-$4";; esac')
    _tool(tmp_path / "pw-dump", "echo $$ >pid; exec cat events")
    os.mkfifo(tmp_path / "events")
    (tmp_path / "pulse").mkdir()
    return tmp_path


def _tool(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\ncd {path.parent}\n{script}\n")
    path.chmod(0o755)


@contextmanager
def _server(path: Path) -> Iterator[None]:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        yield


def _env(place: Path) -> dict[str, str]:
    return {"XDG_RUNTIME_DIR": str(place), "PATH": os.environ["PATH"]}


def _is_running(place: Path) -> bool:
    return Path(f"/proc/{(place / 'pid').read_text().strip()}").exists()


def _say(place: Path, outputs: list[dict[str, Any]]) -> None:
    (place / "list-source-outputs-").write_text(json.dumps(outputs))
    (place / "list-short-sources").write_text(json.dumps(SOURCES))


def test_pulseaudio_is_asked_when_a_stream_changed(place: Path) -> None:
    """Events about anything else ask nothing; when it goes that is told, and no child is left."""
    _say(place, [])

    async def story(ear: Ear) -> None:
        with await asyncio.to_thread((place / "events").open, "w", buffering=1) as events:
            events.write("Event 'new' on client #3\n")
            await ear.until(Kind.MICROPHONE, False)
            count = await ear.quiet()
            _say(place, [STREAM])
            events.write("Event 'change' on sink-input #3\n")
            assert await ear.quiet() == count
            events.write("Event 'new' on source-output #0\n")
            await ear.until(Kind.MICROPHONE, True)
            assert _is_running(place)

    with _server(place / "pulse" / "native"):
        _watch(PulseAudio(_env(place)), story, ends=True)
    assert not _is_running(place)


def test_a_tool_that_is_listened_to_ends_with_the_listening(place: Path) -> None:
    """Even though it still has something to say."""
    _say(place, [STREAM])

    async def story(ear: Ear) -> None:
        with await asyncio.to_thread((place / "events").open, "w") as events:
            await ear.until(Kind.MICROPHONE, True)
            assert _is_running(place)
            stays.append(os.dup(events.fileno()))

    stays: list[int] = []
    with _server(place / "pulse" / "native"):
        _watch(PulseAudio(_env(place)), story)
    os.close(stays[0])
    assert not _is_running(place)


def test_pipewire_tells_streams_as_they_run(place: Path) -> None:
    """A shared screen, then a microphone beside it, then the end of the server."""

    async def story(ear: Ear) -> None:
        with await asyncio.to_thread((place / "events").open, "w", buffering=1) as events:
            for number, name in ((7, "Video"), (8, "Audio")):
                node = {"state": "running", "props": {"media.class": f"Stream/Input/{name}"}}
                events.write(json.dumps([{"id": number, "info": node}], indent=1) + "\n")
                await ear.until(Kind.VIDEO, True)
                await ear.until(Kind.MICROPHONE, name == "Audio")
            events.write(json.dumps([{"id": 7, "info": None}], indent=1) + "\n")
            await ear.until(Kind.VIDEO, False)

    with _server(place / "pipewire-0"):
        _watch(PipeWire(_env(place)), story, ends=True)
    assert not _is_running(place)


@pytest.mark.parametrize("kind", [PulseAudio, PipeWire])
def test_without_a_server_no_tool_is_started(place: Path, kind: type[PulseAudio | PipeWire]) -> None:
    """`pactl` would start one itself."""

    async def story(ear: Ear) -> None:
        await asyncio.sleep(0)

    assert _watch(kind(_env(place)), story, ends=True).said == []
    assert not (place / "pid").exists()


def test_a_tool_that_is_missing_or_hangs_has_no_answer(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits longer than the limit."""
    monkeypatch.setattr("daemon.capture.surroundings.child.ANSWER_S", 0.2)
    assert asyncio.run(answer(["no-such-tool"], {"PATH": str(place)})) == ""
    assert asyncio.run(answer(["sleep", "60"], _env(place))) == ""
    assert asyncio.run(answer(["echo", "yes"], _env(place))) == "yes\n"


# ---------------------------------------------------------------- cameras


def test_a_camera_is_in_use_while_somebody_holds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is plugged in later counts; a look at what it can do does not, since it is over at once."""
    monkeypatch.setattr(cameras, "_SETTLE_S", 0.05)
    monkeypatch.setattr(cameras, "_REST_S", 0.01)

    async def story(ear: Ear) -> None:
        await ear.until(Kind.CAMERA, False)
        camera = tmp_path / "video0"
        camera.touch()
        count = await ear.quiet()
        (tmp_path / "null").touch()
        assert await ear.quiet() == count
        camera.open("rb").close()
        assert await ear.quiet() > count
        assert True not in [value for _, value in ear.said]
        with camera.open("rb"):
            await ear.until(Kind.CAMERA, True)
        await ear.until(Kind.CAMERA, False)
        camera.unlink()

    ear = _watch(Cameras(tmp_path), story)
    assert {kind for kind, _ in ear.said} == {Kind.CAMERA}
