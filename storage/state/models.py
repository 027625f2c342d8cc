"""What outlives sessions about models: daily spending, and the capabilities that probes found at each endpoint.

Several processes spend at once (a running Kairos, a benchmark), so amounts are added in the database, never
overwritten.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from storage.state.store import StateStore

MAX_DAYS = 400
"""Days whose spending is kept."""

MAX_ENDPOINTS = 64
"""Endpoints whose capabilities are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """What a tier of models cost on a day."""

    calls: int = 0
    tokens: int = 0
    dollars: float = 0.0


class ModelStateStore(StateStore):
    """The part of the state about models; open it for as long as a model is used, in one thread."""

    def spending(self, tier: str, day: str) -> Spending:
        """Return what a tier cost on a local day, "2026-11-21"."""
        with self._errors():
            found = self._database.execute(
                "SELECT calls, tokens, dollars FROM spending WHERE tier = ? AND day = ?", [tier, day]
            ).fetchone()
        return Spending() if found is None else Spending(calls=found[0], tokens=found[1], dollars=found[2])

    def add_spending(self, tier: str, day: str, more: Spending) -> Spending:
        """Add to what a tier cost on a day; return the sum."""
        with self._errors(), self._database.atomic():
            self._database.execute(
                "INSERT INTO spending VALUES (?, ?, ?, ?, ?) ON CONFLICT (day, tier) DO UPDATE SET"
                " calls = calls + excluded.calls, tokens = tokens + excluded.tokens,"
                " dollars = dollars + excluded.dollars",
                [day, tier, more.calls, more.tokens, more.dollars],
            )
            oldest = "SELECT day FROM spending GROUP BY day ORDER BY day DESC LIMIT -1 OFFSET ?"
            self._database.execute(f"DELETE FROM spending WHERE day IN ({oldest})", [MAX_DAYS])  # noqa: S608  # constant
        return self.spending(tier, day)

    def capabilities(self) -> Mapping[str, dict[str, object]]:
        """Return what probes found, by endpoint and model, as plain values."""
        found: dict[str, dict[str, object]] | None = self._get("verdicts", dict[str, dict[str, object]])
        return found or {}

    def save_capabilities(self, key: str, found: Mapping[str, object]) -> None:
        """Store what a probe found; the newest `MAX_ENDPOINTS` are kept."""
        others = [(name, old) for name, old in self.capabilities().items() if name != key]
        self._put("verdicts", dict([*others[-MAX_ENDPOINTS + 1 :], (key, dict(found))]))
