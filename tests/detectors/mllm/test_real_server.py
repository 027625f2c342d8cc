"""A real llama-server with a tiny model of random weights: what it says means nothing, how it says it is what counts.

Run by `./test --full` where there is a llama-server; CONTRIBUTING.md says how to build one.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from daemon.cli.main import main
from detectors.mllm import dialects
from detectors.mllm.client.endpoint import Endpoint
from detectors.mllm.client.transport import HttpReply, HttpTransport
from detectors.mllm.presets import PRESETS
from detectors.mllm.probing.samples import sample
from detectors.mllm.prompting.reply_parser import parse_reply
from detectors.mllm.protocol import DONE, RequestOptions, SchemaMode
from detectors.mllm.questions import AnswerForm, Confidence, FailureReason, ModelQuery, ModelQuestion, Pictures
from storage.clock import SystemClock
from storage.settings import ModelSettings
from tests.fakes.mllm import llama_server
from tests.fakes.mllm.endpoints import FakeBudget, FakeSentLog
from tests.fakes.mllm.llama_server import LlamaServer
from tests.fakes.mllm.questions import FOUR, behavior, content, intent, need

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.realserver,
    pytest.mark.skipif(
        llama_server.found() is None,
        reason=f"no llama-server: {llama_server.VARIABLE} names none and PATH has none (see CONTRIBUTING.md)",
    ),
]

PRESET = PRESETS["llama-server"]
PATIENCE_S = 300.0
"""Far more than anything here takes; what is slow is a busy machine, not a failure."""

CANCELS = 5
CONTEXT = 16_384
LIVE = (behavior(), need(), content())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaServer]:
    with llama_server.running(tmp_path_factory.mktemp("server"), context=CONTEXT) as found:
        yield found


@asynccontextmanager
async def endpoint(
    server: LlamaServer, how: RequestOptions | None = None, *, sent: FakeSentLog | None = None
) -> AsyncIterator[Endpoint]:
    client = Endpoint(
        PRESET,
        ModelSettings(url=f"{server.url}/v1"),
        clock=SystemClock(),
        budget=FakeBudget(),
        sent=sent if sent is not None else FakeSentLog(),
        key=None,
        options=how or RequestOptions(model=llama_server.ALIAS, top_log_probs=PRESET.log_probs),
    )
    try:
        yield client
    finally:
        await client.close()


def build_query(*questions: ModelQuestion, pictures: int = 32, seed: int = 1) -> ModelQuery:
    return replace(sample(pictures, seed=seed), questions=questions)


@pytest.mark.parametrize(
    "questions",
    [(behavior(),), (need(),), (intent(*FOUR),), (content(*FOUR),), (intent(),), (content(),), LIVE],
    ids=lambda questions: " ".join(f"{question.task}-{question.form}" for question in questions),
)
async def test_every_task_is_answered_about_32_pictures(
    server: LlamaServer, questions: tuple[ModelQuestion, ...]
) -> None:
    """Those that are asked together too."""
    async with endpoint(server) as client:
        answers = await client.ask(build_query(*questions), deadline_s=PATIENCE_S)
    assert answers.failure is None
    assert (answers.pictures, answers.usage.calls, answers.model) == (32, 1, llama_server.ALIAS)
    assert answers.usage.tokens_in > 32 * 4
    assert answers.usage.tokens_out > 0
    assert set(answers.answers) == {question.key for question in questions}
    for question in questions:
        answer = answers.answers[question.key]
        if question.form is AnswerForm.TEXT:
            assert answer.text is not None
        else:
            assert answer.confidence is Confidence.LOG_PROBABILITIES
            assert set(answer.distribution) == set(question.labels)
            assert sum(answer.distribution.values()) == pytest.approx(1.0)
            assert len(set(answer.distribution.values())) > 1


async def test_it_is_the_server_that_enforces_the_shape(server: LlamaServer) -> None:
    """Random weights keep to it with a schema, and say nothing of use without one."""
    dialect = dialects.by_name(PRESET.dialect)
    async with endpoint(server) as client:
        line = HttpTransport(client.address, {})
        usable = {}
        for mode in (SchemaMode.JSON_SCHEMA, SchemaMode.JSON_OBJECT_SCHEMA, SchemaMode.PROMPTED):
            query = build_query(behavior(), need(), pictures=1)
            received = await line.post(
                dialect.request(query, RequestOptions(model=llama_server.ALIAS, schema_mode=mode)), limit=1 << 20
            )
            assert isinstance(received, HttpReply)
            assert received.status == 200
            usable[mode] = len(parse_reply(query, dialect.reply(received.content, query)).answers)
        await line.close()
    assert usable == {SchemaMode.JSON_SCHEMA: 2, SchemaMode.JSON_OBJECT_SCHEMA: 2, SchemaMode.PROMPTED: 0}


async def test_nested_prefixes_are_read_once(server: LlamaServer) -> None:
    whole = build_query(*LIVE, seed=3)
    async with endpoint(server) as client:
        shares = []
        before = 0
        for count in (8, 16, 24, 32):
            part = replace(whole, pictures=whole.pictures[:count], at_s=whole.at_s[:count])
            answers = await client.ask(part, deadline_s=PATIENCE_S)
            assert answers.failure is None
            usage = answers.usage
            pictures_then = (count - 8) * 4  # a picture is four tokens at the least
            assert usage.cached >= pictures_then
            if before:
                shares.append(usage.cached / before)
            before = usage.tokens_in
            other = await client.ask(build_query(*LIVE, pictures=8, seed=count), deadline_s=PATIENCE_S)
    assert min(shares) > other.usage.cached / other.usage.tokens_in  # other pictures share the instructions alone


@pytest.mark.parametrize("at", ["reading", "writing"])
async def test_cancelling_frees_the_slot(server: LlamaServer, at: str) -> None:
    for number in range(CANCELS):
        sent = FakeSentLog()
        async with endpoint(server, sent=sent) as client:
            seed = number + (100 if at == "reading" else 200)
            task = asyncio.create_task(client.ask(build_query(*LIVE, seed=seed), deadline_s=PATIENCE_S))
            await until(server, lambda slot: at_work(slot, at), every_s=0.03)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await until(server, lambda slot: not slot["is_processing"], every_s=0.002)
            assert sent.outcomes == ["cancelled"]
            answers = await client.ask(build_query(need(), pictures=1), deadline_s=PATIENCE_S)
        assert answers.failure is None


def at_work(slot: Mapping[str, Any], at: str) -> bool:
    written = any(token["n_decoded"] for token in slot.get("next_token", ()))
    return bool(slot["is_processing"]) and written == (at == "writing")


async def until(server: LlamaServer, check: Callable[[Mapping[str, Any]], bool], every_s: float = 0.01) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not check(await asyncio.to_thread(server.slot)):  # noqa: ASYNC110  # the server tells nobody of it
            await asyncio.sleep(every_s)


def test_the_probe_finds_out_what_the_server_can_do(server: LlamaServer, capsys: pytest.CaptureFixture[str]) -> None:
    """`kairos models probe` and, with what it found, `kairos models test`."""
    where = ("llama-server", "--url", f"{server.url}/v1", "--model", llama_server.ALIAS)
    assert main(["models", "probe", *where, "--json"]) == 0
    (probed,) = json.loads(capsys.readouterr().out)["probe"]
    assert (probed["schema_mode"], probed["model"], probed["readable"]) == ("json_schema", llama_server.ALIAS, True)
    assert (probed["pictures_max"], probed["context_tokens"], probed["still_thinks"]) == (32, CONTEXT, False)
    assert probed["log_probs"] > 100
    assert probed["tokens_per_picture"] > 4
    assert main(["models", "test", *where, "--pictures", "32", "--json"]) == 0
    (tested,) = json.loads(capsys.readouterr().out)["test"]
    assert (tested["pictures"], tested["usage"]["calls"]) == (32, 1)
    assert {answer["confidence"] for answer in tested["answers"].values()} == {Confidence.LOG_PROBABILITIES.value}


async def test_a_corrupt_picture_is_refused_once(server: LlamaServer) -> None:
    query = build_query(need(), pictures=2)
    broken = Pictures().picture_of(b"\xff\xd8 no picture")
    sent = FakeSentLog()
    async with endpoint(server, sent=sent) as client:
        answers = await client.ask(replace(query, pictures=(query.pictures[0], broken)), deadline_s=PATIENCE_S)
        assert answers.failure is FailureReason.REFUSED
        assert sent.outcomes == ["refused"]
        again = await client.ask(query, deadline_s=PATIENCE_S)
    assert again.failure is None


async def test_too_many_pictures_are_halved(tmp_path: Path) -> None:
    sent = FakeSentLog()
    with llama_server.running(tmp_path, context=2560) as server:
        async with endpoint(server, sent=sent) as client:
            answers = await client.ask(build_query(need()), deadline_s=PATIENCE_S)
            again = await client.ask(build_query(need(), seed=2), deadline_s=PATIENCE_S)
    assert answers.failure is None
    assert answers.pictures < 32
    assert sent.outcomes == ["too_long"] * (answers.usage.calls - 1) + [DONE, DONE]
    assert (again.pictures, again.usage.calls) == (answers.pictures, 1)


async def test_an_answer_that_is_cut_off_gets_more_room(server: LlamaServer) -> None:
    """This server calls it an error of its own, in the midst of its answer; it is asked once more, with room."""
    sent = FakeSentLog()
    async with endpoint(server, RequestOptions(model=llama_server.ALIAS, max_tokens=8), sent=sent) as client:
        answers = await client.ask(build_query(behavior(), need(), pictures=1), deadline_s=PATIENCE_S)
    assert answers.failure is None
    assert sent.outcomes == ["nonsense", DONE]
