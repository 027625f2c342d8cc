"""Presence on GNOME: mutter's own monitor on the session bus is asked, and its notices are passed on."""

import asyncio
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import pytest

from daemon.capture.wayland.idle import MutterIdle
from demo.virtual_desktop.windows import poll
from tests.fakes.accessibility.private_bus import Answers, FakeService, address_in, private_bus
from tests.fakes.commands.background import in_loop

NAME, PATH = "org.gnome.Mutter.IdleMonitor", "/org/gnome/Mutter/IdleMonitor/Core"
ANSWERS: Answers = {(NAME, "AddIdleWatch"): ("u", [1]), (NAME, "AddUserActiveWatch"): ("u", [2])}


@in_loop
async def test_mutter_tells_when_somebody_begins_and_ends(tmp_path: Path) -> None:
    """It tells of activity once, so that is asked for anew each time; the signal of another watch is none of ours."""
    told: list[bool] = []
    address = address_in(tmp_path)
    with private_bus(tmp_path):
        async with FakeService(address, NAME, ANSWERS) as mutter:
            idle = MutterIdle({"DBUS_SESSION_BUS_ADDRESS": address}, told.append)
            assert await asyncio.to_thread(lambda: idle.tells)
            for watch in (1, 2, 9, 1, 2):
                expected = len(mutter.queries) + (watch == 1)
                await mutter.emit(PATH, NAME, "WatchFired", "u", [watch])
                await asyncio.to_thread(poll, partial(has_asked, mutter, expected), what="asking anew")
            await asyncio.to_thread(poll, lambda: len(told) == 4, what="the notices")
            assert told == [False, True, False, True]
            assert [member for _, member in mutter.queries] == ["AddIdleWatch", *["AddUserActiveWatch"] * 2]
            idle.close()


@in_loop
async def test_presence_that_another_program_tells_is_not_believed(tmp_path: Path) -> None:
    """The rules of the bus hold for what is sent to all, and a program may send a signal to one connection alone."""
    told: list[bool] = []
    address = address_in(tmp_path)
    with private_bus(tmp_path):
        async with FakeService(address, NAME, ANSWERS) as mutter, FakeService(address, "some.other", {}) as other:
            idle = MutterIdle({"DBUS_SESSION_BUS_ADDRESS": address}, told.append)
            assert await asyncio.to_thread(lambda: idle.tells)
            listening = mutter.senders[-1]
            for sender, watch in ((other, 1), (mutter, 9), (other, 1), (mutter, 1)):
                await sender.emit(PATH, NAME, "WatchFired", "u", [watch], to=listening)
            await asyncio.to_thread(poll, partial(has_asked, mutter, 2), what="asking anew")
            assert told == [False]
            idle.close()


@pytest.mark.parametrize("has_bus", [False, True])
@in_loop
async def test_without_mutter_nothing_is_told(tmp_path: Path, *, has_bus: bool) -> None:
    env = {"DBUS_SESSION_BUS_ADDRESS": address_in(tmp_path)}
    with private_bus(tmp_path) if has_bus else nullcontext():
        idle = MutterIdle(env, lambda _: None)
        assert not await asyncio.to_thread(lambda: idle.tells)
        idle.close()


def has_asked(mutter: FakeService, times: int) -> bool:
    return len(mutter.queries) == times
