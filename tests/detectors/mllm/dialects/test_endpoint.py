"""Dialects through a client and a fake server: sample replies become answers to the questions that were asked."""

import json
import math

import pytest

from detectors.mllm import dialects
from detectors.mllm.questions import Confidence, FailureReason
from tests.fakes.mllm.parts import endpoint
from tests.fakes.mllm.sample_queries import INTENT, NEED, STATE, ask
from tests.fakes.mllm.sample_replies import sample
from tests.fakes.mllm.server import FakeServer, say

pytestmark = pytest.mark.anyio
DECIDING = tuple(name for name in dialects.NAMES if dialects.by_name(name).decides)


@pytest.mark.parametrize("name", dialects.NAMES)
async def test_round_trip(name: str) -> None:
    """The body arrives as it was made, where the dialect says, and the reply is an answer to each question."""
    async with FakeServer([say(sample(name))]) as server:
        model = endpoint(server.url, name)
        answers = await model.ask(ask(), deadline_s=5)
        expected = dialects.by_name(name).request(ask(), model.how)
        await model.close()
    (received,) = server.requests
    assert received.line.split(" ")[:2] == ["POST", expected.path]
    assert received.body == bytes(expected.body)
    assert received.headers["content-type"] == "application/json"
    assert answers.trouble is None
    assert {key: answer.choice for key, answer in answers.answers.items()}["state"] == "waiting"
    assert all(math.isclose(sum(answer.distribution.values()), 1.0) for answer in answers.answers.values())
    decided = answers.answers["state"].confidence is Confidence.DECISION
    assert decided is dialects.by_name(name).decides


@pytest.mark.parametrize("name", DECIDING)
async def test_free_questions_of_decision_endpoints(name: str) -> None:
    """Free questions alone are refused without a request; among others they stay without an answer."""
    async with FakeServer([say(sample(name))]) as server:
        model = endpoint(server.url, name)
        alone = await model.ask(ask(questions=(INTENT,)), deadline_s=5)
        assert not server.requests
        mixed = await model.ask(ask(questions=(STATE, INTENT, NEED)), deadline_s=5)
        await model.close()
    assert alone.trouble is FailureReason.REFUSED
    assert mixed.trouble is None
    assert mixed.answers["intent"].text is None
    assert len(json.loads(server.requests[0].body)["questions"]) == 2
