"""Microphones, cameras and shared screens: recorded output of a real tool, and stand-ins for it and for a server."""

import asyncio
import json
import os
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TextIO

import pytest

from daemon.capture.source_thread import SourceGone
from daemon.capture.surroundings import devices, pulse_protocol, streams
from daemon.capture.surroundings.devices import Cameras
from daemon.capture.surroundings.pulse_protocol import NOBODY, open_client
from daemon.capture.surroundings.source import Condition, ConditionSource
from daemon.capture.surroundings.streams import (
    OWN_STREAM,
    PipeWire,
    PulseAudio,
    StreamDump,
    command_output,
    microphone_in_use,
)
from tests.fakes.sound.pulse import AnsweringServer, stream

LIMIT_S = 30.0
PULSE = "pulse/native"
RECORDED = Path(__file__).parent / "data" / "pw-dump.txt"
"""Printed by `pw-dump --monitor` of PipeWire 0.3.65 while a microphone was recorded and then what a speaker plays.

Fields that are not read were taken out.
"""


@pytest.mark.parametrize(
    ("changes", "in_use"),
    [
        ({}, True),
        ({"method": "PipeWire"}, True),
        ({"source": 7}, True),
        ({"rests": True}, False),
        ({"source": 0}, False),
        ({"client": NOBODY}, False),
        ({"method": "peaks"}, False),
        ({"properties": {"resample.peaks": "true"}}, False),
    ],
)
async def test_a_microphone_in_use(place: Path, changes: dict[str, Any], in_use: bool) -> None:
    """A paused stream, a loopback, a level meter and the speakers' sound are no call; what nobody knows is one."""
    assert await _in_use(place, stream(**changes)) is in_use
    assert await _in_use(place, stream(**changes), stream()) is True
    assert await _in_use(place) is False


