"""Off-policy estimates: the value of a policy from the log of another that chose at random.

Means are over decisions that were drawn, with the probability they were logged with. Decisions of probability 1 are
certain: where another policy might offer there, or where drawn decisions hardly cover what it would do, there is no
overlap, and nothing is estimated. Two estimators: by inverse propensity (IPS), and doubly robust (DR), which adds a
model of the reward fitted on the other sessions. Holding has the value 0, unless decisions are logged that held and
have a reward of their own, as the outcomes of a study.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from daemon.figures.intervals import Interval
from daemon.figures.resampling import Bools, Draws, Floats, Ints

LEAST_PROPENSITY = 0.01
LEAST_EFFECTIVE = 20.0
"""Offers, after weighting, that a policy needs for an estimate; fewer are chance."""

LEAST_SESSIONS = 5
"""Sessions an interval needs; with fewer it has no ends."""

_RIDGE = 1.0
_EDGE = 1e-3
_FOLDS = 5

Target = Callable[[Mapping[str, float]], float]
"""Gives the probability of offering from the numbers of a decision; raises KeyError where it needs others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedDecision:
    """One decision: its numbers, whether it offered, with which probability, and the reward; a certain hold has 1."""

    session: int
    numbers: Mapping[str, float]
    offered: bool
    propensity: float
    reward_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyValue:
    """The estimated value in seconds a decision, and the effective number of offers (after weighting) behind it.

    Where holding has rewards, in their unit and with holds counted.
    """

    decisions: int
    effective: float
    ips_s: Interval
    dr_s: Interval


def estimate(logged: Sequence[LoggedDecision], target: Target) -> PolicyValue | None:
    """Return the value of a policy per drawn decision, or None where there is no overlap."""
    drawn = [decision for decision in logged if decision.propensity < 1.0]
    if not drawn:
        return None
    try:
        sure = [target(decision.numbers) for decision in logged if decision.propensity == 1.0]
        wanted = np.array([target(decision.numbers) for decision in drawn], np.float64)
    except KeyError:
        return None
    offered = np.array([decision.offered for decision in drawn], np.float64)
    taken = np.array([decision.propensity for decision in drawn], np.float64)
    chance = np.where(offered > 0, taken, 1.0 - taken)
    if any(sure) or (chance[wanted > 0] < LEAST_PROPENSITY).any():
        return None
    reward = np.array([decision.reward_s for decision in drawn], np.float64)
    held = 1.0 - offered
    holds_count = bool((reward * held).any())
    if holds_count and (1.0 - chance[wanted < 1] < LEAST_PROPENSITY).any():
        return None
    weights = wanted * offered / np.maximum(chance, LEAST_PROPENSITY)
    hold_weights = holds_count * (1.0 - wanted) * held / np.maximum(1.0 - chance, LEAST_PROPENSITY)
    speaking = weights + hold_weights
    effective = float(speaking.sum() ** 2 / (speaking**2).sum()) if speaking.any() else 0.0
    if (wanted.any() or holds_count) and effective < LEAST_EFFECTIVE:
        return None
    sessions = np.unique([decision.session for decision in drawn], return_inverse=True)[1].astype(np.int64)
    feature = np.array([_feature(decision.numbers) for decision in drawn])
    model = _rewards(feature, reward, offered > 0, sessions)
    hold_model = _rewards(feature, reward, held > 0, sessions) if holds_count else np.zeros(len(drawn))
    return PolicyValue(
        decisions=len(drawn),
        effective=effective,
        ips_s=_mean(weights * reward + hold_weights * reward, sessions),
        dr_s=_mean(
            wanted * model
            + weights * (reward - model)
            + (1.0 - wanted) * hold_model
            + hold_weights * (reward - hold_model),
            sessions,
        ),
    )


def _mean(values: Floats, sessions: Ints) -> Interval:
    many = int(sessions.max()) + 1
    found = Draws(many).ratio(np.bincount(sessions, values).tolist(), np.bincount(sessions).tolist())
    return found if many >= LEAST_SESSIONS else replace(found, low=-math.inf, high=math.inf)


def _rewards(feature: Floats, reward: Floats, kind: Bools, sessions: Ints) -> Floats:
    """Return for each decision the reward that those of a kind in other sessions let expect, by a ridge regression."""
    design = np.stack((np.ones_like(feature), feature), axis=1)
    found = np.zeros(len(feature))
    for fold in range(_FOLDS):
        hidden = sessions % _FOLDS == fold
        seen = kind & ~hidden
        if hidden.any() and seen.any():
            square = design[seen].T @ design[seen] + _RIDGE * np.eye(2)
            found[hidden] = design[hidden] @ np.linalg.solve(square, design[seen].T @ reward[seen])
    return found


def _feature(numbers: Mapping[str, float]) -> float:
    need = min(max(numbers.get("help_need", 0.0), _EDGE), 1.0 - _EDGE)
    return math.log(need / (1.0 - need))
