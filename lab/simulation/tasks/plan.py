"""Plans a session of tasks: which task and which course one after the other, with trouble early, late or never.

Pure and seeded: the same seed, person, program and split give the same plan. Trouble begins at any moment of a session
with equal chance and sessions differ in length, so the time since the start says nothing about need.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType

from lab.simulation.persona import Split
from lab.simulation.tasks import calm, stuck
from storage.records import State

REST_S = 3.0
"""What lies between two courses, about: getting out of menus, and a rest."""

LENGTHS_S = (180.0, 1800.0)
"""The shortest and the longest session of tasks, in seconds."""

_NEVER = 0.3
"""Share of sessions without any trouble."""

_TROUBLE_EVERY_S = (110.0, 320.0)
_STUCK_S = (30.0, 85.0)
_CALM_S = (12.0, 40.0)
_SEEKS = 0.35
_SOLVES = 0.7
_HELD_OUT_LEAN = 3.0

_WITH_TASK = frozenset(
    {
        *stuck.FRUSTRATED,
        *stuck.DEBUGGING,
        *stuck.SEEKING,
        *calm.LOOK_ALIKES,
        *calm.COMPARING,
        "gets_it_done",
        "one_slip",
    }
)
_CALM: Mapping[str, float] = MappingProxyType(
    {
        "works": 3.0,
        "gets_it_done": 3.0,
        "one_slip": 1.6,
        "batch": 1.8,
        "goes_slowly": 1.4,
        "finishes_later": 1.4,
        "looks_it_up": 1.4,
        "is_interrupted": 1.2,
        "follows_the_brief": 1.4,
        "compares": 1.8,
        "looks_around": 1.4,
        "reads_the_brief": 1.0,
        "reads": 1.2,
        "thinks": 1.4,
        "checks": 1.2,
        "checks_against_the_brief": 1.2,
        "waits": 1.2,
        "goes_in_and_out": 1.2,
        "does_the_rounds": 1.2,
        "takes_notes": 1.2,
        "adjusts_as_it_goes": 1.2,
        "browses_help": 1.2,
    }
)
_STUCK: Mapping[str, float] = MappingProxyType(
    {
        "insists": 1.8,
        "hammers": 1.0,
        "ponders": 1.2,
        "alternates": 1.6,
        "searches": 1.1,
        "returns": 1.2,
        "varies": 1.8,
        "inspects": 1.2,
        "rereads": 1.4,
        "starts_over": 1.2,
        "looks_elsewhere": 1.2,
        "types_elsewhere": 1.2,
        "steps_back": 1.2,
        "changes_settings": 1.2,
    }
)
_SEEKING: Mapping[str, float] = MappingProxyType({"reads_and_tries": 1.0, "asks_on": 1.0})

HELD_OUT = frozenset(
    {
        *("returns", "starts_over", "looks_elsewhere", "types_elsewhere", "steps_back", "changes_settings", "asks_on"),
        *("follows_the_brief", "goes_in_and_out", "does_the_rounds", "takes_notes", "adjusts_as_it_goes"),
        "browses_help",
    }
)
"""Courses that no training session contains."""

COURSES: Mapping[str, calm.Course] = MappingProxyType(
    {
        **calm.PERFORMING,
        **calm.LOOK_ALIKES,
        **calm.EXPLORING,
        **calm.COMPARING,
        **calm.READING,
        **calm.THINKING,
        **calm.CHECKING,
        **calm.WAITING,
        **stuck.FRUSTRATED,
        **stuck.DEBUGGING,
        **stuck.SEEKING,
    }
)
STATES: Mapping[str, State] = MappingProxyType(
    {
        **dict.fromkeys((*calm.PERFORMING, *calm.LOOK_ALIKES), State.PERFORMING_ACTIONS),
        **dict.fromkeys((*calm.EXPLORING, *calm.COMPARING), State.EXPLORATION),
        **dict.fromkeys(calm.READING, State.TASK_UNDERSTANDING),
        **dict.fromkeys(calm.THINKING, State.IDEATION),
        **dict.fromkeys(calm.CHECKING, State.ASSESSMENT),
        **dict.fromkeys(calm.WAITING, State.WAITING),
        **dict.fromkeys(stuck.FRUSTRATED, State.FRUSTRATION),
        **dict.fromkeys(stuck.DEBUGGING, State.DEBUGGING),
        **dict.fromkeys(stuck.SEEKING, State.SEEKING_EXTERNAL_HELP),
    }
)
"""Which state each course stands for."""

HARD_NEGATIVES = frozenset(
    {*calm.LOOK_ALIKES, *calm.COMPARING, "one_slip", "is_interrupted", "takes_notes", "reads", "browses_help"}
    | {"checks_against_the_brief"}
)


@dataclass(frozen=True, slots=True)
class TaskStep:
    """One course at one task, and how long it is to last; `begins` says whether the task must be gone to first."""

    course: str
    task: str
    seconds: float
    begins: bool


def is_trouble(course: str) -> bool:
    """Return whether help comes to be needed in a course."""
    return course in stuck.FRUSTRATED or course in stuck.DEBUGGING or course in stuck.SEEKING


def session_seconds(seed: str) -> float:
    """Return how long a session of a seed lasts: short ones are as frequent as long ones (log-uniform)."""
    rng = random.Random(f"length {seed}")  # noqa: S311  # a script, no secret
    shortest, longest = LENGTHS_S
    return round(float(shortest * (longest / shortest) ** rng.random()))


def plan_tasks(
    tasks: Sequence[str], *, seed: str, person: int, program: str, split: Split, seconds: float
) -> list[TaskStep]:
    """Return the plan of one session of about `seconds`, given the names of the program's tasks."""
    rng = random.Random(f"tasks {seed} {person} {program} {split}")  # noqa: S311  # a script, no secret
    planner = _Planner(tasks, rng, split)
    onsets = planner.onsets(seconds)
    steps: list[TaskStep] = []
    at_s = 0.0
    while True:
        added = planner.trouble() if onsets and at_s >= onsets[0] else [planner.calm()]
        if onsets and at_s >= onsets[0]:
            onsets.pop(0)
        for step in added:
            left_s = seconds - at_s - REST_S
            if steps and step.seconds > left_s:
                return _connected(steps)
            steps.append(replace(step, seconds=min(step.seconds, max(left_s, 1.0))))
            at_s += steps[-1].seconds + REST_S


