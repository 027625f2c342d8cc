"""A probe finds out what servers really do, whatever they claim, and sends nothing but pictures that it drew."""

import asyncio
import base64
import re
from dataclasses import replace

import pytest

from detectors.mllm import dialects
from detectors.mllm.client.address import checked
from detectors.mllm.client.ports import DONE
from detectors.mllm.client.transport import HttpTransport
from detectors.mllm.pictures import Pictures
from detectors.mllm.presets import PRESETS
from detectors.mllm.probing import probe
from detectors.mllm.probing.probe import Findings, Prober
from detectors.mllm.probing.samples import QUESTIONS, sample
from detectors.mllm.probing.trial import Fails
from detectors.mllm.questions import FailureReason, ModelQuery
from detectors.mllm.wire import RefusalKind, SchemaMode
from storage.clock import SystemClock
from storage.settings import ModelSettings
from tests.fakes.mllm.parts import FakeBudget, FakeSent
from tests.fakes.mllm.pretender import Pretender
from tests.fakes.mllm.server import FakeServer, hang

pytestmark = pytest.mark.anyio

LOCAL, CLOUD = PRESETS["llama-server"], PRESETS["openai"]


def quick(count: int, *, seed: int = 0) -> ModelQuery:
    """Return an ask whose pictures cost no drawing."""
    made = Pictures(count)
    pictures = tuple(made.picture_of(f"picture {number} of {seed}".encode() * 20) for number in range(count))
    return ModelQuery(pictures=pictures, at_s=tuple(0.75 * number for number in range(count)), questions=QUESTIONS)


