"""Opening a rung: nothing is loaded or sent while it is off, and what it sends is kept, paid for and without a key."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from daemon.cli.models.facts import rung_facts
from daemon.models.disclosure import sent_words
from daemon.models.tiers import OpenModel, open_rung, preset_of, save_verdict, verdict_of
from detectors.mllm.client.ports import ModelCapabilities
from detectors.mllm.client.spending import local_day
from detectors.mllm.probing.samples import sample
from detectors.mllm.protocol import SchemaMode
from detectors.mllm.questions import FailureReason, ModelResult
from storage.clock import SystemClock
from storage.errors import UsageError
from storage.paths import sent_file, state_file, state_folder
from storage.records import ModelTier
from storage.sent.log import SentLog
from storage.sent.reader import SentEntries
from storage.settings import ModelSettings, Settings
from storage.state.models import ModelState, Spent
from tests.fakes.mllm.chat_server import FakeChatServer, running

KEY = "sk-a-key-that-nobody-may-ever-see"


def settings(url: str, **more: object) -> Settings:
    """Return settings with a local model at an address."""
    chosen = {"preset": "llama-server", "url": url, "model": "pretender", "on_battery": True, **more}
    return Settings(local_model=ModelSettings(**chosen))  # type: ignore[arg-type]  # values of several kinds


def opened(chosen: Settings, rung: ModelTier = ModelTier.LOCAL, session: Path | None = None) -> OpenModel:
    """Open a rung that is on."""
    found = open_rung(chosen, rung, clock=SystemClock(), session=session)
    assert found is not None
    return found


async def asked(model: OpenModel, times: int = 1) -> list[ModelResult]:
    """Ask so many times, and close."""
    try:
        return [await model.ask(sample(2, seed=seed), deadline_s=5.0) for seed in range(times)]
    finally:
        await model.close()


def test_nothing_of_a_model_is_loaded_while_all_are_off() -> None:
    """Neither the client nor the log; and with a model on, both are (the control)."""
    code = (
        "import sys\n"
        "from daemon.models.tiers import open_rung\n"
        "from storage.clock import SystemClock\n"
        "from storage.records import ModelTier\n"
        "from storage.settings import ModelSettings, Settings\n"
        "on = ModelSettings(preset=sys.argv[1])\n"
        "opened = open_rung(Settings(local_model=on), ModelTier.LOCAL, clock=SystemClock())\n"
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
    """The entry names session and rung, ends with what it cost, and its body is the one that arrived."""
    pretender, session = FakeChatServer(), tmp_path / "20261121-143002-9f3a"
    with running(pretender) as url:
        (answers,) = asyncio.run(asked(opened(settings(url), session=session)))
    assert answers.failure is None
    assert answers.answers["need"].choice in ("yes", "no")
    with SentLog() as log:
        (entry,) = SentEntries(log).last(5)
        assert (entry.session, entry.purpose, entry.outcome) == (str(session.resolve()), "local", "ok")
        assert (entry.endpoint, entry.model, entry.pictures) == ("llama-server", "pretender", 2)
        assert (str(entry.number),) == answers.sent
        assert b"".join(SentEntries(log).body(entry.number)) == pretender.bodies[0]
        assert SentEntries(log).problem(entry.number) is None
        assert log.forget_session(session) == 1
    with ModelState(state_file()) as state:
        spent = state.spent("local", local_day(SystemClock().wall_ns()))
    assert spent == Spent(calls=1, tokens=answers.usage.tokens_in + answers.usage.tokens_out)


def test_a_budget_outlives_a_restart() -> None:
    """Two calls are allowed: the third is not sent, and neither is one after a restart."""
    pretender = FakeChatServer()
    with running(pretender) as url:
        limited = settings(url, calls_per_day=2)
        troubles = [answers.failure for answers in asyncio.run(asked(opened(limited), 3))]
        assert troubles == [None, None, FailureReason.OVER_BUDGET]
        assert asyncio.run(asked(opened(limited)))[0].failure is FailureReason.OVER_BUDGET
        assert len(pretender.bodies) == 2


def test_a_key_is_nowhere_on_disk_but_reaches_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in the log, not in the state, not in a message; the search finds what is there (the control)."""
    monkeypatch.setenv("MY_KEY", KEY)
    pretender = FakeChatServer(key=KEY)
    with running(pretender) as url:
        model = opened(settings(url, key_name="MY_KEY"))
        assert asyncio.run(asked(model))[0].failure is None  # so the key arrived
    assert KEY not in repr(model) + repr(vars(model.endpoint))
    raw = b"".join(path.read_bytes() for path in state_folder().rglob("*") if path.is_file())
    assert KEY.encode() not in raw
    assert b"pretender" in raw


