"""The collector: stores what is good once, signs for it after the commit, and refuses everything else."""

import contextlib
import itertools
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from daemon.cli.main import main
from participant.documents.names import FIRST, digest_of
from participant.documents.parcel import MAX_PARCEL_BYTES, write_parcel
from participant.documents.signed import DocumentKind
from participant.documents.statements import (
    MAX_NUMBER,
    DeletionReceipt,
    Receipt,
    ResendRequest,
    read_statement,
    write_statement,
)
from storage.clock import DAY_NS
from storage.errors import BadFile
from study.collector.collector import HELD_NS, Collector, Incoming, Outgoing, Refusal
from study.collector.store import FILE, CollectorReader, CollectorStore
from study.researcher.folder import DELETIONS, StudyFolder
from tests.fakes.sessions.killed import full_disk_at
from tests.fakes.studies.collector import HOUR_NS, NOW_NS, take, withdrawal, write_collector_folder
from tests.fakes.studies.documents import (
    PARTICIPANT,
    PERSON,
    PERSON_READER,
    RECEIPTS,
    STRANGER,
    header,
    invitation,
    parcels,
    point,
)
from tests.fakes.studies.hostile_parcels import FAMILIES

OURS: dict[str, Any] = {"study": "sheets", "participant": PARTICIPANT, "key": RECEIPTS.public}


def stored(tmp_path: Path) -> list[int]:
    with contextlib.closing(CollectorReader(tmp_path / "data" / FILE)) as reader:
        return [parcel.n for parcel in reader.parcels()]


def test_good_parcels_are_stored_once_and_signed_for(collector: Collector, tmp_path: Path) -> None:
    """In whatever order they come; a repeat is signed for again, because its receipt was lost."""
    chain = parcels(5)
    (answer,) = take(collector, chain[2], chain[0], chain[1])
    receipt = read_statement(answer.raw, Receipt, **OURS)
    assert (answer.participant, receipt.ranges, receipt.last) == (PARTICIPANT, ((0, 2),), digest_of(chain[2]))
    (answer,) = take(collector, chain[2], chain[3], chain[3])
    assert read_statement(answer.raw, Receipt, **OURS).ranges == ((2, 3),)
    assert stored(tmp_path) == [0, 1, 2, 3]
    assert (collector.stored, collector.repeated, collector.refused.total()) == (4, 2, 0)


def test_a_receipt_is_signed_only_after_the_commit(
    collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[int]] = []
    sign = Collector._sign

    def spy(self: Collector, statement: Any) -> Any:
        seen.append(stored(tmp_path))
        return sign(self, statement)

    monkeypatch.setattr(Collector, "_sign", spy)
    take(collector, *parcels(2))
    assert seen == [[0, 1]]
    with full_disk_at("study.collector.store.CollectorStore.add"):
        take(collector, *parcels(3)[2:])
    assert (stored(tmp_path), len(seen)) == ([0, 1], 1)
    monkeypatch.undo()
    assert len(take(collector, *parcels(3)[2:])) == 1  # the same batch again


def test_another_parcel_of_the_same_number_is_refused(collector: Collector, tmp_path: Path) -> None:
    chain = parcels(2)
    twin = write_parcel([point(9)], header(1, digest_of(chain[0])), PERSON, [PERSON_READER.public])
    (answer,) = take(collector, chain[0], chain[1], twin)
    assert read_statement(answer.raw, Receipt, **OURS).last == digest_of(chain[1])
    assert take(collector, twin) == []
    assert collector.refused == {Refusal.CONFLICT: 2}
    with contextlib.closing(CollectorReader(tmp_path / "data" / FILE)) as reader:
        assert [parcel.raw for parcel in reader.parcels()] == chain


