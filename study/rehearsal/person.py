"""A simulated person: how they work, when they get into trouble, and how they reply. Every number here is made up.

A day is one sitting of some hours at the desk, with a few stretches of work. In most stretches the person gets into
trouble at some moment and is out of it when they recover. Recovery comes at a constant rate, so that at every moment in
trouble the chance to be out of it `OUTCOME_S` later is the same, `Temperament.recovers`. An offer that is shown changes
that chance by the planted effect, exactly:

- a positive effect e: with probability e / (1 - recovers) the offer helps, and trouble ends `HELP_S` after it;
- a negative one: with probability -e / recovers it holds up a recovery that would have come within `OUTCOME_S`, until
  some time after them.

An offer that is withheld changes nothing, since nobody sees it. What Kairos makes of trouble is up to its engine: the
stand-in for the detector reads whether the person is in trouble, and nothing else knows.
"""

import datetime as dt
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from participant.documents.rows import OUTCOME_S
from storage.clock import NS_PER_S
from storage.messages import EVIDENCE
from storage.records import FeedbackKind

APPS = ("libreoffice-writer", "libreoffice-calc", "gimp", "firefox", "code", "thunderbird")
TOPICS = tuple(sorted(EVIDENCE.keys() - {"flow"}))
"""What trouble can look like; an offer is about one of them."""

HELP_S = (10.0, 200.0)
"""When trouble ends after an offer that helped, from and to; well within `OUTCOME_S`."""

LEAST_SHARE = 0.02
"""The planted effect must leave everybody's chance to recover this far from 0 and 1."""

RECOVERS = (0.2, 0.6)
"""The lowest and the highest chance to recover of anybody simulated."""

PAUSED = "paused"
INTERRUPTED = ("call", "full_screen", "locked", "do_not_disturb", PAUSED)
"""What a stretch can be spent in so that nobody may be spoken to."""

