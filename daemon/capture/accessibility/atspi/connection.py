"""One connection to the accessibility bus: short questions to programs, and who is behind a name of the bus.

No question starts a service, each has a time limit, and a program that hangs costs only the tasks that wait for it.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Self

from dbus_fast import Message, MessageType
from dbus_fast.aio import MessageBus
from dbus_fast.validators import is_object_path_valid

from daemon.capture import dbus
from daemon.capture.accessibility.atspi.budget import AnswerBudget
from daemon.capture.dbus import BUS, BUS_PATH, LOST, PROPERTIES, connected, first_value, method_call
from daemon.capture.programs.processes import MainThread
from daemon.capture.source_thread import SourceGone
from storage.clock import NS_PER_S, Clock

ANSWER_S = 0.08
"""A program that takes longer is late and is asked nothing else; a healthy one takes a few milliseconds."""

PATIENCE_S = 1.0
"""Extra time the asking task waits for a late reply."""

URGENT_S = 0.5
"""`ANSWER_S` where keys wait for the reply: whether a password field has the keyboard. A later reply still counts."""

HUNG_S = 2.0
"""A program that has not answered by then hangs, if its main thread neither ran nor waited for a processor."""

LONGEST_S = 30.0
"""One that has not answered by then hangs, whatever it did."""

READY_STEP_S = 0.1


class Unanswered(Exception):  # noqa: N818  # a program may be busy or gone: no fault of ours
    """A program did not answer, refused, or may not be asked now."""


class Refused(Unanswered):
    """A program answered that it cannot say: the object is gone, or has no such property."""


class _Question:
    """A question that is on its way.

    A program may answer long after who asked has stopped waiting, so it is no task: that would have to go on for it.
    """

    __slots__ = ("_on_end", "_waiter", "is_over", "reply")

    def __init__(self) -> None:
        self.reply: Message | None = None
        """The answer; None until then, and where the connection ended."""

        self.is_over = False
        self._waiter: asyncio.Future[None] | None = None
        self._on_end: Callable[[Message | None], None] | None = None

    async def wait(self, seconds: float | None) -> None:
        """Wait until it is over or the time is; by one task at a time."""
        if self.is_over:
            return
        loop = asyncio.get_running_loop()
        waiter = self._waiter = loop.create_future()
        timer = loop.call_later(seconds, _wake, waiter) if seconds is not None else None
        try:
            await waiter
        finally:
            if timer is not None:
                timer.cancel()

    def then(self, callback: Callable[[Message | None], None]) -> None:
        """Call back when it is over; it is not yet."""
        self._on_end = callback

    def end(self, reply: Message | None) -> None:
        """Take the answer; None if there will be none."""
        self.reply, self.is_over = reply, True
        if self._on_end is not None:
            self._on_end(reply)
        if self._waiter is not None:
            _wake(self._waiter)


def _wake(waiter: "asyncio.Future[None]") -> None:
    if not waiter.done():
        waiter.set_result(None)


class Connection:
    """An open connection, until `close` or until it breaks."""

    def __init__(self, bus: MessageBus, clock: Clock, budget: AnswerBudget) -> None:
        self._bus = bus
        self._clock = clock
        self._budget = budget
        self._calls = count(1)
        self._threads: dict[str, MainThread] = {}
        self._questions: dict[int, _Question] = {}
        self._on_signal: Callable[[Message], None] | None = None
        bus.add_message_handler(self._take)
        # The end must be known although nobody waits for it, and the library says it to a coroutine alone.
        self._closed = asyncio.ensure_future(bus.wait_for_disconnect())  # type: ignore[no-untyped-call]  # the library leaves it out
        self._closed.add_done_callback(self._end)

    @classmethod
    async def open(cls, address: str, clock: Clock, budget: AnswerBudget) -> Self:
        """Connect; raises `SourceGone` where no bus answers at this address."""
        return cls(await connected(address), clock, budget)

    def on_signal(self, callback: Callable[[Message], None]) -> None:
        """Call `callback` with every signal."""
        self._on_signal = callback

    def _take(self, message: Message) -> bool:
        """Take a message from the bus; return whether that is all that there is to do with it."""
        if message.message_type is MessageType.SIGNAL:
            if self._on_signal is not None:
                self._on_signal(message)
            return False
        question = self._questions.pop(message.reply_serial or 0, None)
        if question is not None:
            question.end(message)
        return question is not None

    def _send(self, message: Message) -> _Question:
        message.serial = self._bus.next_serial()
        try:
            sent = self._bus.send(message)
        except LOST as fault:
            raise SourceGone from fault
        if sent.done():
            if sent.exception() is not None:
                raise SourceGone
        else:
            sent.add_done_callback(_retrieve)
        question = self._questions[message.serial] = _Question()
        return question

    def _end(self, closed: "asyncio.Future[None]") -> None:
        """The connection has ended: nobody answers any more."""
        _retrieve(closed)
        questions, self._questions = self._questions, {}
        for question in questions.values():
            question.end(None)

    async def ask_bus(self, member: str, signature: str = "", *body: object) -> object:
        """Return what the bus answers; None if it refuses. Raises `SourceGone` where it does not answer."""
        return await self.ask_service((BUS, BUS_PATH, BUS, member), signature, *body)

    async def ask_service(self, method: tuple[str, str, str, str], signature: str = "", *body: object) -> object:
        """Return the first value that a service answers to a method (service, object, interface, member), or None.

        Raises `SourceGone` where it does not answer in time.
        """
        asked = self._send(method_call(method, signature, body))
        await asked.wait(dbus.ANSWER_S)
        if asked.reply is None:
            raise SourceGone
        return first_value(asked.reply)

    async def ask(
        self,
        name: str,
        path: str,
        interface: str,
        member: str,
        signature: str = "",
        *body: object,
        urgent: bool = False,
        walk: bool = False,
    ) -> object:
        """Return the first value that a program answers about an object of its own.

        Keys wait for the answer to an `urgent` question; those of a `walk` have limits of their own.

        Raises:
            Refused: it refuses, or no object can have that path, which it gave itself.
            Unanswered: it does not answer in time, or may not be asked now.
            SourceGone: the bus went away.
        """
        if not is_object_path_valid(path):
            raise Refused
        began_ns = self._clock.now_ns()
        began = None if walk else self._times(name)
        if not self._budget.allows(name, began_ns, urgent=urgent, walk=walk):
            raise Unanswered
        asked = self._send(method_call((name, path, interface, member), signature, body))
        call = 0
        try:
            await asked.wait(None if walk else URGENT_S if urgent else ANSWER_S)
            if not asked.is_over:
                call = self._expect_late(name, asked, began)
                await asked.wait(PATIENCE_S)
        finally:
            if not asked.is_over and not call:
                self._expect_late(name, asked, began)
        if not asked.is_over:
            raise Unanswered
        reply = asked.reply
        if reply is None:
            raise SourceGone
        if not call and not walk:
            self._budget.answered(name, began_ns, self._clock.now_ns(), ran_ns=self._ran(name, began))
        if reply.message_type is not MessageType.METHOD_RETURN:
            raise Refused
        return first_value(reply)

    @contextmanager
    def walking(self, name: str, *, apart: bool = False) -> Iterator[None]:
        """Count what a program spends on a walk, as a whole."""
        began_ns, began = self._clock.now_ns(), self._times(name)
        try:
            yield
        finally:
            self._budget.walked(name, began_ns, self._clock.now_ns(), ran_ns=self._ran(name, began), apart=apart)

    def _times(self, name: str) -> tuple[int, int] | None:
        thread = self._threads.get(name)
        return thread.times() if thread is not None else None

    def _ran(self, name: str, began: tuple[int, int] | None) -> tuple[int, int] | None:
        """Return how long a program had run at first and has run now."""
        now = self._times(name)
        return (began[0], now[0]) if began is not None and now is not None else None

    def _expect_late(self, name: str, question: _Question, began: tuple[int, int] | None) -> int:
        """Ask a program nothing more until it has answered, or until it is plain that it will not; number the call."""
        call = next(self._calls)
        self._budget.is_late(name, call)
        loop = asyncio.get_running_loop()
        since_ns, since = self._clock.now_ns(), self._times(name)
        timer: asyncio.TimerHandle

        def look() -> None:
            nonlocal timer
            now_ns, now = self._clock.now_ns(), self._times(name)
            busy_ns = sum(now) - sum(since) if since is not None and now is not None else 0
            passed_s = (now_ns - since_ns) / NS_PER_S
            if passed_s - busy_ns / NS_PER_S >= HUNG_S or passed_s >= LONGEST_S:
                self._budget.gave_up(name, call, now_ns)
            else:
                timer = loop.call_later(HUNG_S, look)

        timer = loop.call_later(HUNG_S, look)

        def answered(reply: Message | None) -> None:
            timer.cancel()
            if reply is None:
                self._budget.is_void(name, call)
                return
            now_ns = self._clock.now_ns()
            self._budget.answered(name, now_ns, now_ns, call, ran_ns=self._ran(name, began))

        question.then(answered)
        return call

    async def wait_ready(self, name: str) -> None:
        """Wait until a busy program has answered, or until it is plain that it will not."""
        while self._budget.is_busy(name):  # noqa: ASYNC110  # the budget is pure and knows no loop
            await asyncio.sleep(READY_STEP_S)

    async def property(self, name: str, path: str, interface: str, member: str, *, urgent: bool = False) -> object:
        """Return a property of a program's object; raises what `ask` raises."""
        return await self.ask(name, path, PROPERTIES, "Get", "ss", interface, member, urgent=urgent)

    async def process(self, name: str) -> int:
        """Return the process behind a name of the bus; 0 if it is gone."""
        found = await self.ask_bus("GetConnectionUnixProcessID", "s", name)
        return found if isinstance(found, int) else 0

    def know_process(self, name: str, pid: int) -> None:
        """Take what a program's answers cost from what the system says of its process, from now on."""
        self._threads[name] = MainThread(pid)

    def forget(self, name: str) -> None:
        """Forget a program that has ended."""
        self._budget.forget(name)
        thread = self._threads.pop(name, None)
        if thread is not None:
            thread.close()

    async def wait_closed(self) -> None:
        """Wait for the end of the connection, then raise `SourceGone`."""
        try:
            await asyncio.shield(self._closed)
        except LOST as fault:
            raise SourceGone from fault
        raise SourceGone

    def close(self) -> None:
        """Disconnect."""
        self._bus.disconnect()
        for thread in self._threads.values():
            thread.close()


def _retrieve(future: "asyncio.Future[None]") -> None:
    """Look at what a future that nobody waits for failed with, or asyncio would log it."""
    if not future.cancelled():
        future.exception()
