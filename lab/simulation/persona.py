"""Personas: how one simulated user differs from the next, drawn from the persona's number, and the split of each."""

import math
import random
from dataclasses import dataclass
from enum import StrEnum

PEOPLE = 36
"""How many personas there are; every third one (`is_held_out`) is in held-out sessions only."""


class Split(StrEnum):
    """What a session is for; programs and personas of the two do not mix."""

    TRAIN = "train"
    TEST = "test"


@dataclass(frozen=True, slots=True, kw_only=True)
class Persona:
    """A user's pace and habits.

    Attributes:
        keys_per_s: typing rate in fluent work.
        slips: share of letters mistyped and corrected.
        pause: factor on every hesitation and rest (log-normal around 1).
        hand: factor on pointer times; above 1 is slower.
        keyboard: share of acts done by shortcuts where both ways exist.
        patience: factor on how long one thing is tried before the next.
        temper: 0 calm, 1 quick to hit things: shorter gaps and longer bursts when something fails.
        fidget: share of pauses in which the pointer wanders.
        checks: share of acts after which the result is looked at.
        erases: share of fields emptied key by key before they are filled again, not by selecting all.
    """

    person: int
    keys_per_s: float
    slips: float
    pause: float
    hand: float
    keyboard: float
    patience: float
    temper: float
    fidget: float
    checks: float
    erases: float


def is_held_out(person: int) -> bool:
    """Return whether a persona is in no training session."""
    return person % 3 == 2  # noqa: PLR2004  # every third


def people_of(split: Split) -> list[int]:
    """Return the numbers of the personas of a split."""
    return [person for person in range(PEOPLE) if is_held_out(person) is (split is Split.TEST)]


def persona_of(person: int) -> Persona:
    """Return the persona of a number, always the same one."""
    rng = random.Random(f"person {person}")  # noqa: S311  # a script, no secret
    return Persona(
        person=person,
        keys_per_s=min(10.0, max(2.2, rng.lognormvariate(1.6, 0.35))),
        slips=rng.uniform(0.003, 0.05),
        pause=min(2.2, max(0.5, rng.lognormvariate(0.0, 0.35))),
        hand=min(1.8, max(0.7, rng.lognormvariate(0.0, 0.25))),
        keyboard=math.sin(math.pi / 2 * rng.random()) ** 2,  # most people keep to the one way or to the other
        patience=min(2.0, max(0.5, rng.lognormvariate(0.0, 0.3))),
        temper=rng.random(),
        fidget=rng.uniform(0.0, 0.6),
        checks=rng.uniform(0.1, 0.8),
        erases=rng.random() ** 1.5,
    )
