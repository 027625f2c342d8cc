"""What names things in all that travels: studies, people, codes, digests. Light, since the sender imports it."""

import hashlib
from typing import Annotated

from msgspec import Meta

NAME = r"^[a-z][a-z0-9-]{0,31}\Z"
CODE = r"^[a-z][a-z0-9_]{0,31}\Z"

Name = Annotated[str, Meta(pattern=NAME)]
"""What names a study, phase or arm: also in addresses, files and rows."""

Code = Annotated[str, Meta(pattern=CODE)]
"""What names a question, gate, reason or piece of evidence in rows; never words of a person or a screen."""

ParticipantId = Annotated[str, Meta(pattern=r"^[a-z2-7]{16}\Z")]
"""80 random bits as base32: what a participant is called in addresses and rows. Says nothing about anybody."""

DIGEST_BYTES = 32
Digest = Annotated[bytes, Meta(min_length=DIGEST_BYTES, max_length=DIGEST_BYTES)]
"""A SHA-256."""

FIRST = bytes(DIGEST_BYTES)
"""The digest before parcel 0."""


def digest_of(raw: bytes) -> bytes:
    """Return the digest of a parcel or statement, which the next parcel names: SHA-256 of all its bytes."""
    return hashlib.sha256(raw).digest()
