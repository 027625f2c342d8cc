"""The sender against a real broker with TLS: what is received, what is refused, and what each fault looks like."""

import asyncio
import gc
import random
import resource
import shutil
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import msgspec
import pytest

from participant.delivery import sender as delivery
from participant.delivery.answers import take_answer
from participant.delivery.outbox import AGREED, BUNDLE, Outbox, ParcelState
from participant.delivery.sender import Delivery, deliver
from participant.documents.keys import read_signing_key
from participant.documents.statements import (
    Receipt,
    ResendRequest,
    write_statement,
)
from storage.clock import ManualClock, SystemClock
from storage.errors import EnvironmentFault
from study.broker.check import free_port
from study.researcher.folder import StudyFolder
from tests.fakes.studies.delivery.authority import Authority, make_authority
from tests.fakes.studies.delivery.broker import Mosquitto
from tests.fakes.studies.delivery.people import Person, states, write_plan
from tests.fakes.studies.delivery.stage import Stage, send, whole_chain
from tests.fakes.studies.documents import STRANGER

SHORT_S = 0.3

# paho leaves the socket of a connection that failed to be collected; the sender ends with its process.
pytestmark = pytest.mark.filterwarnings("ignore:.*<ssl.SSLSocket:pytest.PytestUnraisableExceptionWarning")


def attempt(person: Person, **changes: Any) -> Delivery:
    with Outbox(person.path, create=False) as outbox:
        address = msgspec.structs.replace(outbox.address(), **changes)
        try:
            return asyncio.run(deliver(outbox, address, clock=SystemClock(), rng=random.Random(1)))
        finally:
            gc.collect()


def as_collector(stage: Stage, topic: str, *messages: bytes, retain: bool = False) -> None:
    async def publish() -> None:
        async with stage.collectors_client() as client:
            for message in messages:
                await client.publish(topic, message, qos=1, retain=retain)

    asyncio.run(publish())


@contextmanager
def noticed(stage: Stage, person: Person, raw: bytes) -> Iterator[None]:
    as_collector(stage, person.address().topics.notice, raw, retain=True)
    try:
        yield
    finally:
        as_collector(stage, person.address().topics.notice, person.invited.invitation.bundle, retain=True)


@contextmanager
def without_collector(stage: Stage) -> Iterator[None]:
    stage.kill_collector()
    try:
        yield
    finally:
        stage.start_collector()


def test_what_is_packed_is_received(stage: Stage, person: Person) -> None:
    person.pack(5)
    person.pack(2, state=ParcelState.HELD)
    sent = send(person)
    assert (sent.code, sent.err) == (0, "")
    assert (sent.json["sent"], sent.json["received"], sent.json["next_wall_ns"]) == (5, 5, None)
    assert states(person) == ["received"] * 5 + ["held"] * 2
    collected = stage.collected(person)
    assert len(collected) == 5
    assert whole_chain(collected)
    assert not whole_chain([*collected[:2], *collected[3:]])
    with Outbox(person.path) as outbox:
        assert [parcel.raw for parcel in outbox.parcels()][:5] == [raw for _, raw in collected]


