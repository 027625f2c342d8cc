"""Recipe: a gate. One module with a class like this one, and its place in `policies.gates.GATES`."""

from collections.abc import Mapping
from typing import ClassVar

from policies.arms import arm_of
from policies.chain import ChainPolicy
from policies.gates import GATES, DecisionMoment, GateResult, OfferGate
from storage.records import Decision, Verdict
from storage.settings import PolicySettings
from tests.fakes.detectors.fake_detectors import context_of, estimate_of
from tests.fakes.narrowing import present

SETTINGS = PolicySettings(quiet_start_s=0.0)


class PresentationGate(OfferGate):
    """Holds offers while the program in front shows slides."""

    name = "presentation"
    reasons: ClassVar[Mapping[str, str]] = {"presenting": "No offer: you are presenting."}
    while_shown = True

    def check(self, moment: DecisionMoment) -> GateResult | None:
        return GateResult(gate=self.name, reason="presenting") if moment.context.app == "Impress" else None


def decide(app: str, *gates: OfferGate) -> Decision:
    arm = present(arm_of(SETTINGS))
    policy = ChainPolicy(arm, SETTINGS, 0.05, gates=(*gates, *GATES))
    state = policy.start({}, 0, 0)
    return policy.decide(state, estimate_of(0.999, app=app), context_of(app=app), 10**12)[1]


def test_a_gate_of_ones_own_stops_offers() -> None:
    stopped = decide("Impress", PresentationGate())
    assert (stopped.verdict, stopped.gate, stopped.reason) == (Verdict.HOLD, "presentation", "presenting")
    assert decide("Writer", PresentationGate()).gate != "presentation"
    assert decide("Impress").gate != "presentation"


def test_other_gates_are_another_policy() -> None:
    """The hash that sessions store tells policies with other gates apart."""
    arm = present(arm_of(SETTINGS))
    longer = ChainPolicy(arm, SETTINGS, 0.05, gates=(PresentationGate(), *GATES))
    assert longer.constants != ChainPolicy(arm, SETTINGS, 0.05).constants
