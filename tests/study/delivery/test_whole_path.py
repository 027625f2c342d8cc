"""From joining to the first receipt and from leaving to the signed deletion, by the commands that people run."""

import contextlib
from collections.abc import Callable
from pathlib import Path

from participant.delivery.outbox import BUNDLE, DELETION, Outbox
from participant.membership.folder import joined_folder
from storage.clock import SystemClock
from study.collector.store import FILE, CollectorReader
from tests.fakes.commands.command_line import Answer
from tests.fakes.studies.delivery.people import Person
from tests.fakes.studies.delivery.stage import Stage

MINUTE_NS = 60 * 10**9


def invitation_of(stage: Stage, person: Person) -> Path:
    (path,) = (stage.study.path / "invitations").glob(f"*-{person.id}.kairos-invitation")
    return path


def test_join_send_leave(stage: Stage, person: Person, run: Callable[..., Answer]) -> None:
    clock = SystemClock()
    began = clock.now_ns()
    joined = run("join", invitation_of(stage, person), "--agree", "aggregates,questions", "--mode", "daily")
    assert joined.code == 0, joined.err
    sent = run("work", "--now", "--json")
    first_ns = clock.now_ns() - began
    assert (sent.code, sent.json["said"]) == (0, ["first: 1 parcel sent, 1 received"]), sent.err
    assert [n for n, _ in stage.collected(person)] == [0]
    assert run("work", "--now").out.splitlines() == ["sent from: first", "first: 0 parcels sent, 0 received"]
    began = clock.now_ns()
    assert run("leave").code == 0
    said = run("work", "--now", "--json")
    with Outbox(joined_folder("first").outbox) as outbox:
        assert outbox.statement(DELETION), said
    deleted_ns = clock.now_ns() - began
    assert stage.collected(person) == []
    with contextlib.closing(CollectorReader(stage.data / FILE)) as reader:
        (left,) = (participant for participant in reader.participants() if participant.participant == person.id)
    assert left.deletion is not None
    assert max(first_ns, deleted_ns) < MINUTE_NS
    print(f"join to first receipt {first_ns / 1e9:.1f} s, leave to signed deletion {deleted_ns / 1e9:.1f} s")


def test_the_same_by_files(stage: Stage, person: Person, run: Callable[..., Answer], tmp_path: Path) -> None:
    run("join", invitation_of(stage, person), "--agree", "aggregates", "--mode", "daily")
    data, study = tmp_path / "data", stage.study.path
    parcels, receipts = tmp_path / "mine.kairos-parcels", tmp_path / "mine.kairos-receipts"
    packed = {"file": str(parcels), "parcels": 1, "withdrawal": False, "left": 0}
    assert run("pack", "--out", parcels, "--json").json == packed
    taken = run("receive-parcels", parcels, "--into", study, "--data", data, "--json")
    assert (taken.code, taken.json["stored"], taken.json["receipts"]) == (0, 1, str(receipts))
    back = run("receive", receipts, "--json")
    assert (back.code, back.json["received"], back.json["refused"]) == (0, 1, 0)
    assert run("pack", "--out", tmp_path / "more").code == 2
    assert run("receive", parcels).code == 1
    run("leave")
    assert run("pack", "first", "--out", tmp_path / "leaving").code == 0
    assert run("receive-parcels", tmp_path / "leaving", "--into", study, "--data", data).code == 0
    assert run("receive", tmp_path / "leaving.kairos-receipts", "--study", "first", "--json").json["deleted"]
    with contextlib.closing(CollectorReader(data / FILE)) as reader:
        assert list(reader.parcels(person.id)) == []


def test_sending_before_joining(run: Callable[..., Answer], tmp_path: Path) -> None:
    """There is nothing to send, and the message says so; the same for files."""
    for words in (("pack", "--out", tmp_path / "x"), ("receive", tmp_path / "x")):
        answer = run(*words)
        assert (answer.code, "you take part in no study" in answer.err) == (2, True)
    assert list(tmp_path.glob("x*")) == []


def test_nothing_goes_before_a_new_version_is_answered(
    stage: Stage, person: Person, run: Callable[..., Answer], tmp_path: Path
) -> None:
    run("join", invitation_of(stage, person), "--agree", "aggregates", "--mode", "daily")
    with Outbox(joined_folder("first").outbox) as outbox:
        outbox.save_fact(BUNDLE, b"another version")
    answer = run("pack", "--out", tmp_path / "x")
    assert (answer.code, "join --again" in answer.err) == (2, True), answer
    assert run("work", "--now", "--json").json["sent"] == []
    assert not (tmp_path / "x").exists()
    assert stage.collected(person) == []