def test_a_thousand_forged_receipts_over_the_broker(
    stage: Stage, person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the collector's login at the broker, but not its key: the outbox is unchanged until the honest one comes."""
    person.pack(1)
    with Outbox(person.path) as outbox:
        last = outbox.digest(0)
    assert last is not None
    receipt = Receipt(study="first", participant=person.id, ranges=((0, 0),), last=last)
    forged = [write_statement(msgspec.structs.replace(receipt, ranges=((0, n),)), STRANGER) for n in range(1000)]
    honest = write_statement(receipt, read_signing_key(stage.study.path / "keys" / "receipts.key"))
    down = person.address().topics.down(person.id)
    thread = threading.Thread(target=as_collector, args=(stage, down, *forged, honest))
    publish = delivery._Session._publish
    before: list[str] = []

    async def publish_then_forge(self: Any, parcels: Any, result: Any) -> None:
        await publish(self, parcels, result)
        thread.start()

    def look_and_take(raw: bytes, outbox: Outbox, address: Any) -> Any:
        if raw == honest:
            before.extend(parcel.state for parcel in outbox.parcels())
        return take_answer(raw, outbox, address)

    monkeypatch.setattr(delivery._Session, "_publish", publish_then_forge)
    monkeypatch.setattr("participant.delivery.answers.take_answer", look_and_take)
    with without_collector(stage):
        result = attempt(person)
        thread.join()
    assert (result.sent, result.refused, before) == (1, 1000, ["ready"])
    assert (result.received, states(person)) == (1, ["received"])


def test_a_restored_collector_asks_again(stage: Stage, person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what it names goes again, once, and only if its own key signed; an old request changes nothing."""
    monkeypatch.setattr(delivery, "NOTICE_S", SHORT_S)
    person.pack(4)
    send(person)
    request = ResendRequest(study="first", participant=person.id, ranges=((1, 2),), asked_wall_ns=5)
    receipts = stage.study.path / "keys" / "receipts.key"
    raw = write_statement(request, read_signing_key(receipts))
    as_collector(stage, person.address().topics.down(person.id), write_statement(request, STRANGER), retain=True)
    assert attempt(person).refused == 1
    as_collector(stage, person.address().topics.down(person.id), raw, retain=True)
    again = attempt(person)
    assert (again.complete, again.asked_again, again.sent, again.received) == (True, 2, 2, 2)
    assert attempt(person).sent == 0
    assert states(person) == ["received"] * 4


def test_a_newer_study_waits_for_the_person(
    stage: Stage, person: Person, authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is stored if the key of the first signed it and its version is higher; else it is refused or left."""
    monkeypatch.setattr(delivery, "NOTICE_S", SHORT_S)
    first = person.invited.invitation.bundle
    study = StudyFolder(shutil.copytree(stage.study.path, tmp_path / "first"))
    write_plan(study, port=stage.broker.port, ca=authority.pem, version=2)
    path, _, _ = study.sign()
    newer = path.read_bytes()
    notice = person.address().topics.notice
    for raw, stored, bundle, refused in (
        (newer[:-1] + b"x", first, None, 1),
        (newer, newer, 2, 0),
        (newer, newer, None, 0),
        (first, newer, None, 0),
    ):
        as_collector(stage, notice, raw, retain=True)
        result = attempt(person)
        assert (result.bundle, result.refused) == (bundle, refused)
        with Outbox(person.path) as outbox:
            assert outbox.fact(BUNDLE) == stored
    as_collector(stage, notice, first, retain=True)


@pytest.mark.parametrize(("version", "reads", "sent"), [(2, True, 0), (1, True, 3), (2, False, 3)])
def test_a_newer_study_stops_the_parcels_of_the_same_connection(
    stage: Stage,
    person: Person,
    authority: Authority,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    version: int,
    reads: bool,
    sent: int,
) -> None:
    """No parcel leaves before the notice was read. Controls: without a newer one, or unread, all of them leave."""
    first = person.invited.invitation.bundle
    person.pack(3)
    with Outbox(person.path) as outbox:
        outbox.save_fact(AGREED, first)
    study = StudyFolder(shutil.copytree(stage.study.path, tmp_path / "first"))
    if version > 1:
        write_plan(study, port=stage.broker.port, ca=authority.pem, version=version)
    raw = first if version == 1 else study.sign()[0].read_bytes()
    if not reads:
        monkeypatch.setattr(delivery._Session, "_read_notice", AsyncMock())
    with noticed(stage, person, raw):
        result = attempt(person)
    assert (result.sent, len(stage.collected(person))) == (sent, sent)
    assert result.bundle == (2 if version > 1 else None)
    with Outbox(person.path) as outbox:
        assert [min(parcel.tries, 1) for parcel in outbox.parcels()] == [int(sent > 0)] * 3


def test_where_no_notice_is_kept_parcels_wait_a_moment_and_go(
    stage: Stage, person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery, "FIRST_NOTICE_S", SHORT_S)
    person.pack(2)
    with noticed(stage, person, b""):
        result = attempt(person)
    assert (result.sent, result.received, result.refused) == (2, 2, 0)


def test_without_a_collector_nothing_counts_as_received(
    stage: Stage, person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The broker acknowledges all of it (the control), and it goes again after half a minute, doubling to an hour."""
    monkeypatch.setattr(delivery, "RECEIPT_S", SHORT_S)
    person.pack(3)
    with without_collector(stage):
        result = attempt(person)
    assert (result.sent, result.received, result.complete) == (3, 0, False)
    assert states(person) == ["ready"] * 3
    now = SystemClock().wall_ns()
    with Outbox(person.path) as outbox:
        assert outbox.due(now) == []
        assert 20e9 < (outbox.next_send_wall_ns(now) or 0) - now < 40e9
        clock = ManualClock(wall_ns=now)
        waits = []
        for _ in range(10):
            outbox.mark_tried([0], clock.wall_ns(), random.Random(2))
            waits.append((outbox.parcels()[0].next_wall_ns - clock.wall_ns()) / 1e9)
    assert waits[0] < waits[2] < waits[5]
    assert all(2700 <= wait <= 4500 for wait in waits[-3:])


def test_a_clock_set_back_does_not_hold_parcels_for_years(person: Person) -> None:
    """What is set for later than any wait is due at once."""
    person.pack(2)
    with Outbox(person.path) as outbox:
        outbox.mark_tried([0], 10**18, random.Random(1))
        assert [parcel.n for parcel in outbox.due(10**18)] == [1]
        assert [parcel.n for parcel in outbox.due(10**17)] == [0, 1]
        assert outbox.next_send_wall_ns(10**17) == 10**17


@pytest.fixture
def other_broker(tmp_path: Path, stage: Stage) -> Any:
    brokers: list[Mosquitto] = []

    def start(authority: Authority | None) -> int:
        broker = Mosquitto(tmp_path / f"other-{len(brokers)}", stage.study.path, authority)
        brokers.append(broker)
        broker.start()
        return broker.port

    yield start
    for broker in brokers:
        broker.kill()


@contextmanager
def mute_broker(authority: Authority, newest: ssl.TLSVersion = ssl.TLSVersion.TLSv1_3) -> Iterator[int]:
    """Take one connection with TLS up to a version, and say nothing; yields the port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.maximum_version = newest
    context.load_cert_chain(authority.certificate, authority.key)
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken: list[socket.socket] = []

        def accept() -> None:
            connection = server.accept()[0]
            try:
                taken.append(context.wrap_socket(connection, server_side=True))
            except ssl.SSLError:
                connection.close()

        thread = threading.Thread(target=accept)
        thread.start()
        yield server.getsockname()[1]
        thread.join()
        for open_socket in taken:
            open_socket.close()


@pytest.mark.parametrize("fault", ["authority", "name", "no-tls", "password"])
def test_what_somebody_has_to_see_to_is_an_error(
    fault: str, person: Person, authority: Authority, other_broker: Callable[..., int], tmp_path: Path
) -> None:
    person.pack(1)
    changes: dict[str, Any] = {}
    match fault:
        case "authority":
            changes["port"], says = other_broker(make_authority(tmp_path / "foreign")), "cannot be trusted"
        case "name":
            elsewhere = make_authority(tmp_path / "elsewhere", host="DNS:broker.example.org")
            changes, says = {"port": other_broker(elsewhere), "ca": elsewhere.pem}, "cannot be trusted"
        case "no-tls":
            changes["port"], says = other_broker(None), ""
        case _:
            changes["password"], says = "0" * 32, "refuses the login"
    if fault == "no-tls":  # mosquitto hangs up on what is no MQTT, which looks like any lost connection
        assert attempt(person, **changes).unreachable
    else:
        with pytest.raises(EnvironmentFault, match=says) as raised:
            attempt(person, **changes)
        assert "0" * 32 not in str(raised.value)
        assert raised.value.remedy
    with Outbox(person.path) as outbox:
        assert [(parcel.state, parcel.tries) for parcel in outbox.parcels()] == [("ready", 0)]
        now = SystemClock().wall_ns()
        assert 20e9 < (outbox.next_send_wall_ns(now) or 0) - now < 40e9
    assert attempt(person).complete


def test_older_tls_is_refused(person: Person, authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its version alone: without that setting the same broker is taken (the control)."""
    monkeypatch.setattr(delivery, "ANSWER_S", SHORT_S)
    person.pack(1)
    older = ssl.TLSVersion.TLSv1_2
    with mute_broker(authority, older) as port, pytest.raises(EnvironmentFault, match="does not speak TLS"):
        attempt(person, port=port)
    monkeypatch.setattr(delivery, "_tls", lambda address: ssl.create_default_context(cadata=address.ca))
    with mute_broker(authority, older) as port:
        assert (attempt(person, port=port).unreachable or "").endswith("does not answer")
    assert states(person) == ["ready"]


def test_a_broker_that_is_down_is_no_error(person: Person) -> None:
    person.pack(2)
    with Outbox(person.path) as outbox:
        outbox.save_address(msgspec.structs.replace(person.address(), port=free_port()))
    sent = send(person)
    assert (sent.code, sent.err, sent.json["sent"]) == (1, "", 0)
    assert "cannot be reached" in sent.json["unreachable"]
    waits = []
    for _ in range(9):
        now = SystemClock().wall_ns()
        with Outbox(person.path) as outbox:
            waits.append(((outbox.next_send_wall_ns(now) or 0) - now) / 1e9)
        attempt(person)
    assert waits[0] < 40
    assert waits[-1] > 2500
    assert states(person) == ["ready"] * 2


@pytest.mark.slow
def test_a_port_that_accepts_and_never_shakes_hands(person: Person) -> None:
    """The same before TLS: five seconds, the time that paho gives a connection."""
    person.pack(1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        started = SystemClock().now_ns()
        result = attempt(person, port=server.getsockname()[1])
        assert 3e9 < SystemClock().now_ns() - started < 30e9
    assert result.unreachable
    assert states(person) == ["ready"]


def test_a_damaged_outbox_says_so(person: Person, tmp_path: Path) -> None:
    person.pack(3)
    raw = person.path.read_bytes()
    for damaged in (b"no database" * 500, raw[:5000], raw[:4096] + bytes(len(raw) - 4096)):
        person.path.write_bytes(damaged)
        sent = send(person)
        assert (sent.code, sent.out) == (4, ""), sent.err
        assert "Traceback" not in sent.err
        assert str(person.path) in sent.err
    missing = replace(person, path=tmp_path / "none.db")
    assert send(missing).code == 4
    assert not missing.path.exists()


def test_a_full_disk_sends_nothing_and_loses_nothing(person: Person) -> None:
    """Status 3: what cannot be noted as sent is not sent."""
    person.pack(3)
    size = person.path.stat().st_size

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1, 1))

    sent = send(person, preexec_fn=limit)
    assert (sent.code, sent.out) == (3, "")
    assert "Traceback" not in sent.err
    assert person.path.stat().st_size == size
    with Outbox(person.path) as outbox:
        assert [(parcel.state, parcel.tries) for parcel in outbox.parcels()] == [("ready", 0)] * 3
    assert send(person).json["received"] == 3
