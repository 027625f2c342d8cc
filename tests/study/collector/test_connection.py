"""Collectors at a real broker: what a killed one had not signed for, the other one stores."""

import asyncio
import contextlib
import json
import os
import signal
import ssl
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import aiomqtt
import pytest

from participant.delivery.outbox import Outbox
from participant.documents.statements import MAX_NUMBER, Receipt, ResendRequest, read_closing, read_statement
from storage.clock import DAY_NS
from storage.errors import EnvironmentFault
from study.collector.store import FILE, CollectorReader, abandoned_place, take_place
from study.opening.deletion import close_study
from tests.fakes.narrowing import present
from tests.fakes.studies.delivery.people import Person
from tests.fakes.studies.delivery.stage import Stage, python

READY = "collecting at"
AT_ONCE = 60
"""Connections of people at a time."""


@contextlib.contextmanager
def broker(stage: Stage) -> Iterator[None]:
    stage.broker.start()
    try:
        yield
    finally:
        stage.close()


class CollectorProcess:
    """`kairos study collect` as people run it."""

    def __init__(self, stage: Stage, *more: str, change: str = "") -> None:
        words = ["study", "collect", str(stage.study.path), "--data", str(stage.data), "--json", *more]
        code = "import sys; from daemon.cli.main import main"
        if change:
            code = f"{code}; from study.collector import connection\n{change}"
        code = f"{code}\nsys.exit(main({words!r}))"
        self._process = python("-c", code)
        line = ""
        while READY not in line:
            line = present(self._process.stderr).readline()
            assert line, "the collector has ended"
        self._start_cpu_s = self.cpu_s()

    def cpu_s(self) -> float:
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def cpu_since_start_s(self) -> float:
        return self.cpu_s() - self._start_cpu_s

    def peak_mb(self) -> float:
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1000

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.communicate()

    def end(self) -> str:
        self._process.terminate()
        out = self._process.communicate(timeout=30)[0]
        assert self._process.returncode == 0
        return out


class Sending:
    """Sends somebody's parcels again until they are signed for."""

    def __init__(self, person: Person, parcels: int) -> None:
        self._person = person
        if parcels:
            person.pack(parcels)
        with Outbox(person.path) as outbox:
            self._raw = [parcel.raw for parcel in outbox.parcels()]
        self.waiting = set(range(parcels))

    async def send(self, limit: asyncio.Semaphore) -> None:
        while self.waiting:
            async with limit:
                with contextlib.suppress(aiomqtt.MqttError, TimeoutError):
                    async with self.client() as client:
                        await self._send_once(client)

    async def _send_once(self, client: aiomqtt.Client) -> None:
        topics, who, key = self._person.address().topics, self._person.id, self._person.address().receipts_key
        await client.subscribe(topics.down(who), qos=1)
        await self.publish(client, sorted(self.waiting))
        async with asyncio.timeout(3):
            async for message in client.messages:
                raw = bytes(message.payload)
                if raw.startswith(b"KAIROS-RECEIPT"):
                    receipt = read_statement(raw, Receipt, study="first", participant=who, key=key)
                    self.waiting -= {n for n in self.waiting if receipt.covers(n)}
                if not self.waiting:
                    return

    async def publish(self, client: aiomqtt.Client, numbers: Iterable[int]) -> None:
        for n in numbers:
            await client.publish(self._person.address().topics.up(self._person.id), self._raw[n], qos=1)

    def client(self) -> aiomqtt.Client:
        address = self._person.address()
        return aiomqtt.Client(
            address.host,
            address.port,
            username=address.participant,
            password=address.password,
            protocol=aiomqtt.ProtocolVersion.V5,
            tls_context=ssl.create_default_context(cadata=address.ca),
        )


def send_all(stage: Stage, parcels: int, *, at_half: CollectorProcess | None) -> float:
    """Let everybody send; kill a collector when half of the people are through. Return the seconds it took."""
    people = [Sending(person, parcels) for person in stage.people]

    async def send() -> None:
        limit = asyncio.Semaphore(AT_ONCE)
        tasks = [asyncio.create_task(person.send(limit)) for person in people]
        if at_half is not None:
            for done, task in enumerate(asyncio.as_completed(tasks), 1):
                await task
                if done == len(tasks) // 2:
                    at_half.kill()
        else:
            await asyncio.gather(*tasks)

    start = time.monotonic()  # noqa: TID251  # printed, not asserted
    asyncio.run(send())
    return time.monotonic() - start  # noqa: TID251  # another process is waited for


def counted(stage: Stage) -> Counter[tuple[str, int]]:
    with contextlib.closing(CollectorReader(stage.data / FILE)) as reader:
        return Counter((parcel.participant, parcel.n) for parcel in reader.parcels())


def test_two_collectors_lose_nothing_when_one_is_killed(tmp_path: Path) -> None:
    """All are signed for and stored once, with the configuration that `kairos study broker` writes."""
    stage = Stage(tmp_path, people=12)
    with broker(stage):
        first, second = CollectorProcess(stage), CollectorProcess(stage)
        send_all(stage, 3, at_half=first)
        out = second.end()
    assert '"stored"' in out
    expected = {(person.id, n): 1 for person in stage.people for n in range(3)}
    assert counted(stage) == expected


