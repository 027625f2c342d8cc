"""Questions over one connection: who is late, who hangs, and who only had no processor."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from dbus_fast import Message

from daemon.capture.accessibility.atspi.budget import STRIKES, AnswerBudget
from daemon.capture.accessibility.atspi.connection import Connection, Unanswered, _Question
from daemon.capture.accessibility.atspi.protocol import ACCESSIBLE
from daemon.capture.programs.processes import MainThread
from daemon.capture.source_thread import SourceGone
from storage.clock import NS_PER_S, SystemClock
from tests.fakes.accessibility.atspi import FakeProgram, Limits, Node, Role, until
from tests.fakes.accessibility.private_bus import address_in, private_bus

QUESTION = ("/button", ACCESSIBLE, "GetRole")


@dataclass
class Stage:
    """A connection, the accounts of programs, and one program."""

    connection: Connection
    budget: AnswerBudget
    program: FakeProgram

    @property
    def is_busy(self) -> bool:
        return self.budget.is_busy(self.program.name)

    async def ask(self, *, urgent: bool = False) -> object:
        return await self.connection.ask(self.program.name, *QUESTION, urgent=urgent)


@pytest.fixture
def stage(tmp_path: Path, limits: Limits) -> AbstractAsyncContextManager[Stage]:
    """Return a connection to a bus with one program; who hangs does so within a fraction of a second."""
    limits("connection", ANSWER_S=0.05, URGENT_S=0.1, PATIENCE_S=0.05, HUNG_S=0.1)
    limits("budget", FIRST_REST_NS=1)

    @asynccontextmanager
    async def connect() -> AsyncIterator[Stage]:
        with private_bus(tmp_path) as daemon:
            address, budget = address_in(tmp_path), AnswerBudget()
            async with FakeProgram(address, {"/button": Node(Role.BUTTON)}) as program:
                connection = await Connection.open(address, SystemClock(), budget)
                connection.know_process(program.name, os.getpid())
                try:
                    yield Stage(connection, budget, program)
                finally:
                    connection.close()
                    daemon.kill()

    return connect()


@pytest.mark.parametrize("urgent", [True, False])
async def test_a_late_answer_is_an_answer_and_nothing_else_is_asked_until_it_is_there(
    stage: Stage, limits: Limits, *, urgent: bool
) -> None:
    """A busy machine makes every answer late; only who asked waits for it, for a password field as well."""
    limits("connection", HUNG_S=60.0, PATIENCE_S=60.0)
    stage.program.late["/button", "GetRole"] = 2.0
    asking = asyncio.create_task(stage.ask(urgent=urgent))
    await until(lambda: stage.is_busy, "being late")
    with pytest.raises(Unanswered):
        await stage.ask()
    assert len(stage.program.asked) == 1
    assert await asking == Role.BUTTON
    assert not stage.is_busy
    stage.program.late.clear()
    assert await stage.ask() == Role.BUTTON


@pytest.mark.parametrize("waits", [True, False])
async def test_a_program_without_a_processor_gets_no_strike(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, limits: Limits, *, waits: bool
) -> None:
    """It may answer much later; one that could have answered hangs (the control)."""
    clock = SystemClock()
    monkeypatch.setattr(MainThread, "times", lambda _: (0, clock.now_ns() if waits else 0))
    limits("connection", PATIENCE_S=0.01)
    stage.program.hangs = True
    for _ in range(STRIKES):
        with pytest.raises(Unanswered):
            await stage.ask()
        if not waits:
            await until(lambda: not stage.is_busy, "giving up")
    await asyncio.sleep(0.3)
    left_alone = stage.budget.left_alone(clock.now_ns())
    assert left_alone == ([] if waits else [stage.program.name])
    assert len(stage.program.asked) == (1 if waits else STRIKES)


async def test_a_program_that_never_answers_hangs_whatever_it_does(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, limits: Limits
) -> None:
    """One that computes without end is not waited for without end."""
    clock = SystemClock()
    monkeypatch.setattr(MainThread, "times", lambda _: (clock.now_ns(), 0))
    limits("connection", LONGEST_S=0.4)
    stage.program.hangs = True
    with pytest.raises(Unanswered):
        await stage.ask(urgent=True)
    assert stage.is_busy
    await until(lambda: not stage.is_busy, "giving up")


async def test_what_was_asked_on_a_connection_that_broke_holds_up_nothing(stage: Stage, limits: Limits) -> None:
    """Nobody will answer it, and the program may be there still."""
    limits("connection", HUNG_S=60.0)
    stage.program.hangs = True
    with pytest.raises(Unanswered):
        await asyncio.wait_for(stage.ask(urgent=True), 5.0)
    assert stage.is_busy
    stage.connection.close()
    await until(lambda: not stage.is_busy, "the end")


async def test_a_program_is_late_until_it_answers_who_no_longer_waits(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, limits: Limits
) -> None:
    """Whoever gives up in the moment of the answer (the control) leaves nobody late."""
    limits("connection", HUNG_S=60.0, URGENT_S=60.0)
    stage.program.late["/button", "GetRole"] = 1.5
    asking = asyncio.create_task(stage.ask(urgent=True))
    await until(lambda: stage.program.asked, "the question")
    asking.cancel()
    await until(lambda: stage.is_busy, "being late")
    await until(lambda: not stage.is_busy, "the answer")

    take = _Question.end

    def cancel_and_take(question: _Question, reply: Message | None) -> None:
        asking.cancel()
        take(question, reply)

    monkeypatch.setattr(_Question, "end", cancel_and_take)
    asking = asyncio.create_task(stage.ask(urgent=True))
    await asyncio.wait({asking}, timeout=5.0)
    assert asking.cancelled()
    assert not stage.is_busy


async def test_a_question_on_a_connection_that_breaks_fails_at_once(stage: Stage, limits: Limits) -> None:
    """And so is who asks afterwards."""
    limits("connection", URGENT_S=60.0)
    stage.program.hangs = True
    asking = asyncio.create_task(stage.ask(urgent=True))
    await until(lambda: stage.program.asked, "the question")
    stage.connection.close()
    with pytest.raises(SourceGone):
        await asyncio.wait_for(asking, 5.0)
    with pytest.raises(SourceGone):
        await asyncio.wait_for(stage.ask(urgent=True), 5.0)


async def test_a_service_that_does_not_answer_is_gone(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that answers (the control), and one that refuses, are there."""
    monkeypatch.setattr("daemon.capture.dbus.ANSWER_S", 0.5)
    assert await stage.connection.ask_service((stage.program.name, *QUESTION)) == Role.BUTTON
    stage.program.refused = {"GetRole"}
    assert await stage.connection.ask_service((stage.program.name, *QUESTION)) is None
    stage.program.hangs = True
    with pytest.raises(SourceGone):
        await asyncio.wait_for(stage.connection.ask_service((stage.program.name, *QUESTION)), 5.0)


def test_what_the_system_says_of_a_thread_grows_with_its_work() -> None:
    """And of a process that is gone, or of none, it says nothing."""
    thread = MainThread(os.getpid())
    before = thread.times()
    assert before is not None
    ran_ns = 0
    for _ in range(1000):  # the system counts in steps of its own
        sum(range(100_000))
        after = thread.times()
        assert after is not None
        ran_ns = after[0] - before[0]
        if ran_ns:
            break
    assert 0 < ran_ns < 60 * NS_PER_S
    thread.close()
    thread.close()
    assert thread.times() is None
    assert MainThread(0).times() is None
    assert MainThread(2**22 + 1).times() is None
