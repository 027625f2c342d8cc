"""How an endpoint gets on with servers that misbehave: the right outcome each time, no hang, nothing sent twice."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from detectors.mllm.client import retry
from detectors.mllm.client.endpoint import Endpoint
from detectors.mllm.client.keys import Secret
from detectors.mllm.protocol import CANCELLED, DONE, Request, SchemaMode
from detectors.mllm.questions import FailureReason, ModelQuery, ModelResult, Usage
from storage.clock import NS_PER_S, SystemClock
from storage.errors import EnvironmentFault
from storage.settings import ModelSettings
from tests.fakes.mllm.endpoints import OPTIONS, FakeBudget, FakeSentLog, endpoint, preset, served
from tests.fakes.mllm.reply_builders import REPLY_BUILDERS, TEXT_REPLY_BUILDERS, WRONG, YES, ReplyBuilder
from tests.fakes.mllm.sample_queries import NEED, query
from tests.fakes.mllm.server import Act, FakeServer, Received, after, drip, drop, endless, hang, head, say

pytestmark = pytest.mark.anyio

DEADLINE_S = 20.0
OVERFLOW = b'{"error": {"code": "context_length_exceeded", "message": "maximum context length is 4096 tokens"}}'
NO_SCHEMA = b'{"error": {"message": "response_format: json_schema is not supported, nor is a format"}}'

every = pytest.mark.parametrize("replies", REPLY_BUILDERS, ids=lambda replies: replies.dialect)
text_dialects = pytest.mark.parametrize("replies", TEXT_REPLY_BUILDERS, ids=lambda replies: replies.dialect)
CHAT = REPLY_BUILDERS[0]


@dataclass(slots=True)
class Observed:
    """The effects of one query, on both sides."""

    server: FakeServer
    sent: FakeSentLog = field(default_factory=FakeSentLog)
    budget: FakeBudget = field(default_factory=FakeBudget)

    @property
    def bodies(self) -> list[bytes]:
        return [request.body for request in self.server.requests]


def one_question(pictures: int = 4) -> ModelQuery:
    return query(pictures, questions=(NEED,), observations="")


async def query_once(
    replies: ReplyBuilder, plan: Sequence[Act], expected: FailureReason | None, *, pictures: int = 4
) -> Observed:
    """Ask once; check that it ends as expected, and that both logs know of every request."""
    async with FakeServer(plan) as server:
        observed = Observed(server)
        model = endpoint(server.url, replies.dialect, sent=observed.sent, budget=observed.budget)
        result = await model.ask(one_question(pictures), deadline_s=DEADLINE_S)
        await model.close()
    assert result.failure is expected
    assert bool(result.answers) is (expected is None)
    if expected is None:
        assert result.answers["need"].choice == "yes"
    assert len(observed.sent.begun) == len(observed.sent.ended) == len(result.sent) == result.usage.calls
    assert observed.budget.spent == result.usage
    assert len(server.requests) <= len(observed.sent.begun)
    return observed


async def under_way(server: FakeServer, model: Endpoint, pictures: int = 4) -> asyncio.Task[ModelResult]:
    task = asyncio.create_task(model.ask(one_question(pictures), deadline_s=DEADLINE_S))
    await asyncio.wait_for(server.arrived.wait(), DEADLINE_S)
    return task


@every
async def test_a_good_answer_takes_one_request(replies: ReplyBuilder) -> None:
    observed = await query_once(replies, [say(replies.good())], None)
    assert observed.bodies == [bytes(request.body) for request, _ in observed.sent.begun]
    assert observed.sent.outcomes == [DONE]


@every
async def test_an_invalid_reply_is_not_retried(replies: ReplyBuilder) -> None:
    """A reply that is none of the dialect's ends the query: the same request would bring the same."""
    for content in (b"", b"<html>hello</html>", b"[1, 2", b"{}", b"\xff\xfe", b"[" * 100_000, b'{"choices": "none"}'):
        observed = await query_once(replies, [say(content), say(replies.good())], FailureReason.NONSENSE)
        assert len(observed.bodies) == 1


async def test_a_model_s_name_is_reduced_to_what_names_are_made_of() -> None:
    """A server may call its model what it likes: paths, mark-up and endless names get no further."""
    named = CHAT.good().replace(b'"tiny"', json.dumps("../a/b:c\n<script>" + "x" * 900).encode())
    async with served([say(named)]) as (_server, model):
        result = await model.ask(one_question(), deadline_s=DEADLINE_S)
    assert result.model.startswith("a/b:cscriptxxx")
    assert len(result.model) <= 80


