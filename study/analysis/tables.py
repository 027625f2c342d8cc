"""Tables of a study by arm: acceptance, answers, skipped questions, balance of the lots, values of other policies.

Everything is counted from plain columns, one decision point or question a row. Intervals draw whole people with
replacement, because what one person does in a study hangs together.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from daemon.figures.intervals import Interval
from daemon.figures.resampling import Bools, Floats, Ints
from study.analysis.off_policy import LoggedDecision, Target, estimate

Words = NDArray[np.str_]

ANSWERED = "answered"
LEAST_PEOPLE = 5
"""With fewer an interval has no ends."""

LEAST_VARIANCE = 5.0
"""Lots whose sum varies less (its variance) are too few for the p-value of their balance."""

_SEED = 20261123
_DRAWS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Points:
    """Decision points, one a row; all arrays have shape (rows,).

    Attributes:
        person: who, by number.
        arm: to which the person was assigned.
        phase: of the study.
        available: whether an offer was possible.
        propensity: probability of an offer at this point, whatever the lot then said; 0 or 1 where there was no lot.
        offered: whether an offer was made.
        accepted: whether the offer was taken.
        need: estimated help need before the lot, from 0 to 1.
        outcome: the fixed outcome of the study; NaN where it is not known.
    """

    person: Ints
    arm: Words
    phase: Words
    available: Bools
    propensity: Floats
    offered: Bools
    accepted: Bools
    need: Floats
    outcome: Floats

    @property
    def drawn(self) -> Bools:
        """Where a lot decided."""
        found: Bools = self.available & (self.propensity > 0.0) & (self.propensity < 1.0)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """Questions that were due, one a row; all arrays have shape (rows,).

    Attributes:
        person: who, by number.
        arm: to which the person was assigned.
        question: which one; those drawn with another probability, such as after an offer, under a name of their own.
        ended: "answered", or why it was not: the person's choice, that it expired, or the gate that skipped it.
        value: the answer; NaN where there is none.
    """

    person: Ints
    arm: Words
    question: Words
    ended: Words
    value: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptanceRow:
    """Offers of one arm: `accepted_share` is of the offers, `offered_share` of the points with somebody available."""

    arm: str
    people: int
    points: int
    available: int
    offers: int
    accepted: int
    offered_share: Interval
    accepted_share: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRow:
    """One question in one arm: how many were due and answered, the share answered, and the mean answer."""

    arm: str
    question: str
    people: int
    due: int
    answered: int
    answered_share: Interval
    mean: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class EndingRow:
    """How questions of one arm ended: so many this way, and their share of all that were due."""

    arm: str
    ended: str
    count: int
    share: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class BalanceRow:
    """Lots of one arm in one phase against their propensities.

    Attributes:
        lots: points at which a lot decided.
        expected: mean propensity of an offer.
        observed: share at which the lot said offer.
        z: sum of (offered - propensity) over the root of the sum of propensity x (1 - propensity). With true
            propensities it is about standard normal, however people differ and whatever propensities depend on: each
            lot is fair given all that went before it.
        p: of such a difference or a greater one, two-sided; NaN where the lots are too few for it.
    """

    arm: str
    phase: str
    lots: int
    expected: float
    observed: float
    z: float
    p: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRow:
    """The mean outcome a drawn point had another policy decided: by inverse propensity, and doubly robust.

    Both are None where the lots hardly cover what the policy would do. `effective` is how many points speak for it
    after weighting.
    """

    policy: str
    points: int
    effective: float
    inverse_propensity: Interval | None
    doubly_robust: Interval | None


def acceptance(points: Points) -> tuple[AcceptanceRow, ...]:
    """Count offers by arm."""

    def row(arm: str, here: Bools) -> AcceptanceRow:
        available, offered = points.available[here], points.offered[here]
        accepted, person = points.accepted[here] & offered, points.person[here]
        return AcceptanceRow(
            arm=arm,
            people=len(np.unique(person)),
            points=len(person),
            available=int(available.sum()),
            offers=int(offered.sum()),
            accepted=int(accepted.sum()),
            offered_share=ratio_by_person(person, offered & available, available),
            accepted_share=ratio_by_person(person, accepted, offered),
        )

    return tuple(row(arm, points.arm == arm) for arm in _words(points.arm))


def answers(questions: Questions) -> tuple[AnswerRow, ...]:
    """Count answers by question and arm."""

    def row(question: str, arm: str, here: Bools) -> AnswerRow:
        person, answered = questions.person[here], questions.ended[here] == ANSWERED
        known = answered & np.isfinite(questions.value[here])
        return AnswerRow(
            arm=arm,
            question=question,
            people=len(np.unique(person)),
            due=len(person),
            answered=int(answered.sum()),
            answered_share=ratio_by_person(person, answered, np.ones_like(answered)),
            mean=ratio_by_person(person, np.where(known, questions.value[here], 0.0), known),
        )

    return tuple(
        row(question, arm, here)
        for question in _words(questions.question)
        for arm in _words(questions.arm)
        if (here := (questions.question == question) & (questions.arm == arm)).any()
    )


def endings(questions: Questions) -> tuple[EndingRow, ...]:
    """Count by arm how questions that were due ended; answers come first, then the most frequent reasons."""
    found = []
    for arm in _words(questions.arm):
        here = questions.arm == arm
        person, ended = questions.person[here], questions.ended[here]
        rows = [
            EndingRow(
                arm=arm,
                ended=end,
                count=int((ended == end).sum()),
                share=ratio_by_person(person, ended == end, np.ones_like(ended, np.bool_)),
            )
            for end in _words(ended)
        ]
        found += sorted(rows, key=lambda one: (one.ended != ANSWERED, -one.count, one.ended))
    return tuple(found)


def balance(points: Points) -> tuple[BalanceRow, ...]:
    """Compare lots with their propensities by arm and phase."""
    drawn = points.drawn
    found = []
    for arm in _words(points.arm):
        for phase in _words(points.phase):
            here = drawn & (points.arm == arm) & (points.phase == phase)
            if here.any():
                found.append(_balance_row(arm, phase, points.propensity[here], points.offered[here]))
    return tuple(found)


def _balance_row(arm: str, phase: str, propensity: Floats, offered: Bools) -> BalanceRow:
    variance = float((propensity * (1.0 - propensity)).sum())
    z = float((offered - propensity).sum()) / math.sqrt(variance)
    return BalanceRow(
        arm=arm,
        phase=phase,
        lots=len(offered),
        expected=float(propensity.mean()),
        observed=float(offered.mean()),
        z=z,
        p=math.erfc(abs(z) / math.sqrt(2.0)) if variance >= LEAST_VARIANCE else math.nan,
    )


def policy_values(points: Points, policies: Mapping[str, Target]) -> tuple[PolicyRow, ...]:
    """Estimate the mean outcome under other policies, from drawn points with a known outcome.

    `policies`: by name, a function that gives the probability of an offer from {"help_need": ...}.
    """
    rows = np.flatnonzero(points.drawn & np.isfinite(points.outcome))
    logged = [
        LoggedDecision(
            session=person,
            numbers={"help_need": need},
            offered=offered,
            propensity=propensity if offered else 1.0 - propensity,
            reward_s=outcome,
        )
        for person, need, offered, propensity, outcome in zip(
            points.person[rows].tolist(),
            points.need[rows].tolist(),
            points.offered[rows].tolist(),
            points.propensity[rows].tolist(),
            points.outcome[rows].tolist(),
            strict=True,
        )
    ]
    found = []
    for name, target in policies.items():
        value = estimate(logged, target)
        found.append(
            PolicyRow(
                policy=name,
                points=len(logged),
                effective=value.effective if value else 0.0,
                inverse_propensity=value.ips_s if value else None,
                doubly_robust=value.dr_s if value else None,
            )
        )
    return tuple(found)


def need_thresholds(*thresholds: float) -> dict[str, Target]:
    """Return policies to ask about: never, always, and wherever help need reaches a threshold."""

    def at(threshold: float) -> Callable[[Mapping[str, float]], float]:
        return lambda numbers: float(numbers["help_need"] >= threshold)

    return {
        "never offer": lambda numbers: 0.0,  # noqa: ARG005  # whatever is known
        "always offer": lambda numbers: 1.0,  # noqa: ARG005  # same
        **{f"offer from need {threshold:g}": at(threshold) for threshold in thresholds},
    }


def ratio_by_person(person: Ints, above: Floats | Bools, below: Floats | Bools) -> Interval:
    """Return the ratio of two sums over rows, with its interval (95 %) from drawing whole people.

    Args:
        person: whose row it is, shape (rows,).
        above: what is summed above, shape (rows,).
        below: what is summed below, shape (rows,).

    Returns:
        NaN where there is nothing below; no ends with fewer than `LEAST_PEOPLE` people.
    """
    _, number = np.unique(person, return_inverse=True)
    over, under = np.bincount(number, above), np.bincount(number, below)
    counted = under > 0
    over, under = over[counted], under[counted]
    if not len(under):
        return Interval(value=math.nan, low=math.nan, high=math.nan)
    if len(under) < LEAST_PEOPLE:
        return Interval(value=float(over.sum() / under.sum()), low=math.nan, high=math.nan)
    rng = np.random.default_rng(_SEED)
    drawn = (rng.integers(0, len(under), len(under)) for _ in range(_DRAWS))
    found = [float(over[people].sum() / under[people].sum()) for people in drawn]
    low, high = np.quantile(found, (0.025, 0.975))
    return Interval(value=float(over.sum() / under.sum()), low=float(low), high=float(high))


def _words(values: Words) -> list[str]:
    """Return the words that occur, in the order of the alphabet."""
    return sorted(set(values.tolist()))  # a million words in 0.05 s; sorting them all would take seconds
