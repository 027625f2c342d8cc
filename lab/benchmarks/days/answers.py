"""Simulated people who live for a month, and people who answer offers wrongly and then rightly.

A person works in a few stretches over and over, so the month's rate is that of somebody's own time; each time need
looks a little different, or every level would lie just below what comes again. Nobody real answered.
"""

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from lab.benchmarks.days.chain import Day, Stretch, days_of, live_through
from lab.benchmarks.policy.trace import PolicyCall
from policies.gates.evidence import logit
from policies.protocol import Policy
from storage.clock import HOUR_NS
from storage.records import Estimate, FeedbackKind, Trigger

PEOPLE, MONTH_HOURS, OWN = 20, 80.0, 30
"""Simulated people, the hours of calm work in their month, and the stretches that are a person's own work."""

NIGHT_NS = 14 * HOUR_NS
SPREAD = 0.5
"""By how many log-odds the need in a stretch differs from time to time; a guess."""

WRONG, RIGHT = 20, 10

_IF_NEEDED = {True: FeedbackKind.ACCEPTED, False: FeedbackKind.DISMISSED}


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthFigures:
    """False offers an hour of calm work over all people, the least and most of one, and the share of episodes found."""

    false_an_hour: float
    least: float
    most: float
    found: float


def live_months(
    stretches: Sequence[Stretch], make: Callable[[], Policy[Any]], gap_s: float, *, people: int = PEOPLE
) -> MonthFigures:
    """Let people live for a month each, without answers, with nights between their days."""
    false, calm, found, episodes = [], [], 0, 0
    for person in range(people):
        policy, saved = make(), dict[str, object]()
        false.append(0)
        calm.append(0.0)
        for day in _month(stretches, person):
            lived = live_through(day, policy, gap_s, saved=saved, elapsed_ns=NIGHT_NS)
            saved = dict(lived.saved)
            false[-1] += len(lived.false)
            calm[-1] += day.calm
            found += len(lived.delays_s)
            episodes += lived.episodes
    rates = [own / hours for own, hours in zip(false, calm, strict=True)]
    return MonthFigures(
        false_an_hour=sum(false) / sum(calm), least=min(rates), most=max(rates), found=found / max(1, episodes)
    )


def _month(stretches: Sequence[Stretch], person: int) -> Iterator[Day]:
    rng = random.Random(person)  # noqa: S311  # a person by lot, no secret
    own = rng.sample(list(stretches), min(OWN, len(stretches)))
    calm = 0.0
    while calm < MONTH_HOURS:
        (day, *_) = days_of(own * OWN, rng.randrange(1 << 30))
        calm += day.calm
        yield Day(stretches=tuple(_shifted(stretch, rng.gauss(0.0, SPREAD)) for stretch in day.stretches))


def _shifted(stretch: Stretch, by: float) -> Stretch:
    """Return a stretch with the log-odds of need in all of it moved."""

    def moved(trigger: Trigger) -> Trigger:
        if not isinstance(trigger, Estimate):
            return trigger
        return replace(trigger, help_need=1.0 / (1.0 + math.exp(-logit(trigger.help_need) - by)))

    steps = (
        replace(step, calls=tuple(PolicyCall(moved(call.trigger), call.context) for call in step.calls))
        for step in stretch.trace.steps
    )
    return replace(stretch, trace=replace(stretch.trace, steps=tuple(steps)))


def found_after_answers(days: Sequence[Day], make: Callable[[], Policy[Any]], gap_s: float) -> tuple[float, float]:
    """Return the share of episodes found by who never answered, and after wrong answers and right ones."""
    given = count()
    taught: Mapping[str, object] = {}

    def answer(needed: bool) -> FeedbackKind | None:  # one of `Answers`
        number = next(given)
        return None if number >= WRONG + RIGHT else _IF_NEEDED[needed is (number >= WRONG)]

    for day in days:
        taught = live_through(day, make(), gap_s, saved=taught, elapsed_ns=NIGHT_NS, answers=answer).saved
    never: Mapping[str, object] = {}
    for day in days:
        never = live_through(day, make(), gap_s, saved=never, elapsed_ns=NIGHT_NS).saved
    shares = []
    for saved in (never, taught):
        lived = [live_through(day, make(), gap_s, saved=saved, elapsed_ns=NIGHT_NS) for day in days]
        found = sum(len(day.delays_s) for day in lived)
        shares.append(found / max(1, sum(day.episodes for day in lived)))
    return shares[0], shares[1]