@text_dialects
async def test_a_wrong_label_is_repaired_once(replies: ReplyBuilder) -> None:
    observed = await query_once(replies, [say(replies.text(WRONG)), say(replies.text(YES))], None)
    assert len(set(observed.bodies)) == len(observed.bodies) == 2
    assert b"perhaps" not in observed.bodies[1]
    assert observed.sent.outcomes == [FailureReason.NONSENSE, DONE]


@text_dialects
async def test_a_cut_answer_gets_more_room_once(replies: ReplyBuilder) -> None:
    await query_once(replies, [say(replies.cut('{"need": {"ans')), say(replies.good())], None)
    twice = [say(replies.cut('{"need"'))] * 2 + [say(replies.good())]
    observed = await query_once(replies, twice, FailureReason.NONSENSE)
    assert len(set(observed.bodies)) == 2


async def test_a_raised_token_limit_is_remembered() -> None:
    async with served([say(CHAT.cut("")), *[say(CHAT.good())] * 2]) as (server, model):
        for _ in range(2):
            assert (await model.ask(one_question(), deadline_s=DEADLINE_S)).failure is None
        rooms = [json.loads(request.body)["max_tokens"] for request in server.requests]
    assert rooms == [256, 1024, 1024]


@every
async def test_a_busy_server_is_retried(replies: ReplyBuilder) -> None:
    observed = await query_once(replies, [say(b"oops", status=500), say(replies.good())], None)
    assert len(observed.bodies) == 2
    assert len(set(observed.bodies)) == 1


@pytest.mark.parametrize(
    ("replies", "status"),
    [(CHAT, 503), *((replies, 429) for replies in REPLY_BUILDERS)],
    ids=lambda value: value.dialect if isinstance(value, ReplyBuilder) else str(value),
)
async def test_retry_after_is_honoured_where_time_allows(replies: ReplyBuilder, status: int) -> None:
    wait = say(b"{}", status=status, headers={"Retry-After": "0.06"})
    clock = SystemClock()
    began_ns = clock.now_ns()
    observed = await query_once(replies, [wait, say(replies.good())], None)
    assert clock.now_ns() - began_ns > 0.06 * NS_PER_S
    assert len(observed.bodies) == 2
    began_ns = clock.now_ns()
    observed = await query_once(replies, [say(b"{}", status=status, headers={"Retry-After": "30"})], FailureReason.BUSY)
    assert clock.now_ns() - began_ns < DEADLINE_S * NS_PER_S
    assert len(observed.bodies) == 1


@every
async def test_a_refusal_is_final(replies: ReplyBuilder) -> None:
    """What another try would not change is sent once."""
    final = dict.fromkeys((401, 403), FailureReason.NO_KEY) | dict.fromkeys((402, 404, 204), FailureReason.REFUSED)
    for status, expected in final.items():
        observed = await query_once(replies, [say(b"", status=status), say(replies.good())], expected)
        assert len(observed.bodies) == 1


@every
async def test_a_redirect_is_not_followed(replies: ReplyBuilder) -> None:
    async with FakeServer(otherwise=say(replies.good())) as elsewhere:
        away = say(b"", status=307, headers={"Location": f"{elsewhere.url}/chat/completions"})
        await query_once(replies, [away], FailureReason.REFUSED)
    assert not elsewhere.requests
    assert not elsewhere.connections


@every
async def test_a_dropped_connection_is_not_tried_again(replies: ReplyBuilder) -> None:
    """The server may have worked on the request, before or in the midst of its reply."""
    short = head(200, "Fine", {"Content-Length": "5000"}) + replies.good()[:20]
    for raw in (b"", b"HTTP/1.1 200", short, b"nonsense\r\n\r\n"):
        observed = await query_once(replies, [drop(raw), say(replies.good())], FailureReason.UNREACHABLE)
        assert len(observed.bodies) == 1
        assert observed.budget.spent.tokens_in > 0, "what it may have read is counted"


