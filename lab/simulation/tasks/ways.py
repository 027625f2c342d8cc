"""Makes ways out of wrong values, such as words, formulas or keys: one over and over, or another at each try."""

import random
from collections.abc import Callable, Sequence

from lab.simulation.tasks.task import Answer, Way


def repeated(act: Callable[[str], None], value: str, answer: Answer, name: str = "same") -> Way:
    """Return a way that gives the same value at each try."""
    return Way(name=name, act=lambda _number: act(value), answer=answer)


def varied(
    act: Callable[[str], None],
    values: Sequence[str],
    answer: Answer,
    name: str = "spelling",
    *,
    systematic: bool = True,
) -> Way:
    """Return a way that gives the next of the values at each try, and begins again after the last."""
    return Way(name=name, act=lambda number: act(values[number % len(values)]), answer=answer, systematic=systematic)


def repeated_and_varied(
    act: Callable[[str], None], values: Sequence[str], answer: Answer, rng: random.Random, *, name: str = "spelling"
) -> tuple[Way, Way]:
    """Return two ways: one that repeats a value, drawn here, and one called `name` that varies it systematically."""
    return repeated(act, rng.choice(values), answer), varied(act, values, answer, name)