def _connected(steps: Sequence[TaskStep]) -> list[TaskStep]:
    """Let a course begin where the one before it ended, where both are about the same task."""
    result = [replace(steps[0], begins=steps[0].course in _WITH_TASK)]
    for before, step in pairwise(steps):
        goes_on = is_trouble(before.course) and before.task == step.task
        result.append(replace(step, begins=step.course in _WITH_TASK and not goes_on))
    return result


class _Planner:
    def __init__(self, tasks: Sequence[str], rng: random.Random, split: Split) -> None:
        self._tasks, self._rng, self._split = list(tasks), rng, split
        self._last = ""

    def onsets(self, seconds: float) -> list[float]:
        """Return when trouble begins: at any moment with equal chance, or never."""
        if self._rng.random() < _NEVER:
            return []
        count = max(1, round(seconds / self._rng.uniform(*_TROUBLE_EVERY_S)))
        return sorted(self._rng.uniform(0.0, max(seconds - _STUCK_S[0], 1.0)) for _ in range(count))

    def calm(self) -> TaskStep:
        self._last = self._choose(_CALM)
        return TaskStep(self._last, self._rng.choice(self._tasks), self._rng.uniform(*_CALM_S), False)

    def trouble(self) -> list[TaskStep]:
        """Return trouble with one task, how it goes on, and how it ends."""
        task, uniform = self._rng.choice(self._tasks), self._rng.uniform
        steps = []
        if self._rng.random() < 0.3:  # noqa: PLR2004  # some look around first
            steps.append(TaskStep("looks_around", task, uniform(8.0, 20.0), False))
        steps.append(TaskStep(self._choose(_STUCK), task, uniform(*_STUCK_S), False))
        if self._rng.random() < _SEEKS:
            steps.append(TaskStep(self._choose(_SEEKING), task, uniform(25.0, 60.0), False))
        if self._rng.random() < _SOLVES:
            steps.append(TaskStep("gets_it_done", task, uniform(10.0, 25.0), False))
        self._last = steps[-1].course
        return steps

    def _choose(self, weights: Mapping[str, float]) -> str:
        """Return a course that this split may use, and not the one before if there is another."""
        lean = 0.0 if self._split is Split.TRAIN else _HELD_OUT_LEAN
        chances = {name: weight * (lean if name in HELD_OUT else 1.0) for name, weight in weights.items()}
        others = {name: chance for name, chance in chances.items() if name != self._last}
        chances = others if any(others.values()) else chances
        return self._rng.choices(list(chances), list(chances.values()))[0]
