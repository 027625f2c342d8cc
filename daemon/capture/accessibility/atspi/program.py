"""One program on the bus, shared by all parts of its listener: who it is, whether it may be asked, what is reported.

Where its controls are is given in pixels of the desktop. GTK 4 knows no such places: it counts from the upper left
corner of its window, so its boxes are moved to where the active window is.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

from daemon.capture.accessibility.atspi import queries
from daemon.capture.accessibility.atspi.connection import Connection, Refused, Unanswered
from daemon.capture.accessibility.atspi.subscriptions import Subscriptions
from daemon.capture.accessibility.source import Access, Control, Guard, Observation
from daemon.capture.sandbox import program_process
from storage.clock import NS_PER_S, Clock
from storage.records import Box, ControlRole

KNOWN_ROLES = 300
ROLE_NS = 60 * NS_PER_S
"""So long the role of something that shows, changes or is a place counts."""


GTK4, QT = "GTK", "Qt"
"""What toolkits call themselves; GTK 3 is "gtk"."""

REFUSING_NS = 5 * NS_PER_S
"""A program that refuses for so long to say what it is built with will never say so."""

ORIGIN_NS = 2 * NS_PER_S
"""So long it counts where a window begins: the display server knows its new size before its program has followed."""

MAX_BORDER = 80
"""By how many pixels a window may be larger than its frame says, at scale 2."""

SCALES = (1, 2, 3)


class Origin(NamedTuple):
    """Where a program counts from, in pixels of the desktop, and how many pixels one of its units is."""

    x: int = 0
    y: int = 0
    scale: int = 1

    def on_desktop(self, box: Box) -> Box:
        """Return a box of the program in pixels of the desktop."""
        scale = self.scale
        return Box(self.x + box.x * scale, self.y + box.y * scale, box.w * scale, box.h * scale)

    def in_program(self, x: int, y: int) -> tuple[int, int]:
        """Return a point of the desktop as the program counts."""
        return (x - self.x) // self.scale, (y - self.y) // self.scale


DESKTOP = Origin()


class _KnownOrigin(NamedTuple):
    """Where a window of a program counts from, while it is at that place of the desktop, until it is asked again."""

    window: str
    content: Box
    origin: Origin
    until_ns: int


def scale_of(frame: Box | None, window: Box) -> int | None:
    """Return how many pixels a unit of a program is; None where its frame is of another window.

    Places and sizes are in units of its scale, which is taken for a whole number.
    """
    if frame is None:
        return None
    for scale in SCALES:
        if abs(window.w - frame.w * scale) <= MAX_BORDER and abs(window.h - frame.h * scale) <= MAX_BORDER:
            return scale
    return None


def origin_in(content: Box, frame: Box) -> Origin | None:
    """Return where GTK 4 counts from in a window: it may leave a margin around its frame, the same at all sides.

    Args:
        content: the window without decorations and shadow.
        frame: what the program says of the same window.
    """
    scale = scale_of(frame, content)
    if scale is None:
        return None
    width, height = frame.w * scale, frame.h * scale
    return Origin(content.x + (content.w - width) // 2, content.y + (content.h - height) // 2, scale)


@dataclass(frozen=True, slots=True)
class Means:
    """What all programs share: whom to ask, whether that may be, the time, where tasks and observations go."""

    connection: Connection
    guard: Guard
    clock: Clock
    begin: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None] | None]
    """Does some work beside the rest; drops it where the connection is just ending."""

    report: Callable[[Observation], None]
    subscriptions: Subscriptions

    @classmethod
    def of(
        cls,
        connection: Connection,
        guard: Guard,
        clock: Clock,
        tasks: asyncio.TaskGroup,
        report: Callable[[Observation], None],
    ) -> Self:
        """Run what is done beside the rest in a group of tasks."""

        def begin(work: Coroutine[Any, Any, None]) -> asyncio.Task[None] | None:
            try:
                return tasks.create_task(work)
            except RuntimeError:
                work.close()
                return None

        return cls(connection, guard, clock, begin, report, Subscriptions(connection, begin))


class Program:
    """A program on the bus, until it is gone."""

    def __init__(self, name: str, means: Means) -> None:
        """Take its name on the bus; its process is looked up by `introduce`."""
        self.name = name
        self.pid = 0
        self.connection = means.connection
        self.guard = means.guard
        self.clock = means.clock
        self.begin = means.begin
        self.report = means.report
        self.window: str | None = None
        """The window that was last activated, while it is there."""

        self.created_ns = -NS_PER_S
        """When it last made a window."""

        self._toolkit: str | None = None
        self._refused_ns: int | None = None
        """When it first refused to say so."""
        self._origin: _KnownOrigin | None = None
        self._is_gone = False
        self._known = asyncio.Event()
        self._roles: OrderedDict[str, tuple[int, int]] = OrderedDict()

    async def introduce(self) -> None:
        """Find out which process it is."""
        process = await self.connection.process(self.name)
        self.pid = program_process(process)
        if not self._is_gone and self.pid == process:  # what a process in between ran is not what the program did
            self.connection.know_process(self.name, process)
        self._known.set()

    async def wait_known(self) -> None:
        """Wait until its process is known, which the bus says."""
        await self._known.wait()

    def end(self) -> None:
        """Note that it is gone."""
        self._is_gone = True

    @property
    def is_active(self) -> bool:
        """Whether its window is the active one."""
        return self.guard.permit.active == self.pid

    async def may(self, epoch: int, access: Access) -> bool:
        """Return whether it may be asked, for as long as the gate has not been closed."""
        if self._is_gone or self.pid == 0 or self.guard.epoch != epoch:
            return False
        return await self.guard.access(self.pid) >= access and self.guard.epoch == epoch

    async def role(self, path: str) -> int:
        """Return the number of a role, asked once in a while: a status line changes its words, not what it is.

        Raises:
            Unanswered: the program does not say.
        """
        known = self.known_role(path)
        if known is not None:
            return known
        number = await queries.role_number(self.connection, self.name, path)
        self.note_role(path, number)
        return number

    def known_role(self, path: str) -> int | None:
        """Return the number of a role that was asked a while ago; None if it was not."""
        number, known_ns = self._roles.get(path, (0, 0))
        return number if path in self._roles and self.clock.now_ns() - known_ns < ROLE_NS else None

    def note_role(self, path: str, number: int) -> None:
        """Note the number of a role that was just asked."""
        self._roles[path] = number, self.clock.now_ns()
        self._roles.move_to_end(path)
        if len(self._roles) > KNOWN_ROLES:
            self._roles.popitem(last=False)

    # ------------------------------------------------------------ what it is built with, and where it counts from

    async def toolkit(self, *, urgent: bool = False) -> str:
        """Return what it is built with, asked until it answers; nothing if it goes on refusing to say.

        Raises:
            Unanswered: it does not say so yet; GTK 4 cannot while it starts.
        """
        if self._toolkit is None:
            try:
                self._toolkit = await queries.toolkit_of(self.connection, self.name, urgent=urgent)
            except Refused:
                now_ns = self.clock.now_ns()
                self._refused_ns = now_ns if self._refused_ns is None else self._refused_ns
                if now_ns - self._refused_ns < REFUSING_NS:
                    raise
                self._toolkit = ""
        return self._toolkit

    async def box(self, path: str) -> Box | None:
        """Return where a control is on the desktop; None if it has no place there, or that cannot be told.

        Raises:
            Unanswered: the program does not say.
        """
        found = await queries.box_of(self.connection, self.name, path)
        return await self._on_desktop(found)

    async def describe(self, path: str, role: ControlRole | None = None, *, is_plain: bool = False) -> Control:
        """Return what a control is: role, if it is not known, name, state and place.

        With `is_plain` its state is known to be plain, and not asked. A list to choose from is called by its label in
        Qt, which names it by what is chosen or typed in it.

        Raises:
            Unanswered: the program does not say.
        """
        found = await queries.describe(self.connection, self.name, path, role, is_plain=is_plain)
        try:
            toolkit = await self.toolkit()
        except Unanswered:
            return replace(found, box=None)
        if toolkit == QT and found.role is ControlRole.COMBO_BOX:
            return replace(found, name=await queries.label_of(self.connection, self.name, path))
        if toolkit == GTK4:
            name = queries.without_type(found.name, found.role)
            return replace(found, name=name, box=await self._on_desktop(found.box))
        return found

    async def origin(self) -> Origin | None:
        """Return where it counts from; None while that cannot be told, as with no window of it active.

        Raises:
            Unanswered: the program does not say.
        """
        if await self.toolkit() != GTK4:
            return DESKTOP
        permit = self.guard.permit
        content = permit.content if permit.active == self.pid else None
        if content is None:
            return None
        if self.window is None:
            self.window = await queries.active_window(self.connection, self.name)
        window, now_ns = self.window, self.clock.now_ns()
        if window is None:
            return None
        known = self._origin
        if known is not None and known.window == window and known.content == content and now_ns < known.until_ns:
            return known.origin
        frame = await queries.box_of(self.connection, self.name, window)
        origin = origin_in(content, frame) if frame is not None else None
        if origin is not None:  # where it is none the program may not have followed its window yet
            self._origin = _KnownOrigin(window, content, origin, now_ns + ORIGIN_NS)
        return origin

    async def _on_desktop(self, box: Box | None) -> Box | None:
        if box is None:
            return None
        try:
            origin = await self.origin()
        except Unanswered:
            return None
        return origin.on_desktop(box) if origin is not None else None
