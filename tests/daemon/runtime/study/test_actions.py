"""What a person asks of their study in the tray: the command that is run, and the reply that comes of it."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from daemon.cli.main import main
from daemon.runtime.study import actions as module
from daemon.runtime.study.actions import ARGUMENTS, StudyActions, reply_of
from storage.errors import UsageError
from storage.ports import StudyParcel, StudyReply, StudyRequest
from storage.translation import Sentence, translatable

ECHO = """
import json, sys
with open({log!r}, "a") as file:
    file.write(json.dumps(sys.argv[1:]) + "\\n")
print(json.dumps({{"mode": "hold", "parcels": [], "released": 2, "told": True}}))
"""


def run(actions: StudyActions, *requests: StudyRequest, through: str = "") -> None:
    async def body() -> None:
        for request in requests:
            actions.start(request, through)
        while actions._task is not None:  # noqa: ASYNC110  # a child ends
            await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(body(), 30))


def test_requests_are_commands_one_after_the_other(tmp_path: Path) -> None:
    replies: list[StudyReply] = []
    log = tmp_path / "log"
    actions = StudyActions(replies.append, command=(sys.executable, "-S", "-c", ECHO.format(log=str(log))))
    wanted = (StudyRequest.HOLD, StudyRequest.HOLD, StudyRequest.LEAVE_KEEP, StudyRequest.SEND)
    run(actions, *wanted, through="ab" * 32)
    assert [json.loads(line) for line in log.read_text().splitlines()] == [
        ["study", "review", "--mode", "hold", "--json"],
        ["study", "leave", "--keep", "--json"],
        ["study", "review", "--send", "--json", "--through", "ab" * 32],
    ]
    assert [(reply.request, reply.done) for reply in replies] == [
        (StudyRequest.HOLD, True),
        (StudyRequest.LEAVE_KEEP, True),
        (StudyRequest.SEND, True),
    ]
    assert (replies[0].mode, replies[2].released) == ("hold", 2)


@pytest.mark.parametrize("request_", StudyRequest)
def test_every_request_is_a_command_that_there_is(request_: StudyRequest, capsys: pytest.CaptureFixture[str]) -> None:
    through = ("--through", "ab" * 32) if request_ is StudyRequest.SEND else ()
    code = main([*ARGUMENTS[request_], *through])
    reply = reply_of(request_, code, capsys.readouterr().out.encode())
    assert not reply.done
    assert "stud" in reply.text
    assert "usage" not in reply.text


def test_the_command_is_started_as_a_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    replies: list[StudyReply] = []
    run(StudyActions(replies.append), StudyRequest.REVIEW)
    assert [(reply.done, "stud" in reply.text) for reply in replies] == [(False, True)]


def test_a_command_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LIMIT_S", 0.3)
    replies: list[StudyReply] = []
    actions = StudyActions(replies.append, command=("sleep", "600", "#"))
    monkeypatch.setattr(module, "ARGUMENTS", dict.fromkeys(StudyRequest, ()))
    actions._command = ("sleep", "600")
    run(actions, StudyRequest.REVIEW)
    assert [(reply.done, "kairos study status" in reply.text) for reply in replies] == [(False, True)]
    monkeypatch.setattr(module, "LIMIT_S", 60.0)

    async def stop() -> None:
        actions.start(StudyRequest.REVIEW)
        actions.start(StudyRequest.HOLD)
        while actions._child is None:  # noqa: ASYNC110  # it starts in a thread
            await asyncio.sleep(0.01)
        actions.stop()
        while actions._task is not None:  # noqa: ASYNC110  # a thread ends
            await asyncio.sleep(0.01)
        actions.start(StudyRequest.REVIEW)
        assert actions._task is None

    asyncio.run(asyncio.wait_for(stop(), 20))
    assert len(replies) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "output",
    [b"", b"[]", b"{}", b"\xff", b'{"mode": "ask"}', b'{"mode": 1, "parcels": 5, "released": 0}', b"[" * 100_000],
)
def test_what_is_no_answer_is_said_to_be_none(output: bytes) -> None:
    for request in StudyRequest:
        reply = reply_of(request, 0, output)
        assert not reply.done
        assert "did not answer" in reply.text


def test_why_something_did_not_work_is_handed_on() -> None:
    said = json.dumps({"error": "you take part in no study", "remedy": "kairos study status"}).encode()
    reply = reply_of(StudyRequest.HOLD, 2, said)
    assert (reply.text, reply.remedy) == ("you take part in no study", "kairos study status")
    fault = UsageError(translatable("{path} is damaged", path="x"), remedy=translatable("leave the study"))
    reply = reply_of(StudyRequest.HOLD, 2, json.dumps(fault.facts()).encode())
    assert isinstance(reply.text, Sentence)
    assert (reply.text, reply.text.source, reply.remedy) == ("x is damaged", "{path} is damaged", "leave the study")
    assert [
        reply_of(StudyRequest.LEAVE, 1 - told, json.dumps({"told": bool(told)}).encode()).told for told in (0, 1)
    ] == [False, True]


PARCEL = {"n": 4, "made": 1.0, "size": 512, "sha256": "3f" * 32, "rows": ["one", "two"]}


def test_what_waits_is_handed_on() -> None:
    facts = {"mode": "ask", "parcels": [PARCEL], "released": 0}
    reply = reply_of(StudyRequest.REVIEW, 0, json.dumps(facts).encode())
    assert reply.parcels == (StudyParcel(n=4, size=512, sha256="3f" * 32, rows=("one", "two")),)
    assert (reply.done, reply.mode) == (True, "ask")
