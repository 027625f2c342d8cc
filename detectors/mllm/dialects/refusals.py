"""What a status other than 200 means. Reads the server's text, stores none of it, and never raises.

Codes and types decide where there are any, then the status, and only then the wording: servers differ most there.
Retry-After is either seconds or a date; a date is taken relative to the server's own `Date` header, since nothing here
reads a clock, and the two clocks may differ anyway.
"""

import math
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from detectors.mllm.protocol import Refusal, RefusalKind

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
