"""Figures of a policy over many sessions, with intervals from drawing whole sessions, the same draws for every policy.

So differences between two policies are paired. Rates are of whole sessions: an hour is an hour at the desk, whatever
the person did in it. False offers an hour are given by labelled hours as well, which are fewer, and so stricter:
between two behaviors the truth is unknown. An episode belongs to the behavior it begins in.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from daemon.figures.intervals import Interval, poisson_upper
from daemon.figures.resampling import Draws
from lab.benchmarks.policy.trace import Rules
from lab.benchmarks.policy.truth import (
    FALSE,
    JudgedOffer,
    OfferKind,
    Truth,
    hours_of,
    is_fluent,
    most_covered,
    oracle_s,
    utility_s,
)
from lab.simulation.recording.labels import label_at
from storage.clock import NS_PER_S

_ALPHA = 0.05
BETWEEN = "between two behaviors"


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyFigures:
    """Figures of one policy.

    Attributes:
        false_upper: one-sided upper 95 % bound of false offers an hour, were they a Poisson process.
        false_upper_drawn: the same from drawing sessions.
        false_per_labelled_hour: all false offers, those between labels too, by labelled hours alone.
        false_upper_labelled: the Poisson bound by labelled hours.
        false_but_early: false offers an hour without those between the first failure and the second.
        covered: share of episodes with an offer in them.
        precision: share of offers that fell into an episode.
        delay_s: median from onset to offer, of covered episodes.
        delay_all_s: the same of all episodes, one without an offer counting as never (infinite).
        waited_s: median and 95th percentile of how long an offer waited for a break.
        fluent_per_hour: offers an hour of fluent work.
        regret_s: seconds lost an hour against the oracle, per factor of costs.
        kinds: how many offers of each kind.
        cooldown_violations: offers sooner after another than the shipped cool-down.
        seconds: CPU time of all replays.
    """

    offers: int
    false_per_hour: Interval
    false_upper: float
    false_upper_drawn: float
    false_per_labelled_hour: Interval
    false_upper_labelled: float
    false_but_early: float
    covered: Interval
    precision: Interval
    delay_s: Interval
    delay_all_s: float
    at_break: Interval
    waited_s: tuple[float, float]
    fluent_per_hour: Interval
    regret_s: Mapping[str, Interval]
    kinds: Mapping[str, int]
    cooldown_violations: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    """The sessions that all policies are judged on, and what the oracle makes of them per factor."""

    truths: tuple[Truth, ...]
    hours: tuple[float, ...]
    labelled_hours: tuple[float, ...]
    fluent_hours: tuple[float, ...]
    oracle_s: Mapping[str, tuple[float, ...]]
    rules: Rules
    draws: Draws

    @property
    def episodes(self) -> int:
        """How many episodes of need there are."""
        return sum(len(truth.episodes) for truth in self.truths)

    def most_covered(self, cooldown_s: float, offers_per_hour: int) -> int:
        """Return how many episodes one could cover who knows them all and keeps to a cool-down and a budget."""
        return sum(most_covered(truth.episodes, cooldown_s, offers_per_hour) for truth in self.truths)


def sessions_of(truths: Sequence[Truth], hours: Sequence[float], rules: Rules) -> Sessions:
    """Prepare what all policies share."""
    return Sessions(
        truths=tuple(truths),
        hours=tuple(hours),
        labelled_hours=tuple(hours_of(truth.labels) for truth in truths),
        fluent_hours=tuple(hours_of(filter(is_fluent, truth.labels)) for truth in truths),
        oracle_s={
            f"{factor:g}": tuple(oracle_s(truth, rules.costs.times(factor)) for truth in truths)
            for factor in rules.factors["costs"]
        },
        rules=rules,
        draws=Draws(len(truths)),
    )


def figures_of(
    sessions: Sessions, judged: Sequence[Sequence[JudgedOffer]], cooldown_violations: int, seconds: float
) -> PolicyFigures:
    """Return the figures of one policy, given its judged offers per session."""
    draws, hours = sessions.draws, sessions.hours
    everything = [offer for part in judged for offer in part]
    false = [sum(offer.kind in FALSE for offer in part) for part in judged]
    offers = [len(part) for part in judged]
    hits = [
        (at, offer.delay_ns / NS_PER_S)
        for at, part in enumerate(judged)
        for offer in part
        if offer.kind is OfferKind.HIT
    ]
    missed = sessions.episodes - len(hits)
    delays = sorted([delay for _, delay in hits] + [math.inf] * missed)
    kinds = Counter(offer.kind for offer in everything)
    waits = sorted(float(offer.shown.decision.numbers.get("waited_s", 0.0)) for offer in everything) or [math.nan]
    return PolicyFigures(
        offers=len(everything),
        false_per_hour=draws.ratio(false, hours),
        false_upper=poisson_upper(sum(false), _ALPHA) / sum(hours),
        false_upper_drawn=draws.upper(false, hours),
        false_per_labelled_hour=draws.ratio(false, sessions.labelled_hours),
        false_upper_labelled=poisson_upper(sum(false), _ALPHA) / sum(sessions.labelled_hours),
        false_but_early=(sum(false) - kinds[OfferKind.EARLY]) / sum(hours),
        covered=draws.ratio(
            [sum(offer.kind is OfferKind.HIT for offer in part) for part in judged],
            [len(truth.episodes) for truth in sessions.truths],
        ),
        precision=draws.ratio([len(part) - one for part, one in zip(judged, false, strict=True)], offers),
        delay_s=draws.median([delay for _, delay in hits], [at for at, _ in hits]),
        delay_all_s=delays[(len(delays) - 1) // 2] if delays else math.nan,
        at_break=draws.ratio([sum(offer.at_break for offer in part) for part in judged], offers),
        waited_s=(waits[(len(waits) - 1) // 2], waits[int(0.95 * (len(waits) - 1))]),
        fluent_per_hour=draws.ratio([sum(offer.fluent for offer in part) for part in judged], sessions.fluent_hours),
        regret_s={factor: draws.ratio(regrets(sessions, judged, factor), hours) for factor in sessions.oracle_s},
        kinds={kind.value: kinds[kind] for kind in OfferKind},
        cooldown_violations=cooldown_violations,
        seconds=seconds,
    )


def regrets(sessions: Sessions, judged: Sequence[Sequence[JudgedOffer]], factor: str) -> list[float]:
    """Return for each session what was lost against the oracle, in seconds."""
    costs = sessions.rules.costs.times(float(factor))
    return [best - utility_s(part, costs) for best, part in zip(sessions.oracle_s[factor], judged, strict=True)]


# ---------------------------------------------------------------- by behavior


@dataclass(frozen=True, slots=True, kw_only=True)
class BehaviorFigures:
    """One behavior: its minutes in all, episodes that begin in it, those covered, their delay, and false offers."""

    behavior: str
    minutes: float
    episodes: int
    covered: int
    delay_s: float | None
    false: int


def by_behavior(truths: Sequence[Truth], judged: Sequence[Sequence[JudgedOffer]]) -> list[BehaviorFigures]:
    """Return every behavior that somebody acted out, the ones with most false offers first, then by coverage."""
    minutes: dict[str, float] = defaultdict(float)
    began, false = Counter[str](), Counter[str]()
    delays: dict[str, list[float]] = defaultdict(list)
    for truth, offers in zip(truths, judged, strict=True):
        for label in truth.labels:
            minutes[label.behavior] += (label.end_ns - label.start_ns) / NS_PER_S / 60
        starts = [_behavior(truth, episode.start_ns) for episode in truth.episodes]
        began.update(starts)
        for offer in offers:
            if offer.kind is OfferKind.HIT and offer.episode is not None:
                delays[starts[offer.episode]].append(offer.delay_ns / NS_PER_S)
            elif offer.kind in FALSE:
                false[_behavior(truth, offer.shown.at_ns)] += 1
    found = [
        BehaviorFigures(
            behavior=name,
            minutes=minutes[name],
            episodes=began[name],
            covered=len(delays[name]),
            delay_s=median(delays[name]) if delays[name] else None,
            false=false[name],
        )
        for name in sorted({*minutes, *false})
    ]
    return sorted(found, key=lambda one: (-one.false, one.covered - one.episodes))


def _behavior(truth: Truth, at_ns: int) -> str:
    label = label_at(truth.labels, at_ns)
    return BETWEEN if label is None else label.behavior
