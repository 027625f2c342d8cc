"""Files instead of a broker: there and back, nothing twice, and hostile ones refused."""

import contextlib
import random
import tracemalloc
from pathlib import Path

import msgspec
import pytest

from participant.delivery.answers import MAX_ANSWER_BYTES
from participant.delivery.exchange import pack_file, receive_file
from participant.delivery.outbox import DELETION, WITHDRAWAL, Outbox, ParcelState
from participant.documents.bundle import MAX_BUNDLE_BYTES
from participant.documents.container import (
    LINE,
    MAX_CONTAINER_BYTES,
    MAX_ITEM_BYTES,
    MAX_ITEMS,
    fitting,
    read_container,
)
from participant.documents.names import digest_of
from participant.documents.parcel import MAX_PARCEL_BYTES
from participant.documents.statements import Receipt, StudyWithdrawal, write_statement
from storage.clock import ManualClock
from storage.errors import BadFile, EnvironmentFault, KairosError, UsageError
from study.collector.collector import FILE_QUOTA_BYTES, Collector, Taken, take_file
from study.collector.store import FILE, CollectorReader
from study.researcher.folder import StudyFolder
from tests.fakes.hostile.values import damaged
from tests.fakes.narrowing import present
from tests.fakes.studies.delivery.people import Person, join, make_study, states
from tests.fakes.studies.delivery.stage import whole_chain
from tests.fakes.studies.documents import STRANGER

CLOCK = ManualClock(wall_ns=1_800_000_000_000_000_000)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> StudyFolder:
    return make_study(tmp_path_factory.mktemp("study") / "first", port=1, ca=None, people=2)


@pytest.fixture
def people(study: StudyFolder, tmp_path: Path) -> list[Person]:
    return join(study, tmp_path / "people")


def pack(person: Person, path: Path) -> Path:
    with Outbox(person.path) as outbox:
        pack_file(outbox, path, clock=CLOCK, rng=random.Random(1))
    return path


def take(study: StudyFolder, path: Path, out: Path, data: Path) -> Taken:
    with contextlib.closing(Collector(StudyFolder(study.path), data, quota_bytes=FILE_QUOTA_BYTES)) as collector:
        return take_file(collector, path, out, clock=CLOCK)


def test_there_and_back(study: StudyFolder, people: list[Person], tmp_path: Path) -> None:
    person = people[0]
    person.pack(60)
    person.pack(1, state=ParcelState.HELD)
    packed = pack(person, tmp_path / "parcels")
    assert packed.stat().st_mode & 0o777 == 0o600
    assert states(person) == ["ready"] * 60 + ["held"]
    first = take(study, packed, tmp_path / "receipts", tmp_path / "data")
    assert (first.participant, first.stored, first.repeated, first.refused) == (person.id, 60, 0, {})
    again = take(study, packed, tmp_path / "receipts-again", tmp_path / "data")
    assert (again.stored, again.repeated) == (0, 60)
    with Outbox(person.path) as outbox:
        answers = receive_file(outbox, tmp_path / "receipts")
        assert (answers.received, answers.refused, answers.bundle) == (60, 0, None)
        assert receive_file(outbox, tmp_path / "receipts-again").received == 0
    assert states(person) == ["received"] * 60 + ["held"]
    with contextlib.closing(CollectorReader(tmp_path / "data" / FILE)) as reader:
        assert whole_chain([(parcel.n, parcel.raw) for parcel in reader.parcels(person.id)])
    with pytest.raises(UsageError):
        pack(person, tmp_path / "nothing")
    with Outbox(person.path) as outbox:
        last = present(outbox.digest(59))
        left = StudyWithdrawal(study="first", participant=person.id, keep=False, parcels=60, last=last)
        outbox.save_statement(WITHDRAWAL, write_statement(left, person.key))
    pack(person, tmp_path / "withdrawal")
    assert len(read_container(tmp_path / "withdrawal")) == 1
    take(study, tmp_path / "withdrawal", tmp_path / "deletion", tmp_path / "data")
    with Outbox(person.path) as outbox:
        assert receive_file(outbox, tmp_path / "deletion").deleted
        assert (outbox.statement(DELETION) or (b"", False))[1]
        with pytest.raises(UsageError):
            pack_file(outbox, tmp_path / "more", clock=CLOCK, rng=random.Random(1))


def test_nothing_is_overwritten_nor_counted_as_sent_then(people: list[Person], tmp_path: Path) -> None:
    """A file of that name stays, and so does the outbox."""
    person = people[0]
    person.pack(2)
    (tmp_path / "mine").write_text("a letter")
    with pytest.raises(EnvironmentFault, match="exists"):
        pack(person, tmp_path / "mine")
    assert (tmp_path / "mine").read_text() == "a letter"
    with Outbox(person.path) as outbox:
        assert [parcel.tries for parcel in outbox.parcels()] == [0, 0]


