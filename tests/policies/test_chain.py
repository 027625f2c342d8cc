"""The default policy, gate by gate: what holds an offer, what lets it through, and what is learned."""

import math
from dataclasses import replace
from typing import Any

import pytest

from policies.calibration import scaling_of
from policies.gates.evidence import logit
from policies.gates.utility import NEED_AT_LEVEL, need_of, utility_of
from policies.learning import acceptance
from policies.need_levels import OFFERS_AN_HOUR, counts_of, share_needed
from policies.state import ChainState, OfferSubject, Wait
from storage.errors import BadFile
from storage.records import Box, Environment, Evidence, FeedbackKind, Focus, Switch, SwitchName, Tick, Verdict
from storage.settings import PolicySettings
from tests.fakes.detectors.fake_detectors import estimate_of, offer_of
from tests.fakes.detectors.policy_story import LATE, SETTINGS, S, Story


def focus_of(app: str) -> Focus:
    return Focus(t_ns=0, app=app, window=1, title_digest="x", geometry=Box(0, 0, 1, 1))


def test_strong_evidence_at_a_break_is_offered_with_its_topic_and_prefix() -> None:
    decision = Story().stuck()
    assert (decision.verdict, decision.gate, decision.reason) == (Verdict.OFFER, "all", "at_break")
    assert decision.topic == "undo_bursts"
    assert decision.prefix_ids == ("w1/50",)
    assert decision.numbers["sum"] >= decision.numbers["upper"]


