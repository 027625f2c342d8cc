"""`kairos bench models`: what asking a model costs on our side: loading it, building a request, and letting go of one.

No model is behind it and nothing leaves this machine: the server of this benchmark never answers. Every figure comes
from processes of their own, in rounds that take turns, and the median of the rounds is held against its bar. CPU time
is what counts; only the end of a cancelled request is a matter of wall time, so there the worst of a round counts.
"""

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evaluation.benchmarks.models.queries import PICTURE_BYTES, PICTURES, endpoint_at, live_ask
from evaluation.measure.criteria import AcceptanceCriterion, at_most, print_bars
from evaluation.measure.machine import machine
from storage.clock import SystemClock

ROUNDS = 5
CANCELS = 12
SUBJECTS = "evaluation.benchmarks.models.subjects"
WAIT_S = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One round.

    Attributes:
        round: its number, from 1.
        common: CPU seconds and megabytes, in a fresh process, of what every running Kairos has loaded anyway.
        loaded: of loading the model layer on top of that.
        used: the same, with an endpoint made and a first connection tried.
        build: CPU milliseconds of a body of 32 pictures in each dialect, of base64 alone and of a plain build.
        cancel_ms: from cancelling to the server seeing the close, each time.
    """

    round: int
    common: dict[str, float]
    loaded: dict[str, float]
    used: dict[str, float]
    build: dict[str, float]
    cancel_ms: tuple[float, ...]


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos bench models`."""
    rounds = []
    _child("import")  # the first one compiles
    for number in range(1, ROUNDS + 1):
        print(f"round {number} of {ROUNDS}", file=sys.stderr, flush=True)
        rounds.append(one_round(number))
    bars = judge(rounds)
    if arguments.json:
        result = {"bars": [asdict(bar) for bar in bars], "rounds": [asdict(one) for one in rounds]}
        print(json.dumps({**result, "machine": machine()}))
    else:
        print_bars(bars)
        print("\n".join(("\nbeside it, in the same rounds:", *beside(rounds))))
    return 0 if all(bar.ok for bar in bars) else 1


def one_round(number: int) -> Round:
    """Measure everything once."""
    layer = _child("import")
    return Round(
        round=number,
        common=layer["common"],
        loaded=layer["loaded"],
        used=layer["used"],
        build=_child("build"),
        cancel_ms=tuple(asyncio.run(cancels())),
    )


def judge(rounds: Sequence[Round]) -> list[AcceptanceCriterion]:
    """Hold the medians of the rounds against the bars; of the dialects the slowest counts."""

    def median(figure: Callable[[Round], float]) -> float:
        return statistics.median(figure(one) for one in rounds)

    def slowest(one: Round) -> float:
        return max(value for name, value in one.build.items() if name not in ("base64", "naive"))

    return [
        at_most("cancel_to_close", median(lambda one: max(one.cancel_ms)), 50.0, "ms"),
        at_most("build_beyond_base64", median(slowest), 5.0, "ms CPU"),
        at_most("import_cpu", median(lambda one: one.used["cpu_s"]), 0.3, "s CPU"),
        at_most("import_memory", median(lambda one: one.used["rss_mb"]), 40.0, "MB"),
    ]


def beside(rounds: Sequence[Round]) -> list[str]:
    """Return what is told beside the bars."""

    def median(figure: Callable[[Round], float]) -> float:
        return statistics.median(figure(one) for one in rounds)

    def built(name: str) -> float:
        return median(lambda one: one.build[name])

    names = [name for name in rounds[0].build if name not in ("base64", "naive")]
    times = median(lambda one: one.build["naive"] / max(one.build[name] for name in names))
    loaded = (median(lambda one: one.loaded["cpu_s"]), median(lambda one: one.loaded["rss_mb"]))
    bare = median(lambda one: one.common["cpu_s"] + one.used["cpu_s"])
    ended = median(lambda one: statistics.median(one.cancel_ms))
    lines = [f"body of 32 pictures, {name}: {built(name):.2f} ms CPU" for name in names]
    lines += [
        f"base64 of 32 pictures, which is made once for all their requests: {built('base64'):.2f} ms CPU",
        f"a plain build with json.dumps, base64 included: {built('naive'):.2f} ms CPU, {times:.0f} times our slowest",
        f"the end of a cancelled request, median: {ended:.2f} ms",
        f"loading alone, before anything is asked: {loaded[0]:.2f} s CPU, {loaded[1]:.1f} MB",
        f"with msgspec and the records, which no Kairos goes without: {bare:.2f} s CPU",
    ]
    return [f"       {line}" for line in lines]


async def cancels() -> list[float]:
    """Return how long the server took, each time, to see that a request of 32 pictures was cancelled, in ms."""
    clock, ask, taken = SystemClock(), live_ask(PICTURES, PICTURE_BYTES), []
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-m", SUBJECTS, "server", stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    output = server.stdout or asyncio.StreamReader()
    try:
        model = endpoint_at((await _told(output))["port"])
        for _ in range(CANCELS):
            task = asyncio.create_task(model.ask(ask, deadline_s=WAIT_S))
            await _told(output)
            before_ns = clock.now_ns()
            task.cancel()
            closed_ns = (await _told(output))["closed_ns"]
            taken.append(round((closed_ns - before_ns) / 1e6, 3))
            await asyncio.wait([task])
        await model.close()
    finally:
        await server.communicate(b"")  # without input Python 3.11 leaves its end open
    return taken


async def _told(output: asyncio.StreamReader) -> dict[str, Any]:
    """Return the next thing that the server says."""
    async with asyncio.timeout(WAIT_S):
        told: dict[str, Any] = json.loads(await output.readline())
    return told


def _child(subject: str) -> dict[str, Any]:
    argv = [sys.executable, "-m", SUBJECTS, subject]
    told: dict[str, Any] = json.loads(subprocess.run(argv, check=True, stdout=subprocess.PIPE, timeout=120.0).stdout)
    return told
