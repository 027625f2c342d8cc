"""The gates of the built-in policies, in order: the first that stops an offer names itself in the decision.

Gates are pure and import only the bottom of `storage` and `policies.state`. Begin with `gate`, which says what a gate
is. To add one, write a module with its class and give it a place in `GATES`; its reasons and their sentences come with
it. The break gate stands behind all of them, in `policies.chain`, because an offer waits there.
"""

from collections.abc import Mapping

from policies.gates import breaks
from policies.gates.arm import ArmGate
from policies.gates.availability import AvailabilityGate
from policies.gates.budget import BudgetGate
from policies.gates.consent import ConsentGate
from policies.gates.content import ContentGate
from policies.gates.evidence import EvidenceGate
from policies.gates.gate import Gate, GateResult, Moment
from policies.gates.novelty import NoveltyGate
from policies.gates.utility import UtilityGate
from policies.gates.withdrawal import FreshnessGate, SameApplicationGate

__all__ = [
    "GATES",
    "REASONS",
    "SUPPRESSING_GATES",
    "Gate",
    "GateResult",
    "Moment",
    "arm",
    "availability",
    "breaks",
    "budget",
    "consent",
    "content",
    "evidence",
    "gate",
    "novelty",
    "utility",
    "withdrawal",
]


GATES: tuple[Gate, ...] = (
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

SUPPRESSING_GATES = tuple(gate.name for gate in GATES if gate.suppresses)
"""Gates about the person's wishes, not about the evidence."""
