"""Rates of verdicts, of boundaries, and agreement on ratings of subtasks.

Success is the positive class, no answer counts as the wrong class, and 0/0 is no figure. A rating is a JSON line,
`{"key": ..., "first": 1, "last": 4, "rater": "ann", "score": 5}`, where null is "unsure". The benchmark leaves such
lines without a score beside its page, for people to fill in.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from statistics import mean, stdev

import msgspec

from daemon.diagnosis.model_diagnosis.findings import TaskOutcome
from daemon.diagnosis.model_diagnosis.run import JudgedTrajectory
from daemon.figures.intervals import Interval, wilson
from daemon.history.trajectory.trajectory import Step, Verb
from lab.benchmarks.diagnosis.judges.inquiries import LEAST_SCORE, MOST_SCORE
from lab.benchmarks.diagnosis.judges.judges import RatedSegment
from lab.measure.agreement import Agreement, agreement_of_all
from lab.measure.json_lines import decoded_lines
from storage.errors import BadFile

GROUPS = ((1, 10), (10, 20), (20, 30), (30, 40), (40, 50), (50, 81))
"""Steps from the first number on, below the second; the last group of the paper includes 80."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Rates over `count` trajectories, `unanswered` of which had no verdict; None is no figure."""

    count: int
    unanswered: int
    accuracy: Interval | None
    precision: float | None
    recall: float | None
    f1: float | None
    base_rate: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """A rate over repetitions: mean, and sample standard deviation (n - 1); None where one repetition has no figure."""

    mean: float
    deviation: float | None


def rates(pairs: Iterable[tuple[bool, bool | None]]) -> Rates:
    """Return the rates of (truth, verdict); a verdict of None is no answer."""
    found = list(pairs)
    counted = [(truth, (not truth) if verdict is None else verdict) for truth, verdict in found]
    hits = sum(truth and verdict for truth, verdict in counted)
    said = sum(verdict for _, verdict in counted)
    true = sum(truth for truth, _ in counted)
    right = sum(truth is verdict for truth, verdict in counted)
    precision, recall = share(hits, said), share(hits, true)
    return Rates(
        count=len(found),
        unanswered=sum(verdict is None for _, verdict in found),
        accuracy=wilson(right, len(found)) if found else None,
        precision=precision,
        recall=recall,
        f1=share(2 * hits, said + true),
        base_rate=share(true, len(found)),
    )


def share(part: int, whole: int) -> float | None:
    """Return a share; of nothing there is none."""
    return part / whole if whole else None


def judged_pairs(judged: Iterable[JudgedTrajectory], repeat: int = 0) -> list[tuple[bool, bool | None]]:
    """Return truth and verdict of those whose truth is known."""
    return [
        (judged_trajectory.outcome, _verdict(judged_trajectory.verdicts[repeat].outcome))
        for judged_trajectory in judged
        if judged_trajectory.outcome is not None
    ]


def by_length(judged: Sequence[JudgedTrajectory]) -> Mapping[str, Rates]:
    """Return the rates by number of steps; groups without any are left out."""
    groups = {f"{low} to {high - 1} steps": (low, high) for low, high in GROUPS}
    groups["longer"] = (GROUPS[-1][1], 1 << 30)
    found = {
        name: rates(
            judged_pairs([judged_trajectory for judged_trajectory in judged if low <= judged_trajectory.steps < high])
        )
        for name, (low, high) in groups.items()
    }
    return {name: one for name, one in found.items() if one.count}


def by_benchmark(judged: Sequence[JudgedTrajectory], benchmarks: Mapping[str, str]) -> Mapping[str, Rates]:
    """Return the rates by the benchmark that a trajectory is from, where the data says."""
    names = sorted(
        {benchmarks[judged_trajectory.key] for judged_trajectory in judged if judged_trajectory.key in benchmarks}
    )
    return {
        name: rates(
            judged_pairs(
                [judged_trajectory for judged_trajectory in judged if benchmarks.get(judged_trajectory.key) == name]
            )
        )
        for name in names
    }


def spreads(judged: Sequence[JudgedTrajectory], repeats: int) -> Mapping[str, Spread]:
    """Return mean and deviation of each rate over the repetitions."""
    each = [rates(judged_pairs(judged, number)) for number in range(repeats)]
    values = {
        "accuracy": [part.accuracy.value if part.accuracy else None for part in each],
        "precision": [part.precision for part in each],
        "recall": [part.recall for part in each],
        "f1": [part.f1 for part in each],
    }
    found = {name: [value for value in row if value is not None] for name, row in values.items()}
    return {
        name: Spread(mean=mean(row), deviation=stdev(row) if len(row) > 1 else None)
        for name, row in found.items()
        if len(row) == repeats
    }


def _verdict(outcome: TaskOutcome | None) -> bool | None:
    return None if outcome is None else outcome is TaskOutcome.SUCCESS


