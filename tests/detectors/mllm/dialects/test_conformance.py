"""Conformance of all dialects: requests, replies, refusals and a round trip, each parametrised over `DIALECTS`.

A new dialect joins by its line in `DIALECTS`, a sample in `tests/fakes/mllm/sample_replies.json`, golden requests in
`golden/`.
"""

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detectors.mllm import dialects
from detectors.mllm.dialects import base
from detectors.mllm.dialects.base import parse_refusal
from detectors.mllm.prompting import prompts, wording
from detectors.mllm.protocol import InvalidReply, RefusalKind, Reply, Request, RequestOptions, SchemaMode, Token
from detectors.mllm.questions import Confidence, FailureReason, ModelQuery, QueryPicture, Usage
from storage.errors import UsageError
from tests.fakes.mllm.endpoints import served
from tests.fakes.mllm.sample_queries import INTENT, NEED, STATE, picture, query
from tests.fakes.mllm.sample_replies import SAMPLES, TEXT, sample
from tests.fakes.mllm.server import say

GOLDEN = Path(__file__).parent / "golden"
OPTIONS = RequestOptions(model="some-model", top_log_probs=5)
NATIVE = ("anthropic", "gemini", "ollama")
ALL = tuple(dialects.DIALECTS)
TEXT_DIALECTS = tuple(name for name in ALL if not dialects.by_name(name).decides)
DECIDING = tuple(name for name in ALL if dialects.by_name(name).decides)
WITH_TOKENS = tuple(name for name in TEXT_DIALECTS if name != "anthropic")
QUERY = query(questions=(STATE, INTENT, NEED))

every = pytest.mark.parametrize("name", ALL)
every_text = pytest.mark.parametrize("name", TEXT_DIALECTS)
every_deciding = pytest.mark.parametrize("name", DECIDING)

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def parse(name: str, reply: object) -> Reply:
    return dialects.by_name(name).reply(json.dumps(reply).encode(), QUERY)


def places(tree: Json) -> Iterator[tuple[str | int, ...]]:
    yield ()
    steps = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for step, child in steps:
        yield from ((step, *rest) for rest in places(child))


def altered(tree: Json, place: tuple[str | int, ...], value: Json) -> Json:
    if not place:
        return value
    step, *rest = place
    if isinstance(tree, dict):
        return {key: altered(child, tuple(rest), value) if key == step else child for key, child in tree.items()}
    assert isinstance(tree, list)
    return [altered(child, tuple(rest), value) if at == step else child for at, child in enumerate(tree)]


# ---------------------------------------------------------------- requests


def request(name: str, asked: ModelQuery) -> Request:
    mode = SchemaMode.NATIVE if name in NATIVE else SchemaMode.JSON_SCHEMA
    return dialects.by_name(name).request(asked, replace(OPTIONS, schema_mode=mode))


def plain_wording(asked: ModelQuery, mode: SchemaMode, repair: str = "") -> wording.Wording:
    """Stand in for the real wording, so that golden bodies change with dialects alone."""
    properties = {question.key: {"type": "string"} for question in asked.questions}
    after = " ".join(filter(None, ("Questions?", asked.observations, mode.value, repair)))
    schema = {"type": "object", "properties": properties}
    return wording.Wording(system="System.", before="Before.", after=after, schema=schema)


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wording, "compose", plain_wording)
    monkeypatch.setattr(wording, "question_text", lambda question: f"{question.key}?")
    monkeypatch.setattr(wording, "scene", lambda asked: f"{len(asked.pictures)} pictures. {asked.observations}")
    monkeypatch.setattr(prompts, "JUDGE", "System.")
    monkeypatch.setattr(prompts, "BEFORE", "Before.")


def golden(name: str) -> str:
    return (GOLDEN / f"{name}.json").read_text()


@pytest.mark.usefixtures("plain")
@every
def test_golden_request(name: str) -> None:
    built = request(name, query())
    facts = {
        "path": built.path,
        "headers": dict(built.headers),
        "body": json.loads(bytes(built.body)),
        "key": dict(dialects.by_name(name).authorization("KEY")),
    }
    assert json.dumps(facts, indent=1, ensure_ascii=False) + "\n" == golden(name)


