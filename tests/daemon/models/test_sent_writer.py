"""The writer of log and costs: nothing is sent unlogged, no loop waits for a disk, and both outlive the process."""

import asyncio
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.models.sent_writer import SentLogWriter
from detectors.mllm.client.spending import DailyBudget, local_day
from detectors.mllm.protocol import Body, Request
from detectors.mllm.questions import Pictures, Usage
from storage.clock import NS_PER_S, ManualClock, SystemClock
from storage.errors import EnvironmentFault
from storage.files import sent_file, state_file
from storage.sent.log import SentLog
from storage.sent.reader import SentLogReader
from storage.settings import ModelSettings, StorageSettings
from storage.state.models import ModelStateStore, Spending

WALL_NS = 1_795_000_000 * NS_PER_S
TODAY = local_day(WALL_NS)


def open_writer(session: Path | None = None) -> SentLogWriter:
    clock = ManualClock(wall_ns=WALL_NS)
    return SentLogWriter(clock=clock, settings=StorageSettings(), tier="strong", session=session)


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[SentLogWriter]:
    written = open_writer(tmp_path / "20261121-143002-9f3a")
    yield written
    written.close()


def request(seed: int = 1) -> Request:
    picture = Pictures().picture_of(bytes([seed]) * 1000)
    return Request(path="/chat", body=Body(parts=(b'{"WORDS":"', picture, b'"}')), headers={"X-Version": "1"})


async def begin(writer: SentLogWriter, sent: Request | None = None, purpose: str = "") -> str:
    return await writer.begin(
        sent or request(), endpoint="openai", address="https://models.example/v1", model="big", purpose=purpose
    )


def test_a_request_is_logged_before_it_may_be_sent(writer: SentLogWriter, tmp_path: Path) -> None:
    """When `begin` returns, another process can read it: to the byte, with its session, and still without an end."""
    sent = request()
    number = int(asyncio.run(begin(writer, sent)))
    with SentLog() as log:
        entry = SentLogReader(log).get(number)
        assert entry is not None
        assert (entry.outcome, entry.endpoint, entry.purpose) == (None, "openai", "strong")
        assert entry.session == str((tmp_path / "20261121-143002-9f3a").resolve())
        assert b"".join(SentLogReader(log).body(number)) == bytes(sent.body)
    writer.end(str(number), "ok", Usage(tokens_in=7, dollars=0.5))
    writer.close()
    with SentLog() as log:
        entry = SentLogReader(log).get(number)
        assert entry is not None
        assert (entry.outcome, entry.tokens_in, entry.dollars, entry.ended_wall_ns) == ("ok", 7, 0.5, WALL_NS)


@pytest.mark.parametrize("purpose", ["", "answer"])
@pytest.mark.parametrize("recording", [True, False])
def test_pictures_and_words_are_stored_with_the_recording_alone(tmp_path: Path, recording: bool, purpose: str) -> None:
    """Without it their digests are kept; the text of an estimate, which holds nobody's words, is stored."""
    clock = ManualClock(wall_ns=WALL_NS)
    written = SentLogWriter(
        clock=clock, settings=StorageSettings(), tier="strong", session=tmp_path, keeps_content=recording
    )
    number = int(asyncio.run(begin(written, purpose=purpose)))
    written.close()
    with SentLog() as log:
        (entry,) = SentLogReader(log).newest(2)
        assert (entry.number, entry.pictures, entry.kept) == (number, 1, recording)
        assert (b"\1" * 500 in sent_file().read_bytes()) is recording
        assert (b"WORDS" in sent_file().read_bytes()) is (recording or not purpose)


def test_nothing_is_sent_that_cannot_be_logged(writer: SentLogWriter) -> None:
    """A log that another program holds, or that is damaged, is a fault around us for the client: it sends nothing."""
    writer._log.connection.execute("PRAGMA busy_timeout = 1")
    other = sqlite3.connect(sent_file())
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(EnvironmentFault):
        asyncio.run(begin(writer))
    other.close()
    assert asyncio.run(begin(writer))  # the control
    sent_file().write_bytes(b"x" * sent_file().stat().st_size)
    with pytest.raises(EnvironmentFault):
        asyncio.run(begin(writer))


