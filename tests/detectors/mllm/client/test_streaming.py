"""An answer while it is written: what of it is seen early, in every dialect that streams, and how it ends."""

import asyncio
import json
from dataclasses import dataclass, field, replace

import pytest

from detectors.mllm import dialects
from detectors.mllm.protocol import CANCELLED, DONE, InvalidReply
from detectors.mllm.questions import FailureReason, ModelQuery
from tests.fakes.mllm.endpoints import OPTIONS, FakeBudget, FakeSentLog, endpoint, served
from tests.fakes.mllm.reply_builders import TEXT_REPLY_BUILDERS, WRONG, YES, ReplyBuilder
from tests.fakes.mllm.sample_queries import NEED, query
from tests.fakes.mllm.server import FakeServer, endless, pour, pour_and_hang, say

pytestmark = pytest.mark.anyio

DEADLINE_S = 20.0
PARTS = [YES[at : at + 7] for at in range(0, len(YES), 7)]
text_dialects = pytest.mark.parametrize("replies", TEXT_REPLY_BUILDERS, ids=lambda replies: replies.dialect)


@dataclass(slots=True)
class Heard:
    """What came early, one text for each request."""

    texts: list[list[str]] = field(default_factory=list)
    some: asyncio.Event = field(default_factory=asyncio.Event)

    def begin(self) -> None:
        self.texts.append([])

    def add(self, text: str) -> None:
        self.texts[-1].append(text)
        self.some.set()


def one_question() -> ModelQuery:
    return query(1, questions=(NEED,), observations="")


@text_dialects
async def test_the_text_comes_as_it_is_written(replies: ReplyBuilder) -> None:
    whole = b"".join(replies.stream(PARTS))
    odd = [whole[at : at + 11] for at in range(0, len(whole), 11)]
    for pieces in (replies.stream(PARTS), odd):
        heard, sent, budget = Heard(), FakeSentLog(), FakeBudget()
        async with served([pour(pieces)], replies.dialect, sent=sent, budget=budget) as (_server, model):
            result = await model.ask(one_question(), deadline_s=DEADLINE_S, stream=heard, purpose="help")
        assert result.failure is None
        assert result.answers["need"].choice == "yes"
        assert [text for text in heard.texts[0] if text] == PARTS
        assert (result.usage.tokens_in, result.usage.tokens_out, result.model) == (5000, 12, "tiny")
        assert budget.spent == result.usage
        assert sent.outcomes == [DONE]
        assert sent.begun[0][1]["purpose"] == "help"


@text_dialects
def test_a_stream_is_requested_only_where_it_is_wanted(replies: ReplyBuilder) -> None:
    """Requests without a stream stay as they were, byte for byte; with one they differ in what asks for it alone."""
    dialect = dialects.by_name(replies.dialect)
    plain = dialect.request(one_question(), OPTIONS)
    streamed = dialect.request(one_question(), replace(OPTIONS, stream=True))
    before, after = (json.loads(bytes(request.body)) for request in (plain, streamed))
    added = {key: value for key, value in after.items() if before.get(key) != value}
    if replies.dialect == "gemini":
        assert streamed.path == plain.path.replace("generateContent", "streamGenerateContent?alt=sse")
        assert not added
    else:
        assert added.pop("stream") is True
        assert added in ({}, {"stream_options": {"include_usage": True}})


@text_dialects
def test_a_stream_without_its_end_is_no_reply(replies: ReplyBuilder) -> None:
    """What was broken off, or ends in an error, is unusable however much of it came; the control is whole."""
    dialect, pieces = dialects.by_name(replies.dialect), replies.stream(PARTS)
    assert dialect.reply(b"".join(pieces), one_question()).text == YES
    with pytest.raises(InvalidReply):
        dialect.reply(b"".join(pieces[:-1]), one_question())


@text_dialects
@pytest.mark.parametrize("way", ["stop", "cancel", "deadline"])
async def test_a_stream_that_is_ended_closes_the_connection(replies: ReplyBuilder, way: str) -> None:
    """Stopping, cancelling and the deadline end the request on the wire at once; its cost is counted, by estimate."""
    heard, sent, budget = Heard(), FakeSentLog(), FakeBudget()
    async with FakeServer([pour_and_hang(replies.stream(PARTS)[:3])]) as server:
        model = endpoint(server.url, replies.dialect, sent=sent, budget=budget)
        deadline_s = 1.5 if way == "deadline" else DEADLINE_S
        asking = asyncio.create_task(model.ask(one_question(), deadline_s=deadline_s, stream=heard))
        await asyncio.wait_for(heard.some.wait(), DEADLINE_S)
        if way == "stop":
            model.stop()
        elif way == "cancel":
            asking.cancel()
        await asyncio.wait([asking])
        async with asyncio.timeout(DEADLINE_S):
            await server.requests[0].closed.wait()
        await model.close()
    deadline = FailureReason.DEADLINE
    if way != "cancel":
        assert asking.result().failure is (deadline if way == "deadline" else FailureReason.SUPERSEDED)
    assert sent.outcomes == [deadline if way == "deadline" else CANCELLED]
    assert budget.spent.calls == 1
    assert budget.spent.tokens_in > 0


async def test_another_try_begins_the_text_anew() -> None:
    chat, heard = TEXT_REPLY_BUILDERS[0], Heard()
    plan = [pour(chat.stream([WRONG])), pour(chat.stream(PARTS))]
    async with served(plan) as (_server, model):
        result = await model.ask(one_question(), deadline_s=DEADLINE_S, stream=heard)
    assert result.failure is None
    assert ["".join(texts) for texts in heard.texts] == [WRONG, YES]


async def test_an_endless_stream_is_cut_and_a_broken_one_is_no_answer() -> None:
    """A server that never ends is left after a few megabytes; one that hangs up in the middle gave no answer."""
    chat = TEXT_REPLY_BUILDERS[0]
    async with served([endless()]) as (server, model):
        result = await model.ask(one_question(), deadline_s=DEADLINE_S, stream=Heard())
        assert result.failure is FailureReason.NONSENSE
        assert server.poured < 16 << 20
    async with served([pour(chat.stream(PARTS)[:-1], end=False)]) as (server, model):
        result = await model.ask(one_question(), deadline_s=DEADLINE_S, stream=Heard())
        assert result.failure is FailureReason.UNREACHABLE


@text_dialects
async def test_a_reply_in_one_piece_is_taken_too(replies: ReplyBuilder) -> None:
    heard = Heard()
    async with served([say(replies.good())], replies.dialect) as (_server, model):
        result = await model.ask(one_question(), deadline_s=DEADLINE_S, stream=heard)
    assert result.failure is None
    assert heard.texts == [[]]