_HANDS_OFF = ("locked", PAUSED)
_RECOVERS_MEAN, _RECOVERS_SPREAD = 0.4, 0.08
_KEY_S = (0.12, 0.45)
_BURST_S = (2.0, 12.0)
_PAUSE_S = (0.6, 6.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Temperament:
    """What one simulated person is like; all but the first two are probabilities.

    Attributes:
        starts_h: the hour at which they sit down, give or take one.
        stretches: of work in a sitting.
        day_off: that a day has no sitting.
        trouble: that a stretch of work has trouble in it.
        recovers: to be out of trouble `OUTCOME_S` later without an offer.
        interrupted: that a stretch is spent in a call, full screen and so on.
        accepts: that they accept an offer.
        dismisses: that they dismiss one; the others go unanswered.
        answers: that they answer a question.
        declines: that they choose "not now"; the others expire.
    """

    starts_h: float
    stretches: int
    day_off: float
    trouble: float
    recovers: float
    interrupted: float
    accepts: float
    dismisses: float
    answers: float
    declines: float


def draw_temperament(chance: random.Random) -> Temperament:
    """Return a person drawn at random."""
    low, high = RECOVERS
    return Temperament(
        starts_h=chance.uniform(9.0, 15.0),
        stretches=3,
        day_off=0.1,
        trouble=chance.uniform(0.75, 1.0),
        recovers=min(max(chance.gauss(_RECOVERS_MEAN, _RECOVERS_SPREAD), low), high),
        interrupted=chance.uniform(0.05, 0.2),
        accepts=chance.uniform(0.35, 0.65),
        dismisses=chance.uniform(0.05, 0.25),
        answers=chance.uniform(0.5, 0.9),
        declines=0.08,
    )


def effect_limits() -> tuple[float, float]:
    """Return the smallest and the largest effect that can be planted in everybody."""
    return LEAST_SHARE - RECOVERS[0], 1.0 - LEAST_SHARE - RECOVERS[1]


@dataclass(slots=True, kw_only=True)
class Trouble:
    """One episode of trouble; the person is in it from `began_ns` until `over_ns`. Times are session time."""

    topic: str
    began_ns: int
    over_ns: int

    def holds(self, at_ns: int) -> bool:
        """Tell whether the person is in trouble at a moment."""
        return self.began_ns <= at_ns < self.over_ns


@dataclass(frozen=True, slots=True)
class Burst:
    """A flow of keys: the first at `start_ns`, then one every `step_ns` until `end_ns`. Times are session time."""

    start_ns: int
    end_ns: int
    step_ns: int

    def keys_by(self, at_ns: int) -> int:
        """Return how many keys were pressed by a moment."""
        return 0 if at_ns < self.start_ns else (min(at_ns, self.end_ns) - self.start_ns) // self.step_ns + 1

    def key_ns(self, number: int) -> int:
        """Return when the key of a number, from 1 on, was pressed."""
        return self.start_ns + (number - 1) * self.step_ns


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Some minutes of work in one program, in session time.

    `spent_in` is empty, or one of `INTERRUPTED`. `bursts` are flows of keys, in order.
    """

    start_ns: int
    end_ns: int
    app: str
    spent_in: str
    trouble: Trouble | None
    bursts: tuple[Burst, ...] = field(repr=False)

    def in_trouble(self, at_ns: int) -> bool:
        """Tell whether the person is in trouble at a moment of this stretch."""
        return self.trouble is not None and self.trouble.holds(at_ns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """A time at the desk on one day: Kairos runs from `start_s` after local midnight for `length_s`."""

    date: dt.date
    start_s: float
    length_s: float
    stretches: tuple[Stretch, ...]


class SimulatedPerson:
    """One person, with lots of their own: the same seed and effect give the same life."""

    def __init__(self, seed: str, effect: float) -> None:
        """Draw a temperament; `effect` is what an offer adds to the chance to recover.

        Raises:
            ValueError: the effect is beyond `effect_limits`.
        """
        low, high = effect_limits()
        if not low <= effect <= high:
            raise ValueError(f"an effect of {effect:g} cannot be planted: {low:g} to {high:g}")
        self._chance = random.Random(seed)  # noqa: S311  # simulation
        self._effect = effect
        self.temperament = draw_temperament(self._chance)

    # ------------------------------------------------------------ work

    def sit_down(self, date: dt.date, start_ns: int, quiet_s: float) -> Sitting | None:
        """Return what the person does on a day; None on a day off."""
        person, chance = self.temperament, self._chance
        if chance.random() < person.day_off:
            return None
        start_s = (person.starts_h + chance.uniform(-1.0, 1.0)) * 3600
        at_ns = start_ns + _ns(quiet_s + chance.uniform(10.0, 60.0))
        stretches = []
        for _ in range(person.stretches):
            stretches.append(self._stretch(at_ns))
            at_ns = stretches[-1].end_ns + _ns(chance.uniform(900.0, 2400.0))
        length_s = (stretches[-1].end_ns - start_ns) / NS_PER_S + chance.uniform(5.0, 600.0)
        return Sitting(date=date, start_s=start_s, length_s=length_s, stretches=tuple(stretches))

    def _stretch(self, start_ns: int) -> Stretch:
        person, chance = self.temperament, self._chance
        spent_in = chance.choice(INTERRUPTED) if chance.random() < person.interrupted else ""
        trouble = None
        begins_ns = start_ns + _ns(chance.uniform(15.0, 40.0))
        if chance.random() < person.trouble:
            trouble = Trouble(
                topic=chance.choice(TOPICS), began_ns=begins_ns, over_ns=begins_ns + self.time_to_recover_ns()
            )
        end_ns = begins_ns + _ns(chance.uniform(375.0, 430.0))
        return Stretch(
            start_ns=start_ns,
            end_ns=end_ns,
            app=chance.choice(APPS),
            spent_in=spent_in,
            trouble=trouble,
            bursts=() if spent_in in _HANDS_OFF else tuple(self._bursts(start_ns, end_ns)),
        )

    def _bursts(self, start_ns: int, end_ns: int) -> Iterator[Burst]:
        """Yield flows of keys with pauses between them."""
        chance, at_ns = self._chance, start_ns
        while at_ns < end_ns:
            until_ns = min(end_ns, at_ns + _ns(chance.uniform(*_BURST_S)))
            yield Burst(at_ns, until_ns, _ns(chance.uniform(*_KEY_S)))
            at_ns = until_ns + _ns(chance.uniform(*_PAUSE_S))

    def time_to_recover_ns(self) -> int:
        """Return how long trouble lasts that just began, or is still there, without an offer."""
        rate = -math.log(1.0 - self.temperament.recovers) / OUTCOME_S
        return _ns(self._chance.expovariate(rate))

    # ------------------------------------------------------------ offers and questions

    def see_offer(self, trouble: Trouble, now_ns: int) -> None:
        """Let an offer do what was planted."""
        effect, recovers, chance = self._effect, self.temperament.recovers, self._chance
        if effect > 0.0 and chance.random() < effect / (1.0 - recovers):
            trouble.over_ns = min(trouble.over_ns, now_ns + _ns(chance.uniform(*HELP_S)))
        elif effect < 0.0 and chance.random() < -effect / recovers:
            outcome_ns = now_ns + OUTCOME_S * NS_PER_S
            if trouble.over_ns <= outcome_ns:
                trouble.over_ns = outcome_ns + self.time_to_recover_ns()

    def reply_to_offer(self) -> tuple[float, FeedbackKind] | None:
        """Return after how many seconds an offer is answered, and how; None where it is not."""
        lot, person = self._chance.random(), self.temperament
        after_s = self._chance.uniform(2.0, 25.0)
        if lot < person.accepts:
            return after_s, FeedbackKind.ACCEPTED
        if lot < person.accepts + person.dismisses:
            return after_s, FeedbackKind.DISMISSED
        return None

    def reply_to_question(self) -> tuple[float, bool] | None:
        """Return after how many seconds a question is replied to, and whether with an answer; None where it expires."""
        lot, person = self._chance.random(), self.temperament
        after_s = self._chance.uniform(4.0, 40.0)
        if lot < person.answers:
            return after_s, True
        return (after_s, False) if lot < person.answers + person.declines else None

    def choose(self, choices: int, *, in_trouble: bool) -> int:
        """Return the number of the choice that they tap: a high one when in trouble, a low one else."""
        spread = self._chance.uniform(0.0, 0.6)
        return min(choices - 1, int(choices * (1.0 - spread if in_trouble else spread)))

    # ------------------------------------------------------------ what can be sensed

    def undoes(self) -> bool:
        """Tell whether keys since the last look held an undo, in trouble."""
        return self._chance.random() < 0.3  # noqa: PLR2004  # made up like the others


def _ns(seconds: float) -> int:
    return round(seconds * NS_PER_S)
