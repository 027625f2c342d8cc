"""Opening a tier: nothing is loaded or sent while it is off, and what it sends is kept, paid for and without a key."""

import asyncio
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.cli.models import tiers
from daemon.cli.models.tiers import tier_status
from daemon.models.disclosure import describe_sent
from daemon.models.tiers import OpenModel, capabilities_of, open_tier, preset_of, save_capabilities
from detectors.mllm.client.address import PortListener
from detectors.mllm.client.spending import local_day
from detectors.mllm.probing.samples import sample
from detectors.mllm.protocol import ModelCapabilities, SchemaMode
from detectors.mllm.questions import FailureReason, ModelResult
from storage.clock import SystemClock
from storage.errors import UsageError
from storage.files import sent_file, state_file, state_folder
from storage.records import ModelTier
from storage.sent.log import SentLog
from storage.sent.reader import SentLogReader
from storage.settings import HelpSettings, ModelSettings, Settings
from storage.state.models import ModelStateStore, Spending
from tests.fakes.mllm.chat_server import FakeChatServer, running
from tests.fakes.mllm.server import FakeServer, hang

KEY = "sk-a-key-that-nobody-may-ever-see"


def settings(url: str, **more: object) -> Settings:
    chosen = {"preset": "llama-server", "url": url, "model": "pretender", "on_battery": True, **more}
    return Settings(local_model=ModelSettings(**chosen))  # type: ignore[arg-type]  # values of several kinds


def open_model(chosen: Settings, tier: ModelTier = ModelTier.LOCAL, session: Path | None = None) -> OpenModel:
    found = open_tier(chosen, tier, clock=SystemClock(), session=session)
    assert found is not None
    return found


async def ask_times(model: OpenModel, times: int = 1) -> list[ModelResult]:
    try:
        return [await model.ask(sample(2, seed=seed), deadline_s=5.0) for seed in range(times)]
    finally:
        await model.close()


def test_nothing_of_a_model_is_loaded_while_all_are_off() -> None:
    """Neither the client nor the log; and with a model on, both are (the control)."""
    code = (
        "import sys\n"
        "from daemon.models.tiers import open_tier\n"
        "from storage.clock import SystemClock\n"
        "from storage.records import ModelTier\n"
        "from storage.settings import HelpSettings, ModelSettings, Settings\n"
        "on = ModelSettings(preset=sys.argv[1])\n"
        "opened = open_tier(Settings(local_model=on), ModelTier.LOCAL, clock=SystemClock())\n"
        "assert (opened is None) is (sys.argv[1] == '')\n"
        "print([name for name in ('httpx2', 'detectors.mllm.client.endpoint', 'storage.sent.log')"
        " if name in sys.modules])\n"
    )
    for preset, loaded in (
        ("", []),
        ("llama-server", ["httpx2", "detectors.mllm.client.endpoint", "storage.sent.log"]),
    ):
        done = subprocess.run([sys.executable, "-c", code, preset], capture_output=True, text=True, check=False)
        assert done.stdout.strip() == str(loaded), done.stderr
    assert sent_file().exists()


def test_an_answer_comes_and_what_was_sent_belongs_to_the_session(tmp_path: Path) -> None:
    """The entry names session and tier, ends with what it cost, and its body is the one that arrived."""
    pretender, session = FakeChatServer(), tmp_path / "20261121-143002-9f3a"
    with running(pretender) as url:
        (answers,) = asyncio.run(ask_times(open_model(settings(url), session=session)))
    assert answers.failure is None
    assert answers.answers["need"].choice in ("yes", "no")
    with SentLog() as log:
        (entry,) = SentLogReader(log).newest(5)
        assert (entry.session, entry.purpose, entry.outcome) == (str(session.resolve()), "local", "ok")
        assert (entry.endpoint, entry.model, entry.pictures) == ("llama-server", "pretender", 2)
        assert (str(entry.number),) == answers.sent
        assert b"".join(SentLogReader(log).body(entry.number)) == pretender.bodies[0]
        assert SentLogReader(log).find_problem(entry.number) is None
        assert log.forget_session(session) == 1
    with ModelStateStore(state_file()) as state:
        spent = state.spending("local", local_day(SystemClock().wall_ns()))
    assert spent == Spending(calls=1, tokens=answers.usage.tokens_in + answers.usage.tokens_out)


