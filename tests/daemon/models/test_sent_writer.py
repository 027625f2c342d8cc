"""What keeps the log and the costs: nothing leaves unwritten, no loop waits for a disk, and both outlive us."""

import asyncio
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.models.sent_writer import SentLogWriter
from detectors.mllm.client.spending import DailyBudget, local_day
from detectors.mllm.pictures import Pictures
from detectors.mllm.protocol import Body, Request
from detectors.mllm.questions import Usage
from storage.clock import NS_PER_S, ManualClock, SystemClock
from storage.errors import EnvironmentFault
from storage.paths import sent_file, state_file
from storage.sent.log import SentLog
from storage.sent.reader import SentEntries
from storage.settings import ModelSettings, StorageSettings
from storage.state.models import ModelState, Spent

WALL_NS = 1_795_000_000 * NS_PER_S
TODAY = local_day(WALL_NS)


def keeper(session: Path | None = None) -> SentLogWriter:
    """Return a keeper of the strong model's in the test's own folders."""
    clock = ManualClock(wall_ns=WALL_NS)
    return SentLogWriter(clock=clock, settings=StorageSettings(), rung="strong", session=session)


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[SentLogWriter]:
    """Give a keeper of a session, closed at the end."""
    made = keeper(tmp_path / "20261121-143002-9f3a")
    yield made
    made.close()


def request(seed: int = 1) -> Request:
    """Return a request with a picture in it."""
    picture = Pictures().picture_of(bytes([seed]) * 1000)
    return Request(path="/chat", body=Body(parts=(b'{"a":"', picture, b'"}')), headers={"X-Version": "1"})


async def begin(kept: SentLogWriter, sent: Request | None = None) -> str:
    """Begin a request as the client of a server does."""
    return await kept.begin(sent or request(), endpoint="openai", address="https://models.example/v1", model="big")


def test_a_request_is_written_before_it_may_leave(kept: SentLogWriter, tmp_path: Path) -> None:
    """When `begin` returns, another process can read it: to the byte, with its session, and still without an end."""
    sent = request()
    number = int(asyncio.run(begin(kept, sent)))
    with SentLog() as log:
        entry = SentEntries(log).one(number)
        assert entry is not None
        assert (entry.outcome, entry.endpoint, entry.purpose) == (None, "openai", "strong")
        assert entry.session == str((tmp_path / "20261121-143002-9f3a").resolve())
        assert b"".join(SentEntries(log).body(number)) == bytes(sent.body)
    kept.end(str(number), "ok", Usage(tokens_in=7, dollars=0.5))
    kept.close()
    with SentLog() as log:
        entry = SentEntries(log).one(number)
        assert entry is not None
        assert (entry.outcome, entry.tokens_in, entry.dollars, entry.ended_wall_ns) == ("ok", 7, 0.5, WALL_NS)


@pytest.mark.parametrize("recording", [True, False])
def test_pictures_are_kept_with_the_recording_alone(tmp_path: Path, recording: bool) -> None:
    """The journal promises no pictures: without the recording their digests are kept."""
    clock = ManualClock(wall_ns=WALL_NS)
    made = SentLogWriter(
        clock=clock, settings=StorageSettings(), rung="strong", session=tmp_path, keeps_pictures=recording
    )
    number = int(asyncio.run(begin(made)))
    made.close()
    with SentLog() as log:
        (entry,) = SentEntries(log).last(2)
        assert (entry.number, entry.pictures, entry.pictures_kept) == (number, 1, recording)
        assert (b"\1" * 500 in sent_file().read_bytes()) is recording


def test_nothing_leaves_that_cannot_be_written(kept: SentLogWriter) -> None:
    """A log that another program holds, or that is damaged, is a fault around us for the client: it sends nothing."""
    kept._log.connection.execute("PRAGMA busy_timeout = 1")
    other = sqlite3.connect(sent_file())
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(EnvironmentFault):
        asyncio.run(begin(kept))
    other.close()
    assert asyncio.run(begin(kept))  # the control
    sent_file().write_bytes(b"x" * sent_file().stat().st_size)
    with pytest.raises(EnvironmentFault):
        asyncio.run(begin(kept))


