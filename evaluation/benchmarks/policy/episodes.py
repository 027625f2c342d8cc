"""Our policy behavior by behavior: in which kind of trouble it speaks, how soon, and during what it speaks falsely.

Behaviors are named by the script. An episode is named by the behavior that it begins in.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from evaluation.benchmarks.policy.truth import FALSE, Judged, Kind, Truth
from evaluation.simulation.recording.labels import label_at
from storage.clock import NS_PER_S

BETWEEN = "between two behaviors"


@dataclass(frozen=True, slots=True, kw_only=True)
class OfBehavior:
    """One behavior: its minutes in all, episodes that begin in it, those covered, their delay, and false offers."""

    behavior: str
    minutes: float
    episodes: int
    covered: int
    delay_s: float | None
    false: int


def by_behavior(truths: Sequence[Truth], judged: Sequence[Sequence[Judged]]) -> list[OfBehavior]:
    """Return every behavior that somebody acted out, the ones with most false offers first, then by coverage."""
    minutes: dict[str, float] = {}
    began: dict[str, int] = {}
    delays: dict[str, list[float]] = {}
    false: dict[str, int] = {}
    for truth, offers in zip(truths, judged, strict=True):
        for label in truth.labels:
            minutes[label.behavior] = minutes.get(label.behavior, 0.0) + (label.end_ns - label.start_ns) / NS_PER_S / 60
        starts = [_behavior(truth, episode.start_ns) for episode in truth.episodes]
        for name in starts:
            began[name] = began.get(name, 0) + 1
        for one in offers:
            if one.kind is Kind.HIT and one.episode is not None:
                delays.setdefault(starts[one.episode], []).append(one.delay_ns / NS_PER_S)
            elif one.kind in FALSE:
                name = _behavior(truth, one.shown.at_ns)
                false[name] = false.get(name, 0) + 1
    found = [
        OfBehavior(
            behavior=name,
            minutes=minutes.get(name, 0.0),
            episodes=began.get(name, 0),
            covered=len(delays.get(name, ())),
            delay_s=median(delays[name]) if name in delays else None,
            false=false.get(name, 0),
        )
        for name in sorted({*minutes, *false})
    ]
    return sorted(found, key=lambda one: (-one.false, one.covered - one.episodes))


def _behavior(truth: Truth, at_ns: int) -> str:
    label = label_at(truth.labels, at_ns)
    return BETWEEN if label is None else label.behavior
