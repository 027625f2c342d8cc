"""A scripted adapter of the accessibility sense, and a sense without a thread, for tests of what becomes of reports."""

import asyncio
from collections.abc import Callable, Sequence

from daemon.capture.control_source import (
    Control,
    ControlList,
    FrontWindow,
    Observation,
    Permit,
    PictureWanted,
    SourceState,
    Working,
)
from daemon.capture.source_thread import SourceGone
from storage.ports import Command, CommandList
from storage.records import Box, ControlRole, Elements

BUTTON = Control(key="/save", role=ControlRole.BUTTON, name="Save marker-name")


class ScriptedControls:
    """Reports given observations, then stays or goes away; answers clicks with one control."""

    def __init__(self, *observations: Observation, goes: bool = False) -> None:
        self.state = SourceState(connected=True)
        self.watched = 0
        self.anew = 0
        self.activated = 0
        self.noted: list[tuple[int, bool]] = []
        self.writings: list[int] = []
        self.typings: list[int] = []
        self.asked: list[tuple[int, int, int]] = []
        self.walked: list[tuple[int, Box, tuple[Box, ...]]] = []
        self.walked_ns = 0
        self.read: list[tuple[FrontWindow, CommandList | None]] = []
        self.listed_commands: CommandList | None = CommandList(app="", commands=(Command(path=("File", "Save")),))
        self.walk_waits: asyncio.Event | None = None
        self.walks_ended = 0
        self.listed: ControlList | None = ControlList(controls=(BUTTON,))
        self._observations = observations
        self._goes = goes

    async def watch(self, report: Callable[[Observation], None]) -> None:
        self.watched += 1
        report(Working(t_ns=0, pid=0, on=True))
        for observation in self._observations:
            report(observation)
        if self._goes:
            raise SourceGone
        await asyncio.Event().wait()

    def begin_anew(self) -> None:
        self.anew += 1

    def note_active(self) -> None:
        self.activated += 1

    def note_command(self, pid: int, *, is_enter: bool) -> None:
        self.noted.append((pid, is_enter))

    def note_writing(self, pid: int) -> None:
        self.writings.append(pid)

    def note_typing(self, pid: int) -> None:
        self.typings.append(pid)

    async def element_at(self, pid: int, x: int, y: int) -> Control | None:
        self.asked.append((pid, x, y))
        return BUTTON

    async def focused_at(self, pid: int, x: int, y: int) -> Control | None:  # the Protocol's signature
        return Control(key="/item", role=ControlRole.MENU_ITEM, name="Paste")

    @property
    def read_ns(self) -> int:
        return 0

    async def commands(self, window: FrontWindow, earlier: CommandList | None) -> CommandList | None:
        self.read.append((window, earlier))
        if self.walk_waits is not None:
            try:
                await self.walk_waits.wait()
            except asyncio.CancelledError:
                self.walks_ended += 1
                raise
        return self.listed_commands

    async def controls(self, pid: int, window: Box, menus: Sequence[Box]) -> ControlList | None:
        self.walked.append((pid, window, tuple(menus)))
        if self.walk_waits is not None:
            await self.walk_waits.wait()
        return self.listed


class QuietSense:
    """Stands in for the thread: gives what a test put in, and notes what was published."""

    def __init__(self) -> None:
        self.pending: list[Observation] = []
        self.lost = 0
        self.permit = Permit()
        self.locked = False
        self.is_working = True
        self.is_off = self.is_untold = False
        self.delivered: list[tuple[int, Elements | CommandList | None]] = []
        self.pictures: list[tuple[int, Box]] = []

    @property
    def has_pending(self) -> bool:
        return bool(self.pending)

    def publish(self, permit: Permit, *, locked: bool) -> None:
        self.permit, self.locked = permit, locked

    def deliver(self, request: int, found: Elements | CommandList | None) -> None:
        self.delivered.append((request, found))

    def read_picture(self, wanted: PictureWanted, _pixels: object, place: Box) -> None:
        self.pictures.append((wanted.request, place))

    def take(self) -> tuple[Sequence[Observation], int]:
        pending, self.pending = self.pending, []
        lost, self.lost = self.lost, 0
        return pending, lost
