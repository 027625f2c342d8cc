"""Statements beside parcels: receipts, withdrawals, deletions and joinings count only from the right key."""

from typing import Any

import msgspec
import pytest

from participant.documents.keys import SigningKey
from participant.documents.signed import encode
from participant.documents.statements import (
    DeletionReceipt,
    Joining,
    Receipt,
    ResendRequest,
    Statement,
    StudyWithdrawal,
    read_statement,
    write_statement,
)
from storage.errors import BadFile
from study.researcher.documents import ranges_of
from tests.fakes.studies.documents import JOIN, PARTICIPANT, PERSON, PERSON_READER, RECEIPTS, SIGNING, STRANGER

RECEIPT = Receipt(study="sheets", participant=PARTICIPANT, ranges=((0, 4), (6, 6)), last=b"d" * 32)
CASES: dict[str, tuple[Statement, SigningKey]] = {
    "joining": (Joining(study="sheets", participant=PARTICIPANT, key=PERSON.public), JOIN),
    "receipt": (RECEIPT, RECEIPTS),
    "withdrawal": (
        StudyWithdrawal(study="sheets", participant=PARTICIPANT, keep=False, parcels=7, last=b"d" * 32),
        PERSON,
    ),
    "deletion": (
        DeletionReceipt(
            study="sheets",
            participant=PARTICIPANT,
            withdrawal=b"w" * 32,
            ranges=((0, 6),),
            last=b"d" * 32,
            destroyed_key=PERSON_READER.public,
            exports=("october",),
        ),
        RECEIPTS,
    ),
    "resend": (
        ResendRequest(study="sheets", participant=PARTICIPANT, ranges=((2, 3), (6, 6)), asked_wall_ns=2**63 - 1),
        RECEIPTS,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_statement_counts_from_its_key_about_its_person(case: str) -> None:
    """The control, and then: another key, another participant, another study, another kind, any changed byte."""
    statement, key = CASES[case]

    def read(raw: bytes, expected: dict[str, Any]) -> Statement:
        return read_statement(raw, type(statement), **expected)

    raw = write_statement(statement, key)
    whose = {"study": "sheets", "participant": PARTICIPANT}
    assert read(raw, {**whose, "key": key.public}) == statement
    wrong: list[tuple[bytes, dict[str, Any]]] = [
        (write_statement(statement, STRANGER), {**whose, "key": key.public}),
        (raw, {**whose, "key": SIGNING.public}),
        (raw, {**whose, "key": key.public, "participant": PARTICIPANT[::-1]}),
        (raw, {**whose, "key": key.public, "study": "slides"}),
        *(
            (write_statement(one, key), {**whose, "key": key.public})
            for one, _ in CASES.values()
            if type(one) is not type(statement)
        ),
        *((bytes([*raw[:at], raw[at] ^ 1, *raw[at + 1 :]]), {**whose, "key": key.public}) for at in range(len(raw))),
    ]
    for one, expected in wrong:
        with pytest.raises(BadFile):
            read(one, expected)


def test_a_thousand_forged_receipts_are_refused() -> None:
    """By a stranger, by the participant, by the study's other key, or of somebody else."""
    forgers = (STRANGER, PERSON, SIGNING, JOIN)
    accepted = 0
    for number in range(1000):
        receipt = msgspec.structs.replace(RECEIPT, ranges=((0, number),))
        try:
            raw = write_statement(receipt, forgers[number % 4])
            read_statement(raw, Receipt, study="sheets", participant=PARTICIPANT, key=RECEIPTS.public)
            accepted += 1
        except BadFile:
            continue
    assert accepted == 0
    honest = write_statement(RECEIPT, RECEIPTS)
    assert read_statement(honest, Receipt, study="sheets", participant=PARTICIPANT, key=RECEIPTS.public) == RECEIPT


def test_a_receipt_covers_what_is_in_its_ranges() -> None:
    """And nothing between them."""
    assert [number for number in range(9) if RECEIPT.covers(number)] == [0, 1, 2, 3, 4, 6]
    assert ranges_of([6, 0, 1, 2, 4, 3, 3]) == RECEIPT.ranges
    assert ranges_of([]) == ()


@pytest.mark.parametrize("ranges", [((4, 0),), ((0, 4), (4, 6)), ((0, 4), (5, 6)), ((6, 6), (0, 4)), (), ((-1, 4),)])
def test_ranges_have_one_form(ranges: tuple[tuple[int, int], ...]) -> None:
    """In order and apart, though the collector's key signed something else."""
    raw = write_statement(msgspec.structs.replace(RECEIPT, ranges=ranges), RECEIPTS)
    with pytest.raises(BadFile):
        read_statement(raw, Receipt, study="sheets", participant=PARTICIPANT, key=RECEIPTS.public)


def test_a_receipt_stays_small() -> None:
    """At the most ranges that it may have it is far below the limit of statements."""
    most = msgspec.structs.replace(RECEIPT, ranges=tuple((2**30 + 4 * n, 2**30 + 4 * n + 1) for n in range(256)))
    raw = write_statement(most, RECEIPTS)
    assert read_statement(raw, Receipt, study="sheets", participant=PARTICIPANT, key=RECEIPTS.public) == most
    assert len(encode(most)) < 4000
