"""Boundaries of subtasks against the true ones: matched one to one within 3 s, beside cuts that need no model."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from daemon.history.trajectory.trajectory import Step, Verb
from lab.benchmarks.diagnosis.judged.rates import share

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
