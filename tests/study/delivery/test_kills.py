"""Nothing is lost and nothing comes twice, whoever is killed and whichever disk is full."""

import os
import random
import resource
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from participant.delivery.outbox import Outbox, ParcelState
from tests.fakes.studies.delivery.authority import Authority
from tests.fakes.studies.delivery.people import Person
from tests.fakes.studies.delivery.stage import Stage, python, running, send, whole_chain

IMPATIENT = """
import sys
from participant.delivery import sender as delivery
from participant.delivery.sender import main
delivery.RECEIPT_S = delivery.NOTICE_S = 1.0
{change}
sys.argv = ["send", sys.argv[1], "--all"]
sys.exit(main())
"""
"""A sender that waits a second for a receipt: a trial is to end."""

TRUSTS_ACKNOWLEDGEMENTS = """
from participant.delivery import answers
from participant.documents.statements import Receipt
from study.researcher.documents import ranges_of
real = delivery._Session._publish
async def publish(self, parcels, result):
    await real(self, parcels, result)
    ranges = ranges_of(n for n, _ in parcels)
    who = {"study": self._address.study, "participant": self._address.participant}
    self._outbox.receive(Receipt(**who, ranges=ranges, last=bytes(32)))
    result.received += len(parcels)
    self._awaited.clear()
delivery._Session._publish = publish
def deaf(*arguments):
    raise delivery.BadFile("listens to nobody")
answers.take_answer = deaf
"""
"""The control: what the broker acknowledged counts as received, and the collector is not listened to."""


@dataclass(slots=True)
class Trial:
    """What came of one: parcels packed and collected, numbers lost, and who was killed how often."""

    packed: int = 0
    collected: int = 0
    lost: int = 0
    whole: bool = True
    equal: bool = True
    kills: dict[str, int] = field(default_factory=lambda: {"broker": 0, "collector": 0, "sender": 0})


def start_sender(person: Person, change: str = "") -> subprocess.Popen[str]:
    return python("-c", IMPATIENT.format(change=change), str(person.path))


def run_trial(stage: Stage, *, kills: int, seed: int, change: str = "", rest_s: float = 180.0) -> Trial:
    """Pack, send and kill; afterwards everybody sends until nothing waits, within `rest_s` seconds."""
    rng = random.Random(seed)
    trial = Trial()
    senders: dict[str, subprocess.Popen[str]] = {}
    try:
        victims = [("broker", "collector", "sender")[place % 3] for place in range(kills)]
        rng.shuffle(victims)
        for victim in victims:
            until = time.monotonic() + rng.uniform(0.0, 0.6)  # noqa: TID251  # kills come at random moments
            keep_sending(stage, senders, rng, change)  # however short that is, there is somebody to kill
            while time.monotonic() < until:  # noqa: TID251  # processes are killed in real time
                keep_sending(stage, senders, rng, change)
                time.sleep(0.01)  # noqa: TID251  # processes are killed in real time
            trial.kills[victim] += 1
            if victim == "broker":
                stage.broker.kill()
                stage.broker.start()
            elif victim == "collector":
                stage.kill_collector()
                stage.start_collector()
            else:
                rng.choice(list(senders.values())).kill()
        until = time.monotonic() + rest_s  # noqa: TID251  # processes are killed in real time
        while any(waiting(person) for person in stage.people) and time.monotonic() < until:  # noqa: TID251  # processes are killed in real time
            for person in stage.people:
                if waiting(person) and (person.id not in senders or senders[person.id].poll() is not None):
                    end(senders.pop(person.id, None))
                    senders[person.id] = start_sender(person, change)
            time.sleep(0.05)  # noqa: TID251  # processes are killed in real time
    finally:
        for sender in senders.values():
            end(sender)
    count(stage, trial)
    return trial


def keep_sending(stage: Stage, senders: dict[str, subprocess.Popen[str]], rng: random.Random, change: str) -> None:
    for person in stage.people:
        sender = senders.get(person.id)
        if sender is None or sender.poll() is not None:
            end(senders.pop(person.id, None))
            person.pack(rng.randint(1, 12))
            senders[person.id] = start_sender(person, change)


