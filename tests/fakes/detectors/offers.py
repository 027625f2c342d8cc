"""Offers, as tests of their words and ways need them."""

from storage.records import Evidence, Offer, Sighting, State


def offer_of(seen: Sighting | None, topic: str = "trouble_pattern", **numbers: float) -> Offer:
    """Return an offer about a topic, with the numbers of its evidence and with what it can name."""
    return Offer(
        offer_id="o1",
        decision_seq=1,
        prefix_id="w1/25",
        app="editor",
        topic=topic,
        state=State.FRUSTRATION,
        help_need=0.9,
        evidence=(Evidence(topic, numbers),),
        help=None,
        shown_at_ns=1,
        expires_at_ns=2,
        seen=seen,
    )
