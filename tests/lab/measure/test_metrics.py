"""Our figures equal scikit-learn's, on random data with ties, weights and rare classes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as theirs
from sklearn.calibration import calibration_curve

from daemon.figures.resampling import Ints
from lab.measure import metrics
from lab.measure.resampling import bootstrap


@pytest.fixture(params=range(4))
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    return np.random.default_rng(request.param)


def test_state_figures_equal_scikit_learns(rng: np.random.Generator) -> None:
    """Accuracy, macro F1, recalls and confusion agree, with one class that never occurs."""
    truth, guess = rng.integers(0, 8, 500), rng.integers(0, 8, 500)
    guess[::2] = truth[::2]
    table = metrics.confusion(truth, guess, 9)
    assert (table[:8, :8] == theirs.confusion_matrix(truth, guess)).all()
    assert metrics.accuracy(table) == pytest.approx(theirs.accuracy_score(truth, guess))
    assert metrics.macro_f1(table) == pytest.approx(theirs.f1_score(truth, guess, average="macro"))
    assert metrics.recalls(table)[:8] == pytest.approx(theirs.recall_score(truth, guess, average=None))
    assert metrics.recalls(table)[8] == 0.0
    level = metrics.balanced(table)
    assert metrics.accuracy(level) == pytest.approx(theirs.balanced_accuracy_score(truth, guess))
    weights = 1 / np.bincount(truth)[truth]
    assert metrics.macro_f1(level) == pytest.approx(
        theirs.f1_score(truth, guess, average="macro", sample_weight=weights)
    )


def test_auc_within_groups_does_not_see_what_tells_groups_apart() -> None:
    need = np.array([False, True, False, True, False, True, True])
    clock = np.array([1, 2, 1, 2, 2, 1, 3])
    informed = clock + 0.5 * need
    assert metrics.auc(need, clock.astype(np.float64)) > 0.7
    assert metrics.auc_within(need, clock.astype(np.float64), clock) == 0.5
    assert metrics.auc_within(need, informed, clock) == 1.0
    assert np.isnan(metrics.auc_within(need, informed, np.arange(7)))


def test_auc_equals_scikit_learns_with_ties_and_weights(rng: np.random.Generator) -> None:
    need = rng.random(400) < 0.3
    score = np.round(rng.normal(size=400) + need, 1)
    weights = rng.random(400)
    assert metrics.auc(need, score) == pytest.approx(theirs.roc_auc_score(need, score))
    weighted = theirs.roc_auc_score(need, score, sample_weight=weights)
    assert metrics.auc(need, score, weights) == pytest.approx(weighted)
    assert np.isnan(metrics.auc(np.ones(3, bool), np.arange(3.0)))


def test_recall_at_a_false_positive_rate_is_the_best_on_the_curve(rng: np.random.Generator) -> None:
    """The threshold keeps the rate, and no point of scikit-learn's curve that keeps it has more recall."""
    need = rng.random(400) < 0.3
    score = (rng.normal(size=400) + 2 * need).round(2).astype(np.float64)
    recall, fpr = metrics.rates_at(need, score, metrics.threshold_at(need, score, 0.05))
    false, true, _ = theirs.roc_curve(need, score, drop_intermediate=False)
    assert fpr <= 0.05
    assert recall == pytest.approx(true[false <= 0.05].max())
    assert metrics.rates_at(need, score, metrics.threshold_at(need, score, 1.0)) == (1.0, 1.0)


def test_reliability_bins_equal_scikit_learns(rng: np.random.Generator) -> None:
    probability = rng.random(1000)
    need = rng.random(1000) < probability
    observed, predicted = calibration_curve(need, probability, n_bins=10, strategy="quantile")
    bins = metrics.reliability(need, probability)
    assert [bucket.observed for bucket in bins] == pytest.approx(observed)
    assert [bucket.predicted for bucket in bins] == pytest.approx(predicted)
    assert metrics.ece(need, probability) == pytest.approx(np.abs(observed - predicted).mean())
    assert metrics.ece(need, probability) < 0.06 < metrics.ece(need, probability**3)


def test_weights_bring_need_to_the_wanted_share_and_shifting_follows(rng: np.random.Generator) -> None:
    evidence = rng.normal(size=20_000) * 2
    probability = 1 / (1 + np.exp(-evidence))
    need = rng.random(20_000) < probability
    weights = metrics.prevalence_weights(need, 0.2)
    assert np.average(need, weights=weights) == pytest.approx(0.2)
    assert weights.mean() == pytest.approx(1.0)
    was = float(need.mean())
    assert metrics.ece(need, metrics.shifted(evidence, was, 0.2), weights) < 0.02
    assert metrics.ece(need, probability, weights) > 0.1
    assert (metrics.prevalence_weights(np.ones(3, bool), 0.2) == 1.0).all()


GROUPS = st.lists(st.integers(0, 5), min_size=1, max_size=40)


@settings(max_examples=40)
@given(GROUPS, st.integers(0, 9))
def test_a_draw_is_of_whole_groups(groups: list[int], seed: int) -> None:
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
    of = np.array([0, 1])

    def only_with_the_second(rows: Ints) -> float:
        return 1.0 if (rows == 1).any() else float("nan")

    found = bootstrap(of, only_with_the_second, rng=np.random.default_rng(4))
    assert (found.low, found.high) == (1.0, 1.0)
    assert np.isnan(bootstrap(of, lambda _: float("nan"), rng=np.random.default_rng(5)).low)


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
