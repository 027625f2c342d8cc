"""Simulated studies as columns: offers by lot with logged propensities, answers, and a planted effect."""

import numpy as np

from study.analysis.tables import Points, Questions

ENDS = ("answered", "expired", "not now", "typing", "full screen")


def simulated_points(
    *, people: int = 30, each: int = 60, effect: float = 0.1, lots_lie: bool = False, seed: int = 1
) -> Points:
    """Return decision points of people in two arms and two phases.

    In the phase "silent" nothing is offered, in "utility" by lot with a probability that rises with need. `lots_lie`
    draws with another probability than the logged one.
    """
    rng = np.random.default_rng(seed)
    total = people * each
    person = np.repeat(np.arange(people), each)
    phase = np.where(np.tile(np.arange(each), people) < each // 4, "silent", "utility")
    need = rng.uniform(0.02, 0.98, total)
    available = rng.random(total) < 0.8
    propensity = np.where(available & (phase == "utility"), 0.3 + 0.4 * need, 0.0)
    offered = rng.random(total) < (propensity * 1.3 if lots_lie else propensity)
    accepted = offered & (rng.random(total) < 0.2 + 0.5 * need)
    level = rng.normal(0.4, 0.05, people)[person]
    outcome = (rng.random(total) < np.clip(level + 0.2 * (need - 0.5) + effect * offered, 0.0, 1.0)).astype(np.float64)
    return Points(
        person=person,
        arm=np.where(person % 2 == 0, "cards", "cards and controls"),
        phase=phase,
        available=available,
        propensity=propensity,
        offered=offered,
        accepted=accepted,
        need=need,
        outcome=outcome,
    )


def simulated_questions(*, people: int = 30, each: int = 40, seed: int = 1) -> Questions:
    rng = np.random.default_rng(seed)
    total = people * each
    person = np.repeat(np.arange(people), each)
    ended = rng.choice(ENDS, total, p=(0.6, 0.15, 0.1, 0.1, 0.05))
    question = rng.choice(("how stuck", "bad moment"), total)
    value = np.where(ended == "answered", rng.integers(0, 5, total).astype(np.float64), np.nan)
    return Questions(
        person=person,
        arm=np.where(person % 2 == 0, "cards", "cards and controls"),
        question=question,
        ended=ended,
        value=value,
    )
