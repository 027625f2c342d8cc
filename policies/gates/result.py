"""Where the chain ends: the gate that stops an offer, or none, with a reason code and the numbers used there."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from storage.records import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """Why an offer goes no further, or that it has passed all gates; `next_tick_ns` is when to look again."""

    gate: str
    reason: str
    verdict: Verdict = Verdict.HOLD
    numbers: Mapping[str, float] = field(default_factory=dict)
    next_tick_ns: int | None = None
