"""A probe finds out what servers really do, whatever they claim, and sends nothing but pictures that it drew."""

import asyncio
import base64
import re
from dataclasses import replace
from typing import Any

import pytest

from detectors.mllm import dialects
from detectors.mllm.client.address import parse_address
from detectors.mllm.client.keys import Secret
from detectors.mllm.client.transport import HttpTransport
from detectors.mllm.presets import PRESETS, Preset
from detectors.mllm.probing import probe
from detectors.mllm.probing.probe import ProbeFailure, Prober, ProbeResult
from detectors.mllm.probing.samples import QUESTIONS, sample
from detectors.mllm.protocol import DONE, RefusalKind, SchemaMode
from detectors.mllm.questions import FailureReason, ModelQuery, Pictures
from storage.clock import SystemClock
from storage.settings import ModelSettings
from tests.fakes.mllm.chat_server import FakeChatServer
from tests.fakes.mllm.endpoints import FakeBudget, FakeSentLog
from tests.fakes.mllm.server import FakeServer, hang
from tests.fakes.narrowing import as_a, present

pytestmark = pytest.mark.anyio

LOCAL, CLOUD = PRESETS["llama-server"], PRESETS["openai"]


def quick(count: int, *, seed: int = 0) -> ModelQuery:
    made = Pictures(count)
    pictures = tuple(made.picture_of(f"picture {number} of {seed}".encode() * 20) for number in range(count))
    return ModelQuery(pictures=pictures, at_s=tuple(0.75 * number for number in range(count)), questions=QUESTIONS)


