"""Replies of model servers in every dialect: JSON, streams, heads, nesting, numbers and texts that nobody expects."""

import asyncio
import math
import random
from pathlib import Path
from typing import Any

from detectors.mllm import dialects
from detectors.mllm.client.exchange import REPLY_BYTES
from detectors.mllm.prompting.reply_parser import TEXT_LIMITS, parse_reply
from detectors.mllm.protocol import InvalidReply
from detectors.mllm.questions import FailureReason, ModelQuery, ParsedAnswer
from tests.fakes.hostile.values import TEXTS, changed, damaged, dump, value
from tests.fakes.mllm.endpoints import opened
from tests.fakes.mllm.sample_queries import INTENT, NEED, STATE, query
from tests.fakes.mllm.sample_replies import SAMPLES, TEXT, sample
from tests.fakes.mllm.server import FakeServer, drop

DEADLINE_S = 0.3
_QUERY = query(pictures=1, questions=(STATE, INTENT, NEED))
_HEADERS = (
    "Content-Length: -1", "Content-Length: 99999999999999999999", "Content-Length: 5\r\nContent-Length: 6",
    "Content-Length: 1_0", "Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked", "Content-Encoding: gzip",
    "Content-Type: text/event-stream; charset=\u00e9", "Set-Cookie: a=b; Domain=.com", "Location: http://example.com/",
    "Retry-After: -5", "Retry-After: 1e400", "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT",
    "Retry-After: " + "9" * 5_000, "Retry-After-Ms: nan", "X: " + "y" * 100_000, "no colon at all", ": empty",
    "a\0b: c", "Connection: upgrade\r\nUpgrade: h2c",
)  # fmt: skip
_STATUS_LINES = (
    "HTTP/1.1 200 OK", "HTTP/1.1 200 ", "HTTP/1.0 200 OK", "HTTP/1.1 999 ?", "HTTP/1.1 100 Continue",
    "HTTP/1.1 204 Nothing", "HTTP/1.1 302 Elsewhere", "HTTP/1.1 429 Slow", "HTTP/1.1 500 Oops", "HTTP/9.9 200 OK",
    "HTTP/1.1 -1 OK", "HTTP/1.1 2\u0660\u0660 OK", "ICY 200 OK", "\x16\x03\x01\x02",
)  # fmt: skip


def model_reply(rng: random.Random, folder: Path) -> None:  # every family has a folder
    """A reply as a dialect reads it, or as it comes over a connection."""
    name = rng.choice(tuple(dialects.DIALECTS))
    content = _content(rng, name)
    if rng.random() < 0.3 or len(content) > REPLY_BYTES:  # a longer one is not read to its end
        asyncio.run(_over_a_connection(rng, name, content))
        return
    dialect = dialects.by_name(name)
    status = rng.choice((400, 401, 429, 500, 503, 999))
    headers = dict(line.split(": ", 1) for line in rng.sample(_HEADERS, 2) if line.count(": ") == 1)
    dialect.refusal(status, {key.lower(): text for key, text in headers.items()}, content)
    try:
        reply = dialect.reply(content, _QUERY)
    except InvalidReply:
        return
    _check(parse_reply(_QUERY, reply).answers)


async def _over_a_connection(rng: random.Random, name: str, content: bytes) -> None:
    """Request something from a server that replies so to everything."""
    status = rng.choice(_STATUS_LINES) if rng.random() < 0.4 else _STATUS_LINES[0]
    lines = rng.sample(_HEADERS, rng.choice((0, 0, 1, 2)))
    if rng.random() < 0.7:
        lines.append(f"Content-Length: {len(content)}")
    if rng.random() < 0.03:
        lines += [f"h{number}: x" for number in range(3_000)]
    head = "\r\n".join([status, *lines]).encode() + b"\r\n\r\n"
    if "Transfer-Encoding: chunked" in lines:
        size = rng.choice((f"{len(content):x}", "-1", "f" * 17, "1;" + "x" * 50_000, "zz"))
        content = size.encode() + b"\r\n" + content + b"\r\n0\r\n\r\n"
    async with FakeServer(otherwise=drop(head + content)) as server, opened(server.url, name) as model:
        asked: ModelQuery = query(pictures=1, questions=(STATE, NEED))
        result = await model.ask(asked, deadline_s=DEADLINE_S)
        if not (result.answers or isinstance(result.failure, FailureReason)):
            raise AssertionError("neither an answer nor a reason")
        _check(result.answers)


