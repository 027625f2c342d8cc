"""The thread that hears the surroundings: sums up, tells changes, outlives whoever goes away, and ends in time."""

import asyncio
import logging
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import pytest

from daemon.capture.surroundings.cameras import Cameras
from daemon.capture.surroundings.services import buses_of
from daemon.capture.surroundings.source import Kind, Sensed, Source, SourceUnavailable, Tell, any_of, sum_up
from daemon.capture.surroundings.streams import PipeWire, PulseAudio
from daemon.capture.surroundings.thread import Surroundings, sources_of

LIMIT_S = 5.0


class Told:
    """A source that says what it was given, then stays, goes away or breaks."""

    def __init__(self, kind: Kind, *words: bool | None, then: type[Exception] | None = None) -> None:
        self.tells: Sequence[tuple[Kind, str]] = [(kind, "a fake")]
        self.asked = 0
        self.twice = threading.Event()
        self._words = words
        self._then = then

    async def watch(self, tell: Tell) -> None:
        self.asked += 1
        if self.asked > 1:
            self.twice.set()
        for word in self._words:
            tell(*self.tells[0], word)
        if self._then is not None:
            raise self._then
        await asyncio.Event().wait()


class Changes:
    """Surroundings with fakes, and every state they were in."""

    def __init__(self, *sources: Source) -> None:
        self.seen: list[Sensed] = []
        self.surroundings = Surroundings(self._note, sources=sources, first_pause_s=0.01)

    def _note(self) -> None:
        self.seen.append(self.surroundings.sensed)

    def __enter__(self) -> Self:
        self.surroundings.start()
        assert self.surroundings.settle(LIMIT_S)
        return self

    def __exit__(self, *_: object) -> None:
        assert self.surroundings.stop(LIMIT_S)


@pytest.mark.parametrize(
    ("answers", "call"),
    [
        ({}, None),
        ({Kind.MICROPHONE: None, Kind.CAMERA: False, Kind.VIDEO: False}, None),
        ({Kind.MICROPHONE: False, Kind.CAMERA: None}, False),
        ({Kind.MICROPHONE: True, Kind.CAMERA: False}, True),
        ({Kind.MICROPHONE: False, Kind.CAMERA: True}, True),
        ({Kind.VIDEO: True}, True),
        ({Kind.LOCKED: True, Kind.DO_NOT_DISTURB: True}, None),
    ],
)
def test_a_call(answers: dict[Kind, bool | None], call: bool | None) -> None:
    """Microphone, camera or shared screen make one; that there is none only the microphone can tell."""
    assert sum_up({(kind, "x"): value for kind, value in answers.items()}).call is call


def test_one_yes_is_enough() -> None:
    """Several services may be asked the same; one that cannot tell does not count."""
    assert any_of([None, False, True]) is True
    assert any_of([None, False]) is False
    assert any_of([None, None]) is None
    assert sum_up({(Kind.LOCKED, "one"): False, (Kind.LOCKED, "two"): True}) == Sensed(locked=True)


def test_only_changes_are_told() -> None:
    """Saying the same again tells nothing, and the end of the listening is the end of knowing."""
    with Changes(Told(Kind.LOCKED, None, False, False, True, True)) as changes:
        assert changes.surroundings.sensed == Sensed(locked=True)
    assert changes.seen == [Sensed(locked=False), Sensed(locked=True), Sensed()]


def test_whoever_goes_away_is_unknown_and_asked_again() -> None:
    """Its last word does not stay; the others are not concerned."""
    comes_and_goes = Told(Kind.DO_NOT_DISTURB, True, then=SourceUnavailable)
    with Changes(Told(Kind.LOCKED, False), comes_and_goes) as changes:
        assert comes_and_goes.twice.wait(LIMIT_S)
    assert changes.seen[:4] == [
        Sensed(locked=False),
        Sensed(locked=False, do_not_disturb=True),
        Sensed(locked=False),
        Sensed(locked=False, do_not_disturb=True),
    ]


def test_a_bug_in_a_source_leaves_everything_unknown_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """Nobody is left believing that no call is going on."""
    with caplog.at_level(logging.ERROR), Changes(Told(Kind.LOCKED, True), Told(Kind.CAMERA, then=KeyError)) as changes:
        pass
    assert changes.surroundings.sensed == Sensed()
    assert "no longer heard" in caplog.text


def test_stopping_twice_and_unstarted_is_harmless() -> None:
    """Whatever the order."""
    surroundings = Surroundings(sources=[])
    assert surroundings.stop()
    surroundings = Surroundings(sources=[Told(Kind.LOCKED, True)])
    surroundings.start()
    assert surroundings.stop(LIMIT_S)
    assert surroundings.stop()


def test_where_nobody_is_everything_but_cameras_is_unknown(tmp_path: Path) -> None:
    """No bus, no sound server: the questions are settled without an answer, and no time is lost."""
    env = {"XDG_RUNTIME_DIR": str(tmp_path), "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={tmp_path}/none", "PATH": "/none"}
    kinds = {type(source) for source in sources_of(env)}
    assert kinds == {*map(type, buses_of(env)), PulseAudio, PipeWire, Cameras}
    with Changes(*(source for source in sources_of(env) if not isinstance(source, Cameras))) as changes:
        answers = changes.surroundings.answers
    assert set(answers.values()) == {None}
    assert {kind for kind, _ in answers} == set(Kind) - {Kind.CAMERA}
