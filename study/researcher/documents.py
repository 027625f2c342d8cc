"""What the researcher's side alone writes and reads of `participant.documents`: studies, invitations, parcels, ends."""

import os
import zlib
from collections.abc import Iterable
from pathlib import Path

import msgspec

from participant.documents.bundle import BundleBody, Document, check_consent, read_bundle
from participant.documents.invitation import Invitation
from participant.documents.keys import ReaderKey, SigningKey, open_sealed
from participant.documents.names import FIRST
from participant.documents.parcel import BOX_OVERHEAD, LENGTH_BYTES, PADDING, Header, Parcel, claim_parcel
from participant.documents.plan import MAX_FILE_BYTES, Plan, PlannedPhase, parse_plan, read_text
from participant.documents.private_files import unwritable
from participant.documents.rows import MAX_ROWS_BYTES, Row, decode_rows
from participant.documents.signed import DocumentKind, encode, read_claim, write_signed
from participant.documents.statements import MAX_STATEMENT_BYTES, Closing, Joining, StudyWithdrawal, read_statement
from storage.errors import BadFile
from storage.files import open_file


def write_bundle(plan_text: str, consent: dict[str, str], key: SigningKey) -> bytes:
    """Return a signed bundle of a study file and its consent texts by language.

    Raises:
        BadFile: the study file or a consent text is not valid, or the key is not the half of `keys.signing` in it.
    """
    plan = parse_plan(plan_text)
    if plan.signing_key != key.public:
        raise BadFile("keys.signing of the study file is not the public half of the key that signs")
    for language, text in consent.items():
        check_consent(text, where=f"consent.{language}.md")
    body = BundleBody(
        name=plan.name,
        version=plan.version,
        plan=Document.of(plan_text),
        consent={language: Document.of(text) for language, text in consent.items()},
    )
    raw = write_signed(DocumentKind.STUDY, body, key)
    read_bundle(raw)
    return raw


def write_invitation(invitation: Invitation, key: SigningKey) -> bytes:
    """Return an invitation signed with the study's key."""
    return write_signed(DocumentKind.INVITATION, invitation, key)


def write_closing(closing: Closing, key: SigningKey) -> bytes:
    """Return the end of a study, signed with the study's key."""
    return write_signed(DocumentKind.CLOSING, closing, key)


def read_leaver(
    raw: bytes, *, study: str, participant: str, join_key: bytes, key: bytes | None = None
) -> tuple[StudyWithdrawal, bytes]:
    """Return a withdrawal and the key that signed it; where that is not known, the joining in the statement says it.

    Raises:
        BadFile: it is damaged, carries no joining of the invitation, or is not signed by the key.
    """
    if key is None:
        joining = read_claim(raw, DocumentKind.WITHDRAWAL, StudyWithdrawal, limit=MAX_STATEMENT_BYTES).body.joining
        if joining is None:
            raise BadFile("this withdrawal is by somebody of whom nothing has arrived, and does not say who joined")
        key = read_statement(joining, Joining, study=study, participant=participant, key=join_key).key
    return read_statement(raw, StudyWithdrawal, study=study, participant=participant, key=key), key


def missing_below(numbers: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Return the runs that are missing below the highest of some numbers in order; which a hostile sender chooses."""
    found: list[tuple[int, int]] = []
    expected = 0
    for number in numbers:
        if number > expected:
            found.append((expected, number - 1))
        expected = number + 1
    return tuple(found)


class Sender(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about who sends: public keys of the invitation and, once parcel 0 was read, of the participant."""

    study: str
    participant: str
    join_key: bytes
    key: bytes | None = None


def read_parcel(raw: bytes, sender: Sender) -> tuple[Parcel, bytes]:
    """Return a parcel and the participant's public key, once its signature was checked.

    Raises:
        BadFile: it is damaged, not this participant's, or not signed by the key that they joined with.
    """
    claim = claim_parcel(raw)
    key = _key_of(claim.body.header, sender)
    parcel = claim.verified_by(key)
    if (len(parcel.sealed.box) - BOX_OVERHEAD) % PADDING or len(parcel.sealed.box) <= BOX_OVERHEAD:
        raise BadFile("this parcel is not padded")
    return parcel, key


def _key_of(header: Header, sender: Sender) -> bytes:
    if (header.study, header.participant) != (sender.study, sender.participant):
        raise BadFile("this parcel is of another study or participant")
    if header.n > 0:
        if header.joining is not None or sender.key is None:
            raise BadFile("this parcel came before the first one, or claims to be it")
        return sender.key
    if header.joining is None or header.previous != FIRST:
        raise BadFile("this first parcel does not say who joined")
    key = read_statement(
        header.joining, Joining, study=sender.study, participant=sender.participant, key=sender.join_key
    ).key
    if sender.key not in (None, key):
        raise BadFile("this participant joined with another key before")
    return key


def open_parcel(parcel: Parcel, key: ReaderKey) -> tuple[Row, ...]:
    """Return the rows of a parcel, for a reader.

    Raises:
        BadFile: it is not sealed for this key, or holds anything but rows.
    """
    body = open_sealed(parcel.sealed, key, bound_to=encode(parcel.header))
    length = int.from_bytes(body[:LENGTH_BYTES])
    packed, padding = body[LENGTH_BYTES : LENGTH_BYTES + length], body[LENGTH_BYTES + length :]
    if len(packed) != length or len(padding) >= PADDING or any(padding):
        raise BadFile("the body of this parcel is not padded as it should be")
    return decode_rows(_decompress(packed))


def _decompress(packed: bytes) -> bytes:
    """Return what was compressed, reading no more than a parcel may hold: a bomb stops there."""
    inflater = zlib.decompressobj()
    try:
        raw = inflater.decompress(packed, MAX_ROWS_BYTES + 1)
    except zlib.error:
        raise BadFile("the body of this parcel is not compressed as it should be") from None
    if len(raw) > MAX_ROWS_BYTES or not inflater.eof or inflater.unused_data:
        raise BadFile(f"the body of this parcel is cut off, or larger than {MAX_ROWS_BYTES} bytes")
    return raw


def append_private(path: Path, data: bytes) -> None:
    """Append to a private file, which is made if there is none, and wait until it is on the disk.

    Raises:
        EnvironmentFault: it cannot be written.
    """
    try:
        with os.fdopen(open_file(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), "ab") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise unwritable(path, error) from error


def ranges_of(numbers: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Return numbers of parcels as runs, in order."""
    runs: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if runs and runs[-1][1] == number - 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return tuple(runs)


def read_plan(path: Path) -> Plan:
    """Return the study in a file."""
    return parse_plan(read_text(path, limit=MAX_FILE_BYTES), where=str(path))


def phase_on(plan: Plan, day: int) -> PlannedPhase | None:
    """Return the phase of a day of participation, counted from 1; None before and after the study."""
    if day < 1:
        return None
    for phase in plan.phases:
        if day <= phase.days:
            return phase
        day -= phase.days
    return None
