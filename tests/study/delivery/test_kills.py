"""Nothing is lost and nothing comes twice, whoever is killed and whichever disk is full."""

import os
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from participant.delivery.outbox import Outbox
from tests.fakes.studies.delivery.authority import Authority
from tests.fakes.studies.delivery.kills import TRUSTS_ACKNOWLEDGEMENTS, run_trial, start_sender, waiting
from tests.fakes.studies.delivery.stage import Stage, send, whole_chain

MANY_KILLS = int(os.environ.get("KAIROS_KILLS", "120"))


@pytest.fixture
def own_stage(tmp_path: Path, authority: Authority) -> Iterator[Stage]:
    """Yield a running broker and collector that this test alone uses, with four people."""
    stage = Stage(tmp_path / "own", people=4, authority=authority)
    try:
        stage.start()
        yield stage
    finally:
        stage.close()


def test_six_kills(own_stage: Stage) -> None:
    """Of broker, collector and senders; every parcel arrives once, in chains that are whole."""
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
    """The collector's and the broker's: no receipt before there is room again, and then every parcel arrives."""

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