async def test_our_own_stream_is_told_from_a_call_by_its_process(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it calls itself; control: beside another program's it is a call."""
    monkeypatch.setattr(streams, "OWN_RECORDERS", [77])
    own = stream(properties={"application.process.id": "77", "application.name": "Kairos"})
    assert await _in_use(place, own) is False
    assert await _in_use(place, stream(properties={"application.process.id": "78"})) is True
    assert await _in_use(place, own, stream()) is True


@pytest.mark.parametrize("row", [[1], stream()[:-1], ["0"] * 13, [None] * 13])
async def test_an_answer_that_is_none_is_unknown(place: Path, row: list[Any]) -> None:
    """What is broken is not a "no"."""
    assert await _in_use(place, row) is None


async def _in_use(place: Path, *rows: list[Any]) -> bool | None:
    server = AnsweringServer()
    server.rows = list(rows)
    env = {"PULSE_SERVER": f"{{0}}unix:{place / PULSE} tcp:other"}
    async with server.listening(place / PULSE), open_client(env) as client:
        return await microphone_in_use(client)


def test_a_recorded_session_of_pipewire() -> None:
    """A microphone is in use from when its stream runs until it is gone; what a speaker plays is no microphone."""
    dump = StreamDump()
    running = [dump.running for line in RECORDED.read_text().splitlines(keepends=True) if dump.feed(line)]
    changes = [now for before, now in zip([None, *running], running, strict=False) if now != before]
    assert changes == [set(), {Condition.MICROPHONE}, set()]


@pytest.mark.parametrize(
    ("state", "props", "running"),
    [
        ("running", {"media.class": "Stream/Input/Video"}, {Condition.VIDEO}),
        ("idle", {"media.class": "Stream/Input/Video"}, set()),
        ("running", {"media.class": "Video/Source"}, set()),
        ("running", {"media.class": "Stream/Input/Audio", "node.link-group": "echo-cancel-1"}, set()),
        ("running", {"media.class": "Stream/Input/Audio", "stream.monitor": True}, set()),
        ("running", {}, set()),
        ("running", {"media.class": "Stream/Input/Video", "node.name": OWN_STREAM}, set()),
        ("running", {"media.class": "Stream/Input/Video", "node.name": "kairos-pictures-0"}, {Condition.VIDEO}),
    ],
)
def test_streams_that_count(state: str, props: dict[str, object], running: set[Condition]) -> None:
    """A camera or a screen that nobody takes pictures from is not in use; parts of the server itself do not count.

    Nor do the pictures that this very process takes: Kairos would be silent for good.
    """
    assert _running({"id": 7, "info": {"state": state, "props": props}}) == running


def _running(thing: dict[str, object]) -> set[Condition]:
    dump = StreamDump()
    for line in json.dumps([thing], indent=1).splitlines(keepends=True):
        dump.feed(line)
    return dump.running


def test_output_that_is_no_list_ends_the_source() -> None:
    """A tool that prints something else is given up."""
    with pytest.raises(SourceGone):
        StreamDump().feed("] nonsense\n")


# ---------------------------------------------------------------- stand-ins for the tools


class Reports:
    """Collects what a source reports."""

    def __init__(self) -> None:
        self.items: list[tuple[Condition, bool | None]] = []

    def report(self, condition: Condition, name: str, value: bool | None) -> None:
        assert name
        self.items.append((condition, value))

    async def until(self, condition: Condition, value: bool | None) -> None:
        async with asyncio.timeout(LIMIT_S):
            while [v for c, v in self.items if c is condition][-1:] != [value]:  # noqa: ASYNC110  # it only counts
                await asyncio.sleep(0.005)

    async def more(self, count: int) -> None:
        async with asyncio.timeout(LIMIT_S):
            while len(self.items) <= count:  # noqa: ASYNC110  # it only counts
                await asyncio.sleep(0.005)

    async def quiet(self) -> int:
        """Wait until nothing was reported for a while, and return how many reports there were by then."""
        count = -1
        while count != len(self.items):
            count = len(self.items)
            await asyncio.sleep(0.3)
        return count


@asynccontextmanager
async def _watching(source: ConditionSource, *, ends: bool = False) -> AsyncIterator[Reports]:
    """Watch a source; with `ends` it must be unavailable after that."""
    reports = Reports()
    watching = asyncio.create_task(source.watch(reports.report))
    try:
        yield reports
        if ends:
            async with asyncio.timeout(LIMIT_S):
                with pytest.raises(SourceGone):
                    await watching
    finally:
        watching.cancel()
        await asyncio.wait([watching])


@asynccontextmanager
async def _telling(source: ConditionSource, place: Path, name: str) -> AsyncIterator[tuple[Reports, TextIO]]:
    """Watch a source with its server, and say what its tool does; it must be unavailable once that has ended."""
    with _server(place / name):
        async with _watching(source, ends=True) as reports:
            with await asyncio.to_thread((place / "events").open, "w", buffering=1) as events:
                yield reports, events


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a `pw-dump` that prints a file of it."""
    monkeypatch.setattr(streams, "_SETTLE_S", 0.01)
    monkeypatch.setattr(streams, "_REST_S", 0.01)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    _tool(tmp_path / "pw-dump", "echo $$ >pid; exec cat events")
    os.mkfifo(tmp_path / "events")
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


@asynccontextmanager
async def _answering(
    place: Path, *, hangs_up: bool = True
) -> AsyncIterator[tuple[Reports, AnsweringServer, PulseAudio]]:
    server, source = AnsweringServer(), PulseAudio(_env(place))
    async with server.listening(place / PULSE), _watching(source, ends=True) as reports:
        await reports.until(Condition.MICROPHONE, False)
        yield reports, server, source
        if hangs_up:
            server.hang_up()


async def test_pulseaudio_is_asked_when_a_stream_changed(place: Path) -> None:
    async with _answering(place) as (reports, server, _):
        count = await reports.quiet()
        server.rows = [stream()]
        assert await reports.quiet() == count, "nobody asks again and again"
        server.tell()
        await reports.until(Condition.MICROPHONE, True)


async def test_a_stream_of_which_the_news_is_late_is_found_by_a_look(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nobody answers it is unknown; nobody is asked while it is not watched."""
    async with _answering(place) as (reports, server, source):
        server.rows = [stream()]
        await source.look(reports.report)
        server.is_silent = True
        monkeypatch.setattr(pulse_protocol, "ANSWER_S", 0.05)
        await source.look(reports.report)
        assert [value for _, value in reports.items][-2:] == [True, None]
    count = len(reports.items)
    await source.look(reports.report)
    assert len(reports.items) == count


async def test_a_call_is_noticed_soon_from_when_we_listen_on(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Listening may begin in the middle of a long rest: when a call ends, say, just before the next one."""
    monkeypatch.setattr(streams, "_REST_S", 3600)
    monkeypatch.setattr(streams, "OWN_RECORDERS", own := list[int]())
    async with _answering(place) as (reports, server, _):
        own.append(1)
        for rows, in_use in (([stream()], True), ([], False)):
            server.rows = rows
            server.tell()
            await reports.until(Condition.MICROPHONE, in_use)


HEAD = b"\0\0\0%c\xff\xff\xff\xff" + bytes(12)
"""Of a packet of so many bytes."""


@pytest.mark.parametrize("said", [b"\xff" * 40, HEAD % 2 + b"?!", HEAD % 1 + b"L"])
async def test_what_is_no_such_protocol_ends_the_source(place: Path, said: bytes) -> None:
    async with _answering(place, hangs_up=False) as (_, server, _source):
        server.tell(said)


async def test_a_server_that_is_too_old_is_none(place: Path) -> None:
    server = AnsweringServer()
    server.version = 18
    async with server.listening(place / PULSE), _watching(PulseAudio(_env(place)), ends=True) as reports:
        pass
    assert reports.items == []


async def test_a_tool_that_is_listened_to_ends_with_the_listening(place: Path) -> None:
    """Even though it still has something to say."""
    with _server(place / "pipewire-0"):
        async with _watching(PipeWire(_env(place))) as reports:
            events = await asyncio.to_thread((place / "events").open, "w", buffering=1)
            events.write("[\n]\n")
            await reports.until(Condition.VIDEO, False)
            assert _is_running(place)
    events.close()
    assert not _is_running(place)


async def test_pipewire_reports_streams_that_run(place: Path) -> None:
    """A shared screen, then a microphone beside it, then the end of the server."""
    async with _telling(PipeWire(_env(place)), place, "pipewire-0") as (reports, events):
        for number, name in ((7, "Video"), (8, "Audio")):
            node = {"state": "running", "props": {"media.class": f"Stream/Input/{name}"}}
            events.write(json.dumps([{"id": number, "info": node}], indent=1) + "\n")
            await reports.until(Condition.VIDEO, True)
            await reports.until(Condition.MICROPHONE, name == "Audio")
        events.write(json.dumps([{"id": 7, "info": None}], indent=1) + "\n")
        await reports.until(Condition.VIDEO, False)
    assert not _is_running(place)


@pytest.mark.parametrize("source_class", [PulseAudio, PipeWire])
async def test_without_a_server_no_tool_is_started(place: Path, source_class: type[PulseAudio | PipeWire]) -> None:
    async with _watching(source_class(_env(place)), ends=True) as reports:
        pass
    assert reports.items == []
    assert not (place / "pid").exists()


async def test_a_tool_that_is_missing_or_hangs_has_no_answer(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits longer than the limit."""
    assert await command_output(["no-such-tool"], {"PATH": str(place)}) == ""
    monkeypatch.setattr("daemon.capture.surroundings.streams.ANSWER_S", 20.0)
    assert await command_output(["echo", "yes"], _env(place)) == "yes\n"
    monkeypatch.setattr("daemon.capture.surroundings.streams.ANSWER_S", 0.2)
    assert await command_output(["sleep", "60"], _env(place)) == ""


# ---------------------------------------------------------------- cameras


async def test_a_camera_is_in_use_while_somebody_holds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is plugged in later counts; a look at what it can do does not, since it is over at once."""
    monkeypatch.setattr(devices, "_SETTLE_S", 0.05)
    monkeypatch.setattr(devices, "_REST_S", 0.01)
    async with _watching(Cameras(tmp_path)) as reports:
        await reports.until(Condition.CAMERA, False)
        camera = tmp_path / "video0"
        camera.touch()
        count = await reports.quiet()
        (tmp_path / "null").touch()
        assert await reports.quiet() == count
        camera.open("rb").close()
        await reports.more(count)
        await reports.quiet()
        assert True not in [value for _, value in reports.items]
        with camera.open("rb"):
            await reports.until(Condition.CAMERA, True)
        await reports.until(Condition.CAMERA, False)
        camera.unlink()
    assert {condition for condition, _ in reports.items} == {Condition.CAMERA}
