"""Properties of the resampling from which every interval in the benchmarks comes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.figures.resampling import Ints, bootstrap

GROUPS = st.lists(st.integers(0, 5), min_size=1, max_size=40)


@settings(max_examples=40)
@given(GROUPS, st.integers(0, 9))
def test_a_draw_is_of_whole_groups(groups: list[int], seed: int) -> None:
    """Every draw holds as many groups as there are, and each that it holds with all its rows."""
    of = np.array(groups)
    sizes = {group: groups.count(group) for group in groups}
    drawn: list[Ints] = []

    def keep(rows: Ints) -> float:
        drawn.append(rows)
        return 0.0

    bootstrap(of, keep, rng=np.random.default_rng(seed), draws=20)
    assert len(drawn) == 20 + 1
    for rows in drawn:
        times = [(of[rows] == group).sum() / size for group, size in sizes.items()]
        assert all(count == int(count) for count in times)
        assert sum(times) == len(sizes)
        assert all(len(set(np.bincount(rows, minlength=len(of))[of == group])) == 1 for group in sizes)


@settings(max_examples=25)
@given(GROUPS, st.integers(0, 9))
def test_the_same_seed_gives_the_same_interval_around_the_mean(groups: list[int], seed: int) -> None:
    """An interval is ordered, lies in the range of its figure, and is the same again."""
    of = np.array(groups)
    values = np.random.default_rng(seed).random(len(of))
    first, again = (
        bootstrap(of, lambda rows: float(values[rows].mean()), rng=np.random.default_rng(seed), draws=60)
        for _ in range(2)
    )
    assert first == again
    assert values.min() - 1e-12 <= first.low <= first.high <= values.max() + 1e-12
    assert first.value == pytest.approx(values.mean())


def test_one_group_has_no_width() -> None:
    """With a single group every draw is the data itself, so its interval says nothing and shows it."""
    values = np.arange(10.0)
    found = bootstrap(np.zeros(10, int), lambda rows: float(values[rows].mean()), rng=np.random.default_rng(1))
    assert (found.low, found.high) == (found.value, found.value)


def test_comparing_within_draws_is_paired() -> None:
    """Two that are always one point apart differ by one in every draw, however much each of them varies."""
    rng = np.random.default_rng(2)
    of, a = np.repeat(np.arange(8), 5), rng.normal(0, 10, 40)
    b = a + 1.0
    alone = bootstrap(of, lambda rows: float(a[rows].mean()), rng=np.random.default_rng(3))
    paired = bootstrap(of, lambda rows: float(b[rows].mean() - a[rows].mean()), rng=np.random.default_rng(3))
    assert alone.high - alone.low > 1.0
    assert (paired.low, paired.high) == pytest.approx((1.0, 1.0))


def test_draws_without_a_figure_are_left_out() -> None:
    """A draw in which the figure is no number does not count; if all are none, neither end is a number."""
    of = np.array([0, 1])

    def only_with_the_second(rows: Ints) -> float:
        return 1.0 if (rows == 1).any() else float("nan")

    found = bootstrap(of, only_with_the_second, rng=np.random.default_rng(4))
    assert (found.low, found.high) == (1.0, 1.0)
    assert np.isnan(bootstrap(of, lambda _: float("nan"), rng=np.random.default_rng(5)).low)
