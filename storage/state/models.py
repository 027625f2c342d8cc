"""What outlives sessions about models: what they cost on each day, and what was found out about each endpoint.

It lies in the database of what outlives sessions. Several processes spend at once (a running Kairos, a benchmark), so
amounts are added in the database and never written over.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass

from storage.db import database_errors
from storage.state.store import StateStore

MAX_DAYS = 400
"""Days whose costs are remembered."""

MAX_ENDPOINTS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """What a rung cost on a day."""

    calls: int = 0
    tokens: int = 0
    dollars: float = 0.0


class ModelStateStore(StateStore):
    """The part about models; open it for as long as a model is used, in one thread."""

    def spending(self, rung: str, day: str) -> Spending:
        """Return what a rung cost on a local day, "2026-11-21".

        Raises:
            BadFile: the database is damaged.
            EnvironmentFault: it cannot be read.
        """
        with self._faults():
            found = self._database.execute(
                "SELECT calls, tokens, dollars FROM spending WHERE rung = ? AND day = ?", [rung, day]
            ).fetchone()
        return Spending() if found is None else Spending(calls=found[0], tokens=found[1], dollars=found[2])

    def add_spending(self, rung: str, day: str, more: Spending) -> Spending:
        """Add to what a rung cost on a day; return the sum.

        Raises:
            BadFile: the database is damaged.
            EnvironmentFault: it cannot be written.
        """
        with self._faults(), self._database.atomic():
            self._database.execute(
                "INSERT INTO spending VALUES (?, ?, ?, ?, ?) ON CONFLICT (day, rung) DO UPDATE SET"
                " calls = calls + excluded.calls, tokens = tokens + excluded.tokens,"
                " dollars = dollars + excluded.dollars",
                [day, rung, more.calls, more.tokens, more.dollars],
            )
            oldest = "SELECT day FROM spending GROUP BY day ORDER BY day DESC LIMIT -1 OFFSET ?"
            self._database.execute(f"DELETE FROM spending WHERE day IN ({oldest})", [MAX_DAYS])  # noqa: S608  # constant
        return self.spending(rung, day)

    def capabilities(self) -> Mapping[str, dict[str, object]]:
        """Return what was found out, by endpoint and model, as plain values.

        Raises:
            BadFile: the record is damaged.
            EnvironmentFault: it cannot be read.
        """
        found: dict[str, dict[str, object]] | None = self._get("verdicts", dict[str, dict[str, object]])
        return found or {}

    def save_capabilities(self, key: str, verdict: Mapping[str, object]) -> None:
        """Remember what was found out; the newest `MAX_ENDPOINTS` are kept.

        Raises:
            BadFile: the record is damaged.
            EnvironmentFault: it cannot be written.
        """
        others = [(name, old) for name, old in self.capabilities().items() if name != key]
        self._put("verdicts", dict([*others[-MAX_ENDPOINTS + 1 :], (key, dict(verdict))]))

    def _faults(self) -> AbstractContextManager[None]:
        return database_errors(self._path, if_damaged="Kairos then asks for consent again")
