"""The gates of the built-in policies, in order: the first that stops an offer names itself in the decision.

Gates are pure and import only the bottom of `storage` and `policies.state`. Begin with `gate`, which says what a gate
is. To add one, write a module with its class and give it a place in `GATES`; its reasons and what its stops mean come
with it. The break gate stands behind all of them, in `policies.chain`, because an offer waits there.
"""

from collections.abc import Mapping

from policies.gates import breaks
from policies.gates.arm import ArmGate
from policies.gates.availability import AvailabilityGate, ConsentGate
from policies.gates.budget import BudgetGate
from policies.gates.content import ContentGate
from policies.gates.evidence import EvidenceGate
from policies.gates.gate import DecisionMoment, GateResult, OfferGate
from policies.gates.novelty import NoveltyGate
from policies.gates.utility import UtilityGate
from policies.gates.withdrawal import FreshnessGate, SameApplicationGate

__all__ = [
    "CLOSED_GATES",
    "CODES",
    "DROPPED",
    "GATES",
    "GATES_AFTER_EVIDENCE",
    "GATES_BEFORE_UTILITY",
    "REASONS",
    "SUPPRESSING_GATES",
    "VERSION",
    "DecisionMoment",
    "GateResult",
    "OfferGate",
    "arm",
    "availability",
    "breaks",
    "budget",
    "content",
    "evidence",
    "gate",
    "novelty",
    "utility",
    "withdrawal",
]


GATES: tuple[OfferGate, ...] = (
    ConsentGate(),
    AvailabilityGate(),
    SameApplicationGate(),
    BudgetGate(),
    EvidenceGate(),
    ArmGate(),
    UtilityGate(),
    ContentGate(),
    NoveltyGate(),
    FreshnessGate(),
)
"""Cheapest first. An `ArmGate` needs an estimate, the gates behind `UtilityGate` may read the utility."""

VERSION = "3"  # version of the rules, here and in the chain: it changes when the same rows would be decided otherwise

REASONS: Mapping[str, str] = {
    "at_break": "An offer was made: the evidence was strong enough, and you had just paused.",
    "wait_over": "An offer was made: the evidence stayed strong, and no better moment came.",
    "by_arm": "An offer was made: the study arm in force makes offers whatever the evidence.",
    **{code: sentence for gate in GATES for code, sentence in gate.reasons.items()},
    **breaks.REASONS,
    "stopped": "The offer was taken back: the session ended.",
    "expired": "The offer went away without an answer.",
    "replaced": "The offer was taken back: another one took its place.",
}
"""Reason codes of decisions and withdrawals: why now, why not. The last three come from the engine."""

CODES = frozenset({*(gate.name for gate in GATES), breaks.NAME, "all"})
"""Gates that decisions of the built-in policies name; `all` is passed by an offer."""

SUPPRESSING_GATES = tuple(gate.name for gate in GATES if gate.suppresses)
CLOSED_GATES = tuple(gate.name for gate in GATES if gate.closed)
GATES_AFTER_EVIDENCE = tuple(gate.name for gate in GATES if gate.stops_called)
GATES_BEFORE_UTILITY = tuple(gate.name for gate in GATES if gate.before_utility)
DROPPED = frozenset({(breaks.NAME, "no_break"), *((gate.name, reason) for gate in GATES for reason in gate.drops)})