@every
async def test_an_endless_reply_is_cut_off(replies: ReplyBuilder) -> None:
    observed = await query_once(replies, [endless()], FailureReason.NONSENSE)
    assert observed.server.poured < 32 << 20
    await query_once(replies, [say(b"", headers={"Content-Length": "99999999999"})], FailureReason.NONSENSE)
    await query_once(replies, [say(b"", headers={"Content-Length": "9" * 5000})], FailureReason.UNREACHABLE)


async def test_a_compressed_reply_is_not_decompressed() -> None:
    packed = say(b"\x1f\x8b\x08", headers={"Content-Encoding": "gzip"})
    observed = await query_once(CHAT, [packed], FailureReason.NONSENSE)
    assert observed.server.requests[0].headers["accept-encoding"] == "identity"


@every
async def test_a_slow_server_is_dropped_at_the_deadline(replies: ReplyBuilder) -> None:
    acts = (after(5.0, say(replies.good())), drip()) if replies is CHAT else (drip(),)
    for act in acts:
        sent = FakeSentLog()
        async with served([act], replies.dialect, sent=sent) as (server, model):
            clock = SystemClock()
            began_ns = clock.now_ns()
            result = await model.ask(one_question(), deadline_s=1.0)
            took_s = (clock.now_ns() - began_ns) / NS_PER_S
            await asyncio.wait_for(server.requests[0].closed.wait(), 5.0)
        assert result.failure is FailureReason.DEADLINE
        assert took_s < 4.5
        assert sent.outcomes == [FailureReason.DEADLINE]
        assert result.usage.tokens_in > 0


@text_dialects
async def test_a_context_that_overflows_halves_the_pictures(replies: ReplyBuilder) -> None:
    refusal = say(OVERFLOW, status=400)
    async with served([refusal, refusal, *[say(replies.good())] * 2], replies.dialect) as (server, model):
        whole = one_question(32)
        result = await model.ask(whole, deadline_s=DEADLINE_S)
        again = await model.ask(whole, deadline_s=DEADLINE_S)
        counts = [_pictures_in(request.body, whole) for request in server.requests]
    assert [len(count) for count in counts] == [32, 16, 8, 8]
    assert all(count[0] == 0 and count[-1] == 31 for count in counts)
    assert (result.failure, result.pictures, again.pictures) == (None, 8, 8)


def _pictures_in(body: bytes, whole: ModelQuery) -> list[int]:
    return [number for number, picture in enumerate(whole.pictures) if picture.base64 + b'"' in body]


async def test_a_silently_truncated_prompt_is_detected() -> None:
    ollama = next(replies for replies in REPLY_BUILDERS if replies.dialect == "ollama")
    plan = [say(ollama.good(tokens_in=count)) for count in (4096, 3000)]
    async with served(plan, "ollama", options=replace(OPTIONS, context_tokens=4096)) as (_server, model):
        result = await model.ask(one_question(16), deadline_s=DEADLINE_S)
    assert (result.failure, result.pictures, result.usage.calls) == (None, 8, 2)
    assert result.usage.tokens_in == 7096


async def test_an_answer_cut_by_a_full_context_gets_fewer_pictures() -> None:
    """An answer that ended long before its room did had no context left: more room would not help."""
    choices = [{"message": {"content": '{"ne'}, "finish_reason": "length"}]
    full = json.dumps({"choices": choices, "usage": {"prompt_tokens": 4090, "completion_tokens": 6}}).encode()
    observed = await query_once(CHAT, [say(full), say(CHAT.good())], None, pictures=8)
    assert observed.sent.outcomes == [FailureReason.TOO_LONG, DONE]
    assert [json.loads(body)["max_tokens"] for body in observed.bodies] == [256, 256]
    assert [body.count(b"image/jpeg") for body in observed.bodies] == [8, 4]


@text_dialects
async def test_a_refused_schema_moves_on_and_is_remembered(replies: ReplyBuilder) -> None:
    async with served([say(NO_SCHEMA, status=400)] * 3, replies.dialect, otherwise=say(replies.good())) as (
        server,
        model,
    ):
        first = await model.ask(one_question(), deadline_s=DEADLINE_S)
        refused = len(server.requests)
        server._plan.clear()
        second = await model.ask(one_question(), deadline_s=DEADLINE_S)
        bodies = [request.body for request in server.requests]
    assert first.failure is FailureReason.REFUSED
    assert len(set(bodies[:refused])) == refused <= 3
    assert model.options.schema_mode is SchemaMode.PROMPTED
    assert second.failure is None
    assert bodies[refused:] == [bodies[refused - 1]]


