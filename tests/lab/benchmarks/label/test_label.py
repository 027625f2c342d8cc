"""`kairos bench label`: a short recording is gone through in every way, and a step that costs too much is named."""

from collections.abc import Callable
from typing import Any

import pytest

from lab.benchmarks.label import benchmark


def test_a_recording_is_gone_through_in_every_way(
    bench: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benchmark, "STEP_MS", 1e9)
    words = ("--minutes", 2, "--steps", 8)
    found = bench(*words)
    assert [bar["name"] for bar in found["bars"]] == ["on_1s", "back_1s", "on_10s", "back_10s", "jump"]
    monkeypatch.setattr(benchmark, "STEP_MS", 0.0)
    assert {bar["ok"] for bar in bench(*words, status=1)["bars"]} == {False}
