"""Random misbehaviour in random order: a query ends whatever happens, and nothing goes out twice for nothing."""

import random

import pytest

from detectors.mllm.client import retry
from detectors.mllm.protocol import RequestOptions, SchemaMode
from detectors.mllm.questions import FailureReason, Usage
from storage.clock import NS_PER_S, SystemClock
from tests.fakes.mllm.endpoints import FakeBudget, FakeSentLog, served
from tests.fakes.mllm.reply_builders import REPLY_BUILDERS, WRONG, ReplyBuilder
from tests.fakes.mllm.sample_queries import NEED, query
from tests.fakes.mllm.server import Act, drop, head, say

pytestmark = pytest.mark.anyio

PLANS = 12


LONGEST = 14


MOST = 1 + 2 + 2 + 5 + 2  # the first, retries, repair and room, halvings of 32 pictures, schema modes


BUSY = ("500", "503", "429", "408")


DEADLINE_S = 30.0


def acts(replies: ReplyBuilder) -> dict[str, Act]:
    found = {
        **{status: say(b"", status=int(status)) for status in BUSY},
        "good": say(replies.good()),
        "nonsense": say(b"<html>"),
        "dropped": drop(),
        "half": drop(head(200, "OK", {"Content-Length": "900"}) + b"{"),
        "overflow": say(b"context_length_exceeded", status=400),
        "schema": say(b"response_format json_schema is not supported", status=400),
        "picture": say(b"cannot decode this image", status=400),
        "key": say(b"", status=401),
    }
    if not replies.decides:
        found |= {"wrong": say(replies.text(WRONG)), "cut": say(replies.cut("{")), "empty": say(replies.text(""))}
    return found


@pytest.mark.parametrize("replies", REPLY_BUILDERS, ids=lambda replies: replies.dialect)
async def test_any_order_of_failures_ends(replies: ReplyBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "BACKOFF_S", 0.001)
    known, clock = acts(replies), SystemClock()
    how = RequestOptions(model="tiny", schema_mode=SchemaMode.JSON_SCHEMA)
    for seed in range(PLANS):
        rng = random.Random(f"{replies.dialect} {seed}")
        names = rng.choices([name for name in known if name != "good"], k=LONGEST)
        names.insert(rng.randrange(1, 6), "good")
        sent, budget = FakeSentLog(), FakeBudget()
        acts_in_turn = [known[name] for name in names]
        async with served(acts_in_turn, replies.dialect, sent=sent, budget=budget, options=how) as (server, model):
            began_ns = clock.now_ns()
            result = await model.ask(query(32, questions=(NEED,), size=3), deadline_s=DEADLINE_S)
            took_s = (clock.now_ns() - began_ns) / NS_PER_S
            bodies = [request.body for request in server.requests]
        plan = names[: len(bodies)]
        assert took_s < DEADLINE_S, plan
        assert 1 <= len(bodies) <= MOST, plan
        assert (result.failure is None) == (plan[-1] == "good"), plan
        assert result.failure is not FailureReason.DEADLINE, plan
        for before, after, name in zip(bodies, bodies[1:], plan, strict=False):
            assert before != after or name in BUSY, plan
        assert len(sent.begun) == len(sent.ended) == result.usage.calls == len(bodies), plan
        assert budget.spent == result.usage != Usage(), plan
