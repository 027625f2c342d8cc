"""The rules of offers: which estimate an offer is about, and how it ends."""

from dataclasses import replace

import pytest

from daemon.engine.offers import ESTIMATE_LIMIT, OfferTracker
from storage.clock import NS_PER_S
from storage.records import Decision, Verdict
from tests.fakes.detectors.fake_detectors import estimate_of
from tests.fakes.narrowing import present

VISIBLE_NS = 10 * NS_PER_S
SPEAK = Decision(seq=7, verdict=Verdict.OFFER, gate="all", reason="at_break", topic="undo_bursts")


def make_tracker(*prefixes: str, is_shown: bool = True) -> OfferTracker:
    """Return a tracker with an estimate of each prefix; the first has help need 0, the second 0.01, and so on."""
    tracker = OfferTracker(VISIBLE_NS, lambda _: is_shown)
    for number, prefix_id in enumerate(prefixes):
        tracker.add_estimate(estimate_of(number / 100, prefix_id=prefix_id))
    return tracker


@pytest.mark.parametrize(
    ("named", "prefix_id"), [((), "c"), (("a", "b"), "b"), (("b", "a"), "a"), (("a", "gone"), "a"), (("gone",), "c")]
)
def test_an_offer_is_about_the_last_estimate_that_the_decision_names(named: tuple[str, ...], prefix_id: str) -> None:
    offer = present(make_tracker("a", "b", "c").show(replace(SPEAK, prefix_ids=named), "editor", 5))
    assert (offer.offer_id, offer.decision_seq, offer.prefix_id, offer.app) == ("o1", 7, prefix_id, "editor")
    assert (offer.shown_at_ns, offer.expires_at_ns) == (5, 5 + VISIBLE_NS)


def test_without_an_estimate_nothing_is_offered() -> None:
    tracker = make_tracker()
    assert tracker.show(SPEAK, "editor", 5) is None
    tracker.add_estimate(estimate_of(0.5, prefix_id="a"))
    offer = present(tracker.show(SPEAK, "editor", 5))
    assert offer.offer_id == "o1"


def test_only_recent_estimates_can_be_named() -> None:
    """Memory stays bounded."""
    tracker = make_tracker(*(str(number) for number in range(ESTIMATE_LIMIT + 1)))
    offers = [tracker.show(replace(SPEAK, prefix_ids=(name,)), "editor", 0) for name in ("0", "1")]
    assert [offer and offer.prefix_id for offer in offers] == [str(ESTIMATE_LIMIT), "1"]
