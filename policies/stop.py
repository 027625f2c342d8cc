"""What a gate returns when it stops an offer: its name, a reason code and the numbers it used."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from storage.records import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """Why an offer goes no further; `next_tick_ns` is set only when something waits."""

    gate: str
    reason: str
    verdict: Verdict = Verdict.HOLD
    numbers: Mapping[str, float] = field(default_factory=dict)
    next_tick_ns: int | None = None
