"""The micro-randomised part of a study file, as far as the power of the study depends on it."""

from dataclasses import dataclass

import numpy as np

from daemon.figures.intervals import Interval, wilson
from participant.documents.plan import ANSWER_OUTCOME, Plan, PolicyChange
from storage.errors import UsageError
from storage.plain_text import format_count
from study.analysis.effect import Floats, Trial, excursion_effect

POINTS_A_DAY = 3
"""Offers, made or withheld, that are assumed of a day; what a person's day really holds only a pilot can tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Randomised:
    """Where a lot decides over offers.

    Attributes:
        days: in phases with lots.
        points: a day.
        probability: of an offer, on average over these days.
        availability: share of points with an outcome.
        share: of people who are in an arm with lots.
        words: what of this is assumed, as sentences.
    """

    days: int
    points: int
    probability: float = 0.5
    availability: float = 1.0
    share: float = 1.0
    words: tuple[str, ...] = ()


def randomised_part(plan: Plan) -> Randomised:
    """Return where lots decide in a study.

    Raises:
        UsageError: nowhere.
    """
    by_arm = {arm: _days_and_chance(plan, arm) for arm in plan.arms}
    drawn = {arm: found for arm, found in by_arm.items() if found[0]}
    if not drawn:
        raise UsageError(
            f"nothing is left to chance in {plan.name}: no effect of offers can be estimated",
            remedy="set exploration of the policy utility in a phase",
        )
    days, chance = min(drawn.values())  # the arm with the fewest, where arms differ
    policies = [phase.policy_in(arm) for phase in plan.phases for arm in drawn]
    caps = [
        policy.offers_per_day
        for policy in policies
        if _chance(policy) is not None and policy.offers_per_day is not None
    ]
    points = min([POINTS_A_DAY, *caps])
    asked = 1.0
    if plan.outcome.startswith(ANSWER_OUTCOME):
        asked = plan.prompts.event_probability if plan.prompts is not None else 0.0
        if not asked:
            raise UsageError(
                f"the outcome of {plan.name} is an answer, but no question follows an offer",
                remedy="set event_probability in [prompts]",
            )
    arms = f"{len(drawn)} of {format_count(len(plan.arms), 'arm')} with assignments"
    words = [
        f"of {plan.name}: {format_count(days, 'day')} with assignments, an offer with probability {chance:g}, {arms}"
    ]
    if len(drawn) < len(plan.arms):
        words.append(f"people above are those in an arm with assignments: {len(drawn)} in {len(plan.arms)} of all")
    if asked < 1.0:
        words.append(f"a question follows a share of {asked:g} of the points; assumed: all are answered")
    words.append(f"assumed: {points} offers a day, made or withheld; every outcome is known, and is a yes or no")
    return Randomised(
        days=days,
        points=points,
        probability=chance,
        availability=asked,
        share=len(drawn) / len(plan.arms),
        words=tuple(words),
    )


def _days_and_chance(plan: Plan, arm: str) -> tuple[int, float]:
    """Return the days of an arm with lots, and the mean probability of an offer on these."""
    found = [(phase.days, chance) for phase in plan.phases if (chance := _chance(phase.policy_in(arm))) is not None]
    days = sum(days for days, _ in found)
    return days, sum(length * chance for length, chance in found) / days if days else 0.0


def _chance(policy: PolicyChange) -> float | None:
    """Return the probability of an offer under a policy; None where no lot decides."""
    chance = None
    if policy.name == "utility" and policy.exploration is not None:
        chance = 1.0 - policy.exploration
    elif policy.name == "random":
        chance = policy.arm_probability
    return chance if chance is not None and 0.0 < chance < 1.0 else None


ALPHA = 0.05
LEAST_PEOPLE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """A study and what is assumed of people.

    Attributes:
        people: how many take part, to the end.
        days: with lots.
        points: decision points a day at which the person may be available.
        base: share of good outcomes without an offer, on average over people.
        effect: what an offer adds to that share, on average over people.
        base_spread: standard deviation of the share between people.
        effect_spread: standard deviation of the effect between people.
        probability: of an offer at an available point.
        availability: share of points at which the person is available.
    """

    people: int
    days: int
    points: int
    base: float
    effect: float
    base_spread: float = 0.1
    effect_spread: float = 0.04
    probability: float = 0.5
    availability: float = 1.0

    def __post_init__(self) -> None:
        """Refuse what no study could be.

        Raises:
            UsageError: a number is out of range.
        """
        checks = (
            (self.people >= LEAST_PEOPLE, f"people must be {LEAST_PEOPLE} or more: the fit has two coefficients"),
            (self.days >= 1 and self.points >= 1, "days and points must be 1 or more"),
            (0.0 < self.base < 1.0, "base must be between 0 and 1"),
            (0.0 <= self.base + self.effect <= 1.0, "base and effect together must be a share, from 0 to 1"),
            (self.base_spread**2 < self.base * (1.0 - self.base), "base-spread is more than any shares could have"),
            (self.base_spread >= 0.0 and self.effect_spread >= 0.0, "base-spread and effect-spread cannot be negative"),
            (0.0 < self.probability < 1.0, "probability must be between 0 and 1"),
            (0.0 < self.availability <= 1.0, "availability must be above 0, and 1 at most"),
        )
        for holds, what in checks:
            if not holds:
                raise UsageError(what, remedy="see: kairos study power --help")


@dataclass(frozen=True, slots=True, kw_only=True)
class Power:
    """What came out for one design.

    Attributes:
        design: that was simulated.
        found: share of studies with p < 0.05, with the Monte-Carlo interval (95 %, Wilson).
        estimate: mean of the estimated effects.
        standard_error: mean of their standard errors.
        covered: share of studies of which the interval (95 %) held the true effect.
        simulations: how many studies.
    """

    design: Design
    found: Interval
    estimate: float
    standard_error: float
    covered: float
    simulations: int


def simulate_trial(design: Design, rng: np.random.Generator) -> Trial:
    """Return one simulated study."""
    each = design.days * design.points
    total = design.people * each
    person = np.repeat(np.arange(design.people), each)
    levels = _levels(design, rng)
    effects = design.effect + design.effect_spread * rng.standard_normal(design.people)
    available = rng.random(total) < design.availability
    treated = (rng.random(total) < design.probability) & available
    chance = np.clip(levels[person] + effects[person] * treated, 0.0, 1.0)
    return Trial(
        person=person,
        outcome=(rng.random(total) < chance).astype(np.float64),
        treatment=treated.astype(np.float64),
        probability=design.probability,
        available=available,
        moderators={},
        controls={},
    )


def _levels(design: Design, rng: np.random.Generator) -> Floats:
    """Return each person's share of good outcomes without an offer."""
    if design.base_spread == 0.0:
        return np.full(design.people, design.base)
    size = design.base * (1.0 - design.base) / design.base_spread**2 - 1.0
    return rng.beta(design.base * size, (1.0 - design.base) * size, design.people)


def power_of(design: Design, *, simulations: int, seed: int) -> Power:
    """Simulate a design many times over.

    Raises:
        UsageError: `simulations` is not 1 or more.
        BadFile: people are available so seldom that a study cannot be fitted.
    """
    if simulations < 1:
        raise UsageError("simulations must be 1 or more", remedy="2000 give an interval of 2 points and less")
    rng = np.random.default_rng(seed)
    found = covered = 0
    estimates, errors = np.empty(simulations), np.empty(simulations)
    for number in range(simulations):
        effect = excursion_effect(simulate_trial(design, rng)).effects[0]
        found += effect.p < ALPHA
        covered += effect.low <= design.effect <= effect.high
        estimates[number], errors[number] = effect.estimate, effect.standard_error
    return Power(
        design=design,
        found=wilson(found, simulations),
        estimate=float(estimates.mean()),
        standard_error=float(errors.mean()),
        covered=covered / simulations,
        simulations=simulations,
    )
