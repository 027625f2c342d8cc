"""The utility gate: what an offer is worth, how the moment changes that, and what it says about it."""

from dataclasses import replace
from typing import Any

import pytest

from policies.gates.utility import NEED_AT_LEVEL, engagement, log_odds_of, need_of, utility_of
from policies.state import EvidenceState
from storage.records import Box, Focus, State, Tick, Verdict
from storage.settings import PolicySettings
from tests.fakes.detectors.fake_detectors import context_of, estimate_of
from tests.fakes.detectors.policy_story import LATE, SETTINGS, S, Story

HALF_LIFE_S = SETTINGS.evidence_half_life_s
FLUENT = {state.value: 0.9 if state is State.PERFORMING_ACTIONS else 0.1 / 8 for state in State}


def test_the_inequality_and_its_threshold_say_the_same() -> None:
    """`p * benefit > (1 - p) * cost_false + cost_interrupt` exactly above the threshold that is told."""
    for engaged, accepted in ((0.0, 0.25), (0.4, 0.25), (1.0, 0.25), (0.4, 0.1), (0.0, 0.9), (0.0, 0.0)):
        for percent in range(101):
            worth = utility_of(percent / 100, engaged, accepted, SETTINGS)
            gain = worth.p * worth.benefit
            cost = (1.0 - worth.p) * worth.cost_false + worth.cost_interrupt
            assert worth.positive_now == (gain > cost)


def test_the_prior_of_an_interruption_is_the_published_one() -> None:
    """9.0 s at a break, 21.7 s in the middle of work."""
    assert utility_of(0.5, 0.0, 0.25, SETTINGS).cost_interrupt == 9.0
    assert utility_of(0.5, 1.0, 0.25, SETTINGS).cost_interrupt == pytest.approx(21.7)


@pytest.mark.parametrize(
    ("context", "fluency", "engaged"),
    [
        ({}, 0.0, 0.0),
        ({}, 0.6, 0.6),
        ({"last_input_ns": LATE}, 0.0, 1.0),
        ({"last_input_ns": LATE - S // 4}, 0.0, 0.75),
        ({"last_input_ns": LATE - S // 4}, 0.9, 0.9),
        ({"in_word": True}, 0.0, 1.0),
        ({"buttons_down": True}, 0.0, 1.0),
        ({"dragging": True}, 0.0, 1.0),
    ],
)
def test_engagement_falls_as_the_pause_grows(context: dict[str, Any], fluency: float, engaged: float) -> None:
    found = engagement(EvidenceState(fluency=fluency), context_of(**context), Tick(), SETTINGS, LATE)
    assert found == pytest.approx(engaged)


def test_coming_to_another_application_is_a_cheap_moment() -> None:
    focus = Focus(t_ns=0, app="editor", window=1, title_digest="x", geometry=Box(0, 0, 1, 1))
    context = context_of(last_input_ns=LATE, focus_since_ns=LATE)
    assert engagement(EvidenceState(), context, focus, SETTINGS, LATE) == 0.0


def test_the_need_is_what_all_evidence_says_together() -> None:
    alone = EvidenceState(window_id=1, ratio=3.0, level=3.0)
    assert need_of(log_odds_of(alone, HALF_LIFE_S, 0)) == pytest.approx(NEED_AT_LEVEL)
    assert need_of(log_odds_of(replace(alone, carried=1.0), HALF_LIFE_S, 0)) > NEED_AT_LEVEL


def test_a_need_that_has_sunk_is_not_worth_an_interruption() -> None:
    """Evidence may still stand above its lower bound when an offer is no longer worth its cost."""
    story = Story()
    story.stuck(last_input_ns=story.now_ns)
    decision = story.decide(estimate_of(0.7))
    assert (decision.gate, decision.reason, decision.verdict) == ("utility", "not_worth_it", Verdict.HOLD)
    numbers = decision.numbers
    assert numbers["p"] == pytest.approx(0.4, abs=0.01)
    assert numbers["p"] < numbers["threshold"]
    assert {"help_need", "sum", "upper", "lower", "benefit", "cost_false", "cost_interrupt"} <= numbers.keys()
    assert story.state.wait is None


def test_an_offer_waits_where_it_would_be_worth_it_at_a_break_alone() -> None:
    """In the middle of work the threshold is higher: what lies between the two waits."""
    settings = replace(SETTINGS, cost_false_s=12.0)
    story = Story(settings)
    story.stuck(buttons_down=True)
    busy = story.decide(estimate_of(0.68), buttons_down=True)
    assert (busy.gate, busy.reason) == ("break", "waiting_for_break")
    assert busy.numbers["p"] < busy.numbers["threshold"]
    assert story.decide(estimate_of(0.68)).verdict is Verdict.OFFER


def test_a_pause_for_breath_in_fluent_work_is_no_break() -> None:
    settings = replace(SETTINGS, cost_false_s=12.0)
    story = Story(settings)
    story.stuck(buttons_down=True)
    held = story.decide(estimate_of(0.68, state_probs=FLUENT))
    assert held.reason == "waiting_for_break"
    assert held.numbers["idle_s"] > settings.break_s
    story.later(20.0)
    assert story.decide(Tick()).reason == "no_break"


def test_a_benefit_of_nothing_means_silence() -> None:
    nothing = PolicySettings(benefit_s=0.0, cost_false_s=0.0)
    assert not utility_of(0.999, 0.0, 0.25, nothing).positive_at_break
    assert Story(nothing).stuck().reason == "not_worth_it"
    free = PolicySettings(cost_false_s=0.0, interrupt_break_s=0.0, interrupt_busy_s=0.0)
    assert utility_of(0.001, 1.0, 0.25, free).positive_at_break
