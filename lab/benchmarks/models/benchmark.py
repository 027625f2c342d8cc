"""Measures our side of asking a model, without any model: loading, building requests, cancelling, showing first words.

Servers are processes of their own (`subjects`); nothing leaves this machine, and nobody lays anything out here.
"""

import asyncio
import json
import statistics
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from typing import Any

from daemon.capture.gate import Gate
from daemon.help.context import HelpContext, HelpMoment
from daemon.models.answers.service import AnswerContext, HelpAnswers
from detectors.mllm.client.endpoint import Endpoint
from detectors.mllm.protocol import AnswerStream
from detectors.mllm.questions import ModelQuery, ModelResult
from lab.benchmarks.models.queries import PICTURE_BYTES, PICTURES, endpoint_at, live_query
from lab.measure.benchmark import AcceptanceCriterion, Report, at_most
from storage.clock import SystemClock
from storage.plain_text import print_progress
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


@asynccontextmanager
async def _server(subject: str) -> AsyncIterator[tuple[int, asyncio.StreamReader]]:
    """Run a server of `subjects`, and give its port and what it prints."""
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-m", SUBJECTS, subject, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    output = server.stdout or asyncio.StreamReader()
    try:
        yield (await _next_message(output))["port"], output
    finally:
        await server.communicate(b"")  # without input Python 3.11 leaves its end open


async def first_words_ms() -> list[float]:
    """Return for each answer the milliseconds from the server's first words to the call of the display."""
    async with _server("writer") as (port, output):
        model = _Model(endpoint_at(port))
        taken = [await _first_words_ms(model, output) for _ in range(ANSWERS)]
        await model.endpoint.close()
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
        around=AnswerContext(
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
    """Return the next message of the server."""
    async with asyncio.timeout(WAIT_S):
        message: dict[str, Any] = json.loads(await output.readline())
    return message


ROUNDS = 5
CANCELS = 12
SUBJECTS = "lab.benchmarks.models.subjects"


@dataclass(frozen=True, slots=True, kw_only=True)
class CostRound:
    """One round.

    Attributes:
        round: its number, from 1.
        common: CPU seconds and megabytes, in a fresh process, of what every running Kairos has loaded anyway.
        loaded: of loading the model layer on top of that.
        used: the same, with an endpoint made and a first connection tried.
        build: CPU milliseconds of a body of 32 pictures in each dialect, of base64 alone and of a plain build.
        cancel_ms: from cancelling to the server seeing the close, each time.
        first_words_ms: from the first words of an answer leaving the server to the display being called, each time.
    """

    round: int
    common: dict[str, float]
    loaded: dict[str, float]
    used: dict[str, float]
    build: dict[str, float]
    cancel_ms: tuple[float, ...]
    first_words_ms: tuple[float, ...]


def measure() -> Report:
    """Measure everything in rounds, and compare the medians with the limits."""
    rounds = []
    _child("import")  # the first one compiles
    for number in range(1, ROUNDS + 1):
        print_progress(f"round {number} of {ROUNDS}")
        rounds.append(one_round(number))
    return Report(
        criteria=criteria_of(rounds),
        rounds=[asdict(round_) for round_ in rounds],
        notes=["beside it, in the same rounds:", *details(rounds)],
    )


def one_round(number: int) -> CostRound:
    """Measure everything once."""
    layer = _child("import")
    return CostRound(
        round=number,
        common=layer["common"],
        loaded=layer["loaded"],
        used=layer["used"],
        build=_child("build"),
        cancel_ms=tuple(asyncio.run(cancel_times_ms())),
        first_words_ms=tuple(asyncio.run(first_words_ms())),
    )


def criteria_of(rounds: Sequence[CostRound]) -> list[AcceptanceCriterion]:
    """Compare the medians of the rounds with the limits; of the dialects the slowest counts."""

    def median(figure: Callable[[CostRound], float]) -> float:
        return statistics.median(figure(round_) for round_ in rounds)

    def slowest(one: CostRound) -> float:
        return max(value for name, value in one.build.items() if name not in ("base64", "naive"))

    return [
        at_most("cancel_to_close", median(lambda one: max(one.cancel_ms)), 50.0, "ms"),
        at_most("first_words", median(lambda one: max(one.first_words_ms)), 100.0, "ms"),
        at_most("build_beyond_base64", median(slowest), 5.0, "ms CPU"),
        at_most("import_cpu", median(lambda one: one.used["cpu_s"]), 0.3, "s CPU"),
        at_most("import_memory", median(lambda one: one.used["rss_mb"]), 40.0, "MB"),
    ]


def details(rounds: Sequence[CostRound]) -> list[str]:
    """Return further figures as lines."""

    def median(figure: Callable[[CostRound], float]) -> float:
        return statistics.median(figure(round_) for round_ in rounds)

    def built(name: str) -> float:
        return median(lambda one: one.build[name])

    names = [name for name in rounds[0].build if name not in ("base64", "naive")]
    times = median(lambda one: one.build["naive"] / max(one.build[name] for name in names))
    loaded = (median(lambda one: one.loaded["cpu_s"]), median(lambda one: one.loaded["rss_mb"]))
    bare = median(lambda one: one.common["cpu_s"] + one.used["cpu_s"])
    words = median(lambda one: statistics.median(one.first_words_ms))
    ended = median(lambda one: statistics.median(one.cancel_ms))
    lines = [f"body of 32 pictures, {name}: {built(name):.2f} ms CPU" for name in names]
    lines += [
        f"base64 of 32 pictures, which is made once for all their requests: {built('base64'):.2f} ms CPU",
        f"a plain build with json.dumps, base64 included: {built('naive'):.2f} ms CPU, {times:.0f} times our slowest",
        f"the end of a cancelled request, median: {ended:.2f} ms",
        f"first words of an answer, server to display, median: {words:.2f} ms; laying them out is not in it",
        f"loading alone, before anything is asked: {loaded[0]:.2f} s CPU, {loaded[1]:.1f} MB",
        f"with msgspec and the records, which no Kairos goes without: {bare:.2f} s CPU",
    ]
    return [f"       {line}" for line in lines]


async def cancel_times_ms() -> list[float]:
    """Return how long the server took, each time, to see that a request of 32 pictures was cancelled, in ms."""
    clock, query, taken_ms = SystemClock(), live_query(PICTURES, PICTURE_BYTES), []
    async with _server("server") as (port, output):
        model = endpoint_at(port)
        for _ in range(CANCELS):
            task = asyncio.create_task(model.ask(query, deadline_s=WAIT_S))
            await _next_message(output)
            before_ns = clock.now_ns()
            task.cancel()
            closed_ns = (await _next_message(output))["closed_ns"]
            taken_ms.append(round((closed_ns - before_ns) / 1e6, 3))
            await asyncio.wait([task])
        await model.close()
    return taken_ms


def _child(subject: str) -> dict[str, Any]:
    argv = [sys.executable, "-m", SUBJECTS, subject]
    message: dict[str, Any] = json.loads(subprocess.run(argv, check=True, stdout=subprocess.PIPE, timeout=120.0).stdout)
    return message