def test_two_collectors_share_one_file(files: StudyFolder, collector: Collector, tmp_path: Path) -> None:
    chain = parcels(3)
    with contextlib.closing(Collector(files, tmp_path / "data")) as other:
        take(collector, chain[0])
        assert len(take(other, chain[1])) == 1
        assert len(take(collector, chain[1], chain[2])) == 1
        assert (collector.stored, collector.repeated, other.stored) == (2, 1, 1)
        take(other, withdrawal())
        assert [answer.raw[:17] for answer in take(collector, chain[2])] == [b"KAIROS-DELETION-1"]
    assert stored(tmp_path) == []


def test_a_key_is_fixed_by_the_first_parcel(collector: Collector, tmp_path: Path) -> None:
    chain = parcels(2)
    (answer,) = take(collector, chain[1])
    assert read_statement(answer.raw, ResendRequest, **OURS).ranges == ((0, MAX_NUMBER),)
    take(collector, chain[0])
    joined_again = msgspec.structs.replace(header(), joining=invitation().join(STRANGER))
    assert take(collector, write_parcel([point()], joined_again, STRANGER, [PERSON_READER.public])) == []
    assert collector.refused == {Refusal.KEY_UNKNOWN: 1, Refusal.DAMAGED: 1}
    assert stored(tmp_path) == [0]


def test_a_parcel_waits_a_second_for_the_first_one(files: StudyFolder, tmp_path: Path) -> None:
    """Another collector may have parcel 0 in hand. If it does not come, the person is asked for everything."""
    chain = parcels(3)
    with contextlib.closing(Collector(files, tmp_path / "data", holds_early=True)) as one:
        for later_ns in (0, HELD_NS - 1):
            batch = () if later_ns else (chain[1],)
            assert (take(one, *batch, now_ns=NOW_NS + later_ns), one.is_holding) == ([], True)
        assert one.refused.total() == 0
        (answer,) = take(one, now_ns=NOW_NS + HELD_NS)
        assert read_statement(answer.raw, ResendRequest, **OURS).ranges == ((0, MAX_NUMBER),)
        assert (one.is_holding, one.refused) == (False, {Refusal.KEY_UNKNOWN: 1})
        take(one, chain[1])
        with contextlib.closing(Collector(files, tmp_path / "data")) as other:
            take(other, chain[0])
        (answer,) = take(one, chain[2])
        assert read_statement(answer.raw, Receipt, **OURS).ranges == ((1, 2),)
    assert stored(tmp_path) == [0, 1, 2]


def test_a_day_has_a_quota_which_refused_parcels_use_up_too(files: StudyFolder, tmp_path: Path) -> None:
    chain = parcels(4)
    size = len(chain[1])
    with contextlib.closing(Collector(files, tmp_path / "data", quota_bytes=len(chain[0]) + 2 * size)) as one:
        take(one, chain[0])
        take(one, b"x" * size)
        take(one, chain[1])
        assert take(one, chain[2]) == []
        assert one.refused == {Refusal.DAMAGED: 1, Refusal.QUOTA: 1}
    with contextlib.closing(Collector(files, tmp_path / "data", quota_bytes=len(chain[0]) + 2 * size)) as one:
        assert len(take(one, chain[2])) == 1
        assert take(one, chain[3]) == []
        assert len(take(one, chain[3], now_ns=NOW_NS + DAY_NS)) == 1


def test_what_conflicts_with_a_stored_parcel_uses_up_the_quota_too(files: StudyFolder, tmp_path: Path) -> None:
    """Well signed, so each costs a look at the database; without the quota somebody could send them for ever."""
    chain = parcels(2)
    other = write_parcel([point(900)], header(1, digest_of(chain[0])), PERSON, [PERSON_READER.public])
    room = len(chain[0]) + len(chain[1]) + 3 * len(other)
    with contextlib.closing(Collector(files, tmp_path / "data", quota_bytes=room)) as one:
        take(one, *chain)
        for _ in range(10):
            assert take(one, other) == []
        assert one.refused == {Refusal.CONFLICT: 3, Refusal.QUOTA: 7}


