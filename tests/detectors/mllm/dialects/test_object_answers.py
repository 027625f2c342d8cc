"""Questions with a brief, through every dialect and a fake server: schema, facts, one repair, and clean refusals."""

import json
from dataclasses import replace
from typing import Any

import pytest

from detectors.mllm import dialects
from detectors.mllm.prompting.briefs import tokens_needed
from detectors.mllm.protocol import RequestOptions, SchemaMode
from detectors.mllm.questions import FailureReason
from tests.fakes.mllm.briefs import GOOD, SHAPE, brief, object_query
from tests.fakes.mllm.endpoints import served
from tests.fakes.mllm.reply_builders import REPLY_BUILDERS, TEXT_REPLY_BUILDERS, ReplyBuilder
from tests.fakes.mllm.server import say

ENFORCED = RequestOptions(model="tiny", schema_mode=SchemaMode.JSON_SCHEMA, top_log_probs=5)
PROMPTED = RequestOptions(model="tiny", schema_mode=SchemaMode.PROMPTED)
TEXT = json.dumps(GOOD)

written = pytest.mark.parametrize("builder", TEXT_REPLY_BUILDERS, ids=lambda each: each.dialect)
decided = pytest.mark.parametrize(
    "builder", [each for each in REPLY_BUILDERS if each.decides], ids=lambda each: each.dialect
)
counted = pytest.mark.parametrize("pictures", [0, 2])


def schemas(tree: Any) -> list[Any]:
    if isinstance(tree, dict):
        here = [tree] if tree.get("required") == [field.name for field in SHAPE.fields] else []
        return here + [found for child in tree.values() for found in schemas(child)]
    return [found for child in tree for found in schemas(child)] if isinstance(tree, list) else []


@written
@counted
@pytest.mark.anyio
async def test_facts_come_back(builder: ReplyBuilder, pictures: int) -> None:
    query = object_query(pictures)
    async with served([say(builder.text(TEXT))], builder.dialect) as (server, model):
        result = await model.ask(query, deadline_s=5)
    assert result.failure is None
    assert result.answers["judgement"].facts == GOOD
    assert result.pictures == pictures
    (received,) = server.requests
    assert len(schemas(json.loads(received.body))) == 1
    assert [picture.base64 in received.body for picture in query.pictures] == [True] * pictures
    assert (b"creenshot" in received.body) is (pictures > 0)


@written
def test_a_prompted_request_holds_no_schema(builder: ReplyBuilder) -> None:
    dialect = dialects.by_name(builder.dialect)
    assert schemas(json.loads(bytes(dialect.request(object_query(), PROMPTED).body))) == []
    assert len(schemas(json.loads(bytes(dialect.request(object_query(), ENFORCED).body)))) == 1


@pytest.mark.parametrize("name", ["llama_server", *(each.dialect for each in TEXT_REPLY_BUILDERS)])
def test_answers_have_bounds_for_a_server_that_is_known_to_take_them(name: str) -> None:
    """Lengths of lists and texts, and ranges: a small model keeps to none by itself."""
    body = bytes(dialects.by_name(name).request(object_query(), ENFORCED).body)
    (found,) = schemas(json.loads(body))
    problems = found["properties"]["problems"]
    step, cause = (problems["items"]["properties"][name] for name in ("step", "cause"))
    bounds = problems.get("minItems"), problems.get("maxItems"), cause.get("maxLength"), step.get("minimum")
    assert (*bounds, step.get("maximum")) == ((0, 3, 40, 3, 7) if name == "llama_server" else (None,) * 5)


@pytest.mark.anyio
async def test_the_endpoint_asks_for_room_and_no_log_probabilities() -> None:
    """An object is longer than a letter, and its tokens' alternatives are of no use; closed questions keep theirs."""
    builder = REPLY_BUILDERS[0]
    plan = [say(builder.text(TEXT)), say(builder.good())]
    async with served(plan, builder.dialect, options=ENFORCED) as (server, model):
        await model.ask(object_query(), deadline_s=5)
        assert model.options == ENFORCED, "what a brief needs is not remembered, so equal queries are equal requests"
    body = json.loads(server.requests[0].body)
    assert "logprobs" not in body
    assert body["max_tokens"] == tokens_needed(brief()) == 258
    assert tokens_needed(replace(brief(), tokens=99)) == 99, "no more than it allows"


@written
@pytest.mark.anyio
async def test_one_repair_that_names_the_rule(builder: ReplyBuilder) -> None:
    wrong = json.dumps(dict(GOOD) | {"verdict": "MARKER"})
    plan = [say(builder.text(wrong)), say(builder.text(TEXT)), say(builder.text(wrong)), say(builder.text(wrong))]
    async with served(plan, builder.dialect) as (server, model):
        mended = await model.ask(object_query(), deadline_s=5)
        failed = await model.ask(object_query(), deadline_s=5)
    assert mended.answers["judgement"].facts == GOOD
    assert failed.failure is FailureReason.NONSENSE
    assert len(server.requests) == 4
    asked_again = server.requests[1].body
    assert b"must be one of these, and nothing else: success, partial, fail." in asked_again
    assert b"MARKER" not in asked_again


@decided
@pytest.mark.anyio
async def test_endpoints_that_only_decide_refuse_a_brief(builder: ReplyBuilder) -> None:
    """Without a request, and as a failure that says so."""
    async with served([], builder.dialect) as (server, model):
        result = await model.ask(object_query(1), deadline_s=5)
    assert result.failure is FailureReason.REFUSED
    assert not server.requests
    with pytest.raises(ValueError, match="free questions"):
        dialects.by_name(builder.dialect).request(object_query(), ENFORCED)