@text_dialects
async def test_refused_log_probabilities_are_not_requested_again(replies: ReplyBuilder) -> None:
    async def picky(server: FakeServer, received: Received) -> None:
        asks = b"logprobs" in received.body.lower()
        act = say(b'{"error": {"message": "logprobs is too large"}}', status=400) if asks else say(replies.good())
        await act(server, received)

    async with served((), replies.dialect, otherwise=picky, options=replace(OPTIONS, top_log_probs=100)) as (
        server,
        model,
    ):
        for _ in range(2):
            assert (await model.ask(one_question(), deadline_s=DEADLINE_S)).failure is None
        bodies = [request.body for request in server.requests]
    refused = [body for body in bodies if b"logprobs" in body.lower()]
    assert len(refused) == {"openai_chat": 3, "openai": 3, "ollama": 2, "gemini": 2, "anthropic": 0}[replies.dialect]
    assert len(set(refused)) == len(refused)
    assert bodies[len(refused) :] == [bodies[-1]] * 2


async def test_a_closed_port_is_retried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A port that nobody listens on is tried three times within moments."""
    monkeypatch.setattr(retry, "BACKOFF_S", 0.001)
    async with FakeServer() as server:
        url = server.url
    sent, budget = FakeSentLog(), FakeBudget()
    model = endpoint(url, sent=sent, budget=budget)
    result = await model.ask(one_question(), deadline_s=DEADLINE_S)
    await model.close()
    assert result.failure is FailureReason.UNREACHABLE
    assert sent.outcomes == [FailureReason.UNREACHABLE] * 3
    assert budget.spent == Usage(calls=3), "calls count, tokens that nobody read do not"


async def test_cancelling_closes_the_connection_at_once() -> None:
    sent, budget = FakeSentLog(), FakeBudget()
    async with served([hang(), say(CHAT.good())], sent=sent, budget=budget) as (server, model):
        task = await under_way(server, model)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(server.requests[0].closed.wait(), 5.0)
        assert sent.outcomes == [CANCELLED]
        assert budget.spent.calls == 1
        assert budget.spent.tokens_in > 0
        assert (await model.ask(one_question(), deadline_s=DEADLINE_S)).failure is None


async def test_a_stopped_query_returns_what_it_had_cost() -> None:
    sent, budget = FakeSentLog(), FakeBudget()
    async with served([hang()], sent=sent, budget=budget) as (server, model):
        model.stop()  # nothing is under way: nothing happens
        task = await under_way(server, model)
        model.stop()
        result = await task
        await asyncio.wait_for(server.requests[0].closed.wait(), 5.0)
    assert (result.failure, result.sent, result.pictures) == (FailureReason.SUPERSEDED, ("1",), 4)
    assert sent.outcomes == [CANCELLED]
    assert result.usage == budget.spent
    assert result.usage.calls == 1
    assert result.usage.tokens_in > 0


async def test_the_newest_question_wins() -> None:
    """Of three queries the first is ended on the wire, the second is never sent, and the third is answered."""
    sent = FakeSentLog()
    async with served([hang(), say(CHAT.good())], sent=sent) as (server, model):
        first = await under_way(server, model, 1)
        second = asyncio.create_task(model.ask(one_question(2), deadline_s=DEADLINE_S))
        third = asyncio.create_task(model.ask(one_question(3), deadline_s=DEADLINE_S))
        results = await asyncio.gather(first, second, third)
        assert server.requests[0].closed.is_set()
        assert len(server.requests) == 2
    assert [result.failure for result in results] == [FailureReason.SUPERSEDED, FailureReason.SUPERSEDED, None]
    assert sent.outcomes == [CANCELLED, DONE]
    assert results[1].usage == Usage()


async def test_closing_ends_a_query_under_way() -> None:
    async with FakeServer([hang()]) as server:
        model = endpoint(server.url)
        task = await under_way(server, model)
        await model.close()
        assert (await task).failure is FailureReason.SUPERSEDED


async def test_a_spent_budget_sends_nothing() -> None:
    async with served([say(CHAT.text(WRONG)), say(CHAT.good())], budget=FakeBudget(calls=1)) as (server, model):
        for _ in range(2):
            assert (await model.ask(one_question(), deadline_s=DEADLINE_S)).failure is FailureReason.OVER_BUDGET
        assert len(server.requests) == 1


async def test_a_request_that_cannot_be_logged_is_not_sent() -> None:
    async with served(sent=FakeSentLog(full=True)) as (server, model):
        assert (await model.ask(one_question(), deadline_s=DEADLINE_S)).failure is FailureReason.NOT_ALLOWED
        assert not server.connections


@pytest.mark.parametrize("paused", [True, False])
async def test_a_pause_while_logging_prevents_sending(paused: bool) -> None:
    """The last look is behind the log and before the wire; nothing is counted of what never left."""

    class Pausing(FakeSentLog):
        async def begin(self, request: Request, *, endpoint: str, address: str, model: str, purpose: str = "") -> str:
            gate[0] = not paused
            return await super().begin(request, endpoint=endpoint, address=address, model=model)

    gate, sent, budget, act = [True], Pausing(), FakeBudget(), say(CHAT.good())
    async with served(otherwise=act, sent=sent, budget=budget, may_send=lambda: gate[0]) as (server, model):
        result = await model.ask(one_question(), deadline_s=DEADLINE_S)
        assert len(server.requests) == (0 if paused else 1)
    assert result.failure is (FailureReason.SUPERSEDED if paused else None)
    assert sent.outcomes == [CANCELLED if paused else DONE]
    assert budget.spent.calls == result.usage.calls == (0 if paused else 1)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HTTPS_PROXY", "ftp://proxy.example"),
        ("HTTPS_PROXY", "socks5://127.0.0.1:1"),
        ("SSL_CERT_FILE", "/nowhere/certificates.pem"),
        ("SSL_CERT_FILE", __file__),
    ],
)
def test_an_unusable_environment_is_reported(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    settings = ModelSettings(send_screens=True)
    endpoint("https://models.example/v1", settings=settings)  # the control
    monkeypatch.setenv(name, value)
    with pytest.raises(EnvironmentFault, match=name):
        endpoint("https://models.example/v1", settings=settings)
    endpoint("http://127.0.0.1:1/v1", settings=settings)


@pytest.mark.parametrize(("dollars", "trouble"), [(0.0, FailureReason.OVER_BUDGET), (0.01, FailureReason.UNREACHABLE)])
async def test_without_money_a_paid_model_is_never_queried(dollars: float, trouble: FailureReason) -> None:
    paid = replace(preset(), remote=True, model=OPTIONS.model, price_in=1.0, price_out=1.0)
    settings = ModelSettings(url="http://127.0.0.1:9/v1", dollars_per_day=dollars)
    parts: dict[str, Any] = {"clock": SystemClock(), "budget": FakeBudget(), "sent": FakeSentLog()}
    model = Endpoint(paid, settings, **parts, key=None, options=OPTIONS)
    assert (await model.ask(one_question(), deadline_s=DEADLINE_S)).failure is trouble
    await model.close()


@pytest.mark.parametrize(("on_battery", "allowed"), [(True, False), (False, False), (None, False), (True, True)])
async def test_a_local_model_is_not_queried_on_battery(on_battery: bool | None, allowed: bool) -> None:
    settings, act = ModelSettings(on_battery=allowed), say(CHAT.good())
    async with served(otherwise=act, on_battery=on_battery, settings=settings) as (server, model):
        result = await model.ask(one_question(), deadline_s=DEADLINE_S)
        rests = on_battery is True and not allowed
        assert result.failure is (FailureReason.ON_BATTERY if rests else None)
        assert bool(server.requests) is not rests


async def test_a_missing_key_sends_nothing() -> None:
    async with served(settings=ModelSettings(key_name="TINY_API_KEY")) as (server, model):
        assert (await model.ask(one_question(), deadline_s=DEADLINE_S)).failure is FailureReason.NO_KEY
        assert not server.connections


@every
async def test_the_key_goes_in_one_header_and_nowhere_else(replies: ReplyBuilder) -> None:
    sent = FakeSentLog()
    async with served([say(replies.good())], replies.dialect, sent=sent, key=Secret("k-123")) as (server, model):
        await model.ask(one_question(), deadline_s=DEADLINE_S)
        carried = [name for name, value in server.requests[0].headers.items() if "k-123" in value]
    assert carried == [replies.key_header]
    assert "k-123" not in repr(sent.begun)
    assert b"k-123" not in server.requests[0].body


ECHOED = "sk-proj-4fQz81LmT0aXcVb93RtYuWeP7"


@every
@pytest.mark.parametrize(
    "name",
    [
        *(ECHOED, f"models/{ECHOED}:latest", ECHOED.upper(), ECHOED[4:20], ECHOED + "x" * 500, "x" * 70 + ECHOED),
        *("~".join(ECHOED), "-".join(ECHOED)),
    ],
    ids=["whole", "inside", "in capitals", "a piece", "cut off behind", "cut off", "with signs", "with dashes"],
)
async def test_a_key_that_comes_back_as_a_model_s_name_is_not_taken_over(replies: ReplyBuilder, name: str) -> None:
    field = replies.good().replace(b'"tiny"', json.dumps(name).encode())
    async with served([say(field), say(replies.good())], replies.dialect, key=Secret(ECHOED)) as (_server, model):
        results = [await model.ask(one_question(), deadline_s=DEADLINE_S) for _ in range(2)]
    assert field != replies.good() or not results[1].model, "a dialect whose replies name no model"
    assert [(result.failure, result.model) for result in results] == [(None, ""), (None, results[1].model)]
    assert results[1].model in ("tiny", "")


async def test_one_connection_serves_all_asks_and_its_headers_reveal_nothing() -> None:
    """A server's cookie never comes back, and nothing names this machine, library or version."""
    async with served(otherwise=say(CHAT.good(), headers={"Set-Cookie": "id=1; Path=/"})) as (server, model):
        for _ in range(2):
            await model.ask(one_question(), deadline_s=DEADLINE_S)
        assert (len(server.requests), server.connections) == (2, 1)
    names = {"host", "user-agent", "accept", "accept-encoding", "connection", "content-type", "content-length"}
    assert all(set(request.headers) - {""} == names for request in server.requests)
    assert server.requests[1].headers["user-agent"] == "kairos"


