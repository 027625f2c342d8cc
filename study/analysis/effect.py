"""The causal excursion effect of a micro-randomised trial, by weighted and centered least squares (WCLS).

At each decision point a person who is available gets the treatment (an offer) by a lot of known probability. The
effect is the difference that the treatment makes to the outcome that follows, averaged over the course that the trial
took up to there, as a linear function of moderators that were known before the lot.

What is computed, with A the treatment, p its probability, n the numerator probability, Y the outcome, S the moderators
and H the controls, over the points at which the person was available (all others have weight 0 and are left out):

- **Design**: an intercept, the controls, then each moderator that is not among the controls (where the effect depends
  on S, the level may, too), then (A - n) times an intercept and each moderator. With no moderator the one effect is the
  marginal one. `k` counts all these columns.
- **Weights**: (n / p) where A = 1, ((1 - n) / (1 - p)) where A = 0. Where p does not depend on anything and n = p, all
  weights are 1.
- **Numerator**: as given, a number or one a row, which may depend on the moderators alone, else the estimate is biased.
  Where none is given it is p if p is the same at all available points, else 0.5.
- **Coefficients**: weighted least squares. Only the effects have a meaning without a correct model of the controls.
- **Covariance**: the sandwich, clustered by person, with the correction of Mancl and DeRouen: a person's residuals r
  are replaced by (I - P)^-1 r with P the person's block of the weighted hat matrix. Probabilities count as known.
- **Reference**: t with (people who were available at least once) - k degrees of freedom, for p-values and intervals.

These are the choices of the R package MRTAnalysis (`wcls`), with one difference: there the correction ends above 50
people, here it never does, as it vanishes by itself.

Sources: Boruvka, Almirall, Witkiewitz and Murphy, "Assessing time-varying causal effect moderation in mobile health",
JASA 113 (2018), for the estimator; Mancl and DeRouen, Biometrics 57 (2001), for the correction; Liao, Klasnja, Tewari
and Murphy, Statistics in Medicine 35 (2016), for the degrees of freedom.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit

from storage.errors import BadFile, UsageError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

INTERCEPT = "(intercept)"
CONFIDENCE = 0.95
UNKNOWN_NUMERATOR = 0.5
"""The numerator probability where the probability varies and none is given."""

_SINGULAR = 1e-11
"""Columns whose part that the others do not explain is smaller, squared and relative, count as explained by them."""

_WHOLE_LEVERAGE = 1.0 - 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A micro-randomised trial, one decision point a row; arrays have shape (rows,), in any order.

    Attributes:
        person: who; anything that numpy can sort.
        outcome: what followed.
        treatment: 1 where the lot fell on the treatment, else 0.
        probability: with which the treatment was drawn, strictly between 0 and 1; one number where it never changed.
        available: whether there was a lot; None where there always was. Nothing else is read where it is False.
        moderators: by name, what the effect may depend on.
        controls: by name, what explains the outcome otherwise, known before the lot.
        numerator: the numerator probability; None chooses it (see the module).
    """

    person: NDArray[np.generic]
    outcome: Floats
    treatment: Floats
    probability: Floats | float
    available: Bools | None = None
    moderators: Mapping[str, Floats]
    controls: Mapping[str, Floats]
    numerator: Floats | float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """One coefficient with its standard error, t statistic, p-value (two-sided) and confidence interval."""

    name: str
    estimate: float
    standard_error: float
    t: float
    degrees_of_freedom: int
    p: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectFit:
    """The fitted effect.

    Attributes:
        effects: the intercept and each moderator.
        controls: the other coefficients, which mean nothing unless their model is right.
        people: who were available at least once.
        points: decision points in all, of which `available_points` were used.
        numerator: the numerator probability, or None where it differs between rows.
        confidence: of the intervals.
        small_sample: whether the covariance is corrected.
    """

    effects: tuple[Coefficient, ...]
    controls: tuple[Coefficient, ...]
    people: int
    points: int
    available_points: int
    numerator: float | None
    confidence: float
    small_sample: bool