def test_a_restored_collector_asks_for_what_it_lacks(collector: Collector) -> None:
    chain = parcels(8)
    take(collector, *chain[:2])
    receipt, request = take(collector, chain[5])
    assert read_statement(receipt.raw, Receipt, **OURS).ranges == ((5, 5),)
    assert read_statement(request.raw, ResendRequest, **OURS).ranges == ((2, 4),)
    assert len(take(collector, chain[6])) == 1
    assert len(take(collector, chain[7], now_ns=NOW_NS + HOUR_NS)) == 2
    (answer,) = collector.request_everything(NOW_NS + HOUR_NS)
    assert answer.retained
    assert read_statement(answer.raw, ResendRequest, **OURS).ranges == ((2, 4), (8, MAX_NUMBER))


def test_leaving_deletes_destroys_the_key_and_is_answered(
    files: StudyFolder, collector: Collector, tmp_path: Path
) -> None:
    chain = parcels(4)
    take(collector, *chain[:3])
    left = withdrawal()
    (answer,) = take(collector, left)
    deletion = read_statement(answer.raw, DeletionReceipt, **OURS)
    assert (deletion.ranges, deletion.last, deletion.withdrawal) == (((0, 2),), digest_of(chain[2]), digest_of(left))
    assert deletion.destroyed_key == PERSON_READER.public
    assert not files.sealed_key(PARTICIPANT).exists()
    assert stored(tmp_path) == []
    assert take(collector, left) == [answer]
    assert take(collector, chain[3]) == [answer]
    assert collector.refused == {Refusal.LEFT: 1}
    other = withdrawal(sent=4)
    (again,) = take(collector, other)
    expected = msgspec.structs.replace(deletion, withdrawal=digest_of(other))
    assert read_statement(again.raw, DeletionReceipt, **OURS) == expected


def test_leaving_with_leave_to_keep_deletes_nothing_until_that_is_revoked(
    files: StudyFolder, collector: Collector, tmp_path: Path
) -> None:
    """Afterwards the leave cannot be given again."""
    take(collector, *parcels(2))
    (answer,) = take(collector, withdrawal(keep=True))
    kept = read_statement(answer.raw, DeletionReceipt, **OURS)
    assert (kept.ranges, kept.last, kept.destroyed_key) == ((), FIRST, None)
    assert stored(tmp_path) == [0, 1]
    assert files.sealed_key(PARTICIPANT).exists()
    (answer,) = take(collector, withdrawal())
    assert read_statement(answer.raw, DeletionReceipt, **OURS).ranges == ((0, 1),)
    (answer,) = take(collector, withdrawal(keep=True))
    assert read_statement(answer.raw, DeletionReceipt, **OURS).ranges == ((0, 1),)
    assert stored(tmp_path) == []


def test_who_leaves_before_the_first_parcel_came_is_known_by_the_joining(collector: Collector, tmp_path: Path) -> None:
    """Without it, or signed by another key, nothing happens."""
    assert take(collector, withdrawal()) == []
    assert take(collector, withdrawal(joining=invitation().join(PERSON), key=STRANGER)) == []
    (answer,) = take(collector, withdrawal(joining=invitation().join(PERSON)))
    assert read_statement(answer.raw, DeletionReceipt, **OURS).destroyed_key == PERSON_READER.public
    assert [answer.raw for answer in take(collector, *parcels(1))] == [answer.raw]
    assert stored(tmp_path) == []


def test_keys_that_lie_elsewhere_are_not_said_to_be_destroyed(tmp_path: Path) -> None:
    files = write_collector_folder(tmp_path / "sheets", reader_keys=False)
    with contextlib.closing(Collector(files, tmp_path / "data")) as collector:
        take(collector, *parcels(2))
        (answer,) = take(collector, withdrawal())
    deletion = read_statement(answer.raw, DeletionReceipt, **OURS)
    assert (deletion.ranges, deletion.destroyed_key) == (((0, 1),), None)