def test_a_budget_outlives_a_restart() -> None:
    """Two calls are allowed: the third is not sent, and neither is one after a restart."""
    pretender = FakeChatServer()
    with running(pretender) as url:
        limited = settings(url, calls_per_day=2)
        troubles = [answers.failure for answers in asyncio.run(ask_times(open_model(limited), 3))]
        assert troubles == [None, None, FailureReason.OVER_BUDGET]
        assert asyncio.run(ask_times(open_model(limited)))[0].failure is FailureReason.OVER_BUDGET
        assert len(pretender.bodies) == 2


def test_a_key_is_nowhere_on_disk_but_reaches_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in the log, not in the state, not in a message; the search finds what is there (the control)."""
    monkeypatch.setenv("MY_KEY", KEY)
    pretender = FakeChatServer(key=KEY)
    with running(pretender) as url:
        model = open_model(settings(url, key_name="MY_KEY"))
        assert asyncio.run(ask_times(model))[0].failure is None  # so the key arrived
    assert KEY not in repr(model) + repr(vars(model.endpoint))
    raw = b"".join(path.read_bytes() for path in state_folder().rglob("*") if path.is_file())
    assert KEY.encode() not in raw
    assert b"pretender" in raw


def test_a_model_that_is_not_allowed_is_not_opened() -> None:
    """A server elsewhere without leave, an unknown preset, an address that cannot be: each says what to do."""
    far = "https://models.example/v1"
    for chosen, says in (
        (settings(far, preset="openai"), "not on this machine"),
        (settings("http://models.example/v1", send_screens=True), None),
        (settings("http://8.8.8.8/v1", send_screens=True), "without encryption"),
        (settings("", preset="lama-server"), "there is no preset"),
    ):
        if says is None:
            asyncio.run(open_model(chosen).close())  # a name by plain http: its addresses are checked when it is asked
            continue
        with pytest.raises(UsageError, match=says):
            open_tier(chosen, ModelTier.LOCAL, clock=SystemClock())
    with pytest.raises(UsageError, match="did you mean llama-server"):
        preset_of("lama-server")


def test_capabilities_are_used_for_their_endpoint_and_model_alone() -> None:
    """Another address or another model knows nothing of it; a verdict of another shape is none."""
    here = settings("http://127.0.0.1:9/v1")
    verdict = ModelCapabilities(schema_mode=SchemaMode.PROMPTED, pictures_max=4, log_probs=7, at_wall_ns=5)
    save_capabilities(here.local_model, verdict)
    assert capabilities_of(here.local_model) == verdict
    assert capabilities_of(settings("http://127.0.0.1:9/v1/").local_model) == verdict
    assert capabilities_of(settings("http://127.0.0.1:8/v1").local_model) is None
    assert capabilities_of(settings("http://127.0.0.1:9/v1", model="other").local_model) is None
    model = open_model(here)
    assert (model.endpoint.options.schema_mode, model.endpoint.options.top_log_probs) == (SchemaMode.PROMPTED, 7)
    assert model.endpoint.pictures_max == 4
    asyncio.run(model.close())
    with ModelStateStore(state_file()) as state:
        (key,) = state.capabilities()
        state.save_capabilities(key, {"schema_mode": "by magic"})
    assert capabilities_of(here.local_model) is None


def test_the_status_of_a_tier_says_why_it_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """No leave, then no key, then nothing; what is off has no facts."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    clock = SystemClock()

    def facts(**more: object) -> tuple[bool, bool, str]:
        chosen = ModelSettings(preset="openai", **more)  # type: ignore[arg-type]  # values of several kinds
        found = tier_status(Settings(strong_model=chosen), ModelTier.STRONG, clock)
        assert found is not None
        return found.allowed, found.key_found, found.problem

    assert tier_status(Settings(), ModelTier.STRONG, clock) is None
    assert facts() == (False, False, "pictures of your screen may not go there")
    assert facts(send_screens=True) == (True, False, "the key OPENAI_API_KEY was not found")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert facts(send_screens=True) == (True, True, "")
    assert facts(send_screens=True, url="https://elsewhere.example/v1")[2] == ""  # the key does not follow there


