"""Plans a session: which behaviors come one after the other, and for how long, as a walk through states of work.

Pure and seeded: the same seed, person, program and split give the same plan. A walk goes from state to state by
`_NEXT`, leaning towards the session's share of trouble and of hard negatives; of `WALKS` walks the one is taken that
matches them best and leaves no state out. Held-out behaviors never come into a training session.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from lab.simulation.behaviors.behavior import Behavior, Need
from lab.simulation.persona import PEOPLE, is_held_out
from storage.records import State

REST_S = 3.0
"""What lies between two behaviors, about: getting out of menus, and a rest."""

WALKS = 64
FULL_S = 540.0
"""From this length on a plan is long enough for all nine states."""

_NEED_SHARE = (0.34, 0.44)  # of time in such behaviors; help is needed in about half of it
_PLAIN_SESSIONS = 0.75
"""Share of training sessions whose trouble is plain, and more than elsewhere: there were few such sessions."""
_PLAIN_NEED_SHARE = (0.6, 0.75)
_PLAIN_LEAN = 20.0
_PLAIN_WEIGHT = 2.5  # elsewhere: every stuck user does this now and then
_HARD_SHARE = (0.17, 0.33)
_HELD_OUT_SHARE = 0.5
_SPARE = 0.1
_LEAN = 2.0
_AWAY_SHARE = 0.015
_TOO_FEW = 5.0
"""How much worse it is to leave a state out, or to have too little that is held out, than to miss a share."""

_UNDERSTAND, _IDEATE, _EXPLORE, _PERFORM, _FRUSTRATED, _DEBUG, _SEEK, _WAIT, _ASSESS = State

_FIRST: Mapping[State, float] = {_UNDERSTAND: 0.65, _PERFORM: 0.2, _IDEATE: 0.15}

_NEXT: Mapping[State, Mapping[State, float]] = {
    _UNDERSTAND: {_IDEATE: 0.4, _PERFORM: 0.35, _EXPLORE: 0.25},
    _IDEATE: {_PERFORM: 0.55, _EXPLORE: 0.25, _UNDERSTAND: 0.1, _ASSESS: 0.1},
    _PERFORM: {
        _PERFORM: 0.18,
        _EXPLORE: 0.18,
        _DEBUG: 0.14,
        _FRUSTRATED: 0.14,
        _WAIT: 0.14,
        _ASSESS: 0.16,
        _IDEATE: 0.06,
    },
    _EXPLORE: {_PERFORM: 0.42, _FRUSTRATED: 0.16, _DEBUG: 0.14, _ASSESS: 0.1, _UNDERSTAND: 0.08, _SEEK: 0.1},
    _DEBUG: {_PERFORM: 0.3, _SEEK: 0.3, _FRUSTRATED: 0.2, _ASSESS: 0.15, _DEBUG: 0.05},
    _FRUSTRATED: {_SEEK: 0.36, _DEBUG: 0.24, _PERFORM: 0.24, _EXPLORE: 0.16},
    _SEEK: {_PERFORM: 0.5, _DEBUG: 0.18, _EXPLORE: 0.14, _UNDERSTAND: 0.1, _FRUSTRATED: 0.08},
    _WAIT: {_PERFORM: 0.4, _ASSESS: 0.35, _IDEATE: 0.15, _EXPLORE: 0.1},
    _ASSESS: {_PERFORM: 0.45, _IDEATE: 0.17, _UNDERSTAND: 0.12, _DEBUG: 0.1, _WAIT: 0.1, _EXPLORE: 0.06},
}


class Split(StrEnum):
    """What a session is for; behaviors, programs and personas of the two do not mix."""

    TRAIN = "train"
    TEST = "test"


PROGRAMS: Mapping[Split, tuple[str, ...]] = {
    Split.TRAIN: ("writer", "calc", "mousepad", "gimp", "chromium"),
    Split.TEST: ("impress", "inkscape"),
}
"""The programs of each split, by name."""


@dataclass(frozen=True, slots=True)
class Step:
    """One behavior of a plan, and how long it is to last."""

    behavior: Behavior
    seconds: float


def people_of(split: Split) -> list[int]:
    """Return the numbers of the personas of a split."""
    return [person for person in range(PEOPLE) if is_held_out(person) is (split is Split.TEST)]


def allowed(behaviors: Iterable[Behavior], split: Split) -> list[Behavior]:
    """Return the behaviors that a split may use: for training none that is held out."""
    return [behavior for behavior in behaviors if split is Split.TEST or not behavior.held_out]


def plan_session(
    behaviors: Iterable[Behavior], *, seed: str, person: int, program: str, split: Split, seconds: float
) -> list[Step]:
    """Return the plan of one session of about `seconds`."""
    rng = random.Random(f"story {seed} {person} {program} {split}")  # noqa: S311  # a script, no secret
    walker = _Planner(allowed(behaviors, split), rng, split, seconds)
    return min((walker.walk() for _ in range(WALKS)), key=walker.flaws)


class _Planner:
    """Draws walks of one session, and measures how far one is from what the session should be."""

    def __init__(self, behaviors: Sequence[Behavior], rng: random.Random, split: Split, seconds: float) -> None:
        self._by_state: dict[State | None, list[Behavior]] = {}
        for behavior in behaviors:
            self._by_state.setdefault(behavior.state, []).append(behavior)
        self._troubles = {one.state for one in behaviors if one.need is not Need.NEVER}
        self._rng = rng
        self._seconds = seconds
        plain = split is Split.TRAIN and rng.random() < _PLAIN_SESSIONS
        self._plain_lean = _PLAIN_LEAN if plain else _PLAIN_WEIGHT
        self._need_share = rng.uniform(*(_PLAIN_NEED_SHARE if plain else _NEED_SHARE))
        self._hard_share = rng.uniform(*_HARD_SHARE)
        self._held_out_share = _HELD_OUT_SHARE if split is Split.TEST else 0.0

    def walk(self) -> list[Step]:
        steps: list[Step] = []
        so_far = _Shares()
        left_s = self._seconds
        state: State | None = None
        while True:
            away = None in self._by_state and so_far.present and self._rng.random() < _AWAY_SHARE
            if not away:
                state = self._next_state(state, so_far)
            behavior = self._behavior(None if away else state, so_far, steps[-1].behavior.name if steps else "")
            length_s = self._rng.uniform(*behavior.seconds)
            if length_s + REST_S > left_s and steps:
                return steps
            steps.append(Step(behavior, min(length_s, max(left_s - REST_S, 1.0))))
            so_far.add(steps[-1])
            left_s -= length_s + REST_S

    def flaws(self, steps: Sequence[Step]) -> float:
        """Return how far a walk is from the session's shares, and from having every state (0: not at all)."""
        shares = _Shares.of(steps)
        flaws = abs(shares.need - self._need_share) + abs(shares.hard - self._hard_share)
        flaws += _TOO_FEW * (shares.held_out < self._held_out_share)
        if self._seconds >= FULL_S:
            states = {step.behavior.state for step in steps}
            flaws += _TOO_FEW * sum(state not in states for state in State if state in self._by_state)
        return flaws

    def _next_state(self, state: State | None, so_far: "_Shares") -> State:
        chances = _FIRST if state is None else _NEXT[state]
        trouble = _leaning(lacking=so_far.need < self._need_share)
        weights = {
            one: chance * (trouble if one in self._troubles else 1.0)
            for one, chance in chances.items()
            if one in self._by_state
        }
        if not weights:  # a short list of behaviors has none of the states that should follow
            weights = dict.fromkeys((one for one in self._by_state if one is not None), 1.0)
        return self._rng.choices(list(weights), list(weights.values()))[0]

    def _behavior(self, state: State | None, so_far: "_Shares", before: str) -> Behavior:
        hard = _leaning(lacking=so_far.hard < self._hard_share)
        new = _leaning(lacking=so_far.held_out < self._held_out_share + _SPARE) ** 3
        pool = self._by_state[state]
        others = [behavior for behavior in pool if behavior.name != before] or pool
        weights = [
            behavior.weight
            * (hard if behavior.hard_negative else 1.0)
            * (new if behavior.held_out else 1.0)
            * (self._plain_lean if behavior.plain else 1.0)
            for behavior in others
        ]
        return self._rng.choices(others, weights)[0]