def test_a_receipt_that_the_researcher_signs_later_is_passed_on(tmp_path: Path) -> None:
    files = write_collector_folder(tmp_path / "sheets", reader_keys=False)
    folder = files.path / DELETIONS
    folder.mkdir()
    path = files.deletion_file(PARTICIPANT)
    chain, left = parcels(2), withdrawal()
    with contextlib.closing(Collector(files, tmp_path / "data")) as collector:
        take(collector, *chain)
        path.write_bytes(b"before anybody left")
        assert collector.pass_on_deletions() == []
        (answer,) = take(collector, left)
        own = read_statement(answer.raw, DeletionReceipt, **OURS)
        full = msgspec.structs.replace(own, destroyed_key=PERSON_READER.public, exports=("shared-1",))
        other = msgspec.structs.replace(full, withdrawal=bytes(32))
        foreign = (write_statement(full, STRANGER), write_statement(other, RECEIPTS), answer.raw)
        for raw, refused in ((b"damaged", 1), *((raw, 2) for raw in foreign)):
            path.unlink()
            path.write_bytes(raw)
            found = collector.pass_on_deletions()
            assert [sent.raw for sent in found if sent.raw != answer.raw] == []
            assert collector.refused[Refusal.DAMAGED] == refused
            assert take(collector, left) == [answer]
        path.unlink()
        path.write_bytes(write_statement(full, RECEIPTS))
        (news,) = collector.pass_on_deletions()
        assert (news.participant, news.retained) == (PARTICIPANT, True)
        assert read_statement(news.raw, DeletionReceipt, **OURS) == full
        assert collector.pass_on_deletions() == []
        assert [answer.raw for answer in take(collector, left)] == [news.raw]
    with contextlib.closing(Collector(files, tmp_path / "data")) as again:
        assert again.pass_on_deletions() == [news]


