"""The causal excursion effect: by hand, against dense matrices, and on simulated trials with a known effect."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from storage.errors import BadFile, UsageError
from study.analysis.effect import INTERCEPT, Coefficient, EffectFit, Trial, excursion_effect

Change = Callable[[Trial], Trial]


def three_people() -> Trial:
    """Return three people with one treated and one untreated point each; the treatment adds 1, 2 and 6."""
    return Trial(
        person=np.array([7, 7, 8, 8, 9, 9]),
        outcome=np.array([1.0, 0.0, 3.0, 1.0, 6.0, 0.0]),
        treatment=np.array([1.0, 0.0, 1.0, 0.0, 1.0, 0.0]),
        probability=0.5,
        moderators={},
        controls={},
    )


def trial(*, people: int = 14, seed: int = 3) -> Trial:
    rng = np.random.default_rng(seed)
    each = rng.integers(5, 30, people)
    person = np.repeat([f"person {number}" for number in range(people)], each)
    rows = len(person)
    year = 2026.0 + rng.normal(size=rows)
    late = (rng.random(rows) < 0.4).astype(np.float64)
    available = rng.random(rows) < 0.8
    probability = 0.3 + 0.4 * late
    treatment = ((rng.random(rows) < probability) & available).astype(np.float64)
    level = np.repeat(rng.normal(size=people), each)
    outcome = (year - 2026.0) + late + level + treatment * (0.3 + 0.2 * late) + rng.normal(size=rows)
    return Trial(
        person=person,
        outcome=np.where(available, outcome, np.nan),
        treatment=treatment,
        probability=probability,
        available=available,
        moderators={"late": late},
        controls={"year": year, "late": late},
    )


def dense(given: Trial, numerator: float) -> tuple[list[float], list[float]]:
    """Return coefficients and corrected errors of `trial()` from whole hat matrices, person by person."""
    assert given.available is not None
    keep = given.available
    person, y, a = given.person[keep], given.outcome[keep], given.treatment[keep]
    p, late, year = np.asarray(given.probability)[keep], given.controls["late"][keep], given.controls["year"][keep]
    w = (numerator / p) ** a * ((1.0 - numerator) / (1.0 - p)) ** (1.0 - a)
    c = a - numerator
    x = np.stack([np.ones_like(y), year - 2026.0, late, c, c * late], axis=1)
    beta = np.linalg.lstsq(np.sqrt(w)[:, None] * x, np.sqrt(w) * y, rcond=None)[0]
    bread = np.linalg.inv(x.T @ np.diag(w) @ x)
    meat = np.zeros((5, 5))
    for who in np.unique(person):
        rows = person == who
        hat = x[rows] @ bread @ x[rows].T @ np.diag(w[rows])
        residual = np.linalg.inv(np.eye(rows.sum()) - hat) @ (y[rows] - x[rows] @ beta)
        score = x[rows].T @ np.diag(w[rows]) @ residual
        meat += np.outer(score, score)
    return beta.tolist(), np.sqrt(np.diag(bread @ meat @ bread)).tolist()


def figures(coefficients: tuple[Coefficient, ...]) -> list[float]:
    return [figure for coefficient in coefficients for figure in (coefficient.estimate, coefficient.standard_error)]


# ---------------------------------------------------------------- by hand


def test_three_people_by_hand() -> None:
    """The effect is the mean of 1, 2 and 6; a third of the leverage is each person's, so residuals grow by a half."""
    fit = excursion_effect(three_people())
    (effect,) = fit.effects
    assert effect.estimate == pytest.approx(3.0)
    assert effect.standard_error == pytest.approx(math.sqrt(4 + 1 + 9) / 2)
    assert effect.degrees_of_freedom == 3 - 2
    assert effect.t == pytest.approx(6 / math.sqrt(14))
    assert effect.p == pytest.approx(1 - 2 / math.pi * math.atan(6 / math.sqrt(14)))  # t with 1 is Cauchy's
    reach = math.tan(math.pi * 0.475) * math.sqrt(14) / 2
    assert [effect.low, effect.high] == pytest.approx([3.0 - reach, 3.0 + reach])
    assert (fit.people, fit.points, fit.available_points, fit.numerator) == (3, 6, 6, 0.5)
    plain = excursion_effect(three_people(), small_sample=False).effects[0]
    assert plain.standard_error == pytest.approx(math.sqrt(14) / 3)


