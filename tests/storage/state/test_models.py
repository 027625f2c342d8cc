"""What models cost outlives restarts and is added up over processes; so is what was found out about endpoints."""

from pathlib import Path

import pytest

from storage.errors import BadFile
from storage.state import models as model_state
from storage.state.models import MAX_ENDPOINTS, ModelStateStore, Spending

DAY = "2026-11-21"


def test_costs_are_added_up_over_restarts_and_processes(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with ModelStateStore(path) as one, ModelStateStore(path) as other:
        assert one.spending("strong", DAY) == Spending()
        assert one.add_spending("strong", DAY, Spending(calls=1)) == Spending(calls=1)
        assert other.add_spending("strong", DAY, Spending(calls=1, tokens=50, dollars=0.5)).calls == 2
        one.add_spending("local", DAY, Spending(calls=7))
        one.add_spending("strong", "2026-11-22", Spending(tokens=9))
    with ModelStateStore(path) as again:
        assert again.spending("strong", DAY) == Spending(calls=2, tokens=50, dollars=0.5)
        assert again.spending("local", DAY) == Spending(calls=7)
        assert again.spending("strong", "2026-11-22") == Spending(tokens=9)


def test_old_days_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table does not grow for ever."""
    monkeypatch.setattr(model_state, "MAX_DAYS", 10)
    with ModelStateStore(tmp_path / "state.db") as state:
        for day in range(15):
            state.add_spending("local", f"day {day:04d}", Spending(calls=1))
        assert state.spending("local", "day 0004") == Spending()
        assert state.spending("local", "day 0005") == Spending(calls=1)


def test_capabilities_are_remembered_and_bounded(tmp_path: Path) -> None:
    with ModelStateStore(tmp_path / "state.db") as state:
        assert state.capabilities() == {}
        for n in range(MAX_ENDPOINTS + 3):
            state.save_capabilities(f"endpoint {n}", {"pictures_max": n})
        state.save_capabilities("endpoint 9", {"pictures_max": 99})
        found = state.capabilities()
        assert len(found) == MAX_ENDPOINTS
        assert found["endpoint 9"] == {"pictures_max": 99}
        assert "endpoint 0" not in found


def test_a_damaged_record_is_reported(tmp_path: Path) -> None:
    with ModelStateStore(tmp_path / "state.db") as state:
        state._put("verdicts", [1])
        with pytest.raises(BadFile, match="damaged"):
            state.capabilities()
        path = tmp_path / "state.db"
        raw = bytearray(path.read_bytes())
        raw[4096:] = b"\xff" * (len(raw) - 4096)
        path.write_bytes(raw)
    with pytest.raises(BadFile, match="remove"), ModelStateStore(tmp_path / "state.db") as state:
        state.spending("local", DAY)
