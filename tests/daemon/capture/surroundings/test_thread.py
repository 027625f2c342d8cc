"""The thread that watches the surroundings: sums up, reports changes, outlives lost sources, and ends in time."""

import asyncio
import logging
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import pytest

from daemon.capture.source_thread import SourceGone
from daemon.capture.surroundings.devices import Cameras
from daemon.capture.surroundings.services import bus_sources
from daemon.capture.surroundings.source import Condition, ConditionSource, Report, SurroundingsState, any_of, summarize
from daemon.capture.surroundings.streams import PipeWire, PulseAudio
from daemon.capture.surroundings.thread import SurroundingsWatcher, default_sources

LIMIT_S = 30.0


class ScriptedSource(ConditionSource):
    """A source that reports the given values, then stays, goes away or breaks."""

    provides: Sequence[tuple[Condition, str]] = ()

    def __init__(self, condition: Condition, *values: bool | None, then: type[Exception] | None = None) -> None:
        self.provides = [(condition, "a fake")]
        self.watched = 0
        self.reported = threading.Event()
        self.twice = threading.Event()
        self._values = values
        self._then = then

    async def watch(self, report: Report) -> None:
        self.watched += 1
        if self.watched > 1:
            self.twice.set()
        for value in self._values:
            report(*self.provides[0], value)
        self.reported.set()
        if self._then is not None:
            raise self._then
        await asyncio.Event().wait()


class Changes:
    """Surroundings with fakes, and every state they were in."""

    def __init__(self, *sources: ConditionSource) -> None:
        self.seen: list[SurroundingsState] = []
        self.surroundings = SurroundingsWatcher(self._note, sources=sources, first_pause_s=0.01)

    def _note(self) -> None:
        self.seen.append(self.surroundings.state)

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
        ({Condition.MICROPHONE: None, Condition.CAMERA: False, Condition.VIDEO: False}, None),
        ({Condition.MICROPHONE: False, Condition.CAMERA: None}, False),
        ({Condition.MICROPHONE: True, Condition.CAMERA: False}, True),
        ({Condition.MICROPHONE: False, Condition.CAMERA: True}, True),
        ({Condition.VIDEO: True}, True),
        ({Condition.LOCKED: True, Condition.DO_NOT_DISTURB: True}, None),
    ],
)
def test_a_call(answers: dict[Condition, bool | None], call: bool | None) -> None:
    """Microphone, camera or shared screen make one; only the microphone can rule one out."""
    assert summarize({(kind, "x"): value for kind, value in answers.items()}).call is call


def test_only_changes_are_reported() -> None:
    """The same value again changes nothing, and once the thread ended everything is unknown."""
    source = ScriptedSource(Condition.LOCKED, None, False, False, True, True)
    with Changes(source) as changes:
        assert source.reported.wait(LIMIT_S)
        assert changes.surroundings.state == SurroundingsState(locked=True)
    assert changes.seen == [SurroundingsState(locked=False), SurroundingsState(locked=True), SurroundingsState()]


def test_a_source_that_went_away_is_unknown_and_retried() -> None:
    """Its last value does not stay; the others are not affected."""
    comes_and_goes = ScriptedSource(Condition.DO_NOT_DISTURB, True, then=SourceGone)
    with Changes(ScriptedSource(Condition.LOCKED, False), comes_and_goes) as changes:
        assert comes_and_goes.twice.wait(LIMIT_S)
    assert changes.seen[:4] == [
        SurroundingsState(locked=False),
        SurroundingsState(locked=False, do_not_disturb=True),
        SurroundingsState(locked=False),
        SurroundingsState(locked=False, do_not_disturb=True),
    ]


class AskedSource(ScriptedSource):
    """A source that is not told of a call, and finds it when it is asked, which takes a while."""

    async def look(self, report: Report) -> None:
        await asyncio.sleep(0.05)
        report(*self.provides[0], True)


def test_a_look_is_over_once_every_source_was_asked_anew() -> None:
    calls: list[bool | None] = []
    over = threading.Event()

    def note() -> None:
        calls.append(changes.surroundings.state.call)
        over.set()

    with Changes(AskedSource(Condition.MICROPHONE, False)) as changes:
        calls.append(changes.surroundings.state.call)
        changes.surroundings.look(note)
        assert over.wait(LIMIT_S)
    assert calls == [False, True]


def test_a_bug_in_a_source_leaves_everything_unknown_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """Nobody is left believing that no call is going on."""
    with (
        caplog.at_level(logging.ERROR),
        Changes(ScriptedSource(Condition.LOCKED, True), ScriptedSource(Condition.CAMERA, then=KeyError)) as changes,
    ):
        pass
    assert changes.surroundings.state == SurroundingsState()
    assert "no longer watched" in caplog.text


def test_where_nobody_is_everything_but_cameras_is_unknown(tmp_path: Path) -> None:
    """No bus, no sound server: the questions are settled without an answer, and no time is lost."""
    env = {"XDG_RUNTIME_DIR": str(tmp_path), "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={tmp_path}/none", "PATH": "/none"}
    kinds = {type(source) for source in default_sources(env)}
    assert kinds == {*map(type, bus_sources(env)), PulseAudio, PipeWire, Cameras}
    with Changes(*(source for source in default_sources(env) if not isinstance(source, Cameras))) as changes:
        answers = changes.surroundings.answers
    assert set(answers.values()) == {None}
    assert {kind for kind, _ in answers} == set(Condition) - {Condition.CAMERA}


def test_one_yes_is_enough() -> None:
    """Several services may report the same condition; an unknown one does not count."""
    assert any_of([None, False, True]) is True
    assert any_of([None, False]) is False
    assert any_of([None, None]) is None
    assert summarize({(Condition.LOCKED, "one"): False, (Condition.LOCKED, "two"): True}) == SurroundingsState(
        locked=True
    )


def test_stopping_twice_and_unstarted_is_harmless() -> None:
    """Whatever the order."""
    surroundings = SurroundingsWatcher(sources=[])
    assert surroundings.stop()
    surroundings = SurroundingsWatcher(sources=[ScriptedSource(Condition.LOCKED, True)])
    surroundings.start()
    assert surroundings.stop(LIMIT_S)
    assert surroundings.stop()