def excursion_effect(trial: Trial, *, confidence: float = CONFIDENCE, small_sample: bool = True) -> EffectFit:
    """Estimate the causal excursion effect, as described at the top of this module.

    The correction takes no matrix of a person's rows: with X a person's design, W the weights and B the inverse of all
    people's X'WX, X'W (I - X B X'W)^-1 = (I - X'WX B)^-1 X'W (the push-through identity, a case of Woodbury's), so that
    sums of k x k numbers by person are enough.

    `confidence`: of the intervals, between 0 and 1. `small_sample`: False leaves the correction out, which makes tests
    and intervals too bold with few people.

    Raises:
        UsageError: `confidence` is not between 0 and 1.
        BadFile: columns of different lengths; a value missing, infinite or out of range at an available point; too few
            people for the number of columns; a column that others explain; a coefficient that one person decides.
    """
    if not 0.0 < confidence < 1.0:
        raise UsageError(f"a confidence of {confidence:g} is not between 0 and 1", remedy="the usual one is 0.95")
    rows = _usable(trial)
    names, columns = _design(rows)
    people, k = int(rows.person.max()) + 1, len(columns)
    if people <= k:
        raise BadFile(
            f"{people} {'person is' if people == 1 else 'people are'} too few for {k} coefficients: "
            "the test would have no degrees of freedom",
            remedy="leave out moderators or controls, or add people",
        )
    lengths = np.sqrt([float(rows.weight @ column**2) for column in columns])
    lengths[lengths == 0.0] = 1.0
    columns = [column / length for column, length in zip(columns, lengths, strict=True)]
    weighted = [rows.weight * column for column in columns]
    grams = _grams(columns, weighted, rows.person)
    gram = grams.sum(axis=0)
    _check_rank(gram, names)
    root = np.linalg.cholesky(gram)

    solution = np.zeros(k)
    residual = rows.outcome
    for _ in range(2):  # the second step takes out what rounding left in the first
        step = _solve(root, np.array([column @ residual for column in weighted]))
        solution = solution + step
        residual = residual - sum(part * column for part, column in zip(step, columns, strict=True))
    scores = np.stack([np.bincount(rows.person, column * residual) for column in weighted], axis=1)
    halves = np.linalg.solve(root, scores.T).T
    if small_sample:
        halves = _corrected(halves, grams, root)
    influence = np.linalg.solve(root.T, halves.T)  # of each person on each coefficient
    error = np.sqrt((influence**2).sum(axis=1)) / lengths
    found = _coefficients(names, solution / lengths, error, people - k, confidence)
    effects = len(rows.moderators) + 1
    return EffectFit(
        effects=found[-effects:],
        controls=found[:-effects],
        people=people,
        points=rows.points,
        available_points=len(rows.outcome),
        numerator=float(rows.numerator[0]) if (rows.numerator == rows.numerator[0]).all() else None,
        confidence=confidence,
        small_sample=small_sample,
    )


# ---------------------------------------------------------------- input


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    """What is fitted: the available points alone, with people numbered from 0, weights, and the points there were."""

    person: Ints
    outcome: Floats
    treatment: Floats
    numerator: Floats
    weight: Floats
    moderators: Mapping[str, Floats]
    controls: Mapping[str, Floats]
    points: int


def _usable(trial: Trial) -> _Rows:
    points = len(trial.person)
    keep = slice(None) if trial.available is None else np.asarray(trial.available, np.bool_)
    if isinstance(keep, np.ndarray) and len(keep) != points:
        raise BadFile(f"availability has {len(keep)} rows, the persons {points}", remedy="give one a row")

    def column(name: str, values: ArrayLike) -> Floats:
        found = np.asarray(values, np.float64)
        if found.ndim == 0:
            found = np.full(points, found)
        if len(found) != points:
            raise BadFile(f"{name} has {len(found)} rows, the persons {points}", remedy="give one a row")
        found = found[keep]
        bad = int(np.count_nonzero(~np.isfinite(found)))
        if bad:
            raise BadFile(
                f"{name} is missing or not finite at {bad} of {len(found)} available points",
                remedy="leave those points out on purpose, or mark them as not available, and say so in the report",
            )
        return found

    def share(name: str, values: ArrayLike) -> Floats:
        found = column(name, values)
        outside = int(np.count_nonzero((found <= 0.0) | (found >= 1.0)))
        if outside:
            raise BadFile(
                f"{name} is not strictly between 0 and 1 at {outside} of {len(found)} available points",
                remedy="points without a real assignment say nothing about the effect: mark them as not available",
            )
        return found

    _, person = np.unique(np.asarray(trial.person)[keep], return_inverse=True)
    if not len(person):
        raise BadFile("no decision point is available", remedy="look at the availability column")
    treatment = column("treatment", trial.treatment)
    if not np.isin(treatment, (0.0, 1.0)).all():
        raise BadFile("treatment is neither 0 nor 1 at some available points", remedy="give 1 for treated, else 0")
    probability = share("probability", trial.probability)
    numerator = trial.numerator
    if numerator is None:
        numerator = probability[0] if (probability == probability[0]).all() else UNKNOWN_NUMERATOR
    chosen = share("numerator", numerator)
    return _Rows(
        person=person,
        outcome=column("outcome", trial.outcome),
        treatment=treatment,
        numerator=chosen,
        weight=np.where(treatment == 1.0, chosen / probability, (1.0 - chosen) / (1.0 - probability)),
        moderators={name: column(f"moderator {name}", values) for name, values in trial.moderators.items()},
        controls={name: column(f"control {name}", values) for name, values in trial.controls.items()},
        points=points,
    )


