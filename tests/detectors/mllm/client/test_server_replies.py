"""A table of replies of real servers' kinds (`server_replies.json`): how each ends, what is told, and what it costs.

A case has a `body`, `events` (server-sent) or `lines`; "@YES" stands for a good answer, "@A" and "@B" for its halves.
Every later request is answered well, so `requests` and `ends` say what followed. `cost` is that of the first request:
tokens read ("~": the estimate) and written ("room": all that was allowed, "text": by the length of the answer).
Of a `late` stream the text does not come early.
"""

import json
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from detectors.mllm.client.retry import FAILURES
from detectors.mllm.client.spending import TokenEstimator
from detectors.mllm.dialects import base, reading
from detectors.mllm.protocol import DONE, InvalidReply, Refusal, RefusalKind, Reply
from detectors.mllm.questions import FailureReason, Usage
from tests.fakes.mllm.endpoints import OPTIONS, FakeBudget, FakeSentLog, opened
from tests.fakes.mllm.reply_builders import REPLY_BUILDERS, YES
from tests.fakes.mllm.sample_queries import NEED, query
from tests.fakes.mllm.server import Act, FakeServer, pour, say

pytestmark = pytest.mark.anyio

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "server_replies.json").read_text(encoding="utf-8"))
DIALECTS = {replies.dialect: replies for replies in REPLY_BUILDERS}
ALIKE = {"llama_server": "openai_chat", "openai_plain": "openai_chat"}


def text_of(value: object) -> str:
    words = value if isinstance(value, str) else json.dumps(value)
    for sign, part in (("@YES", YES), ("@A", YES[:20]), ("@B", YES[20:])):
        words = words.replace(sign, json.dumps(part)[1:-1])
    return words


def act_of(case: dict[str, Any]) -> Act:
    if "events" in case or "lines" in case:
        pieces = [f"data: {text_of(each)}\n\n" for each in case.get("events", ())]
        pieces += [text_of(each) + "\n" for each in case.get("lines", ())]
        return pour([b"\xef\xbb\xbf"] * case.get("bom", False) + [piece.encode() for piece in pieces])
    content = text_of(case["body"]).encode(case.get("encoding", "utf-8"))
    return say(content, status=case.get("status", 200), headers=case.get("headers"))


@dataclass(slots=True)
class Heard:
    """The text that came early of the last request."""

    text: str = ""

    def begin(self) -> None:
        self.text = ""

    def add(self, text: str) -> None:
        self.text += text


async def faults(case: dict[str, Any], log: pytest.LogCaptureFixture, *, early: bool = False) -> list[str]:
    """Return in what a case came out other than the table says; with `early` its text is listened to as it comes."""
    log.clear()
    heard = Heard()
    sent, budget, dialect = FakeSentLog(), FakeBudget(), case["dialect"]
    good = say(DIALECTS[ALIKE.get(dialect, dialect)].good())
    async with (
        FakeServer([act_of(case)], otherwise=good) as server,
        opened(server.url, dialect, sent=sent, budget=budget) as model,
    ):
        asked = query(4, questions=(NEED,), observations="")
        result = await model.ask(asked, deadline_s=20.0, stream=heard if early else None)
    chosen = result.answers["need"].choice if result.answers else None
    estimate = TokenEstimator().estimate(sent.begun[0][0]).tokens_in
    room = 0 if DIALECTS[ALIKE.get(dialect, dialect)].decides else OPTIONS.max_tokens
    expected = [{"~": estimate, "room": room, "text": -(-len(YES) // 4)}.get(each, each) for each in case["cost"]]
    outcome, first = sent.ended["1"]
    ended = FAILURES[RefusalKind(case["refused"])] if case["refused"] else FailureReason.NONSENSE
    told = [
        record.args[1] for record in log.records if isinstance(record.args, tuple) and "beside an answer" in record.msg
    ]
    comes_early = (
        early
        and not case.get("late")
        and ("events" in case or "lines" in case or str(case.get("body")).startswith("data:"))
    )
    found = {
        "ends": result.failure or chosen,
        "first": outcome,
        "heard": heard.text if chosen and (heard.text or (comes_early and len(server.requests) == 1)) else YES,
        "requests": len(server.requests),
        "cost": [first.tokens_in, first.tokens_out],
        "refused": result.refused if result.failure else case["refused"],
        "odd": told,
        "pictures": result.pictures,
        "budget": budget.spent,
    }
    halved = case["ends"] == "yes" and case["refused"] == "overflow"
    spent = sum((usage for _, usage in sent.ended.values()), Usage(calls=len(sent.begun)))
    wanted = {
        **case,
        "first": ended if case["refused"] or case.get("again") else DONE,
        "heard": YES,
        "cost": expected,
        "odd": case.get("odd", []),
        "pictures": 2 if halved else 4,
        "budget": spent,
    }
    return [f"{name}: {value} for {wanted[name]}" for name, value in found.items() if value != wanted[name]]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
@pytest.mark.parametrize("early", [False, True], ids=["whole", "early"])
async def test_replies_of_real_servers_kinds(
    case: dict[str, Any], caplog: pytest.LogCaptureFixture, *, early: bool
) -> None:
    """Each ends as it must, odd things beside its answer are told, and what was possibly billed is counted."""
    caplog.set_level(logging.WARNING, "detectors.mllm.client.exchange")
    assert await faults(case, caplog, early=early) == []


async def test_what_is_odd_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    """However often a server sends it; another thing is told too, and nothing of what it holds."""
    odd = [case for case in CASES if case["dialect"] == "openai" and case.get("odd") and case["ends"] == "yes"]
    async with FakeServer([act_of(case) for case in [*odd, *odd]]) as server, opened(server.url, "openai") as model:
        for _ in range(2 * len(odd)):
            result = await model.ask(query(4, questions=(NEED,), observations=""), deadline_s=20.0)
            assert result.failure is None
    lines = [record.getMessage() for record in caplog.records if "beside an answer" in record.msg]
    assert [line.rpartition(": ")[2] for line in lines] == ["finish reason", "model", "usage", "error"]
    assert "many" not in str(lines)


@pytest.mark.parametrize("broken", ["errors under 200", "side fields", "costs"])
async def test_control_the_table_finds_what_is_broken(
    broken: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Without the classifier for errors under 200, with odd fields deciding, or counting replies alone, it fails."""
    read, refuse = reading.read, base.parse_refusal

    def strict(content: bytes) -> Reply:
        reply = read(content)
        if reply.odd:
            raise InvalidReply("as before")
        return reply

    def unclassified(status: int, headers: Any, content: bytes) -> Refusal:
        return Refusal(kind=RefusalKind.UNREADABLE, status=200) if status == 200 else refuse(status, headers, content)

    match broken:
        case "side fields":
            monkeypatch.setattr(reading, "read", strict)
            cases = [case for case in CASES if case.get("odd") and case["dialect"] != "systemone"]
        case "errors under 200":
            monkeypatch.setattr(base, "parse_refusal", unclassified)
            under = [case for case in CASES if case.get("status", 200) == 200]
            cases = [case for case in under if case["refused"] not in ("", "unreadable", "compressed")]
        case _:
            monkeypatch.setattr(
                TokenEstimator, "charge", lambda self, request, result, room: getattr(result, "usage", Usage())
            )
            cases = [case for case in CASES if "~" in case["cost"]]
    assert len(cases) > 10
    assert [case["name"] for case in cases if not await faults(case, caplog)] == []