def test_the_event_loop_never_waits_for_the_disk(kept: SentLogWriter) -> None:
    """While another program holds the file for 0.2 s, the loop turns on; noting an end returns at once."""
    other = sqlite3.connect(sent_file(), isolation_level=None, check_same_thread=False)
    turns = 0

    async def busy() -> str:
        nonlocal turns
        kept.end(await begin(kept), "ok", Usage())
        other.execute("BEGIN EXCLUSIVE")
        asyncio.get_running_loop().call_later(0.2, lambda: other.execute("ROLLBACK"))
        waiting = asyncio.create_task(begin(kept, request(2)))
        while not waiting.done():
            kept.spend("strong", TODAY, calls=1, tokens=0, dollars=0.0)
            await asyncio.sleep(0.01)
            turns += 1
        return await waiting

    assert asyncio.run(busy())
    assert turns >= 5
    other.close()


def test_a_request_given_up_while_it_is_written_is_noted_as_such(kept: SentLogWriter) -> None:
    """A newer picture came while the entry was being written: it never left, and says so."""
    other = sqlite3.connect(sent_file(), isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")

    async def give_up() -> None:
        task = asyncio.create_task(begin(kept))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        other.execute("ROLLBACK")

    asyncio.run(give_up())
    kept.close()
    other.close()
    with SentLog() as log:
        assert [entry.outcome for entry in SentEntries(log).last(5)] == ["cancelled"]


def test_costs_count_at_once_and_outlive_the_process(kept: SentLogWriter) -> None:
    """A budget stops at its limit before anything is on disk, and a restart on the same day does not open it anew."""
    budget = DailyBudget("strong", ModelSettings(calls_per_day=3), kept)
    for _ in range(3):
        assert budget.allows(WALL_NS)
        budget.spend(Usage(calls=1, tokens_in=10, dollars=0.25), WALL_NS)
    assert not budget.allows(WALL_NS)
    assert kept.spent("strong", TODAY) == (3, 30, 0.75)
    kept.close()
    again = keeper()
    try:
        assert again.spent("strong", TODAY) == (3, 30, 0.75)
        assert not DailyBudget("strong", ModelSettings(calls_per_day=3), again).allows(WALL_NS)
        tomorrow_ns = WALL_NS + 30 * 3600 * NS_PER_S
        assert DailyBudget("strong", ModelSettings(calls_per_day=3), again).allows(tomorrow_ns)
    finally:
        again.close()


def test_what_others_spend_comes_with_our_next_cost(kept: SentLogWriter) -> None:
    """A benchmark beside a running Kairos counts against the same limits."""
    with ModelState(state_file()) as other:
        other.spend("strong", TODAY, Spent(calls=40))
    kept.spend("strong", TODAY, calls=1, tokens=0, dollars=0.0)
    for _ in range(200):
        if kept.spent("strong", TODAY)[0] == 41:
            break
        SystemClock().sleep_s(0.01)
    assert kept.spent("strong", TODAY) == (41, 0, 0.0)


def test_costs_that_cannot_be_written_still_count(kept: SentLogWriter) -> None:
    """A full disk is no way around a budget, as long as the process lives; after the end nothing is raised."""
    kept._state.close()
    kept._state = ModelState(state_file())
    kept._state._database.execute("PRAGMA busy_timeout = 1")
    other = sqlite3.connect(state_file())
    other.execute("BEGIN EXCLUSIVE")
    kept.spend("strong", TODAY, calls=2, tokens=5, dollars=0.0)
    kept._thread.submit(lambda: None).result()
    assert kept.spent("strong", TODAY) == (2, 5, 0.0)
    other.close()
    kept.close()
    kept.spend("strong", TODAY, calls=1, tokens=0, dollars=0.0)
    kept.end("1", "ok", Usage())
