"""What models cost, by rung: how often each was asked, how many answers came, and tokens, money and time for them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from storage.clock import NS_PER_S
from storage.records import ModelAnswer, ModelTier

NEVER_LEFT = ("no_key", "not_allowed", "over_budget", "on_battery")
"""Troubles of which nobody outside hears: the model was not asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUsage:
    """One rung's price over some time. `latency_s` is the mean over answers, 0 where there was none."""

    rung: str
    asked: int
    answered: int
    tokens: int
    dollars: float
    latency_s: float


class UsageTally:
    """Adds answers up as they come, and keeps none of them."""

    def __init__(self) -> None:
        """Begin with nothing asked."""
        self._found: dict[ModelTier, ModelUsage] = {}

    def add(self, answer: ModelAnswer) -> None:
        """Count an answer, or the trouble that came of asking."""
        if answer.trouble in NEVER_LEFT:
            return
        before = self._found.get(answer.rung) or ModelUsage(
            rung=answer.rung.value, asked=0, answered=0, tokens=0, dollars=0.0, latency_s=0.0
        )
        came = answer.trouble is None
        whole_s = before.latency_s * before.answered + came * answer.latency_ns / NS_PER_S
        self._found[answer.rung] = ModelUsage(
            rung=before.rung,
            asked=before.asked + 1,
            answered=before.answered + came,
            tokens=before.tokens + answer.tokens_in + answer.tokens_out,
            dollars=before.dollars + answer.dollars,
            latency_s=whole_s / max(1, before.answered + came),
        )

    def __call__(self) -> list[ModelUsage]:
        """Return the price of each rung that was asked, weakest first."""
        return [self._found[rung] for rung in ModelTier if rung in self._found]


def usage_by_tier(answers: Iterable[ModelAnswer]) -> list[ModelUsage]:
    """Return the price of each rung that was asked, weakest first."""
    prices = UsageTally()
    for answer in answers:
        prices.add(answer)
    return prices()


def render_usage(prices: Sequence[ModelUsage]) -> Iterator[str]:
    """Yield a line for each rung."""
    for one in prices:
        answers = f"{one.answered} answers" if one.answered != 1 else "1 answer"
        time = f", {one.latency_s:.1f} s each" if one.answered else ""
        yield (
            f"the {one.rung} model {one.asked} x, {answers}{time}, {one.tokens} tokens, US$ {one.dollars:.2f}"
            if one.dollars or one.rung == ModelTier.STRONG
            else f"the {one.rung} model {one.asked} x, {answers}{time}, {one.tokens} tokens"
        )
