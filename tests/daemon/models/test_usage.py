"""What models cost is added up as answers come; nothing is kept of them."""

from dataclasses import replace

from daemon.history.summary import render_usage
from daemon.models.usage import ModelUsage, UsageTally, usage_by_tier
from storage.clock import NS_PER_S
from storage.records import HelpAnswer, ModelAnswer, ModelTier


def answer(
    tier: ModelTier = ModelTier.LOCAL, trouble: str | None = None, seconds: float = 1.0, dollars: float = 0.0
) -> ModelAnswer:
    return ModelAnswer(
        prefix_id="w1/25",
        window_id=1,
        tier=tier,
        model="m",
        asked_at_ns=0,
        latency_ns=round(seconds * NS_PER_S),
        trouble=trouble,
        tokens_in=10,
        tokens_out=1,
        dollars=dollars,
    )


def test_usage_is_summed_and_the_mean_time_is_that_of_answers() -> None:
    """By tier, weakest first; what was never sent is not counted, and a failed request has no time."""
    tally = UsageTally()
    assert tally.usage() == []
    for each in (
        answer(ModelTier.STRONG, dollars=0.5),
        answer(seconds=1.0),
        answer(seconds=3.0),
        answer(trouble="deadline", seconds=100.0),
        answer(trouble="on_battery"),
    ):
        tally.add(each)
    local, strong = tally.usage()
    assert local == ModelUsage(tier="local", asked=3, answered=2, tokens=33, dollars=0.0, latency_s=2.0)
    assert (strong.tier, strong.asked, strong.dollars) == ("strong", 1, 0.5)
    assert list(render_usage(tally.usage())) == [
        "the local model 3 x, 2 answers, 2.0 s each, 33 tokens",
        "the strong model 1 x, 1 answer, 1.0 s each, 11 tokens, US$ 0.50",
    ]


def test_failures_alone_have_no_mean_time() -> None:
    """Nothing is divided by zero answers."""
    (usage,) = usage_by_tier([answer(trouble="busy")])
    assert (usage.asked, usage.answered, usage.latency_s) == (1, 0, 0.0)


def test_answers_for_people_count_like_others() -> None:
    """What was stopped was asked and cost something; it is no answer."""
    help_answer = HelpAnswer(
        offer_id="o1", tier=ModelTier.LOCAL, model="m", asked_at_ns=0, latency_ns=2 * NS_PER_S, tokens_in=5, dollars=0.5
    )
    (usage,) = usage_by_tier([help_answer, replace(help_answer, trouble="stopped"), answer()])
    assert (usage.asked, usage.answered, usage.tokens, usage.dollars) == (3, 2, 21, 1.0)