def test_weights_by_hand() -> None:
    """With n = 0.5 a treated point drawn with 0.2 weighs 2.5, an untreated one 0.625, one drawn with 0.5 weighs 1."""
    given = Trial(
        person=np.array([1, 1, 2, 2, 3, 3]),
        outcome=np.array([4.0, 1.0, 2.0, 5.0, 7.0, 3.0]),
        treatment=np.array([1.0, 0.0, 1.0, 0.0, 1.0, 0.0]),
        probability=np.array([0.2, 0.2, 0.5, 0.5, 0.5, 0.5]),
        moderators={},
        controls={},
    )
    treated = (2.5 * 4 + 2 + 7) / (2.5 + 1 + 1)
    untreated = (0.625 * 1 + 5 + 3) / (0.625 + 1 + 1)
    fit = excursion_effect(given)
    assert fit.numerator == 0.5
    assert fit.effects[0].estimate == pytest.approx(treated - untreated)


# ---------------------------------------------------------------- against dense matrices


@pytest.mark.parametrize(("seed", "numerator"), [(3, None), (4, None), (5, 0.35)])
def test_sums_by_person_give_what_whole_hat_matrices_give(seed: int, numerator: float | None) -> None:
    """Estimates and corrected errors equal those of the direct way, also with a control far from zero."""
    given = replace(trial(seed=seed), numerator=numerator)
    fit = excursion_effect(given)
    estimates, errors = dense(given, numerator or 0.5)
    found = (*fit.controls, *fit.effects)
    assert [coefficient.name for coefficient in found] == [INTERCEPT, "year", "late", INTERCEPT, "late"]
    assert [coefficient.estimate for coefficient in found[1:]] == pytest.approx(estimates[1:], rel=1e-8)
    assert [coefficient.standard_error for coefficient in found[1:]] == pytest.approx(errors[1:], rel=1e-8)
    plain = excursion_effect(given, small_sample=False)
    for corrected, uncorrected in zip(fit.effects, plain.effects, strict=True):
        assert corrected.standard_error > uncorrected.standard_error * 1.01


def test_the_order_of_rows_and_names_of_people_do_not_matter() -> None:
    """Rows may come in any order, and people may have any ids."""
    given = trial()
    order = np.random.default_rng(0).permutation(len(given.person))
    names = np.unique(given.person, return_inverse=True)[1] * -17

    def shuffled(values: Any) -> Any:
        return np.asarray(values)[order]

    columns = {name: shuffled(getattr(given, name)) for name in ("outcome", "treatment", "probability", "available")}
    for part in ("moderators", "controls"):
        columns[part] = {name: shuffled(values) for name, values in getattr(given, part).items()}
    other = Trial(person=names[order], **columns)
    assert figures(excursion_effect(other).effects) == pytest.approx(figures(excursion_effect(given).effects))


def test_what_stands_at_points_without_a_lot_is_not_read() -> None:
    """Any value may stand there; and who was never available is nobody for the degrees of freedom."""
    given = trial()
    assert given.available is not None
    fit = excursion_effect(given)
    away = ~given.available
    noise = {name: np.where(away, np.nan, values) for name, values in given.controls.items()}
    other = replace(given, treatment=np.where(away, 9.0, given.treatment), controls=noise)
    other = replace(other, probability=np.where(away, 1.0, given.probability), numerator=0.5)
    assert excursion_effect(other) == fit
    gone = replace(given, available=given.available & (given.person != "person 3"))
    assert excursion_effect(gone).effects[0].degrees_of_freedom == fit.effects[0].degrees_of_freedom - 1
    assert excursion_effect(gone).points == fit.points


