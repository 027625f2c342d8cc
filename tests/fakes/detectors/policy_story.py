"""A policy with its state and a moment that moves on, for tests of the built-in policies."""

from typing import Any

from policies.gates import REASONS
from policies.registry import load
from storage.records import Decision, Feedback, FeedbackKind, Trigger
from storage.settings import PolicySettings
from tests.fakes.detectors.fake_detectors import context_of, estimate_of, offer_of

S = 1_000_000_000
LATE = 10_000 * S
SETTINGS = PolicySettings(how_often="rarely", novelty_s=0.0, evidence_half_life_s=45.0, benefit_s=60.0)
"""Numbers that these tests reckon with, whatever the defaults are."""


class Story:
    """A policy, its state, and a moment that moves on."""

    def __init__(self, settings: PolicySettings = SETTINGS, now_ns: int = LATE) -> None:
        self.policy = load(settings, 0.05)
        self.now_ns = now_ns
        self.state = self.policy.start({}, 0, now_ns)

    def decide(self, trigger: Trigger, **context: Any) -> Decision:
        self.state, decision = self.policy.decide(self.state, trigger, context_of(**context), self.now_ns)
        assert decision.reason in REASONS
        assert decision.next_tick_ns is None or decision.next_tick_ns > self.now_ns
        return decision

    def stuck(self, **context: Any) -> Decision:
        return self.decide(estimate_of(0.97, prefix_id="w1/50", fraction=0.5), **context)

    def later(self, seconds: float) -> None:
        self.now_ns += round(seconds * S)

    def answer(self, kind: FeedbackKind, **offer: Any) -> None:
        feedback = Feedback(offer_id="o1", kind=kind)
        self.state = self.policy.learn(self.state, feedback, offer_of(self.now_ns / S, **offer), self.now_ns)
