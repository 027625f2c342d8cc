"""A recording that a participant gives: an export of a session, sealed for the researchers and signed by the person.

Its header names study and participant alone, and carries the joining, so that it can be checked without the collector.
What is inside opens with the participant's own reader key: once that was destroyed, no copy of the file opens.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from participant.documents.invitation import Invitation
from participant.documents.keys import ReaderKey, Sealed, SigningKey, open_sealed, seal
from participant.documents.names import Name, ParticipantId
from participant.documents.signed import Claim, DocumentKind, encode, read_claim, write_signed
from participant.documents.statements import MAX_JOINING_BYTES, Joining, read_statement

MAX_GIVEN_BYTES = 512 << 20
"""What a recording may have in all: it is sealed in memory."""

_FRAME = 64 << 10


class _Whose(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    version: Literal[1] = 1
    study: Name
    participant: ParticipantId


class GivenRecording(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is signed: whose it is, the joining of their key, and the sealed export."""

    whose: _Whose
    joining: Annotated[bytes, Meta(max_length=MAX_JOINING_BYTES)]
    sealed: Sealed


def write_recording(content: bytes, invitation: Invitation, key: SigningKey) -> bytes:
    """Return an export sealed and signed.

    Raises:
        ValueError: it is larger than such a file may be.
    """
    if len(content) > MAX_GIVEN_BYTES - _FRAME:
        raise ValueError("a recording is larger than one that can be given")
    whose = _Whose(study=invitation.study, participant=invitation.participant)
    sealed = seal(content, invitation.readers, bound_to=encode(whose))
    body = GivenRecording(whose=whose, joining=invitation.join(key), sealed=sealed)
    return write_signed(DocumentKind.RECORDING, body, key)


def claim_recording(raw: bytes) -> Claim[GivenRecording]:
    """Return what claims to be a recording; its signature is not checked yet."""
    return read_claim(raw, DocumentKind.RECORDING, GivenRecording, limit=MAX_GIVEN_BYTES)


def open_recording(claim: Claim[GivenRecording], *, study: str, join_key: bytes, reader: ReaderKey) -> bytes:
    """Return the export, once it was checked that the key which joined with the invitation has signed it.

    Raises:
        BadFile: it is changed, of another study or participant, or not sealed for this key.
    """
    whose = claim.body.whose
    joined = read_statement(claim.body.joining, Joining, study=study, participant=whose.participant, key=join_key)
    given = claim.verified_by(joined.key)
    return open_sealed(given.sealed, reader, bound_to=encode(given.whose))
