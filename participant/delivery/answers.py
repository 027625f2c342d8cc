"""What the collector answers or passes on: checked with the key of its receipts or of the study, then stored.

Answers come from a broker or in a file, and whoever brings them may have made them up: none changes the outbox before
its signature was checked. A forged receipt would else end the sending of what was never received.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from participant.delivery.outbox import BUNDLE, CLOSED, DELETION, WITHDRAWAL, BrokerAddress, Outbox
from participant.documents.names import digest_of
from participant.documents.signed import DocumentKind
from participant.documents.statements import DeletionReceipt, Receipt, ResendRequest, read_statement
from storage.errors import BadFile

if TYPE_CHECKING:
    from participant.documents.statements import Closing


MAX_ANSWER_BYTES = 512 << 10
"""What is taken from a broker at most; the largest is a study, `participant.documents.bundle.MAX_BUNDLE_BYTES`."""

Answer = Receipt | DeletionReceipt | ResendRequest


@dataclass(slots=True, kw_only=True)
class Answers:
    """What messages changed.

    How many parcels were received, and asked for again; whether all was deleted, or the study is over; the version of a
    newer study. `refused` messages were forged or damaged.
    """

    received: int = 0
    asked_again: int = 0
    deleted: bool = False
    bundle: int | None = None
    closed: bool = False
    refused: int = 0

    def take(self, raw: bytes, outbox: Outbox, address: BrokerAddress) -> Answer | None:
        """Store what a message says, and count it; return an answer to this participant that was taken."""
        try:
            if raw.startswith(DocumentKind.STUDY.line):
                self.bundle = take_bundle(raw, outbox) or self.bundle
                return None
            if raw.startswith(DocumentKind.CLOSING.line):
                self.closed = take_closing(raw, outbox) or self.closed
                return None
            answer, changed = take_answer(raw, outbox, address)
        except BadFile:
            self.refused += 1
            return None
        if isinstance(answer, Receipt):
            self.received += changed
        elif isinstance(answer, DeletionReceipt):
            self.deleted = True
        else:
            self.asked_again += changed
        return answer


def take_answer(raw: bytes, outbox: Outbox, address: BrokerAddress) -> tuple[Answer, int]:
    """Store what the collector says to this participant; return it, and how many parcels it changed.

    Taking the same answer again changes nothing.

    Raises:
        BadFile: it is damaged, not signed by the collector, about somebody else, or not about what was sent from here.
        EnvironmentFault: the outbox cannot be written.
    """
    kind = raw[: raw.find(b"\n") + 1]
    study, participant, key = address.study, address.participant, address.receipts_key
    if kind == DocumentKind.RECEIPT.line:
        receipt = read_statement(raw, Receipt, study=study, participant=participant, key=key)
        highest = receipt.ranges[-1][1]
        if outbox.digest(highest) != receipt.last:
            raise BadFile(f"this receipt is for another parcel {highest} than the one in the outbox")
        return receipt, outbox.receive(receipt)
    if kind == DocumentKind.DELETION.line:
        deletion = read_statement(raw, DeletionReceipt, study=study, participant=participant, key=key)
        left = outbox.statement(WITHDRAWAL)
        if left is None or deletion.withdrawal != digest_of(left[0]):
            raise BadFile("this receipt of a deletion answers another withdrawal than the one in the outbox")
        outbox.save_statement(DELETION, raw, answered=True)
        outbox.save_statement(WITHDRAWAL, left[0], answered=True)
        return deletion, 0
    if kind == DocumentKind.RESEND.line:
        request = read_statement(raw, ResendRequest, study=study, participant=participant, key=key)
        return request, outbox.answer_resend(request)
    raise BadFile("this is no answer of a collector")


def take_bundle(raw: bytes, outbox: Outbox) -> int | None:
    """Store a newer study, until the person is asked about it; return its version, or None if it is not newer.

    Raises:
        BadFile: it is damaged, or not signed by the key that signed the version known so far.
        EnvironmentFault: the outbox cannot be written.
    """
    known = outbox.fact(BUNDLE)
    if raw == known:
        return None
    if known is None:
        raise BadFile("there is no version of the study to compare this one with")
    from participant.documents.bundle import (
        read_bundle,  # what reads a study takes 0.05 s to load, and is hardly ever wanted
    )

    before = read_bundle(known)
    newer = read_bundle(raw)
    if newer.plan.signing_key == before.plan.signing_key and newer.plan.version <= before.plan.version:
        return None
    newer = read_bundle(raw, after=before)
    outbox.save_fact(BUNDLE, raw)
    outbox.delete_fact(CLOSED)  # it was about the version before
    return newer.plan.version


def take_closing(raw: bytes, outbox: Outbox) -> bool:
    """Store the signed end of the study; return whether it is new. The first one that counts is final."""
    before = outbox.fact(CLOSED)
    if raw == before:
        return False
    check_closing(raw, outbox.fact(BUNDLE))
    if before is not None:
        return False
    outbox.save_fact(CLOSED, raw)
    return True


def check_closing(raw: bytes, known: bytes | None) -> "Closing":
    """Return the end of a study, checked against the newest version of it that is known.

    Raises:
        BadFile: it is damaged, not signed by the study's key, about another study, or about a version that a newer one
            has taken the place of.
    """
    if known is None:
        raise BadFile("there is no version of the study to compare its end with")
    from participant.documents.bundle import read_bundle  # as above
    from participant.documents.statements import read_closing

    bundle = read_bundle(known)
    closing = read_closing(raw, study=bundle.plan.name, key=bundle.plan.signing_key)
    if closing.study_version < bundle.plan.version:
        raise BadFile("this closing is about a version of the study that a newer one has taken the place of")
    if closing.study_version == bundle.plan.version and closing.bundle != bundle.digest:
        raise BadFile("this closing is about another study of the same name and version")
    return closing