@pytest.fixture(autouse=True)
def quick_pictures(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Draw nothing, but where drawing is the matter."""
    if "drawn" not in request.node.name:
        monkeypatch.setattr(probe, "sample", quick)


async def probed(
    pretender: Pretender,
    *,
    preset: str = "llama-server",
    sent: FakeSent | None = None,
    budget: FakeBudget | None = None,
    said: list[str] | None = None,
) -> Findings:
    """Probe a pretender over a real connection."""
    async with FakeServer(otherwise=pretender) as server:
        settings = ModelSettings(preset=preset, url=f"{server.url}/v1", model="pretender")
        found = PRESETS[preset]
        dialect = dialects.by_name(found.dialect)
        headers = dialect.authorization("sk-secret") if pretender.key else {}
        line, root = (HttpTransport(checked(url, send_screens=True), headers) for url in (settings.url, server.url))
        prober = Prober(
            found,
            settings,
            line=line,
            root=root,
            dialect=dialect,
            clock=SystemClock(),
            budget=budget or FakeBudget(),
            sent=sent if sent is not None else FakeSent(),
            say=(said if said is not None else []).append,
        )
        try:
            return await prober.run()
        finally:
            await line.close()
            await root.close()


async def test_a_good_server_is_found_out() -> None:
    """Enforced shape, 32 pictures, tokens for each, context and alternatives; a handful of requests do."""
    pretender = Pretender(alternatives=250, context=32768)
    findings = await probed(pretender)
    verdict = findings.verdict
    assert (verdict.schema_mode, verdict.pictures_max, verdict.tokens_per_picture) == (SchemaMode.JSON_SCHEMA, 32, 100)
    assert (verdict.context_tokens, verdict.model, verdict.still_thinks) == (32768, "pretender", False)
    assert verdict.log_probs == 100  # 300 were refused
    assert verdict.latency_s > 0
    assert findings.readable
    assert findings.notes == ()
    assert findings.usage.calls == len(pretender.bodies) <= 7
    assert findings.usage.tokens_in > 0


async def test_a_shape_is_believed_only_if_it_was_really_obeyed() -> None:
    """A server that answers in the right shape because the words ask for it does not enforce anything."""
    assert (await probed(Pretender(enforces=()))).verdict.schema_mode is SchemaMode.PROMPTED
    enforcing = await probed(Pretender(obliging=False))  # the control: here the words do nothing, the schema all
    assert enforcing.verdict.schema_mode is SchemaMode.JSON_SCHEMA
    assert enforcing.readable


async def test_the_next_way_is_tried_where_one_is_refused_or_ignored() -> None:
    """One server answers `json_schema` with an error, another ignores it; both obey an object with a schema."""
    for pretender in (Pretender(refuses=("json_schema",)), Pretender(enforces=("json_object",))):
        assert (await probed(pretender)).verdict.schema_mode is SchemaMode.JSON_OBJECT_SCHEMA


@pytest.mark.parametrize(("takes", "most"), [(32, 32), (31, 16), (8, 8), (3, 2), (1, 1)])
async def test_the_largest_number_of_pictures_is_found(takes: int, most: int) -> None:
    """From the largest down, until one is taken."""
    assert (await probed(Pretender(pictures_max=takes))).verdict.pictures_max == most


async def test_pictures_that_are_dropped_without_a_word_do_not_count() -> None:
    """A server that takes 32 pictures and reads one counts the same tokens for both."""
    assert (await probed(Pretender(pictures_seen=1))).verdict.pictures_max == 1
    silent = await probed(Pretender(counts=False))  # one that counts nothing has to be believed
    assert (silent.verdict.pictures_max, silent.verdict.tokens_per_picture) == (32, 0)
    assert any("does not count tokens" in note for note in silent.notes)


async def test_a_model_that_thinks_gets_room_and_is_told_of() -> None:
    """It answers nothing in the usual room; with more its shape is obeyed after all."""
    findings = await probed(Pretender(thinks="Let me see."))
    assert (findings.verdict.schema_mode, findings.verdict.still_thinks) == (SchemaMode.JSON_SCHEMA, True)
    assert any("thinks" in note for note in findings.notes)


async def test_a_model_of_no_use_is_told_of() -> None:
    """Neither schema nor words bring an answer; that is said, not hidden."""
    findings = await probed(Pretender(enforces=(), obliging=False, alternatives=0))
    assert not findings.readable
    assert any("could not be used" in note for note in findings.notes)
    assert any("no log-probabilities" in note for note in findings.notes)


async def test_a_slow_server_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes longer than an answer may take is of no use live; what takes too long for a trial is not taken."""
    slow = await probed(Pretender())
    assert slow.notes == ()
    fast_only = replace(ModelSettings(), deadline_s=0.0)
    monkeypatch.setattr(
        "tests.detectors.mllm.probing.test_probe.ModelSettings", lambda **kept: replace(fast_only, **kept)
    )
    assert any("too late" in note for note in (await probed(Pretender())).notes)


@pytest.mark.parametrize(
    ("pretender", "trouble", "kind"),
    [
        (Pretender(key="another"), FailureReason.NO_KEY, RefusalKind.KEY),
        (Pretender(status=404, error="model not found"), FailureReason.REFUSED, RefusalKind.OTHER),
        (Pretender(status=400, error="this model has no vision"), FailureReason.REFUSED, RefusalKind.PICTURE),
        (Pretender(pictures_max=0), FailureReason.TOO_LONG, RefusalKind.OVERFLOW),
    ],
)
async def test_a_server_that_cannot_be_used_is_named_as_such(
    pretender: Pretender, trouble: FailureReason, kind: RefusalKind
) -> None:
    """After a single request, and with what was wrong."""
    sent = FakeSent()
    with pytest.raises(Fails) as caught:
        await probed(pretender, sent=sent)
    assert (caught.value.trouble, caught.value.kind) == (trouble, kind)
    assert len(sent.begun) == 1


async def test_nobody_there_and_nobody_answering(monkeypatch: pytest.MonkeyPatch) -> None:
    """A closed port is told at once, a server that says nothing after the time that is allowed."""
    monkeypatch.setattr(probe, "FIRST_S", 0.1)
    monkeypatch.setattr(probe, "FACTS_S", 0.1)
    for act, trouble in ((None, FailureReason.UNREACHABLE), (hang(), FailureReason.DEADLINE)):
        budget = FakeBudget()
        async with FakeServer(otherwise=act) as server:
            if act is None:
                server._server.close()
            line = HttpTransport(checked(f"{server.url}/v1", send_screens=True), {})
            prober = Prober(
                LOCAL,
                ModelSettings(),
                line=line,
                root=line,
                dialect=dialects.by_name(LOCAL.dialect),
                clock=SystemClock(),
                budget=budget,
                sent=FakeSent(),
                say=lambda text: None,
            )
            with pytest.raises(Fails) as caught:
                await prober.run()
            await line.close()
        assert caught.value.trouble is trouble
        assert (budget.spent.tokens_in > 0) is (
            trouble is FailureReason.DEADLINE
        )  # servers charge for what they have read


async def test_a_server_that_is_loading_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Busy is no verdict; busy for ever is one."""
    monkeypatch.setattr(probe, "WAIT_S", 0.01)
    assert (await probed(Pretender(busy=2))).verdict.pictures_max == 32
    with pytest.raises(Fails) as caught:
        await probed(Pretender(busy=1000))
    assert caught.value.trouble is FailureReason.BUSY


async def test_only_drawn_pictures_leave_and_each_is_written_down_first() -> None:
    """Every picture on the wire is one that can be drawn again; every body is in the log, byte for byte."""
    pretender, sent = Pretender(), FakeSent()
    await probed(pretender, sent=sent)
    assert [bytes(request.body) for request, _ in sent.begun] == pretender.bodies
    assert sent.outcomes.count(DONE) >= 4
    assert len(sent.ended) == len(sent.begun)
    drawn = [sample(1, seed=seed).pictures[0].base64 for seed in range(1, len(pretender.bodies) + 1)]
    first = [re.search(rb"base64,([^\"]+)", body) for body in pretender.bodies]
    assert [found[1] for found in first if found is not None] == drawn
    assert all(base64.b64decode(each)[:2] == b"\xff\xd8" for each in drawn)
    assert len(set(drawn)) == len(drawn)  # so that no cache can answer


async def test_a_budget_ends_a_probe() -> None:
    """What is paid for is limited here too."""
    pretender, budget = Pretender(), FakeBudget(calls=3)
    with pytest.raises(Fails) as caught:
        await probed(pretender, budget=budget)
    assert caught.value.trouble is FailureReason.OVER_BUDGET
    assert len(pretender.bodies) == 3


async def test_a_cloud_is_not_asked_for_more_alternatives_than_it_is_known_to_give() -> None:
    """And nothing is asked of it beside the trial: no list of models, no properties."""
    pretender = Pretender(key="sk-secret", context=4096)
    findings = await probed(pretender, preset="openai")
    assert findings.verdict.log_probs == 20
    assert findings.verdict.context_tokens == 0
    assert all(b'"top_logprobs":300' not in body for body in pretender.bodies)
    assert b"sk-secret" not in b"".join(pretender.bodies)


async def test_a_cancelled_probe_leaves_no_open_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the middle: the log says that it was broken off."""
    sent, budget = FakeSent(), FakeBudget()
    async with FakeServer(otherwise=hang()) as server:
        line = HttpTransport(checked(f"{server.url}/v1", send_screens=True), {})
        prober = Prober(
            CLOUD,
            ModelSettings(),
            line=line,
            root=line,
            dialect=dialects.by_name(CLOUD.dialect),
            clock=SystemClock(),
            budget=budget,
            sent=sent,
            say=lambda text: None,
        )
        task = asyncio.create_task(prober.run())
        await server.arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await line.close()
    assert sent.outcomes == ["cancelled"]
    assert budget.spent.tokens_in > 0