def _content(rng: random.Random, name: str) -> bytes:
    """Return the body of a reply: a valid one with things changed, or in another's place."""
    facts: Any = SAMPLES[name]
    for _ in range(rng.randint(0, 3)):
        facts = changed(rng, facts)
    raw = dump(facts).encode()
    if rng.random() < 0.5:  # what the model says lies in a text within the reply
        raw = raw.replace(dump(TEXT)[1:-1].encode(), dump(_text(rng))[1:-1].encode())
    match rng.randrange(12):
        case 0:
            raw = damaged(rng, raw)
        case 1:
            raw = b"[" * rng.choice((900, 200_000)) + raw
        case 2:
            raw = sample(rng.choice(tuple(SAMPLES)))
        case 3:
            raw = rng.choice((b"", b"\0", b"\xff\xfe{", b"null", b"<html>", "\ufeff{}".encode(), b"9" * 100_000))
    return _as_stream(rng, raw) if name == "llama_server" and rng.random() < 0.7 else raw


def _text(rng: random.Random) -> str:
    """Return what a model might say: an answer with something wrong in it."""
    answer: Any = {
        "state": {"answer": "B", "sure": 80},
        "need": {"answer": "no", "sure": 90},
        "intent": {"answer": "writing [a](http://x) <b>letter</b>\u202e", "sure": 5},
    }
    for _ in range(rng.randint(0, 3)):
        answer = changed(rng, answer)
    text = dump(answer)
    return rng.choice(
        (
            text,
            text,
            "<think>" * 3_000 + text,
            '{"' * 9_000,
            (text * 300)[:1_500_000],
            rng.choice(TEXTS),
            dump(value(rng)),
        )
    )


def _as_stream(rng: random.Random, raw: bytes) -> bytes:
    """Return the reply as server-sent events, in pieces that need not fit together."""
    delta = {"choices": [{"index": 0, "delta": {"content": _text(rng)}, "finish_reason": None}]}
    events: list[Any] = [delta, {"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 9}}]
    for _ in range(rng.randint(0, 3)):
        at = rng.randrange(len(events))
        events[at : at + 1] = rng.choice(([changed(rng, events[at])], [events[at]] * 300, [{"error": value(rng)}], []))
        events = events or [delta]
    lines: list[bytes] = []
    size = 0
    for event in events:  # what nobody reads only costs the test its own memory
        lines.append(b"data: " + dump(event).encode())
        size += len(lines[-1])
        if size > 2 * REPLY_BYTES:
            break
    if rng.random() < 0.3:
        lines.insert(rng.randrange(len(lines) + 1), rng.choice((b"data:", b": ping", b"data: [DONE]", raw, b"\0")))
    end = rng.choice((b"", b"data: [DONE]", b"data: [DONE]\n\ndata: {"))
    return rng.choice((b"\n\n", b"\r\n\r\n", b"\r")).join([*lines, end])


def _check(answers: dict[str, ParsedAnswer] | Any) -> None:
    """Raise unless answers hold only labels of ours, probabilities, and plain text of limited length."""
    questions = {question.key: question for question in _QUERY.questions}
    for key, answer in answers.items():
        question = questions[key]
        odds = answer.distribution or {}
        if odds and not (set(odds) <= set(question.labels) and math.isclose(sum(odds.values()), 1.0, abs_tol=1e-6)):
            raise AssertionError(f"{key}: no distribution over our labels")
        if not all(0.0 <= part <= 1.0 for part in odds.values()):
            raise AssertionError(f"{key}: no probabilities")
        text = answer.text or ""
        if len(text) > TEXT_LIMITS.get(question.task, 0) or "http" in text or not text.isprintable():
            raise AssertionError(f"{key}: no plain text")
