"""The memory of places answers quickly what a look at every moment would answer."""

from collections.abc import Mapping

from hypothesis import example, given, settings
from hypothesis import strategies as st

from detectors.features.states.places import MAX_SPANS, PlaceMemory
from storage.records.tiles import Place

PLACES = [(64 * column, 0) for column in range(5)]
values = st.dictionaries(st.sampled_from(PLACES), st.integers(0, 2), min_size=1)
frames = st.lists(values, min_size=1, max_size=MAX_SPANS)


@settings(max_examples=50)
@example([dict.fromkeys(PLACES[:3], 0), dict.fromkeys(PLACES[:2], 1)], dict.fromkeys(PLACES[2::-1], 0), 0, 0.4)
@given(frames, values, st.integers(0, 3), st.sampled_from([0.4, 0.8, 1.0]))
def test_the_last_moment_at_which_enough_stood_together(
    seen: list[dict[Place, int]], after: dict[Place, int], earlier: int, share: float
) -> None:
    """A frame a nanosecond; what stands at the end does not count as having gone."""
    memory = PlaceMemory()
    for t_ns, now in enumerate(seen, start=1):
        memory.take(now, {}, t_ns, act_ns=t_ns)  # an act at every frame: nothing is a caret
    until_ns = len(seen) - earlier
    assert memory.stood_at(memory.sights(after), until_ns, share) == _by_every_moment(seen, after, until_ns, share)


def _by_every_moment(
    seen: list[dict[Place, int]], after: Mapping[Place, int], until_ns: int, share: float
) -> int | None:
    """Return the last moment until which a share of values stood, each counted only where another one followed."""
    spans: dict[Place, list[tuple[int, int]]] = {}
    for t_ns, now in enumerate(seen, start=1):
        for place, value in now.items():
            known = spans.setdefault(place, [])
            if not known or known[-1][1] != value:
                known.append((t_ns, value))
    stays = [
        (since_ns, end_ns)
        for place, value in after.items()
        for (since_ns, stood), (end_ns, _) in zip(spans.get(place, ()), spans.get(place, ())[1:], strict=False)
        if stood == value
    ]
    for t_ns in range(until_ns, 0, -1):
        if sum(since_ns < t_ns <= end_ns for since_ns, end_ns in stays) >= share * len(after):
            return t_ns
    return None
