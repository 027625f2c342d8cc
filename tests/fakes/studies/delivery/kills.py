"""Kills broker, collector and senders at random moments while people pack and send, then lets all come to rest."""

import random
import subprocess
import time
from dataclasses import dataclass, field

from participant.delivery.outbox import Outbox, ParcelState
from tests.fakes.studies.delivery.people import Person
from tests.fakes.studies.delivery.stage import Stage, python, whole_chain

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
from participant.documents.statements import Receipt, ranges_of
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
delivery.take_answer = deaf
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
    """Start a sender of everything that is ready."""
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
    """Let whoever has no sender pack some parcels and start one."""
    for person in stage.people:
        sender = senders.get(person.id)
        if sender is None or sender.poll() is not None:
            end(senders.pop(person.id, None))
            person.pack(rng.randint(1, 12))
            senders[person.id] = start_sender(person, change)


def end(sender: subprocess.Popen[str] | None) -> None:
    """Wait for a sender and close its pipes."""
    if sender is not None:
        sender.communicate()


def waiting(person: Person) -> bool:
    """Whether something of somebody's was not received yet."""
    with Outbox(person.path) as outbox:
        return bool(outbox.parcels(ParcelState.READY))


def count(stage: Stage, trial: Trial) -> None:
    """Compare what was packed with what the collector has."""
    for person in stage.people:
        with Outbox(person.path) as outbox:
            packed = [(parcel.n, parcel.raw) for parcel in outbox.parcels()]
        collected = stage.collected(person)
        trial.packed += len(packed)
        trial.collected += len(collected)
        trial.lost += len({n for n, _ in packed} - {n for n, _ in collected})
        trial.whole &= whole_chain(collected)
        trial.equal &= packed == collected