class _Shares:
    """What a plan consists of so far."""

    def __init__(self) -> None:
        self._time_s = self._need_s = self._hard_s = 0.0
        self._steps = self._held_out = 0
        self.present = False

    @classmethod
    def of(cls, steps: Iterable[Step]) -> Self:
        shares = cls()
        for step in steps:
            shares.add(step)
        return shares

    def add(self, step: Step) -> None:
        self._time_s += step.seconds
        self._need_s += step.seconds * (step.behavior.need is not Need.NEVER)
        self._hard_s += step.seconds * step.behavior.hard_negative
        self._steps += 1
        self._held_out += step.behavior.held_out
        self.present = step.behavior.state is not None

    @property
    def need(self) -> float:
        """The share of time in behaviors during which help comes to be needed."""
        return self._need_s / (self._time_s or 1.0)

    @property
    def hard(self) -> float:
        """The share of hard negatives in the time in which help is never needed."""
        return self._hard_s / ((self._time_s - self._need_s) or 1.0)

    @property
    def held_out(self) -> float:
        """The share of held-out behaviors, by number."""
        return self._held_out / (self._steps or 1)


def need_share(steps: Iterable[Step]) -> float:
    """Return the share of time in behaviors during which help comes to be needed."""
    return _Shares.of(steps).need


def hard_share(steps: Iterable[Step]) -> float:
    """Return the share of hard negatives in the time in which help is never needed."""
    return _Shares.of(steps).hard


def _leaning(*, lacking: bool) -> float:
    return _LEAN if lacking else 1.0 / _LEAN
