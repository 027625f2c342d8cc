"""What people say of a stretch: when it says enough, by what lot it is blind, and which one a stretch is about."""

import pytest

from storage.records import State
from storage.records.labels import BlindLot, Judgement, NeedLabel, SegmentLabel, overlapping


def label(label_id: str, start_ns: int, end_ns: int) -> SegmentLabel:
    return SegmentLabel(label_id=label_id, rater="me", start_ns=start_ns, end_ns=end_ns)


@pytest.mark.parametrize("states", [(), (State.FRUSTRATION,)])
@pytest.mark.parametrize("need", [None, NeedLabel.NO])
def test_a_label_says_enough_with_states_and_need(states: tuple[State, ...], need: NeedLabel | None) -> None:
    found = SegmentLabel(label_id="a", rater="me", start_ns=0, end_ns=9, states=states, need=need)
    assert found.is_set == (bool(states) and need is not None)
    assert found.judgement == Judgement(by="me", states=states, need=need)


def test_the_lot_draws_its_share_and_the_same_again() -> None:
    lot = BlindLot(share=0.25, seed=3)
    drawn = [lot.draws("session", "me", start) for start in range(2000)]
    assert 400 < sum(drawn) < 600
    assert drawn == [lot.draws("session", "me", start) for start in range(2000)]
    assert drawn != [BlindLot(share=0.25, seed=4).draws("session", "me", start) for start in range(2000)]
    assert all(BlindLot().draws("session", "me", start) for start in range(100))
    assert not any(BlindLot(share=0.0).draws("session", "me", start) for start in range(100))


def test_a_stretch_is_about_the_label_that_shares_most_with_it() -> None:
    labels = [label("a", 0, 10), label("b", 10, 40)]
    assert overlapping(labels, 5, 20) == labels[1]
    assert overlapping(labels, 0, 9) == labels[0]
    assert overlapping(labels, 40, 50) is None
    assert overlapping([], 0, 9) is None
