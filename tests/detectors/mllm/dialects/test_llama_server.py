"""llama-server's stream: put together it reads like the same reply in one piece, and no damage to it goes unnoticed."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectors.mllm import dialects
from detectors.mllm.protocol import InvalidReply, Reply, RequestOptions
from detectors.mllm.questions import Usage
from tests.fakes.mllm.sample_queries import query
from tests.fakes.mllm.sample_replies import SAMPLES, TEXT

QUERY = query()
OPTIONS = RequestOptions(model="some-model")
COUNTS = {"prompt_tokens": 1000, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 800}}
ERROR = {"error": {"code": 500, "message": "The model produced output that does not match", "type": "server_error"}}


def chunk(delta: object = None, **fields: object) -> dict[str, object]:
    choices = [] if delta is None else [{"finish_reason": fields.pop("ends", None), "index": 0, "delta": delta}]
    if choices and "logprobs" in fields:
        choices[0]["logprobs"] = fields.pop("logprobs")
    return {"choices": choices, "model": "some-model-2026", "object": "chat.completion.chunk", **fields}


def odds(text: str) -> object:
    return {"content": [{"token": text, "logprob": -0.25, "top_logprobs": [{"token": "A", "logprob": None}]}]}


PROGRESS = chunk({"role": "assistant", "content": None}, prompt_progress={"total": 1000, "cache": 0, "processed": 400})
PIECES = [chunk({"content": letter}, logprobs=odds(letter)) for letter in TEXT]
LAST = [chunk({}, ends="stop"), chunk(usage=COUNTS, timings={"cache_n": 800})]
WHOLE = [PROGRESS, PROGRESS, *PIECES, *LAST]


def stream(chunks: Sequence[object], end: str = "data: [DONE]\n\n") -> bytes:
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks).encode() + end.encode()


def read(content: bytes) -> Reply:
    return dialects.by_name("llama_server").reply(content, QUERY)


def test_a_stream_is_parsed_like_a_reply_in_one_piece() -> None:
    """Text, log-probabilities, usage and name are put together; remarks between them are passed over."""
    reply = read(b":\n\n" + stream(WHOLE).replace(b"\n\n", b"\n\n:\n\n"))
    assert reply.text == TEXT
    assert not reply.cut
    assert "".join(token.text for token in reply.tokens) == TEXT
    assert reply.usage == Usage(calls=1, tokens_in=1000, tokens_out=20, cached=800)
    assert reply.model == "some-model-2026"


def test_a_stream_that_was_cut_off_says_so() -> None:
    assert read(stream([*PIECES[:5], chunk({}, ends="length")])).cut
    reply = read(stream([PROGRESS, *PIECES[:5], ERROR], end=""))
    assert reply.cut
    assert reply.text == TEXT[:5]


@pytest.mark.parametrize(
    "content",
    [
        stream(WHOLE[:-2], end=""),
        stream(WHOLE[:-1])[:-30],
        stream([PROGRESS, ERROR]),
        stream([PROGRESS], end=""),
        b"data: {\n\ndata: [DONE]\n\n",
        b'data: {"choices": [{"delta": 3}]}\n\ndata: [DONE]\n\n',
        b"",
        b"\n\n",
    ],
)
def test_an_incomplete_stream_is_invalid(content: bytes) -> None:
    with pytest.raises(InvalidReply):
        read(content)


@pytest.mark.parametrize("content", [stream(WHOLE, end=""), stream(WHOLE)[:-30]])
def test_a_stream_that_said_why_it_ends_needs_no_mark(content: bytes) -> None:
    """Behind the reason of its end nothing of the answer is missing, only counts can be."""
    reply = read(content)
    assert (reply.text, reply.cut) == (TEXT, False)


def test_progress_is_requested_so_that_cancelling_is_noticed() -> None:
    """llama-server looks whether anybody listens whenever it sends something."""
    body = json.loads(bytes(dialects.by_name("llama_server").request(QUERY, OPTIONS).body))
    assert (body["stream"], body["return_progress"], body["stream_options"]) == (True, True, {"include_usage": True})


def test_a_reply_without_a_stream_is_parsed_too() -> None:
    content = json.dumps(SAMPLES["openai_chat"]).encode()
    assert read(content) == dialects.by_name("openai_chat").reply(content, QUERY)


@given(st.lists(st.sampled_from([*WHOLE, ERROR, {}, {"choices": None}, [], 7]), max_size=8), st.binary(max_size=20))
def test_any_stream_is_parsed_or_invalid(chunks: list[object], end: bytes) -> None:
    """Whatever is sent, it is read or it is nonsense."""
    try:
        read(stream(chunks, end="") + end)
    except InvalidReply:
        return
