"""What all dialects share: a body encoded once around its pictures, and careful parsing of replies and refusals.

A picture's place is marked in the JSON by a byte that no JSON can hold. So no text can be mistaken for a picture, and
base64 never goes through an encoder. Keys keep the order in which a dialect names them: what changes from one prefix to
the next is named after the pictures.

A refusal is read from the server's text, of which nothing is stored. Codes and types decide where there are any, then
the status, and only then the wording: servers differ most there. Many report an error under status 200, some within a
stream; then the status that they name in it counts, or 400. Retry-After is either seconds or a date; a date is taken
relative to the server's own `Date` header, since nothing here reads a clock, and the two clocks may differ.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import TypeVar

import msgspec

from detectors.mllm.dialects import events
from detectors.mllm.protocol import Body, InvalidReply, Refusal, RefusalKind, Token
from detectors.mllm.questions import QueryPicture, Usage

_OK = 200
_WORKED = (_OK, 408, 500, 502, 504, *range(520, 528))
"""Statuses after which the server, or one behind it, may have answered the request and charge for it."""

_MAY_HAVE_WORKED = frozenset(
    {RefusalKind.ANSWER, RefusalKind.BUSY, RefusalKind.OTHER, RefusalKind.UNREADABLE, RefusalKind.COMPRESSED}
)
_READ_BYTES = 65_536
_GZIP = b"\x1f\x8b"
_ECHO = '"input":'  # behind this some servers repeat the request, whose words are not theirs
_WAIT_MAX_S = 86_400.0

_OVERFLOW = re.compile(
    r"exceed_context_size|context_length_exceeded|model_context_window_exceeded|context (length|size|window|limit)"
    r"|(prompt|input) (is )?too (long|large)|maximum number of tokens|token count .{0,40}exceeds|reduce the length"
    r"|request_too_large|request_body_too_large|at most \d+ (image|picture|item)|too many (images|tokens)|image count"
    r"|max(imum)?[_ ](prompt|model|seq|sequence|input|total)_?[ _]?(len|tokens)|exceed\w* (model )?(token|size) limit"
    r"|(payload )?size exceeds the limit|range of input length|inputs\W{1,2}tokens \+"
)
_KEY = re.compile(
    r"api_key_invalid|api key not valid|invalid_api_key|incorrect api key|authentication_error|missing api key"
)
_PAYMENT = re.compile(r"insufficient_quota|billing_error|insufficient (credits|balance|funds)|spend_limit_reached")
_SCHEMA = re.compile(
    r"response_?format|json_?schema|response_?schema|output_config|grammar|structured output|response_?mime_?type"
    r"|invalid format|format must be"
)
_LOG_PROBS = re.compile(r"log_?probs|log.?probabilit")
_ANSWER = re.compile(r"model produced output that does not match")  # llama-server, of an answer that was cut off
_PICTURE = re.compile(
    r"image|mmproj|multimodal|\bvision\b|media_?type|mime_?type|jpeg|unsupported content"
    r"|\bcontent\W.{0,80}(must be a|expected a|valid) string"  # where texts alone are read
)
_FORBIDDEN = re.compile(r"region|country|territor|location|moderation|flagged|blocked|\borigin\b|error code: ?1\d{3}")
_RATE = re.compile(r"rate.?limit|too many requests|resource_exhausted")
_BUSY = re.compile(
    r"overloaded|unavailable|loading model|model is loading|server busy|try again later|temporarily|at capacity"
)
_ANY, _PAGE, _NOTHING = map(re.compile, ("", "^<", "^$"))
_CONTEXT = re.compile(
    r"n_ctx\W{1,8}(\d{1,9})|context size \((\d{1,9})|context (?:length|limit|window) (?:is |of )(\d{1,9})"
    r"|> ?(\d{1,9}) max"
)
_DELAY = re.compile(r"retrydelay\W{1,8}(\d{1,6}(?:\.\d{1,9})?)s")

_ALL = range(-1, 1000)
_SERVER = range(500, 1000)
_PAGES = (_OK, 400, 403, 404, 405, 406, 410, 411, 415, 421, 451, 511)  # the others say by themselves what is wrong
_REQUEST = (_OK, 400, 422)  # the request itself is wrong, or what is wrong is not said
_REFUSED = (*_REQUEST, *_SERVER)  # some say 500 to a request that they cannot take
_STATED = tuple(status for status in _REFUSED if status not in {502, 503, 504, 529})
_RULES = (
    (RefusalKind.OVERFLOW, (413,), _ANY),
    (RefusalKind.PAGE, _PAGES, _PAGE),
    (RefusalKind.BUSY, _SERVER, _PAGE),
    (RefusalKind.KEY, _ALL, _KEY),
    (RefusalKind.FORBIDDEN, (403,), _FORBIDDEN),
    (RefusalKind.KEY, (401, 403), _ANY),
    (RefusalKind.OTHER, (402,), _ANY),
    (RefusalKind.OTHER, _ALL, _PAYMENT),  # waiting does not help
    (RefusalKind.RATE, (429,), _ANY),  # its wording speaks of tokens too
    (RefusalKind.UNREADABLE, (_OK,), _NOTHING),
    (RefusalKind.OVERFLOW, _REFUSED, _OVERFLOW),
    (RefusalKind.ANSWER, _REFUSED, _ANSWER),
    (RefusalKind.LOG_PROBS, _STATED, _LOG_PROBS),
    (RefusalKind.SCHEMA, _STATED, _SCHEMA),
    (RefusalKind.PICTURE, _STATED, _PICTURE),
    (RefusalKind.RATE, (_OK,), _RATE),
    (RefusalKind.BUSY, (_OK,), _BUSY),
    (RefusalKind.BUSY, (408, 409, 425, *_SERVER), _ANY),
)
"""The first rule that holds says what a status and a text mean."""


def parse_refusal(status: int, headers: Mapping[str, str], content: bytes) -> Refusal:
    """Return what a status, its headers (in any case) and its body mean; under 200 of a body that is no reply."""
    known = {name.lower(): value for name, value in headers.items()}
    text = content[:_READ_BYTES].decode("utf-8-sig", "replace").lower().partition(_ECHO)[0].lstrip()
    begun = False
    if status == _OK:
        found = events.split(content).objects
        errors = [events.error_in(tree, bare=len(found) == 1) for tree in found]
        begun = any(error is None for error in errors)
        error = next((error for error in errors if error is not None), None)
        if error is not None:
            status, text = _error_status(error), _error_text(error)
        elif not text.startswith("<"):
            text = ""  # words of a model would be taken for the server's
    kind = _kind(status, text)
    is_said = known.get("content-encoding", "identity").lower() not in ("", "identity")
    compressed = is_said or content.startswith(_GZIP)
    if compressed and status in _REQUEST and kind in {RefusalKind.OTHER, RefusalKind.UNREADABLE}:
        kind = RefusalKind.COMPRESSED
    return Refusal(
        kind=kind,
        status=status,
        retry_after_s=_retry_after(known, text) if kind in {RefusalKind.RATE, RefusalKind.BUSY} else None,
        context_tokens=_context(text) if kind is RefusalKind.OVERFLOW else None,
        billed=begun or (kind in _MAY_HAVE_WORKED and status in _WORKED),
    )


def error_kind(error: object) -> RefusalKind:
    """Return what an error means that a server reports under status 200."""
    return _kind(_error_status(error), _error_text(error))


def _error_text(error: object) -> str:
    return json.dumps(error, separators=(",", ":"))[:_READ_BYTES].lower().partition(_ECHO)[0]


def _error_status(error: object) -> int:
    """Return the status that an error names; 200 where it names none."""
    for name in ("code", "status", "status_code", "statusCode"):
        value = events.at(error, name)
        if isinstance(value, int | str) and re.fullmatch(r"[45]\d\d", str(value)):
            return int(value)
    return _OK


def _kind(status: int, text: str) -> RefusalKind:
    fitting = (kind for kind, statuses, pattern in _RULES if status in statuses and pattern.search(text))
    return next(fitting, RefusalKind.OTHER)


def _retry_after(headers: Mapping[str, str], text: str) -> float | None:
    if (delay := _DELAY.search(text)) is not None:
        return _seconds(float(delay[1]))
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        try:
            return _seconds(float(value) * unit)
        except ValueError:
            continue
    try:
        until = parsedate_to_datetime(headers.get("retry-after", ""))
        return _seconds((until - parsedate_to_datetime(headers.get("date", ""))).total_seconds())
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _seconds(value: float) -> float | None:
    return min(max(value, 0.0), _WAIT_MAX_S) if math.isfinite(value) else None


def _context(text: str) -> int | None:
    match = _CONTEXT.search(text)
    size = int(next(group for group in match.groups() if group)) if match else 0
    return size or None


MIN_LOG_PROBABILITY = -9999.0  # log-probability of a token that a server calls impossible (null, or minus infinity)
_MARK = b"\xff"
_ENCODER = msgspec.json.Encoder()
_COUNT_MAX = 2**40  # more tokens than this cannot be; a sum of them must still fit into a database

DATA_URL = msgspec.Raw(b'"data:image/jpeg;base64,' + _MARK + b'"')  # placeholder in a tree for a picture as a data URL
BASE64 = msgspec.Raw(b'"' + _MARK + b'"')  # placeholder in a tree for a picture as bare base64
T = TypeVar("T")


class BaseDialect:
    """What most dialects have in common: free text, replies in one piece, a bearer token, errors by `refusals`."""

    decides = False
    key_header, key_prefix = "Authorization", "Bearer "

    def piece(self, line: bytes) -> str:  # noqa: ARG002  # the Protocol's signature
        """Return nothing: replies come whole."""
        return ""

    def refusal(self, status: int, headers: Mapping[str, str], content: bytes) -> Refusal:
        """Return what a status means, or under 200 a body that is no reply."""
        return parse_refusal(status, headers, content)

    def authorization(self, key: str) -> Mapping[str, str]:
        """Return the header that carries a key."""
        return {self.key_header: self.key_prefix + key}


def encode_body(tree: Mapping[str, object], pictures: Sequence[QueryPicture]) -> Body:
    """Encode a tree that holds `DATA_URL` or `BASE64` once for each picture, in their order."""
    texts = _ENCODER.encode(tree).split(_MARK)
    parts: list[bytes | QueryPicture] = [texts[0]]
    for picture, text in zip(pictures, texts[1:], strict=True):
        parts += [picture, text]
    return Body(parts=tuple(parts))


def paragraphs(*texts: str) -> str:
    """Join texts as paragraphs, without the empty ones."""
    return "\n\n".join(text for text in texts if text)


def decode(decoder: msgspec.json.Decoder[T], content: bytes) -> T:
    """Decode a reply.

    Raises:
        InvalidReply: it is not JSON, or not of this shape.
    """
    try:
        return decoder.decode(content)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise InvalidReply("the reply is not of this dialect") from None


def usage(*, tokens_in: int | None, tokens_out: int | None, cached: int | None = 0) -> Usage:
    """Return the usage of one call; impossible counts are cut to the nearest possible ones."""
    read, written, known = (min(max(count or 0, 0), _COUNT_MAX) for count in (tokens_in, tokens_out, cached))
    return Usage(calls=1, tokens_in=read, tokens_out=written, cached=min(known, read))


def token(text: str, value: float | None, others: Iterable[tuple[str, float | None]]) -> Token:
    """Return a token with its alternatives, the likeliest first as the server listed them."""
    return Token(text, _log_probability(value), tuple((other, _log_probability(log)) for other, log in others))


def _log_probability(value: float | None) -> float:
    return MIN_LOG_PROBABILITY if value is None or math.isnan(value) else max(min(value, 0.0), MIN_LOG_PROBABILITY)
