"""What models cost, by rung: how often each was asked, how many answers came, and tokens, money and time for them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from storage.clock import NS_PER_S
from storage.records import ModelAnswer, Rung

NEVER_LEFT = ("no_key", "not_allowed", "over_budget", "on_battery")
"""Troubles of which nobody outside hears: the model was not asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """One rung's price over some time. `latency_s` is the mean over answers, 0 where there was none."""

    rung: str
    asked: int
    answered: int
    tokens: int
    dollars: float
    latency_s: float


def prices_of(answers: Iterable[ModelAnswer]) -> list[Price]:
    """Return the price of each rung that was asked, weakest first."""
    answers = [one for one in answers if one.trouble not in NEVER_LEFT]
    return [_price(rung, some) for rung in Rung if (some := [one for one in answers if one.rung is rung])]


def told_prices(prices: Sequence[Price]) -> Iterator[str]:
    """Yield a line for each rung."""
    for one in prices:
        answers = f"{one.answered} answers" if one.answered != 1 else "1 answer"
        time = f", {one.latency_s:.1f} s each" if one.answered else ""
        yield (
            f"the {one.rung} model {one.asked} x, {answers}{time}, {one.tokens} tokens, US$ {one.dollars:.2f}"
            if one.dollars or one.rung == Rung.STRONG
            else f"the {one.rung} model {one.asked} x, {answers}{time}, {one.tokens} tokens"
        )


def _price(rung: Rung, some: Sequence[ModelAnswer]) -> Price:
    answered = [one for one in some if one.trouble is None]
    return Price(
        rung=rung.value,
        asked=len(some),
        answered=len(answered),
        tokens=sum(one.tokens_in + one.tokens_out for one in some),
        dollars=sum(one.dollars for one in some),
        latency_s=sum(one.latency_ns for one in answered) / NS_PER_S / max(1, len(answered)),
    )
