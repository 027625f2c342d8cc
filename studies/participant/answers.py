"""What the collector answers: checked with the key of its receipts, then stored in the outbox.

Answers come from a broker or in a file, and whoever brings them may have made them up: none changes the outbox before
its signature was checked. A forged receipt would else end the sending of what was never received.
"""

from storage.errors import BadFile
from studies.names import digest_of
from studies.participant.outbox import BUNDLE, DELETION, WITHDRAWAL, Address, Outbox
from studies.signed import Kind
from studies.statements import DeletionReceipt, Receipt, ResendRequest, read_deletion, read_receipt, read_resend

MAX_ANSWER_BYTES = 512 << 10
"""What is taken from a broker at most; the largest is a study, `studies.bundle.MAX_BUNDLE_BYTES`."""

Answer = Receipt | DeletionReceipt | ResendRequest


def take_answer(raw: bytes, outbox: Outbox, address: Address) -> tuple[Answer, int]:
    """Store what the collector says to this participant; return it, and how many parcels it changed.

    Taking the same answer again changes nothing.

    Raises:
        BadFile: it is damaged, not signed by the collector, about somebody else, or not about what was sent from here.
        EnvironmentFault: the outbox cannot be written.
    """
    kind = raw[: raw.find(b"\n") + 1]
    study, participant, key = address.study, address.participant, address.receipts_key
    if kind == Kind.RECEIPT.line:
        receipt = read_receipt(raw, study=study, participant=participant, key=key)
        highest = receipt.ranges[-1][1]
        if outbox.digest(highest) != receipt.last:
            raise BadFile(f"this receipt is for another parcel {highest} than the one in the outbox")
        return receipt, outbox.receive(receipt)
    if kind == Kind.DELETION.line:
        deletion = read_deletion(raw, study=study, participant=participant, key=key)
        left = outbox.statement(WITHDRAWAL)
        if left is None or deletion.withdrawal != digest_of(left[0]):
            raise BadFile("this receipt of a deletion answers another withdrawal than the one in the outbox")
        outbox.save_statement(DELETION, raw, answered=True)
        outbox.save_statement(WITHDRAWAL, left[0], answered=True)
        return deletion, 0
    if kind == Kind.RESEND.line:
        request = read_resend(raw, study=study, participant=participant, key=key)
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
    from studies.bundle import read_bundle  # what reads a study takes 0.05 s to load, and is hardly ever wanted

    before = read_bundle(known)
    newer = read_bundle(raw)
    if newer.plan.signing_key == before.plan.signing_key and newer.plan.version <= before.plan.version:
        return None
    newer = read_bundle(raw, after=before)
    outbox.save_fact(BUNDLE, raw)
    return newer.plan.version