@text_dialects
@pytest.mark.parametrize("text", [WRONG, '{"need": {"answ', "", "I would say yes."])
async def test_two_wrong_answers_are_the_end(replies: ReplyBuilder, text: str) -> None:
    observed = await query_once(replies, [say(replies.text(text))] * 2 + [say(replies.good())], FailureReason.NONSENSE)
    assert len(observed.bodies) == 2


@text_dialects
async def test_an_answer_among_thoughts_is_read(replies: ReplyBuilder) -> None:
    await query_once(replies, [say(replies.thoughts(f"Well. {YES}"))], None)


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 529])
async def test_three_times_busy_is_busy(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "BACKOFF_S", 0.001)
    observed = await query_once(CHAT, [say(b"", status=status)] * 4, FailureReason.BUSY)
    assert len(observed.bodies) == 3


async def test_retry_after_holds_for_the_next_query() -> None:
    async with served([say(b"{}", status=429, headers={"Retry-After": "30"})]) as (server, model):
        for _ in range(2):
            assert (await model.ask(one_question(), deadline_s=DEADLINE_S)).failure is FailureReason.BUSY
        assert len(server.requests) == 1


@every
async def test_a_wrong_content_length_hurts_only_that_answer(replies: ReplyBuilder) -> None:
    """Bytes beyond the stated length never become part of another reply."""
    long = head(200, "Fine", {"Content-Length": str(len(replies.good()))}) + replies.good() + replies.good()
    async with served([drop(long), say(replies.good())], replies.dialect) as (server, model):
        for _ in range(2):
            assert (await model.ask(one_question(), deadline_s=DEADLINE_S)).failure is None
        assert len(server.requests) == 2


@every
async def test_a_context_too_small_for_one_picture_is_the_end(replies: ReplyBuilder) -> None:
    observed = await query_once(replies, [say(OVERFLOW, status=400)] * 9, FailureReason.TOO_LONG, pictures=4)
    assert len(set(observed.bodies)) == len(observed.bodies) == 3


async def test_a_remote_model_is_queried_on_battery() -> None:
    async def lookup(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    async with FakeServer([say(CHAT.good())]) as server:
        settings = ModelSettings(send_screens=True)
        url = f"http://box.lan:{server.port}"
        model = endpoint(url, on_battery=True, settings=settings, lookup=lookup)
        assert (await model.ask(one_question(), deadline_s=DEADLINE_S)).failure is None
        await model.close()