def _design(rows: _Rows) -> tuple[list[str], list[Floats]]:
    """Return names and columns of the design, the effects last."""
    levels = {**rows.controls, **{name: one for name, one in rows.moderators.items() if name not in rows.controls}}
    centered = rows.treatment - rows.numerator
    ones = np.ones(len(centered))
    names = [INTERCEPT, *levels, INTERCEPT, *rows.moderators]
    return names, [ones, *levels.values(), centered, *(centered * moderator for moderator in rows.moderators.values())]


# ---------------------------------------------------------------- algebra


def _grams(columns: Sequence[Floats], weighted: Sequence[Floats], person: Ints) -> Floats:
    """Return X'WX of each person, shape (people, k, k)."""
    k = len(columns)
    found = np.empty((int(person.max()) + 1, k, k))
    for row in range(k):
        for column in range(row + 1):
            found[:, row, column] = found[:, column, row] = np.bincount(person, columns[row] * weighted[column])
    return found


def _check_rank(gram: Floats, names: Sequence[str]) -> None:
    """Make sure that no column is explained by those before it; `gram` is of columns of length 1."""
    left = gram.copy()
    for at, name in enumerate(names):
        if left[at, at] < _SINGULAR:
            effect = at >= len(names) - names[::-1].index(INTERCEPT) - 1
            role = "effect of" if effect else "level of"
            raise BadFile(
                f"the {role} {name} cannot be told apart from the columns before it ({', '.join(names[:at])})",
                remedy="leave out what is constant or follows from other columns; the treatment must vary, too",
            )
        left = left - np.outer(left[:, at], left[at]) / left[at, at]


def _solve(root: Floats, right: Floats) -> Floats:
    """Solve with a matrix of which the Cholesky factor is given."""
    found: Floats = np.linalg.solve(root.T, np.linalg.solve(root, right))
    return found


def _corrected(halves: Floats, grams: Floats, root: Floats) -> Floats:
    """Apply the correction of Mancl and DeRouen to the scores of people, given as R^-1 X'Wr with RR' the whole X'WX.

    In these units it is (I - S)^-1 with S = R^-1 G R'^-1, symmetric, its eigenvalues a person's leverages.
    """
    inverse = np.linalg.inv(root)
    leverage, direction = np.linalg.eigh(inverse @ grams @ inverse.T)
    if leverage.max() > _WHOLE_LEVERAGE:
        raise BadFile(
            "one person alone decides a coefficient, so that its error cannot be estimated",
            remedy="leave out the moderator or control that varies in one person only",
        )
    turned = np.einsum("ijk,ij->ik", direction, halves) / (1.0 - leverage)
    found: Floats = np.einsum("ijk,ik->ij", direction, turned)
    return found


def _coefficients(
    names: Sequence[str], estimates: Floats, errors: Floats, degrees: int, confidence: float
) -> tuple[Coefficient, ...]:
    reach = float(stdtrit(degrees, 0.5 + confidence / 2.0))
    found = []
    for name, estimate, error in zip(names, estimates.tolist(), errors.tolist(), strict=True):
        t = estimate / error if error > 0.0 else float("nan")
        found.append(
            Coefficient(
                name=name,
                estimate=estimate,
                standard_error=error,
                t=t,
                degrees_of_freedom=degrees,
                p=2.0 * float(stdtr(degrees, -abs(t))),
                low=estimate - reach * error,
                high=estimate + reach * error,
            )
        )
    return tuple(found)
