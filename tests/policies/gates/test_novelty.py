"""The novelty gate: nothing is said twice within a short time."""

from policies.gates.novelty import add_offer
from policies.state import OfferHistory, PastOffer
from storage.records import Evidence, FeedbackKind, Verdict
from storage.settings import PolicySettings
from tests.fakes.detectors.fake_detectors import estimate_of
from tests.fakes.detectors.policy_story import S, Story

MENUS = (Evidence("menu_wandering", {"count": 4.0, "span_s": 20.0}),)


def test_what_was_said_is_not_repeated_for_a_while() -> None:
    story = Story(PolicySettings())
    assert story.stuck().verdict is Verdict.OFFER
    story.answer(FeedbackKind.ACCEPTED)
    story.later(301.0)
    held = story.stuck()
    assert (held.gate, held.reason, held.verdict) == ("novelty", "said_recently", Verdict.HOLD)
    assert held.numbers["said_s"] == 301.0
    assert story.decide(estimate_of(0.97, app="other"), app="other").reason == "said_recently"
    assert story.decide(estimate_of(0.97, evidence=MENUS)).verdict is Verdict.OFFER


def test_it_may_be_said_again_later() -> None:
    story = Story(PolicySettings())
    story.stuck()
    story.later(600.0)
    assert story.stuck().verdict is Verdict.OFFER


def test_what_was_said_outlives_the_session() -> None:
    story = Story(PolicySettings(cooldown_s=0.0))
    story.stuck()
    story.later(10.0)
    story.state = story.policy.start(story.policy.save(story.state, story.now_ns), 30 * S, story.now_ns)
    assert story.stuck().numbers["said_s"] == 40.0


def test_only_so_many_topics_are_remembered() -> None:
    history: OfferHistory = ()
    for number in (*range(70), 20):
        history = add_offer(history, f"topic{number}", number)
    assert len(history) == 64
    assert (history[0].topic, history[-1]) == ("topic6", PastOffer(topic="topic20", at_ns=20))
