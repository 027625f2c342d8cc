"""Signed statements that go beside parcels: joining, receipt, withdrawal, receipt of a deletion, request to send again.

They are not sealed: the collector, which has no reader key, acts on them, and so does the participant's Kairos. Each
names study and participant, so that none passes for somebody else's.
"""

from itertools import pairwise
from typing import Annotated, Literal, TypeVar

import msgspec
from msgspec import Meta

from participant.documents.keys import PublicBytes, SigningKey
from participant.documents.names import Digest, Name, ParticipantId
from participant.documents.signed import DocumentKind, read_claim, write_signed
from storage.errors import BadFile

MAX_STATEMENT_BYTES = 8 << 10
MAX_JOINING_BYTES = 512
MAX_RANGES = 256
MAX_EXPORTS = 64
MAX_NUMBER = 2**31 - 1
"""The highest number of a parcel."""

S = TypeVar("S", bound="Statement")

Number = Annotated[int, Meta(ge=0, le=MAX_NUMBER)]
Ranges = Annotated[tuple[tuple[Number, Number], ...], Meta(min_length=1, max_length=MAX_RANGES)]
"""First and last number of runs of parcels, in order and apart."""


class Statement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of statements."""

    version: Literal[1] = 1
    study: Name
    participant: ParticipantId


class Joining(Statement, frozen=True, kw_only=True):
    """Binds the key that a participant made to their invitation; signed by the invitation's join key."""

    key: PublicBytes


class Receipt(Statement, frozen=True, kw_only=True):
    """The collector has committed these parcels, so they need not be sent again; signed by the study's receipts key.

    `last` is the digest of the parcel with the highest number.
    """

    ranges: Ranges
    last: Digest

    def covers(self, number: int) -> bool:
        """Whether the parcel of this number has arrived."""
        return any(first <= number <= last for first, last in self.ranges)


class StudyWithdrawal(Statement, frozen=True, kw_only=True):
    """The participant left; signed by their own key.

    `keep` permits keeping what was sent until then; otherwise all of it is to be deleted. `parcels` is how many may
    have been sent, `last` the digest of the last one, or zeros. `joining` is that of parcel 0, so that a collector that
    never got parcel 0, or lost it, can check the withdrawal too.
    """

    keep: bool
    parcels: Number
    last: Digest
    joining: Annotated[bytes, Meta(max_length=MAX_JOINING_BYTES)] | None = None


class DeletionReceipt(Statement, frozen=True, kw_only=True):
    """What was deleted after a withdrawal; signed by the study's receipts key. A statement, no proof.

    `withdrawal` is the digest of the withdrawal, `ranges` the parcels deleted, `last` the digest of the last of them,
    or zeros. `destroyed_key` is the public half of the reader key that was destroyed; None if it was not (yet), or if
    the person permitted keeping what was sent: then nothing was deleted. `exports` names those that cannot be recalled.
    """

    withdrawal: Digest
    ranges: Annotated[tuple[tuple[Number, Number], ...], Meta(max_length=MAX_RANGES)]
    last: Digest
    destroyed_key: PublicBytes | None
    exports: Annotated[tuple[Name, ...], Meta(max_length=MAX_EXPORTS)]


class ResendRequest(Statement, frozen=True, kw_only=True):
    """The collector was restored from a backup and lacks these parcels; signed by the study's receipts key.

    `asked_wall_ns` is the time of the request, by the collector's clock: a participant's Kairos acts on a request only
    if it is newer than the last, so that nobody makes it send again by repeating an old one.
    """

    ranges: Ranges
    asked_wall_ns: Annotated[int, Meta(ge=0, le=2**63 - 1)]


_KINDS: dict[type[Statement], DocumentKind] = {
    Joining: DocumentKind.JOINING,
    Receipt: DocumentKind.RECEIPT,
    StudyWithdrawal: DocumentKind.WITHDRAWAL,
    DeletionReceipt: DocumentKind.DELETION,
    ResendRequest: DocumentKind.RESEND,
}


def write_statement(statement: Statement, key: SigningKey) -> bytes:
    """Return a statement signed."""
    return write_signed(_KINDS[type(statement)], statement, key)


def read_statement(raw: bytes, kind: type[S], *, study: str, participant: str, key: bytes) -> S:
    """Return a statement, once it was checked with the public key that must have signed it.

    A joining is signed by the join key of the invitation, a withdrawal by the participant, and receipts and requests by
    the study's receipts key.

    Raises:
        BadFile: it is damaged, not signed by that key, or about another study or participant.
    """
    statement = read_claim(raw, _KINDS[kind], kind, limit=MAX_STATEMENT_BYTES).verified_by(key)
    if (statement.study, statement.participant) != (study, participant):
        raise BadFile(f"this {_KINDS[kind].noun} is about another study or participant")
    _check_ranges(getattr(statement, "ranges", ()))
    return statement


def _check_ranges(ranges: tuple[tuple[int, int], ...]) -> None:
    """Check that runs are in order and apart, so that one set of numbers has one form."""
    ordered = all(first <= last for first, last in ranges)
    if not ordered or any(before[1] + 1 >= after[0] for before, after in pairwise(ranges)):
        raise BadFile("the numbers of parcels in it are not in order")


MAX_CLOSING_BYTES = 1024


class Closing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is signed: the study, its last version, the SHA-256 of its bundle, and the date.

    `date` counts days since 1970-01-01 (UTC). It is the last day of everybody who still takes part.
    """

    version: Literal[1] = 1
    study: Name
    study_version: Annotated[int, Meta(ge=1, le=9_999)]
    bundle: Annotated[bytes, Meta(min_length=32, max_length=32)]
    date: Annotated[int, Meta(ge=0, le=100_000)]


def read_closing(raw: bytes, *, study: str, key: bytes) -> Closing:
    """Return the end of a study, once its signature was checked with the study's signing key.

    Raises:
        BadFile: it is damaged, not signed by that key, or about another study.
    """
    closing = read_claim(raw, DocumentKind.CLOSING, Closing, limit=MAX_CLOSING_BYTES).verified_by(key)
    if closing.study != study:
        raise BadFile("this closing is about another study")
    return closing
