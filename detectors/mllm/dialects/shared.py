"""What all dialects share: a body encoded once around its pictures, and careful reading of replies.

A picture's place is marked in the JSON by a byte that no JSON can hold, so nothing that anybody wrote can be taken for
one, and its base64 never goes through an encoder. Keys keep the order in which a dialect names them: what changes from
one prefix to the next is named after the pictures.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec

from detectors.mllm.questions import Picture, Usage
from detectors.mllm.wire import THOUGHTS_TOKENS, Body, InvalidReply, RequestOptions, Token

NEVER = -9999.0
"""Log-probability of a token that a server calls impossible (null, or minus infinity)."""

_MARK = b"\xff"
_ENCODER = msgspec.json.Encoder()
_COUNT_MAX = 2**40  # more tokens than this are nonsense; a sum of them must still fit into a database

DATA_URL = msgspec.Raw(b'"data:image/jpeg;base64,' + _MARK + b'"')
"""Stands in a tree for a picture as a data URL."""

BASE64 = msgspec.Raw(b'"' + _MARK + b'"')
"""Stands in a tree for a picture as bare base64."""

T = TypeVar("T")


def body(tree: Mapping[str, object], pictures: Sequence[Picture]) -> Body:
    """Encode a tree that holds `DATA_URL` or `BASE64` once for each picture, in their order."""
    texts = _ENCODER.encode(tree).split(_MARK)
    parts: list[bytes | Picture] = [texts[0]]
    for picture, text in zip(pictures, texts[1:], strict=True):
        parts += [picture, text]
    return Body(parts=tuple(parts))


def joined(*texts: str) -> str:
    """Return texts as paragraphs, without the empty ones."""
    return "\n\n".join(text for text in texts if text)


def room(how: RequestOptions) -> int:
    """Return how many tokens to allow for thoughts and answer."""
    return how.max_tokens + (THOUGHTS_TOKENS if how.still_thinks else 0)


def decoded(decoder: msgspec.json.Decoder[T], content: bytes) -> T:
    """Decode a reply.

    Raises:
        Nonsense: it is not JSON, or not of this shape.
    """
    try:
        return decoder.decode(content)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise InvalidReply("the reply is not of this dialect") from None


def usage(*, tokens_in: int | None, tokens_out: int | None, cached: int | None = 0) -> Usage:
    """Return the usage of one call; counts that make no sense are cut to what does."""
    read, written, known = (min(max(count or 0, 0), _COUNT_MAX) for count in (tokens_in, tokens_out, cached))
    return Usage(calls=1, tokens_in=read, tokens_out=written, cached=min(known, read))


def log_probability(value: float | None) -> float:
    """Return a log-probability as a number that is at most 0."""
    return NEVER if value is None or math.isnan(value) else max(min(value, 0.0), NEVER)


def token(text: str, value: float | None, others: Iterable[tuple[str, float | None]]) -> Token:
    """Return a token with its alternatives, the likeliest first as the server listed them."""
    return Token(text, log_probability(value), tuple((other, log_probability(odds)) for other, odds in others))
