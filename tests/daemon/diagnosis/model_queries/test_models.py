"""Which model is asked: by name, with permission, at a price that is said, and with the session's name in the log."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.diagnosis.model_queries.answers import session_answers
from daemon.diagnosis.model_queries.asking import Asker, Inquiry
from daemon.diagnosis.model_queries.models import Volume, estimate_cost, name_of, named_model, open_counted, permitted
from storage.errors import EnvironmentFault, UsageError
from storage.sent.log import SentLog
from storage.sent.reader import SentLogReader
from storage.session.log import MODEL_ANSWERS
from storage.session.retention import delete_session
from storage.settings import ModelSettings, Settings
from tests.fakes.detectors.trouble import episode, write
from tests.fakes.mllm.briefs import GOOD, brief
from tests.fakes.mllm.chat_server import running
from tests.fakes.mllm.model_queries import JudgingServer
from tests.fakes.mllm.sample_queries import picture

MARKER = "Zebrafinch"
VOLUME = Volume(requests=10, pictures=40)
LOCAL = ModelSettings(preset="llama-server", model="m", url="http://127.0.0.1:9")
REMOTE = ModelSettings(preset="openai", model="gpt-6-mini")


def allowed(chosen: ModelSettings, *, of_person: bool, yes: bool) -> ModelSettings:
    return permitted(
        chosen, VOLUME, what="10 requests", of_person=of_person, yes=yes, fewer="--limit 2", report=lambda _: None
    )


def test_a_session_of_a_person_leaves_only_with_send_screens() -> None:
    with pytest.raises(UsageError, match="recorded sessions may not leave"):
        allowed(REMOTE, of_person=True, yes=True)
    may_leave = replace(REMOTE, send_screens=True)
    with pytest.raises(UsageError) as refused:
        allowed(may_leave, of_person=True, yes=False)
    assert "--yes" in (refused.value.remedy or "")
    assert allowed(may_leave, of_person=True, yes=True) == may_leave


def test_files_of_agents_leave_with_yes() -> None:
    """They are data that somebody named."""
    assert allowed(REMOTE, of_person=False, yes=True).send_screens
    with pytest.raises(UsageError, match="another machine"):
        allowed(REMOTE, of_person=False, yes=False)


def test_the_cost_grows_with_requests_and_pictures() -> None:
    costs = [
        estimate_cost(REMOTE, volume).tokens_in
        for volume in (VOLUME, replace(VOLUME, pictures=80), replace(VOLUME, requests=20), VOLUME + VOLUME)
    ]
    assert costs[0] < min(costs[1:])
    assert costs[3] == 2 * costs[0]


def files_with(folder: Path, text: str) -> list[str]:
    return sorted({path.name for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()})


def ask_about(session: Path, url: str) -> None:
    """Ask about a session with a marker in the question, which the answer repeats."""
    inquiry = Inquiry(kind="verdict", brief=replace(brief(), words=MARKER), pictures=(picture(1),), captions=("x",))

    async def ask() -> None:
        chosen = replace(LOCAL, url=url, on_battery=True)
        model = open_counted(chosen, VOLUME, pictures_max=8, purpose="diagnose", session=session)
        try:
            with session_answers(session) as answers:
                await Asker(model, answers, identity="m", version="1").ask(inquiry)
        finally:
            await model.close()

    asyncio.run(ask())


def test_deleting_a_session_deletes_answers_and_what_was_sent_about_it(tmp_path: Path) -> None:
    """The marker is in both before, and nowhere after; the other session keeps its own."""
    base = tmp_path / "sessions"
    session, other = write(base, *episode(60.0)), write(base, *episode(60.0), day=1)
    server = JudgingServer(lambda *_: dict(GOOD) | {"reasoning": MARKER})
    with running(server) as url:
        ask_about(session, url)
        ask_about(other, url)
    assert [json.loads(body)["model"] for body in server.bodies] == ["m", "m"]
    with SentLog() as log:
        entries = SentLogReader(log).newest(5)
        assert sorted(Path(entry.session).name for entry in entries) == sorted((session.name, other.name))
        assert {entry.purpose for entry in entries} == {"diagnose"}
        bodies = [b"".join(SentLogReader(log).body(entry.number)) for entry in entries]
    assert all(MARKER.encode() in body for body in bodies)
    assert files_with(tmp_path, MARKER) == [MODEL_ANSWERS, "sent.db"]
    delete_session(session, base)
    with SentLog() as log:
        assert [Path(entry.session).name for entry in SentLogReader(log).newest(5)] == [other.name]
    delete_session(other, base)
    assert files_with(tmp_path, MARKER) == []


def test_a_session_that_was_deleted_is_not_made_again(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault):
        session_answers(tmp_path / "sessions" / "20261121-143002-9f3a")
    assert not (tmp_path / "sessions").exists()


EMPTY = Settings(local_model=ModelSettings(), strong_model=ModelSettings())


def test_a_model_on_this_machine_needs_no_permission() -> None:
    assert allowed(LOCAL, of_person=True, yes=False) == LOCAL


def test_names_of_models() -> None:
    assert name_of(named_model("llama-server:m", EMPTY)) == "llama-server:m"
    with pytest.raises(UsageError, match="no preset"):
        named_model("morse", EMPTY)