def test_what_is_not_allowed_is_not_opened_and_leaves_nothing_running() -> None:
    """A server elsewhere without leave, an unknown preset, an address that cannot be: each says what to do."""
    far = "https://models.example/v1"
    for chosen, says in (
        (settings(far, preset="openai"), "not on this machine"),
        (settings("http://models.example/v1", send_screens=True), None),
        (settings("http://8.8.8.8/v1", send_screens=True), "without encryption"),
        (settings("", preset="lama-server"), "there is no preset"),
    ):
        if says is None:
            asyncio.run(opened(chosen).close())  # a name by plain http: its addresses are checked when it is asked
            continue
        with pytest.raises(UsageError, match=says):
            open_rung(chosen, ModelTier.LOCAL, clock=SystemClock())
    with pytest.raises(UsageError, match="did you mean llama-server"):
        preset_of("lama-server")


def test_what_a_probe_found_is_used_for_that_endpoint_and_model_alone() -> None:
    """Another address or another model knows nothing of it; a verdict of another shape is none."""
    here = settings("http://127.0.0.1:9/v1")
    verdict = ModelCapabilities(schema_mode=SchemaMode.PROMPTED, pictures_max=4, log_probs=7, at_wall_ns=5)
    save_verdict(here.local_model, verdict)
    assert verdict_of(here.local_model) == verdict
    assert verdict_of(settings("http://127.0.0.1:9/v1/").local_model) == verdict
    assert verdict_of(settings("http://127.0.0.1:8/v1").local_model) is None
    assert verdict_of(settings("http://127.0.0.1:9/v1", model="other").local_model) is None
    model = opened(here)
    assert (model.endpoint.options.schema_mode, model.endpoint.options.top_log_probs) == (SchemaMode.PROMPTED, 7)
    assert model.endpoint.pictures_max == 4
    asyncio.run(model.close())
    with ModelState(state_file()) as state:
        (key,) = state.verdicts()
        state.save_verdict(key, {"schema_mode": "by magic"})
    assert verdict_of(here.local_model) is None


def test_facts_of_a_rung_say_what_is_in_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """No leave, then no key, then nothing; what is off has no facts."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    clock = SystemClock()

    def facts(**more: object) -> tuple[bool, bool, str]:
        chosen = ModelSettings(preset="openai", **more)  # type: ignore[arg-type]  # values of several kinds
        found = rung_facts(Settings(strong_model=chosen), ModelTier.STRONG, clock)
        assert found is not None
        return found.allowed, found.key_found, found.problem

    assert rung_facts(Settings(), ModelTier.STRONG, clock) is None
    assert facts() == (False, False, "pictures of your screen may not go there")
    assert facts(send_screens=True) == (True, False, "the key OPENAI_API_KEY was not found")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert facts(send_screens=True) == (True, True, "")
    assert facts(send_screens=True, url="https://elsewhere.example/v1")[2] == ""  # the key does not follow there


def test_what_is_sent_is_told_where_it_is_agreed_to() -> None:
    """Nothing while off or without leave; else where to, what the provider does with it, and that it is kept."""
    free = ModelSettings(preset="gemini", send_screens=True)
    assert sent_words(Settings()) == ""
    assert sent_words(Settings(strong_model=ModelSettings(preset="gemini"))) == ""
    assert sent_words(Settings(strong_model=ModelSettings(preset="no-such-thing"))) == ""
    told = sent_words(Settings(local_model=ModelSettings(preset="llama-server"), strong_model=free))
    assert "on this machine (llama-server)" in told
    assert "generativelanguage.googleapis.com" in told
    assert "to improve its products" in told
    assert "Kept here too" in told
