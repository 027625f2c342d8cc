"""What each kind of feedback teaches, how far that moves the policy, and how it is kept, shown and forgotten."""

import json
import math
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest

from policies import learning
from policies.gates.utility import utility_of
from policies.learning import (
    LEAST_THRESHOLD,
    MOST_THRESHOLD,
    TIMING_LIMIT,
    WEIGHTS,
    acceptance,
    benefit_of,
    learn_answer,
    save_learned,
    shift_of,
    start_learned,
)
from policies.memory import export_memory, muted_topics, without_learned, without_mute
from policies.need_levels import ABSOLUTE_LEVEL
from policies.state import Learned, OfferSubject
from storage.clock import DAY_NS
from storage.records import Feedback, FeedbackKind, State, Verdict
from tests.fakes.detectors.fake_detectors import estimate_of, offer_of
from tests.fakes.detectors.policy_story import SETTINGS, S, Story

HERE = OfferSubject(app="editor", state="frustration", topic="undo_bursts")
NO = FeedbackKind.DISMISSED
YES = FeedbackKind.ACCEPTED
WHOLE = {
    **dict.fromkeys(FeedbackKind, (0.0, 0.25)),
    FeedbackKind.ACCEPTED: (1.0, 0.0),
    FeedbackKind.TOO_LATE: (1.0, 0.0),
    FeedbackKind.TOO_EARLY: (0.0, 0.5),
    FeedbackKind.DISMISSED: (0.0, 1.0),
    FeedbackKind.WRONG: (0.0, 2.0),
    FeedbackKind.MUTED: (0.0, 2.0),
}
"""Weights to reckon with by hand."""


def answers(*kinds: FeedbackKind, learned: Learned | None = None, now_ns: int = 0, **offer: Any) -> Learned:
    """Return what is known after these answers to offers like this, by weights that are whole numbers."""
    learned = learned or Learned()
    for kind in kinds:
        feedback = Feedback(offer_id="o1", kind=kind)
        with patch.object(learning, "WEIGHTS", WHOLE):
            learned = learn_answer(learned, SETTINGS, feedback, offer_of(0.0, **offer), now_ns, need=0.25)
    return learned


def accepted(learned: Learned, now_ns: int = 0, **about: str) -> float:
    return acceptance(learned, SETTINGS, HERE._replace(**about), now_ns)


def test_without_answers_it_is_the_prior() -> None:
    assert accepted(Learned()) == 0.25
    assert benefit_of(0.25, SETTINGS) == SETTINGS.benefit_s
    assert shift_of(Learned(), SETTINGS, 0) == 0.0


def test_it_is_the_mean_of_a_beta_posterior() -> None:
    """With a prior of Beta(1, 3), one acceptance and two dismissals have the mean 2/7."""
    assert accepted(answers(YES, NO, NO)) == pytest.approx(2 / 7)


def test_each_of_the_eight_kinds_teaches_something_of_its_own() -> None:
    assert set(WEIGHTS) == set(FeedbackKind)
    after = {kind: accepted(answers(kind)) for kind in FeedbackKind}
    assert {kind for kind in after if after[kind] > 0.25} == {YES, FeedbackKind.TOO_LATE}
    assert after[FeedbackKind.IGNORED] == after[FeedbackKind.SNOOZED] < 0.25
    assert after[FeedbackKind.TOO_EARLY] < after[FeedbackKind.IGNORED]
    assert after[NO] < after[FeedbackKind.TOO_EARLY]
    assert after[FeedbackKind.WRONG] == after[FeedbackKind.MUTED] < after[NO]


def test_acceptance_is_measured_against_need() -> None:
    def after(kinds: list[FeedbackKind], need: float) -> float:
        learned = Learned()
        for kind in kinds:
            feedback = Feedback(offer_id="o1", kind=kind)
            learned = learn_answer(learned, SETTINGS, feedback, offer_of(0.0), 0, need=need)
        return accepted(start_learned(json.loads(json.dumps(save_learned(learned, 0))), 0, 0))

    refused = FeedbackKind.DISMISSED
    assert after([YES, YES, YES, refused], 0.75) == pytest.approx(0.25)
    assert after([YES, YES, YES, YES], 0.75) > 0.25 > after([YES, YES, refused, refused], 0.75)
    assert after([FeedbackKind.TOO_EARLY] * 5, 0.75) == 0.25
    assert after([YES], 1e-9) < 0.5


