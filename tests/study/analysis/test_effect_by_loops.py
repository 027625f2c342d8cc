"""The causal excursion effect once more, written down from the papers in plain loops, without a shared line."""

import math
import random
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest

from study.analysis.effect import Trial, excursion_effect

Matrix = list[list[float]]


class Point(NamedTuple):
    """One decision point."""

    person: int
    available: bool
    probability: float
    treatment: int
    outcome: float
    moderators: tuple[float, ...]
    controls: tuple[float, ...]


def inverse(matrix: Matrix) -> Matrix:
    """Return the inverse, by Gauss and Jordan with the largest pivot."""
    size = len(matrix)
    work = [[*row, *(float(at == column) for column in range(size))] for at, row in enumerate(matrix)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(work[row][column]))
        work[column], work[pivot] = work[pivot], work[column]
        work[column] = [value / work[column][column] for value in work[column]]
        for row in range(size):
            if row != column:
                factor = work[row][column]
                work[row] = [one - factor * two for one, two in zip(work[row], work[column], strict=True)]
    return [row[size:] for row in work]


def product(one: Matrix, other: Matrix) -> Matrix:
    """Return the product of two matrices."""
    return [
        [sum(a * b for a, b in zip(row, column, strict=True)) for column in zip(*other, strict=True)] for row in one
    ]


def by_loops(points: Sequence[Point], numerator: float | None) -> tuple[list[float], list[float], int]:
    """Return coefficients, standard errors and degrees of freedom.

    The estimating equation of Boruvka and others (2018), at lag one: the sum over people and their available points of
    W (Y - g'a - (A - n) f'b) (g, (A - n) f) is zero, with f = (1, moderators), g = (1, controls, moderators), and
    W = (n/p)^A ((1-n)/(1-p))^(1-A). The variance is B^-1 M B^-1 with B the sum of W d d', M the sum over people of uu',
    u = D' W (I - H)^-1 r and H = D B^-1 D' W (Mancl and DeRouen, 2001). Degrees of freedom: people with an available
    point less the number of coefficients (n - p - q of Boruvka and others).
    """
    used = [point for point in points if point.available]
    chances = {point.probability for point in used}
    n = numerator if numerator is not None else (chances.pop() if len(chances) == 1 else 0.5)
    people: dict[int, list[tuple[list[float], float, float]]] = {}
    for used_point in used:
        centered = used_point.treatment - n
        features = (1.0, *used_point.moderators)
        row = [1.0, *used_point.controls, *used_point.moderators, *(centered * feature for feature in features)]
        weight = n / used_point.probability if used_point.treatment else (1.0 - n) / (1.0 - used_point.probability)
        people.setdefault(used_point.person, []).append((row, weight, used_point.outcome))
    size = len(next(iter(people.values()))[0][0])
    bread, right = [[0.0] * size for _ in range(size)], [0.0] * size
    for rows in people.values():
        for row, weight, outcome in rows:
            for i in range(size):
                right[i] += weight * row[i] * outcome
                for j in range(size):
                    bread[i][j] += weight * row[i] * row[j]
    bread = inverse(bread)
    solution = [sum(bread[i][j] * right[j] for j in range(size)) for i in range(size)]
    meat = [[0.0] * size for _ in range(size)]
    for rows in people.values():
        count = len(rows)
        residual = [[outcome - sum(x * b for x, b in zip(row, solution, strict=True))] for row, _, outcome in rows]
        left = product([row for row, _, _ in rows], bread)
        hat = [
            [sum(x * y for x, y in zip(left[i], row, strict=True)) * weight for row, weight, _ in rows]
            for i in range(count)
        ]
        lifted = product(inverse([[float(i == j) - hat[i][j] for j in range(count)] for i in range(count)]), residual)
        score = [sum(row[i] * weight * lifted[at][0] for at, (row, weight, _) in enumerate(rows)) for i in range(size)]
        for i in range(size):
            for j in range(size):
                meat[i][j] += score[i] * score[j]
    variance = product(product(bread, meat), bread)
    return solution, [math.sqrt(variance[i][i]) for i in range(size)], len(people) - size


def simulated(seed: int, *, moderators: int, controls: int, constant: bool) -> list[Point]:
    """Return a trial of 11 people, with points at which nobody was available."""
    rng = random.Random(seed)
    points = []
    for person in range(11):
        level = rng.gauss(0, 1)
        for _ in range(rng.randrange(6, 15)):
            chance = 0.6 if constant else rng.choice((0.2, 0.5, 0.7))
            available = rng.random() < 0.75
            treatment = int(available and rng.random() < chance)
            features = tuple(rng.gauss(0, 1) for _ in range(moderators))
            others = tuple(rng.gauss(2, 3) for _ in range(controls))
            outcome = level + 0.4 * treatment + sum(features) * (0.3 + treatment) + sum(others) + rng.gauss(0, 1)
            points.append(Point(person, available, chance, treatment, outcome, features, others))
    return points


@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize(("moderators", "controls"), [(0, 0), (0, 2), (1, 0), (2, 1)])
@pytest.mark.parametrize("numerator", [None, 0.35])
def test_plain_loops_give_the_same(moderators: int, controls: int, numerator: float | None, *, constant: bool) -> None:
    """Coefficients, standard errors and degrees of freedom, to nine digits."""
    points = simulated(moderators + 10 * controls, moderators=moderators, controls=controls, constant=constant)
    coefficients, errors, degrees = by_loops(points, numerator)
    fit = excursion_effect(
        Trial(
            person=np.array([point.person for point in points]),
            outcome=np.array([point.outcome for point in points]),
            treatment=np.array([float(point.treatment) for point in points]),
            probability=np.array([point.probability for point in points]),
            available=np.array([point.available for point in points]),
            moderators={f"m{at}": np.array([point.moderators[at] for point in points]) for at in range(moderators)},
            controls={f"c{at}": np.array([point.controls[at] for point in points]) for at in range(controls)},
            numerator=numerator,
        )
    )
    found = [*fit.controls, *fit.effects]
    assert [fitted.estimate for fitted in found] == pytest.approx(coefficients, rel=1e-9)
    assert [fitted.standard_error for fitted in found] == pytest.approx(errors, rel=1e-9)
    assert {fitted.degrees_of_freedom for fitted in found} == {degrees}
    assert degrees == 11 - (1 + controls + moderators) - (1 + moderators)
    assert len(found) == 2 + controls + 2 * moderators


def test_leaving_out_the_weights_or_the_correction_shows() -> None:
    """The control: the comparison above would notice either."""
    points = simulated(3, moderators=1, controls=1, constant=False)
    coefficients, errors, _ = by_loops(points, None)
    unweighted, _, _ = by_loops([point._replace(probability=0.5) for point in points], None)
    assert unweighted != pytest.approx(coefficients, rel=1e-3)
    fit = excursion_effect(
        Trial(
            person=np.array([point.person for point in points]),
            outcome=np.array([point.outcome for point in points]),
            treatment=np.array([float(point.treatment) for point in points]),
            probability=np.array([point.probability for point in points]),
            available=np.array([point.available for point in points]),
            moderators={"m": np.array([point.moderators[0] for point in points])},
            controls={"c": np.array([point.controls[0] for point in points])},
        ),
        small_sample=False,
    )
    uncorrected = [coefficient.standard_error for coefficient in (*fit.controls, *fit.effects)]
    assert all(one < two * 0.98 for one, two in zip(uncorrected, errors, strict=True))
