"""What all dialects share: a body encoded once around its pictures, and careful parsing of replies and refusals.

A picture's place is marked in the JSON by a byte that no JSON can hold. So no text can be mistaken for a picture, and
base64 never goes through an encoder. Keys keep the order in which a dialect names them: what changes from one prefix to
the next is named after the pictures.

A refusal is read from the server's text, of which nothing is stored. Codes and types decide where there are any, then
the status, and only then the wording: servers differ most there. Retry-After is either seconds or a date; a date is
taken relative to the server's own `Date` header, since nothing here reads a clock, and the two clocks may differ.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import TypeVar

import msgspec

from detectors.mllm.protocol import THOUGHTS_TOKENS, Body, InvalidReply, Refusal, RefusalKind, RequestOptions, Token
from detectors.mllm.questions import QueryPicture, Usage

_READ_BYTES = 65_536
_ECHO = '"input":'  # behind this some servers repeat the request, whose words are not theirs
_WAIT_MAX_S = 86_400.0

_OVERFLOW = re.compile(
    r"exceed_context_size|context_length_exceeded|model_context_window_exceeded|context (length|size|window|limit)"
    r"|(prompt|input) (is )?too long|maximum number of tokens|token count .{0,40}exceeds|reduce the length"
    r"|request_too_large|request_body_too_large|at most \d+ (image|picture|item)|too many images|image count"
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
_PICTURE = re.compile(r"image|mmproj|multimodal|\bvision\b|media_?type|mime_?type|jpeg")
_CONTEXT = re.compile(
    r"n_ctx\W{1,8}(\d{1,9})|context size \((\d{1,9})|context (?:length|limit|window) (?:is |of )(\d{1,9})"
    r"|> ?(\d{1,9}) max"
)
_DELAY = re.compile(r"retrydelay\W{1,8}(\d{1,6}(?:\.\d{1,9})?)s")


def parse_refusal(status: int, headers: Mapping[str, str], content: bytes) -> Refusal:
    """Return what a status, its headers (in any case) and its body mean."""
    text = content[:_READ_BYTES].decode("utf-8", "replace").lower().partition(_ECHO)[0]
    known = {name.lower(): value for name, value in headers.items()}
    kind = _kind(status, text)
    return Refusal(
        kind=kind,
        status=status,
        retry_after_s=_retry_after(known, text) if kind in {RefusalKind.RATE, RefusalKind.BUSY} else None,
        context_tokens=_context(text) if kind is RefusalKind.OVERFLOW else None,
    )


def _kind(status: int, text: str) -> RefusalKind:
    if status == 413:  # noqa: PLR2004  # payload too large
        return RefusalKind.OVERFLOW
    if status in {401, 403} or _KEY.search(text):
        return RefusalKind.KEY
    if status == 402 or _PAYMENT.search(text):  # noqa: PLR2004  # payment required; waiting does not help
        return RefusalKind.OTHER
    if status == 429:  # noqa: PLR2004  # too many requests; its wording speaks of tokens too
        return RefusalKind.RATE
    if status in {400, 422} or status >= 500:  # noqa: PLR2004  # some say 500 to a request that they cannot take
        if _OVERFLOW.search(text):
            return RefusalKind.OVERFLOW
        if _ANSWER.search(text):
            return RefusalKind.ANSWER
        if status not in {502, 503, 504, 529}:
            if _LOG_PROBS.search(text):
                return RefusalKind.LOG_PROBS
            if _SCHEMA.search(text):
                return RefusalKind.SCHEMA
            if _PICTURE.search(text):
                return RefusalKind.PICTURE
    if status in {408, 409, 425} or status >= 500:  # noqa: PLR2004  # all of these pass
        return RefusalKind.BUSY
    return RefusalKind.OTHER


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
_DATA = b"data:"
_ENCODER = msgspec.json.Encoder()
_COUNT_MAX = 2**40  # more tokens than this cannot be; a sum of them must still fit into a database

DATA_URL = msgspec.Raw(b'"data:image/jpeg;base64,' + _MARK + b'"')  # placeholder in a tree for a picture as a data URL
BASE64 = msgspec.Raw(b'"' + _MARK + b'"')  # placeholder in a tree for a picture as bare base64
T = TypeVar("T")


class TokenOdds(msgspec.Struct):
    """A token and its log-probability, as OpenAI and Ollama give them."""

    token: str
    logprob: float | None = None


class Position(TokenOdds):
    """A token that was written, with the alternatives."""

    top_logprobs: list[TokenOdds] | None = None


class BaseDialect:
    """What most dialects have in common: free text, replies in one piece, a bearer token, errors by `refusals`."""

    decides = False
    key_header, key_prefix = "Authorization", "Bearer "

    def piece(self, line: bytes) -> str:  # noqa: ARG002  # the Protocol's signature
        """Return nothing: replies come whole."""
        return ""

    def refusal(self, status: int, headers: Mapping[str, str], content: bytes) -> Refusal:
        """Return what a status other than 200 means."""
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


def token_limit(options: RequestOptions) -> int:
    """Return how many tokens to allow for thoughts and answer."""
    return options.max_tokens + (THOUGHTS_TOKENS if options.still_thinks else 0)


def decode(decoder: msgspec.json.Decoder[T], content: bytes) -> T:
    """Decode a reply.

    Raises:
        InvalidReply: it is not JSON, or not of this shape.
    """
    try:
        return decoder.decode(content)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise InvalidReply("the reply is not of this dialect") from None


def event_data(line: bytes) -> bytes:
    """Return the data of a line of server-sent events; empty where it is a name, a comment or a blank line."""
    return line.removeprefix(_DATA).strip() if line.startswith(_DATA) else b""


def is_stream(content: bytes) -> bool:
    """Tell whether a reply came as server-sent events instead of one JSON object."""
    return not content.lstrip().startswith(b"{")


def usage(*, tokens_in: int | None, tokens_out: int | None, cached: int | None = 0) -> Usage:
    """Return the usage of one call; impossible counts are cut to the nearest possible ones."""
    read, written, known = (min(max(count or 0, 0), _COUNT_MAX) for count in (tokens_in, tokens_out, cached))
    return Usage(calls=1, tokens_in=read, tokens_out=written, cached=min(known, read))


def tokens(positions: Sequence[Position] | None) -> tuple[Token, ...]:
    """Return the tokens of a reply."""
    return tuple(
        token(at.token, at.logprob, ((other.token, other.logprob) for other in at.top_logprobs or ()))
        for at in positions or ()
    )


def token(text: str, value: float | None, others: Iterable[tuple[str, float | None]]) -> Token:
    """Return a token with its alternatives, the likeliest first as the server listed them."""
    return Token(text, _log_probability(value), tuple((other, _log_probability(log)) for other, log in others))


def _log_probability(value: float | None) -> float:
    return MIN_LOG_PROBABILITY if value is None or math.isnan(value) else max(min(value, 0.0), MIN_LOG_PROBABILITY)
