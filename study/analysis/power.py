"""The power of a micro-randomised study, by simulation: how often the effect of offers would be found.

Nobody is involved: people are drawn who do what the assumptions say. Each has their own share of good outcomes without
an offer (from a Beta distribution) and their own effect of an offer (from a normal one); at each decision point they
are available or not, an offer is drawn by lot, and the outcome is 0 or 1. The study is then fitted like a real one, by
`study.analysis.effect`, without moderators or controls, and the effect counts as found where p < 0.05.
"""

import math
from dataclasses import dataclass

import numpy as np

from daemon.figures.intervals import Interval
from storage.errors import UsageError
from study.analysis.effect import Floats, Trial, excursion_effect

ALPHA = 0.05
LEAST_PEOPLE = 3
_Z = 1.959963984540054


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

    Args:
        design: the study.
        simulations: how many studies.
        seed: the same seed gives the same figures.

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


def wilson(hits: int, trials: int) -> Interval:
    """Return a share of independent trials with its interval (95 %) after Wilson (JASA 22, 1927)."""
    share, over = hits / trials, _Z**2 / trials
    middle = (share + over / 2.0) / (1.0 + over)
    reach = _Z / (1.0 + over) * math.sqrt(share * (1.0 - share) / trials + over / (4.0 * trials))
    return Interval(value=share, low=max(0.0, min(share, middle - reach)), high=min(1.0, max(share, middle + reach)))
