"""`kairos bench models`: its bars can be missed, its server sees a cancelled request end, and its bodies are whole."""

import asyncio
import base64
import json
import subprocess
import sys

import pytest

from detectors.mllm import dialects
from detectors.mllm.protocol import RequestOptions
from lab.benchmarks.models import benchmark as bench_models
from lab.benchmarks.models.benchmark import CostRound, cancel_times_ms, criteria_of, details, first_words_ms
from lab.benchmarks.models.queries import live_query
from lab.benchmarks.models.subjects import DIALECTS, plain_build


def made(
    number: int, *, worst_ms: float = 4.0, slowest_ms: float = 1.0, cpu_s: float = 0.2, first_ms: float = 5.0
) -> CostRound:
    """Return a round with these figures."""
    return CostRound(
        round=number,
        common={"cpu_s": 0.1, "rss_mb": 5.0},
        loaded={"cpu_s": cpu_s / 2, "rss_mb": 5.0},
        used={"cpu_s": cpu_s, "rss_mb": 9.0},
        build={"openai_chat": 0.5, "ollama": slowest_ms, "base64": 6.0, "naive": 40.0},
        cancel_ms=(1.0, worst_ms),
        first_words_ms=(2.0, first_ms),
    )


def test_bars_are_held_by_medians_of_rounds() -> None:
    """One slow round of three changes nothing; two do, each for its own bar."""
    slow = made(9, worst_ms=80.0, slowest_ms=7.0, cpu_s=0.5, first_ms=150.0)
    assert all(bar.ok for bar in criteria_of([made(1), made(2), slow]))
    assert [bar.ok for bar in criteria_of([made(1), slow, slow])] == [False, False, False, False, True]
    assert any("40 times" in line for line in details([made(1)]))


def test_a_cancelled_request_is_seen_by_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests arrive whole, and their end is seen, in a process of its own."""
    monkeypatch.setattr(bench_models, "CANCELS", 2)
    taken = asyncio.run(cancel_times_ms())
    assert len(taken) == 2
    assert all(0 < taken_ms < 5000 for taken_ms in taken)


def test_first_words_are_timed_from_a_server_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server says when they left, and the display is called after that and before the answer is whole."""
    monkeypatch.setattr(bench_models, "ANSWERS", 2)
    taken = asyncio.run(first_words_ms())
    assert len(taken) == 2
    assert all(0 < taken_ms < 5000 for taken_ms in taken)


def test_both_builds_hold_all_pictures() -> None:
    """What is compared does the same work: every picture is in the body, and the body is JSON."""
    ask = live_query(3, 500)
    bodies = [bytes(dialects.by_name(name).request(ask, RequestOptions(model="m")).body) for name in DIALECTS]
    for body in (*bodies, plain_build([picture.jpeg for picture in ask.pictures])):
        json.loads(body)
        assert all(base64.b64encode(picture.jpeg) in body for picture in ask.pictures)


@pytest.mark.parametrize(
    ("module", "loads"), [("daemon.models.scheduler", False), ("detectors.mllm.client.endpoint", True)]
)
def test_the_client_is_loaded_only_with_a_model(module: str, loads: bool) -> None:
    """Without a model no HTTP client is in memory; the second case shows that it would be found."""
    code = f"import sys, {module}; print('httpx2' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert told.stdout.strip() == str(loads)
