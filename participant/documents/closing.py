"""The end of a study, signed: from then on arms need no longer be masked, and nobody's days go on.

Signed with the key that signed the study, so that whoever brings it to participants (the collector, the broker, a
file) cannot make it.
"""

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from participant.documents.keys import SigningKey
from participant.documents.plan import Name
from participant.documents.signed import Kind, read_claim, write_signed
from storage.errors import BadFile

MAX_CLOSING_BYTES = 1024
SUFFIX = ".kairos-closing"


class Closing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is signed: the study, its last version, the SHA-256 of its bundle, and the date.

    `date` counts days since 1970-01-01 (UTC). It is the last day of everybody who still takes part.
    """

    version: Literal[1] = 1
    study: Name
    study_version: Annotated[int, Meta(ge=1, le=9_999)]
    bundle: Annotated[bytes, Meta(min_length=32, max_length=32)]
    date: Annotated[int, Meta(ge=0, le=100_000)]


def closing_file(folder: Path, study: str) -> Path:
    """Return where the signed end of a study lies in the researcher's folder; there is none before it is closed."""
    return folder / "signed" / f"{study}{SUFFIX}"


def write_closing(closing: Closing, key: SigningKey) -> bytes:
    """Return the end of a study, signed with the study's key."""
    return write_signed(Kind.CLOSING, closing, key)


def read_closing(raw: bytes, *, study: str, key: bytes) -> Closing:
    """Return the end of a study, once its signature was checked with the study's signing key.

    Raises:
        BadFile: it is damaged, not signed by that key, or about another study.
    """
    closing = read_claim(raw, Kind.CLOSING, Closing, limit=MAX_CLOSING_BYTES).verified_by(key)
    if closing.study != study:
        raise BadFile("this closing is about another study")
    return closing