@pytest.mark.usefixtures("plain")
@every_text
def test_golden_request_to_a_thinking_model(name: str) -> None:
    """A model whose thinking cannot be turned off gets room for it, no schema where it is prompted, no odd settings."""
    how = {"schema_mode": SchemaMode.PROMPTED, "max_tokens": 100, "context_tokens": 8192, "still_thinks": True}
    options = RequestOptions(model="a/b", **how)  # type: ignore[arg-type]  # by name
    built = dialects.by_name(name).request(query(pictures=0), options, repair="Wrong letter.")
    facts = {"path": built.path, "body": json.loads(bytes(built.body))}
    assert json.dumps(facts, indent=1, ensure_ascii=False) + "\n" == golden(f"{name}_thinking")


@every
def test_equal_queries_give_equal_bytes(name: str) -> None:
    first, second = (request(name, query()).body for _ in range(2))
    assert bytes(first) == bytes(second)
    assert first.digest() == second.digest() == sha256(bytes(first)).hexdigest()
    assert bytes(first) != bytes(request(name, query(pictures=3)).body)


@every
def test_nested_prefixes_begin_alike(name: str) -> None:
    """A longer prefix begins with all bytes of a shorter one up to its last picture, whatever the questions are."""
    short = request(name, query(pictures=2, questions=(NEED,), observations="1 undo")).body
    last = max(at for at, part in enumerate(short.parts) if isinstance(part, QueryPicture))
    shared = bytes(replace(short, parts=short.parts[: last + 1]))
    assert len(shared) > 100
    assert bytes(request(name, query(pictures=4)).body).startswith(shared)


@every
def test_pictures_are_parts(name: str) -> None:
    asked = query(pictures=32, size=900)
    body = request(name, asked).body
    assert [part for part in body.parts if isinstance(part, QueryPicture)] == list(asked.pictures)
    assert all(part.base64 in bytes(body) for part in asked.pictures)
    json.loads(bytes(body))


@every_deciding
def test_decisions_take_closed_questions_alone(name: str) -> None:
    """Free questions are left out, and one alone is the caller's mistake; neither JSON nor keys are mentioned."""
    body = bytes(request(name, QUERY).body).decode()
    questions = json.loads(body)["questions"]
    names = list(questions) if isinstance(questions, dict) else [each["name"] for each in questions]
    assert names == ["state", "need"]
    assert "JSON" not in body
    assert "frustration" not in body
    with pytest.raises(ValueError, match="free questions"):
        request(name, query(questions=(INTENT,)))


def test_schema_modes_of_chat_completions() -> None:
    chat = dialects.by_name("openai_chat")
    formats = {
        mode: json.loads(bytes(chat.request(query(), replace(OPTIONS, schema_mode=mode)).body)).get("response_format")
        for mode in SchemaMode
    }
    assert formats[SchemaMode.PROMPTED] is None
    assert formats[SchemaMode.JSON_OBJECT_SCHEMA]["type"] == "json_object"
    assert formats[SchemaMode.JSON_OBJECT_SCHEMA]["schema"] == formats[SchemaMode.JSON_SCHEMA]["json_schema"]["schema"]
    assert formats[SchemaMode.NATIVE] == formats[SchemaMode.JSON_SCHEMA]


@given(text=st.text())
def test_no_text_is_mistaken_for_a_picture(text: str) -> None:
    """Whatever a text holds, only the placeholders are filled."""
    body = base.encode_body({"text": text, "image": base.BASE64, "more": [text]}, [picture(7)])
    assert msgspec.json.decode(bytes(body)) == {"text": text, "image": picture(7).base64.decode(), "more": [text]}


def test_an_unknown_dialect_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match="openai_chat"):
        dialects.by_name("morse")


# ---------------------------------------------------------------- replies


@every_text
def test_a_text_reply(name: str) -> None:
    reply = dialects.by_name(name).reply(sample(name), QUERY)
    assert reply.text == TEXT
    assert not reply.cut
    assert not reply.distributions
    cached = 0 if name == "ollama" else 800
    assert reply.usage == Usage(calls=1, tokens_in=1000, tokens_out=20, cached=cached)
    assert reply.model == "some-model-2026"


@pytest.mark.parametrize("name", WITH_TOKENS)
def test_tokens_of_a_reply(name: str) -> None:
    tokens = dialects.by_name(name).reply(sample(name), QUERY).tokens
    others = (("B", -0.25), ("A", -1.5), ("C", base.MIN_LOG_PROBABILITY))
    assert tokens == (Token("B", -0.25, others), Token("}", 0.0, ()))


@every_deciding
def test_a_decision(name: str) -> None:
    reply = dialects.by_name(name).reply(sample(name), QUERY)
    assert set(reply.distributions) == {"state", "need"}
    assert reply.distributions["need"] == {"yes": 0.75, "no": 0.25}
    state = reply.distributions["state"]
    assert list(state) == ["frustration", "waiting", "ideation"]
    assert math.isclose(sum(state.values()), 1.0)
    assert math.isclose(state["waiting"], 0.8 / 0.99)
    assert reply.usage.tokens_in == 1000
    assert reply.text == ""


