"""What models cost outlives restarts and is added up over processes; so is what was found out about endpoints."""

from pathlib import Path

import pytest

from storage.errors import BadFile
from storage.state import models as model_state
from storage.state.models import KEPT_VERDICTS, ModelState, Spent
from storage.state.store import Consent, StateStore

DAY = "2026-11-21"


def test_costs_are_added_up_over_restarts_and_processes(tmp_path: Path) -> None:
    """Two that spend at once both count; days and rungs are apart."""
    path = tmp_path / "state.db"
    with ModelState(path) as one, ModelState(path) as other:
        assert one.spent("strong", DAY) == Spent()
        assert one.spend("strong", DAY, Spent(calls=1)) == Spent(calls=1)
        assert other.spend("strong", DAY, Spent(calls=1, tokens=50, dollars=0.5)).calls == 2
        one.spend("local", DAY, Spent(calls=7))
        one.spend("strong", "2026-11-22", Spent(tokens=9))
    with ModelState(path) as again:
        assert again.spent("strong", DAY) == Spent(calls=2, tokens=50, dollars=0.5)
        assert again.spent("local", DAY) == Spent(calls=7)
        assert again.spent("strong", "2026-11-22") == Spent(tokens=9)


def test_old_days_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table does not grow for ever."""
    monkeypatch.setattr(model_state, "KEPT_DAYS", 10)
    with ModelState(tmp_path / "state.db") as state:
        for day in range(15):
            state.spend("local", f"day {day:04d}", Spent(calls=1))
        assert state.spent("local", "day 0004") == Spent()
        assert state.spent("local", "day 0005") == Spent(calls=1)


def test_verdicts_are_remembered_and_bounded(tmp_path: Path) -> None:
    """A newer verdict replaces the older one of the same endpoint and model."""
    with ModelState(tmp_path / "state.db") as state:
        assert state.verdicts() == {}
        for n in range(KEPT_VERDICTS + 3):
            state.save_verdict(f"endpoint {n}", {"pictures_max": n})
        state.save_verdict("endpoint 9", {"pictures_max": 99})
        found = state.verdicts()
        assert len(found) == KEPT_VERDICTS
        assert found["endpoint 9"] == {"pictures_max": 99}
        assert "endpoint 0" not in found


def test_a_state_of_an_earlier_version_is_brought_up_to_date(tmp_path: Path) -> None:
    """The consent that lies in the same database stays as it is."""
    consent = Consent(journal=True, recording=False, given_at_wall_ns=5)
    with StateStore(tmp_path / "state.db") as before:
        before._database.execute("DROP TABLE spending")
        before._database.execute("DELETE FROM _sqlite_migrations WHERE name = '002_spending'")
        before.save_consent(consent)
    with ModelState(tmp_path / "state.db") as state:
        assert state.spend("local", DAY, Spent(calls=1)) == Spent(calls=1)
        assert state.consent() == consent


def test_a_damaged_record_is_told(tmp_path: Path) -> None:
    """Nonsense is not taken for a verdict, nor for nothing spent."""
    with ModelState(tmp_path / "state.db") as state:
        state._put("verdicts", [1])
        with pytest.raises(BadFile, match="damaged"):
            state.verdicts()
        path = tmp_path / "state.db"
        raw = bytearray(path.read_bytes())
        raw[4096:] = b"\xff" * (len(raw) - 4096)
        path.write_bytes(raw)
    with pytest.raises(BadFile, match="remove"), ModelState(tmp_path / "state.db") as state:
        state.spent("local", DAY)