def test_a_deletion_that_was_cut_off_is_completed(
    files: StudyFolder, collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(collector, *parcels(3))
    monkeypatch.setattr(CollectorStore, "empty_log", lambda _: False)
    assert take(collector, withdrawal()) == []
    monkeypatch.undo()
    with contextlib.closing(Collector(files, tmp_path / "data")) as other:
        (answer,) = other.finish_deletions(NOW_NS)
        assert read_statement(answer.raw, DeletionReceipt, **OURS).ranges == ((0, 2),)
        assert other.finish_deletions(NOW_NS) == []


@pytest.mark.parametrize("checkpoint", [True, False])
def test_no_marker_is_left_in_table_log_and_file(
    collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, checkpoint: bool
) -> None:
    """Parcels are found in the files before. The control leaves the log as it is: they are found after, too."""
    chain = parcels(50)
    markers = [raw[-200:-100] for raw in chain]
    take(collector, *chain)

    def found() -> int:
        raw = b"".join(path.read_bytes() for path in (tmp_path / "data").iterdir())
        return sum(marker in raw for marker in markers)

    assert found() == 50
    if not checkpoint:
        monkeypatch.setattr(CollectorStore, "empty_log", lambda _: True)
    assert len(take(collector, withdrawal())) == 1
    assert stored(tmp_path) == []
    assert found() == (0 if checkpoint else 50)


def test_a_collector_opens_no_key_but_that_of_receipts(tmp_path: Path) -> None:
    files = write_collector_folder(tmp_path / "sheets")
    (files.path / "allocation.sealed").write_bytes(b"arms")
    opened: list[tuple[str, int]] = []
    watching = True

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if watching and event == "open" and str(files.path) in str(arguments[0]):
            opened.append((str(Path(str(arguments[0])).relative_to(files.path)), arguments[2]))

    sys.addaudithook(hook)
    with contextlib.closing(Collector(files, tmp_path / "data")) as collector:
        take(collector, *parcels(2))
        take(collector, withdrawal())
    watching = False
    sealed = f"keys/participants/{PARTICIPANT}.sealed"
    read = {name for name, flags in opened if flags & 3 == 0}
    assert read == {"signed/sheets-1.kairos-study", "keys/receipts.key", "participants.jsonl", "keys/participants"}
    assert {name for name, flags in opened if flags & 3} == {sealed}  # to overwrite it
    assert not files.sealed_key(PARTICIPANT).exists()


# ---------------------------------------------------------------- what is hostile


OPEN_FAMILIES = ("damaged", "flipped", "cut", "noise", "stranger", "head", "too_large", "other_kind")
"""Families of hostile parcels of which a collector sees that they are, without opening them."""


def hostile(count: int) -> Iterator[Incoming]:
    rng = random.Random(17)
    absurd = (b"\xdd\xff\xff\xff\xff" * 9_000, b"\x91" * (MAX_PARCEL_BYTES - 100), b"\xc6\xff\xff\xff\xff")
    for number in range(count):
        name = OPEN_FAMILIES[number % len(OPEN_FAMILIES)]
        raw = FAMILIES[name](rng)
        if number % 10 == 0:  # arrays of 2**32, depth, 4 GB of bytes
            raw = DocumentKind.PARCEL.line + bytes(64) + rng.choice(absurd)
        elif number % 10 == 1:
            raw = withdrawal(key=STRANGER)
        yield Incoming(rng.choice((PARTICIPANT, PARTICIPANT, "zzzzzzzzzzzzzzzz", "", "../x")), raw)


def attack(files: StudyFolder, data: Path, count: int) -> tuple[int, int]:
    source = hostile(count)
    with contextlib.closing(Collector(files, data, quota_bytes=1 << 40)) as collector:
        while batch := list(itertools.islice(source, 50)):
            collector.take(batch, NOW_NS)
        return collector.refused.total(), collector.stored


def test_hundreds_of_hostile_parcels_are_refused(files: StudyFolder, tmp_path: Path) -> None:
    """None is stored, none crashes it; a good one is stored after them (the control)."""
    assert attack(files, tmp_path / "data", 450) == (450, 0)
    with contextlib.closing(Collector(files, tmp_path / "data")) as collector:
        assert len(take(collector, *parcels(1))) == 1


def test_a_damaged_list_of_people_is_named_by_its_line(files: StudyFolder, tmp_path: Path) -> None:
    path = files.path / "participants.jsonl"
    good = path.read_bytes()
    path.write_bytes(good + good[:40])
    assert len(files.participants()) == 1
    path.write_bytes(good + b"{}\n")
    with contextlib.closing(Collector(files, tmp_path / "data")) as one, pytest.raises(BadFile, match="line 2"):
        take(one, *parcels(1))


def test_a_collector_loads_no_numpy() -> None:
    code = "import sys; from study.collector import collector; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "False\n"


def test_gaps_are_seen_however_parcels_come(collector: Collector, files: StudyFolder, tmp_path: Path) -> None:
    """In order nothing is asked for; behind a gap it is; what another collector stored in between is none."""
    chain = parcels(8)
    assert resends(take(collector, *chain[:3])) == []
    with contextlib.closing(Collector(files, tmp_path / "data")) as other:
        take(other, chain[3])
    assert resends(take(collector, chain[4])) == []
    assert resends(take(collector, chain[5], chain[7])) == [((6, 6),)]


def resends(answers: Sequence[Outgoing]) -> list[tuple[tuple[int, int], ...]]:
    requests = [answer.raw for answer in answers if answer.raw.startswith(DocumentKind.RESEND.line)]
    return [read_statement(raw, ResendRequest, **OURS).ranges for raw in requests]


def test_a_study_that_is_not_there_leaves_no_folder_for_parcels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever mistypes its name finds no empty folder later."""
    assert main(["study", "collect", str(tmp_path / "mistyped"), "--data", str(tmp_path / "data")]) != 0
    assert "mistyped" in capsys.readouterr().err
    assert not (tmp_path / "data").exists()
