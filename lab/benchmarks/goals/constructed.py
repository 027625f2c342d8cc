"""A set whose answers are known: goals made of constraints, where one satisfies another iff it has all of its own.

Nobody worked here and no model is asked: figures of it show that counting is right. Predictions are planted in five
kinds, in turn: as the true goal, with a constraint more that the trajectory meets or does not meet, with one fewer, and
with one in place of another.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from daemon.diagnosis.goals.material import Material
from daemon.history.trajectory.layouts.layout import Layout
from daemon.history.trajectory.layouts.trajectory_set import TrajectorySet
from daemon.history.trajectory.trajectory import Action, Step, Target, Trajectory, Verb
from lab.benchmarks.goals.label import Label
from lab.benchmarks.goals.people import Verdict, WrittenGoal
from storage.errors import BadFile

COUNT = 40
SEED = 5
WHOSE = "a constructed set: goals made of constraints (simulated; nobody worked here, no model was asked)"
CONSTRUCTED = "planted"
ORACLE = "oracle"
SIMULATED_PEOPLE = "simulated people"
FLIPPED = 0.1
"""How often the second of the two simulated people errs."""

_FIND, _BOOK = "find", "book"
_WORDS: Mapping[str, str] = {
    "place": "to Rome",
    "day": "on June 1, 2026",
    "people": "for two people",
    "hour": "in the morning",
    "stops": "without a stop",
    "seat": "with a window seat",
    "bag": "with one bag",
}
_NAVIGATE_EVERY = 10

Constraints = frozenset[str]


class Kind(StrEnum):
    """How a planted prediction differs from the true goal."""

    EQUAL = "equal"
    MORE = "one more, met"
    MORE_UNMET = "one more, not met"
    FEWER = "one fewer"
    OTHER = "one in place of another"


EXPECTED: Mapping[Kind, tuple[Label, Label]] = {
    Kind.EQUAL: (Label.MATCH, Label.MATCH),
    Kind.MORE: (Label.MORE_SPECIFIC, Label.MORE_SPECIFIC),
    Kind.MORE_UNMET: (Label.MORE_SPECIFIC, Label.NON_MATCH),
    Kind.FEWER: (Label.MORE_GENERAL, Label.MORE_GENERAL),
    Kind.OTHER: (Label.NON_MATCH, Label.NON_MATCH),
}
"""The label by satisfaction alone, and with fulfilment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Constructed:
    """The set, what was planted in it, and what simulated people say."""

    whole: TrajectorySet
    goals: tuple[WrittenGoal, ...]
    verdicts: tuple[Verdict, ...]
    kinds: Mapping[str, Kind]


class OracleJudge:
    """Knows what sentences mean: satisfaction is inclusion."""

    async def goal(self, material: Material) -> str | None:
        """Return a goal of everything that was done."""
        return sentence(done_in(material))

    async def fulfils(self, material: Material, task: str) -> bool | None:
        """Return whether all that a task demands was done."""
        return constraints_of(task) <= done_in(material)

    async def satisfies(self, material: Material, a: str, b: str) -> bool | None:  # noqa: ARG002  # sentences say all
        """Return whether A demands all that B demands."""
        return constraints_of(b) <= constraints_of(a)


class AlwaysYesJudge:
    """The control: says yes to everything, so everything matches and nothing agrees."""

    async def goal(self, material: Material) -> str | None:  # noqa: ARG002  # it looks at nothing
        """Return no goal."""
        return None

    async def fulfils(self, material: Material, task: str) -> bool | None:  # noqa: ARG002  # it looks at nothing
        """Return yes."""
        return True

    async def satisfies(self, material: Material, a: str, b: str) -> bool | None:  # noqa: ARG002  # it looks at nothing
        """Return yes."""
        return True


