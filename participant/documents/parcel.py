"""Parcels: rows sealed for the researchers, signed by the participant, each chained to the one before.

A parcel is signed (`signed`) over a header that everybody can read and a sealed body. The header says whose it
is and in which order; the body says something to readers alone. Rows are packed as msgpack, compressed, and padded to a
multiple of 512 bytes, so that the size tells little. Parcel 0 carries the `Joining` that binds the participant's key to
their invitation; from then on the collector, which opens nothing, can check every parcel.
"""

import zlib
from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from participant.documents.keys import MAX_READERS, SEALED_KEY_BYTES, Sealed, SigningKey, seal
from participant.documents.names import Digest, Name, ParticipantId
from participant.documents.rows import Row, TooManyRowsError, encode_rows
from participant.documents.signed import Claim, DocumentKind, encode, read_claim, write_signed
from participant.documents.statements import MAX_JOINING_BYTES, Number

MAX_PARCEL_BYTES = 64_000
"""What a parcel may have in all."""

PADDING = 512
BOX_OVERHEAD = 40
"""Bytes of nonce and tag that sealing adds to the padded body."""

LENGTH_BYTES = 4
_HEADER_BYTES = 1_500  # more than a header with a joining, its names at their longest, and the frame around both
_MAX_BODY = (MAX_PARCEL_BYTES - _HEADER_BYTES - MAX_READERS * SEALED_KEY_BYTES) // PADDING * PADDING


class Header(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the collector can read: whose parcel it is, its number, the digest of the one before, and the joining."""

    version: Literal[1] = 1
    study: Name
    participant: ParticipantId
    n: Number
    previous: Digest
    joining: Annotated[bytes, Meta(max_length=MAX_JOINING_BYTES)] | None = None


class Parcel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A parcel whose signature was checked, still sealed."""

    header: Header
    sealed: Sealed


def write_parcel(rows: Sequence[Row], header: Header, key: SigningKey, readers: Sequence[bytes]) -> bytes:
    """Return a parcel.

    Raises:
        TooManyRowsError: the rows are too many for one.
        ValueError: a row is out of its range.
    """
    if (header.joining is not None) != (header.n == 0):
        raise ValueError("parcel 0 carries the joining, and no other does")
    packed = zlib.compress(encode_rows(rows), 9)
    body = len(packed).to_bytes(LENGTH_BYTES) + packed
    body += bytes(-len(body) % PADDING)
    if len(body) > _MAX_BODY:
        raise TooManyRowsError("these rows are too many for one parcel")
    sealed = seal(body, readers, bound_to=encode(header))
    return write_signed(DocumentKind.PARCEL, Parcel(header=header, sealed=sealed), key)


def claim_parcel(raw: bytes) -> Claim[Parcel]:
    """Return what claims to be a parcel; its signature is not checked yet."""
    return read_claim(raw, DocumentKind.PARCEL, Parcel, limit=MAX_PARCEL_BYTES)


def read_header(raw: bytes) -> Header:
    """Return what a parcel says about itself, without checking it: for looking up who sends, and for lists."""
    return claim_parcel(raw).body.header