@pytest.mark.parametrize(
    ("name", "place", "reason"),
    [
        ("openai_chat", ("choices", 0, "finish_reason"), "length"),
        ("ollama", ("done_reason",), "length"),
        ("anthropic", ("stop_reason",), "max_tokens"),
        ("gemini", ("candidates", 0, "finishReason"), "MAX_TOKENS"),
    ],
)
def test_a_cut_reply(name: str, place: tuple[str | int, ...], reason: str) -> None:
    """A reply that reached its token limit says so."""
    assert parse(name, altered(SAMPLES[name], place, reason)).cut  # type: ignore[arg-type]  # a sample is JSON


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_an_answer_among_thoughts(field: str) -> None:
    reply = {"choices": [{"message": {"content": None, field: TEXT}, "finish_reason": "stop"}]}
    parsed = parse("openai_chat", reply)
    assert (parsed.text, parsed.reasoning) == ("", TEXT)


def test_thoughts_are_separate() -> None:
    assert parse("anthropic", SAMPLES["anthropic"]).reasoning == "Hm."
    assert parse("gemini", SAMPLES["gemini"]).reasoning == "Hm."
    assert parse("ollama", {"message": {"content": "", "thinking": TEXT}}).reasoning == TEXT


def test_text_in_parts() -> None:
    reply = {"choices": [{"message": {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}}]}
    assert parse("openai_chat", reply).text == "ab"


def test_a_blocked_prompt_is_a_valid_reply() -> None:
    assert parse("gemini", {"promptFeedback": {"blockReason": "SAFETY"}}).text == ""
    assert parse("gemini_decisions", {"prompt_feedback": {"block_reason": "safety"}}).distributions == {}
    for name in ("gemini", "gemini_decisions"):
        with pytest.raises(InvalidReply):
            parse(name, {})


def test_a_refused_question_is_missing() -> None:
    answers = [{"type": "refusal", "name": "state"}, {"type": "predicate", "name": "need", "probability": 0.5}]
    assert set(parse("openai_decisions", {"answers": answers}).distributions) == {"need"}


CHOICE = {"type": "choice", "choice": "yes", "probabilities": {"yes": 1.0}}


@pytest.mark.parametrize("answer", [{"type": "noul", "noul": 1.5}, {"type": "noul"}, CHOICE])
def test_an_impossible_yes_or_no(answer: Json) -> None:
    with pytest.raises(InvalidReply):
        parse("systemone", {"answers": {"need": answer}})


@pytest.mark.parametrize("by_letter", [{}, {"A": -0.5, "B": 1.5}, {"X": 1.0}, {"A": 0.2, "B": 0.2}, {"A": 1, "B": 1}])
def test_impossible_probabilities_of_a_choice(by_letter: Json) -> None:
    with pytest.raises(InvalidReply):
        parse("gemini_decisions", {"answers": {"state": {"type": "choice", "probabilities": by_letter}}})


def test_impossible_counts_are_bounded() -> None:
    usage = base.usage(tokens_in=-4, tokens_out=2**80, cached=7)
    assert usage == Usage(calls=1, tokens_in=0, tokens_out=2**40, cached=0)


@every
@pytest.mark.parametrize(
    "content", [b"", b"[]", b"null", b"{}", b"[" * 100_000, b'{"a":' * 50_000, b"\xff\xfe", b"1e999"]
)
def test_hostile_bytes(name: str, content: bytes) -> None:
    """Deep nesting, huge numbers and broken text are invalid."""
    with pytest.raises(InvalidReply):
        dialects.by_name(name).reply(content, QUERY)


def check(name: str, content: bytes) -> None:
    try:
        reply = dialects.by_name(name).reply(content, QUERY)
    except InvalidReply:
        return
    assert reply.usage.calls == 1
    assert min(reply.usage.tokens_in, reply.usage.tokens_out, reply.usage.cached) >= 0
    assert all(base.MIN_LOG_PROBABILITY <= token.log_probability <= 0.0 for token in reply.tokens)
    for distribution in reply.distributions.values():
        assert math.isclose(sum(distribution.values()), 1.0)
        assert min(distribution.values()) >= 0.0


# ---------------------------------------------------------------- refusals

