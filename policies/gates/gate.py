"""What a gate is: one kind of reason not to offer help now.

A gate is pure. Bring one of your own as a module with a class like those beside it, and give it its place in the list
of `policies.gates`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from policies.arms import Arm
from policies.state import ChainState, Utility
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
class DecisionMoment:
    """What one decision is about. The utility gate fills in `utility`, so it is known to those behind it."""

    trigger: Trigger
    context: Context
    now_ns: int
    settings: PolicySettings
    arm: Arm
    state: ChainState
    utility: Utility | None = None


class OfferGate(ABC):
    """One gate.

    `name` and the codes of `reasons` (each with its sentence for people) are stored in decisions. The other traits say
    what a stop means to those who read decisions; `policies.gates` collects them.
    """

    name: ClassVar[str]
    reasons: ClassVar[Mapping[str, str]]
    while_shown: ClassVar[bool] = False  # it also takes down an offer that is on the screen
    suppresses: ClassVar[bool] = False  # it is about wishes, not evidence: a quiet first day does not count its stops
    closed: ClassVar[bool] = False  # it stops without looking at the evidence, so no estimate can open it
    stops_called: ClassVar[bool] = False  # what it stops is an offer that the evidence had called for
    before_utility: ClassVar[bool] = False  # its decisions are told without what makes an offer worth it
    drops: ClassVar[frozenset[str]] = frozenset()  # reasons with which it drops an offer that has waited

    @abstractmethod
    def check(self, moment: DecisionMoment) -> GateResult | None:
        """Return why nothing may be offered now, or None."""
