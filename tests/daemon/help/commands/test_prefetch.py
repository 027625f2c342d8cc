"""Commands are read in the background: once for a window, when nobody types, and again where that gave nothing."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import pytest

from daemon.help.commands.command import TakeCommands
from daemon.help.commands.prefetch import FIRST_NS, IDLE_NS, MAX_TRIES, MAX_WINDOWS, CommandPrefetch
from storage.clock import ManualClock
from storage.ports import CommandList
from storage.records import Box, EventKind, Focus, InputEvent, KeyClass

KEY = InputEvent(t_ns=0, kind=EventKind.KEY, key_class=KeyClass.CHARACTER)
FOUND = CommandList(app="Editor", commands=())


def focus(window: int = 1, app: str = "Editor", **more: Any) -> Focus:
    return Focus(t_ns=0, app=app, window=window, title_digest="", geometry=Box(0, 0, 9, 9), **more)


class Stage(CommandPrefetch):
    """With timers that a test lets go off, in place of a loop."""

    def __init__(self, answer: CommandList | None = FOUND) -> None:
        self.clock = ManualClock()
        self.requests = 0
        self.timers: list[Callable[[], None]] = []
        self.answer = answer
        super().__init__(self.request, self.clock)
        loop: Any = self
        self.start(loop)

    def call_later(self, _seconds: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        self.timers.append(callback)
        return cast("asyncio.TimerHandle", self)

    def call_soon_threadsafe(self, callback: Callable[..., None], *values: object) -> None:
        callback(*values)

    def cancel(self) -> None:
        self.timers.clear()

    def request(self, take: TakeCommands, app: str = "") -> None:
        assert app
        self.requests += 1
        take(self.answer)

    def pass_time(self, ns: int = IDLE_NS) -> None:
        self.clock.advance(ns)
        waiting, self.timers = self.timers, []
        assert len(waiting) <= 1
        for callback in waiting:
            callback()


def test_a_window_is_read_once_when_nobody_has_typed_for_a_moment() -> None:
    """One timer waits, and only while a window is to be read."""
    stage = Stage()
    stage.observe([focus()])
    stage.pass_time(FIRST_NS // 2)
    stage.observe([KEY])
    stage.pass_time(FIRST_NS // 2)
    assert (stage.requests, len(stage.timers)) == (0, 1)
    stage.pass_time(FIRST_NS)
    assert (stage.requests, len(stage.timers)) == (1, 0)
    stage.observe([focus(), KEY])
    assert stage.timers == []
    stage.observe([focus(2)])
    stage.pass_time()
    assert stage.requests == 2


@pytest.mark.parametrize("seen", [focus(own=True), focus(dialog=True), focus(app="")])
def test_what_has_no_menus_of_its_own_is_not_read(seen: Focus) -> None:
    """Also where it came in front of a window that was to be read."""
    stage = Stage()
    stage.observe([focus()])
    stage.observe([seen])
    stage.pass_time()
    assert (stage.requests, stage.timers) == (0, [])


@pytest.mark.parametrize("found", [None, replace(FOUND, complete=False)])
def test_a_window_that_gave_nothing_is_tried_again_some_times(found: CommandList | None) -> None:
    """Or a part of its commands, since somebody began to type."""
    stage = Stage(found)
    for _ in range(2 * MAX_TRIES):
        stage.observe([focus()])
        stage.pass_time()
    assert stage.requests == MAX_TRIES


def test_what_somebody_has_cut_short_by_typing_is_read_at_the_next_quiet_moment() -> None:
    """Though the window stays in front; not once another is."""
    stage = Stage(replace(FOUND, complete=False))
    stage.observe([focus()])
    stage.pass_time(FIRST_NS)
    stage.observe([KEY])
    stage.pass_time(IDLE_NS // 2)
    assert stage.requests == 1
    stage.answer = FOUND
    stage.pass_time()
    assert (stage.requests, len(stage.timers)) == (2, 0)
    stage.answer = None
    stage.observe([focus(2)])
    stage.pass_time()
    stage.observe([focus(3, dialog=True)])
    stage.pass_time()
    assert stage.requests == 3


def test_windows_long_ago_are_forgotten_and_after_the_end_nothing_is_read() -> None:
    stage = Stage()
    for window in range(MAX_WINDOWS + 1):
        stage.observe([focus(window)])
        stage.pass_time()
    stage.observe([focus(0)])
    stage.pass_time()
    assert stage.requests == MAX_WINDOWS + 2
    stage.observe([focus(99)])
    stage.stop()
    assert stage.timers == []
    stage.observe([focus(98)])
    stage.pass_time()
    assert stage.requests == MAX_WINDOWS + 2