def test_files_of_others_change_nothing(study: StudyFolder, people: list[Person], tmp_path: Path) -> None:
    """Two people in one file, a stranger's parcels, somebody else's receipts, a thousand forged ones."""
    one, other = people
    for person in people:
        person.pack(3)
    both = tmp_path / "both"
    items = (*read_container(pack(one, tmp_path / "one")), *read_container(pack(other, tmp_path / "other")))
    both.write_bytes(LINE + msgspec.msgpack.encode(items))
    with pytest.raises(BadFile, match="one person"):
        take(study, both, tmp_path / "of-both", tmp_path / "data")
    assert not (tmp_path / "of-both").exists()
    swapped = tmp_path / "swapped"
    changed = [raw.replace(one.id.encode(), other.id.encode()) for raw in read_container(tmp_path / "one")]
    swapped.write_bytes(LINE + msgspec.msgpack.encode(changed))
    taken = take(study, swapped, tmp_path / "of-swapped", tmp_path / "data")
    assert (taken.stored, sum(taken.refused.values())) == (0, 3)
    assert take(study, tmp_path / "one", tmp_path / "of-one", tmp_path / "data").stored == 3
    with Outbox(other.path) as outbox:
        before = outbox.parcels()
        answers = receive_file(outbox, tmp_path / "of-one")
        assert (answers.received, answers.refused) == (0, 1)
        last = present(outbox.digest(2))
        honest = Receipt(study="first", participant=other.id, ranges=((0, 2),), last=last)
        forged = [write_statement(honest, STRANGER)] * 1000
        (tmp_path / "forged").write_bytes(LINE + msgspec.msgpack.encode(forged))
        answers = receive_file(outbox, tmp_path / "forged")
        assert (answers.received, answers.refused) == (0, 1000)
        assert outbox.parcels() == before
        take(study, tmp_path / "other", tmp_path / "of-other", tmp_path / "data")
        assert receive_file(outbox, tmp_path / "of-other").received == 3


def test_a_receipt_for_another_parcel_of_that_number_is_refused(
    study: StudyFolder, people: list[Person], tmp_path: Path
) -> None:
    """An outbox restored from a backup packs other rows under old numbers: they must not pass for received."""
    person = people[0]
    person.pack(2)
    backup = person.path.read_bytes()
    person.pack(1)
    take(study, pack(person, tmp_path / "parcels"), tmp_path / "receipts", tmp_path / "data")
    person.path.write_bytes(backup)
    person.pack(1)
    pack(person, tmp_path / "other")
    with Outbox(person.path) as outbox:
        assert receive_file(outbox, tmp_path / "receipts").refused == 1
    assert states(person) == ["ready"] * 3


def test_five_hundred_hostile_files(study: StudyFolder, people: list[Person], tmp_path: Path) -> None:
    """Damaged in every way: an error of ours or items refused, on either side; never another error, nothing stored."""
    person = people[0]
    person.pack(2)
    raw = pack(person, tmp_path / "parcels").read_bytes()
    path, ends = tmp_path / "hostile", {"refused": 0, "taken": 0}
    with Outbox(person.path) as outbox:
        for seed in range(500):
            path.write_bytes(damaged(random.Random(seed), raw))
            try:
                answers = receive_file(outbox, path)
            except KairosError:
                ends["refused"] += 1
            else:
                assert answers.received == answers.asked_again == 0
                ends["taken"] += 1
        assert {parcel.state for parcel in outbox.parcels()} == {ParcelState.READY}
    assert ends["refused"] >= 400
    for seed in range(60):
        path.write_bytes(damaged(random.Random(seed), raw))
        with contextlib.suppress(KairosError):
            assert take(study, path, tmp_path / f"out-{seed}", tmp_path / "data").stored <= 2


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"KAIROS-FILES-2\n\x90",
        LINE,
        LINE + b"\xdd\xff\xff\xff\xff",
        LINE + b"\xc6\xff\xff\xff\xff",
        LINE + msgspec.msgpack.encode([b"x"] * (MAX_ITEMS + 1)),
        LINE + msgspec.msgpack.encode([bytes(MAX_ITEM_BYTES + 1)]),
        LINE + b"\x91" * 100_000,
        LINE + msgspec.msgpack.encode(["text"]),
        LINE + msgspec.msgpack.encode([b""]),
        LINE + b"\xdc\x00\x01\xc4\x01x",
        LINE + b"\x90more",
    ],
)
def test_what_no_container_may_hold(raw: bytes, tmp_path: Path) -> None:
    """Refused by name, within the memory that the largest may take."""
    path = tmp_path / "hostile"
    path.write_bytes(raw)
    tracemalloc.start()
    try:
        with pytest.raises(BadFile, match="hostile"):
            read_container(path)
        assert tracemalloc.get_traced_memory()[1] < 8_000_000
    finally:
        tracemalloc.stop()


def test_the_largest_file_and_one_byte_more(tmp_path: Path) -> None:
    """A file is read no further than it may go; what does not fit is left for the next."""
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.write(LINE)
        file.truncate(MAX_CONTAINER_BYTES + 1)
    with pytest.raises(BadFile, match="larger than"):
        read_container(path)
    assert fitting([b"x"] * (MAX_ITEMS + 5)) == MAX_ITEMS
    assert fitting([bytes(MAX_PARCEL_BYTES)] * 2000) == (MAX_CONTAINER_BYTES - 64) // (MAX_PARCEL_BYTES + 8)


def test_what_travels_fits() -> None:
    """The limits of what is taken leave room for the largest study and the largest parcel."""
    assert max(MAX_BUNDLE_BYTES, MAX_PARCEL_BYTES) <= min(MAX_ANSWER_BYTES, MAX_ITEM_BYTES)
    assert len(digest_of(b"")) == 32