def sentence(constraints: Constraints, *, wordy: bool = False) -> str:
    """Return a goal in words; `wordy` makes it a way instead of an end, as some models do."""
    verb = "Book" if _BOOK in constraints else "Find"
    if wordy:
        verb = f"Navigate to the page where to {verb.lower()}"
    return " ".join((verb, "a flight", *(words for name, words in _WORDS.items() if name in constraints)))


def constraints_of(text: str) -> Constraints:
    """Return what a sentence demands; whoever books has found.

    Raises:
        BadFile: it is no sentence of this set.
    """
    lower = text.casefold()
    if "a flight" not in lower or not (_BOOK in lower or _FIND in lower):
        raise BadFile("the oracle understands the constructed set alone", remedy="name a model with --judge")
    verbs = {_FIND, _BOOK} if _BOOK in lower else {_FIND}
    return frozenset(verbs | {name for name, words in _WORDS.items() if words.casefold() in lower})


def done_in(material: Material) -> Constraints:
    """Return what was done in a trajectory of this set."""
    text = " ".join(material.steps)
    return frozenset(
        {_FIND}
        | ({_BOOK} if f'"{_BOOK}"' in text else set())
        | {name for name, words in _WORDS.items() if f'"{words}"' in text}
    )


def construct(count: int = COUNT, seed: int = SEED) -> Constructed:
    """Return a set of so many trajectories."""
    rng = random.Random(seed)  # noqa: S311  # a made-up set is no secret
    trajectories, goals, verdicts = [], [], []
    kinds: dict[str, Kind] = {}
    domains = {}
    for number in range(count):
        key = f"made-{number:02}"
        kind = kinds[key] = tuple(Kind)[number % len(Kind)]
        names = rng.sample(sorted(_WORDS), 5)
        gold = frozenset({_FIND, *names[:3], *([_BOOK] if rng.random() < 0.5 else [])})  # noqa: PLR2004  # a coin
        done = gold | {names[3]}
        met, unmet, dropped = names[3], names[4], names[0]
        guess = {
            Kind.EQUAL: gold,
            Kind.MORE: gold | {met},
            Kind.MORE_UNMET: gold | {unmet},
            Kind.FEWER: gold - {dropped},
            Kind.OTHER: (gold - {dropped}) | {unmet},
        }[kind]
        trajectories.append(_trajectory(key, gold, done))
        domains[key] = "flights to Rome" if "place" in gold else "other flights"
        goals.append(WrittenGoal(key=key, by=CONSTRUCTED, goal=sentence(guess, wordy=number % _NAVIGATE_EVERY == 0)))
        truth = (guess <= done, gold <= guess, guess <= gold)
        for rater, flipped in (("simulated person 1", 0.0), ("simulated person 2", FLIPPED)):
            said = [one is not (rng.random() < flipped) for one in truth]
            verdicts.append(
                Verdict(
                    key=key,
                    by=CONSTRUCTED,
                    rater=rater,
                    fulfilled=said[0],
                    p_satisfies_g=said[1],
                    g_satisfies_p=said[2],
                )
            )
    whole = TrajectorySet(
        layout=Layout.PLAIN, trajectories=tuple(trajectories), pictures=_NoPictures(), domains=domains
    )
    return Constructed(whole=whole, goals=tuple(goals), verdicts=tuple(verdicts), kinds=kinds)


class _NoPictures:
    """There are none."""

    def read(self, name: str) -> bytes:
        """Refuse.

        Raises:
            BadFile: always.
        """
        raise BadFile(f"the constructed set has no picture {name}")


def _trajectory(key: str, gold: Constraints, done: Constraints) -> Trajectory:
    acts = [words for name, words in _WORDS.items() if name in done] + ([_BOOK] if _BOOK in done else [])
    steps = tuple(
        Step(
            number=number,
            at_s=0.0,
            app="flights",
            action=Action(verb=Verb.CLICK),
            target=Target(name=words, role="button"),
        )
        for number, words in enumerate(acts, start=1)
    )
    return Trajectory(key=key, source="constructed", whose="simulated", app="flights", goal=sentence(gold), steps=steps)
