"""The menus that programs tell of: which are open, over which window, and what odd replies do to that."""

import asyncio
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest
from dbus_fast import Message

from daemon.capture.accessibility.atspi.protocol import EVENTS
from daemon.capture.scene import DesktopWindow, Scene
from daemon.capture.wayland.desktop import WaylandBackend
from daemon.capture.wayland.programs import ProgramMenu, ProgramWindows, _Program
from storage.clock import SystemClock
from storage.records import Box, EventKind, InputEvent


def window(client: int = 1, corner: tuple[int, int] | None = None) -> DesktopWindow:
    box = Box(600, 0, 300, 200)
    return DesktopWindow(xid=client, client=client, group=7, pid=7, app="editor", box=box, corner=corner)


class Told(ProgramWindows):
    """A program `a` that answers once it is let to, and whose items stand one below the other."""

    def __init__(self, role: object) -> None:
        self._programs, self._clients, self._numbers = {"a": _Program(window(), is_excluded=False)}, {}, count(1)
        self._clock, self.role, self.is_paused, self.menus = SystemClock(), role, False, ()
        self._looks: list[asyncio.Task[None]] = []
        self._tasks: Any = SimpleNamespace(create_task=lambda look: self._looks.append(asyncio.create_task(look)))
        self._may_ask: Any = SimpleNamespace(now=lambda: not self.is_paused)
        self._wakeup: Any = SimpleNamespace(wake=lambda: None)
        self._bus: Any = self
        self._newest, self._active = Scene(t_ns=0), ("", "")
        self._lock, self._scenes = threading.Lock(), deque()
        self.asked, self.may_answer = asyncio.Event(), asyncio.Event()

    async def call(self, _name: str, path: str, _interface: str, member: str, *_: object) -> object:
        self.asked.set()
        await self.may_answer.wait()
        return self.role if member == "GetRole" else [10, 20 + 20 * int(path[-1]), 100, 20]

    def shows(self, on: int) -> None:
        for path in ("/0", "/1", "/2", "/menu0"):  # itself the last, as on a busy machine
            message = Message.new_signal(path, EVENTS, "StateChanged", "sii", ["showing", on, 0])
            message.sender = "a"
            self._take(message)

    async def answers(self) -> None:
        self.may_answer.set()
        await asyncio.gather(*self._looks)


def after(steps: Callable[[Told], Awaitable[None]], role: object = 35) -> int:
    """Return how many menus are open at the end."""

    async def run() -> int:
        told = Told(role)
        told.shows(1)
        await steps(told)
        return len(told.menus)

    return asyncio.run(run())


async def opens(told: Told) -> None:
    await told.answers()


async def closes_at_once(told: Told) -> None:
    told.shows(0)
    await told.answers()


async def closes_while_asked(told: Told) -> None:
    await told.asked.wait()
    told.shows(0)
    await told.answers()


async def closes_in_a_pause(told: Told) -> None:
    await told.answers()
    told.is_paused = True
    told.shows(0)


async def appears_again(told: Told) -> None:
    await told.answers()
    told.shows(1)
    await told.answers()


async def its_program_ends(told: Told) -> None:
    await told.answers()
    told._note_owner("a", "")


async def its_bus_goes_away(told: Told) -> None:
    await told.answers()

    async def watch() -> None:
        told._changed.set()
        if not told._programs:
            raise LookupError

    told._watch = watch  # type: ignore[method-assign]  # it ends, and is begun again
    with pytest.raises(LookupError):
        await told._main()


@pytest.mark.parametrize(
    "steps", [closes_at_once, closes_while_asked, closes_in_a_pause, its_program_ends, its_bus_goes_away]
)
def test_a_menu_that_closed_is_not_kept(steps: Callable[[Told], Awaitable[None]]) -> None:
    assert after(steps) == 0


def test_a_menu_that_is_told_again_is_one_menu() -> None:
    assert (after(opens), after(appears_again)) == (1, 1)


def test_a_role_that_is_no_number_is_no_menu() -> None:
    assert after(opens, role=[35]) == 0


@pytest.mark.parametrize(
    ("corners", "active", "over"),
    [({1: (0, 0), 2: (640, 0)}, 1, [(1, 10)]), ({1: (0, 0), 2: (640, 0)}, 9, [(2, 650)]), ({1: None}, 1, [])],
)
def test_a_menu_stands_over_the_active_window_and_is_not_placed_where_x11_does(
    corners: dict[int, tuple[int, int] | None], active: int, over: list[tuple[int, int]]
) -> None:
    backend: Any = WaylandBackend.__new__(WaylandBackend)
    backend._windows = object()
    backend._programs = SimpleNamespace(menus=(ProgramMenu(7, 1, frozenset({"/a"}), Box(10, 30, 200, 300)),))
    windows = tuple(window(client, corner) for client, corner in corners.items())
    found = backend._menus([Scene(t_ns=1, windows=windows, active=active)])
    assert [(menu.transient_for, menu.box.x) for menu in found] == over


def test_a_burst_of_scrolling_gets_its_places_without_looking_for_each_among_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared: list[object] = []

    def differs(*both: object) -> bool:
        compared.append(both)
        return False

    monkeypatch.setattr(InputEvent, "__eq__", differs)
    backend: Any = WaylandBackend.__new__(WaylandBackend)
    backend._has_keys, backend._queue, backend._windows, backend._place = False, None, None, (3, 4)
    events = [InputEvent(t_ns=number, kind=EventKind.SCROLL) for number in range(50)]
    assert [event.x for event in backend.with_places(events)] == [3] * 50
    assert compared == []