def end(sender: subprocess.Popen[str] | None) -> None:
    if sender is not None:
        sender.communicate()


def waiting(person: Person) -> bool:
    with Outbox(person.path) as outbox:
        return bool(outbox.parcels(ParcelState.READY))


def count(stage: Stage, trial: Trial) -> None:
    for person in stage.people:
        with Outbox(person.path) as outbox:
            packed = [(parcel.n, parcel.raw) for parcel in outbox.parcels()]
        collected = stage.collected(person)
        trial.packed += len(packed)
        trial.collected += len(collected)
        trial.lost += len({n for n, _ in packed} - {n for n, _ in collected})
        trial.whole &= whole_chain(collected)
        trial.equal &= packed == collected


MANY_KILLS = int(os.environ.get("KAIROS_KILLS", "120"))


@pytest.fixture
def own_stage(tmp_path: Path, authority: Authority) -> Iterator[Stage]:
    with running(Stage(tmp_path / "own", people=4, authority=authority)) as stage:
        yield stage


def test_six_kills(own_stage: Stage) -> None:
    del own_stage.people[2:]
    trial = run_trial(own_stage, kills=6, seed=6)
    assert set(trial.kills.values()) == {2}
    assert trial.packed >= 2
    assert (trial.lost, trial.collected, trial.whole, trial.equal) == (0, trial.packed, True, True)


@pytest.mark.slow
def test_many_kills(own_stage: Stage) -> None:
    """The same with 120 kills; `KAIROS_KILLS` sets how many."""
    trial = run_trial(own_stage, kills=MANY_KILLS, seed=120, rest_s=300)
    print(trial)
    assert sum(trial.kills.values()) == MANY_KILLS
    assert (trial.lost, trial.collected, trial.whole, trial.equal) == (0, trial.packed, True, True)


@pytest.mark.slow
def test_many_kills_lose_where_acknowledgements_are_trusted(own_stage: Stage) -> None:
    """The control of the trial above: the same kills, and a sender that believes the broker."""
    trial = run_trial(own_stage, kills=40, seed=120, change=TRUSTS_ACKNOWLEDGEMENTS)
    print(trial)
    assert trial.lost > 0


def test_what_a_killed_broker_acknowledged_is_gone(tmp_path: Path, authority: Authority) -> None:
    """With mosquitto's own settings: who believed it (the control) has lost all of it, and we have lost nothing."""
    stage = Stage(tmp_path / "own", people=2, authority=authority, autosave_s=1800)
    honest, trusting = stage.people
    try:
        stage.broker.start()
        senders = []
        for person, change in ((honest, ""), (trusting, TRUSTS_ACKNOWLEDGEMENTS)):
            person.pack(20)
            senders.append(start_sender(person, change))  # both wait for a receipt that nobody sends
        assert ['"sent": 20' in sender.communicate()[0] for sender in senders] == [True, True]
        stage.broker.kill()
        stage.start()
        assert [waiting(person) for person in stage.people] == [True, False]
        for person in stage.people:
            send(person, "--all")
        assert [len(stage.collected(person)) for person in stage.people] == [20, 0]
    finally:
        stage.close()


@pytest.mark.slow
def test_full_disks_lose_nothing(own_stage: Stage) -> None:
    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (120_000, 120_000))

    person = own_stage.people[0]
    person.pack(3)
    assert send(person).json["received"] == 3
    own_stage.close()
    own_stage.broker.start(preexec_fn=no_room)
    own_stage.start_collector(preexec_fn=no_room)
    person.pack(250)
    sender = start_sender(person)
    sender.communicate()
    with Outbox(person.path) as outbox:
        received = sum(parcel.state == "received" for parcel in outbox.parcels())
    own_stage.close()
    assert 3 <= received < 253
    assert len(own_stage.collected(person)) >= received
    own_stage.start()
    sent = send(person, "--all")
    assert sent.code == 0, sent.out
    collected = own_stage.collected(person)
    assert len(collected) == 253
    assert whole_chain(collected)