def test_the_event_loop_never_waits_for_the_disk(writer: SentLogWriter) -> None:
    """While another program holds the file for 0.2 s, the loop turns on; noting an end returns at once."""
    other = sqlite3.connect(sent_file(), isolation_level=None, check_same_thread=False)
    turns = 0

    async def busy() -> str:
        nonlocal turns
        writer.end(await begin(writer), "ok", Usage())
        other.execute("BEGIN EXCLUSIVE")
        asyncio.get_running_loop().call_later(0.2, lambda: other.execute("ROLLBACK"))
        waiting = asyncio.create_task(begin(writer, request(2)))
        while not waiting.done():
            writer.spend("strong", TODAY, calls=1, tokens=0, dollars=0.0)
            await asyncio.sleep(0.01)
            turns += 1
        return await waiting

    assert asyncio.run(busy())
    assert turns >= 5
    other.close()


def test_costs_count_at_once_and_outlive_the_process(writer: SentLogWriter) -> None:
    """A budget stops at its limit before anything is on disk, and a restart on the same day does not open it anew."""
    budget = DailyBudget("strong", ModelSettings(calls_per_day=3), writer)
    for _ in range(3):
        assert budget.allows(WALL_NS)
        budget.spend(Usage(calls=1, tokens_in=10, dollars=0.25), WALL_NS)
    assert not budget.allows(WALL_NS)
    assert writer.spent("strong", TODAY) == (3, 30, 0.75)
    writer.close()
    again = open_writer()
    try:
        assert again.spent("strong", TODAY) == (3, 30, 0.75)
        assert not DailyBudget("strong", ModelSettings(calls_per_day=3), again).allows(WALL_NS)
        tomorrow_ns = WALL_NS + 30 * 3600 * NS_PER_S
        assert DailyBudget("strong", ModelSettings(calls_per_day=3), again).allows(tomorrow_ns)
    finally:
        again.close()


def test_costs_that_cannot_be_written_still_count(writer: SentLogWriter) -> None:
    """A full disk is no way around a budget, as long as the process lives; after the end nothing is raised."""
    writer._state.close()
    writer._state = ModelStateStore(state_file())
    writer._state._database.execute("PRAGMA busy_timeout = 1")
    other = sqlite3.connect(state_file())
    other.execute("BEGIN EXCLUSIVE")
    writer.spend("strong", TODAY, calls=2, tokens=5, dollars=0.0)
    writer._thread.submit(lambda: None).result()
    assert writer.spent("strong", TODAY) == (2, 5, 0.0)
    other.close()
    writer.close()
    writer.spend("strong", TODAY, calls=1, tokens=0, dollars=0.0)
    writer.end("1", "ok", Usage())


def test_a_request_cancelled_while_it_is_logged_is_marked_as_such(writer: SentLogWriter) -> None:
    """A newer picture came while the entry was being written: it never left, and says so."""
    other = sqlite3.connect(sent_file(), isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")

    async def give_up() -> None:
        task = asyncio.create_task(begin(writer))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        other.execute("ROLLBACK")

    asyncio.run(give_up())
    writer.close()
    other.close()
    with SentLog() as log:
        assert [entry.outcome for entry in SentLogReader(log).newest(5)] == ["cancelled"]


def test_costs_of_other_processes_are_known_after_our_next_one(writer: SentLogWriter) -> None:
    """A benchmark beside a running Kairos counts against the same limits."""
    with ModelStateStore(state_file()) as other:
        other.add_spending("strong", TODAY, Spending(calls=40))
    writer.spend("strong", TODAY, calls=1, tokens=0, dollars=0.0)
    for _ in range(200):
        if writer.spent("strong", TODAY)[0] == 41:
            break
        SystemClock().sleep_s(0.01)
    assert writer.spent("strong", TODAY) == (41, 0, 0.0)