def test_answers_are_pooled_the_nearer_the_more() -> None:
    learned = answers(NO, NO, NO)
    same, state, app, topic = (
        accepted(learned),
        accepted(learned, state="waiting"),
        accepted(learned, app="browser", state="waiting"),
        accepted(learned, topic="dead_clicks"),
    )
    assert same == pytest.approx(1 / 7)
    assert same < state < app < topic < 0.25
    own = answers(YES, YES, learned=learned, app="browser", state=State.WAITING)
    assert accepted(own, app="browser", state="waiting") > accepted(own, app="browser") > accepted(own)
    assert accepted(own) < 0.25 < accepted(own, app="browser", state="waiting")


def test_many_answers_outweigh_what_others_say() -> None:
    learned = answers(*[NO] * 40, app="browser")
    learned = answers(*[YES] * 40, learned=learned)
    assert accepted(learned) > 0.85
    assert accepted(learned, app="browser") < 0.1


def test_the_threshold_follows_within_its_limits() -> None:
    def threshold(*kinds: FeedbackKind) -> float:
        return utility_of(0.5, 0.0, accepted(answers(*kinds)), SETTINGS).threshold

    up = [threshold(*[NO] * count) for count in range(60)]
    assert up == sorted(up)
    assert up[0] == pytest.approx(69 / 120)
    assert up[-1] == pytest.approx(MOST_THRESHOLD)
    assert threshold(*[YES] * 60) == pytest.approx(LEAST_THRESHOLD)


def test_settings_beyond_the_limits_are_left_alone() -> None:
    """The limits hold for what is learned, not for what somebody has set."""
    strict = replace(SETTINGS, benefit_s=10.0)
    assert benefit_of(0.25, strict) == 10.0
    assert benefit_of(0.01, strict) < 10.0 or utility_of(0.5, 0.0, 0.01, strict).threshold > 0.95
    generous = replace(SETTINGS, benefit_s=1000.0)
    assert benefit_of(0.9, generous) == 1000.0


def test_complaints_about_time_move_the_evidence_bound() -> None:
    early, late = answers(*[FeedbackKind.TOO_EARLY] * 4), answers(*[FeedbackKind.TOO_LATE] * 4)
    up, down = shift_of(early, SETTINGS, 0), shift_of(late, SETTINGS, 0)
    assert up == pytest.approx(-down)
    assert 0.0 < up < TIMING_LIMIT
    many = shift_of(answers(*[FeedbackKind.TOO_EARLY] * 999), SETTINGS, 0)
    assert many == pytest.approx(TIMING_LIMIT, rel=0.01)


def test_too_late_brings_the_next_offer_sooner() -> None:
    def first(kind: FeedbackKind | None, need: float) -> Verdict:
        story = Story(replace(SETTINGS, cooldown_s=0.0))
        for _ in range(3 if kind else 0):
            assert kind is not None
            story.answer(kind)
        return story.decide(estimate_of(need)).verdict

    assert first(None, 0.83) is Verdict.HOLD
    assert first(FeedbackKind.TOO_LATE, 0.83) is Verdict.OFFER
    assert first(None, 0.85) is Verdict.OFFER
    assert first(FeedbackKind.TOO_EARLY, 0.85) is Verdict.HOLD


def test_dismissals_raise_what_an_offer_must_be_worth() -> None:
    settings = replace(SETTINGS, cooldown_s=0.0, backoff_s=0.0)
    assert Story(settings).decide(estimate_of(0.87)).verdict is Verdict.OFFER
    story = Story(settings)
    for _ in range(14):
        story.answer(NO)
    held = story.decide(estimate_of(0.87))
    assert (held.gate, held.reason) == ("utility", "not_worth_it")
    assert held.numbers["acceptance"] < 0.1
    assert story.decide(estimate_of(0.99)).verdict is Verdict.OFFER


def test_answers_fade() -> None:
    """After a half-life half of the counts is left, so that a policy that fell silent speaks again some day."""
    learned = answers(*[NO] * 8)
    later = round(SETTINGS.learning_half_life_days * DAY_NS)
    assert accepted(learned, later) == pytest.approx(1 / (4 + 4))
    again = answers(YES, learned=learned, now_ns=later)
    (tally,) = again.counts
    assert tally.accepted == 1.0
    assert tally.refused == pytest.approx(4.0)
    assert accepted(learned, 100 * later) == pytest.approx(0.25)


