"""The lots of a session and what came after them, read from its rows without the packer: a second opinion on its rows.

Only points at which an offer was made or left out by lot; what a study compares.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from participant.documents.rows import OUTCOME_S
from policies.gates.arm import ArmGate
from policies.sampling import NOT_SHOWN
from storage.clock import NS_PER_S
from storage.records import Decision, Estimate, Record, Verdict

RECOVERED_BELOW = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Lot:
    """One lot: when (session time), its probability of an offer, whether there was one, and what came after.

    `recovered` is whether the last estimate in the `OUTCOME_S` after it was below one half, None without one.
    """

    at_ns: int
    probability: float
    offered: bool
    recovered: bool | None


def lots_of(rows: Sequence[Record]) -> list[Lot]:
    """Return the lots of a session."""
    estimates = [row for row in rows if isinstance(row, Estimate) and not row.abstained and row.error is None]
    found = []
    for row in rows:
        if not isinstance(row, Decision) or row.propensity >= 1.0:
            continue
        offered = row.verdict is Verdict.OFFER
        if not offered and not (row.gate == ArmGate.name and row.reason in NOT_SHOWN):
            continue
        end_ns = row.at_ns + OUTCOME_S * NS_PER_S
        after = [one.help_need for one in estimates if row.at_ns < one.at_ns <= end_ns]
        found.append(
            Lot(
                at_ns=row.at_ns,
                probability=row.propensity if offered else 1.0 - row.propensity,
                offered=offered,
                recovered=after[-1] < RECOVERED_BELOW if after else None,
            )
        )
    return found
