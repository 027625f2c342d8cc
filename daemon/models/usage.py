"""Adds up what each model tier was asked and what it cost: answers, tokens, US dollars and mean time."""

from collections.abc import Iterable
from dataclasses import dataclass

from storage.clock import NS_PER_S
from storage.records import HelpAnswer, ModelAnswer, ModelTier

NEVER_SENT = ("no_key", "not_allowed", "over_budget", "on_battery")
"""Values of `ModelAnswer.trouble` with which nothing was sent to the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUsage:
    """The usage of one tier (`tier`). `latency_s` is the mean over answers, 0 without any. A JSON object as it is."""

    tier: str
    asked: int = 0
    answered: int = 0
    tokens: int = 0
    dollars: float = 0.0
    latency_s: float = 0.0


class UsageTally:
    """Adds answers up as they come, and stores none of them."""

    def __init__(self) -> None:
        """Begin with no usage."""
        self._by_tier: dict[ModelTier, ModelUsage] = {}

    def add(self, answer: ModelAnswer | HelpAnswer) -> None:
        """Count an answer, or the failure of a request."""
        if answer.trouble in NEVER_SENT:
            return
        before = self._by_tier.get(answer.tier, ModelUsage(tier=answer.tier.value))
        succeeded = answer.trouble is None
        answered = before.answered + succeeded
        total_s = before.latency_s * before.answered + succeeded * answer.latency_ns / NS_PER_S
        self._by_tier[answer.tier] = ModelUsage(
            tier=before.tier,
            asked=before.asked + 1,
            answered=answered,
            tokens=before.tokens + answer.tokens_in + answer.tokens_out,
            dollars=before.dollars + answer.dollars,
            latency_s=total_s / max(1, answered),
        )

    def usage(self) -> list[ModelUsage]:
        """Return the usage of each tier that was asked, weakest first."""
        return [self._by_tier[tier] for tier in ModelTier if tier in self._by_tier]


def usage_by_tier(answers: Iterable[ModelAnswer | HelpAnswer]) -> list[ModelUsage]:
    """Return the usage of each tier that was asked, weakest first."""
    tally = UsageTally()
    for answer in answers:
        tally.add(answer)
    return tally.usage()
