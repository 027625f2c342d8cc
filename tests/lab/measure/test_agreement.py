"""Cohen's kappa: by hand, against scikit-learn, for several raters, and with intervals that draw whole trajectories."""

import math
import warnings

import numpy as np
import pytest

from lab.measure.agreement import agreement, agreement_of_all

SCALE = ("1", "2", "3", "4", "5")


def test_kappa_by_hand() -> None:
    """20 both yes, 5 and 10 apart, 15 both no (Cohen's own kind of table): p_o 0.7, p_e 0.5, kappa 0.4."""
    first = ["yes"] * 25 + ["no"] * 25
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    found = agreement(first, second)
    assert found.labels == ("no", "yes")
    assert found.table == ((15, 10), (5, 20))
    assert math.isclose(found.observed, 0.7)
    assert math.isclose(found.expected, 0.5)
    assert math.isclose(found.kappa.value, 0.4)
    assert found.kappa.low < 0.4 < found.kappa.high
    for shares, yes in zip(found.shares, (0.5, 0.6), strict=True):
        assert math.isclose(shares["yes"], yes)
        assert math.isclose(shares["no"], 1 - yes)


@pytest.mark.parametrize("tables", [50, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("weighted", [False, True])
def test_kappa_is_that_of_scikit_learn(tables: int, *, weighted: bool) -> None:
    """On random ratings from 1 to 5, plain and by squared distance; also where a step of the scale was never used."""
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(3)
    scale = {"labels": [1, 2, 3, 4, 5], "weights": "quadratic"} if weighted else {}
    undefined = 0
    for _ in range(tables):
        count = int(rng.integers(1, 40))
        first = rng.integers(1, int(rng.integers(2, 7)), count)
        second = np.where(rng.random(count) < rng.random(), first, rng.integers(1, int(rng.integers(2, 7)), count))
        raters = ([str(label) for label in first], [str(label) for label in second])
        agreed = agreement(*raters, ["one trajectory"] * count, SCALE)
        found = agreed.weighted if weighted else agreed.kappa
        assert found is not None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = metrics.cohen_kappa_score(first, second, **scale)
        undefined += math.isnan(expected)
        assert found.value == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert 0 < undefined < tables / 2


def test_one_label_alone_has_no_kappa() -> None:
    """p_e is 1; somebody who always says yes beside one who does not has kappa 0."""
    alone = agreement(["yes"] * 3, ["yes"] * 3)
    assert (alone.observed, alone.expected) == (1.0, 1.0)
    assert math.isnan(alone.kappa.value)
    always = agreement(["yes"] * 4, ["yes", "no", "yes", "yes"])
    assert math.isclose(always.kappa.value, 0.0, abs_tol=1e-12)
    nothing = agreement([None, "yes"], ["no", None])
    assert (nothing.items, nothing.left_out, nothing.labels) == (0, 2, ())
    assert math.isnan(nothing.kappa.value)
    assert math.isnan(nothing.observed)


def test_what_somebody_left_out_is_left_out_and_counted() -> None:
    raters: dict[str, list[str | None]] = {
        "a": ["yes", "no", "yes", None],
        "b": ["yes", "no", None, "no"],
        "c": ["no", "no", "yes", "no"],
    }
    found = agreement_of_all(raters)
    assert {pair: (one.items, one.left_out) for pair, one in found.pairs.items()} == {
        "a and b": (2, 2),
        "a and c": (3, 1),
        "b and c": (3, 1),
    }
    values = [pair.kappa.value for pair in found.pairs.values()]
    assert math.isclose(found.kappa.value, sum(values) / 3)
    raters["c"] = [None] * 4
    assert math.isclose(agreement_of_all(raters).kappa.value, values[0])


def test_an_interval_draws_whole_trajectories() -> None:
    rng = np.random.default_rng(5)
    first, second, groups = [], [], []
    for number in range(30):
        agree = rng.random() < 0.7
        for _ in range(10):
            said = "yes" if rng.random() < 0.5 else "no"
            first.append(said)
            second.append(said if agree else ("no" if said == "yes" else "yes"))
            groups.append(str(number))
    whole, alone = agreement(first, second, groups).kappa, agreement(first, second).kappa
    assert whole.value == alone.value
    assert whole.high - whole.low > 2 * (alone.high - alone.low)
    single = agreement(first, second, ["one"] * len(first)).kappa
    assert math.isnan(single.low)
    assert single.value == whole.value


def test_ratings_that_are_near_agree_more_than_those_that_are_far() -> None:
    """Unweighted both are the same; without a scale nothing is weighted."""
    first = ["1", "2", "3", "4", "5", "5"]
    near, far = ["1", "2", "3", "4", "5", "4"], ["1", "2", "3", "4", "5", "1"]
    groups = ["a", "a", "b", "b", "c", "c"]
    found = [agreement(first, labels, groups, SCALE) for labels in (near, far)]
    weighted = [agreed.weighted for agreed in found if agreed.weighted is not None]
    assert math.isclose(found[0].observed, found[1].observed)
    assert weighted[0].value > 0.9 > weighted[1].value
    assert weighted[0].low <= weighted[0].value <= weighted[0].high
    assert agreement(first, near).weighted is None
    with pytest.raises(ValueError, match="scale"):
        agreement(["6"], ["5"], None, SCALE)


def test_raters_must_have_the_same_items() -> None:
    """One rater is no pair."""
    with pytest.raises(ValueError, match="two raters"):
        agreement_of_all({"a": ["yes"]})
    with pytest.raises(ValueError, match="different items"):
        agreement(["yes"], ["yes", "no"])
