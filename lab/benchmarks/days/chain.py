"""Joins stretches of recorded sessions to days, and plays policies on them.

A session with tasks holds an episode of need every few minutes, many times what a desk sees. So each is cut where
trouble begins and where its aftermath has passed: into calm stretches, and into calm ones that end with an episode. A
day is a row of such stretches in an order by lot, two to eight hours of calm work with up to six episodes. Each
stretch is in one day, once. What a policy remembers goes from one to the next as it does from session to session.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from lab.benchmarks.policy.trace import Played, Trace, TraceStep, play
from lab.benchmarks.policy.truth import FALSE, Episode, JudgedOffer, OfferKind, judge, truth_of
from lab.simulation.recording.labels import Label
from policies.gates.evidence import EvidenceGate
from policies.protocol import Policy
from storage.clock import HOUR_NS, NS_PER_S
from storage.records import FeedbackKind

AFTERMATH_NS = 60 * NS_PER_S
"""After trouble this time is no calm work: what was tried in vain still counts in what is estimated."""

SHORTEST_NS = 30 * NS_PER_S
GAP_NS = 30 * NS_PER_S
"""What passes between two stretches."""

DAY_HOURS, MOST_EPISODES = (2.0, 8.0), 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A calm stretch of a session, and the episode that ends it, if any; `calm` are hours."""

    trace: Trace
    calm: float
    episode: bool

    def without_episode(self) -> "Stretch":
        """Return its calm part."""
        if not self.episode:
            return self
        end_ns = self.trace.steps[0].at_ns + round(self.calm * HOUR_NS)
        return replace(self, trace=_cut(self.trace, self.trace.steps[0].at_ns, end_ns), episode=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """Stretches in the order in which they are worked through."""

    stretches: tuple[Stretch, ...]

    @property
    def calm(self) -> float:
        """Hours of calm work."""
        return sum(stretch.calm for stretch in self.stretches)

    @property
    def episodes(self) -> int:
        """Episodes of need."""
        return sum(stretch.episode for stretch in self.stretches)


@dataclass(frozen=True, slots=True, kw_only=True)
class DayResult:
    """What a policy made of a day: offers that were false, episodes found and the delays of these in seconds.

    `missed` names for each other episode the gate that withheld help in it, and `saved` is what the policy knows then.
    """

    episodes: int
    false: tuple[JudgedOffer, ...]
    delays_s: tuple[float, ...]
    missed: tuple[str, ...]
    saved: Mapping[str, object]


def stretches_of(trace: Trace, merge_gap_s: float) -> Iterator[Stretch]:
    """Yield the stretches of a session; what follows an episode at once is in none."""
    troubled = [label for label in trace.labels if label.need_from_ns is not None]
    episodes = truth_of(trace, merge_gap_s).episodes
    start_ns = trace.start_ns
    for episode in episodes:
        began_ns = next(label.start_ns for label in troubled if label.end_ns > episode.start_ns)
        if began_ns - start_ns >= SHORTEST_NS:
            yield Stretch(
                trace=_cut(trace, start_ns, episode.end_ns),
                calm=(began_ns - start_ns) / HOUR_NS,
                episode=True,
            )
        start_ns = episode.end_ns + AFTERMATH_NS
    if trace.end_ns - start_ns >= SHORTEST_NS:
        calm = (trace.end_ns - start_ns) / HOUR_NS
        yield Stretch(trace=_cut(trace, start_ns, trace.end_ns), calm=calm, episode=False)


def days_of(stretches: Sequence[Stretch], seed: int, kept: Counter[int] | None = None) -> list[Day]:
    """Return days that use each stretch once; by lot some keep their episodes, so that trouble comes at any time.

    `kept` counts by stretch how often that was over several orders: those that kept theirs least often go first, so
    that no episode counts more than another.
    """
    rng = random.Random(seed)  # noqa: S311  # an order by lot, no secret
    kept = Counter() if kept is None else kept
    left = list(range(len(stretches)))
    rng.shuffle(left)
    days: list[Day] = []
    while left:
        hours, most = rng.uniform(*DAY_HOURS), rng.randint(0, MOST_EPISODES)
        chosen: list[int] = []
        while left and sum(stretches[number].calm for number in chosen) < hours:
            chosen.append(left.pop())
        troubled = [number for number in chosen if stretches[number].episode]
        rng.shuffle(troubled)
        stay = sorted(troubled, key=kept.__getitem__)[:most]
        kept.update(stay)
        own = (stretches[number] if number in stay else stretches[number].without_episode() for number in chosen)
        days.append(Day(stretches=tuple(own)))
    return days


Answers = Callable[[bool], FeedbackKind | None]
"""What a person says to an offer, given whether it was needed; None: nothing."""


def live_through(
    day: Day,
    policy: Policy[Any],
    merge_gap_s: float,
    *,
    saved: Mapping[str, object] | None = None,
    elapsed_ns: int = GAP_NS,
    answers: Answers = lambda needed: None,  # noqa: ARG005  # nobody answers
) -> DayResult:
    """Play a day; what the policy has saved goes on from stretch to stretch.

    `saved` is what it knows from `elapsed_ns` before.
    """
    saved = saved or {}
    false: list[JudgedOffer] = []
    delays_s: list[float] = []
    missed: list[str] = []
    for stretch in day.stretches:
        truth = truth_of(stretch.trace, merge_gap_s)
        said = partial(_said, answers, truth.episodes)
        played = play(stretch.trace, policy, saved=saved, elapsed_ns=elapsed_ns, answer=said)
        saved, elapsed_ns = played.saved, GAP_NS
        judged = judge(truth, played.shown)
        false += [offer for offer in judged if offer.kind in FALSE]
        hits = [offer.delay_ns / NS_PER_S for offer in judged if offer.kind is OfferKind.HIT]
        delays_s += hits
        missed += [] if hits else [_withheld_by(played, episode) for episode in truth.episodes]
    return DayResult(
        episodes=day.episodes, false=tuple(false), delays_s=tuple(delays_s), missed=tuple(missed), saved=saved
    )


def _withheld_by(played: Played, episode: Episode) -> str:
    """Return the gate that stopped last what there was evidence for; where there was none, the gate of evidence."""
    gates = [decision.gate for at_ns, decision in played.decisions if episode.start_ns <= at_ns <= episode.end_ns]
    return next((gate for gate in reversed(gates) if gate != EvidenceGate.name), EvidenceGate.name)


def _said(answers: Answers, episodes: Sequence[Episode], at_ns: int) -> FeedbackKind | None:
    return answers(any(episode.start_ns <= at_ns <= episode.end_ns for episode in episodes))


def _cut(trace: Trace, start_ns: int, end_ns: int) -> Trace:
    """Return a part of a session: what went before is known, as it is where a session goes on, but decides nothing."""
    before = [TraceStep(start_ns, step.row, ()) for step in trace.steps if step.at_ns < start_ns]
    inside = [step for step in trace.steps if start_ns <= step.at_ns <= end_ns]
    first = [] if before else [TraceStep(start_ns, None, ())]
    last = TraceStep(end_ns, None, ())
    labels = (_within(label, start_ns, end_ns) for label in trace.labels)
    return replace(trace, steps=(*first, *before, *inside, last), labels=tuple(label for label in labels if label))


def _within(label: Label, start_ns: int, end_ns: int) -> Label | None:
    """Return the part of a label that lies within, without its need if that begins after the end."""
    if label.end_ns <= start_ns or label.start_ns >= end_ns:
        return None
    need_ns = label.need_from_ns
    return replace(
        label,
        start_ns=max(label.start_ns, start_ns),
        end_ns=min(label.end_ns, end_ns),
        need_from_ns=None if need_ns is None or need_ns >= end_ns else max(need_ns, start_ns),
    )
