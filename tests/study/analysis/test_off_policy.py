"""Off-policy estimates against a simulated truth that is known exactly, and silence where there is no overlap."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from study.analysis.off_policy import LoggedDecision, Target, estimate
from tests.fakes.narrowing import present

TARGETS: Mapping[str, Target] = {
    "silent": lambda _: 0.0,
    "random": lambda _: 0.1,
    "always": lambda _: 1.0,
    "threshold": lambda numbers: float(numbers["help_need"] >= 0.6),
}
SESSIONS, A_SESSION = 50, 40

Chance = Callable[[float], float]


def reward(need: float) -> float:
    """Return what an offer is worth on average at this help need: more than a line can say."""
    return 100.0 * need**2 - 30.0


def known(need: float) -> dict[str, float]:
    return {"help_need": need}


def world(chance: Chance, seed: int, rewards: Callable[[float], float] = reward) -> list[LoggedDecision]:
    """Return the log of one who offers with a chance that may depend on help need, in sessions that differ."""
    rng = np.random.default_rng(seed)
    found = []
    for session in range(SESSIONS):
        mood = rng.normal(0.0, 5.0)
        for _ in range(A_SESSION):
            need = float(rng.uniform(0.02, 0.98))
            probability = chance(need)
            offered = bool(rng.random() < probability)
            reward_s = rewards(need) + mood + float(rng.normal(0.0, 15.0)) if offered else 0.0
            drawn: dict[str, Any] = {"offered": offered, "propensity": probability if offered else 1.0 - probability}
            found.append(LoggedDecision(session=session, numbers=known(need), **drawn, reward_s=reward_s))
    return found


def worth(target: Target) -> float:
    """Return what a policy is truly worth a decision, by summing over all help needs."""
    grid = np.linspace(0.02, 0.98, 4001).tolist()
    return float(np.mean([target(known(need)) * reward(need) for need in grid]))


@pytest.mark.parametrize("name", ["random", "always", "threshold"])
@pytest.mark.parametrize("chance", [lambda need: 0.3, lambda need: 0.15 + 0.5 * need], ids=["even", "leaning"])
def test_both_estimators_find_the_truth(name: str, chance: Chance) -> None:
    target = TARGETS[name]
    held, errors = 0, []
    for seed in range(12):
        found = present(estimate(world(chance, seed), target))
        held += sum(interval.low <= worth(target) <= interval.high for interval in (found.ips_s, found.dr_s))
        errors.append((found.ips_s.value - worth(target), found.dr_s.value - worth(target)))
    assert held >= 20
    bias = np.abs(np.mean(errors, axis=0))
    assert (bias <= 1.5).all()


def test_the_plain_mean_would_be_wrong() -> None:
    """The control: what a leaning log earned an offer, on average, is not what one would have who always offers."""
    logs = [world(lambda need: 0.15 + 0.5 * need, seed) for seed in range(8)]
    plain = np.mean([decision.reward_s for log in logs for decision in log if decision.offered])
    assert plain - worth(TARGETS["always"]) > 5.0


def test_a_model_of_the_reward_helps() -> None:
    found = [estimate(world(lambda need: 0.2, seed), TARGETS["threshold"]) for seed in range(12)]
    by_propensity, doubly_robust = zip(
        *((value.ips_s.value, value.dr_s.value) for value in found if value), strict=True
    )
    assert np.std(doubly_robust) < np.std(by_propensity)


@pytest.mark.parametrize("name", ["silent", "always", "threshold"])
def test_rewards_of_holding_count_where_there_are_any(name: str) -> None:
    """With an outcome after every decision a policy is worth what both of its actions bring."""

    def after_all(seed: int) -> list[LoggedDecision]:
        log = world(lambda need: 0.15 + 0.5 * need, seed)
        return [row if row.offered else replace(row, reward_s=40.0 * row.numbers["help_need"]) for row in log]

    grid = [known(need) for need in np.linspace(0.02, 0.98, 4001).tolist()]
    held = np.mean([(1.0 - TARGETS[name](numbers)) * 40.0 * numbers["help_need"] for numbers in grid])
    found = [estimate(after_all(seed), TARGETS[name]) for seed in range(8)]
    truth = worth(TARGETS[name]) + held
    assert np.mean([value.dr_s.value for value in found if value]) == pytest.approx(truth, abs=1.0)
    assert np.mean([value.ips_s.value for value in found if value]) == pytest.approx(truth, abs=2.0)


def test_few_sessions_leave_the_interval_open() -> None:
    """Four sessions can be drawn again and again without saying much: the interval then has no ends."""
    log = [replace(row, session=row.session % 4) for row in world(lambda need: 0.3, 1)]
    found = present(estimate(log, TARGETS["always"]))
    assert (found.ips_s.low, found.ips_s.high) == (-math.inf, math.inf)


def test_without_chance_there_is_no_overlap() -> None:
    """One who never offers somewhere tells nothing about one who would; few offers tell nothing either."""
    never_high = world(lambda need: 0.0 if need > 0.7 else 0.4, 1)
    assert estimate(never_high, TARGETS["threshold"]) is None
    assert estimate(never_high, TARGETS["silent"]) is not None
    assert estimate(world(lambda need: 0.3, 1)[:30], TARGETS["always"]) is None
    assert estimate([], TARGETS["always"]) is None
