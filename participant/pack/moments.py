"""Which decisions of a policy are decision points of a study.

The policy decides at every estimate, thousands of times a day; most of that is idle and only counted (`DayRow.gates`).
A point is where an offer could have been made. The person was *available* where a lot was drawn, or certainty took its
place: an offer, or one that the arm withheld. They were *unavailable* where the policy called for an offer and a gate
stopped it; while that lasts there is one point for each gate every `OUTCOME_S`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from policies.arms import Call
from policies.gates import CLOSED_GATES, DROPPED, GATES_AFTER_EVIDENCE
from policies.gates.arm import ArmGate
from policies.sampling import NOT_SHOWN
from storage.records import Decision, Verdict

Action = Literal["offer", "withheld", "none"]

OTHER = "other"
"""Stands for a code that is not one of ours, as plugins bring them: it could be any text."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A decision point: what was done, and the gate that stopped an offer, None where the person was available."""

    action: Action
    gate: str | None = None


def moment_of(decision: Decision, call: Call, threshold: float, *, fresh: bool) -> Moment | None:
    """Return the decision point that a decision is, or None.

    Args:
        decision: of a built-in policy.
        call: what calls for an offer in its arm.
        threshold: of help need, where that is what calls.
        fresh: whether it was made on a new estimate. The gates before the evidence stop a decision without looking at
            it; only with a new estimate is it known to be of this application and of now.
    """
    if decision.verdict is Verdict.OFFER:
        return Moment("offer")
    if decision.gate == ArmGate.name and decision.reason in NOT_SHOWN:
        return Moment("withheld")
    if decision.withdraw or decision.reason == "showing":  # an offer is on the screen: its point stands already
        return None
    stopped = (
        (decision.gate, decision.reason) in DROPPED
        or decision.gate in GATES_AFTER_EVIDENCE
        or (decision.gate in CLOSED_GATES and fresh and _calls(decision.numbers, call, threshold))
    )
    return Moment("none", decision.gate) if stopped else None


def _calls(numbers: Mapping[str, float], call: Call, threshold: float) -> bool:
    """Tell whether the evidence in a decision calls for an offer, by the rule of its arm."""
    if "help_need" not in numbers:
        return False
    if call is Call.UTILITY:
        return numbers.get("sum", -math.inf) >= numbers.get("upper", math.inf)
    return call is Call.ANY or numbers["help_need"] >= threshold


def code_in(code: str, known: Mapping[str, object] | frozenset[str]) -> str:
    """Return a code if it is one of ours, else `OTHER`."""
    return code if code in known else OTHER