def test_a_moderator_is_a_control_as_well() -> None:
    """Naming it among the controls changes nothing but the order; it counts for the degrees of freedom either way."""
    given = trial()
    without = replace(given, controls={"year": given.controls["year"]})
    assert excursion_effect(without) == excursion_effect(given)
    assert excursion_effect(given).effects[0].degrees_of_freedom == 14 - 5


def test_the_numerator_is_the_constant_probability_else_a_half() -> None:
    """Or whatever is given: with a constant probability and n = p all weights are 1."""
    given = trial()
    assert excursion_effect(given).numerator == 0.5
    assert excursion_effect(replace(given, numerator=0.3)).numerator == 0.3
    constant = replace(given, probability=0.6)
    assert excursion_effect(constant) == excursion_effect(replace(constant, numerator=0.6))
    assert excursion_effect(constant) != excursion_effect(replace(constant, numerator=0.5))
    by_row = excursion_effect(replace(given, numerator=0.3 + 0.4 * given.moderators["late"]))
    assert by_row.numerator is None


# ---------------------------------------------------------------- refused


def changed(**columns: Any) -> Change:
    return lambda given: replace(given, **columns)


ROWS = len(trial().person)
AVAILABLE = np.asarray(trial().available)
LATE = trial().controls["late"]
HOLE = np.where(np.arange(ROWS) == int(np.flatnonzero(AVAILABLE)[0]), np.nan, 0.5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (changed(outcome=HOLE), "outcome is missing or not finite at 1 of"),
        (changed(controls={"x": HOLE}), "control x is missing"),
        (changed(moderators={"m": HOLE * math.inf}), "moderator m is missing or not finite"),
        (changed(treatment=np.full(ROWS, 0.5)), "treatment is neither 0 nor 1"),
        (changed(probability=0.0), "probability is not strictly between 0 and 1"),
        (changed(probability=1.0), "probability is not strictly between 0 and 1"),
        (changed(probability=HOLE), "probability is missing"),
        (changed(numerator=1.5), "numerator is not strictly between 0 and 1"),
        (changed(outcome=np.zeros(3)), "outcome has 3 rows"),
        (changed(available=np.ones(3, np.bool_)), "availability has 3 rows"),
        (changed(available=np.zeros(ROWS, np.bool_)), "no decision point is available"),
        (changed(treatment=np.zeros(ROWS)), r"the effect of \(intercept\) cannot be told apart"),
        (changed(controls={"one": np.ones(ROWS)}), "the level of one cannot be told apart"),
        (changed(controls={"zero": np.zeros(ROWS)}), "the level of zero cannot be told apart"),
        (changed(controls={"late": LATE, "early": 1.0 - LATE}), "the level of early cannot be told apart"),
        (changed(controls={"x": (trial().person == "person 2") * 1.0}), "one person alone decides a coefficient"),
        (changed(available=AVAILABLE & np.isin(trial().person, ("person 0", "person 1"))), "2 people are too few"),
    ],
)
def test_data_that_cannot_be_fitted_are_refused_by_name(change: Change, message: str) -> None:
    """No figure comes of them; the trial as it is can be fitted (the control)."""
    assert math.isfinite(excursion_effect(trial()).effects[0].p)
    with pytest.raises(BadFile, match=message):
        excursion_effect(change(trial()))


def test_a_confidence_that_is_none_is_refused() -> None:
    assert excursion_effect(trial(), confidence=0.5).effects[0].low > excursion_effect(trial()).effects[0].low
    for confidence in (0.0, 1.0, 95.0, math.nan):
        with pytest.raises(UsageError, match="is not between 0 and 1"):
            excursion_effect(trial(), confidence=confidence)


# ---------------------------------------------------------------- simulated trials


def even(rng: np.random.Generator, people: int, effect: float) -> Trial:
    """Return people with 40 points each and an even lot; the marginal effect alone."""
    person = np.repeat(np.arange(people), 40)
    treatment = (rng.random(len(person)) < 0.5).astype(np.float64)
    outcome = rng.normal(size=people)[person] + effect * treatment + rng.normal(size=len(person))
    return Trial(person=person, outcome=outcome, treatment=treatment, probability=0.5, moderators={}, controls={})


