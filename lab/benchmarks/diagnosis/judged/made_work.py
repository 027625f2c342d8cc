"""Made trajectories whose truth is known: subtasks, which of them went wrong, and whether the task was reached.

Nobody did this work, and no program: every figure of it is *simulated*. Lengths fall into all groups of the paper, and
37 % are successes, as there. Some recover from a part that failed, some fail though every part went well, so that a
judge that only adds up verdicts is not right.
"""

import random
from dataclasses import dataclass
from itertools import accumulate

from daemon.diagnosis.model_diagnosis.findings import Outcome, SegmentVerdict
from daemon.diagnosis.model_diagnosis.sources import Source
from daemon.history.trajectory.layouts.layout import Layout
from daemon.history.trajectory.layouts.trajectory_set import TrajectorySet
from daemon.history.trajectory.trajectory import Action, Step, Target, Trajectory
from storage.errors import BadFile

LENGTHS = ((3, 9), (10, 19), (20, 29), (30, 39), (40, 49), (50, 80), (81, 100))
SUCCESSES = 0.37
RECOVERS, FAILS_AT_THE_END = 0.25, 0.15
STEP_S, PAUSE_S = 1.5, 9.0
"""Between two steps of a subtask, and more between two subtasks, so that a boundary is not mistaken for another."""

PROGRAMS = ("writer", "calc", "browser")
VERBS = ("click", "type", "key", "scroll")
_LEAST, _MOST = 2, 9


@dataclass(frozen=True, slots=True, kw_only=True)
class TruePart:
    """A subtask as it really was."""

    first: int
    last: int
    verdict: SegmentVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeWork:
    """A made trajectory with its truth."""

    source: Source
    trajectory: Trajectory
    parts: tuple[TruePart, ...]
    outcome: Outcome


class NoPictures:
    """The pictures of work that nobody saw."""

    def read(self, name: str) -> bytes:
        """There is none.

        Raises:
            BadFile: always.
        """
        raise BadFile(f"made work has no pictures, so none of {len(name)} letters")


def make_work(count: int, seed: int) -> list[MadeWork]:
    """Return so many trajectories; equal seeds give equal ones."""
    rng = random.Random(seed)  # noqa: S311  # nothing secret
    return [_make(rng, number, LENGTHS[number % len(LENGTHS)]) for number in range(count)]


def _make(rng: random.Random, number: int, lengths: tuple[int, int]) -> MadeWork:
    ends = list(accumulate(_part_lengths(rng, rng.randint(*lengths))))
    outcome = Outcome.SUCCESS if rng.random() < SUCCESSES else Outcome.FAILURE
    verdicts = _verdicts(rng, len(ends), outcome)
    parts = tuple(
        TruePart(first=first, last=last, verdict=verdict)
        for first, last, verdict in zip([1, *(end + 1 for end in ends[:-1])], ends, verdicts, strict=True)
    )
    trajectory = Trajectory(
        key=f"made-{number:03}",
        source="made work",
        whose="agent",
        app=PROGRAMS[0],
        goal=f"Carry out made task {number}",
        steps=tuple(_steps(rng, parts)),
        outcome=outcome is Outcome.SUCCESS,
    )
    whole = TrajectorySet(layout=Layout.PLAIN, trajectories=(trajectory,), pictures=NoPictures())
    return MadeWork(
        source=Source(name=trajectory.key, whole=whole), trajectory=trajectory, parts=parts, outcome=outcome
    )


def _part_lengths(rng: random.Random, count: int) -> list[int]:
    found: list[int] = []
    while (left := count - sum(found)) > 0:
        found.append(left if left <= _LEAST + 1 else min(left, rng.randint(_LEAST, _MOST)))
    return found


def _verdicts(rng: random.Random, count: int, outcome: Outcome) -> list[SegmentVerdict]:
    """Return verdicts that go with an outcome, and not with it alone."""
    found = [SegmentVerdict.SUCCESS] * count
    bad = rng.randrange(count)
    if outcome is Outcome.SUCCESS:
        if rng.random() < RECOVERS and count > 1:
            found[min(bad, count - 2)] = SegmentVerdict.PARTIAL
    elif rng.random() >= FAILS_AT_THE_END:
        found[bad] = SegmentVerdict.FAIL
    return found


def _steps(rng: random.Random, parts: tuple[TruePart, ...]) -> list[Step]:
    at_s, found = 0.0, []
    app = PROGRAMS[0]
    for part in parts:
        if part.first > 1:
            at_s += PAUSE_S
            app = rng.choice(PROGRAMS)
        for number in range(part.first, part.last + 1):
            verb = rng.choice(VERBS)
            found.append(
                Step(
                    number=number,
                    at_s=at_s,
                    app=app,
                    action=Action(verb=verb, args={"way": "down"} if verb == "scroll" else {}),
                    target=Target(name=f"Control {rng.randrange(50)}", role="button"),
                )
            )
            at_s += STEP_S
    return found