WITHIN_S = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundaryRates:
    """Precision, recall and F1 of boundaries over all trajectories; None is no figure (0/0)."""

    true: int
    found: int
    matched: int

    @property
    def precision(self) -> float | None:
        """Share of the boundaries found that are true."""
        return share(self.matched, self.found)

    @property
    def recall(self) -> float | None:
        """Share of the true boundaries that are found."""
        return share(self.matched, self.true)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of both."""
        return share(2 * self.matched, self.found + self.true)

    def __add__(self, other: "BoundaryRates") -> "BoundaryRates":
        """Return the rates of both together."""
        return replace(
            self,
            true=self.true + other.true,
            found=self.found + other.found,
            matched=self.matched + other.matched,
        )


NONE = BoundaryRates(true=0, found=0, matched=0)


def boundary_rates(true_s: Sequence[float], found_s: Sequence[float], *, within_s: float = WITHIN_S) -> BoundaryRates:
    """Return how many boundaries match, each once; taking the earliest that fits matches as many as can be."""
    left = sorted(found_s)
    matched = 0
    for moment in sorted(true_s):
        while left and left[0] < moment - within_s:
            left.pop(0)
        if left and left[0] <= moment + within_s:
            left.pop(0)
            matched += 1
    return BoundaryRates(true=len(true_s), found=len(found_s), matched=matched)


def equal_cuts(steps: Sequence[Step], parts: int) -> list[float]:
    """Return the boundaries of so many parts with equally many steps."""
    places = {round(number * len(steps) / parts) for number in range(1, parts)}
    return [steps[place].at_s for place in sorted(places) if 0 < place < len(steps)]


def application_switches(steps: Sequence[Step]) -> list[float]:
    """Return the boundaries where another program is gone to."""
    return [
        step.at_s
        for before, step in pairwise(steps)
        if step.action.verb == Verb.SWITCH_APP or (step.app != before.app and before.action.verb != Verb.SWITCH_APP)
    ]


def starts(steps: Sequence[Step], firsts: Iterable[int]) -> list[float]:
    """Return the boundaries before segments that begin with these steps; the first segment has none before it."""
    return [steps[first - 1].at_s for first in firsts if first > 1]


SCALE = tuple(str(score) for score in range(LEAST_SCORE, MOST_SCORE + 1))
USABLE = 4
"""Scores from here on say that a subtask can be used."""

TO_FILL_IN = "subtasks.jsonl"

Subtask = tuple[str, int, int]
"""The key of a trajectory, and the first and last step."""


class Rating(msgspec.Struct, frozen=True):
    """What somebody says of one subtask; further fields, as its goal, are for the eye alone."""

    key: str
    first: int
    last: int
    rater: str = "people"
    score: int | None = None


def read_ratings(path: Path) -> tuple[Rating, ...]:
    """Return the ratings in a file.

    Raises:
        BadFile: a line does not fit, a score is not on the scale, or somebody rated a subtask twice; says which.
    """
    seen: set[tuple[Subtask, str]] = set()
    found = []
    for number, one in decoded_lines(path, msgspec.json.Decoder(Rating), "a rating"):
        if one.score is not None and str(one.score) not in SCALE:
            raise BadFile(f"{path}: line {number} has a score that is not from {LEAST_SCORE} to {MOST_SCORE}")
        if not one.rater.strip() or (subtask_of(one), one.rater) in seen:
            raise BadFile(f"{path}: line {number} names no rater, or is a second rating by the same one")
        seen.add((subtask_of(one), one.rater))
        found.append(one)
    return tuple(found)


def subtask_of(one: Rating) -> Subtask:
    """Return what a rating is about."""
    return one.key, one.first, one.last


def agreements(
    judged: Sequence[JudgedTrajectory], ratings: Sequence[Rating], model: str, *, usable: bool = False
) -> tuple[Mapping[str, Agreement], int]:
    """Return how far each pair of the model and people agrees, and how many ratings are about other subtasks.

    A pair is over the subtasks that both rated. Intervals draw whole trajectories. With `usable` only whether a score
    is 4 or more counts, which is what the paper's kappa is of.
    """
    scores = dict(_scores(judged))
    items = list(scores)
    others = sum(subtask_of(rating) not in scores for rating in ratings)
    by_rater: dict[str, dict[Subtask, int | None]] = {}
    for rating in ratings:
        by_rater.setdefault(rating.rater, {})[subtask_of(rating)] = rating.score
    if not items or not by_rater:
        return {}, others
    label = _usable if usable else _label
    raters = {model: [label(scores[item]) for item in items]}
    raters |= {name: [label(said.get(item)) for item in items] for name, said in sorted(by_rater.items())}
    return agreement_of_all(raters, [key for key, _, _ in items], () if usable else SCALE).pairs, others


def to_fill_in(judged: Sequence[JudgedTrajectory]) -> str:
    """Return a line for each subtask, for a person to write a score into; the model's own is not among them."""
    return "".join(
        json.dumps(
            {
                "key": judged_trajectory.key,
                "first": part.segment.first,
                "last": part.segment.last,
                "rater": "people",
                "score": None,
                "goal": part.segment.goal,
            }
        )
        + "\n"
        for judged_trajectory in judged
        for part in judged_trajectory.verdicts[0].segments
    )


def _scores(judged: Sequence[JudgedTrajectory]) -> Iterator[tuple[Subtask, int | None]]:
    for judged_trajectory in judged:
        for part in judged_trajectory.verdicts[0].segments:
            rating = part.quality if isinstance(part, RatedSegment) else None
            yield (judged_trajectory.key, part.segment.first, part.segment.last), rating


def _label(score: int | None) -> str | None:
    return None if score is None else str(score)


def _usable(score: int | None) -> str | None:
    return None if score is None else str(score >= USABLE)
