"""How long the first words of an answer take from the server to the card: parsed, made plain and handed to a display.

The server is a process of its own that says when it wrote the first words; nobody lays anything out here.
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from daemon.capture.gate import Gate
from daemon.help.context import HelpContext, HelpMoment
from daemon.models.answers.service import HelpAnswers, Surroundings
from detectors.mllm.client.endpoint import Endpoint
from detectors.mllm.protocol import AnswerStream
from detectors.mllm.questions import ModelQuery, ModelResult
from lab.benchmarks.models.queries import endpoint_at
from storage.clock import SystemClock
from storage.ports import ModelHelp
from storage.records import (
    Box,
    ControlRole,
    Element,
    Feedback,
    FeedbackKind,
    HelpAnswer,
    ModelTier,
    Offer,
    Record,
    State,
)
from storage.settings import HelpSettings

ANSWERS = 12
CONTROLS = 120
APP = "bench"
WAIT_S = 20.0


class _Model:
    """The endpoint of the benchmark, as the daemon would open it."""

    name = model = "bench"
    remote = False

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint

    async def ask(
        self, query: ModelQuery, *, deadline_s: float, stream: AnswerStream | None = None, purpose: str = ""
    ) -> ModelResult:
        return await self.endpoint.ask(query, deadline_s=deadline_s, stream=stream, purpose=purpose)

    def stop(self) -> None:
        self.endpoint.stop()


async def first_words_ms(server_module: str) -> list[float]:
    """Return for each answer the milliseconds from the server's first words to the call of the display."""
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-m", server_module, "writer", stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    output = server.stdout or asyncio.StreamReader()
    try:
        model = _Model(endpoint_at((await _next_message(output))["port"]))
        taken = [await _first_words_ms(model, output) for _ in range(ANSWERS)]
        await model.endpoint.close()
    finally:
        await server.communicate(b"")
    return taken


async def _first_words_ms(model: _Model, output: asyncio.StreamReader) -> float:
    clock, gate = SystemClock(), Gate()
    gate.open()
    first_ns: list[int] = []
    over = asyncio.Event()
    element = Element(role=ControlRole.BUTTON, box=Box(0, 0, 9, 9), name="Choose something")
    moment = HelpMoment(context=HelpContext(app=APP), elements=(element,) * CONTROLS)

    def show(_: str, view: ModelHelp) -> None:
        if view.text:
            first_ns.append(clock.now_ns())

    def submit(rows: Sequence[Record]) -> None:
        if any(isinstance(row, HelpAnswer) for row in rows):
            over.set()

    answers = HelpAnswers(
        available=lambda: {ModelTier.LOCAL: model},
        settings=HelpSettings(),
        gate=gate,
        clock=clock,
        submit=submit,
        around=Surroundings(
            moment_of=lambda *_: moment,
            newest_picture=lambda: None,
            request_elements=lambda take, **_: take(None),
            show=show,
            follow=lambda *_: None,
        ),
    )
    offer = Offer(
        offer_id="o1",
        decision_seq=0,
        prefix_id="",
        app=APP,
        topic="",
        state=State.FRUSTRATION,
        help_need=0.9,
        evidence=(),
        help=None,
        shown_at_ns=0,
        expires_at_ns=1,
    )
    answers.observe([offer, Feedback(offer_id="o1", kind=FeedbackKind.ACCEPTED)])
    written_ns = int((await _next_message(output))["first_ns"])
    async with asyncio.timeout(WAIT_S):
        await over.wait()
    await answers.close()
    return round((first_ns[0] - written_ns) / 1e6, 3)


async def _next_message(output: asyncio.StreamReader) -> dict[str, Any]:
    async with asyncio.timeout(WAIT_S):
        message: dict[str, Any] = json.loads(await output.readline())
    return message
