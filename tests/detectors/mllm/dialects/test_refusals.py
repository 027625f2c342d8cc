"""Refusals: what servers' errors mean, as they were seen or documented, and that nothing makes the reader fail."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detectors.mllm import dialects
from detectors.mllm.dialects.refusals import refusal
from detectors.mllm.wire import RefusalKind

LLAMA_OVERFLOW = {
    "error": {
        "code": 400,
        "message": "request (20000 tokens) exceeds the available context size (16384 tokens), try increasing it",
        "type": "exceed_context_size_error",
        "n_prompt_tokens": 20000,
        "n_ctx": 16384,
    }
}
LLAMA_CUT = {
    "error": {
        "code": 500,
        "message": "The model produced output that does not match the expected peg-native format",
        "type": "server_error",
    }
}
ECHO = {"image": "jpeg", "response_format": "context_length_exceeded"}
RESOURCE_EXHAUSTED = {
    "error": {
        "code": 429,
        "message": "You exceeded your current quota. Quota exceeded for metric: input_token_count, limit: 250000",
        "status": "RESOURCE_EXHAUSTED",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "13.5s"}],
    }
}


def anthropic(kind: str, message: str) -> object:
    """Return an error as Anthropic shapes it."""
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


@pytest.mark.parametrize(
    ("status", "said", "kind"),
    [
        (400, LLAMA_OVERFLOW, RefusalKind.OVERFLOW),
        (400, {"error": json.dumps(LLAMA_OVERFLOW)}, RefusalKind.OVERFLOW),  # Ollama wraps its runner's words
        (400, {"error": "prompt too long; exceeded max context length by 8 tokens"}, RefusalKind.OVERFLOW),
        (400, {"error": {"code": "context_length_exceeded", "param": "messages"}}, RefusalKind.OVERFLOW),
        (
            400,
            anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
            RefusalKind.OVERFLOW,
        ),
        (413, anthropic("request_too_large", "Request exceeds the maximum size"), RefusalKind.OVERFLOW),
        (400, {"error": {"message": "At most 4 image(s) may be provided in one prompt."}}, RefusalKind.OVERFLOW),
        (
            400,
            {"error": {"message": "The input token count (9) exceeds the maximum number of tokens"}},
            RefusalKind.OVERFLOW,
        ),
        (422, {"detail": [{"msg": "Dictionary should have at most 4 items", "input": ECHO}]}, RefusalKind.OVERFLOW),
        (422, {"detail": [{"msg": "Extra inputs are not permitted", "input": ECHO}]}, RefusalKind.OTHER),
        (429, RESOURCE_EXHAUSTED, RefusalKind.RATE),
        (429, anthropic("rate_limit_error", "too many tokens a minute"), RefusalKind.RATE),
        (429, {"error": {"code": "insufficient_quota", "message": "check your plan"}}, RefusalKind.OTHER),
        (402, {"error": {"message": "Insufficient credits"}}, RefusalKind.OTHER),
        (400, anthropic("billing_error", "Your credit balance is too low"), RefusalKind.OTHER),
        (529, anthropic("overloaded_error", "Overloaded"), RefusalKind.BUSY),
        (503, {"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}, RefusalKind.BUSY),
        (503, {"error": "server busy, please try again.  maximum pending requests exceeded"}, RefusalKind.BUSY),
        (500, {"error": {"message": "The server had an error"}}, RefusalKind.BUSY),
        (408, {}, RefusalKind.BUSY),
        (502, "<html>image of a proxy</html>", RefusalKind.BUSY),
        (401, anthropic("authentication_error", "invalid x-api-key"), RefusalKind.KEY),
        (403, {"error": {"status": "PERMISSION_DENIED"}}, RefusalKind.KEY),
        (
            400,
            {"error": {"message": "API key not valid.", "details": [{"reason": "API_KEY_INVALID"}]}},
            RefusalKind.KEY,
        ),
        (400, {"error": "'response_format.type' must be 'json_schema' or 'text'"}, RefusalKind.SCHEMA),
        (500, {"error": {"message": "[{'loc': ('body', 'response_format', 'type')}]"}}, RefusalKind.SCHEMA),
        (400, {"error": {"message": "Failed to parse grammar"}}, RefusalKind.SCHEMA),
        (400, anthropic("invalid_request_error", "output_config.format.schema: not supported"), RefusalKind.SCHEMA),
        (
            400,
            {"error": {"message": "Invalid value for 'top_logprobs': must be less than or equal to 20."}},
            RefusalKind.LOG_PROBS,
        ),
        (
            400,
            {"error": {"message": "Requested sample logprobs of 100, which is greater than max allowed: 20"}},
            RefusalKind.LOG_PROBS,
        ),
        (400, {"error": {"message": "Logprobs is not enabled for models/x"}}, RefusalKind.LOG_PROBS),
        (422, {"detail": [{"loc": ["body", "max_tokens"], "input": {"top_logprobs": 5}}]}, RefusalKind.OTHER),
        (400, {"error": {"message": "Failed to load image or audio file"}}, RefusalKind.PICTURE),
        (500, {"error": {"message": "image input is not supported - hint: provide the mmproj"}}, RefusalKind.PICTURE),
        (500, LLAMA_CUT, RefusalKind.ANSWER),
        (404, {"error": "model 'x' not found, try pulling it first"}, RefusalKind.OTHER),
        (400, {"error": {"message": "Unsupported parameter: 'temperature'"}}, RefusalKind.OTHER),
        (301, "", RefusalKind.OTHER),
    ],
)
def test_kinds(status: int, said: object, kind: RefusalKind) -> None:
    """Errors as servers word them mean what they mean, with any dialect."""
    content = said.encode() if isinstance(said, str) else json.dumps(said).encode()
    for name in dialects.NAMES:
        found = dialects.by_name(name).refusal(status, {}, content)
        assert (found.kind, found.status) == (kind, status)


@pytest.mark.parametrize(
    ("said", "context"),
    [
        (LLAMA_OVERFLOW, 16384),
        ({"error": json.dumps(LLAMA_OVERFLOW)}, 16384),
        ({"error": {"message": "request (9 tokens) exceeds the available context size (256 tokens)"}}, 256),
        ({"error": {"message": "This model's maximum context length is 128000 tokens."}}, 128000),
        ({"error": {"message": "prompt is too long: 210000 tokens > 200000 maximum"}}, 200000),
        ({"error": "prompt too long; exceeded max context length by 1200 tokens"}, None),
        ({"error": {"code": "context_length_exceeded"}}, None),
    ],
)
def test_context(said: object, context: int | None) -> None:
    """The context length is read where it is told, and a difference is not taken for one."""
    assert refusal(400, {}, json.dumps(said).encode()).context_tokens == context


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"Retry-After": "Sat, 21 Nov 2026 21:00:30 GMT", "Date": "Sat, 21 Nov 2026 21:00:00 GMT"}, 30.0),
        ({"Retry-After": "Sat, 21 Nov 2026 20:00:00 GMT", "Date": "Sat, 21 Nov 2026 21:00:00 GMT"}, 0.0),
        ({"Retry-After": "Sat, 21 Nov 2026 21:00:30 GMT"}, None),
        ({"Retry-After": "Sat, 21 Nov 2026 21:00:30 -0000", "Date": "Sat, 21 Nov 2026 21:00:00 GMT"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "-3"}, 0.0),
        ({"Retry-After": "1e9"}, 86400.0),
        ({"Retry-After": "nan"}, None),
        ({}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    """Seconds, milliseconds or a date by the server's own clock; what makes no sense is not there."""
    assert refusal(429, headers, b"").retry_after_s == seconds
    assert refusal(529, headers, b"").retry_after_s == seconds
    assert refusal(400, headers, b"").retry_after_s is None


def test_delay_in_the_details() -> None:
    """Gemini tells in the body how long to wait."""
    assert refusal(429, {"retry-after": "1"}, json.dumps(RESOURCE_EXHAUSTED).encode()).retry_after_s == 13.5


@given(
    status=st.integers(-1, 999),
    headers=st.dictionaries(st.sampled_from(["Retry-After", "retry-after-ms", "Date"]) | st.text(), st.text()),
    content=st.binary() | st.text().map(str.encode),
)
@settings(max_examples=40)
def test_anything(status: int, headers: dict[str, str], content: bytes) -> None:
    """Nothing makes it raise, and nothing of what was said is in it."""
    found = refusal(status, headers, content)
    assert isinstance(found.kind, RefusalKind)
    assert found.retry_after_s is None or 0.0 <= found.retry_after_s <= 86400.0


@given(
    word=st.sampled_from(["n_ctx", "retryDelay", "context size (", "context length is ", "image", "grammar"]),
    rest=st.text(),
)
@settings(max_examples=40)
def test_anything_after_a_known_word(word: str, rest: str) -> None:
    """Words that are looked for may be followed by anything."""
    for status in (400, 429, 500):
        refusal(status, {}, f'"{word}": "{rest}'.encode())