@pytest.fixture(autouse=True)
def quick_pictures(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if "drawn" not in request.node.name:
        monkeypatch.setattr(probe, "sample", quick)


def prober(
    preset: Preset,
    settings: ModelSettings,
    transport: HttpTransport,
    root: HttpTransport | None = None,
    *,
    budget: FakeBudget | None = None,
    sent: FakeSentLog | None = None,
    key: Secret | None = None,
) -> Prober:
    return Prober(
        preset,
        settings,
        transport=transport,
        root=root or transport,
        dialect=dialects.by_name(preset.dialect),
        clock=SystemClock(),
        budget=budget or FakeBudget(),
        sent=sent if sent is not None else FakeSentLog(),
        report=lambda text: None,
        key=key,
    )


async def run_probe(
    chat_server: FakeChatServer,
    *,
    preset: str = "llama-server",
    sent: FakeSentLog | None = None,
    budget: FakeBudget | None = None,
) -> ProbeResult | ProbeFailure:
    async with FakeServer(otherwise=chat_server) as server:
        settings = ModelSettings(preset=preset, url=f"{server.url}/v1", model="pretender")
        found = PRESETS[preset]
        headers = dialects.by_name(found.dialect).authorization("sk-secret") if chat_server.key else {}
        transport, root = (
            HttpTransport(parse_address(url, send_screens=True), headers) for url in (settings.url, server.url)
        )
        key = Secret("sk-secret") if chat_server.key else None
        try:
            return await prober(found, settings, transport, root, budget=budget, sent=sent, key=key).run()
        finally:
            await transport.close()
            await root.close()


async def probed(chat_server: FakeChatServer, **parts: Any) -> ProbeResult:
    return as_a(ProbeResult, await run_probe(chat_server, **parts))


async def failed_probe(chat_server: FakeChatServer, **parts: Any) -> ProbeFailure:
    return as_a(ProbeFailure, await run_probe(chat_server, **parts))


async def test_a_probe_of_a_good_server() -> None:
    chat_server = FakeChatServer(alternatives=250, context=32768)
    findings = await probed(chat_server)
    capabilities = findings.capabilities
    assert capabilities.schema_mode is SchemaMode.JSON_SCHEMA
    assert (capabilities.pictures_max, capabilities.tokens_per_picture) == (32, 100)
    assert (capabilities.context_tokens, capabilities.model, capabilities.still_thinks) == (32768, "pretender", False)
    assert capabilities.log_probs == 100  # 300 were refused
    assert capabilities.latency_s > 0
    assert findings.readable
    assert findings.notes == ()
    assert findings.usage.calls == len(chat_server.bodies) <= 7
    assert findings.usage.tokens_in > 0


async def test_a_schema_mode_counts_only_if_it_was_obeyed() -> None:
    """A server that answers in the right shape because the words ask for it does not enforce anything."""
    assert (await probed(FakeChatServer(enforces=()))).capabilities.schema_mode is SchemaMode.PROMPTED
    enforcing = await probed(FakeChatServer(obliging=False))  # the control: here the words do nothing, the schema all
    assert enforcing.capabilities.schema_mode is SchemaMode.JSON_SCHEMA
    assert enforcing.readable


async def test_the_next_schema_mode_is_tried_after_a_refused_or_ignored_one() -> None:
    """One server answers `json_schema` with an error, another ignores it; both obey an object with a schema."""
    for chat_server in (FakeChatServer(refuses=("json_schema",)), FakeChatServer(enforces=("json_object",))):
        assert (await probed(chat_server)).capabilities.schema_mode is SchemaMode.JSON_OBJECT_SCHEMA


@pytest.mark.parametrize(("takes", "most"), [(32, 32), (31, 16), (8, 8), (3, 2), (1, 1)])
async def test_the_largest_number_of_pictures_is_found(takes: int, most: int) -> None:
    assert (await probed(FakeChatServer(pictures_max=takes))).capabilities.pictures_max == most


async def test_silently_dropped_pictures_do_not_count() -> None:
    """A server that takes 32 pictures and reads one counts the same tokens for both."""
    assert (await probed(FakeChatServer(pictures_seen=1))).capabilities.pictures_max == 1
    silent = await probed(FakeChatServer(counts=False))  # one that counts nothing has to be believed
    assert (silent.capabilities.pictures_max, silent.capabilities.tokens_per_picture) == (32, 0)
    assert any("does not count tokens" in note for note in silent.notes)
    odd = await probed(FakeChatServer(counts=1))  # a count that no request can have is none, and decides nothing
    assert (odd.capabilities.pictures_max, odd.capabilities.tokens_per_picture) == (32, 0)
    assert odd.usage.tokens_in >= silent.usage.tokens_in > 0


async def test_a_thinking_model_gets_room_and_is_reported() -> None:
    findings = await probed(FakeChatServer(thinks="Let me see."))
    assert (findings.capabilities.schema_mode, findings.capabilities.still_thinks) == (SchemaMode.JSON_SCHEMA, True)
    assert any("thinks" in note for note in findings.notes)


async def test_an_unusable_model_is_reported() -> None:
    findings = await probed(FakeChatServer(enforces=(), obliging=False, alternatives=0))
    assert not findings.readable
    assert any("could not be used" in note for note in findings.notes)
    assert any("no log-probabilities" in note for note in findings.notes)


async def test_a_slow_server_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes longer than an answer may take is of no use live; what takes too long for a trial is not taken."""
    slow = await probed(FakeChatServer())
    assert slow.notes == ()
    fast_only = replace(ModelSettings(), deadline_s=-1.0)  # the fake may answer within a rounding of 0
    monkeypatch.setattr(
        "tests.detectors.mllm.probing.test_probe.ModelSettings", lambda **kept: replace(fast_only, **kept)
    )
    assert any("too late" in note for note in (await probed(FakeChatServer())).notes)


@pytest.mark.parametrize(
    ("chat_server", "reason", "kind"),
    [
        (FakeChatServer(key="another"), FailureReason.NO_KEY, RefusalKind.KEY),
        (FakeChatServer(status=404, error="model not found"), FailureReason.REFUSED, RefusalKind.OTHER),
        (FakeChatServer(status=400, error="this model has no vision"), FailureReason.REFUSED, RefusalKind.PICTURE),
        (FakeChatServer(pictures_max=0), FailureReason.TOO_LONG, RefusalKind.OVERFLOW),
    ],
)
async def test_an_unusable_server_is_reported(
    chat_server: FakeChatServer, reason: FailureReason, kind: RefusalKind
) -> None:
    sent = FakeSentLog()
    failure = await failed_probe(chat_server, sent=sent)
    assert (failure.reason, present(failure.refusal).kind) == (reason, kind)
    assert len(sent.begun) == 1


async def test_a_closed_port_and_a_silent_server_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """A closed port is told at once, a server that says nothing after the time that is allowed."""
    monkeypatch.setattr(probe, "FIRST_S", 0.5)
    monkeypatch.setattr(probe, "FACTS_S", 0.5)
    for act, reason in ((None, FailureReason.UNREACHABLE), (hang(), FailureReason.DEADLINE)):
        budget = FakeBudget()
        async with FakeServer(otherwise=act) as server:
            if act is None:
                server._server.close()
            transport = HttpTransport(parse_address(f"{server.url}/v1", send_screens=True), {})
            failure = await prober(LOCAL, ModelSettings(), transport, budget=budget).run()
            await transport.close()
        assert isinstance(failure, ProbeFailure)
        assert failure.reason is reason
        was_read = reason is FailureReason.DEADLINE
        assert (budget.spent.tokens_in > 0) is was_read  # servers charge for what they have read


async def test_a_loading_server_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "BUSY_WAIT_S", 0.01)
    assert (await probed(FakeChatServer(busy=2))).capabilities.pictures_max == 32
    assert (await failed_probe(FakeChatServer(busy=1000))).reason is FailureReason.BUSY


async def test_only_drawn_pictures_are_sent_and_each_is_logged_first() -> None:
    chat_server, sent = FakeChatServer(), FakeSentLog()
    await probed(chat_server, sent=sent)
    assert [bytes(request.body) for request, _ in sent.begun] == chat_server.bodies
    assert sent.outcomes.count(DONE) >= 4
    assert len(sent.ended) == len(sent.begun)
    drawn = [sample(1, seed=seed).pictures[0].base64 for seed in range(1, len(chat_server.bodies) + 1)]
    first = [re.search(rb"base64,([^\"]+)", body) for body in chat_server.bodies]
    assert [found[1] for found in first if found is not None] == drawn
    assert all(base64.b64decode(each)[:2] == b"\xff\xd8" for each in drawn)
    assert len(set(drawn)) == len(drawn)  # so that no cache can answer


async def test_a_budget_ends_a_probe() -> None:
    chat_server, budget = FakeChatServer(), FakeBudget(calls=3)
    assert (await failed_probe(chat_server, budget=budget)).reason is FailureReason.OVER_BUDGET
    assert len(chat_server.bodies) == 3


async def test_a_key_that_comes_back_as_a_name_is_not_stored() -> None:
    for name, stored in (("sk-secret", ""), ("models/SK-SECRET-1", ""), ("pretender", "pretender")):
        result = as_a(ProbeResult, await run_probe(FakeChatServer(key="sk-secret", name=name)))
        assert result.capabilities.model == stored


async def test_a_cloud_gets_no_request_for_more_alternatives_than_its_preset_has() -> None:
    chat_server = FakeChatServer(key="sk-secret", context=4096)
    findings = await probed(chat_server, preset="openai")
    assert findings.capabilities.log_probs == 20
    assert findings.capabilities.context_tokens == 0
    assert all(b'"top_logprobs":300' not in body for body in chat_server.bodies)
    assert b"sk-secret" not in b"".join(chat_server.bodies)


async def test_a_cancelled_probe_leaves_no_open_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    sent, budget = FakeSentLog(), FakeBudget()
    async with FakeServer(otherwise=hang()) as server:
        transport = HttpTransport(parse_address(f"{server.url}/v1", send_screens=True), {})
        task = asyncio.create_task(prober(CLOUD, ModelSettings(), transport, budget=budget, sent=sent).run())
        await server.arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await transport.close()
    assert sent.outcomes == ["cancelled"]
    assert budget.spent.tokens_in > 0
