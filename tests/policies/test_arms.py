"""Arms: what calls for an offer in each, what holds in all, and with which probability each action was taken."""

from dataclasses import replace

import pytest

from policies.arms import NAMES, assign
from policies.state import Randomizer
from storage.records import FeedbackKind, Tick, Verdict
from storage.settings import PolicySettings
from tests.fakes.detectors.fake_detectors import estimate_of, offer_of
from tests.fakes.detectors.policy_story import S, Story

FREE = PolicySettings(cooldown_s=0.0, novelty_s=0.0, offers_per_hour=10_000, offers_per_day=10_000)


def arm(name: str, settings: PolicySettings = FREE) -> Story:
    return Story(replace(settings, name=name))


def verdicts(story: Story, need: float, count: int) -> list[bool]:
    made = []
    for number in range(count):
        decision = story.decide(estimate_of(need, window_id=number, prefix_id=f"w{number}/100"))
        made.append(decision.verdict is Verdict.OFFER)
        story.later(24.0)
    return made


def test_the_silent_arm_decides_the_same_and_shows_nothing() -> None:
    silent, utility = arm("silent", PolicySettings()), arm("utility", PolicySettings())
    held, made = silent.stuck(), utility.stuck()
    assert (held.verdict, held.gate, held.reason, held.propensity) == (Verdict.HOLD, "arm", "silent", 1.0)
    assert made.verdict is Verdict.OFFER
    assert (held.numbers, held.topic, held.prefix_ids) == (made.numbers, made.topic, made.prefix_ids)
    assert silent.stuck().reason == "cooldown"
    assert silent.state.budget == utility.state.budget


def test_a_silent_time_leaves_the_budget_of_the_next_as_it_was() -> None:
    """What nobody saw is no reason to be quiet later; what was shown before still is."""
    silent = arm("silent", PolicySettings(cooldown_s=0.0, novelty_s=900.0))
    before = {"shown_age_ns": [5 * S], "said": [{"topic": "menu_wandering", "age_ns": 5 * S}]}
    silent.state = silent.policy.start(before, 0, silent.now_ns)
    assert silent.stuck().reason == "silent"
    saved = silent.policy.save(silent.state, silent.now_ns)
    assert {name: saved[name] for name in before} == before


def test_always_offers_whatever_the_evidence() -> None:
    story = arm("always")
    made = story.decide(estimate_of(0.001))
    assert (made.verdict, made.reason, made.propensity) == (Verdict.OFFER, "by_arm", 1.0)
    story.later(1.0)
    calm = story.decide(estimate_of(0.001), showing=offer_of(story.now_ns / S - 1))
    assert calm.reason == "showing"
    assert story.decide(estimate_of(0.9, evidence=(), prefix_id="w1/75")).reason == "nothing_to_say"
    assert arm("always").decide(estimate_of(0.9), app="other").reason == "other_app"


def test_always_waits_for_a_break_and_its_bound_too() -> None:
    story = arm("always")
    assert story.decide(estimate_of(0.001), last_input_ns=story.now_ns).reason == "waiting_for_break"
    story.later(20.0)
    assert story.decide(Tick(), last_input_ns=story.now_ns).reason == "by_arm"


def test_one_estimate_brings_one_offer_at_most() -> None:
    story = arm("always")
    story.decide(estimate_of(0.001))
    assert story.decide(Tick()).reason == "drawn"


def test_the_threshold_arm_looks_at_the_newest_estimate_alone() -> None:
    story = arm("threshold")
    assert story.decide(estimate_of(0.49)).reason == "below_threshold"
    made = story.decide(estimate_of(0.5))
    assert (made.verdict, made.reason, made.propensity) == (Verdict.OFFER, "at_break", 1.0)


def test_the_random_arm_offers_with_its_probability_and_says_so() -> None:
    story = arm("random", replace(FREE, arm_probability=0.1))
    decision = story.decide(estimate_of(0.01))
    assert decision.propensity in (0.1, 0.9)
    assert (decision.propensity == 0.1) == (decision.verdict is Verdict.OFFER)
    assert 150 < sum(verdicts(story, 0.01, 2000)) < 250


def test_a_random_hold_spends_nothing() -> None:
    story = arm("random", PolicySettings(arm_probability=1e-9))
    held = story.decide(estimate_of(0.01))
    assert (held.gate, held.reason) == ("arm", "withheld")
    assert story.state.budget.shown_ns == ()


def test_exploration_withholds_worthy_offers_alone() -> None:
    story = arm("utility", replace(FREE, exploration=1 / 3))
    assert 70 < verdicts(story, 0.99, 300).count(False) < 130
    assert not any(verdicts(story, 0.01, 100))
    decision = story.decide(estimate_of(0.99, window_id=999, prefix_id="w999/100"))
    expected = 2 / 3 if decision.verdict is Verdict.OFFER else 1 / 3
    assert decision.propensity == pytest.approx(expected)


def test_a_withheld_offer_spends_budget_like_a_made_one() -> None:
    """Both outcomes of the lot are followed over the same time."""
    story = arm("utility", PolicySettings(exploration=1 - 1e-12))
    assert story.stuck().reason == "withheld"
    assert story.stuck().reason == "cooldown"


@pytest.mark.parametrize("name", NAMES)
def test_consent_manners_budget_and_mutes_hold_in_every_arm(name: str) -> None:
    story = Story(PolicySettings(name=name, arm_probability=1.0))
    assert story.stuck(paused=True).reason == "paused"
    assert story.stuck(full_screen=True).reason == "full_screen"
    spoke = story.stuck()
    assert (spoke.verdict is Verdict.OFFER) == (name != "silent")
    assert story.stuck().reason == "cooldown"
    story.answer(FeedbackKind.MUTED)
    story.later(400.0)
    assert story.stuck().reason == "muted"


def test_lots_go_on_where_they_were_saved() -> None:
    """Seed and count come back, so that no lot is drawn twice; another seed draws others."""
    first = arm("random", replace(FREE, arm_probability=0.5))
    verdicts(first, 0.5, 50)
    saved = first.policy.save(first.state, first.now_ns)
    second = arm("random", replace(FREE, arm_probability=0.5))
    second.state = second.policy.start(saved, 0, second.now_ns)
    assert verdicts(first, 0.5, 50) == verdicts(second, 0.5, 50)
    third = arm("random", replace(FREE, arm_probability=0.5))
    third.state = third.policy.start({"seed": 7}, 0, third.now_ns)
    assert verdicts(third, 0.5, 50) != verdicts(arm("random", replace(FREE, arm_probability=0.5)), 0.5, 50)


def test_certainty_draws_no_lot() -> None:
    assert assign(Randomizer(), 1.0, "w1") == (Randomizer(prefix_id="w1"), True)
    assert assign(Randomizer(), 0.0, "w1") == (Randomizer(prefix_id="w1"), False)
    assert assign(Randomizer(), 0.5, "w1")[0].drawn == 1