REFUSALS = json.loads((Path(__file__).parent / "refusals.json").read_text(encoding="utf-8"))
"""Errors as servers put them: with the kind that each is, with the context that each names, and one with a delay."""


@pytest.mark.parametrize(("status", "kind", "error"), REFUSALS["refusals"])
def test_refusals_of_all_servers(status: int, kind: str, error: object) -> None:
    content = error.encode() if isinstance(error, str) else json.dumps(error).encode()
    for name in ALL:
        refusal = dialects.by_name(name).refusal(status, {}, content)
        assert (refusal.kind, refusal.status) == (kind, status)


@pytest.mark.parametrize(("context", "error"), REFUSALS["contexts"])
def test_context_in_a_refusal(context: int | None, error: object) -> None:
    """A context length is parsed where there is one, and a difference is not mistaken for it."""
    assert parse_refusal(400, {}, json.dumps(error).encode()).context_tokens == context


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
    """Seconds, milliseconds or a date by the server's own clock; what cannot be is ignored."""
    assert parse_refusal(429, headers, b"").retry_after_s == seconds
    assert parse_refusal(529, headers, b"").retry_after_s == seconds
    assert parse_refusal(400, headers, b"").retry_after_s is None


def test_retry_delay_in_the_body() -> None:
    assert parse_refusal(429, {"retry-after": "1"}, json.dumps(REFUSALS["delayed"]).encode()).retry_after_s == 13.5


@given(
    status=st.integers(-1, 999),
    headers=st.dictionaries(st.sampled_from(["Retry-After", "retry-after-ms", "Date"]) | st.text(), st.text()),
    content=st.binary() | st.text().map(str.encode),
)
@settings(max_examples=40)
def test_no_refusal_makes_the_parser_fail(status: int, headers: dict[str, str], content: bytes) -> None:
    refusal = parse_refusal(status, headers, content)
    assert isinstance(refusal.kind, RefusalKind)
    assert refusal.retry_after_s is None or 0.0 <= refusal.retry_after_s <= 86400.0


# ---------------------------------------------------------------- round trip


@every
@pytest.mark.anyio
async def test_round_trip(name: str) -> None:
    dialect = dialects.by_name(name)
    async with served([say(sample(name))], dialect=name) as (server, model):
        result = await model.ask(query(), deadline_s=5)
        expected = dialect.request(query(), model.options)
    (received,) = server.requests
    assert received.line.split(" ")[:2] == ["POST", expected.path]
    assert received.body == bytes(expected.body)
    assert received.headers["content-type"] == "application/json"
    assert result.failure is None
    assert {key: answer.choice for key, answer in result.answers.items()}["state"] == "waiting"
    assert all(math.isclose(sum(answer.distribution.values()), 1.0) for answer in result.answers.values())
    assert (result.answers["state"].confidence is Confidence.DECISION) is dialect.decides


@every_deciding
@pytest.mark.anyio
async def test_free_questions_to_decision_endpoints(name: str) -> None:
    async with served([say(sample(name))], dialect=name) as (server, model):
        free = await model.ask(query(questions=(INTENT,)), deadline_s=5)
        assert not server.requests
        mixed = await model.ask(QUERY, deadline_s=5)
    assert free.failure is FailureReason.REFUSED
    assert mixed.failure is None
    assert mixed.answers["intent"].text is None
    assert len(json.loads(server.requests[0].body)["questions"]) == 2


AWKWARD: tuple[Json, ...] = (
    None,
    True,
    0,
    -1,
    2**70,
    1.5,
    -0.5,
    math.nan,
    math.inf,
    "",
    "x",
    "\ud800",
    "\x00\u2028",
    [],
    [None],
    [[]],
    ["x", 1],
    [{}],
    {},
    {"": None},
    {"text": None},
    {"token": "x"},
    {"type": "x"},
    {"A": 1e308, "B": 1e308},
)


@every
def test_awkward_values_everywhere(name: str) -> None:
    tree: Json = SAMPLES[name]  # type: ignore[assignment]  # a sample is JSON
    for place in places(tree):
        for value in AWKWARD:
            check(name, json.dumps(altered(tree, place, value)).encode())
    content = sample(name)
    for end in range(0, len(content), 3):
        check(name, content[:end])


@given(
    word=st.sampled_from(["n_ctx", "retryDelay", "context size (", "context length is ", "image", "grammar"]),
    rest=st.text(),
)
@settings(max_examples=40)
def test_any_text_may_follow_a_known_word(word: str, rest: str) -> None:
    for status in (400, 429, 500):
        parse_refusal(status, {}, f'"{word}": "{rest}'.encode())
