"""`kairos bench mine`: rates lie in their intervals, of twelve offers nothing is told, and one's own days beside it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from daemon.figures.intervals import Interval
from storage.clock import DAY_NS, SystemClock
from storage.records import FeedbackKind
from storage.testing import SessionBuilder

Bench = Callable[..., dict[str, Any]]


def narrow(share: float) -> Interval:
    return Interval(value=share, low=share, high=share)


def bars(found: dict[str, Any]) -> dict[str, bool]:
    return {bar["name"]: bar["ok"] for bar in found["bars"]}


@pytest.mark.parametrize("months", [12, pytest.param(200, marks=pytest.mark.slow)])
def test_rates_lie_in_their_intervals_and_of_twelve_offers_nothing_is_told(bench: Bench, months: int) -> None:
    found = bench("--months", months)
    assert set(bars(found).values()) == {True}
    assert len(found["rounds"]) == months


def test_what_is_too_sure_misses_the_bars(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals of no width, and shares that are told of twelve offers."""
    monkeypatch.setattr("daemon.history.own_days.LEAST", 1)
    monkeypatch.setattr("daemon.history.own_days.wilson", lambda count, total: narrow(count / total))
    assert bars(bench("--months", 3, status=1)) == {
        "rates_in_their_intervals": False,
        "rates_a_fifth_off": True,
        "told_of_twelve_offers": False,
        "proposed_of_twelve_offers": False,
    }


def test_own_days_stand_beside_as_kairos_mine_says_them(bench: Bench, tmp_path: Path) -> None:
    session = SessionBuilder(wall_ns=SystemClock().wall_ns() - 3 * DAY_NS)
    for _ in range(12):
        session.wait(1800).offer(app="writer")
        session.wait(5).answer(FeedbackKind.DISMISSED)
    session.end().write(tmp_path / "sessions")
    words = ("--months", 3, "--last", "30d", "--sessions", tmp_path / "sessions")
    assert bench(*words)["own_days"]["right"] == {"count": 0, "total": 12, "share": None}
    assert "own_days" not in bench("--months", 3)
    assert "your own days" in bench(*words, "--until", "today", status=2)["error"]