def uneven(rng: np.random.Generator, people: int, effect: float) -> Trial:
    """Return people of whom a few have most points, whose effects differ, with offers where they are needed."""
    person = np.repeat(np.arange(people), np.where(np.arange(people) < people // 4, 90, 20))
    need = rng.random(len(person))
    probability = 0.3 + 0.4 * need
    treatment = (rng.random(len(person)) < probability).astype(np.float64)
    own = effect + 0.5 * rng.normal(size=people)
    outcome = rng.normal(size=people)[person] + own[person] * treatment + need + rng.normal(size=len(person))
    rest: dict[str, Any] = {"moderators": {}, "controls": {"need": need}}
    return Trial(person=person, outcome=outcome, treatment=treatment, probability=probability, **rest)


Make = Callable[[np.random.Generator, int, float], Trial]


def false_alarms(make: Make, people: int, trials: int, *, small_sample: bool) -> float:
    rng = np.random.default_rng(20261123)
    found = [excursion_effect(make(rng, people, 0.0), small_sample=small_sample).effects[0] for _ in range(trials)]
    return float(np.mean([coefficient.p < 0.05 for coefficient in found]))


def fits_of(make: Make, people: int, effect: float, trials: int) -> list[EffectFit]:
    rng = np.random.default_rng(20261124)
    return [excursion_effect(make(rng, people, effect)) for _ in range(trials)]


def test_no_effect_is_seldom_found_quickly() -> None:
    """Few trials and wide bounds; without the correction it is found more often in the same trials."""
    corrected = false_alarms(uneven, 12, 150, small_sample=True)
    assert 0.01 <= corrected <= 0.10
    assert false_alarms(uneven, 12, 150, small_sample=False) > corrected


def test_a_planted_effect_comes_back_quickly() -> None:
    """On average it is the one planted, and most intervals hold it; a plain difference of means is far off."""
    fits = fits_of(uneven, 24, 0.3, 150)
    effects = [fit.effects[0] for fit in fits]
    assert np.mean([coefficient.estimate for coefficient in effects]) == pytest.approx(0.3, abs=0.05)
    assert 0.88 <= np.mean([coefficient.low <= 0.3 <= coefficient.high for coefficient in effects]) <= 0.99
    rng = np.random.default_rng(1)
    made = [uneven(rng, 24, 0.3) for _ in range(60)]
    plain = [trial.outcome[trial.treatment == 1].mean() - trial.outcome[trial.treatment == 0].mean() for trial in made]
    assert np.mean(plain) > 0.35


@pytest.mark.slow
@pytest.mark.parametrize("make", [even, uneven])
@pytest.mark.parametrize("people", [12, 30])
def test_no_effect_is_found_in_one_of_twenty_trials(make: Make, people: int) -> None:
    """Within .035 and .065 of 2,000 trials; without the correction more often, and with uneven people too often."""
    corrected = false_alarms(make, people, 2000, small_sample=True)
    plain = false_alarms(make, people, 2000, small_sample=False)
    print(f"{make.__name__}, {people} people: {corrected:.3f} corrected, {plain:.3f} not")
    assert 0.035 <= corrected <= 0.065
    assert plain > corrected
    assert make is even or plain > 0.065


@pytest.mark.slow
@pytest.mark.parametrize("people", [12, 30])
def test_intervals_hold_a_planted_effect(people: int) -> None:
    """95 in 100, give or take chance and what few people allow."""
    effects = [fit.effects[0] for fit in fits_of(uneven, people, 0.3, 2000)]
    assert np.mean([coefficient.estimate for coefficient in effects]) == pytest.approx(0.3, abs=0.02)
    assert 0.935 <= np.mean([coefficient.low <= 0.3 <= coefficient.high for coefficient in effects]) <= 0.965