def test_memory_is_bounded() -> None:
    learned = Learned()
    for number in range(200):
        learned = answers(NO, learned=learned, app=f"app{number}")
    assert len(learned.counts) == 64
    learned = answers(NO, learned=learned, app="app136")
    assert learned.counts[0].subject.app == "app137"
    assert learned.counts[-1].subject.app == "app136"


def test_what_was_learned_survives_as_json() -> None:
    learned = answers(YES, NO, FeedbackKind.TOO_EARLY, FeedbackKind.TOO_LATE, now_ns=5 * S)
    saved = json.loads(json.dumps(save_learned(learned, 9 * S)))
    again = start_learned(saved, 20 * S, 100 * S)
    assert again.counts == learned.counts
    assert (again.early, again.late, again.at_ns) == (1.0, 1.0, (100 - 20 - 4) * S)
    assert start_learned({}, 20 * S, 100 * S) == Learned(at_ns=100 * S)


@pytest.mark.parametrize(
    "learned",
    [
        3,
        {},
        {"age_ns": 0, "early": 0, "late": 0, "tallies": 4},
        {"age_ns": 0, "early": 0, "late": 0, "tallies": [1]},
        {"age_ns": 0, "early": -1, "late": 0, "tallies": []},
        {"age_ns": 0, "early": 0, "late": "x", "tallies": []},
        {"age_ns": 0, "early": 0, "late": math.inf, "tallies": []},
        {"age_ns": None, "early": 0, "late": 0, "tallies": []},
    ],
)
def test_a_damaged_memory_is_refused(learned: object) -> None:
    with pytest.raises((TypeError, ValueError, KeyError)):
        start_learned({"learned": learned}, 0, 0)


def test_what_is_remembered_can_be_seen_with_its_limits() -> None:
    story = Story(SETTINGS)
    story.stuck()
    story.answer(NO)
    story.answer(FeedbackKind.SNOOZED, topic="dead_clicks")
    story.answer(FeedbackKind.MUTED, topic="menu_wandering")
    saved = json.loads(json.dumps(story.policy.save(story.state, story.now_ns)))
    seen: Any = export_memory(saved, 60 * S, SETTINGS)
    json.dumps(seen)
    assert [row["topic"] for row in seen["answers"]] == ["undo_bursts", "dead_clicks", "menu_wandering"]
    assert all(LEAST_THRESHOLD <= row["threshold"] <= 0.95 and row["acceptance"] < 0.25 for row in seen["answers"])
    assert (seen["threshold_min"], seen["threshold_max"]) == (LEAST_THRESHOLD, MOST_THRESHOLD)
    assert seen["backoffs"] == [{"app": "editor", "topic": "undo_bursts", "dismissals": 1, "left_s": 840.0}]
    assert (seen["muted"], seen["shown"], seen["snoozed_left_s"]) == (["menu_wandering"], 1, 840.0)
    assert (seen["timing_shift"], seen["offers_an_hour"]) == (0.0, 0.1)
    (elsewhere, editor) = seen["need_levels"]
    assert (elsewhere["app"], editor["app"]) == ("", "editor")
    assert editor["level"] > elsewhere["level"] > ABSOLUTE_LEVEL  # it was reached once, in no time


def test_one_muted_topic_can_be_brought_back_alone() -> None:
    story = Story()
    for topic in ("dead_clicks", "undo_bursts"):
        story.answer(FeedbackKind.MUTED, topic=topic)
    saved = story.policy.save(story.state, story.now_ns)
    left = without_mute(saved, "dead_clicks")
    assert (muted_topics(saved), muted_topics(left)) == (("dead_clicks", "undo_bursts"), ("undo_bursts",))
    assert {**left, "muted": saved["muted"]} == saved
    assert story.policy.start(left, 0, 0).budget.muted == ("undo_bursts",)
    assert muted_topics({}) == ()
    with pytest.raises(TypeError):
        without_mute({"muted": 5}, "dead_clicks")


def test_what_was_learned_can_be_forgotten_without_opening_the_budget() -> None:
    story = Story()
    story.stuck()
    for kind in (NO, FeedbackKind.SNOOZED, FeedbackKind.MUTED):
        story.answer(kind)
    saved = story.policy.save(story.state, story.now_ns)
    for mutes in (False, True):
        state = story.policy.start(without_learned(saved, mutes=mutes), 0, 0)
        assert (state.learned.counts, state.budget.backoffs, state.budget.snoozed_until_ns) == ((), (), None)
        assert state.budget.muted == (() if mutes else ("undo_bursts",))
        assert state.budget.shown_ns == (0,)