@pytest.mark.parametrize(
    ("context", "gate", "reason", "verdict"),
    [
        ({"consent": False}, "consent", "no_consent", Verdict.NEVER),
        ({"paused": True}, "consent", "paused", Verdict.NEVER),
        ({"excluded": True}, "consent", "excluded", Verdict.NEVER),
        ({"locked": True}, "manners", "locked", Verdict.HOLD),
        ({"full_screen": True}, "manners", "full_screen", Verdict.HOLD),
        ({"call": True}, "manners", "call", Verdict.HOLD),
        ({"do_not_disturb": True}, "manners", "do_not_disturb", Verdict.HOLD),
        ({"session_start_ns": LATE - 299 * S}, "manners", "quiet_start", Verdict.HOLD),
        ({"app": "browser"}, "evidence", "other_app", Verdict.HOLD),
        ({"last_input_ns": LATE - S // 2}, "break", "waiting_for_break", Verdict.HOLD),
        ({"buttons_down": True}, "break", "waiting_for_break", Verdict.HOLD),
        ({"dragging": True}, "break", "waiting_for_break", Verdict.HOLD),
        ({"in_word": True}, "break", "waiting_for_break", Verdict.HOLD),
    ],
)
def test_each_circumstance_is_stopped_by_its_gate(
    context: dict[str, Any], gate: str, reason: str, verdict: Verdict
) -> None:
    decision = Story().stuck(**context)
    assert (decision.gate, decision.reason, decision.verdict) == (gate, reason, verdict)


def test_nothing_is_offered_without_an_estimate_or_on_weak_evidence() -> None:
    story = Story()
    assert story.decide(Tick()).reason == "no_estimate"
    assert story.decide(estimate_of(0.99, abstained=True)).reason == "no_estimate"
    assert story.decide(estimate_of(0.99, error="late")).reason == "no_estimate"
    assert story.decide(estimate_of(0.3)).reason == "not_enough"


def test_evidence_without_words_says_nothing() -> None:
    story = Story()
    assert story.decide(estimate_of(0.99, evidence=())).reason == "nothing_to_say"
    praise = (Evidence("flow", {"pace": 1.0}),)
    assert story.decide(estimate_of(0.99, evidence=praise)).reason == "nothing_to_say"
    unknown = (Evidence("unheard_of", {}),)
    assert story.decide(estimate_of(0.99, evidence=unknown)).reason == "nothing_to_say"


@pytest.mark.parametrize(("false_an_hour", "verdict"), [(0.09, Verdict.OFFER), (0.3, Verdict.HOLD)])
def test_a_sign_that_calm_work_hardly_ever_shows_calls_for_an_offer_at_any_level(
    false_an_hour: float, verdict: Verdict
) -> None:
    sign = (Evidence("same_views", {"count": 5.0, "false_an_hour": false_an_hour}),)
    story = Story()
    story.decide(estimate_of(0.4))
    moving = story.now_ns
    held = story.decide(estimate_of(0.5, window_id=2, evidence=sign), last_input_ns=moving)
    story.later(12.0)
    assert story.decide(Tick(), last_input_ns=moving + 10 * S).verdict is verdict
    assert held.reason == ("waiting_for_break" if verdict is Verdict.OFFER else "not_enough")


def test_a_newer_prefix_of_the_window_replaces_the_older_one() -> None:
    story = Story()
    for _ in range(3):
        decision = story.decide(estimate_of(0.4))
    assert decision.reason == "not_enough"
    decision = story.decide(estimate_of(0.6, window_id=2, prefix_id="w2/100"))
    assert decision.verdict is Verdict.OFFER
    assert decision.prefix_ids[-1] == "w2/100"
    assert decision.prefix_ids[0] == "w1/100"


def test_evidence_of_earlier_windows_fades() -> None:
    story = Story()
    for window_id in range(1, 6):
        decision = story.decide(estimate_of(0.3, window_id=window_id))
        story.later(200.0)
    assert decision.reason == "not_enough"


def test_calm_before_the_onset_is_no_evidence_against_it() -> None:
    story = Story()
    for window_id in range(50):
        story.decide(estimate_of(0.001, window_id=window_id))
        story.later(24.0)
    assert story.decide(estimate_of(0.9, window_id=51)).verdict is Verdict.OFFER


def test_evidence_belongs_to_its_application() -> None:
    story = Story()
    story.stuck(buttons_down=True)
    story.decide(focus_of("browser"), app="browser")
    decision = story.decide(estimate_of(0.6, app="browser", window_id=2), app="browser")
    assert decision.reason == "not_enough"


def test_an_offer_waits_for_the_break_and_asks_for_one_tick() -> None:
    story = Story()
    last_ns = story.now_ns - S // 4
    decision = story.stuck(last_input_ns=last_ns)
    assert decision.next_tick_ns == last_ns + S
    story.now_ns = decision.next_tick_ns
    shown = story.decide(Tick(), last_input_ns=last_ns)
    assert shown.verdict is Verdict.OFFER
    assert shown.numbers["waited_s"] == pytest.approx(0.75)


def test_a_held_button_is_looked_at_again_until_it_is_up() -> None:
    """A release is no trigger, so the policy asks again while it waits."""
    story = Story()
    decision = story.stuck(buttons_down=True, last_input_ns=story.now_ns - 5 * S)
    assert decision.next_tick_ns == story.now_ns + S


def waiting(after_s: float = 0.0, settings: PolicySettings = SETTINGS) -> Story:
    story = Story(settings)
    story.stuck(last_input_ns=story.now_ns)
    story.later(after_s)
    return story


def test_a_break_at_the_very_end_counts_as_one() -> None:
    story = waiting(20.0)
    assert story.decide(Tick(), last_input_ns=story.now_ns - 2 * S).reason == "at_break"


@pytest.mark.parametrize(
    ("over_s", "context", "reason", "verdict"),
    [
        (20.0, {}, "wait_over", Verdict.OFFER),
        (20.0, {"in_word": True}, "no_break", Verdict.HOLD),
        (20.0, {"buttons_down": True}, "no_break", Verdict.HOLD),
        (20.0, {"dragging": True}, "no_break", Verdict.HOLD),
        (21.5, {}, "no_break", Verdict.HOLD),
    ],
    ids=["it still holds", "in a word", "button down", "dragging", "asked too late"],
)
def test_at_the_end_of_the_wait_the_offer_is_shown_or_dropped(
    over_s: float, context: dict[str, Any], reason: str, verdict: Verdict
) -> None:
    story = waiting(over_s)
    decision = story.decide(Tick(), last_input_ns=story.now_ns, **context)
    assert (decision.reason, decision.verdict) == (reason, verdict)


def test_an_offer_is_dropped_at_the_bound_if_the_evidence_has_faded() -> None:
    story = waiting(19.9)
    held = story.decide(estimate_of(0.835), last_input_ns=story.now_ns)
    assert held.reason == "waiting_for_break"
    story.later(0.1)
    assert story.decide(Tick(), last_input_ns=story.now_ns).reason == "no_break"


def test_a_waiting_offer_is_dropped_when_the_application_changes() -> None:
    """The offer was about what was done there."""
    story = waiting()
    decision = story.decide(focus_of("browser"), app="browser", focus_since_ns=story.now_ns)
    assert (decision.gate, decision.reason) == ("withdrawal", "app_changed")
    assert story.state.wait is None


def test_coming_back_to_the_application_is_a_break() -> None:
    story = waiting()
    story.decide(focus_of("browser"), app="browser", focus_since_ns=story.now_ns)
    story.later(4.0)
    decision = story.decide(focus_of("editor"), focus_since_ns=story.now_ns, last_input_ns=story.now_ns)
    assert decision.verdict is Verdict.OFFER


def test_a_waiting_offer_is_dropped_when_the_person_moves_on_or_it_is_stale() -> None:
    story = waiting(settings=replace(SETTINGS, how_often="often", cost_false_s=12.0))
    decision = story.decide(estimate_of(0.04, window_id=2), last_input_ns=story.now_ns)
    assert decision.reason == "moved_on"
    story = waiting(61.0)
    assert story.decide(Tick(), last_input_ns=story.now_ns).reason == "stale"


def test_a_second_estimate_of_a_prefix_takes_the_place_of_the_first() -> None:
    story = waiting()
    again = story.decide(estimate_of(0.4, prefix_id="w1/50", fraction=0.5), last_input_ns=story.now_ns)
    assert (again.gate, again.reason) == ("evidence", "not_enough")
    assert again.prefix_ids == ("w1/50",)
    story = waiting()
    for need in (0.96, 0.835):
        held = story.decide(estimate_of(need), last_input_ns=story.now_ns)
    assert held.reason == "waiting_for_break"


def test_what_was_dropped_does_not_come_back_with_a_second_estimate() -> None:
    story = waiting()
    story.decide(estimate_of(0.835), last_input_ns=story.now_ns)
    story.later(20.0)
    assert story.decide(Tick(), last_input_ns=story.now_ns).reason == "no_break"
    assert story.decide(estimate_of(0.835), last_input_ns=story.now_ns).reason == "not_enough"


def test_evidence_below_the_lower_bound_starts_over() -> None:
    story = waiting()
    assert story.decide(estimate_of(0.005, prefix_id="w1/75")).reason == "not_enough"
    assert story.decide(estimate_of(0.5)).reason == "not_enough"


def test_a_shown_offer_stays_while_it_fits_and_goes_when_it_does_not() -> None:
    story = Story()
    story.stuck()
    offer = offer_of(story.now_ns / S)
    story.later(6.0)
    held = story.stuck(showing=offer)
    assert (held.reason, held.withdraw) == ("showing", False)
    assert held.next_tick_ns == offer.shown_at_ns + 60 * S
    assert story.decide(Switch(name=SwitchName.PAUSED, on=True, by="person"), showing=offer, paused=True).withdraw
    assert story.decide(Environment(full_screen=True), showing=offer, full_screen=True).reason == "full_screen"
    gone = story.decide(focus_of("browser"), showing=offer, app="browser")
    assert (gone.reason, gone.withdraw) == ("app_changed", True)
    moved = story.decide(estimate_of(0.004), showing=offer)
    assert (moved.reason, moved.withdraw) == ("moved_on", True)
    story.stuck(showing=offer)
    story.later(60.0)
    stale = story.decide(Tick(), showing=offer)
    assert (stale.reason, stale.withdraw) == ("stale", True)


def test_recovery_in_another_application_does_not_take_an_offer_down() -> None:
    story = Story()
    story.stuck()
    offer = offer_of(story.now_ns / S)
    assert not story.decide(estimate_of(0.004), showing=offer).withdraw
    story.later(1.0)
    assert not story.decide(estimate_of(0.004, app="browser"), showing=offer).withdraw


def after_offer(kind: FeedbackKind, settings: PolicySettings = SETTINGS) -> Story:
    story = Story(settings)
    assert story.stuck().verdict is Verdict.OFFER
    story.answer(kind)
    story.later(settings.cooldown_s + 1)
    return story


def test_after_an_offer_there_is_a_cool_down() -> None:
    story = Story()
    story.stuck()
    story.later(119.0)
    assert story.stuck().reason == "cooldown"
    story.later(1.0)
    assert story.stuck().verdict is Verdict.OFFER


def test_offers_per_hour_and_day_are_limited() -> None:
    settings = PolicySettings(cooldown_s=0.0, novelty_s=0.0, offers_per_hour=2, offers_per_day=3)
    story = Story(settings)
    reasons = []
    for _ in range(4):
        reasons.append(story.stuck().reason)
        story.later(60.0)
    assert reasons == ["at_break", "at_break", "hour_full", "hour_full"]
    story.later(3600.0)
    assert story.stuck().verdict is Verdict.OFFER
    story.later(7200.0)
    assert story.stuck().reason == "day_full"
    story.later(86_400.0)
    assert story.stuck().verdict is Verdict.OFFER
    assert len(story.state.budget.shown_ns) == 1


@pytest.mark.parametrize("kind", [FeedbackKind.DISMISSED, FeedbackKind.WRONG])
def test_a_dismissed_topic_stays_quiet_twice_as_long_each_time(kind: FeedbackKind) -> None:
    story = after_offer(kind)
    assert story.stuck().reason == "backoff"
    assert story.decide(estimate_of(0.97, app="other"), app="other").verdict is Verdict.OFFER
    story.answer(kind)
    assert story.state.budget.backoffs[0].until_ns == story.now_ns + 1800 * S
    for _ in range(20):
        story.answer(kind)
    assert story.state.budget.backoffs[0].until_ns == story.now_ns + 86_400 * S
    story.answer(FeedbackKind.ACCEPTED)
    assert story.state.budget.backoffs == ()
    story.later(301.0)
    assert story.stuck().gate != "budget"


@pytest.mark.parametrize("how_often", ["now and then", "often"])
def test_answers_that_the_choice_lets_expect_take_no_offer_back(how_often: str) -> None:
    """Who lets an offer in two hours be false says so often that no help was needed, and goes on getting them."""
    settings = PolicySettings(how_often=how_often)
    story = Story(settings)
    expected = share_needed(OFFERS_AN_HOUR[how_often])
    for number in range(1, 41):
        needed = math.floor(number * expected) > math.floor((number - 1) * expected)
        story.answer(FeedbackKind.ACCEPTED if needed else FeedbackKind.DISMISSED, app=f"program {number}")
        story.later(3600.0)
    at_level = logit(NEED_AT_LEVEL)
    scaling = scaling_of(story.state.calibration, settings, "editor", story.now_ns)
    subject = OfferSubject(app="editor", state="frustration", topic="undo_bursts")
    accepted = acceptance(story.state.learned, settings, subject, story.now_ns)
    assert utility_of(need_of(at_level, scaling), 0.0, accepted, settings).positive_at_break


@pytest.mark.parametrize(
    ("evidence", "app", "counted"),
    [("undo_bursts", "editor", 1.0), (None, "editor", 0.0), ("undo_bursts", "other", 0.0)],
)
def test_only_evidence_that_can_be_spoken_of_reaches_a_level(evidence: str | None, app: str, counted: float) -> None:
    story = Story()
    said = () if evidence is None else (Evidence(evidence, {"count": 4.0}),)
    story.decide(estimate_of(0.97, evidence=said), app=app)
    assert counts_of(story.state.needs, "editor", "").counts[0] == counted


def test_another_topic_is_not_backed_off() -> None:
    story = after_offer(FeedbackKind.DISMISSED)
    menus = (Evidence("menu_wandering", {"count": 4.0, "span_s": 20.0}),)
    assert story.decide(estimate_of(0.97, evidence=menus)).verdict is Verdict.OFFER


@pytest.mark.parametrize(
    ("kind", "later_s", "verdict", "reason"),
    [
        (FeedbackKind.MUTED, 1e6, Verdict.NEVER, "muted"),
        (FeedbackKind.SNOOZED, 0.0, Verdict.HOLD, "snoozed"),
        (FeedbackKind.SNOOZED, 900.0, Verdict.OFFER, "at_break"),
        *(
            (kind, 0.0, Verdict.OFFER, "at_break")
            for kind in (FeedbackKind.IGNORED, FeedbackKind.TOO_EARLY, FeedbackKind.TOO_LATE)
        ),
    ],
)
def test_a_mute_is_for_good_a_snooze_ends_and_other_answers_change_no_budget(
    kind: FeedbackKind, later_s: float, verdict: Verdict, reason: str
) -> None:
    story = after_offer(kind)
    story.later(later_s)
    decision = story.decide(estimate_of(0.9999))
    assert (decision.verdict, decision.reason) == (verdict, reason)


def test_an_accepted_offer_ends_its_episode() -> None:
    story = after_offer(FeedbackKind.ACCEPTED)
    assert story.decide(Tick()).reason == "no_estimate"


def test_what_is_saved_comes_back_aged() -> None:
    settings = PolicySettings(cooldown_s=0.0)
    story = after_offer(FeedbackKind.SNOOZED, settings)
    story.answer(FeedbackKind.DISMISSED)
    story.answer(FeedbackKind.MUTED, topic="dead_clicks")
    saved = story.policy.save(story.state, story.now_ns)
    story.state = story.policy.start(saved, 600 * S, 0)
    story.now_ns = 0
    budget = story.state.budget
    assert budget.shown_ns == (-601 * S,)
    assert budget.backoffs[0].until_ns == 300 * S
    assert budget.snoozed_until_ns == 299 * S
    assert budget.muted == ("dead_clicks",)
    assert story.policy.save(story.policy.start(saved, 0, 5), 5) == saved
    fresh: dict[str, object] = {
        "shown_age_ns": [],
        "backoffs": [],
        "muted": [],
        "snoozed_until_age_ns": None,
        "seed": 0,
        "drawn": 0,
        "said": [],
        "learned": {"age_ns": 0, "early": 0.0, "late": 0.0, "tallies": []},
    }
    assert story.policy.save(ChainState(), 0) == fresh


def test_offers_older_than_a_day_are_not_saved() -> None:
    story = Story()
    story.stuck()
    story.later(90_000.0)
    assert story.policy.save(story.state, story.now_ns)["shown_age_ns"] == []


@pytest.mark.parametrize(
    "saved",
    [
        {"shown_age_ns": 3},
        {"shown_age_ns": ["x"]},
        {"backoffs": [{"app": "a"}]},
        {"backoffs": [1]},
        {"muted": 5},
        {"snoozed_until_age_ns": []},
        {"seed": "x"},
        {"said": 3},
        {"said": [{"topic": "a"}]},
        {"seed": 1, "drawn": None},
    ],
)
def test_a_saved_state_of_another_shape_is_refused(saved: dict[str, object]) -> None:
    with pytest.raises(BadFile, match="policy state"):
        Story().policy.start(saved, 0, 0)


def test_only_so_many_dismissals_are_remembered() -> None:
    story = Story()
    for number in range(300):
        story.answer(FeedbackKind.DISMISSED, app=f"app{number}")
    assert len(story.state.budget.backoffs) == 256
    assert story.state.budget.backoffs[-1].app == "app299"


def test_a_wait_elsewhere_is_dropped_even_if_the_state_was_built_by_hand() -> None:
    """The check does not rely on the change of focus having been seen."""
    story = Story()
    story.state = replace(story.state, wait=Wait(since_ns=story.now_ns, app="other"))
    assert story.stuck().reason == "app_changed"
