"""What is stored of a request before it leaves for a model, and the checks that it passes first."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

SECRET_HEADERS = frozenset({"authorization", "proxy-authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie"})
"""Headers that carry keys; a request that has one was built wrongly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentPicture:
    """A picture of a request: the SHA-256 of its JPEG in hex, and the JPEG, which stands in the body as base64."""

    digest: str
    jpeg: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingRequest:
    """A request about to leave.

    Attributes:
        at_wall_ns: when.
        session: the folder of the session whose pictures it holds, resolved; empty if it belongs to none.
        purpose: what it is for: a tier of models, or a command.
        endpoint: name of the preset.
        address: where it goes.
        path: below the address.
        headers: without the key's.
        model: the model that is queried.
        parts: the body: bytes, and pictures that stand for their base64.
        digest: SHA-256 of the whole body in hex.
        stores_pictures: whether its pictures may be stored; if not, their digests and sizes are.
    """

    at_wall_ns: int
    session: str = ""
    purpose: str
    endpoint: str
    address: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    model: str
    parts: Sequence[bytes | SentPicture]
    digest: str
    stores_pictures: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a request used, as the server counted it."""

    tokens_in: int = 0
    tokens_out: int = 0
    cached: int = 0
    dollars: float = 0.0


def check_request(request: OutgoingRequest) -> int:
    """Check that a request may be stored; return the bytes of its body.

    Raises:
        ValueError: the request carries a key, or its parts do not make up the body with that digest: they could not be
            shown as what was sent.
    """
    if named := SECRET_HEADERS & {name.lower() for name in request.headers}:
        raise ValueError(f"a request to be stored has a header {min(named)}")
    whole, size = hashlib.sha256(), 0
    for part in request.parts:
        piece = part if isinstance(part, bytes) else base64.b64encode(part.jpeg)
        whole.update(piece)
        size += len(piece)
    if whole.hexdigest() != request.digest:
        raise ValueError("the parts of a request to be stored are not those of its body")
    return size
