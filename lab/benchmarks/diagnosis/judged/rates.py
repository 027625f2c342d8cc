"""Rates of verdicts against the truth: accuracy, precision, recall, F1; success is the positive class.

No answer counts as the wrong class. 0/0 is no figure.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, stdev

from daemon.diagnosis.model_diagnosis.findings import Outcome
from daemon.diagnosis.model_diagnosis.run import JudgedTrajectory
from daemon.figures.intervals import Interval, wilson

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
    return [(one.outcome, _verdict(one.verdicts[repeat].outcome)) for one in judged if one.outcome is not None]


def by_length(judged: Sequence[JudgedTrajectory]) -> Mapping[str, Rates]:
    """Return the rates by number of steps; groups without any are left out."""
    groups = {f"{low} to {high - 1} steps": (low, high) for low, high in GROUPS}
    groups["longer"] = (GROUPS[-1][1], 1 << 30)
    found = {
        name: rates(judged_pairs([one for one in judged if low <= one.steps < high]))
        for name, (low, high) in groups.items()
    }
    return {name: one for name, one in found.items() if one.count}


def by_benchmark(judged: Sequence[JudgedTrajectory], benchmarks: Mapping[str, str]) -> Mapping[str, Rates]:
    """Return the rates by the benchmark that a trajectory is from, where the data says."""
    names = sorted({benchmarks[one.key] for one in judged if one.key in benchmarks})
    return {name: rates(judged_pairs([one for one in judged if benchmarks.get(one.key) == name])) for name in names}


def spreads(judged: Sequence[JudgedTrajectory], repeats: int) -> Mapping[str, Spread]:
    """Return mean and deviation of each rate over the repetitions."""
    each = [rates(judged_pairs(judged, number)) for number in range(repeats)]
    values = {
        "accuracy": [one.accuracy.value if one.accuracy else None for one in each],
        "precision": [one.precision for one in each],
        "recall": [one.recall for one in each],
        "f1": [one.f1 for one in each],
    }
    found = {name: [value for value in row if value is not None] for name, row in values.items()}
    return {
        name: Spread(mean=mean(row), deviation=stdev(row) if len(row) > 1 else None)
        for name, row in found.items()
        if len(row) == repeats
    }


def _verdict(outcome: Outcome | None) -> bool | None:
    return None if outcome is None else outcome is Outcome.SUCCESS
