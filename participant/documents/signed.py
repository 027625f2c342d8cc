"""The one form of everything signed in a study: a line that names the kind, a signature, and a body.

A line such as `KAIROS-PARCEL-1`, 64 bytes of Ed25519 signature over it and the body, then the body: a struct as
msgpack. There is one way to write a body, so whatever a reader would write back differently is refused before its
signature is looked at. The line is signed too, so that nothing signed as one thing passes for another.
"""

from enum import StrEnum
from typing import Any, Generic, TypeVar

import msgspec

from participant.documents.keys import SIGNATURE_BYTES, SigningKey, verify
from storage.errors import BadFile

T = TypeVar("T", bound=msgspec.Struct)


class DocumentKind(StrEnum):
    """What is signed, with the version of its form."""

    STUDY = "KAIROS-STUDY-1"
    INVITATION = "KAIROS-INVITATION-1"
    JOINING = "KAIROS-JOINING-1"
    PARCEL = "KAIROS-PARCEL-1"
    RECEIPT = "KAIROS-RECEIPT-1"
    WITHDRAWAL = "KAIROS-WITHDRAWAL-1"
    DELETION = "KAIROS-DELETION-1"
    CLOSING = "KAIROS-CLOSING-1"
    RESEND = "KAIROS-RESEND-1"
    RECORDING = "KAIROS-RECORDING-1"

    @property
    def line(self) -> bytes:
        """The first line of the file."""
        return f"{self.value}\n".encode()

    @property
    def noun(self) -> str:
        """What it is called in messages."""
        return {
            DocumentKind.STUDY: "study bundle",
            DocumentKind.JOINING: "joining",
            DocumentKind.DELETION: "receipt of a deletion",
            DocumentKind.RESEND: "request to send again",
        }.get(self, self.value.split("-")[1].lower())


_ENCODER = msgspec.msgpack.Encoder(order="deterministic")


def encode(body: object) -> bytes:
    """Return the one msgpack form of a struct, or of a list of structs."""
    return _ENCODER.encode(body)


def decode(raw: bytes, kind: Any, *, what: str) -> Any:
    """Return the value of type `kind` that these bytes stand for.

    Raises:
        BadFile: they are not the one form of such a value; names `what` it should be and quotes nothing.
    """
    try:
        value = msgspec.msgpack.decode(raw, type=kind)
        same = encode(value) == raw
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError, OverflowError):
        same = False
    if not same:
        raise BadFile(f"this is not a valid {what}, or one of another version of Kairos")
    return value


def write_signed(kind: DocumentKind, body: msgspec.Struct, key: SigningKey) -> bytes:
    """Return a body signed."""
    raw = encode(body)
    return kind.line + key.sign(kind.line + raw) + raw


class Claim(Generic[T]):
    """Something that claims to be signed: `body` is not to be trusted before `verified_by` returned it."""

    __slots__ = ("_message", "_signature", "body")

    def __init__(self, body: T, message: bytes, signature: bytes) -> None:
        """Take the body, the bytes that were signed, and the signature."""
        self.body = body
        self._message = message
        self._signature = signature

    def verified_by(self, public: bytes) -> T:
        """Return the body, once its signature was checked with this public key."""
        verify(public, self._message, self._signature)
        return self.body


def read_claim(raw: bytes, kind: DocumentKind, body_type: type[T], *, limit: int) -> Claim[T]:
    """Return something signed, its signature not yet checked.

    Raises:
        BadFile: it is too long, of another kind, or damaged.
    """
    if len(raw) > limit:
        raise BadFile(f"this {kind.noun} is longer than {limit} bytes")
    start = len(kind.line) + SIGNATURE_BYTES
    if not raw.startswith(kind.line) or len(raw) <= start:
        raise BadFile(f"this is no {kind.noun}, or one of another version of Kairos")
    body: T = decode(raw[start:], body_type, what=kind.noun)
    return Claim(body, kind.line + raw[start:], raw[len(kind.line) : start])
