"""Intervals of rates and shares are those of scipy."""

import pytest
from scipy.stats import binomtest, chi2

from daemon.figures.intervals import poisson_lower, poisson_rate, poisson_upper, wilson


@pytest.mark.parametrize("count", [0, 1, 2, 5, 17, 300, 20_000])
def test_rates_have_the_exact_interval_of_poisson(count: int) -> None:
    """By the quantiles of chi-squared, for few events and many."""
    found = poisson_rate(count, 2.0)
    assert found.value == count / 2
    assert found.low == pytest.approx(chi2.ppf(0.025, 2 * count) / 4 if count else 0.0, rel=1e-6)
    assert found.high == pytest.approx(chi2.ppf(0.975, 2 * count + 2) / 4, rel=1e-6)
    assert poisson_upper(count, 0.05) == pytest.approx(chi2.ppf(0.95, 2 * count + 2) / 2, rel=1e-6)
    assert poisson_upper(count, 0.025) == pytest.approx(2 * found.high)
    assert poisson_lower(count, 0.05) <= count <= poisson_upper(count, 0.05)


@pytest.mark.parametrize(("count", "total"), [(0, 5), (1, 5), (3, 7), (5, 5), (40, 1000)])
def test_shares_have_the_interval_of_wilson(count: int, total: int) -> None:
    found, expected = wilson(count, total), binomtest(count, total).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert found.value == count / total
