"""No word of a screen, a prompt, a reply or a key in logs: every place that a server can write to is tried."""

import asyncio
import base64
import hashlib
import logging
from collections.abc import Iterator

import pytest

from detectors.mllm.client.keys import Secret
from detectors.mllm.questions import FailureReason, ModelQuery, ModelResult, QueryPicture
from tests.fakes.mllm.endpoints import served
from tests.fakes.mllm.reply_builders import REPLY_BUILDERS
from tests.fakes.mllm.sample_queries import NEED
from tests.fakes.mllm.server import Act, drop, hang, head, say

pytestmark = pytest.mark.anyio

MARKER = "zebra7391"
DEADLINE_S = 20.0
BYTES = MARKER.encode()
CHAT = REPLY_BUILDERS[0]
LOGGERS = ("httpx2", "httpcore2", "httpcore2.http11", "httpcore2.connection")


@pytest.fixture(autouse=True)
def levels() -> Iterator[None]:
    before = {name: logging.getLogger(name).level for name in LOGGERS}
    yield
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)


def marked() -> ModelQuery:
    jpeg = BYTES * 3
    picture = QueryPicture(digest=hashlib.sha256(jpeg).hexdigest(), jpeg=jpeg, base64=base64.b64encode(jpeg))
    return ModelQuery(pictures=(picture,), at_s=(0.0,), questions=(NEED,), observations=f"typed {MARKER}")


ACTS: dict[str, Act] = {
    "reason": say(CHAT.good(), reason=MARKER),
    "refusal": say(BYTES, status=400, reason=MARKER, headers={"X-Told": MARKER, "Retry-After": MARKER}),
    "redirect": say(b"", status=307, headers={"Location": f"http://127.0.0.1:1/{MARKER}"}),
    "nonsense": say(BYTES),
    "answer": say(CHAT.text(f'{{"need": {{"answer": "{MARKER}"}}}}')),
    "thoughts": say(CHAT.thoughts(MARKER)),
    "status line": drop(BYTES + b"\r\n\r\n"),
    "header": drop(b"HTTP/1.1 200 OK\r\n" + BYTES + b"\r\n\r\n"),
    "length": say(b"", headers={"Content-Length": MARKER}),
    "half": drop(head(200, "OK", {"Content-Length": "999"}) + BYTES),
    "cookie": say(CHAT.good(), headers={"Set-Cookie": f"{MARKER}=1; Expires={MARKER}"}),
    "encoding": say(BYTES, headers={"Content-Encoding": MARKER}),
    "type": say(CHAT.good(), headers={"Content-Type": MARKER}),
    "hang": hang(),
}


async def one(act: Act, caplog: pytest.LogCaptureFixture, deadline_s: float = DEADLINE_S) -> ModelResult:
    caplog.set_level(logging.DEBUG)
    async with served(otherwise=act, key=Secret(f"k-{MARKER}")) as (_server, model):
        return await model.ask(marked(), deadline_s=deadline_s)


@pytest.mark.parametrize("name", ACTS)
async def test_nothing_from_a_server_gets_into_logs(name: str, caplog: pytest.LogCaptureFixture) -> None:
    """Whatever a server says, and wherever, is neither logged nor handed on."""
    result = await one(ACTS[name], caplog, 0.2 if name == "hang" else DEADLINE_S)
    assert MARKER not in caplog.text
    assert MARKER not in repr(result)
    assert base64.b64encode(BYTES * 3).decode() not in caplog.text


async def test_the_control_finds_the_marker(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("detectors.mllm.client.transport._disable_library_logs", lambda: None)
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.NOTSET)
    await one(ACTS["reason"], caplog)
    assert MARKER in caplog.text


async def test_a_failed_query_logs_its_reason_in_our_words(caplog: pytest.LogCaptureFixture) -> None:
    result = await one(ACTS["refusal"], caplog)
    assert result.failure is FailureReason.REFUSED
    assert "refused: status 400" in caplog.text


async def test_a_cancelled_query_raises_nothing_from_a_server(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with served([hang()], key=Secret(f"k-{MARKER}")) as (server, model):
        task = asyncio.create_task(model.ask(marked(), deadline_s=DEADLINE_S))
        await asyncio.wait_for(server.arrived.wait(), DEADLINE_S)
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as raised:
            await task
    assert MARKER not in repr(raised.value)
    assert MARKER not in caplog.text