def test_a_server_of_another_user_on_this_machine_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """It needs leave like one elsewhere; our own, and one that was not started yet, need none."""

    def facts(found: PortListener, url: str, *, send_screens: bool = False) -> tuple[bool, str, str]:
        monkeypatch.setattr(tiers, "find_listener", lambda host, port: found)
        chosen = ModelSettings(preset="llama-server", model="m", url=url, send_screens=send_screens)
        status = tier_status(Settings(local_model=chosen), ModelTier.LOCAL, SystemClock())
        assert status is not None
        return status.allowed, status.problem, status.remedy

    for url in ("http://127.0.0.1:8080/v1", "http://localhost:8080/v1"):
        allowed, problem, remedy = facts(PortListener.STRANGER, url)
        assert (allowed, problem) == (False, "another user of this machine runs the server there")
        assert "local_model.send_screens" in remedy
        assert facts(PortListener.STRANGER, url, send_screens=True)[:2] == (True, "")
        for found in (PortListener.TRUSTED, PortListener.UNKNOWN):
            assert facts(found, url)[:2] == (True, "")


@pytest.mark.parametrize(
    ("chosen", "name", "remote"),
    [
        ({"preset": "llama-server", "url": "http://127.0.0.1:9/v1"}, "llama-server", False),
        ({"preset": "llama-server", "url": "http://127.0.0.1:9/v1", "model": "tiny"}, "tiny", False),
        ({"preset": "llama-server", "url": "http://10.0.0.9/v1", "model": "m", "send_screens": True}, "m", True),
        ({"preset": "ollama", "model": "big-cloud", "send_screens": True}, "big-cloud", True),
        ({"preset": "ollama", "model": "small"}, "small", False),
    ],
)
def test_people_are_told_which_model_writes_and_whether_it_is_elsewhere(
    chosen: dict[str, object], name: str, *, remote: bool
) -> None:
    """Elsewhere is what is not on this machine, and what a server here passes on."""
    model = open_model(Settings(local_model=ModelSettings(**chosen)))  # type: ignore[arg-type]  # of several kinds
    assert (model.model, model.remote) == (name, remote)
    asyncio.run(model.close())


def test_a_stopped_query_returns_its_cost_and_is_logged_as_cancelled() -> None:
    """Through the whole model of a tier: endpoint, budget and log."""

    async def stop() -> ModelResult:
        async with FakeServer([hang()]) as server:
            model = await asyncio.to_thread(open_model, settings(server.url))
            query = asyncio.create_task(model.ask(sample(1), deadline_s=20.0))
            await asyncio.wait_for(server.arrived.wait(), 20.0)
            model.stop()
            result = await query
            await model.close()
            return result

    result = asyncio.run(stop())
    assert (result.failure, result.usage.calls) == (FailureReason.SUPERSEDED, 1)
    with SentLog() as log:
        (entry,) = SentLogReader(log).newest(5)
    assert (result.sent, entry.outcome) == ((str(entry.number),), "cancelled")


def test_what_is_sent_is_described_where_it_is_agreed_to() -> None:
    """Nothing while off or without leave; else where to, what the provider does with it, and that it is kept."""
    free = ModelSettings(preset="gemini", send_screens=True)
    assert describe_sent(Settings()) == ""
    assert describe_sent(Settings(strong_model=ModelSettings(preset="gemini"))) == ""
    assert describe_sent(Settings(strong_model=ModelSettings(preset="no-such-thing"))) == ""
    text = describe_sent(Settings(local_model=ModelSettings(preset="llama-server"), strong_model=free))
    assert "on this machine (llama-server)" in text
    assert "generativelanguage.googleapis.com" in text
    assert "to improve its products" in text
    assert "Kept here too" in text


@pytest.mark.parametrize("mode", ["off", "on-request"])
def test_what_an_answer_takes_is_said_before(mode: str) -> None:
    """Names, messages and what is typed are named beside the pictures, unless no model writes answers."""
    chosen = settings("http://127.0.0.1:9/v1")
    words = describe_sent(replace(chosen, help=HelpSettings(model=mode, remote_model="off")))
    assert ("what you typed" in words) is (mode != "off")
    assert "Pictures of the screen" in words
