"""Tables by arm: counts by hand, intervals that draw people, fair and unfair lots, values of other policies."""

import math
from dataclasses import replace

import numpy as np
import pytest

from study.analysis.tables import (
    Points,
    Questions,
    acceptance,
    answers,
    balance,
    endings,
    need_thresholds,
    policy_values,
    ratio_by_person,
)
from tests.fakes.studies.analysis import simulated_points, simulated_questions


def few_points() -> Points:
    return Points(
        person=np.array([1, 1, 2, 2, 3, 3, 4, 4]),
        arm=np.array(["a"] * 6 + ["b"] * 2),
        phase=np.full(8, "lots"),
        available=np.array([1, 1, 1, 0, 1, 1, 1, 0], np.bool_),
        propensity=np.array([0.5, 0.5, 0.25, 0.0, 0.5, 0.25, 1.0, 0.0]),
        offered=np.array([1, 0, 1, 0, 1, 1, 1, 0], np.bool_),
        accepted=np.array([1, 0, 0, 0, 1, 0, 0, 0], np.bool_),
        need=np.full(8, 0.5),
        outcome=np.array([1.0, 0.0, 1.0, math.nan, 0.0, 1.0, 1.0, math.nan]),
    )


def test_offers_are_counted_by_arm() -> None:
    """Of available points so many had an offer, of offers so many were accepted; few people have no interval."""
    first, second = acceptance(few_points())
    assert (first.arm, first.people, first.points) == ("a", 3, 6)
    assert (first.available, first.offers, first.accepted) == (5, 4, 2)
    assert first.offered_share.value == pytest.approx(4 / 5)
    assert first.accepted_share.value == pytest.approx(2 / 4)
    assert math.isnan(first.accepted_share.low)
    assert (second.arm, second.people, second.offers, second.accepted_share.value) == ("b", 1, 1, 0.0)


def test_an_arm_without_offers_has_no_share() -> None:
    """Nothing is divided by nothing."""
    silent = replace(few_points(), offered=np.zeros(8, np.bool_))
    assert all(math.isnan(row.accepted_share.value) for row in acceptance(silent))


def test_intervals_draw_people_not_rows() -> None:
    """Rows that repeat what a person did once say nothing new; people who differ widen the interval (the control)."""
    rng = np.random.default_rng(2)
    habits = rng.random(40) < 0.5
    person = np.arange(40)
    once = ratio_by_person(person, habits, np.ones(40))
    often = ratio_by_person(np.repeat(person, 50), np.repeat(habits, 50), np.ones(2000))
    assert (often.value, often.low, often.high) == (once.value, once.low, once.high)
    alike = ratio_by_person(np.repeat(person, 50), rng.random(2000) < 0.5, np.ones(2000))
    assert alike.high - alike.low < (often.high - often.low) / 3
    assert often.high - often.low == pytest.approx(2 * 1.96 * math.sqrt(0.25 / 40), rel=0.15)


def test_questions_are_counted_by_arm_and_ending() -> None:
    """Means are of answers alone; every question that was due ended in some way."""
    asked = Questions(
        person=np.array([1, 1, 2, 2, 3]),
        arm=np.array(["a", "a", "a", "a", "b"]),
        question=np.array(["stuck", "stuck", "stuck", "moment", "stuck"]),
        ended=np.array(["answered", "typing", "answered", "expired", "typing"]),
        value=np.array([4.0, math.nan, 1.0, math.nan, math.nan]),
    )
    moment, in_a, in_b = answers(asked)
    assert (moment.question, moment.arm, moment.due, moment.answered) == ("moment", "a", 1, 0)
    assert math.isnan(moment.mean.value)
    assert (in_a.arm, in_a.people, in_a.due, in_a.answered) == ("a", 2, 3, 2)
    assert [in_a.answered_share.value, in_a.mean.value] == pytest.approx([2 / 3, 2.5])
    assert (in_b.arm, in_b.answered_share.value) == ("b", 0.0)
    ends = [(ending.arm, ending.ended, ending.count) for ending in endings(asked)]
    assert ends == [("a", "answered", 2), ("a", "expired", 1), ("a", "typing", 1), ("b", "typing", 1)]
    assert sum(ending.count for ending in endings(simulated_questions())) == len(simulated_questions().person)


def test_the_balance_of_lots_by_hand() -> None:
    """Certain offers and points without anybody are no lots; four of five is 2 more than expected."""
    (row,) = balance(few_points())
    assert (row.arm, row.phase, row.lots) == ("a", "lots", 5)
    assert [row.expected, row.observed] == pytest.approx([0.4, 0.8])
    assert row.z == pytest.approx(2.0 / math.sqrt(3 * 0.25 + 2 * 0.1875))
    assert math.isnan(row.p)  # five lots are too few


def test_fair_lots_are_in_balance_and_unfair_ones_are_not() -> None:
    """Over 60 studies the statistic is standard normal; lots drawn otherwise than logged are far outside."""
    fair = [row for seed in range(60) for row in balance(simulated_points(people=8, seed=seed))]
    assert len(fair) == 120
    assert np.mean([row.z for row in fair]) == pytest.approx(0.0, abs=0.3)
    assert np.std([row.z for row in fair]) == pytest.approx(1.0, abs=0.2)
    assert np.mean([row.p < 0.05 for row in fair]) < 0.12
    assert all(row.p < 1e-4 for row in balance(simulated_points(lots_lie=True)))


def test_values_of_other_policies_come_back() -> None:
    """Always and never differ by the planted effect, and a policy by need lies between, as its share of offers says.

    A plain mean over the points with an offer is another thing (the control): offers fell where need was high.
    """
    made = [simulated_points(people=40, effect=0.2, seed=seed) for seed in range(8)]
    found = [policy_values(points, need_thresholds(0.5)) for points in made]
    assert [row.policy for row in found[0]] == ["never offer", "always offer", "offer from need 0.5"]
    assert found[0][0].points == int(made[0].drawn.sum())
    for at, true in enumerate((0.4, 0.6, 0.5)):
        values = [row for rows in found if (row := rows[at].doubly_robust) is not None]
        others = [row for rows in found if (row := rows[at].inverse_propensity) is not None]
        assert np.mean([policy.value for policy in values]) == pytest.approx(true, abs=0.013)
        assert np.mean([policy.value for policy in others]) == pytest.approx(true, abs=0.02)
        assert sum(policy.low < true < policy.high for policy in values) >= 6
    plain = [points.outcome[points.offered].mean() for points in made]
    assert np.mean(plain) > 0.613


def test_without_lots_that_cover_a_policy_it_has_no_value() -> None:
    """Nobody was ever left without an offer at high need, so nothing is known of one who holds there."""
    points = simulated_points(people=40)
    sure = replace(points, propensity=np.where(points.drawn & (points.need > 0.7), 0.9999, points.propensity))
    sure = replace(sure, offered=np.where(sure.propensity == 0.9999, sure.drawn, sure.offered))
    never, always = policy_values(sure, need_thresholds())
    assert never.doubly_robust is None
    assert always.doubly_robust is not None
    assert policy_values(replace(points, outcome=np.full(len(points.need), math.nan)), need_thresholds())[0].points == 0
