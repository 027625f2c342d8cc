"""Ways that are made out of wrong values repeat one of them, or go through all."""

import random

from lab.simulation.tasks.task import Answer, Way
from lab.simulation.tasks.ways import repeated_and_varied

VALUES = ("one", "two", "three")


def tried(way: Way, given: list[str], times: int = 4) -> list[str]:
    """Return what some tries of a way give."""
    given.clear()
    for number in range(times):
        way.act(number)
    return list(given)


def test_one_way_repeats_a_value_and_the_other_goes_through_them_all() -> None:
    """The second is systematic; which value the first one repeats is drawn once."""
    given: list[str] = []
    drawn = set()
    for seed in range(20):
        same, other = repeated_and_varied(given.append, VALUES, Answer.REFUSED, random.Random(seed), name="names")
        first = tried(same, given)
        assert len(set(first)) == 1
        drawn.add(first[0])
        assert tried(other, given) == ["one", "two", "three", "one"]
        assert (same.systematic, other.systematic) == (False, True)
        assert (same.name, other.name, same.answer) == ("same", "names", Answer.REFUSED)
    assert drawn == set(VALUES)
