"""The micro-randomised part of a study file, as far as the power of the study depends on it."""

from dataclasses import dataclass

from daemon.text import format_count
from participant.documents.plan import ANSWER_OUTCOME, Plan, PolicyChange
from storage.errors import UsageError

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
    caps = [one.offers_per_day for one in policies if _chance(one) is not None and one.offers_per_day is not None]
    points = min([POINTS_A_DAY, *caps])
    asked = 1.0
    if plan.outcome.startswith(ANSWER_OUTCOME):
        asked = plan.prompts.event_probability if plan.prompts is not None else 0.0
        if not asked:
            raise UsageError(
                f"the outcome of {plan.name} is an answer, but no question follows an offer",
                remedy="set event_probability in [prompts]",
            )
    arms = f"{len(drawn)} of {format_count(len(plan.arms), 'arm')} with lots"
    words = [f"of {plan.name}: {format_count(days, 'day')} with lots, an offer with probability {chance:g}, {arms}"]
    if len(drawn) < len(plan.arms):
        words.append(f"people above are those in an arm with lots: {len(drawn)} in {len(plan.arms)} of all")
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
