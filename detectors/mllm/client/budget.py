"""Daily budgets of calls, tokens and money: a clear stop, lifted at local midnight.

A limit is looked at before a call, so the last call of a day may go past the limits of tokens and money by what it
uses. What a call used is counted whether or not an answer came of it.
"""

from datetime import UTC, datetime
from typing import Protocol

from detectors.mllm.questions import Usage
from storage.clock import NS_PER_S
from storage.settings import ModelSettings


class Ledger(Protocol):
    """What was spent on each local day by each rung; `rung` is the name of its table in the settings."""

    def spent(self, rung: str, day: str) -> tuple[int, int, float]:
        """Return calls, tokens and US dollars of a day, "2026-11-21"."""
        ...

    def spend(self, rung: str, day: str, *, calls: int, tokens: int, dollars: float) -> None:
        """Add to what was spent on a day. Returns at once: nothing waits for a disk."""
        ...


class DailyBudget:
    """A `Budget`: the limits of one rung's settings, held against a ledger."""

    def __init__(self, rung: str, settings: ModelSettings, ledger: Ledger) -> None:
        """Hold the limits of `settings` for `rung`, the table they stand in."""
        self._rung = rung
        self._settings = settings
        self._ledger = ledger

    def allows(self, now_wall_ns: int) -> bool:
        """Tell whether calls, tokens and money of the day are all left; a limit of 0 allows nothing."""
        calls, tokens, dollars = self._ledger.spent(self._rung, local_day(now_wall_ns))
        limits = self._settings
        # Models that cost nothing are not stopped by a budget of no money.
        return (
            calls < limits.calls_per_day
            and tokens < limits.tokens_per_day
            and (dollars < limits.dollars_per_day or dollars == 0)
        )

    def spend(self, usage: Usage, now_wall_ns: int) -> None:
        """Count what a call used."""
        self._ledger.spend(
            self._rung,
            local_day(now_wall_ns),
            calls=usage.calls,
            tokens=usage.tokens_in + usage.tokens_out,
            dollars=usage.dollars,
        )


class MemoryLedger:
    """A ledger that forgets at the end of the process: for benchmarks, which have limits of their own, and tests."""

    def __init__(self) -> None:
        """Begin with nothing spent."""
        self._spent: dict[tuple[str, str], tuple[int, int, float]] = {}

    def spent(self, rung: str, day: str) -> tuple[int, int, float]:
        """Return calls, tokens and US dollars of a day."""
        return self._spent.get((rung, day), (0, 0, 0.0))

    def spend(self, rung: str, day: str, *, calls: int, tokens: int, dollars: float) -> None:
        """Add to what was spent on a day."""
        before = self.spent(rung, day)
        self._spent[rung, day] = (before[0] + calls, before[1] + tokens, before[2] + dollars)


def local_day(wall_ns: int) -> str:
    """Return the date of a moment where this machine is, "2026-11-21"."""
    return datetime.fromtimestamp(wall_ns // NS_PER_S, tz=UTC).astimezone().date().isoformat()
