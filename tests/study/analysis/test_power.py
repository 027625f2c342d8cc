"""The power of a design: where a formula gives it too, and the figures that the documents name."""

import math
from statistics import NormalDist

import numpy as np
import pytest

from study.analysis.power import Design, power_of, simulate_trial


def design(*, people: int = 30, effect: float = 0.1, **others: float) -> Design:
    return Design(people=people, days=20, points=3, base=0.4, effect=effect, **others)


def test_people_are_as_assumed() -> None:
    """Shares with and without an offer, availability, lots, and the spread between people."""
    made = simulate_trial(design(people=3000, availability=0.8, probability=0.3), np.random.default_rng(1))
    assert made.available is not None
    treated, free = made.treatment == 1.0, made.available
    assert not (treated & ~free).any()
    assert free.mean() == pytest.approx(0.8, abs=0.01)
    assert treated[free].mean() == pytest.approx(0.3, abs=0.01)
    assert made.outcome[~treated].mean() == pytest.approx(0.4, abs=0.01)
    assert made.outcome[treated].mean() == pytest.approx(0.5, abs=0.01)
    shares = np.array([made.outcome[~treated & (made.person == person)].mean() for person in range(500)])
    chance = 0.24 / np.bincount(made.person[~treated])[:500].mean()
    assert math.sqrt(shares.var() - chance) == pytest.approx(0.1, abs=0.02)


def test_power_is_what_a_plain_formula_gives_where_people_are_alike() -> None:
    """Without spread the error is that of two shares, so the power is nearly the normal one."""
    alike = design(people=60, effect=0.05, base_spread=0.0, effect_spread=0.0)
    found = power_of(alike, simulations=300, seed=1)
    error = math.sqrt((0.4 * 0.6 + 0.45 * 0.55) / (60 * 60 / 2))
    assert found.standard_error == pytest.approx(error, rel=0.03)
    assert found.found.value == pytest.approx(NormalDist().cdf(0.05 / error - 1.96), abs=0.08)
    assert found.estimate == pytest.approx(0.05, abs=0.005)


@pytest.mark.slow
@pytest.mark.parametrize(("people", "effect", "expected"), [(30, 0.1, 0.98), (30, 0.05, 0.48), (80, 0.05, 0.91)])
def test_the_figures_of_the_handbook(people: int, effect: float, expected: float) -> None:
    """About those by which studies are planned here; and nothing is found where there is nothing."""
    found = power_of(design(people=people, effect=effect), simulations=2000, seed=2)
    assert found.found.value == pytest.approx(expected, abs=0.04)
    assert 0.93 <= found.covered <= 0.97
    assert 0.03 <= power_of(design(people=people, effect=0.0), simulations=1000, seed=3).found.value <= 0.07