@pytest.mark.parametrize("takes_over", [True, False])
def test_what_a_killed_collector_was_given_comes_by_the_other(tmp_path: Path, *, takes_over: bool) -> None:
    """Each parcel is sent once and nobody sends again: all are stored. The control: left alone, a share stays away."""
    stage = Stage(tmp_path, people=6)
    people = [Sending(person, 6) for person in stage.people]
    change = "connection.HOUSEKEEPING_S = connection.LEFTOVER_S = 0.5" if takes_over else ""

    def arrived(numbers: range, wait_s: float) -> int:
        deadline = time.monotonic() + wait_s  # noqa: TID251  # another process stores them
        while (found := sum(n in numbers for _, n in counted(stage))) < 6 * len(numbers):
            if time.monotonic() > deadline:  # noqa: TID251  # another process is waited for
                break
            time.sleep(0.05)  # noqa: TID251  # another process is waited for
        return found

    with broker(stage):
        first, second = CollectorProcess(stage), CollectorProcess(stage, change=change)
        asyncio.run(send_once(people, range(1)))
        assert arrived(range(1), 20) == 6
        second.signal(signal.SIGSTOP)
        first.kill()
        asyncio.run(send_once(people, range(1, 4)))  # each session is given its share
        second.signal(signal.SIGCONT)
        if takes_over:
            assert arrived(range(1, 4), 20) == 18
            asyncio.run(send_once(people, range(4, 6)))  # nothing is kept for the killed one any more
            assert arrived(range(4, 6), 20) == 12
        else:
            assert 0 < arrived(range(1, 4), 3) < 18
        second.end()
    assert set(counted(stage).values()) == {1}
    with abandoned_place(stage.data, most=2) as number:
        assert number == (2 if takes_over else 1)


async def send_once(people: list[Sending], numbers: range) -> None:
    for person in people:
        async with person.client() as client:
            await person.publish(client, numbers)


def test_a_restored_collector_asks_those_who_are_away(tmp_path: Path) -> None:
    stage = Stage(tmp_path, people=1)
    with broker(stage):
        CollectorProcess(stage, "--restored").end()
        (person,) = stage.people

        async def listen() -> bytes:
            async with asyncio.timeout(10), Sending(person, 0).client() as client:
                await client.subscribe(person.address().topics.down(person.id), qos=1)
                return bytes((await anext(client.messages)).payload)

        raw = asyncio.run(listen())
    key = person.address().receipts_key
    request = read_statement(raw, ResendRequest, study="first", participant=person.id, key=key)
    assert request.ranges == ((0, MAX_NUMBER),)


def test_the_signed_end_of_a_study_reaches_whoever_takes_part(tmp_path: Path) -> None:
    stage = Stage(tmp_path, people=1)
    (person,) = stage.people

    async def listen(seconds: float) -> bytes | None:
        async with Sending(person, 0).client() as client:
            await client.subscribe("kairos/v1/first/closing", qos=1)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    return bytes((await anext(client.messages)).payload)
        return None

    with broker(stage):
        collector = CollectorProcess(stage, change="connection.HOUSEKEEPING_S = 0.2")
        path, _ = close_study(stage.study, wall_ns=20_000 * DAY_NS)
        whole = path.read_bytes()
        path.write_bytes(whole[:-1])
        asyncio.run(send_once([Sending(person, 1)], range(1)))  # a damaged one ends no collecting
        path.write_bytes(whole)
        raw = asyncio.run(listen(20))
        collector.end()
        assert asyncio.run(listen(20)) == raw
    assert read_closing(present(raw), study="first", key=person.invited.bundle.plan.signing_key).date == 20_000


def test_collectors_on_one_folder_take_places_of_their_own(tmp_path: Path) -> None:
    """The lowest that is free, so that the broker knows a restarted one again; no more than fit."""
    third = take_place(tmp_path, most=2)
    with take_place(tmp_path, most=2) as one:
        with take_place(tmp_path, most=2) as two:
            assert (one, two) == (1, 2)
            with pytest.raises(EnvironmentFault, match="2 collectors are running"):
                third.__enter__()
        with take_place(tmp_path, most=2) as again:
            assert again == 2


@pytest.mark.slow
def test_a_thousand_people_two_collectors_and_one_killed(tmp_path: Path) -> None:
    """Nothing is lost, in at most 60 MB. Simulated, on this machine's loopback interface.

    At most 0.6 ms of CPU a parcel.
    """
    people, parcels = 1_000, 3
    stage = Stage(tmp_path, people=people)
    with broker(stage):
        first, second = CollectorProcess(stage), CollectorProcess(stage)
        took_s = send_all(stage, parcels, at_half=first)
        found = counted(stage)
        cpu_s, peak_mb = second.cpu_since_start_s(), second.peak_mb()
        out = second.end()
    facts = json.loads(out)
    handled = facts["stored"] + facts["repeated"] + sum(facts["refused"].values())
    print(
        f"{people} people, {people * parcels} parcels in {took_s:.0f} s; the collector that stayed: {handled} parcels,"
        f" {1e3 * cpu_s / handled:.2f} ms of CPU each, {peak_mb:.0f} MB; {facts}"
    )
    assert len(found) == people * parcels
    assert set(found.values()) == {1}
    assert peak_mb <= 60
    assert cpu_s / handled <= 0.6e-3
