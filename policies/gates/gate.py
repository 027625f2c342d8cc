"""What a gate is: one kind of reason not to offer help now.

A gate is pure. Bring one of your own as a module with a class like those beside it, and give it its place in the list
of `policies.gates`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from policies.arms import Arm
from policies.state import Bounds, ChainState, Utility
from storage.records import Context, Trigger, Verdict
from storage.settings import PolicySettings


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """Why an offer goes no further, or that it passed all gates; `next_tick_ns` is when to decide again."""

    gate: str
    reason: str
    verdict: Verdict = Verdict.HOLD
    numbers: Mapping[str, float] = field(default_factory=dict)
    next_tick_ns: int | None = None


@dataclass(slots=True, kw_only=True)
class Moment:
    """What one decision is about. The utility gate fills in `utility`, so it is known to those behind it."""

    trigger: Trigger
    context: Context
    now_ns: int
    settings: PolicySettings
    arm: Arm
    base_rate: float
    bounds: Bounds
    state: ChainState
    utility: Utility | None = None


class Gate(ABC):
    """One gate.

    `name` and the codes of `reasons` (each with its sentence for people) are stored in decisions. A gate that holds
    `while_shown` also takes down an offer that is on the screen. One that `suppresses` is about the person's wishes
    and not about the evidence, so a quiet first day does not count what it stopped.
    """

    name: ClassVar[str]
    reasons: ClassVar[Mapping[str, str]]
    while_shown: ClassVar[bool] = False
    suppresses: ClassVar[bool] = False

    @abstractmethod
    def check(self, moment: Moment) -> GateResult | None:
        """Return why nothing may be offered now, or None."""
