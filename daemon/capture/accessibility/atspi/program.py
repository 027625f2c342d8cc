"""One program on the bus, shared by all parts of its listener: who it is, whether it may be asked, what is reported."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Self

from daemon.capture.accessibility.atspi.connection import Connection
from daemon.capture.accessibility.atspi.queries import role_number
from daemon.capture.accessibility.atspi.subscriptions import Subscriptions
from daemon.capture.accessibility.source import Access, Guard, Observation
from storage.clock import NS_PER_S, Clock

KNOWN_ROLES = 300
ROLE_NS = 60 * NS_PER_S
"""So long the role of something that shows, changes or is a place counts."""


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

        self._is_gone = False
        self._known = asyncio.Event()
        self._roles: OrderedDict[str, tuple[int, int]] = OrderedDict()

    async def introduce(self) -> None:
        """Find out which process it is."""
        self.pid = await self.connection.process(self.name)
        if not self._is_gone:
            self.connection.know_process(self.name, self.pid)
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
        number = await role_number(self.connection, self.name, path)
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
